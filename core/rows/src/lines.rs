//! The lines of a text, each a row with a single cell.

use super::{Cell, Part, Rest, Row};

/// Reads a text line by line, but for blank ones.
pub struct Lines<'a> {
    rest: Rest<'a>,
    cells: [Cell; 1],
}

impl<'a> Lines<'a> {
    /// Of a part that begins at a line.
    pub fn part(text: &'a str, line: u32, part: Part) -> Self {
        Self {
            rest: Rest::new(text, line, part),
            cells: [Cell { start: 0, end: 0 }],
        }
    }

    /// How many bytes are left, and the line they begin on.
    pub(crate) fn left(&self) -> (usize, u32) {
        (self.rest.text.len(), self.rest.line)
    }

    /// The next line that is not blank.
    #[allow(clippy::should_implement_trait, reason = "rows borrow from the reader")]
    pub fn next(&mut self) -> Option<Row<'_>> {
        let mut line = self.rest.next_line()?;
        while line.text.trim_ascii().is_empty() {
            line = self.rest.next_line()?;
        }
        let end = u32::try_from(line.text.len()).unwrap_or(0);
        self.cells = [Cell { start: 0, end }];
        Some(line.row(&self.cells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cells() {
        let mut lines = Lines::part(" {\"a\": 1} \r\n\n{2}", 1, Part::Last);
        let row = lines.next().expect("a line");
        assert_eq!((row.line, row.cell(0)), (1, "{\"a\": 1}"));
        let row = lines.next().expect("another");
        assert_eq!((row.line, row.unterminated, row.cell(0)), (3, true, "{2}"));
        assert!(lines.next().is_none());
    }

    #[test]
    fn a_line_that_may_go_on_is_left() {
        let mut lines = Lines::part("a\nb", 1, Part::Some);
        assert!(lines.next().is_some());
        assert!(lines.next().is_none());
        assert_eq!(lines.left(), (1, 2));
    }
}
