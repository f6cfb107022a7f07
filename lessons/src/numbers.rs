//! The numbers of a step's sentences on their way through Markdown: each stands in the text as a mark, so that
//! Markdown reads nothing into its digits, and becomes a button afterwards that opens how it comes about.
//! Where no button can stand, in another button, a link or an attribute, it is text.

use crate::formula::Said;
use pulldown_cmark_escape::escape_html;

/// What no text has: letters for private use.
const MARK: (char, char) = ('\u{e000}', '\u{e001}');

/// The numbers of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    /// How many stand on the page before these.
    first: usize,
    said: Vec<Said>,
    /// Which of them are buttons.
    opened: Vec<usize>,
}

impl Numbers {
    pub(crate) fn after(first: usize) -> Self {
        Self {
            first,
            ..Self::default()
        }
    }

    /// Takes one on; its mark.
    pub(crate) fn mark(&mut self, said: Said) -> String {
        self.said.push(said);
        format!("{}{}{}", MARK.0, self.said.len() - 1, MARK.1)
    }

    /// A text or HTML with its numbers as text.
    pub(crate) fn plain(&self, text: &str) -> String {
        let mut out = String::new();
        each(text, &mut out, |_, at| {
            let said = self.said.get(at)?;
            Some(said.words.clone())
        });
        out
    }

    /// HTML with its numbers as buttons.
    pub(crate) fn opened(&mut self, html: &str) -> String {
        let mut out = String::new();
        let (first, known) = (self.first, &self.said);
        let opened = &mut self.opened;
        each(html, &mut out, |before, at| {
            let said = known.get(at)?;
            let mut words = String::new();
            escape_html(&mut words, &said.words).ok()?;
            if takes_no_button(before) {
                return Some(words);
            }
            opened.push(at);
            let number = first + at + 1;
            Some(format!(
                "<button type=\"button\" class=\"number\" popovertarget=\"how-{number}\" \
                 aria-haspopup=\"dialog\">{words}</button>"
            ))
        });
        out
    }

    /// Those that are buttons, with their numbers on the page.
    pub(crate) fn to_open(&self) -> impl Iterator<Item = (usize, &Said)> {
        let opened = self.opened.iter();
        opened.filter_map(|at| Some((self.first + at + 1, self.said.get(*at)?)))
    }

    /// How many stand on the page with these.
    pub(crate) fn last(&self) -> usize {
        self.first + self.said.len()
    }
}

/// Copies a text with what `of` has in place of each mark; it is told what stands before it.
fn each(text: &str, out: &mut String, mut of: impl FnMut(&str, usize) -> Option<String>) {
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(MARK.0) {
        out.push_str(before);
        let (number, behind) = behind.split_once(MARK.1).unwrap_or((behind, ""));
        let said = number.parse().ok().and_then(|at| of(out, at));
        out.push_str(&said.unwrap_or_default());
        rest = behind;
    }
    out.push_str(rest);
}

/// Whether what stands before is within a tag, a button or a link.
fn takes_no_button(before: &str) -> bool {
    let is_open = |begin, end| before.rfind(begin) > before.rfind(end);
    is_open("<", ">") || is_open("<a ", "</a>") || is_open("<button", "</button>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::Opened;

    #[test]
    fn a_number_is_a_button_where_one_can_stand() {
        let mut numbers = Numbers::after(3);
        let mut mark = |words: &str| {
            numbers.mark(Said {
                words: words.to_owned(),
                opened: Opened::default(),
            })
        };
        let (one, two) = (mark("6.95 h"), mark("<2"));
        let html = format!(
            "<p>{one}</p><button data-do=\"seek={two}\">{one}</button><a href=\"#\">{two}</a><p>{two}</p>"
        );
        let out = numbers.opened(&html);
        assert!(out.contains("popovertarget=\"how-4\" aria-haspopup=\"dialog\">6.95 h</button>"));
        assert!(
            out.contains("<button data-do=\"seek=&lt;2\">6.95 h</button><a href=\"#\">&lt;2</a>")
        );
        let ids: Vec<usize> = numbers.to_open().map(|(id, _)| id).collect();
        assert_eq!(ids, [4, 5]);
        assert_eq!(numbers.plain(&two), "<2");
    }
}
