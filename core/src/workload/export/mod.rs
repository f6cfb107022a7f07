//! Workloads as text, one format per file: our own, SWF, and Tiresias' CSV.
//!
//! Each writes line by line, so that a million jobs need no copy in memory.
//!
//! Cells by hand: `csv` quotes neither `#`, which begins our settings, nor control characters.

mod experiment;
mod swf;
mod tiresias;

use crate::spreadsheet::guarded;

pub use experiment::experiment;
pub use swf::swf;
pub use tiresias::tiresias;

/// A cell of a table: in quotation marks where it needs them, line ends as blanks, and no formula
/// in a spreadsheet.
fn cell(text: &str) -> String {
    let line = text.replace(['\n', '\r'], " ");
    let text = guarded(line.trim());
    let plain = |c: char| !matches!(c, ',' | '"' | '\n' | '\r' | '#') && !c.is_control();
    if text.chars().all(plain) {
        return text.into_owned();
    }
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// The name of an index; "" where there is none.
fn name(names: &[String], index: Option<u32>) -> &str {
    let name = index.and_then(|index| names.get(index as usize));
    name.map_or("", String::as_str)
}
