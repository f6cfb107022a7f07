//! From text to rows and from cells to values: what every byte of a trace goes through.
//!
//! A package of its own because it knows nothing of traces: applications read their tables with it
//! too.
//!
//! A [`Row`] is the one shape in which importers see every file: a line's number and its cells. A
//! delimited table gives one row per record ([`Table`]), a file of blank-separated words one per
//! line ([`Words`]), and JSON one per element of an array ([`Elements`]) or per line ([`Lines`]),
//! whose only cell is its text. Rows are handed out one at a time and borrow from the text, so reading costs no
//! allocation per row or cell; what is to outlive its text becomes a [`OwnedRow`]. [`number`], [`date`]
//! and [`span`] read cells.
//!
//! A text may come in parts. A reader is given what there is and whether that is all; it stops
//! before a row that may go on, and [`Reader`] carries its state over to the next part.

#![forbid(unsafe_code)]

mod elements;
mod lines;
mod owned_row;
mod reader;
mod table;
mod values;
mod words;

pub use elements::{Elements, Field, Fields, State};
pub use lines::Lines;
pub use owned_row::OwnedRow;
pub use reader::{Reader, Receiver};
pub use table::{Scratch, Table};
pub use values::{
    YearLast, date, date_year_last, decimal_comma, grouped, is_any_of, is_missing,
    minutes_and_seconds, number, span,
};
pub use words::{Words, WordsLine};

/// One row of a file.
#[derive(Clone, Copy, Debug)]
pub struct Row<'r> {
    /// The line it begins on, from 1.
    pub line: u32,
    /// Whether the row can be trusted.
    pub flaw: Option<Flaw>,
    /// Whether the file ends without ending this line.
    pub unterminated: bool,
    text: &'r str,
    cells: &'r [Cell],
}

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// More may follow.
    Some,
    /// It goes to the end.
    Last,
}

/// Why a row cannot be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// The file ends within it.
    Truncated,
    /// A quotation mark opens and never closes.
    Unclosed,
}

/// A cell's place in the text of its row, as byte offsets.
#[derive(Clone, Copy, Debug)]
struct Cell {
    start: u32,
    end: u32,
}

/// Cells beyond this many are not looked at: no format has as many, and a file that consists of
/// delimiters should not take a multiple of its size in memory.
const MAX_CELLS: usize = 4096;

#[allow(clippy::len_without_is_empty, reason = "a row has cells")]
impl<'r> Row<'r> {
    /// The text of cell `index`, from 0, without surrounding blanks; "" where the row is short.
    pub fn cell(&self, index: usize) -> &'r str {
        match self.cells.get(index) {
            Some(cell) => {
                let range = cell.start as usize..cell.end as usize;
                self.text.get(range).unwrap_or("").trim_ascii()
            }
            None => "",
        }
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// How many cells there are, without empty ones at the end.
    pub fn filled(&self) -> usize {
        (0..self.len())
            .rev()
            .find(|&i| !self.cell(i).is_empty())
            .map_or(0, |last| last + 1)
    }
}

/// What is left of a text, and the number of the line it begins on.
#[derive(Clone, Copy, Debug)]
struct Rest<'a> {
    text: &'a str,
    line: u32,
    part: Part,
}

/// One line of a text, without its end.
#[derive(Clone, Copy, Debug)]
struct TextLine<'a> {
    line: u32,
    unterminated: bool,
    text: &'a str,
}

impl<'a> TextLine<'a> {
    /// The row of these cells.
    fn row<'r>(self, cells: &'r [Cell]) -> Row<'r>
    where
        'a: 'r,
    {
        Row {
            line: self.line,
            flaw: None,
            unterminated: self.unterminated,
            text: self.text,
            cells,
        }
    }
}

impl<'a> Rest<'a> {
    fn new(text: &'a str, line: u32, part: Part) -> Self {
        Self { text, line, part }
    }

    /// Passes over empty lines.
    fn skip_blank_lines(&mut self) {
        let blank = self.text.bytes();
        let blank = blank.take_while(|b| matches!(b, b'\n' | b'\r')).count();
        if blank > 0 {
            self.advance(blank);
        }
    }

    /// Passes over the line that begins here; `None` at the end, and where it may go on.
    fn next_line(&mut self) -> Option<TextLine<'a>> {
        let (text, line) = (self.text, self.line);
        let end = match memchr::memchr(b'\n', text.as_bytes()) {
            Some(end) => end,
            None if text.is_empty() || self.part == Part::Some => return None,
            None => text.len(),
        };
        let (content, rest) = text.split_at_checked(end)?;
        self.text = rest.strip_prefix('\n').unwrap_or(rest);
        self.line = line.saturating_add(u32::from(!rest.is_empty()));
        Some(TextLine {
            line,
            unterminated: rest.is_empty(),
            text: match rest {
                "" => content,
                _ => content.strip_suffix('\r').unwrap_or(content),
            },
        })
    }

    /// Passes over `bytes` bytes, counting lines.
    fn advance(&mut self, bytes: usize) {
        let (passed, rest) = self.text.split_at_checked(bytes).unwrap_or((self.text, ""));
        let lines = memchr::memchr_iter(b'\n', passed.as_bytes()).count();
        self.line = self.line.saturating_add(lines as u32);
        self.text = rest;
    }
}
