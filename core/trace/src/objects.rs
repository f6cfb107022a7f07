//! JSON objects as rows of a table, whose columns are the keys of the first ones.

use super::rows::{OwnedRow, Row};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Turns objects into rows with a cell per column.
pub(crate) struct Objects {
    keys: Vec<String>,
    row: OwnedRow,
}

impl Objects {
    /// With these columns.
    pub(crate) fn new(keys: Vec<String>) -> Self {
        Self {
            keys,
            row: OwnedRow::new(0),
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
        self.row = OwnedRow::new(line);
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
