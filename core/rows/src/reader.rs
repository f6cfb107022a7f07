//! Rows out of a text that comes in parts.

use super::elements::State;
use super::table::Scratch;
use super::{Elements, Lines, Part, Row, Table, Words, WordsLine};

/// Takes what a [`Reader`] finds.
pub trait Receiver {
    /// A row.
    fn row(&mut self, row: &Row<'_>);
    /// A comment line, without the character that marks it.
    fn comment(&mut self, text: &str);
}

/// A reader between two parts of its text.
pub enum Reader {
    /// A delimited table.
    Table(Option<Box<Scratch>>),
    /// Lines of words; comments begin with a semicolon.
    Words {
        /// The line that the next part begins on.
        line: u32,
    },
    /// Lines as they are.
    Lines {
        /// The line that the next part begins on.
        line: u32,
    },
    /// The elements of a JSON array.
    Elements {
        /// The line that the next part begins on.
        line: u32,
        /// How far the array has been read.
        state: State,
    },
}

impl Reader {
    /// Of a delimited table.
    pub fn table(delimiter: u8) -> Self {
        Self::table_from(delimiter, 1)
    }

    /// Of a delimited table whose first part begins on this line of its file.
    pub fn table_from(delimiter: u8, line: u32) -> Self {
        Self::Table(Some(Box::new(Scratch::new(delimiter, line))))
    }

    /// Of lines of words.
    pub fn words() -> Self {
        Self::Words { line: 1 }
    }

    /// Of lines as they are.
    pub fn lines() -> Self {
        Self::Lines { line: 1 }
    }

    /// Of the elements of a JSON array that begins on this line of its file.
    pub fn elements_from(line: u32) -> Self {
        Self::Elements {
            line,
            state: State::Before,
        }
    }

    /// The line that the next part begins on.
    pub fn line(&self) -> u32 {
        match self {
            Self::Table(scratch) => scratch.as_ref().map_or(1, |scratch| scratch.line()),
            Self::Words { line } | Self::Lines { line } | Self::Elements { line, .. } => *line,
        }
    }

    /// Hands every whole row of a part to `receiver`, in order. Returns how many bytes at its
    /// end are left over: the next part must begin with them.
    pub fn read(&mut self, text: &str, part: Part, receiver: &mut dyn Receiver) -> usize {
        match self {
            Self::Table(scratch) => {
                let Some(before) = scratch.take() else {
                    return 0;
                };
                let mut rows = Table::part(text, *before, part);
                while let Some(row) = rows.next() {
                    receiver.row(&row);
                }
                let (left, after) = rows.left();
                *scratch = Some(Box::new(after));
                left
            }
            Self::Words { line } => {
                let mut rows = Words::part(text, ';', *line, part);
                while let Some(found) = rows.next() {
                    match found {
                        WordsLine::Row(row) => receiver.row(&row),
                        WordsLine::Comment(text) => receiver.comment(text),
                    }
                }
                let left;
                (left, *line) = rows.left();
                left
            }
            Self::Lines { line } => {
                let mut rows = Lines::part(text, *line, part);
                while let Some(row) = rows.next() {
                    receiver.row(&row);
                }
                let left;
                (left, *line) = rows.left();
                left
            }
            Self::Elements { line, state } => {
                let mut rows = Elements::part(text, *state, *line, part);
                while let Some(row) = rows.next() {
                    receiver.row(&row);
                }
                let left;
                (left, *line, *state) = rows.left();
                left
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row as text, with its line.
    #[derive(Default, PartialEq, Debug)]
    struct Seen(Vec<(u32, Vec<String>)>);

    impl Receiver for Seen {
        fn row(&mut self, row: &Row<'_>) {
            let cells = (0..row.len()).map(|i| row.cell(i).to_owned());
            self.0.push((row.line, cells.collect()));
        }
        fn comment(&mut self, text: &str) {
            self.0.push((0, vec![text.to_owned()]));
        }
    }

    fn in_parts(mut reader: Reader, text: &str, length: usize) -> Seen {
        let mut seen = Seen::default();
        let mut held = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let cut = rest.ceil_char_boundary(length);
            held.push_str(&rest[..cut]);
            rest = &rest[cut..];
            let part = if rest.is_empty() {
                Part::Last
            } else {
                Part::Some
            };
            let left = reader.read(&held, part, &mut seen);
            held.drain(..held.len() - left);
        }
        seen
    }

    #[test]
    fn parts_make_no_difference() {
        let table = "id,\"a\nb\",c\r\n\n1,\"x \"\"y\"\"\nz\",3\n  \n\"q\"\n5,é,7\nlast,\"1\"";
        let words = "; Note: x\n\n 1\t2   é \r\n;\n3";
        let array = "\n [ {\"a\": [1, 2]},\n{\"b\": \"],\\\"\"}, 3 ]\n trailing";
        for length in 1..table.len() {
            let whole = in_parts(Reader::table(b','), table, table.len());
            assert_eq!(in_parts(Reader::table(b','), table, length), whole);
            let whole = in_parts(Reader::words(), words, words.len());
            assert_eq!(in_parts(Reader::words(), words, length), whole);
            let whole = in_parts(Reader::elements_from(1), array, array.len());
            assert_eq!(in_parts(Reader::elements_from(1), array, length), whole);
            let whole = in_parts(Reader::lines(), words, words.len());
            assert_eq!(in_parts(Reader::lines(), words, length), whole);
        }
    }
}
