//! Jobs out of the columns of a table: what all formats share that are a plain table.
//!
//! A format says with [`Plain`] which column holds what, in which unit; [`Columns`] reads rows
//! accordingly. The order of the checks is that of [`DropReason`]: GPUs, submission, duration.
//!
//! Of dates whose year comes last, such as 03/04/2023, the first row that has only one reading
//! decides for all; rows before it wait.

mod plain;
mod span;

pub(crate) use plain::{Clock, Plain};
pub(crate) use span::{Disagreements, Span};

use super::error::{OpenError, Role};
use super::format::Importer;
use super::guess::Labelled;
use super::mapping::ColumnMapping;
use super::report::{DropReason, WarningKind, cell_is};
use super::rows::{
    OwnedRow, Row, date, date_year_last, decimal_comma, grouped, is_missing, minutes_and_seconds,
    number, span,
};
use super::sink::{self, Asks, Draft, RowRecord, Sink};
use super::sniff::{BLANKS, Column, Sniff};
use super::status::status;
use super::timestamp::TimeUnit;
use super::tres;
use super::wording::shorten;
use crate::Resource;
use crate::job::Status;
use crate::spreadsheet::unguarded;
use switchyard_model::batch_mode::with_mode;
use switchyard_model::workload::Label;

/// A point in time as a cell gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Moment {
    /// A bare number, in whatever unit the column has.
    Number(f64),
    /// A date: Unix seconds.
    Unix(f64),
}

/// So many rows wait at most for one that tells how dates are read.
const WAITING: usize = 1 << 20;

/// Reads rows by their columns.
pub(crate) struct Columns {
    pub(crate) id: Option<Column>,
    pub(crate) submit: Column,
    pub(crate) clock: Clock,
    pub(crate) span: Span,
    pub(crate) gpus: Column,
    /// GPUs of every job, or of every worker, where no column tells them.
    pub(crate) each: Option<f64>,
    /// Multiplies the GPUs.
    pub(crate) workers: Option<Column>,
    /// Thousandths of a GPU, where a single one is shared.
    pub(crate) milli: Option<Column>,
    pub(crate) tenant: Option<Column>,
    pub(crate) model: Option<Column>,
    /// How its batch size changes, which then stands behind its name.
    pub(crate) mode: Option<Column>,
    pub(crate) status: Option<Column>,
    /// When a job began, where that is not its submission.
    pub(crate) began: Began,
    /// Whose it is, how it was queued, and where it ran.
    pub(crate) labelled: Labelled,
    /// Whether of priorities the least goes first.
    least_priority_first: bool,
    /// GPU types.
    types: Option<Column>,
    /// Cores and memory of each worker, with their units; of how many workers.
    pub(crate) cores: Option<(Column, f64)>,
    memory: Option<(Column, f64)>,
    gpu_memory: Option<Column>,
    memory_times: Option<Column>,
    /// The time that is asked for, and its unit where it is a number.
    pub(crate) requested_time: Option<(Column, TimeUnit)>,
    pub(crate) units: String,
    /// What is counted of jobs.
    pub(crate) unit: Resource,
    keeps_on_cores: bool,
    /// Whether the times are dates; `None` before the first was read.
    pub(crate) dates: Option<bool>,
    /// The unit of times that are numbers, where it is known beforehand.
    pub(crate) clock_unit: Option<TimeUnit>,
    /// Whether the day comes first in dates whose year comes last; `None` before it is known.
    pub(crate) day_first: Option<bool>,
    /// What told it: a line and a cell.
    day_told: Option<(u32, String)>,
    /// Rows that wait for that.
    waiting: Vec<OwnedRow>,
    /// Durations that were hours, minutes and seconds.
    pub(crate) spelled: u32,
    /// Durations of two numbers, and the first of them.
    minutes: u32,
    first_minutes: Option<(u32, String)>,
    pub(crate) disagreements: Disagreements,
    /// Whether names are guarded against spreadsheets, as our own files have them.
    guarded: bool,
    number: fn(&str) -> Option<f64>,
}

/// What tells when a job began.
#[derive(Clone, Debug, Default)]
pub(crate) enum Began {
    /// Nothing does.
    #[default]
    Untold,
    /// A column, on the submission's clock.
    At(Column),
    /// A column of seconds after the submission.
    After(Column),
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
        let gpus = match (sniff.unit, named(plain.cores.0)) {
            (Resource::Cores, Some(cores)) => Some(cores),
            _ => needed(plain.gpus, Role::Gpus),
        };
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
        columns.began = match (named(plain.start), named(plain.wait)) {
            (Some(start), _) => Began::At(start),
            (None, Some(wait)) => Began::After(wait),
            (None, None) => Began::Untold,
        };
        columns.types = named(plain.types);
        columns.cores = named(plain.cores.0).zip(Some(plain.cores.1));
        columns.memory = named(plain.memory.0).zip(Some(plain.memory.1));
        columns.gpu_memory = named(plain.gpu_memory);
        columns.memory_times = named(plain.memory_times).or_else(|| columns.workers.clone());
        columns.requested_time = named(plain.requested_time.0).zip(Some(plain.requested_time.1));
        columns.least_priority_first = plain.least_priority_first;
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
        // Where commas separate cells they cannot be decimal points, where semicolons do they are.
        let delimiter = sniff.delimiter();
        Self {
            id: None,
            submit,
            clock,
            span,
            gpus,
            each: None,
            workers: None,
            milli: None,
            tenant: None,
            model: None,
            mode: None,
            status: None,
            began: Began::Untold,
            labelled: Labelled::of(sniff),
            least_priority_first: false,
            types: None,
            cores: None,
            memory: None,
            gpu_memory: None,
            memory_times: None,
            requested_time: None,
            units: String::new(),
            unit: sniff.unit,
            keeps_on_cores: sniff.keeps_on_cores,
            dates: match clock {
                Clock::Relative(_) | Clock::Unix => Some(false),
                Clock::Dates => Some(true),
                Clock::Unknown => None,
            },
            clock_unit: None,
            day_first: None,
            day_told: None,
            waiting: Vec::new(),
            spelled: 0,
            minutes: 0,
            first_minutes: None,
            disagreements: Disagreements::default(),
            guarded: false,
            number: match delimiter {
                b';' => decimal_comma,
                BLANKS => number,
                _ => grouped,
            },
        }
    }

    /// The same of names that are guarded against spreadsheets.
    pub(crate) fn guarded(mut self) -> Self {
        self.guarded = true;
        self
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
        let name = |column: &Option<Column>| {
            let name = cell(column);
            if this.guarded { unguarded(name) } else { name }
        };
        let draft = Draft {
            line: row.line,
            name: name(&this.id),
            submit,
            duration,
            gpus: request.gpus,
            share: request.share,
            tenant: name(&this.tenant),
            model: name(&this.model),
            batch: None,
            asks: this.asks(row),
            record: this.record(row, submit),
            status,
        };
        Ok((draft, request))
    }

    /// Whose the job of a row is, how it was queued, and when and where it ran.
    fn record<'c>(&'c self, row: &Row<'c>, submit: f64) -> RowRecord<'c> {
        let labelled = &self.labelled;
        let name = |column: &Option<Column>| {
            let name = column.as_ref().map_or("", |c| row.cell(c.index));
            match is_missing(name) {
                true => "",
                false if self.guarded => unguarded(name),
                false => name,
            }
        };
        let mut labels = [""; Label::ALL.len()];
        for (label, column) in labels.iter_mut().zip(&labelled.labels) {
            *label = name(column);
        }
        let start = match &self.began {
            Began::Untold => None,
            Began::At(column) => match self.moment(row.cell(column.index)) {
                Some(Moment::Number(time) | Moment::Unix(time)) => Some(time),
                None => None,
            },
            Began::After(column) => {
                let wait = (self.number)(row.cell(column.index));
                wait.filter(|wait| *wait >= 0.0).map(|wait| submit + wait)
            }
        };
        let priority = labelled.priority.as_ref();
        let priority = priority.and_then(|column| (self.number)(row.cell(column.index)));
        RowRecord {
            labels,
            start,
            priority: match self.least_priority_first {
                true => priority.map(|priority| 0.0 - priority),
                false => priority,
            },
            ran_on: name(&labelled.ran_on),
            nodes: name(&labelled.nodes),
        }
    }

    /// What a row asks for besides GPUs. What is no number is not told.
    fn asks<'c>(&'c self, row: &Row<'c>) -> Asks<'c> {
        let known = |column: &Column| {
            let value = (self.number)(row.cell(column.index));
            value.filter(|value| value.is_finite() && *value > 0.0)
        };
        let of = |column: &Option<(Column, f64)>, times: &Option<Column>| {
            let (column, unit) = column.as_ref()?;
            let times = times.as_ref().and_then(known).unwrap_or(1.0);
            Some(known(column)? * unit * times)
        };
        let types = self.types.as_ref().map_or("", |c| row.cell(c.index));
        let time = self.requested_time.as_ref().and_then(|(column, unit)| {
            let cell = row.cell(column.index);
            let seconds = (self.number)(cell).map(|number| unit.seconds(number));
            seconds.or_else(|| spelled(cell))
        });
        Asks {
            types: if is_missing(types) { "" } else { types },
            cores: of(&self.cores, &self.workers).unwrap_or(0.0),
            memory: of(&self.memory, &self.memory_times).unwrap_or(0.0),
            gpu_memory: self.gpu_memory.as_ref().and_then(known).unwrap_or(0.0),
            time: sink::asked_time(time),
        }
    }

    fn request<'c>(&'c self, row: &Row<'c>) -> Result<Request, Refused<'c>> {
        let refused = |column: &'c Column, reason| Refused {
            reason,
            column,
            cell: row.cell(column.index),
        };
        let count = |column: &'c Column| {
            let cell = row.cell(column.index);
            match (self.number)(cell) {
                Some(number) => Ok(number),
                None if is_missing(cell) => Err(refused(column, DropReason::GpusMissing)),
                // As Slurm lists them.
                None if tres::is_list(cell) => Ok(tres::gpus(cell).unwrap_or(0.0)),
                None => Err(refused(column, DropReason::GpusInvalid)),
            }
        };
        if self.unit == Resource::Cores {
            let column = self.cores.as_ref().map_or(&self.gpus, |of| &of.0);
            let (gpus, share) =
                sink::cores(self.asks(row).cores).map_err(|reason| refused(column, reason))?;
            let gang = None;
            return Ok(Request { gpus, share, gang });
        }
        let each = match self.each {
            Some(each) => each,
            None => count(&self.gpus)?,
        };
        let workers = match &self.workers {
            Some(column) => count(column)?,
            None => 1.0,
        };
        let all = each * workers;
        let cores = match self.keeps_on_cores {
            true => self.asks(row).cores,
            false => 0.0,
        };
        let (gpus, mut share) = sink::gpus_or_cores(all, cores, self.keeps_on_cores)
            .map_err(|reason| refused(&self.gpus, reason))?;
        if let (Some(column), 1) = (&self.milli, gpus) {
            let cell = row.cell(column.index);
            let milli = number(cell);
            let sound = milli.is_some_and(|milli| (0.0..=1000.0).contains(&milli));
            if !sound && !is_missing(cell) {
                return Err(Refused {
                    reason: DropReason::ShareInvalid,
                    column,
                    cell,
                });
            }
            // Of none is said nothing.
            let part = milli.filter(|&milli| milli > 0.0 && milli < 1000.0);
            let part = part.map(|milli| sink::share(milli / 1000.0));
            if let Some(part) = part.filter(|&part| part < share) {
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
            (Clock::Dates, _) | (Clock::Unknown, Some(true)) => self.date(cell).map(Moment::Unix),
            (Clock::Unknown, Some(false)) => number().map(Moment::Number),
            (Clock::Unknown, None) => number()
                .map(Moment::Number)
                .or_else(|| self.date(cell).map(Moment::Unix)),
        }
    }

    fn date(&self, cell: &str) -> Option<f64> {
        date(cell).or_else(|| {
            let readings = date_year_last(cell)?;
            if self.day_first == Some(false) {
                readings.month_first
            } else {
                readings.day_first
            }
        })
    }

    /// The columns that hold points in time.
    fn times(&self) -> impl Iterator<Item = &Column> {
        let bounds = match &self.span {
            Span::Column(..) => [None, None],
            Span::Between(start, end) | Span::Checked { start, end, .. } => {
                [Some(start), Some(end)]
            }
        };
        std::iter::once(&self.submit).chain(bounds.into_iter().flatten())
    }

    /// Puts a row aside that cannot be read before it is known whether days come first; reads
    /// those that waited once a row tells. Whether the row waits.
    fn waits(&mut self, row: &Row<'_>, sink: &mut Sink) -> bool {
        let mut waits = !self.waiting.is_empty();
        let mut told = None;
        for column in self.times() {
            let cell = row.cell(column.index);
            match date_year_last(cell).map(|d| (d.day_first, d.month_first)) {
                Some((Some(_), None)) => told = told.or(Some((true, cell))),
                Some((None, Some(_))) => told = told.or(Some((false, cell))),
                Some((day, month)) => waits |= day != month,
                None => {}
            }
        }
        if let Some((day_first, cell)) = told {
            self.day_told = Some((row.line, cell.to_owned()));
            self.settle(day_first, sink);
            return false;
        }
        if waits {
            self.waiting.push(row.keep());
            if self.waiting.len() == WAITING {
                self.guess_day(sink);
            }
        }
        waits
    }

    /// Reads the rows that waited.
    fn settle(&mut self, day_first: bool, sink: &mut Sink) {
        self.day_first = Some(day_first);
        for kept in std::mem::take(&mut self.waiting) {
            self.take(&kept.row(), sink);
        }
    }

    /// No row tells: the reading under which jobs were submitted within the shorter time is taken,
    /// else that with the day first.
    fn guess_day(&mut self, sink: &mut Sink) {
        let Some(first) = self.waiting.first() else {
            return;
        };
        let cell_of = |kept: &OwnedRow| kept.row().cell(self.submit.index).to_owned();
        let (line, cell) = (first.row().line, cell_of(first));
        let mut bounds = [(f64::INFINITY, f64::NEG_INFINITY); 2];
        for readings in self
            .waiting
            .iter()
            .filter_map(|k| date_year_last(&cell_of(k)))
        {
            let at = [readings.day_first, readings.month_first];
            for (bounds, at) in bounds.iter_mut().zip(at) {
                if let Some(at) = at {
                    *bounds = (bounds.0.min(at), bounds.1.max(at));
                }
            }
        }
        let [day, month] = bounds.map(|(first, last)| last - first);
        let day_first = day <= month;
        let count = self.waiting.len() as u32;
        let order = if day_first { "day" } else { "month" };
        let detail = || format!("'{}' was read {order} first", shorten(&cell));
        let kind = WarningKind::DatesAmbiguous;
        sink.tally.warn(kind, count, line, &detail);
        self.settle(day_first, sink);
    }

    /// How dates were read, in words.
    pub(crate) fn dates_text(&self) -> String {
        let order = match self.day_first {
            None => return "dates, UTC unless they have a zone".to_owned(),
            Some(true) => "day before month",
            Some(false) => "month before day",
        };
        let told = self
            .day_told
            .as_ref()
            .map_or_else(String::new, |(line, cell)| {
                format!(" as '{}' in line {line} tells", shorten(cell))
            });
        format!("dates with the {order}{told}, UTC unless they have a zone")
    }

    /// Why the time between start and end is no duration: of what had not ended, the end is 0 or 1970.
    fn why_none<'c>(
        &self,
        start: &'c Column,
        end: &'c Column,
        row: &Row<'c>,
        reason: DropReason,
    ) -> Refused<'c> {
        let time = |column: &Column| self.moment(row.cell(column.index));
        let is_unset = |time: Option<Moment>| match time {
            Some(Moment::Number(number)) => number <= 0.0,
            // Midnight of that day, somewhere.
            Some(Moment::Unix(seconds)) => seconds.abs() <= 86_400.0,
            None => false,
        };
        let submitted = time(&self.submit);
        let is_set = |time: Option<Moment>| time.is_some() && !is_unset(time);
        let (reason, column) = if !is_unset(time(end)) {
            (reason, end)
        } else if is_set(time(start)) {
            (DropReason::NotEnded, end)
        } else if is_set(submitted) {
            (DropReason::NotBegun, start)
        } else {
            (reason, end)
        };
        Refused {
            reason,
            column,
            cell: row.cell(column.index),
        }
    }

    fn duration<'c>(&'c self, row: &Row<'c>) -> Result<f64, Refused<'c>> {
        match &self.span {
            Span::Column(column, unit) => self.told(column, *unit, row),
            Span::Between(start, end) => {
                let span = self.between(start, end, row)?;
                match sink::duration(span) {
                    Ok(duration) => Ok(duration),
                    // Not known to be seconds yet.
                    Err(DropReason::DurationOutOfRange) if self.clock == Clock::Unknown => Ok(span),
                    Err(reason) => Err(self.why_none(start, end, row, reason)),
                }
            }
            Span::Checked {
                duration,
                unit,
                start,
                end,
            } => match (self.told(duration, *unit, row), self.clock_in_seconds()) {
                (Err(refused), Some(unit)) if refused.reason == DropReason::DurationMissing => {
                    let span = unit.seconds(self.between(start, end, row)?);
                    sink::duration(span).map_err(|reason| self.why_none(start, end, row, reason))
                }
                (told, _) => told,
            },
        }
    }

    /// What a difference of times is in, where that is known.
    fn clock_in_seconds(&self) -> Option<TimeUnit> {
        match (self.clock, self.dates) {
            (Clock::Unknown, Some(false) | None) => self.clock_unit,
            _ => Some(TimeUnit::Seconds),
        }
    }

    /// A column's duration: a number of units, or hours, minutes and seconds.
    fn told<'c>(
        &self,
        column: &'c Column,
        unit: TimeUnit,
        row: &Row<'c>,
    ) -> Result<f64, Refused<'c>> {
        let cell = row.cell(column.index);
        let refused = |reason| Refused {
            reason,
            column,
            cell,
        };
        let seconds = (self.number)(cell).map(|number| unit.seconds(number));
        match seconds.or_else(|| spelled(cell)) {
            Some(seconds) => sink::duration(seconds).map_err(refused),
            None if is_missing(cell) => Err(refused(DropReason::DurationMissing)),
            None => Err(refused(DropReason::DurationInvalid)),
        }
    }

    /// The time between two columns, in the clock's unit.
    fn between<'c>(
        &self,
        start: &'c Column,
        end: &'c Column,
        row: &Row<'c>,
    ) -> Result<f64, Refused<'c>> {
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
        Ok(time(end)? - time(start)?)
    }

    /// Keeps a row or leaves it out.
    fn take(&mut self, row: &Row<'_>, sink: &mut Sink) {
        let mode = self.mode.as_ref().map(|column| row.cell(column.index));
        match self.read(row) {
            Ok((mut draft, request)) => {
                let named = mode.and_then(|mode| with_mode(draft.model, mode));
                if let Some(named) = &named {
                    draft.model = named;
                }
                let duration = draft.duration;
                sink.keep(draft);
                if let Some((workers, each)) = request.gang {
                    let kind = WarningKind::GangsMultiplied;
                    let detail = || format!("{workers} workers with {each} GPUs each");
                    sink.tally.warn(kind, 1, row.line, &detail);
                }
                self.check(row, duration);
            }
            Err(refused) => sink.drop(refused.reason, row.line, &|| {
                cell_is(&refused.column.shown, refused.cell)
            }),
        }
    }

    /// Looks how a kept row's duration is written, and whether start and end agree with it.
    fn check(&mut self, row: &Row<'_>, duration: f64) {
        let column = match &self.span {
            Span::Column(column, _) => column,
            Span::Between(..) => return,
            Span::Checked {
                duration: column,
                start,
                end,
                ..
            } => {
                if let Ok(between) = self.between(start, end, row)
                    && !is_missing(row.cell(column.index))
                {
                    self.disagreements.note(row.line, duration, between);
                }
                column
            }
        };
        let cell = row.cell(column.index);
        let spelled = cell.contains([':', 'd', 'P', 'h', 'm', 's']);
        self.spelled = self.spelled.saturating_add(u32::from(spelled));
        if spelled && minutes_and_seconds(cell).is_some() {
            self.minutes = self.minutes.saturating_add(1);
            self.first_minutes
                .get_or_insert_with(|| (row.line, cell.to_owned()));
        }
    }
}

impl Importer for Columns {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        let open = self.day_first.is_none() && self.dates != Some(false);
        if !(open && self.waits(row, sink)) {
            self.take(row, sink);
        }
    }

    fn finish(&mut self, sink: &mut Sink) {
        self.guess_day(sink);
        if let Some((line, cell)) = &self.first_minutes {
            let kind = WarningKind::MinutesAssumed;
            let detail = || format!("'{}'", shorten(cell));
            sink.tally.warn(kind, self.minutes, *line, &detail);
        }
        if self.dates == Some(true) || self.clock == Clock::Unix {
            sink.zero = Some(0.0);
        }
    }

    fn units(&self) -> String {
        match self.day_first {
            None => self.units.clone(),
            Some(_) => format!("{} Times are {}.", self.units, self.dates_text()),
        }
    }

    fn named(&self) -> bool {
        self.id.is_some()
    }
}

/// Seconds of a span that is written out.
fn spelled(cell: &str) -> Option<f64> {
    span(cell).or_else(|| minutes_and_seconds(cell))
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
