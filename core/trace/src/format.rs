//! What a format is: how a file is told to be of it, and what turns its rows into records.

use super::error::OpenError;
use super::mapping::ColumnMapping;
use super::rows::Row;
use super::sink::Sink;
use super::sniff::{Evidence, Sniff};

/// Makes an importer for a text that begins as told; the mapping is for tables that are of no
/// other format.
pub(crate) type MakeImporter =
    fn(&Sniff<'_>, Option<&ColumnMapping>) -> Result<Box<dyn Importer>, OpenError>;

/// One format of trace.
pub(crate) struct Format {
    /// A stable name, such as `ms-itp`.
    pub(crate) id: &'static str,
    /// What people call it.
    pub(crate) title: &'static str,
    /// Whether it is a cluster's own log, as its scheduler keeps or prints it: whoever opens one wants to see
    /// what happened there.
    pub(crate) accounting: bool,
    /// What speaks for a file being of this format; `None`: it is not.
    pub(crate) recognise: fn(&Sniff<'_>) -> Option<Evidence>,
    /// An importer for a file that was recognised.
    pub(crate) importer: MakeImporter,
}

/// Turns the rows of one file into records.
pub(crate) trait Importer {
    /// Keeps or drops one row. Headers, comments, blank lines and rows with a flaw do not come
    /// here.
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink);

    /// Whether it reads the elements of a JSON array itself, as the only cell of a row. Other
    /// importers get a cell for each of the columns.
    fn reads_json(&self) -> bool {
        false
    }

    /// Whether rows may have more cells than there are columns: it puts together what was cut.
    fn joins_cells(&self) -> bool {
        false
    }

    /// Reads a JSON object as a whole, in place of rows.
    fn document(&mut self, _text: &str, _sink: &mut Sink) {}

    /// Looks at a comment line, without the character that marks it.
    fn comment(&mut self, _text: &str) {}

    /// After the last row.
    fn finish(&mut self, _sink: &mut Sink) {}

    /// How times and GPU counts were read: a sentence. Asked after [`finish`](Self::finish).
    fn units(&self) -> String;

    /// Whether rows have ids of their own, so that equal ones deserve a warning.
    fn named(&self) -> bool;
}
