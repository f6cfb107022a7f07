//! Lines of words separated by blanks, with comment lines.

use super::{Cell, MAX_CELLS, Part, Rest, Row};

/// Reads a text line by line; each word is a cell.
pub struct Words<'a> {
    rest: Rest<'a>,
    comment: char,
    cells: Vec<Cell>,
}

/// What a line is.
pub enum WordsLine<'r> {
    /// A row of words.
    Row(Row<'r>),
    /// A comment, without the character that marks it.
    Comment(&'r str),
}

impl<'a> Words<'a> {
    /// Lines that begin with `comment` are comments.
    #[cfg(test)]
    pub(crate) fn new(text: &'a str, comment: char) -> Self {
        Self::part(text, comment, 1, Part::Last)
    }

    /// The same of a part that begins at a line.
    pub fn part(text: &'a str, comment: char, line: u32, part: Part) -> Self {
        Self {
            rest: Rest::new(text, line, part),
            comment,
            cells: Vec::new(),
        }
    }

    /// How many bytes are left, and the line they begin on.
    pub(crate) fn left(&self) -> (usize, u32) {
        (self.rest.text.len(), self.rest.line)
    }

    /// The next line that is not blank.
    #[allow(clippy::should_implement_trait, reason = "rows borrow from the reader")]
    pub fn next(&mut self) -> Option<WordsLine<'_>> {
        loop {
            let line = self.rest.next_line()?;
            if let Some(comment) = line.text.trim_ascii_start().strip_prefix(self.comment) {
                return Some(WordsLine::Comment(comment));
            }
            if line.text.trim_ascii().is_empty() {
                continue;
            }
            self.cells.clear();
            let mut start = None;
            for (at, byte) in line.text.bytes().chain([b' ']).enumerate() {
                match (byte.is_ascii_whitespace(), start) {
                    (false, None) => start = Some(at as u32),
                    (true, Some(from)) => {
                        let end = at as u32;
                        self.cells.push(Cell { start: from, end });
                        start = None;
                        if self.cells.len() == MAX_CELLS {
                            break;
                        }
                    }
                    _ => {}
                }
            }
            return Some(WordsLine::Row(line.row(&self.cells)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_comments() {
        let mut words = Words::new("; Note: x\n\n  1\t2   é \r\n;\n3", ';');
        assert!(matches!(words.next(), Some(WordsLine::Comment(" Note: x"))));
        let Some(WordsLine::Row(row)) = words.next() else {
            panic!()
        };
        assert_eq!((row.line, row.len(), row.cell(2)), (3, 3, "é"));
        assert!(matches!(words.next(), Some(WordsLine::Comment(""))));
        let Some(WordsLine::Row(row)) = words.next() else {
            panic!()
        };
        assert_eq!((row.line, row.unterminated), (5, true));
        assert!(words.next().is_none());
    }
}
