//! One text through its importer.
//!
//! Jobs that ask for no GPU are left out. Lest a log of nothing but such jobs be refused without a word of what
//! it is, its rows are read in cores as well, until a job asks for GPUs: the refusal says how much that is.

use super::error::OpenError;
use super::format::{Format, Importer};
use super::mapping::ColumnMapping;
use super::objects::Objects;
use super::report::{DropReason, WarningKind};
use super::rows::{Flaw, Part, Reader, Receiver, Row};
use super::sink::Sink;
use super::sniff::{Shape, Sniff, is_drawn};
use crate::Resource;

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
    /// No column tells GPUs: why it is refused, unless it tells cores.
    no_gpus: Option<OpenError>,
}

impl Import {
    /// An importer for a text that begins as `sniff` tells and may have so many rows.
    pub(crate) fn new(
        format: &'static Format,
        sniff: &mut Sniff<'_>,
        mapping: Option<&ColumnMapping>,
        max_rows: u32,
    ) -> Result<Self, OpenError> {
        let header = match sniff.shape {
            Shape::Table { .. } => sniff.header_line,
            _ => 0,
        };
        let mut sink = Sink::new(sniff.file, max_rows).counting(sniff);
        let (mut in_cores, mut no_gpus) = (None, None);
        let importer = match ((format.importer)(sniff, mapping), sniff.unit) {
            (importer, Resource::Cores) => importer?,
            (importer, Resource::Gpus) => {
                sniff.unit = Resource::Cores;
                let sink_of_cores = Sink::new(sniff.file, max_rows).counting(sniff);
                match (importer, (format.importer)(sniff, mapping)) {
                    (Ok(importer), of_cores) => {
                        in_cores = of_cores.ok().map(|importer| InCores {
                            importer,
                            sink: sink_of_cores,
                        });
                        importer
                    }
                    (Err(why), Ok(of_cores)) if why.lacks_gpus_alone() => {
                        no_gpus = Some(why);
                        sink = sink_of_cores;
                        of_cores
                    }
                    (Err(why), _) => return Err(why),
                }
            }
        };
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
                sink,
                in_cores,
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
            no_gpus,
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
                if let Some(in_cores) = self.feed.wanted_cores() {
                    in_cores.importer.document(text, &mut in_cores.sink);
                }
                0
            }
        }
    }

    /// Rows read and kept so far.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let sink = &self.feed.sink;
        (u64::from(sink.rows), sink.records.len() as u64)
    }

    /// Makes room for the jobs to come: in all they may be so many times those that have.
    pub(crate) fn make_room(&mut self, times: f64) {
        self.feed.sink.make_room(times);
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
            in_cores,
            ..
        } = self.feed;
        importer.finish(&mut sink);
        if let Some(why) = self.no_gpus {
            return Err(counts_cores(&sink).unwrap_or(why));
        }
        if let (true, Some(mut of)) = (sink.records.is_empty(), in_cores) {
            of.importer.finish(&mut of.sink);
            if let Some(refusal) = counts_cores(&of.sink) {
                return Err(refusal);
            }
        }
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
    /// The same rows in cores, as long as no job asks for GPUs.
    in_cores: Option<InCores>,
    width: usize,
    /// Whether the importer puts cells together.
    joins: bool,
    /// Whether some rows are lines that are drawn.
    boxed: bool,
    /// The line that rows are below.
    header: u32,
    truncated: bool,
}

/// Rows that are read in cores beside.
struct InCores {
    importer: Box<dyn Importer>,
    sink: Sink,
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
        if let Some(in_cores) = self.wanted_cores() {
            in_cores.importer.comment(text);
        }
    }
}

impl Feed {
    /// Where rows are read in cores, if that may still be asked for.
    fn wanted_cores(&mut self) -> Option<&mut InCores> {
        if !self.sink.records.is_empty() || self.sink.half.is_some() {
            self.in_cores = None;
        }
        self.in_cores.as_mut()
    }

    fn take(&mut self, row: &Row<'_>) {
        self.importer.row(row, &mut self.sink);
        if let Some(in_cores) = self.wanted_cores() {
            in_cores.importer.row(row, &mut in_cores.sink);
        }
    }

    fn sound(&mut self, row: &Row<'_>) {
        match self.objects.take() {
            None => self.take(row),
            Some(mut objects) => {
                self.sound_object(&mut objects, row);
                self.objects = Some(objects);
            }
        }
    }

    fn sound_object(&mut self, objects: &mut Objects, row: &Row<'_>) {
        match objects.row(row.line, row.cell(0)) {
            Ok(cells) => self.take(&cells),
            Err(what) => {
                let reason = DropReason::JsonMalformed;
                self.sink.drop(reason, row.line, &|| what.clone());
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

/// The refusal of a trace whose jobs ask for cores, if there are any: how many, and how much that is.
fn counts_cores(sink: &Sink) -> Option<OpenError> {
    let seconds = sink.records.iter().map(|record| {
        let part = f64::from(record.gpus - 1) + f64::from(record.share);
        record.duration * part
    });
    let hours = seconds.sum::<f64>() / 3600.0;
    let digits = if hours < 1000.0 { 2 } else { 0 };
    let jobs = sink.records.len() as u32;
    (jobs > 0).then(|| OpenError::CountsCores {
        file: sink.tally.file().to_owned(),
        jobs,
        core_hours: format!("{hours:.digits$}"),
    })
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
