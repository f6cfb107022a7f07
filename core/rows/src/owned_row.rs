//! A row that owns its text: one put aside until more is known, or made of cells.

use super::{Cell, Row};

/// A row that owns its text.
#[derive(Clone, Debug)]
pub struct OwnedRow {
    line: u32,
    text: String,
    cells: Vec<Cell>,
}

impl OwnedRow {
    /// A row without cells that begins on a line.
    pub fn new(line: u32) -> Self {
        Self {
            line,
            text: String::new(),
            cells: Vec::new(),
        }
    }

    /// Adds a cell.
    pub fn push(&mut self, cell: &str) {
        let start = self.text.len() as u32;
        self.text.push_str(cell);
        let end = self.text.len() as u32;
        self.cells.push(Cell { start, end });
    }

    /// The row.
    pub fn row(&self) -> Row<'_> {
        Row {
            line: self.line,
            flaw: None,
            unterminated: false,
            text: &self.text,
            cells: &self.cells,
        }
    }
}

impl Row<'_> {
    /// The same row with a text of its own.
    pub fn keep(&self) -> OwnedRow {
        let mut kept = OwnedRow::new(self.line);
        (0..self.len()).for_each(|i| kept.push(self.cell(i)));
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stay_as_they_are() {
        let mut kept = OwnedRow::new(7);
        ["a", "", "é, b"].iter().for_each(|cell| kept.push(cell));
        let again = kept.row().keep();
        let row = again.row();
        assert_eq!((row.line, row.len()), (7, 3));
        assert_eq!([0, 1, 2, 3].map(|i| row.cell(i)), ["a", "", "é, b", ""]);
    }
}
