//! From bytes to text: byte-order marks, UTF-16, invalid sequences, line ends.
//!
//! Bytes may come in parts, cut anywhere.

/// Turns a file's bytes into UTF-8 without byte-order mark, whose lines end in `\n` or `\r\n`.
pub(crate) struct Decoder {
    encoding: Encoding,
    /// The beginning of a character whose end has not come, at most three bytes.
    pending: Vec<u8>,
    /// Whether lines end in `\r` alone, which becomes `\n`.
    pub(crate) old_line_ends: bool,
    /// Sequences that were no valid text; each stands as one `�`.
    pub(crate) invalid: u32,
}

#[derive(Clone, Copy)]
enum Encoding {
    Utf8,
    Utf16(fn([u8; 2]) -> u16),
}

/// How many bytes are looked at to tell text from binary data.
pub(crate) const LOOK: usize = 4096;

impl Decoder {
    /// A decoder for a file that begins with `head`, which is [`LOOK`] bytes or all there are,
    /// and how many of these are a byte-order mark. `None`: the file is binary.
    pub(crate) fn new(head: &[u8]) -> Option<(Self, usize)> {
        let (little, big) = (u16::from_le_bytes, u16::from_be_bytes);
        let (encoding, mark) = match head {
            [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8, 3),
            [0xFF, 0xFE, ..] => (Encoding::Utf16(little), 2),
            [0xFE, 0xFF, ..] => (Encoding::Utf16(big), 2),
            // Without a mark: in UTF-16, every other byte of plain Latin text is zero.
            [a, 0, b, 0, ..] if *a != 0 && *b != 0 => (Encoding::Utf16(little), 0),
            [0, a, 0, b, ..] if *a != 0 && *b != 0 => (Encoding::Utf16(big), 0),
            _ if memchr::memchr(0, head).is_some() => return None,
            _ => (Encoding::Utf8, 0),
        };
        let decoder = Self {
            encoding,
            pending: Vec::new(),
            old_line_ends: false,
            invalid: 0,
        };
        Some((decoder, mark))
    }

    /// Appends what `bytes` say to `text`. Returns where the first invalid sequence stands in
    /// `text`, if there is one.
    pub(crate) fn decode(&mut self, bytes: &[u8], text: &mut String) -> Option<usize> {
        let start = text.len();
        let invalid = match self.encoding {
            Encoding::Utf8 => self.utf8(bytes, text),
            Encoding::Utf16(unit) => self.utf16(bytes, unit, text),
        };
        self.mend_line_ends(start, text);
        invalid
    }

    /// After the last bytes.
    pub(crate) fn end(&mut self, text: &mut String) -> Option<usize> {
        if self.pending.is_empty() {
            return None;
        }
        self.pending.clear();
        Some(self.replace(text))
    }

    /// Replaces the carriage returns from `start` on, where they end lines.
    pub(crate) fn mend_line_ends(&self, start: usize, text: &mut String) {
        let new = text.get(start..).unwrap_or("");
        if self.old_line_ends && new.contains('\r') {
            let mended = new.replace('\r', "\n");
            text.truncate(start);
            text.push_str(&mended);
        }
    }

    fn utf8(&mut self, bytes: &[u8], text: &mut String) -> Option<usize> {
        let (mut first, mut rest) = (None, bytes);
        // A character was cut in two: complete it with the few bytes it can lack.
        while let (false, [byte, tail @ ..]) = (self.pending.is_empty(), rest) {
            let mut character = std::mem::take(&mut self.pending);
            character.push(*byte);
            rest = tail;
            first = first.or(self.utf8_part(&character, text));
        }
        first.or(self.utf8_part(rest, text))
    }

    fn utf8_part(&mut self, bytes: &[u8], text: &mut String) -> Option<usize> {
        if let Ok(valid) = std::str::from_utf8(bytes) {
            text.push_str(valid);
            return None;
        }
        let mut first = None;
        let mut left = bytes.len();
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            let invalid = chunk.invalid();
            left -= chunk.valid().len() + invalid.len();
            if left == 0 && may_go_on(invalid) {
                self.pending.extend_from_slice(invalid);
            } else if !invalid.is_empty() {
                let at = self.replace(text);
                first = first.or(Some(at));
            }
        }
        first
    }

    fn utf16(
        &mut self,
        bytes: &[u8],
        unit: fn([u8; 2]) -> u16,
        text: &mut String,
    ) -> Option<usize> {
        let joined = [std::mem::take(&mut self.pending).as_slice(), bytes].concat();
        let (mut pairs, odd) = joined.as_chunks::<2>();
        // Half of a character of two units waits for the other half.
        let mut open: &[u8] = &[];
        if let [whole @ .., last] = pairs
            && matches!(unit(*last), 0xD800..=0xDBFF)
        {
            (pairs, open) = (whole, last);
        }
        let mut first = None;
        for c in char::decode_utf16(pairs.iter().map(|&pair| unit(pair))) {
            match c {
                Ok(c) => text.push(c),
                Err(_) => {
                    let at = self.replace(text);
                    first = first.or(Some(at));
                }
            }
        }
        self.pending.extend_from_slice(open);
        self.pending.extend_from_slice(odd);
        first
    }

    /// Puts one `�`; returns where it stands.
    fn replace(&mut self, text: &mut String) -> usize {
        self.invalid = self.invalid.saturating_add(1);
        let at = text.len();
        text.push(char::REPLACEMENT_CHARACTER);
        at
    }
}

/// Whether bytes that are no character could become one with more after them.
fn may_go_on(bytes: &[u8]) -> bool {
    matches!(std::str::from_utf8(bytes), Err(error) if error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of parts of so many bytes, and how many sequences were invalid.
    fn decode(bytes: &[u8], length: usize) -> Option<(String, u32)> {
        let head = &bytes[..bytes.len().min(LOOK)];
        let (mut decoder, mark) = Decoder::new(head)?;
        let mut text = String::new();
        for part in bytes[mark..].chunks(length) {
            decoder.decode(part, &mut text);
        }
        decoder.end(&mut text);
        Some((text, decoder.invalid))
    }

    fn text(bytes: &[u8]) -> String {
        let whole = decode(bytes, 1 << 16).unwrap();
        for length in 1..8 {
            assert_eq!(decode(bytes, length), Some(whole.clone()));
        }
        whole.0
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
    fn characters_may_be_cut_anywhere() {
        assert_eq!(text("aé€𝄞z".as_bytes()), "aé€𝄞z");
        let units = "aé€𝄞z".encode_utf16().flat_map(u16::to_le_bytes);
        let bytes: Vec<u8> = [0xFF, 0xFE].into_iter().chain(units).collect();
        assert_eq!(text(&bytes), "aé€𝄞z");
    }

    #[test]
    fn invalid_sequences_are_counted() {
        let bytes = b"a\nb\xFFc\xC3\n";
        assert_eq!(text(bytes), "a\nb\u{FFFD}c\u{FFFD}\n");
        assert_eq!(decode(bytes, 3).unwrap().1, 2);
        let (mut decoder, _) = Decoder::new(bytes).unwrap();
        assert_eq!(decoder.decode(bytes, &mut String::new()), Some(3));
        // A lone surrogate and half a unit.
        let bytes = b"\xFF\xFEa\0\x00\xD8b\0c";
        assert_eq!(text(bytes), "a\u{FFFD}b\u{FFFD}");
        assert_eq!(decode(bytes, 100).unwrap().1, 2);
    }

    #[test]
    fn binary_is_no_text() {
        assert!(Decoder::new(b"\x01\x02\x00\x00\x00").is_none());
    }
}
