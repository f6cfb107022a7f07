//! A drawing as elements. What the page draws as SVG is written as one text, which is smaller than
//! elements one by one; here it becomes nodes of the virtual DOM, and never passes the browser's
//! reader of markup (`innerHTML`), which pages under Trusted Types do not let.

use indexmap::IndexMap;
use yew::AttrValue;
use yew::prelude::*;
use yew::virtual_dom::{Attributes, VTag, VText};

/// The elements of a drawing of ours; nothing where it is no sound markup.
pub(super) fn drawing(svg: &str) -> Html {
    elements(svg).unwrap_or_default()
}

fn elements(mut rest: &str) -> Option<Html> {
    // What is open, the innermost last; the first holds the drawing.
    let mut open = vec![VTag::new("svg")];
    while let Some((text, markup)) = rest.split_once('<') {
        if !text.trim().is_empty() {
            let text = VText::new(unescaped(text));
            open.last_mut()?.add_child(text.into());
        }
        let closes = if let Some(end) = markup.strip_prefix('/') {
            rest = end.split_once('>')?.1;
            true
        } else {
            let (tag, is_empty, after) = tag(markup)?;
            open.push(tag);
            rest = after;
            is_empty
        };
        if closes {
            let element = open.pop()?;
            open.last_mut()?.add_child(element.into());
        }
    }
    match <[VTag; 1]>::try_from(open) {
        Ok([holder]) => holder.into_children(),
        Err(_) => None,
    }
}

/// An element with its attributes, whether it is empty, and what follows its tag.
fn tag(markup: &str) -> Option<(VTag, bool, &str)> {
    let end = markup.find(|c: char| c.is_whitespace() || "/>".contains(c))?;
    let (name, mut rest) = markup.split_at(end);
    let mut attributes = IndexMap::<AttrValue, AttrValue>::new();
    loop {
        rest = rest.trim_start();
        let is_empty = rest.starts_with('/');
        if let Some(after) = rest.strip_prefix('/').unwrap_or(rest).strip_prefix('>') {
            let mut tag = VTag::new(name.to_owned());
            tag.set_attributes(Attributes::from(attributes));
            return Some((tag, is_empty, after));
        }
        let (key, value) = rest.split_once('=')?;
        let quote = value.chars().next().filter(|c| "'\"".contains(*c))?;
        let (value, after) = value[1..].split_once(quote)?;
        attributes.insert(key.to_owned().into(), unescaped(value).into());
        rest = after;
    }
}

/// Text without the escapes of markup.
fn unescaped(text: &str) -> String {
    let mut parts = text.split('&');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, after) = part.split_once(';').unwrap_or(("amp", part));
        plain.push(match name {
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" | "#39" => '\'',
            _ => '&',
        });
        plain += after;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As markup, without what the virtual DOM makes of lists.
    fn markup(html: &Html) -> String {
        match html {
            Html::VText(text) => text.text.to_string(),
            Html::VList(list) => list.iter().map(markup).collect(),
            Html::VTag(tag) => {
                let attributes = tag.attributes.iter();
                let attributes: String = attributes.map(|(k, v)| format!(" {k}='{v}'")).collect();
                let children = tag.children().map(markup).unwrap_or_default();
                format!("<{}{attributes}>{children}</>", tag.tag())
            }
            _ => String::new(),
        }
    }

    #[test]
    fn elements_have_their_attributes_text_and_children() {
        let drawn = drawing(
            "<figcaption>A</figcaption><svg role='img' aria-label=\"a > b\">\n<g><title>Q1 &lt; Q2 &amp; &#39;3&#39;</title>\n<line x1='1'/></g></svg>",
        );
        assert_eq!(
            markup(&drawn),
            "<figcaption>A</><svg role='img' aria-label='a > b'><g><title>Q1 < Q2 & '3'</><line x1='1'></></></>"
        );
    }

    #[test]
    fn what_is_no_markup_is_nothing() {
        for broken in [
            "<svg",
            "<svg>",
            "</svg>",
            "<svg a=b/>",
            "<svg a='b/>",
            "<svg a/>",
            "<",
        ] {
            assert!(elements(broken).is_none(), "{broken}");
        }
    }
}
