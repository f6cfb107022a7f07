//! Delimited tables: commas, semicolons, tabs or pipes, with quoted cells.

use super::{Cell, Flaw, MAX_CELLS, Part, Rest, Row};
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// The longest quoted row in bytes: a quotation mark that is still open after that many was
/// never meant to open.
const MAX_QUOTED_ROW: usize = 1 << 18;

/// How often a row is tried again without its stray quotation mark. Each try may look at
/// [`MAX_QUOTED_ROW`] bytes; after so many the file is not worth the time, and every further
/// row with a quotation mark is given up at once.
const MAX_STRAY_QUOTES: u32 = 64;

/// Reads a table row by row. Blank lines are passed over, rows may have any number of cells.
///
/// Lines without a quotation mark, which are almost all, are split in place; the others go
/// through the `csv-core` state machine.
pub struct Table<'a> {
    rest: Rest<'a>,
    scratch: Scratch,
}

/// What a table carries from one part of its text to the next.
pub struct Scratch {
    delimiter: u8,
    /// The line that the next part begins on.
    line: u32,
    cells: Vec<Cell>,
    /// Built when the first quotation mark is met; most tables have none.
    quoted: Option<Reader>,
    /// The unquoted text of a row with quotation marks, and the ends of its cells in it.
    unquoted: Vec<u8>,
    ends: Vec<usize>,
    stray_quotes: u32,
}

impl Scratch {
    pub(crate) fn new(delimiter: u8, line: u32) -> Self {
        Self {
            delimiter,
            line,
            cells: Vec::new(),
            quoted: None,
            unquoted: Vec::new(),
            ends: Vec::new(),
            stray_quotes: 0,
        }
    }

    pub(crate) fn line(&self) -> u32 {
        self.line
    }

    /// Cuts the line that `bytes` begin with into cells, up to its end or the first quotation
    /// mark. Looks at eight bytes at once, of which most are of no interest.
    fn split(&mut self, bytes: &[u8]) -> End {
        self.cells.clear();
        let mut start = 0;
        let (words, rest) = bytes.as_chunks::<8>();
        for (index, word) in words.iter().enumerate() {
            let eight = u64::from_le_bytes(*word);
            let mut hits = equal(eight, self.delimiter) | equal(eight, b'\n') | equal(eight, b'"');
            while hits != 0 {
                let within = (hits.trailing_zeros() / 8) as usize;
                let at = index * 8 + within;
                match word.get(within) {
                    Some(b'\n') => return self.end(start, at, End::Line(at)),
                    Some(b'"') => return End::Quote,
                    _ => start = self.cell(start, at),
                }
                hits &= hits - 1;
            }
        }
        let before = words.len() * 8;
        for (at, &byte) in (before..).zip(rest) {
            match byte {
                b'\n' => return self.end(start, at, End::Line(at)),
                b'"' => return End::Quote,
                _ if byte == self.delimiter => start = self.cell(start, at),
                _ => {}
            }
        }
        self.end(start, bytes.len(), End::Text)
    }

    /// The same of a line whose quotation marks mean nothing.
    fn split_plainly(&mut self, line: &[u8]) {
        self.cells.clear();
        let mut start = 0;
        for (at, &byte) in line.iter().enumerate() {
            if byte == self.delimiter {
                start = self.cell(start, at);
            }
        }
        self.end(start, line.len(), End::Text);
    }

    /// Ends a cell; returns where the next one starts.
    #[inline]
    fn cell(&mut self, start: u32, at: usize) -> u32 {
        let end = at as u32;
        if self.cells.len() < MAX_CELLS {
            self.cells.push(Cell { start, end });
        }
        end + 1
    }

    /// Ends the last cell.
    #[inline]
    fn end(&mut self, start: u32, at: usize, end: End) -> End {
        self.cell(start, at);
        end
    }
}

/// What a line ended with.
#[derive(Clone, Copy)]
enum End {
    /// A line end, at so many bytes.
    Line(usize),
    /// A quotation mark.
    Quote,
    /// The text.
    Text,
}

/// The highest bit of each of eight bytes that equals `byte`.
#[inline]
fn equal(eight: u64, byte: u8) -> u64 {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let differ = eight ^ (u64::from(byte) * 0x0101_0101_0101_0101);
    !(((differ & LOW) + LOW) | differ | LOW)
}

/// What trying to unquote a row gave.
enum Unquoted {
    /// It is whole, and so many bytes long.
    Row(usize),
    /// A quotation mark is never closed.
    Stray,
    /// It may go on beyond this part.
    Incomplete,
}

impl<'a> Table<'a> {
    /// The rows of a whole table.
    pub fn new(text: &'a str, delimiter: u8) -> Self {
        Self::part(text, Scratch::new(delimiter, 1), Part::Last)
    }

    /// The same of a part that begins at a row.
    pub fn part(text: &'a str, scratch: Scratch, part: Part) -> Self {
        Self {
            rest: Rest::new(text, scratch.line, part),
            scratch,
        }
    }

    /// How many bytes are left, and what the next part needs.
    pub(crate) fn left(mut self) -> (usize, Scratch) {
        self.scratch.line = self.rest.line;
        (self.rest.text.len(), self.scratch)
    }

    /// The next row.
    #[allow(clippy::should_implement_trait, reason = "rows borrow from the reader")]
    pub fn next(&mut self) -> Option<Row<'_>> {
        loop {
            self.rest.skip_blank_lines();
            let (end, terminated) = match self.scratch.split(self.rest.text.as_bytes()) {
                End::Quote => return self.quoted_row(),
                End::Text if self.rest.part == Part::Some => return None,
                End::Text => (self.rest.text.len(), false),
                End::Line(end) => (end, true),
            };
            let (line, rest) = self.rest.text.split_at_checked(end)?;
            if line.is_empty() {
                return None;
            }
            let number = self.rest.line;
            self.rest.text = rest.strip_prefix('\n').unwrap_or("");
            self.rest.line = number.saturating_add(u32::from(terminated));
            if line.trim_ascii().is_empty() {
                continue;
            }
            return Some(Row {
                line: number,
                flaw: None,
                unterminated: !terminated,
                text: line,
                cells: &self.scratch.cells,
            });
        }
    }

    /// A row with quotation marks, which may span several lines.
    fn quoted_row(&mut self) -> Option<Row<'_>> {
        let number = self.rest.line;
        let unquoted = if self.scratch.stray_quotes < MAX_STRAY_QUOTES {
            self.unquote()
        } else {
            Unquoted::Stray
        };
        let consumed = match unquoted {
            Unquoted::Row(consumed) => consumed,
            Unquoted::Incomplete => return None,
            Unquoted::Stray => {
                // Give up this line alone and go on with the next.
                let line = self.rest.next_line()?;
                self.scratch.stray_quotes += 1;
                self.scratch.split_plainly(line.text.as_bytes());
                let flaw = if line.unterminated {
                    Flaw::Truncated
                } else {
                    Flaw::Unclosed
                };
                return Some(Row {
                    flaw: Some(flaw),
                    ..line.row(&self.scratch.cells)
                });
            }
        };
        let at_end = consumed == self.rest.text.len();
        let terminated = self.rest.text.ends_with(['\n', '\r']);
        let unterminated = at_end && !terminated;
        self.rest.advance(consumed);
        let scratch = &mut self.scratch;
        scratch.cells.clear();
        let mut start = 0;
        for &end in scratch.ends.iter().take(MAX_CELLS) {
            let end = end as u32;
            scratch.cells.push(Cell { start, end });
            start = end;
        }
        Some(Row {
            line: number,
            flaw: None,
            unterminated,
            text: std::str::from_utf8(&scratch.unquoted).unwrap_or(""),
            cells: &scratch.cells,
        })
    }

    /// Unquotes the row that begins here.
    fn unquote(&mut self) -> Unquoted {
        let all = self.rest.text.as_bytes();
        let window = all.get(..MAX_QUOTED_ROW).unwrap_or(all);
        let more = window.len() < MAX_QUOTED_ROW && self.rest.part == Part::Some;
        let scratch = &mut self.scratch;
        let delimiter = scratch.delimiter;
        let build = || ReaderBuilder::new().delimiter(delimiter).build();
        let quoted = scratch.quoted.get_or_insert_with(build);
        quoted.reset();
        let (mut read, mut written, mut cells) = (0, 0, 0);
        // When the window is used up, a line end shows whether a quotation mark is still open:
        // if so, the line end becomes part of the cell instead of ending the row.
        let mut closing: &[u8] = b"\n";
        loop {
            if scratch.unquoted.len() < written + 256 {
                scratch.unquoted.resize((written + 256) * 2, 0);
            }
            if scratch.ends.len() < cells + 16 {
                scratch.ends.resize((cells + 16) * 2, 0);
            }
            let within = read < window.len();
            if !within && more {
                return Unquoted::Incomplete;
            }
            let input = if within {
                window.get(read..).unwrap_or(&[])
            } else {
                closing
            };
            let text = scratch.unquoted.get_mut(written..).unwrap_or_default();
            let ends = scratch.ends.get_mut(cells..).unwrap_or_default();
            let (result, consumed, output, ended) = quoted.read_record(input, text, ends);
            if within {
                read += consumed;
            } else {
                closing = closing.get(consumed..).unwrap_or(&[]);
            }
            written += output;
            cells += ended;
            match result {
                ReadRecordResult::Record => break,
                ReadRecordResult::End => return Unquoted::Stray,
                ReadRecordResult::InputEmpty if more => return Unquoted::Incomplete,
                ReadRecordResult::InputEmpty if !within => return Unquoted::Stray,
                ReadRecordResult::InputEmpty if window.len() < all.len() => {
                    return Unquoted::Stray;
                }
                _ => {}
            }
        }
        scratch.unquoted.truncate(written);
        scratch.ends.truncate(cells);
        Unquoted::Row(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, delimiter: u8) -> Vec<(u32, Vec<String>)> {
        let mut table = Table::new(text, delimiter);
        let mut rows = Vec::new();
        while let Some(row) = table.next() {
            let cells = (0..row.len()).map(|i| row.cell(i).to_owned());
            rows.push((row.line, cells.collect()));
        }
        rows
    }

    fn row(line: u32, cells: &[&str]) -> (u32, Vec<String>) {
        (line, cells.iter().map(|&c| c.to_owned()).collect())
    }

    #[test]
    fn plain_lines() {
        let text = "a, b,c\r\n\r\n1,,3\n  \n,\nlast";
        let expected = [
            row(1, &["a", "b", "c"]),
            row(3, &["1", "", "3"]),
            row(5, &["", ""]),
            row(6, &["last"]),
        ];
        assert_eq!(rows(text, b','), expected);
    }

    #[test]
    fn quoted_cells_may_hold_anything() {
        let text =
            "id,\"a \"\"b\"\"\",c\r\n\"x\ny, z\",{},\"{\"\"k\"\": 1}\"\r\n\r\n5,6,7\r\n\"8\",9";
        let expected = [
            row(1, &["id", "a \"b\"", "c"]),
            row(2, &["x\ny, z", "{}", "{\"k\": 1}"]),
            row(5, &["5", "6", "7"]),
            row(6, &["8", "9"]),
        ];
        assert_eq!(rows(text, b','), expected);
    }

    #[test]
    fn a_stray_quotation_mark_costs_one_row() {
        let text = "a,b\n1,\"2\n3,4\n5,6\n";
        let mut table = Table::new(text, b',');
        let mut seen = Vec::new();
        while let Some(row) = table.next() {
            seen.push((row.line, row.flaw, row.len()));
        }
        let unclosed = Some(Flaw::Unclosed);
        assert_eq!(
            seen,
            [(1, None, 2), (2, unclosed, 2), (3, None, 2), (4, None, 2)]
        );
    }

    #[test]
    fn a_file_that_ends_within_quotes_is_truncated() {
        let mut table = Table::new("a,b\n1,\"2", b',');
        assert_eq!(table.next().unwrap().flaw, None);
        let row = table.next().unwrap();
        assert_eq!((row.flaw, row.unterminated), (Some(Flaw::Truncated), true));
        assert!(table.next().is_none());
    }

    #[test]
    fn very_many_stray_quotation_marks_stay_linear() {
        let text = "\"b\"x\"y,\"c\n".repeat(200_000);
        assert_eq!(rows(&text, b',').len(), 200_000);
    }

    #[test]
    fn long_quoted_rows() {
        let cell = "x".repeat(100_000);
        let many = "\"q\",".repeat(5000);
        let text = format!("\"{cell}\",1\n{many}2\n");
        let rows = rows(&text, b',');
        assert_eq!(rows[0].1, [cell, "1".to_owned()]);
        assert_eq!(rows[1].1.len(), MAX_CELLS);
    }

    #[test]
    fn cells_beyond_the_limit_are_not_looked_at() {
        let text = format!("{}\n1,2\n", ",".repeat(100_000));
        let rows = rows(&text, b',');
        assert_eq!(rows[0].1.len(), MAX_CELLS);
        assert_eq!(rows[1], row(2, &["1", "2"]));
    }
}
