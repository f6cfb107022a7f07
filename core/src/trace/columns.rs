//! Jobs out of the columns of a table: what all formats share that are a plain table.
//!
//! A format says with [`Plain`] which column holds what, in which unit; [`Columns`] reads rows
//! accordingly. The order of the checks is that of [`DropReason`]: GPUs, submission, duration.

use super::detect::{Column, Sniff};
use super::error::{OpenError, Role};
use super::formats::Importer;
use super::mapping::ColumnMapping;
use super::report::{DropReason, WarningKind, cell_is};
use super::rows::{Row, date, decimal_comma, is_missing, number};
use super::sink::{self, Draft, Sink};
use super::status::status;
use super::timestamp::Unit;
use crate::job::Status;

/// A point in time as a cell gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Moment {
    /// A bare number, in whatever unit the column has.
    Number(f64),
    /// A date: Unix seconds.
    Unix(f64),
}

/// A format's columns by name, in lower case; "" where it has none for a role.
pub(crate) struct Plain {
    pub(crate) id: &'static str,
    pub(crate) submit: &'static str,
    pub(crate) clock: Clock,
    pub(crate) duration: &'static str,
    pub(crate) duration_unit: Unit,
    /// With an end, in place of a duration.
    pub(crate) start: &'static str,
    pub(crate) end: &'static str,
    pub(crate) gpus: &'static str,
    /// Multiplies the GPUs.
    pub(crate) workers: &'static str,
    /// Thousandths of a GPU, where a single one is shared.
    pub(crate) milli: &'static str,
    pub(crate) tenant: &'static str,
    pub(crate) model: &'static str,
    pub(crate) status: &'static str,
    /// How times are read: a sentence for the report.
    pub(crate) units: &'static str,
}

impl Plain {
    /// No columns at all; times in seconds.
    pub(crate) const NONE: Self = Self {
        id: "",
        submit: "",
        clock: Clock::Relative(Unit::Seconds),
        duration: "",
        duration_unit: Unit::Seconds,
        start: "",
        end: "",
        gpus: "",
        workers: "",
        milli: "",
        tenant: "",
        model: "",
        status: "",
        units: "",
    };
}

/// How a column tells the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Numbers since some start of the trace.
    Relative(Unit),
    /// Unix seconds.
    Unix,
    /// Dates.
    Dates,
    /// Numbers or dates, whichever comes first; numbers are left as they are, for
    /// [`Importer::finish`] to find their unit.
    Unknown,
}

/// Where durations come from.
#[derive(Clone, Debug)]
pub(crate) enum Span {
    /// A column of durations.
    Column(Column, Unit),
    /// The time between two columns, on the submission's clock.
    Between(Column, Column),
}

/// Reads rows by their columns.
pub(crate) struct Columns {
    pub(crate) id: Option<Column>,
    pub(crate) submit: Column,
    pub(crate) clock: Clock,
    pub(crate) span: Span,
    pub(crate) gpus: Column,
    /// Multiplies the GPUs.
    pub(crate) workers: Option<Column>,
    /// Thousandths of a GPU, where a single one is shared.
    pub(crate) milli: Option<Column>,
    pub(crate) tenant: Option<Column>,
    pub(crate) model: Option<Column>,
    pub(crate) status: Option<Column>,
    pub(crate) units: String,
    /// Whether the times are dates; `None` before the first was read.
    pub(crate) dates: Option<bool>,
    number: fn(&str) -> Option<f64>,
}

/// What a job asks for.
struct Request {
    /// GPUs of all its workers, rounded up.
    gpus: u32,
    /// As in [`Draft::share`].
    share: f32,
    /// Workers and the GPUs of each, where there are several.
    gang: Option<(f64, f64)>,
}

/// Why a row is left out, and the cell to blame.
struct Refused<'c> {
    reason: DropReason,
    column: &'c Column,
    cell: &'c str,
}

impl Columns {
    /// The columns of a plain format.
    pub(crate) fn plain(sniff: &Sniff<'_>, plain: &Plain) -> Result<Self, OpenError> {
        let named = |name: &str| sniff.column(name).cloned();
        let mut missing = Vec::new();
        let mut needed = |name: &str, role| {
            let column = named(name);
            if column.is_none() {
                missing.push(role);
            }
            column
        };
        let submit = needed(plain.submit, Role::Submit);
        let span = match named(plain.start).zip(named(plain.end)) {
            Some((start, end)) => Some(Span::Between(start, end)),
            None => needed(plain.duration, Role::Duration)
                .map(|duration| Span::Column(duration, plain.duration_unit)),
        };
        let gpus = needed(plain.gpus, Role::Gpus);
        let (Some(submit), Some(span), Some(gpus)) = (submit, span, gpus) else {
            let guess = ColumnMapping::default();
            return Err(missing_columns(sniff, missing, String::new(), guess));
        };
        let mut columns = Self::new(sniff, submit, plain.clock, span, gpus);
        columns.id = named(plain.id);
        columns.workers = named(plain.workers);
        columns.milli = named(plain.milli);
        columns.tenant = named(plain.tenant);
        columns.model = named(plain.model);
        columns.status = named(plain.status);
        columns.units = plain.units.to_owned();
        Ok(columns)
    }

    /// The columns that every table must have; the others are to be set.
    pub(crate) fn new(
        sniff: &Sniff<'_>,
        submit: Column,
        clock: Clock,
        span: Span,
        gpus: Column,
    ) -> Self {
        // Where commas separate cells they cannot be decimal points.
        let decimal_commas = sniff.delimiter() == b';';
        Self {
            id: None,
            submit,
            clock,
            span,
            gpus,
            workers: None,
            milli: None,
            tenant: None,
            model: None,
            status: None,
            units: String::new(),
            dates: match clock {
                Clock::Relative(_) | Clock::Unix => Some(false),
                Clock::Dates => Some(true),
                Clock::Unknown => None,
            },
            number: if decimal_commas {
                decimal_comma
            } else {
                number
            },
        }
    }

    fn read<'c>(&'c mut self, row: &Row<'c>) -> Result<(Draft<'c>, Request), Refused<'c>> {
        // The submission fixes the kind of clock, so it is read while `self` can be changed.
        let submitted = self.submitted(row.cell(self.submit.index));
        let this = &*self;
        let request = this.request(row)?;
        let submit = submitted.map_err(|reason| Refused {
            reason,
            column: &this.submit,
            cell: row.cell(this.submit.index),
        })?;
        let duration = this.duration(row)?;
        let cell = |column: &Option<Column>| column.as_ref().map_or("", |c| row.cell(c.index));
        let word = cell(&this.status);
        let status = if word.is_empty() {
            Status::Unknown
        } else {
            status(word)
        };
        let draft = Draft {
            line: row.line,
            name: cell(&this.id),
            submit,
            duration,
            gpus: request.gpus,
            share: request.share,
            tenant: cell(&this.tenant),
            model: cell(&this.model),
            batch: None,
            status,
        };
        Ok((draft, request))
    }

    fn request<'c>(&'c self, row: &Row<'c>) -> Result<Request, Refused<'c>> {
        let count = |column: &'c Column| {
            let cell = row.cell(column.index);
            let refused = move |reason| Refused {
                reason,
                column,
                cell,
            };
            match (self.number)(cell) {
                Some(number) => Ok((number, refused)),
                None if is_missing(cell) => Err(refused(DropReason::GpusMissing)),
                None => Err(refused(DropReason::GpusInvalid)),
            }
        };
        let (each, refused) = count(&self.gpus)?;
        let workers = match &self.workers {
            Some(column) => count(column)?.0,
            None => 1.0,
        };
        let all = each * workers;
        let (gpus, mut share) = sink::gpus(all).map_err(refused)?;
        if let (Some(column), 1) = (&self.milli, gpus)
            && let Some(milli) = number(row.cell(column.index))
            && milli > 0.0
            && milli < 1000.0
        {
            let part = sink::share(milli / 1000.0);
            if part < share {
                share = part;
            }
        }
        let gang = (workers > 1.0).then_some((workers, each));
        Ok(Request { gpus, share, gang })
    }

    fn submitted(&mut self, cell: &str) -> Result<f64, DropReason> {
        let (value, is_date) = match self.moment(cell) {
            Some(Moment::Number(number)) => (number, false),
            Some(Moment::Unix(seconds)) => (seconds, true),
            None if is_missing(cell) => return Err(DropReason::SubmitMissing),
            None => return Err(DropReason::SubmitInvalid),
        };
        let submit = match sink::submit(value) {
            Err(DropReason::SubmitOutOfRange) if self.clock == Clock::Unknown => value,
            other => other?,
        };
        // The first sound time tells whether the column holds numbers or dates.
        self.dates.get_or_insert(is_date);
        Ok(submit)
    }

    /// A cell of one of the columns that share the clock; relative times in seconds.
    fn moment(&self, cell: &str) -> Option<Moment> {
        let number = || (self.number)(cell);
        match (self.clock, self.dates) {
            (Clock::Relative(unit), _) => number().map(|n| Moment::Number(unit.seconds(n))),
            (Clock::Unix, _) => number().map(Moment::Number),
            (Clock::Dates, _) | (Clock::Unknown, Some(true)) => date(cell).map(Moment::Unix),
            (Clock::Unknown, Some(false)) => number().map(Moment::Number),
            (Clock::Unknown, None) => number()
                .map(Moment::Number)
                .or_else(|| date(cell).map(Moment::Unix)),
        }
    }

    fn duration<'c>(&'c self, row: &Row<'c>) -> Result<f64, Refused<'c>> {
        match &self.span {
            Span::Column(column, unit) => {
                let cell = row.cell(column.index);
                let refused = |reason| Refused {
                    reason,
                    column,
                    cell,
                };
                match (self.number)(cell) {
                    Some(number) => sink::duration(unit.seconds(number)).map_err(refused),
                    None if is_missing(cell) => Err(refused(DropReason::DurationMissing)),
                    None => Err(refused(DropReason::DurationInvalid)),
                }
            }
            Span::Between(start, end) => {
                let time = |column: &'c Column| {
                    let cell = row.cell(column.index);
                    let reason = match self.moment(cell) {
                        Some(Moment::Number(time) | Moment::Unix(time)) => return Ok(time),
                        None if is_missing(cell) => DropReason::DurationMissing,
                        None => DropReason::DurationInvalid,
                    };
                    Err(Refused {
                        reason,
                        column,
                        cell,
                    })
                };
                let span = time(end)? - time(start)?;
                match sink::duration(span) {
                    Ok(duration) => Ok(duration),
                    // Not known to be seconds yet.
                    Err(DropReason::DurationOutOfRange) if self.clock == Clock::Unknown => Ok(span),
                    Err(reason) => Err(Refused {
                        reason,
                        column: end,
                        cell: row.cell(end.index),
                    }),
                }
            }
        }
    }
}

impl Importer for Columns {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        match self.read(row) {
            Ok((draft, request)) => {
                sink.keep(draft);
                if let Some((workers, each)) = request.gang {
                    let kind = WarningKind::GangsMultiplied;
                    let detail = || format!("{workers} workers with {each} GPUs each");
                    sink.tally.warn(kind, 1, row.line, &detail);
                }
            }
            Err(refused) => sink.drop(refused.reason, row.line, &|| {
                cell_is(&refused.column.shown, refused.cell)
            }),
        }
    }

    fn finish(&mut self, sink: &mut Sink) {
        if self.dates == Some(true) || self.clock == Clock::Unix {
            sink.zero = Some(0.0);
        }
    }

    fn units(&self) -> String {
        self.units.clone()
    }

    fn named(&self) -> bool {
        self.id.is_some()
    }
}

/// The error of a table without the columns that a trace needs.
pub(crate) fn missing_columns(
    sniff: &Sniff<'_>,
    missing: Vec<Role>,
    hint: String,
    guess: ColumnMapping,
) -> OpenError {
    OpenError::MissingColumns {
        file: sniff.file.to_owned(),
        line: sniff.header_line,
        missing,
        found: sniff.shown(),
        hint,
        table: Box::new(sniff.head(guess)),
    }
}
