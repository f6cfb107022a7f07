//! What is shown to people: names and cells of files may hold escape sequences, with which a
//! terminal can be made to hide, overwrite or send text. They are shown, not obeyed.

use std::borrow::Cow;

/// The text with control characters as their pictures, line ends and tabs excepted; controls
/// without a picture, and those that turn the direction of writing, as \u{FFFD}.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| picture(c) == c) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(picture).collect())
}

/// The same of what stands within a line: its line ends and tabs are no layout of ours.
pub(crate) fn within_line(text: &str) -> String {
    let picture = |c| match c {
        '\n' => '␊',
        '\t' => '␉',
        c => picture(c),
    };
    text.chars().map(picture).collect()
}

fn picture(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\0'..='\x1F' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{FFFD}'),
        '\x7F' => '\u{2421}',
        '\u{80}'..='\u{9F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => '\u{FFFD}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_shown() {
        assert_eq!(shown("a\tb\né"), "a\tb\né");
        assert_eq!(shown("\x1b[2Jjob\x07\r"), "␛[2Jjob␇␍");
        assert_eq!(within_line("a\tb\n\x1b"), "a␉b␊␛");
        assert_eq!(shown("\u{9b}2J\x7f\u{202e}x"), "\u{FFFD}2J␡\u{FFFD}x");
    }
}
