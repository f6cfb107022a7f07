//! Where importers put what they read, and what a row must fulfil to become a [`Record`].

use super::header::Header;
use super::mapping::TableHead;
use super::report::{DropReason, Tally, WarningKind, cell_is};
use super::rows::{Row, is_missing};
use super::sniff::Sniff;
use super::timestamp::MAX_SECONDS;
use super::{Finite, Index, Record};
use crate::Resource;
use crate::cluster::{MAX_TYPES, type_name_in_file};
use crate::job::{Demand, Servers, Status, TypeSet};
use foldhash::fast::FixedState;
use indexmap::IndexSet;
use std::collections::{HashMap, HashSet};
use switchyard_model::workload::{Label, Labels};

/// From so many jobs on it tells how many will come.
const MANY: usize = 1 << 16;

/// So many cells are known by what they mean: logs repeat the same few.
pub(crate) const MOST_KNOWN: usize = 4096;

/// What one of a trace's two tables gives for the other.
pub(crate) enum Half {
    /// Records without GPUs.
    Jobs,
    /// Tasks of jobs, types by their index in the sink's.
    Tasks(Vec<Task>),
}

/// What a task asks for, all its instances together.
#[derive(Clone, Copy, Default)]
pub(crate) struct Task {
    pub(crate) job: u128,
    pub(crate) gpus: f64,
    pub(crate) types: TypeSet,
    pub(crate) cores: f64,
    pub(crate) memory: f64,
}

/// The records of one file and what was noticed on the way.
pub(crate) struct Sink {
    pub(crate) records: Vec<Record>,
    pub(crate) tenants: Names,
    pub(crate) models: Names,
    pub(crate) labels: LabelNames,
    pub(crate) nodes: Names,
    /// Canonical names of GPU types.
    pub(crate) gpu_types: Names,
    /// What cells that name types mean.
    types: HashMap<Box<str>, TypeSet, FixedState>,
    pub(crate) tally: Tally,
    /// What is counted of each job.
    pub(crate) unit: Resource,
    /// Whether jobs are kept that ask for cores and no GPU.
    pub(crate) keeps_on_cores: bool,
    /// Rows seen, kept or not.
    pub(crate) rows: u32,
    /// How many may be seen.
    max_rows: u32,
    /// Unix seconds of the moment that the file calls 0; `Some(0.0)` where its times are
    /// absolute, `None` where it does not tell.
    pub(crate) zero: Option<f64>,
    /// The table, where one can say which of its columns are which.
    pub(crate) table: Option<TableHead>,
    /// The settings above a table of ours.
    pub(crate) header: Option<Header>,
    /// What another file has to complete.
    pub(crate) half: Option<Half>,
}

/// What an importer read from one row.
pub(crate) struct Draft<'r> {
    pub(crate) line: u32,
    /// "" where the format has no names: the line stands in.
    pub(crate) name: &'r str,
    pub(crate) submit: f64,
    pub(crate) duration: f64,
    pub(crate) gpus: u32,
    /// As in [`Record::share`].
    pub(crate) share: f32,
    /// "" where the row names none.
    pub(crate) tenant: &'r str,
    /// "" where the row names none.
    pub(crate) model: &'r str,
    pub(crate) batch: Option<u32>,
    pub(crate) asks: Asks<'r>,
    pub(crate) record: RowRecord<'r>,
    pub(crate) status: Status,
}

/// What a row tells of whose the job is, how it was queued, and when and where it ran.
#[derive(Clone, Copy, Default)]
pub(crate) struct RowRecord<'r> {
    /// By label; "" where the row names none.
    pub(crate) labels: [&'r str; Label::ALL.len()],
    /// When it began, on the submission's clock.
    pub(crate) start: Option<f64>,
    pub(crate) priority: Option<f64>,
    /// GPU types that it ran on, joined by `|`; "" where that is not told.
    pub(crate) ran_on: &'r str,
    /// Nodes in the words of the log; "" where it names none.
    pub(crate) nodes: &'r str,
}

/// What a row asks for besides GPUs.
#[derive(Clone, Copy, Default)]
pub(crate) struct Asks<'r> {
    /// GPU types that will do, joined by `|`; "" for any.
    pub(crate) types: &'r str,
    /// Cores of the whole job; 0: not told.
    pub(crate) cores: f64,
    /// GiB of the whole job; 0: not told.
    pub(crate) memory: f64,
    /// GiB of each of its GPUs; 0: not told.
    pub(crate) gpu_memory: f64,
    /// Seconds, as [`asked_time`] has them.
    pub(crate) time: Option<f64>,
}

/// Seconds that a row asks for, if they are any: formats have 0, −1 or infinity where nothing is asked.
pub(crate) fn asked_time(seconds: Option<f64>) -> Option<f64> {
    seconds.and_then(|seconds| duration(seconds).ok())
}

impl Asks<'_> {
    /// The same as it is kept.
    pub(crate) fn demand(&self, types: TypeSet) -> Demand {
        let units = |value: f64, unit: f64| {
            // What was written in decimals is no hair more than whole.
            let units = (value * unit - 1e-6).ceil();
            if units > 0.0 { units as u32 } else { 0 }
        };
        Demand {
            types,
            gpu_memory: units(self.gpu_memory, 1024.0),
            cores: units(self.cores, 1000.0),
            memory: units(self.memory, 1024.0),
            // That is said by the record.
            share: None,
            servers: Servers::NONE,
            time: self.time,
        }
    }
}

/// Says that a job names GPU types.
pub(crate) fn tally_types(tally: &mut Tally, line: u32, asks: &Asks<'_>, demand: Demand) {
    if !demand.types.is_any() {
        let detail = || match asks.types {
            "" => "its tasks name them".to_owned(),
            types => types.to_owned(),
        };
        tally.warn(WarningKind::GpuTypes, 1, line, &detail);
    }
}

impl Sink {
    /// For a file that may have so many rows.
    pub(crate) fn new(file: &str, max_rows: u32) -> Self {
        Self {
            max_rows,
            unit: Resource::default(),
            keeps_on_cores: false,
            records: Vec::new(),
            tenants: Names::default(),
            models: Names::default(),
            labels: LabelNames::default(),
            nodes: Names::default(),
            gpu_types: Names::default(),
            types: HashMap::default(),
            tally: Tally::new(file),
            rows: 0,
            zero: None,
            table: None,
            header: None,
            half: None,
        }
    }

    /// The same for what is counted of a file.
    pub(crate) fn counting(self, sniff: &Sniff<'_>) -> Self {
        Self {
            unit: sniff.unit,
            keeps_on_cores: sniff.keeps_on_cores,
            ..self
        }
    }

    /// Counts a row. Whether it may be read: none is beyond the limit.
    pub(crate) fn count_row(&mut self) -> bool {
        let room = self.rows < self.max_rows;
        self.rows = self.rows.saturating_add(1);
        room
    }

    /// Whether there were more rows than may be read.
    pub(crate) fn is_overfull(&self) -> bool {
        self.rows > self.max_rows
    }

    /// Makes room for the jobs to come, as soon as the next slice may need it: in all they may be so many times
    /// those that have. Room that doubles would be needed twice while it is moved, and half of it never.
    pub(crate) fn make_room(&mut self, times: f64) {
        let (jobs, room) = (self.records.len(), self.records.capacity());
        let expected = (jobs as f64 * times).min(f64::from(self.max_rows));
        if jobs >= MANY && room - jobs < jobs / 8 && expected as usize > room {
            let more = (expected * 1.01) as usize - jobs;
            self.records.reserve_exact(more);
        }
    }

    /// Warns of a row that has fewer or more cells than the header; 0: there is none to compare with.
    pub(crate) fn check_width(&mut self, row: &Row<'_>, width: usize) {
        let long = row.len() > width && row.filled() > width;
        if width > 0 && (row.len() < width || long) {
            let cells = row.len();
            let detail = || format!("{cells} cells instead of {width}");
            let kind = WarningKind::RaggedRows;
            self.tally.warn(kind, 1, row.line, &detail);
        }
    }

    /// Leaves a row out; `detail` is asked only for the first of its kind.
    pub(crate) fn drop(&mut self, reason: DropReason, line: u32, detail: &dyn Fn() -> String) {
        self.tally.drop(reason, line, detail);
    }

    /// Whole GPUs of a row, and the share of the last of them; or cores (0: not told), where they are counted. None
    /// of a job that asks for cores alone, where those are kept.
    pub(crate) fn occupied(&self, gpus: f64, cores: f64) -> Result<(u32, f32), DropReason> {
        match self.unit {
            Resource::Gpus => gpus_or_cores(gpus, cores, self.keeps_on_cores),
            Resource::Cores => self::cores(cores),
        }
    }

    /// Keeps a row whose values have passed [`occupied`](Self::occupied), [`submit`] and [`duration`].
    pub(crate) fn keep(&mut self, mut draft: Draft<'_>) {
        if self.unit == Resource::Cores {
            draft.asks = Asks {
                memory: draft.asks.memory,
                time: draft.asks.time,
                ..Asks::default()
            };
            draft.record.ran_on = "";
        }
        if draft.share < 1.0 {
            let gpus = f64::from(draft.gpus - 1) + shown(draft.share);
            let detail = || format!("{gpus} GPUs");
            let kind = WarningKind::FractionalGpus;
            self.tally.warn(kind, 1, draft.line, &detail);
        }
        let demand = self.demand(&draft);
        let RowRecord {
            labels,
            start,
            priority,
            ran_on,
            nodes,
        } = draft.record;
        let ran_on = match ran_on {
            "" => TypeSet::ANY,
            types => self.types(types, draft.line),
        };
        let name = if draft.name.is_empty() {
            draft.line.to_string().into()
        } else {
            draft.name.into()
        };
        let mut record = Record {
            line: draft.line,
            name,
            submit: draft.submit,
            duration: draft.duration,
            gpus: draft.gpus,
            start: start.and_then(Finite::new),
            ran_on,
            share: draft.share,
            tenant: self.tenants.index(draft.tenant),
            model: self.models.index(draft.model),
            labels: self.labels.index(labels).and_then(Index::new),
            nodes: self.nodes.index(nodes).and_then(Index::new),
            priority: priority.and_then(Finite::new),
            demand,
            status: draft.status,
            rare: None,
        };
        record.set_batch(draft.batch);
        self.records.push(record);
    }

    /// The job kept last failed before, after so many seconds each time, and was tried again.
    pub(crate) fn tried_before(&mut self, attempts: Vec<f64>) {
        if let (Some(record), Some(first)) = (self.records.last_mut(), attempts.first()) {
            let count = attempts.len();
            let detail = || format!("{count} failed, the first after {first} s");
            let kind = WarningKind::Attempts;
            self.tally.warn(kind, 1, record.line, &detail);
            record.set_attempts(attempts);
        }
    }

    fn demand(&mut self, draft: &Draft<'_>) -> Demand {
        let types = match draft.asks.types {
            "" => TypeSet::ANY,
            types => self.types(types, draft.line),
        };
        let demand = draft.asks.demand(types);
        tally_types(&mut self.tally, draft.line, &draft.asks, demand);
        demand
    }

    /// The set of types that a cell names.
    pub(crate) fn types(&mut self, cell: &str, line: u32) -> TypeSet {
        if let Some(types) = self.types.get(cell) {
            return *types;
        }
        let mut types = TypeSet::ANY;
        let named = cell.split('|').map(str::trim);
        for name in named.filter(|name| !is_missing(name)) {
            let known = type_name_in_file(name).ok();
            let index = known.and_then(|name| self.gpu_types.index(&name));
            match index.filter(|&index| (index as usize) < MAX_TYPES) {
                Some(index) => types = types.with(index),
                None => {
                    let kind = WarningKind::GpuTypesUnread;
                    self.tally
                        .warn(kind, 1, line, &|| cell_is("GPU type", name));
                    return TypeSet::ANY;
                }
            }
        }
        if self.types.len() < MOST_KNOWN {
            self.types.insert(cell.into(), types);
        }
        types
    }

    /// Warns of what only the whole file shows. `named`: the format has ids of its own.
    pub(crate) fn review(&mut self, named: bool) {
        let [first, rest @ ..] = self.records.as_slice() else {
            return;
        };
        let (mut unsorted, mut unsorted_line) = (0, 0);
        let (mut running, mut running_line) = (0, 0);
        let (mut same, mut counts_up) = (true, true);
        let mut above = first;
        for (row, record) in self.records.iter().enumerate() {
            if record.submit < above.submit {
                if unsorted == 0 {
                    unsorted_line = record.line;
                }
                unsorted += 1;
            }
            if record.status == Status::Running {
                if running == 0 {
                    running_line = record.line;
                }
                running += 1;
            }
            same &= record.submit == first.submit;
            // Ids that count up, as most do, need no search.
            counts_up &= row == 0 || is_before(&above.name, &record.name);
            above = record;
        }
        let same = same && !rest.is_empty();
        let (jobs, line, at) = (self.records.len() as u32, first.line, first.submit);
        let tally = &mut self.tally;
        tally.warn(WarningKind::Unsorted, unsorted, unsorted_line, &|| {
            "submitted before the row above".to_owned()
        });
        if same {
            let kind = WarningKind::SameSubmit;
            tally.warn(kind, jobs, line, &|| format!("all at {at}"));
        }
        tally.warn(WarningKind::Censored, running, running_line, &|| {
            "had not ended".to_owned()
        });
        if named && !counts_up {
            self.review_names();
        }
    }

    fn review_names(&mut self) {
        let mut seen = HashSet::with_capacity_and_hasher(self.records.len(), FixedState::default());
        let (mut count, mut first) = (0, None);
        for record in &self.records {
            if !seen.insert(&*record.name) {
                count += 1;
                first = first.or(Some(record));
            }
        }
        if let Some(record) = first {
            let (line, name) = (record.line, &record.name);
            let kind = WarningKind::DuplicateIds;
            let detail = || cell_is("id", name);
            self.tally.warn(kind, count, line, &detail);
        }
    }
}

/// Whether an id is before another that counts up: shorter, or the same length and before it.
fn is_before(a: &str, b: &str) -> bool {
    (a.len(), a) < (b.len(), b)
}

/// Names in order of their first appearance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    names: IndexSet<String, FixedState>,
    last: usize,
}

impl Names {
    /// The index of a name, which is new or known; `None` for "".
    pub(crate) fn index(&mut self, name: &str) -> Option<u32> {
        if name.is_empty() {
            return None;
        }
        // Neighbouring rows often share the name.
        if self.names.get_index(self.last).is_none_or(|n| n != name) {
            self.last = match self.names.get_index_of(name) {
                Some(index) => index,
                None => self.names.insert_full(name.to_owned()).0,
            };
        }
        Some(self.last as u32)
    }

    pub(crate) fn into_list(self) -> Vec<String> {
        self.names.into_iter().collect()
    }

    pub(crate) fn list(&self) -> impl Iterator<Item = &String> {
        self.names.iter()
    }
}

/// The names that jobs have under labels, and the combinations that occur.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelNames {
    names: [Names; Label::ALL.len()],
    /// Each of a label's names by its index and 1; 0: none.
    sets: IndexSet<[u32; Label::ALL.len()], FixedState>,
    /// By what a combination has under the first label, the last one that had it.
    latest: Vec<usize>,
}

impl LabelNames {
    /// The combination of these names; `None` where all are "".
    pub(crate) fn index(&mut self, words: [&str; Label::ALL.len()]) -> Option<u32> {
        if words.iter().all(|word| word.is_empty()) {
            return None;
        }
        let mut set = [0; Label::ALL.len()];
        for ((at, names), word) in set.iter_mut().zip(&mut self.names).zip(words) {
            *at = names.index(word).map_or(0, |index| index + 1);
        }
        self.index_of(set)
    }

    fn index_of(&mut self, set: [u32; Label::ALL.len()]) -> Option<u32> {
        if set == [0; Label::ALL.len()] {
            return None;
        }
        // A user's jobs are alike.
        let [first, ..] = set;
        if self.latest.len() <= first as usize {
            self.latest.resize(first as usize + 1, 0);
        }
        let latest = self.latest.get_mut(first as usize)?;
        if self.sets.get_index(*latest) != Some(&set) {
            *latest = self.sets.insert_full(set).0;
        }
        Some(*latest as u32)
    }

    /// Takes in those of another file: of each of its combinations, which it is here.
    pub(crate) fn merge(&mut self, other: &Self) -> Vec<Option<u32>> {
        let mut of = Vec::new();
        for (own, names) in self.names.iter_mut().zip(&other.names) {
            of.push(names.list().map(|name| own.index(name)).collect::<Vec<_>>());
        }
        let sets = other.sets.iter().map(|set| {
            let mut own = [0; Label::ALL.len()];
            for ((own, at), of) in own.iter_mut().zip(set).zip(&of) {
                let at = at.checked_sub(1);
                let known = at.and_then(|at| *of.get(at as usize)?);
                *own = known.map_or(0, |index| index + 1);
            }
            self.index_of(own)
        });
        sets.collect()
    }

    pub(crate) fn into_labels(self) -> Labels {
        Labels {
            names: self.names.map(Names::into_list),
            sets: self
                .sets
                .into_iter()
                .map(|set| set.map(|at| at.checked_sub(1)))
                .collect(),
        }
    }
}

/// Whole GPUs, and the share of the last of them that is asked for.
pub(crate) fn gpus(value: f64) -> Result<(u32, f32), DropReason> {
    // Most numbers are whole, and rounding is a call.
    let count = value as u32;
    if f64::from(count) == value && count > 0 {
        return Ok((count, 1.0));
    }
    let whole = value.ceil();
    if value == 0.0 {
        Err(DropReason::NoGpus)
    } else if value > 0.0 && whole <= f64::from(u32::MAX) {
        Ok((whole as u32, share(value - whole + 1.0)))
    } else {
        Err(DropReason::GpusInvalid)
    }
}

/// The same; none of a job that asks for cores alone, where those are kept.
pub(crate) fn gpus_or_cores(
    value: f64,
    cores: f64,
    keeps_on_cores: bool,
) -> Result<(u32, f32), DropReason> {
    match gpus(value) {
        Err(DropReason::NoGpus) if keeps_on_cores && cores > 0.0 => Ok((0, 1.0)),
        of => of,
    }
}

/// Whole cores, and the share of the last of them that is asked for.
pub(crate) fn cores(value: f64) -> Result<(u32, f32), DropReason> {
    gpus(value).map_err(|_| match value == 0.0 {
        true => DropReason::CoresMissing,
        false => DropReason::CoresInvalid,
    })
}

/// A part of a GPU, which is never nothing, however little it is.
pub(crate) fn share(part: f64) -> f32 {
    let share = part as f32;
    if share > 0.0 {
        share
    } else {
        f32::MIN_POSITIVE
    }
}

/// A share as it was written.
fn shown(share: f32) -> f64 {
    // Shortest digits that stand for it, which are those of the file.
    share.to_string().parse().unwrap_or_default()
}

/// A time of submission in seconds.
pub(crate) fn submit(seconds: f64) -> Result<f64, DropReason> {
    if !seconds.is_finite() {
        Err(DropReason::SubmitInvalid)
    } else if seconds < 0.0 {
        Err(DropReason::SubmitNegative)
    } else if seconds > MAX_SECONDS {
        Err(DropReason::SubmitOutOfRange)
    } else {
        // Minus zero is zero.
        Ok(seconds.abs())
    }
}

/// A duration in seconds.
pub(crate) fn duration(seconds: f64) -> Result<f64, DropReason> {
    if !seconds.is_finite() {
        Err(DropReason::DurationNotFinite)
    } else if seconds == 0.0 {
        Err(DropReason::DurationZero)
    } else if seconds < 0.0 {
        Err(DropReason::DurationNegative)
    } else if seconds > MAX_SECONDS {
        Err(DropReason::DurationOutOfRange)
    } else {
        Ok(seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds() {
        assert_eq!(gpus(0.01), Ok((1, 0.01)));
        assert_eq!(gpus(2.25), Ok((3, 0.25)));
        assert_eq!(gpus(8.0), Ok((8, 1.0)));
        assert_eq!(gpus(1e-300), Ok((1, f32::MIN_POSITIVE)));
        assert_eq!(gpus(0.0), Err(DropReason::NoGpus));
        for bad in [-1.0, f64::NAN, f64::INFINITY, 5e9] {
            assert_eq!(gpus(bad), Err(DropReason::GpusInvalid));
        }
        assert_eq!(submit(0.0), Ok(0.0));
        assert_eq!(submit(-1.0), Err(DropReason::SubmitNegative));
        assert_eq!(submit(1e11), Err(DropReason::SubmitOutOfRange));
        assert_eq!(duration(0.5), Ok(0.5));
        assert_eq!(duration(0.0), Err(DropReason::DurationZero));
        assert_eq!(duration(-0.5), Err(DropReason::DurationNegative));
        assert_eq!(duration(f64::NAN), Err(DropReason::DurationNotFinite));
        assert_eq!(duration(1e11), Err(DropReason::DurationOutOfRange));
    }

    #[test]
    fn names_are_numbered_as_they_appear() {
        let mut names = Names::default();
        let seen: Vec<_> = ["b", "a", "", "b", "a"].map(|n| names.index(n)).into();
        assert_eq!(seen, [Some(0), Some(1), None, Some(0), Some(1)]);
        assert_eq!(names.into_list(), ["b", "a"]);
    }
}
