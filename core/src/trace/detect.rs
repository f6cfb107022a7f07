//! What a text is: its shape, its header, and the format they belong to.
//!
//! In order: JSON, SWF, else a delimited table. A table's header is compared as a set of names
//! in lower case, blanks removed, unnamed columns dropped, and the most specific signature
//! wins. A table without a header goes by the number of columns and their content.

use super::error::OpenError;
use super::formats::{FORMATS, Format};
use super::rows::{Elements, Line, Row, Table, Words, keys};
use super::timestamp::{date, number};
use super::{cluster_file, known};

/// The beginning of a text, as formats see it to tell whether it is theirs.
pub(crate) struct Sniff<'a> {
    /// The file's name, for messages.
    pub(crate) file: &'a str,
    /// The whole text.
    pub(crate) text: &'a str,
    pub(crate) shape: Shape,
    /// The named columns of a table, or the keys of a JSON array's first element.
    pub(crate) columns: Vec<Column>,
    /// The header's line, from 1.
    pub(crate) header_line: u32,
    /// How many cells a row must have to fill every named column; 0 where that is not known.
    pub(crate) width: usize,
    /// The first rows below the header, at most [`PREVIEW`].
    pub(crate) preview: Vec<Vec<String>>,
}

/// How a text is cut into rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A delimited table, with or without a header row.
    Table {
        /// What separates cells.
        delimiter: u8,
        /// Whether the first row names the columns.
        header: bool,
    },
    /// Standard Workload Format: numbers separated by blanks, `;` comments.
    Swf,
    /// A JSON array.
    JsonArray,
}

/// A named column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// Lower case, without blanks around it.
    pub(crate) name: String,
    /// As it stands in the file.
    pub(crate) shown: String,
    /// Its place in a row, from 0.
    pub(crate) index: usize,
}

/// How many rows a format may look at before it says whether a file is its own.
const PREVIEW: usize = 4;

/// What a text turned out to be.
pub(crate) enum Found<'a> {
    /// A job trace, and how it was recognised.
    Trace(&'static Format, String, Sniff<'a>),
    /// A cluster description.
    Cluster(Sniff<'a>),
}

/// Tells what a text is, or why it can be neither trace nor cluster.
pub(crate) fn detect<'a>(file: &'a str, text: &'a str) -> Result<Found<'a>, OpenError> {
    let sniff = sniff(file, text)?;
    if cluster_file::is_cluster(&sniff) {
        return Ok(Found::Cluster(sniff));
    }
    if let Some(refusal) = known::refuse(&sniff) {
        return Err(refusal);
    }
    let mut best: Option<(&'static Format, Evidence)> = None;
    for &format in FORMATS {
        if let Some(evidence) = (format.recognise)(&sniff)
            && best
                .as_ref()
                .is_none_or(|(_, b)| evidence.weight > b.weight)
        {
            best = Some((format, evidence));
        }
    }
    match best {
        Some((format, evidence)) => Ok(Found::Trace(format, evidence.text, sniff)),
        None => Err(not_a_trace(
            file,
            match sniff.shape {
                Shape::JsonArray => {
                    "its JSON objects are no jobs with submitted_time and attempts: convert it to CSV"
                }
                _ => {
                    "it has neither a header row nor the columns of a known format: add a header such as job_id,submit_time,duration,num_gpus"
                }
            },
        )),
    }
}

/// Why a format claims a file.
pub(crate) struct Evidence {
    /// How much speaks for it: the number of columns its signature names.
    pub(crate) weight: usize,
    /// The same in words.
    pub(crate) text: String,
}

impl Sniff<'_> {
    /// The column of a name given in lower case.
    // Asked a hundred times, but once per file: not worth a copy in each place.
    #[inline(never)]
    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name == name)
    }

    /// Whether every one of the columns is there.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.column(name).is_some())
    }

    /// The evidence of a signature: every one of the columns is there.
    pub(crate) fn with_columns(&self, names: &[&str]) -> Option<Evidence> {
        self.has(names).then(|| Evidence {
            weight: names.len(),
            text: format!("the header has the columns {}", names.join(", ")),
        })
    }

    /// The evidence of a signature: the columns are these and no others.
    pub(crate) fn with_exactly(&self, names: &[&str]) -> Option<Evidence> {
        if self.columns.len() != names.len() {
            return None;
        }
        let mut evidence = self.with_columns(names)?;
        evidence.text = format!("the header has exactly the columns {}", names.join(", "));
        Some(evidence)
    }

    /// Whether the first rows have a number in a column.
    pub(crate) fn is_numeric(&self, column: &Column) -> bool {
        let mut cells = self.preview.iter().filter_map(|row| row.get(column.index));
        cells.any(|cell| number(cell).is_some())
    }

    /// The columns as they stand in the file, for messages.
    pub(crate) fn shown(&self) -> Vec<String> {
        self.columns.iter().map(|c| c.shown.clone()).collect()
    }

    /// What separates the cells of a table.
    pub(crate) fn delimiter(&self) -> u8 {
        match self.shape {
            Shape::Table { delimiter, .. } => delimiter,
            Shape::Swf | Shape::JsonArray => b',',
        }
    }

    /// Whether it is a table without a header row; its first row is the first of the preview.
    pub(crate) fn headerless(&self) -> Option<&[String]> {
        match self.shape {
            Shape::Table { header: false, .. } => self.preview.first().map(Vec::as_slice),
            _ => None,
        }
    }
}

fn sniff<'a>(file: &'a str, text: &'a str) -> Result<Sniff<'a>, OpenError> {
    let start = text.trim_ascii_start();
    if start.is_empty() {
        let file = file.to_owned();
        return Err(OpenError::Empty { file });
    }
    let begins = |tag: &str| {
        let beginning = start.as_bytes().get(..tag.len());
        beginning.is_some_and(|bytes| bytes.eq_ignore_ascii_case(tag.as_bytes()))
    };
    if begins("<!doctype html") || begins("<html") {
        return Err(not_a_trace(
            file,
            "it is a web page: download the raw file behind it",
        ));
    }
    match start.as_bytes() {
        [b'[', ..] => Ok(sniff_array(file, text)),
        [b'{', ..] => Err(known::refuse_object(file, start)),
        _ if is_swf(text) => Ok(Sniff {
            file,
            text,
            shape: Shape::Swf,
            columns: Vec::new(),
            header_line: 0,
            width: 18,
            preview: Vec::new(),
        }),
        _ => sniff_table(file, text),
    }
}

/// A line of at least 18 numbers, or of 11 and more below `;` comments.
fn is_swf(text: &str) -> bool {
    let mut words = Words::new(text, ';');
    let mut comments = false;
    loop {
        match words.next() {
            Some(Line::Comment(text)) => {
                // A semicolon-separated table whose first column has no name begins like a
                // comment.
                comments |= !text.contains(';');
            }
            Some(Line::Row(row)) => {
                let least = if comments { 11 } else { 18 };
                let numbers = (0..row.len()).all(|i| number(row.cell(i)).is_some());
                return row.len() >= least && numbers;
            }
            None => return comments,
        }
    }
}

fn sniff_array<'a>(file: &'a str, text: &'a str) -> Sniff<'a> {
    let mut elements = Elements::new(text);
    let first = elements.next().map_or("", |row| row.cell(0));
    // The keys of the first element play the part of a header.
    let columns = keys(first).into_iter().map(|key| Column {
        name: key.to_ascii_lowercase(),
        shown: key,
        index: 0,
    });
    Sniff {
        file,
        text,
        shape: Shape::JsonArray,
        columns: columns.collect(),
        header_line: 1,
        width: 0,
        preview: Vec::new(),
    }
}

fn sniff_table<'a>(file: &'a str, text: &'a str) -> Result<Sniff<'a>, OpenError> {
    let delimiter = delimiter(text);
    let mut table = Table::new(text, delimiter.unwrap_or(b','));
    let mut rows: Vec<(u32, Vec<String>)> = Vec::new();
    while rows.len() <= PREVIEW
        && let Some(row) = table.next()
    {
        // Enough of each cell to tell what it is.
        let cells = (0..row.len()).map(|i| row.cell(i).chars().take(200).collect());
        rows.push((row.line, cells.collect()));
    }
    let (header_line, first) = rows.first().cloned().unwrap_or_default();
    let header = !first.iter().any(|cell| is_value(cell));
    let mut columns: Vec<Column> = Vec::new();
    if header {
        rows.remove(0);
        let cells = first.iter().enumerate().filter(|(_, c)| !c.is_empty());
        columns.extend(cells.map(|(index, cell)| Column {
            name: cell.to_ascii_lowercase(),
            shown: cell.clone(),
            index,
        }));
    }
    let mut width = first.len();
    // Tables whose rows begin with their name, and whose header does not name that column.
    let longer = |row: &(u32, Vec<String>)| {
        row.1.len() == width + 1 && row.1.last().is_some_and(|cell| !cell.is_empty())
    };
    if header && rows.len() > 1 && rows.iter().all(longer) {
        columns.iter_mut().for_each(|c| c.index += 1);
    }
    if header {
        // A delimiter at the end of the header makes no column that rows would have to have.
        width = columns.last().map_or(0, |column| column.index + 1);
    }
    if delimiter.is_none() && !known::is_single_column(&columns) {
        return Err(not_a_trace(
            file,
            "its first line has no comma, semicolon, tab or pipe between columns: open a table of jobs",
        ));
    }
    Ok(Sniff {
        file,
        text,
        shape: Shape::Table {
            delimiter: delimiter.unwrap_or(b','),
            header,
        },
        columns,
        header_line,
        width,
        preview: rows.into_iter().map(|(_, cells)| cells).collect(),
    })
}

/// Whether a cell holds a value rather than a column's name.
fn is_value(cell: &str) -> bool {
    number(cell).is_some() || date(cell).is_some()
}

/// What separates the cells of the first line, if anything: whatever is most frequent there,
/// outside quotation marks.
fn delimiter(text: &str) -> Option<u8> {
    const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
    let line = text.trim_ascii_start().lines().next().unwrap_or("");
    let mut counts = [0usize; 4];
    let mut quoted = false;
    for byte in line.bytes() {
        quoted ^= byte == b'"';
        if !quoted && let Some(i) = DELIMITERS.iter().position(|&d| d == byte) {
            counts[i] += 1;
        }
    }
    let most = counts.into_iter().max().filter(|&most| most > 0)?;
    let i = counts.iter().position(|&count| count == most)?;
    DELIMITERS.get(i).copied()
}

pub(crate) fn not_a_trace(file: &str, why: &str) -> OpenError {
    OpenError::NotATrace {
        file: file.to_owned(),
        why: why.to_owned(),
    }
}

/// Whether a row stands for the header.
pub(crate) fn is_header(sniff: &Sniff<'_>, row: &Row<'_>) -> bool {
    matches!(sniff.shape, Shape::Table { header: true, .. }) && row.line == sniff.header_line
}
