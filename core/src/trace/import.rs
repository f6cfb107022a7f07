//! One text through its importer.

use super::detect::{Shape, Sniff, is_header};
use super::error::OpenError;
use super::formats::{Format, Importer};
use super::report::{DropReason, WarningKind};
use super::rows::{Elements, Flaw, Line, Row, Table, Words};
use super::sink::Sink;

/// What became of one text.
pub(crate) struct Imported {
    pub(crate) sink: Sink,
    /// How times were read.
    pub(crate) units: String,
}

/// Feeds the rows of a text to its importer. `truncated`: the text ends early for certain, so
/// its last row is not to be trusted.
pub(crate) fn import(
    format: &Format,
    sniff: &Sniff<'_>,
    truncated: bool,
) -> Result<Imported, OpenError> {
    let mut feed = Feed {
        importer: (format.importer)(sniff)?,
        sink: Sink::new(sniff.file),
        width: sniff.width,
        truncated,
    };
    match sniff.shape {
        Shape::Table { delimiter, .. } => {
            let mut rows = Table::new(sniff.text, delimiter);
            while let Some(row) = rows.next() {
                if !is_header(sniff, &row) {
                    feed.row(&row);
                }
            }
        }
        Shape::Swf => {
            let mut rows = Words::new(sniff.text, ';');
            while let Some(line) = rows.next() {
                match line {
                    Line::Row(row) => feed.row(&row),
                    Line::Comment(text) => feed.importer.comment(text),
                }
            }
        }
        Shape::JsonArray => {
            let mut rows = Elements::new(sniff.text);
            while let Some(row) = rows.next() {
                feed.row(&row);
            }
        }
    }
    let Feed {
        mut importer,
        mut sink,
        ..
    } = feed;
    importer.finish(&mut sink);
    sink.review(importer.named());
    check(format, sniff, &sink)?;
    Ok(Imported {
        units: importer.units(),
        sink,
    })
}

struct Feed {
    importer: Box<dyn Importer>,
    sink: Sink,
    width: usize,
    truncated: bool,
}

impl Feed {
    /// Passes a sound row on, and drops the others.
    fn row(&mut self, row: &Row<'_>) {
        self.sink.rows = self.sink.rows.saturating_add(1);
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
                let long = row.len() > self.width && row.filled() > self.width;
                if self.width > 0 && (short || long) {
                    let (cells, width) = (row.len(), self.width);
                    let detail = || format!("{cells} cells instead of {width}");
                    let kind = WarningKind::RaggedRows;
                    self.sink.tally.warn(kind, 1, row.line, &detail);
                }
                self.importer.row(row, &mut self.sink);
            }
        }
    }

    fn truncated_row(&mut self, row: &Row<'_>) {
        let detail = || "the file ends here".to_owned();
        self.sink.drop(DropReason::RowTruncated, row.line, &detail);
        let kind = WarningKind::LastRowTruncated;
        self.sink.tally.warn(kind, 1, row.line, &detail);
    }
}

/// A trace must have a job.
fn check(format: &Format, sniff: &Sniff<'_>, sink: &Sink) -> Result<(), OpenError> {
    let file = sniff.file.to_owned();
    if sink.rows == 0 {
        return Err(OpenError::HeaderOnly {
            file,
            what: format.title.to_owned(),
        });
    }
    if sink.records.is_empty() {
        let reasons = sink.tally.dropped();
        let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
        return Err(OpenError::NoJobs {
            file,
            format: format.title.to_owned(),
            rows: sink.rows,
            reasons: reasons.join("; "),
        });
    }
    Ok(())
}
