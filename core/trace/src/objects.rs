//! JSON objects as rows: of a table, whose columns are the keys of the first ones; and those of an
//! array that is a field of a document.

use super::report::DropReason;
use super::rows::{Elements, Fields, Kept, Row};
use super::sink::Sink;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Turns objects into rows with a cell per column.
pub(crate) struct Objects {
    keys: Vec<String>,
    row: Kept,
}

impl Objects {
    /// With these columns.
    pub(crate) fn new(keys: Vec<String>) -> Self {
        Self {
            keys,
            row: Kept::new(0),
        }
    }

    /// The object in a text as a row. What it does not tell, or tells as null, is an empty cell;
    /// lists and objects in it are their JSON.
    ///
    /// # Errors
    ///
    /// What is wrong, if it is no sound object.
    pub(crate) fn row(&mut self, line: u32, text: &str) -> Result<Row<'_>, String> {
        let object: Map<String, Value> = parse(text)?;
        self.row = Kept::new(line);
        for key in &self.keys {
            match object.get(key) {
                None | Some(Value::Null) => self.row.push(""),
                Some(Value::String(text)) => self.row.push(text),
                Some(other) => self.row.push(&other.to_string()),
            }
        }
        Ok(self.row.row())
    }
}

/// A value out of its JSON, or what is wrong with that. Where is told by its row.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| {
        let what = error.to_string();
        what.split(" at line ")
            .next()
            .unwrap_or_default()
            .to_owned()
    })
}

/// Reads a row, or tells why it is left out.
pub(crate) type ReadRow<'a> =
    &'a mut dyn FnMut(&Row<'_>, &mut Sink) -> Result<(), (DropReason, String)>;

/// Reads the elements of the array that is a field of the object in `text`.
pub(crate) fn rows_of_field(text: &str, field: &str, sink: &mut Sink, read: ReadRow<'_>) {
    let Some(array) = Fields::new(text).find(|found| found.key == field) else {
        return;
    };
    let mut elements = Elements::from_line(array.value, array.line);
    while let Some(row) = elements.next() {
        if !sink.count_row() {
            return;
        }
        if row.flaw.is_some() {
            let detail = || "the file ends here".to_owned();
            sink.drop(DropReason::RowTruncated, row.line, &detail);
        } else if let Err((reason, detail)) = read(&row, sink) {
            sink.drop(reason, row.line, &|| detail.clone());
        }
    }
}
