//! From bytes to text: byte-order marks, UTF-16, invalid sequences, line ends.

use std::borrow::Cow;

/// A file's text and what had to be mended to get it.
pub(crate) struct Text<'a> {
    /// UTF-8 without byte-order mark. Lines end in `\n` or `\r\n`.
    pub(crate) text: Cow<'a, str>,
    /// Sequences that were no valid text; each stands as one `�`.
    pub(crate) invalid: u32,
    /// The line of the first of them, from 1.
    pub(crate) first_invalid: u32,
}

/// How many bytes are looked at to tell text from binary data.
const LOOK: usize = 4096;

/// Decodes a file. `None`: it is binary.
pub(crate) fn decode(bytes: &[u8]) -> Option<Text<'_>> {
    let mut decoded = match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        // Without a mark: in UTF-16, every other byte of plain Latin text is zero.
        [a, 0, b, 0, ..] if *a != 0 && *b != 0 => utf16(bytes, u16::from_le_bytes),
        [0, a, 0, b, ..] if *a != 0 && *b != 0 => utf16(bytes, u16::from_be_bytes),
        _ if bytes.iter().take(LOOK).any(|&b| b == 0) => return None,
        _ => utf8(bytes),
    };
    // Line ends of old: only carriage returns.
    let text = &decoded.text;
    if memchr::memchr(b'\n', text.as_bytes()).is_none() && text.trim_end().contains('\r') {
        decoded.text = Cow::Owned(text.replace('\r', "\n"));
    }
    Some(decoded)
}

fn utf8(bytes: &[u8]) -> Text<'_> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return sound(Cow::Borrowed(text));
    }
    let mut text = String::with_capacity(bytes.len());
    let (mut invalid, mut first_invalid) = (0u32, 0);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            if invalid == 0 {
                first_invalid = line_of(&text);
            }
            invalid = invalid.saturating_add(1);
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    Text {
        text: Cow::Owned(text),
        invalid,
        first_invalid,
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Text<'static> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len() / 2);
    let (mut invalid, mut first_invalid) = (0u32, 0);
    let units = pairs.iter().map(|&pair| unit(pair));
    let ends_within = (!odd.is_empty()).then_some(char::REPLACEMENT_CHARACTER);
    let decoded = char::decode_utf16(units).map(Result::ok);
    for c in decoded.chain(ends_within.map(|_| None)) {
        if c.is_none() {
            if invalid == 0 {
                first_invalid = line_of(&text);
            }
            invalid = invalid.saturating_add(1);
        }
        text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    Text {
        text: Cow::Owned(text),
        invalid,
        first_invalid,
    }
}

fn sound(text: Cow<'_, str>) -> Text<'_> {
    Text {
        text,
        invalid: 0,
        first_invalid: 0,
    }
}

fn line_of(before: &str) -> u32 {
    let lines = memchr::memchr_iter(b'\n', before.as_bytes()).count();
    u32::try_from(lines).unwrap_or(u32::MAX).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        decode(bytes).unwrap().text.into_owned()
    }

    #[test]
    fn marks_are_removed() {
        assert_eq!(text(b"\xEF\xBB\xBFa,b\n"), "a,b\n");
        assert_eq!(text(b"\xFF\xFEa\0,\0\xE9\0"), "a,é");
        assert_eq!(text(b"\xFE\xFF\0a\0,\0\xE9"), "a,é");
        assert_eq!(text(b"a\0,\0b\0"), "a,b");
        assert_eq!(text(b"\0a\0,\0b"), "a,b");
        assert_eq!(text(b""), "");
    }

    #[test]
    fn invalid_sequences_are_counted() {
        let decoded = decode(b"a\nb\xFFc\xC3\n").unwrap();
        assert_eq!(decoded.text, "a\nb\u{FFFD}c\u{FFFD}\n");
        assert_eq!((decoded.invalid, decoded.first_invalid), (2, 2));
        // A lone surrogate and half a unit.
        let decoded = decode(b"\xFF\xFEa\0\x00\xD8b\0c").unwrap();
        assert_eq!(decoded.text, "a\u{FFFD}b\u{FFFD}");
        assert_eq!(decoded.invalid, 2);
    }

    #[test]
    fn binary_is_no_text() {
        assert!(decode(b"\x01\x02\x00\x00\x00").is_none());
    }

    #[test]
    fn lone_carriage_returns_end_lines() {
        assert_eq!(text(b"a,b\r1,2\r"), "a,b\n1,2\n");
        assert_eq!(text(b"a,b\r\n1,2\r\n"), "a,b\r\n1,2\r\n");
    }
}
