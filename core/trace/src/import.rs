//! One text through its importer.

use super::error::OpenError;
use super::format::{Format, Importer};
use super::mapping::ColumnMapping;
use super::objects::Objects;
use super::report::{DropReason, WarningKind};
use super::rows::{Flaw, Part, Reader, Receiver, Row};
use super::sink::Sink;
use super::sniff::{Shape, Sniff, is_drawn};

/// What became of one text.
pub(crate) struct Imported {
    pub(crate) sink: Sink,
    /// How times were read.
    pub(crate) units: String,
}

impl Imported {
    /// Bytes followed the container that the text lies in.
    pub(crate) fn trailing(&mut self, bytes: u32) {
        let detail = || "after the end of the compressed data".to_owned();
        let kind = WarningKind::TrailingBytes;
        self.sink.tally.warn(kind, bytes, 0, &detail);
    }
}

/// A text on its way through its importer.
pub(crate) struct Import {
    format: &'static Format,
    reader: Option<Reader>,
    feed: Feed,
    /// Bytes above the rows, in the first part.
    above: usize,
    /// Whether the text ends early for certain, so that its last row is not to be trusted. To be
    /// set before the last part is read.
    pub(crate) truncated: bool,
}

impl Import {
    /// An importer for a text that begins as `sniff` tells and may have so many rows.
    pub(crate) fn new(
        format: &'static Format,
        sniff: &Sniff<'_>,
        mapping: Option<&ColumnMapping>,
        max_rows: u32,
    ) -> Result<Self, OpenError> {
        let header = match sniff.shape {
            Shape::Table { .. } => sniff.header_line,
            _ => 0,
        };
        let importer = (format.importer)(sniff, mapping)?;
        let joins = importer.joins_cells();
        let objects = match sniff.shape {
            Shape::JsonArray | Shape::JsonLines if !importer.reads_json() => {
                Some(Objects::new(sniff.shown()))
            }
            _ => None,
        };
        Ok(Self {
            format,
            reader: sniff.reader(),
            feed: Feed {
                joins,
                boxed: sniff.boxed,
                importer,
                objects,
                sink: Sink::new(sniff.file, max_rows),
                // Without a header the first row may have been cut too.
                width: match sniff.headerless() {
                    Some(_) if joins => 0,
                    _ => sniff.width,
                },
                header,
                truncated: false,
            },
            above: sniff.above,
            truncated: false,
        })
    }

    /// Reads the rows of the next part; returns how many bytes at its end the part after it must
    /// begin with.
    pub(crate) fn read(&mut self, text: &str, part: Part) -> usize {
        self.feed.truncated = self.truncated && part == Part::Last;
        // Settings are no rows, whatever quotation marks they have.
        let above = std::mem::take(&mut self.above);
        match &mut self.reader {
            Some(reader) => reader.read(text.get(above..).unwrap_or(""), part, &mut self.feed),
            None => {
                self.feed.importer.document(text, &mut self.feed.sink);
                0
            }
        }
    }

    /// Rows read and kept so far.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let sink = &self.feed.sink;
        (u64::from(sink.rows), sink.records.len() as u64)
    }

    /// Whether it had more rows than it may.
    pub(crate) fn is_overfull(&self) -> bool {
        self.feed.sink.is_overfull()
    }

    /// The line that the next part begins on.
    pub(crate) fn line(&self) -> u32 {
        self.reader.as_ref().map_or(1, Reader::line)
    }

    /// After the last part.
    pub(crate) fn finish(self) -> Result<Imported, OpenError> {
        let Feed {
            mut importer,
            mut sink,
            ..
        } = self.feed;
        importer.finish(&mut sink);
        sink.review(importer.named());
        check(self.format, &sink)?;
        Ok(Imported {
            units: importer.units(),
            sink,
        })
    }
}

struct Feed {
    importer: Box<dyn Importer>,
    /// Where rows are JSON objects and the importer wants cells.
    objects: Option<Objects>,
    sink: Sink,
    width: usize,
    /// Whether the importer puts cells together.
    joins: bool,
    /// Whether some rows are lines that are drawn.
    boxed: bool,
    /// The line that rows are below.
    header: u32,
    truncated: bool,
}

impl Receiver for Feed {
    /// Passes a sound row on, and drops the others.
    fn row(&mut self, row: &Row<'_>) {
        if row.line <= self.header || self.boxed && is_drawn(row) || !self.sink.count_row() {
            return;
        }
        let short = row.len() < self.width;
        let cut = row.unterminated && (short || self.truncated);
        match row.flaw {
            Some(Flaw::Unclosed) => {
                let detail = || "it opens in this row".to_owned();
                self.sink.drop(DropReason::QuoteUnclosed, row.line, &detail);
            }
            Some(Flaw::Truncated) => self.truncated_row(row),
            None if cut => self.truncated_row(row),
            None => {
                if short || !self.joins {
                    self.sink.check_width(row, self.width);
                }
                self.sound(row);
            }
        }
    }

    fn comment(&mut self, text: &str) {
        self.importer.comment(text);
    }
}

impl Feed {
    fn sound(&mut self, row: &Row<'_>) {
        match &mut self.objects {
            None => self.importer.row(row, &mut self.sink),
            Some(objects) => match objects.row(row.line, row.cell(0)) {
                Ok(cells) => self.importer.row(&cells, &mut self.sink),
                Err(what) => {
                    let reason = DropReason::JsonMalformed;
                    self.sink.drop(reason, row.line, &|| what.clone());
                }
            },
        }
    }

    fn truncated_row(&mut self, row: &Row<'_>) {
        let detail = || "the file ends here".to_owned();
        self.sink.drop(DropReason::RowTruncated, row.line, &detail);
        let kind = WarningKind::LastRowTruncated;
        self.sink.tally.warn(kind, 1, row.line, &detail);
    }
}

/// A trace must have a job; a table that another one completes need not.
fn check(format: &Format, sink: &Sink) -> Result<(), OpenError> {
    let file = sink.tally.file().to_owned();
    if sink.rows == 0 {
        return Err(OpenError::HeaderOnly {
            file,
            what: format.title.to_owned(),
        });
    }
    if sink.records.is_empty() && sink.half.is_none() {
        return Err(no_jobs(format, sink));
    }
    Ok(())
}

/// The error of a trace without a job.
pub(crate) fn no_jobs(format: &Format, sink: &Sink) -> OpenError {
    let reasons = sink.tally.dropped();
    let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    OpenError::NoJobs {
        file: sink.tally.file().to_owned(),
        format: format.title.to_owned(),
        rows: sink.rows,
        reasons: reasons.join("; "),
    }
}
