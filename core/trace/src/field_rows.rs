//! The elements of an array that is a field of a JSON document, as rows.

use super::report::DropReason;
use super::rows::{Elements, Fields, Row};
use super::sink::Sink;

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
