//! How wide text is, and what of it fits.
//!
//! The canvas measures each character once in each size, since some browsers round to whole pixels;
//! after that widths are sums, so that fitting a label costs no call to the browser. (Kerning, which
//! is left out, only makes text narrower.)

/// Small text: labels of things that are many.
pub(crate) const SMALL: f64 = 11.0;
/// Text.
pub(crate) const NORMAL: f64 = 12.0;
/// The height that a line of small text needs.
pub(crate) const TEXT_ROW: f64 = 13.0;
pub(crate) use switchyard_charts::TYPEFACE;

/// Widths of characters, in device pixels.
#[derive(Debug, Default)]
pub(crate) struct Widths {
    /// By size, in device pixels too, and character.
    known: Vec<((f64, char), f64)>,
}

impl Widths {
    fn one(&mut self, size: f64, c: char, measure: &mut impl FnMut(char) -> f64) -> f64 {
        let is_before = |known: &((f64, char), f64)| known.0 < (size, c);
        let at = self.known.partition_point(is_before);
        match self.known.get(at) {
            Some(&(known, width)) if known == (size, c) => width,
            _ => {
                let width = measure(c);
                self.known.insert(at, ((size, c), width));
                width
            }
        }
    }

    /// The width of `text`; `measure` is asked for the width of a character not seen yet.
    pub(crate) fn of(
        &mut self,
        size: f64,
        text: &str,
        mut measure: impl FnMut(char) -> f64,
    ) -> f64 {
        text.chars().map(|c| self.one(size, c, &mut measure)).sum()
    }

    /// How many bytes of `text` fit into `room` with an ellipsis after them; all of them if no
    /// ellipsis is needed, `None` if not even one character is left.
    pub(crate) fn fit(
        &mut self,
        size: f64,
        text: &str,
        room: f64,
        mut measure: impl FnMut(char) -> f64,
    ) -> Option<usize> {
        if self.of(size, text, &mut measure) <= room {
            return Some(text.len());
        }
        let mut left = room - self.of(size, "…", &mut measure);
        let mut end = 0;
        for (at, c) in text.char_indices() {
            left -= self.one(size, c, &mut measure);
            if left < 0.0 {
                break;
            }
            end = at + c.len_utf8();
        }
        (end > 0).then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_whole_text_or_as_much_as_leaves_room_for_the_ellipsis() {
        let mut widths = Widths::default();
        let one = |_: char| 1.0;
        assert_eq!(widths.of(11.0, "späne", one), 5.0);
        assert_eq!(widths.fit(11.0, "späne", 5.0, one), Some(6));
        assert_eq!(widths.fit(11.0, "späne", 4.0, one), Some(4));
        assert_eq!(widths.fit(11.0, "späne", 2.0, one), Some(1));
        assert_eq!(widths.fit(11.0, "späne", 1.5, one), None);
        assert_eq!(widths.fit(11.0, "", 0.0, one), Some(0));
    }

    #[test]
    fn a_character_is_measured_once_in_each_size() {
        let mut widths = Widths::default();
        assert_eq!(widths.of(11.0, "aa", |_| 7.0), 14.0);
        assert_eq!(widths.of(100.0, "aa", |_| 61.0), 122.0);
        assert_eq!(widths.of(11.0, "aa", |_| 0.0), 14.0);
    }
}
