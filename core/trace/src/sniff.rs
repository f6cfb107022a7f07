//! How a text looks to formats: its shape, its header and its first rows. [`look`](super::look) finds them.
//!
//! The names of a table's header are compared in lower case, blanks removed, unnamed columns dropped; the keys of
//! JSON objects play the part of a header.

use super::error::OpenError;
use super::keys::keys;
use super::mapping::{ColumnMapping, TableHead};
use super::objects::Objects;
use super::rows::{Elements, Field, Fields, Reader, Row, is_missing, number};
use crate::Resource;

/// The beginning of a text, as formats see it to tell whether it is theirs.
pub(crate) struct Sniff<'a> {
    /// The file's name, for messages.
    pub(crate) file: &'a str,
    /// The text as far as it is there; for clusters and JSON objects all of it.
    pub(crate) text: &'a str,
    pub(crate) shape: Shape,
    /// The named columns of a table, or the keys of the first JSON objects.
    pub(crate) columns: Vec<Column>,
    /// The header's line, from 1. Rows begin below it.
    pub(crate) header_line: u32,
    /// How many cells a row must have to fill every named column; 0 where that is not known.
    pub(crate) width: usize,
    /// The first rows below the header, at most [`PREVIEW`].
    pub(crate) preview: Vec<Vec<String>>,
    /// The comments above a table, with their lines.
    pub(crate) comments: Vec<(u32, String)>,
    /// Bytes of the text that they take: rows begin behind them.
    pub(crate) above: usize,
    /// The line of the text that rows are read from.
    pub(crate) from: u32,
    /// Whether lines are drawn between its rows.
    pub(crate) boxed: bool,
    /// What is to be counted of its jobs or machines.
    pub(crate) unit: Resource,
    /// Whether jobs are kept that ask for cores and no GPU.
    pub(crate) keeps_on_cores: bool,
}

/// How a text is cut into rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A table, with or without a header row.
    Table {
        /// What separates cells; [`BLANKS`]: any number of blanks and tabs.
        delimiter: u8,
        /// Whether the first row names the columns.
        header: bool,
    },
    /// Standard Workload Format: numbers separated by blanks, `;` comments.
    Swf,
    /// A JSON array.
    JsonArray,
    /// A JSON object on each line.
    JsonLines,
    /// A JSON object.
    JsonObject,
    /// YAML.
    Yaml,
    /// Records of `Key=value`, as Slurm writes them.
    Pairs,
}

/// The delimiter of tables whose cells stand between blanks.
pub(crate) const BLANKS: u8 = b' ';

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

impl Column {
    /// A column of a table without header, by its number from 1.
    pub(crate) fn numbered(number: usize) -> Self {
        let shown = format!("column {number}");
        Self {
            name: shown.clone(),
            shown,
            index: number.saturating_sub(1),
        }
    }
}

/// How many rows a format may look at before it says whether a file is its own.
pub(crate) const PREVIEW: usize = 4;

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

    /// Whether the first rows have anything in a column; true where there are none.
    pub(crate) fn is_filled(&self, column: &Column) -> bool {
        let mut cells = self.preview.iter().filter_map(|row| row.get(column.index));
        self.preview.is_empty() || cells.any(|cell| !is_missing(cell))
    }

    /// The columns as they stand in the file, for messages.
    pub(crate) fn shown(&self) -> Vec<String> {
        self.columns.iter().map(|c| c.shown.clone()).collect()
    }

    /// Whether one can say which of its columns are which.
    pub(crate) fn is_mappable(&self) -> bool {
        match self.shape {
            Shape::Table { .. } => true,
            Shape::JsonArray | Shape::JsonLines => !self.columns.is_empty(),
            Shape::Swf | Shape::JsonObject | Shape::Yaml | Shape::Pairs => false,
        }
    }

    /// The table as people see it who say which columns are which.
    pub(crate) fn head(&self, guess: ColumnMapping) -> TableHead {
        let cells = self.preview.iter().map(Vec::len).max().unwrap_or(0);
        let numbers = (1..=cells).map(|number| format!("#{number}"));
        let headerless = self.headerless().is_some();
        let indices: Vec<usize> = if headerless {
            (0..cells).collect()
        } else {
            self.columns.iter().map(|c| c.index).collect()
        };
        let cell = |row: &Vec<String>, index: &usize| row.get(*index).cloned().unwrap_or_default();
        let row = |row: &Vec<String>| indices.iter().map(|index| cell(row, index)).collect();
        TableHead {
            columns: if headerless {
                numbers.collect()
            } else {
                self.shown()
            },
            rows: self.preview.iter().map(row).collect(),
            guess,
        }
    }

    /// The column that a mapping has in a role; `None` where it names none.
    pub(crate) fn mapped(
        &self,
        mapping: &ColumnMapping,
        role: &str,
    ) -> Result<Option<Column>, OpenError> {
        let Some(name) = mapping.get(role) else {
            return Ok(None);
        };
        let number = name.strip_prefix('#').and_then(|n| n.parse::<usize>().ok());
        let by_number = number.and_then(|number| {
            let index = number.checked_sub(1)?;
            let named = self.columns.iter().find(|c| c.index == index).cloned();
            let there = self.preview.iter().any(|row| index < row.len());
            named.or_else(|| {
                there.then(|| Column {
                    name: name.to_owned(),
                    shown: name.to_owned(),
                    index,
                })
            })
        });
        let wanted = name.trim().to_ascii_lowercase();
        let found = self.column(&wanted).cloned().or(by_number);
        found.map(Some).ok_or_else(|| OpenError::NoSuchColumn {
            file: self.file.to_owned(),
            line: self.header_line,
            column: name.to_owned(),
            role: role.to_owned(),
            found: self.head(ColumnMapping::default()).columns,
        })
    }

    /// What separates the cells of a table.
    pub(crate) fn delimiter(&self) -> u8 {
        match self.shape {
            Shape::Table { delimiter, .. } => delimiter,
            _ => b',',
        }
    }

    /// What cuts the text behind its comments into rows; `None` where it is read as a whole.
    pub(crate) fn reader(&self) -> Option<Reader> {
        match self.shape {
            Shape::Table { delimiter, .. } => Some(table_reader(delimiter, self.from)),
            Shape::Swf => Some(Reader::words()),
            Shape::JsonArray => Some(Reader::elements_from(self.from)),
            Shape::JsonLines => Some(Reader::lines()),
            Shape::JsonObject | Shape::Yaml | Shape::Pairs => None,
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

impl<'a> Sniff<'a> {
    pub(crate) fn of(file: &'a str, text: &'a str) -> Self {
        Self {
            file,
            text,
            shape: Shape::JsonArray,
            columns: Vec::new(),
            header_line: 1,
            width: 0,
            preview: Vec::new(),
            comments: Vec::new(),
            above: 0,
            from: 1,
            boxed: false,
            unit: Resource::default(),
            keeps_on_cores: false,
        }
    }

    /// Records of pairs, all of which are there.
    pub(crate) fn of_pairs(file: &'a str, text: &'a str) -> Self {
        Self {
            shape: Shape::Pairs,
            ..Self::of(file, text)
        }
    }

    /// The keys of an object play the part of a header.
    pub(crate) fn with_keys(mut self, keys: Vec<String>) -> Self {
        let columns = keys.into_iter().enumerate().map(|(index, key)| Column {
            name: key.trim().to_ascii_lowercase(),
            shown: key,
            index,
        });
        self.columns = columns.collect();
        self
    }

    /// The keys of all of the first objects do, each with its place.
    pub(crate) fn with_objects(self, texts: &[String]) -> Self {
        let mut all: Vec<String> = Vec::new();
        for key in texts.iter().flat_map(|text| keys(text)) {
            if !all.contains(&key) {
                all.push(key);
            }
        }
        let mut sniff = self.with_keys(all);
        let mut objects = Objects::new(sniff.shown());
        for text in texts {
            if let Ok(row) = objects.row(1, text) {
                sniff.preview.push(shown_cells(&row));
            }
        }
        sniff
    }
}

impl<'a> Sniff<'a> {
    /// The array of jobs that is a field of this object, as what its elements are: `jobs`, or one
    /// that the caller finds to tell jobs.
    pub(crate) fn jobs_within(&self, tells_jobs: fn(&Sniff<'_>) -> bool) -> Option<Self> {
        if self.shape != Shape::JsonObject {
            return None;
        }
        let arrays = || Fields::new(self.text).filter(|field| field.value.starts_with('['));
        let of_field = |field: &Field<'a>| {
            let mut elements = Elements::from_line(field.value, field.line);
            let mut first = Vec::new();
            while first.len() < PREVIEW
                && let Some(row) = elements.next()
            {
                first.push(row.cell(0).to_owned());
            }
            let above = field.value.as_ptr().addr() - self.text.as_ptr().addr();
            let sniff = Sniff {
                above,
                from: field.line,
                ..Sniff::of(self.file, self.text)
            };
            Some(sniff.with_objects(&first)).filter(|sniff| !sniff.columns.is_empty())
        };
        let named = arrays().find(|field| field.key == "jobs");
        let named = named.and_then(|field| of_field(&field));
        named.or_else(|| {
            arrays()
                .filter_map(|field| of_field(&field))
                .find(tells_jobs)
        })
    }
}

/// The cells of a row, as much of them as tells what they are.
pub(crate) fn shown_cells(row: &Row<'_>) -> Vec<String> {
    let cells = (0..row.len()).map(|i| row.cell(i).chars().take(200).collect());
    cells.collect()
}

/// Whether a row is no more than a line drawn between others, such as `+----+----+` and `|---|:--|`, or
/// a remark below such a table.
pub(crate) fn is_drawn(row: &Row<'_>) -> bool {
    let is_line = |cell: &str| cell.bytes().all(|byte| b"-+=: ".contains(&byte));
    row.len() == 1 || (0..row.len()).all(|at| is_line(row.cell(at)))
}

/// A table of nothing but durations.
pub(crate) fn is_single_column(columns: &[Column]) -> bool {
    matches!(columns, [column] if column.name == "duration")
}

/// What our own files begin with, after a `#`.
pub(crate) const OWN: &str = "switchyard ";

/// Of a table that begins on this line of its file.
pub(crate) fn table_reader(delimiter: u8, line: u32) -> Reader {
    if delimiter == BLANKS {
        Reader::Words { line }
    } else {
        Reader::table_from(delimiter, line)
    }
}
