//! Plain tables with a header: rows by the names of their columns, and errors that say where.

use thiserror::Error;

/// Why a table cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableError {
    /// It is no table.
    #[error("{file} is no table of comma-separated values: {why}")]
    Text {
        /// The file.
        file: String,
        /// Why not.
        why: String,
    },
    /// A column is missing.
    #[error("{file} has no column {column}: its header must name {needed}")]
    Column {
        /// The file.
        file: String,
        /// The column.
        column: &'static str,
        /// All that must be.
        needed: String,
    },
    /// A value that cannot be.
    #[error("{file}, line {line}: {column} is '{cell}', but must be {expected}")]
    Value {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// The column.
        column: &'static str,
        /// What stands there.
        cell: String,
        /// What should.
        expected: &'static str,
    },
    /// It has no rows.
    #[error("{file} has no rows: it needs one at least")]
    Empty {
        /// The file.
        file: String,
    },
}

/// A row of a table.
pub(crate) struct Row<'r, const N: usize> {
    file: &'r str,
    columns: [&'static str; N],
    places: [usize; N],
    record: &'r csv::StringRecord,
}

impl<const N: usize> Row<'_, N> {
    /// The cell of a column, by its place in the list asked for.
    pub(crate) fn cell(&self, at: usize) -> &str {
        self.record.get(self.places[at]).unwrap_or("").trim()
    }

    /// That this cell is not what it must be.
    pub(crate) fn refuse(&self, at: usize, expected: &'static str) -> TableError {
        TableError::Value {
            file: self.file.to_owned(),
            line: self.record.position().map_or(0, csv::Position::line),
            column: self.columns[at],
            cell: self.cell(at).chars().take(40).collect(),
            expected,
        }
    }

    /// A finite number of at least 0.
    pub(crate) fn number(&self, at: usize) -> Result<f64, TableError> {
        let number: Option<f64> = self.cell(at).parse().ok();
        let number = number.filter(|number| number.is_finite() && *number >= 0.0);
        number.ok_or_else(|| self.refuse(at, "a number of at least 0"))
    }

    /// A whole number of at least 1.
    pub(crate) fn count(&self, at: usize) -> Result<u32, TableError> {
        let most = 4_000_000.0;
        let number = self.cell(at).parse().ok();
        let number = number.filter(|n: &f64| *n >= 1.0 && *n <= most && libm::floor(*n) == *n);
        let number = number.ok_or_else(|| self.refuse(at, "a whole number from 1 to 4 million"));
        Ok(number? as u32)
    }
}

/// Reads the named columns of a table, row by row.
pub(crate) fn each_row<const N: usize>(
    file: &str,
    text: &str,
    columns: [&'static str; N],
    mut take: impl FnMut(&Row<'_, N>) -> Result<(), TableError>,
) -> Result<(), TableError> {
    let broken = |error: csv::Error| TableError::Text {
        file: file.to_owned(),
        why: error.to_string(),
    };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().map_err(broken)?.clone();
    let mut places = [0; N];
    for (place, column) in places.iter_mut().zip(columns) {
        let found = header.iter().position(|name| name.trim() == column);
        *place = found.ok_or_else(|| TableError::Column {
            file: file.to_owned(),
            column,
            needed: columns.join(", "),
        })?;
    }
    let mut rows = 0;
    for record in reader.records() {
        rows += 1;
        take(&Row {
            file,
            columns,
            places,
            record: &record.map_err(broken)?,
        })?;
    }
    match rows {
        0 => Err(TableError::Empty {
            file: file.to_owned(),
        }),
        _ => Ok(()),
    }
}
