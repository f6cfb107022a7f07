//! Slurm's accounting, as `sacct` prints it.
//!
//! With `--parsable2`, rows separated by `|`, below a header or (`--noheader`) without: `JobID` or
//! `JobIDRaw`, `Submit`; the duration from `ElapsedRaw` in seconds, else `Elapsed` such as `1-02:03:04`, else
//! `End` − `Start`; the GPUs from the first of `AllocTRES` such as `cpu=32,gres/gpu=8,node=2`,
//! `ReqTRES`, `AllocGRES` such as `gpu:a100:2` and `ReqGRES` that tells something; their types from the
//! first of what was requested, else allocated: who asked for any may run on any. Without a header
//! columns are told by their cells, and three dates are needed, since a lone time could be the
//! limit. Timestamps have no zone. Rows whose id has a dot are steps of a job that has a row of its
//! own. `TimelimitRaw` in minutes, else `Timelimit` such as `1-00:00:00`, is the time that is asked for; words
//! in it, such as `UNLIMITED`, ask for none. Where no list of resources tells GPUs, a column of their
//! number does, which is none of sacct's own. `User`, `Account`, `Partition`, `QOS`, `Reservation`, `Priority`, `Start`
//! and `NodeList` are kept, and the cores and memory of the lists, else of `ReqCPUS` and `ReqMem`. With `--duplicates` a job that was queued again has a row for
//! each time it ran; they are one job.
//!
//! In columns of fixed width (`fixed`), a list that is cut off tells no GPUs.
//!
//! Where `--delimiter=,` was asked for, commas within lists are not quoted: cells that look like parts of
//! one list (`cpu=8`, `gres/gpu=2`) are one cell.
//!
//! Source: <https://slurm.schedmd.com/sacct.html>.

use crate::Resource;
use crate::columns::missing_columns;
use crate::error::{OpenError, Role};
use crate::format::{Format, Importer};
use crate::guess::guess;
use crate::job::Status;
use crate::mapping::ColumnMapping;
use crate::report::{DropReason, cell_is};
use crate::rows::{OwnedRow as Joined, Row, date, is_missing, number, span};
use crate::sink::{self, Asks, Draft, RowRecord, Sink};
use crate::slurm::{Requeued, state};
use crate::sniff::{Column, Evidence, Sniff};
use crate::timestamp::TimeUnit;
use crate::tres::{self, List, Lists};
use std::collections::BTreeSet;
use std::rc::Rc;
use switchyard_model::workload::Label;

pub(super) const FORMAT: Format = Format {
    id: "sacct",
    title: "Slurm accounting (sacct)",
    accounting: true,
    recognise: |sniff| match Layout::headerless(sniff) {
        Some(layout) => Some(Evidence {
            weight: 4,
            text: format!(
                "no header, but job ids in {}, times in {} and resources in {}",
                layout.id.shown,
                layout.submit.shown,
                layout.gpus.first()?.shown
            ),
        }),
        None => IDS.iter().find_map(|id| {
            let raw = sniff.with_columns(&[id, "submit", "elapsedraw"]);
            raw.or_else(|| {
                let listed = GPUS.iter().any(|name| sniff.column(name).is_some());
                let elapsed = sniff.with_columns(&[id, "submit", "elapsed"]);
                let between = || sniff.with_columns(&[id, "submit", "start", "end"]);
                elapsed.or_else(between).filter(|_| listed)
            })
        }),
    },
    importer: |sniff, _| {
        let layout = match Layout::headerless(sniff) {
            Some(layout) => layout,
            None => Layout::named(sniff)?,
        };
        let header = sniff.headerless().is_none();
        Ok(Box::new(Sacct {
            layout,
            width: if header && sniff.delimiter() == b',' {
                sniff.width
            } else {
                usize::MAX
            },
            requeued: Requeued::default(),
            known: Lists::default(),
            lists: Vec::new(),
        }))
    },
};

/// The columns that name a job, the most telling first.
const IDS: [&str; 2] = ["jobid", "jobidraw"];

/// The columns that list resources, the most certain first.
const GPUS: [&str; 4] = ["alloctres", "reqtres", "allocgres", "reqgres"];

/// The columns that count cores, the most certain first.
const CORES: [&str; 3] = ["alloccpus", "ncpus", "reqcpus"];

/// Which column holds what.
struct Layout {
    id: Column,
    submit: Column,
    elapsed: Elapsed,
    /// Lists of resources, the first that is filled counts.
    gpus: Vec<Column>,
    /// A number of GPUs, where no list tells any.
    count: Option<Column>,
    /// A number of cores, where no list tells any.
    cores: Vec<Column>,
    tenant: Option<Column>,
    columns_of_record: RecordColumns,
    state: Option<Column>,
    /// The time that is asked for: in minutes where it is a number.
    limit: Option<Column>,
}

/// What is kept besides: whose the job is, how it was queued, what else it asked for, and where it ran.
#[derive(Default)]
struct RecordColumns {
    /// By label.
    labels: [Option<Column>; Label::ALL.len()],
    start: Option<Column>,
    priority: Option<Column>,
    nodes: Option<Column>,
    /// Cores of the whole job, where no list of resources tells them.
    cores: Option<Column>,
    /// Memory of the whole job, or with a last letter `c` of each core, and with `n` of each node.
    memory: Option<Column>,
    /// How many nodes.
    node_count: Option<Column>,
}

impl RecordColumns {
    fn named(sniff: &Sniff<'_>) -> Self {
        let named = |names: &[&str]| names.iter().find_map(|name| sniff.column(name).cloned());
        Self {
            labels: Label::ALL.map(|label| named(&[label.word()])),
            start: named(&["start"]),
            priority: named(&["priority"]),
            nodes: named(&["nodelist"]),
            cores: named(&["reqcpus", "alloccpus", "ncpus"]),
            memory: named(&["reqmem"]),
            node_count: named(&["reqnodes", "nnodes", "allocnodes"]),
        }
    }

    fn record<'c>(&self, row: &Row<'c>) -> RowRecord<'c> {
        let cell = |column: &Option<Column>| column.as_ref().map_or("", |c| row.cell(c.index));
        let name = |column: &Option<Column>| match cell(column) {
            missing if is_missing(missing) || missing == "None assigned" => "",
            name => name,
        };
        RowRecord {
            labels: self.labels.each_ref().map(name),
            start: time(cell(&self.start)),
            priority: number(cell(&self.priority)),
            ran_on: "",
            nodes: name(&self.nodes),
        }
    }

    /// Cores and GiB of the whole job; 0 where nothing tells them.
    fn needs<'l>(
        &self,
        lists: impl Iterator<Item = (&'l Column, &'l List)> + Clone,
        row: &Row<'_>,
    ) -> (f64, f64) {
        let cell = |column: &Option<Column>| column.as_ref().map_or("", |c| row.cell(c.index));
        let listed = |of: fn(&List) -> Option<f64>| {
            let requested = |(column, _): &(&Column, &List)| column.name.starts_with("req");
            let asked = lists.clone().filter(requested);
            let given = lists.clone().filter(|of| !requested(of));
            let mut lists = asked.chain(given);
            lists.find_map(|(_, list)| of(list))
        };
        let cores = listed(|list| list.cores).or_else(|| number(cell(&self.cores)));
        let cores = cores.unwrap_or(0.0);
        let memory = listed(|list| list.memory).or_else(|| {
            let text = cell(&self.memory);
            let each = match text.strip_suffix('c') {
                Some(text) => Some((text, cores)),
                None => text.strip_suffix('n').map(|text| {
                    let nodes = number(cell(&self.node_count));
                    (text, nodes.unwrap_or(1.0))
                }),
            };
            let (text, times) = each.unwrap_or((text, 1.0));
            Some(tres::gibibytes(text)? * times)
        });
        (cores, memory.unwrap_or(0.0))
    }
}

/// Where the duration stands.
enum Elapsed {
    /// In one column, in seconds or as hours, minutes and seconds.
    Told(Column),
    /// Between start and end.
    Between(Column, Column),
}

impl Elapsed {
    /// In words.
    fn text(&self) -> String {
        match self {
            Elapsed::Told(column) => format!("the duration is {}", column.shown),
            Elapsed::Between(start, end) => {
                format!("the duration is {} − {}", end.shown, start.shown)
            }
        }
    }
}

impl Layout {
    /// By the header.
    fn named(sniff: &Sniff<'_>) -> Result<Self, OpenError> {
        let named = |name: &str| sniff.column(name).cloned();
        let told = named("elapsedraw").or_else(|| named("elapsed"));
        let between = || {
            let (start, end) = named("start").zip(named("end"))?;
            Some(Elapsed::Between(start, end))
        };
        let elapsed = told.map(Elapsed::Told).or_else(between);
        let gpus: Vec<Column> = GPUS.iter().filter_map(|name| named(name)).collect();
        let (id, submit) = (IDS.iter().find_map(|name| named(name)), named("submit"));
        let count = guess(sniff).mapping.gpus;
        let count = count.and_then(|name| named(&name.trim().to_ascii_lowercase()));
        let cores: Vec<Column> = CORES.iter().filter_map(|name| named(name)).collect();
        let tells = !gpus.is_empty()
            || match sniff.unit {
                Resource::Gpus => count.is_some(),
                Resource::Cores => !cores.is_empty(),
            };
        let (Some(id), Some(submit), Some(elapsed), true) = (id, submit, elapsed, tells) else {
            let hint = " (print the column AllocTRES, which tells them)".to_owned();
            let guess = ColumnMapping::default();
            return Err(missing_columns(sniff, vec![Role::Gpus], hint, guess));
        };
        Ok(Self {
            id,
            submit,
            elapsed,
            gpus,
            count,
            cores,
            tenant: named("account").or_else(|| named("partition")),
            columns_of_record: RecordColumns::named(sniff),
            state: named("state"),
            limit: named("timelimitraw").or_else(|| named("timelimit")),
        })
    }

    /// By the cells of the first rows, where there is no header.
    fn headerless(sniff: &Sniff<'_>) -> Option<Self> {
        let first = sniff.headerless()?;
        if sniff.delimiter() != b'|' {
            return None;
        }
        let rows = &sniff.preview;
        let cell = |row: usize, column: usize| {
            rows.get(row)
                .and_then(|row| row.get(column))
                .map_or("", String::as_str)
        };
        // Columns of which every filled cell is of a kind, and at least one is filled.
        let are = |is: &dyn Fn(&str) -> bool| {
            let columns = (0..first.len()).filter(|&column| {
                let mut cells = (0..rows.len()).map(|row| cell(row, column));
                let filled = |cell: &str| !is_missing(cell);
                cells.clone().any(filled) && cells.all(|cell| !filled(cell) || is(cell))
            });
            columns
                .map(|at| Column::numbered(at + 1))
                .collect::<Vec<_>>()
        };
        let id = are(&is_job_id).into_iter().next()?;
        let dates = are(&|cell| date(cell).is_some());
        let (submit, [start, end]) = match dates.as_slice() {
            [submit, .., start, end] => (submit, [start, end]),
            _ => return None,
        };
        let ordered = (0..rows.len()).all(|row| {
            let at = |column: &Column| date(cell(row, column.index));
            let mut times = [submit, start, end].into_iter().filter_map(at);
            let mut before = times.next().unwrap_or(f64::NEG_INFINITY);
            times.all(|time| std::mem::replace(&mut before, time) <= time)
        });
        let gpus = are(&tres::is_list);
        let known = |word: &str| state(word) != Status::Unknown && number(word).is_none();
        (ordered && !gpus.is_empty()).then(|| Self {
            id,
            submit: submit.clone(),
            elapsed: Elapsed::Between(start.clone(), end.clone()),
            gpus,
            count: None,
            cores: Vec::new(),
            tenant: None,
            columns_of_record: RecordColumns {
                start: Some(start.clone()),
                ..RecordColumns::default()
            },
            state: are(&known).into_iter().next(),
            limit: None,
        })
    }

    /// Keeps a row, or tells the column to blame.
    fn read(
        &self,
        row: &Row<'_>,
        lists: &[Rc<List>],
        requeued: &mut Requeued,
        sink: &mut Sink,
    ) -> Result<(), (DropReason, &Column)> {
        let cell = |column: &Column| row.cell(column.index);
        let name = cell(&self.id);
        if name.contains('.') {
            return Err((DropReason::PartialExecution, &self.id));
        }
        let (gpus, share) = match sink.unit {
            Resource::Gpus => match self.gpus(row, lists) {
                Err((DropReason::NoGpus, _))
                    if sink.keeps_on_cores && self.cores(row, lists).is_ok() =>
                {
                    (0, 1.0)
                }
                counted => counted?,
            },
            Resource::Cores => self.cores(row, lists)?,
        };
        let types = self.types(lists);
        let ran_on = self.ran_on(lists);
        let moment = |column, missing, invalid| {
            let text = cell(column);
            let reason = if is_missing(text) { missing } else { invalid };
            time(text).ok_or((reason, column))
        };
        let submit = moment(
            &self.submit,
            DropReason::SubmitMissing,
            DropReason::SubmitInvalid,
        )?;
        let submit = sink::submit(submit).map_err(|reason| (reason, &self.submit))?;
        let (missing, invalid) = (DropReason::DurationMissing, DropReason::DurationInvalid);
        let (duration, column) = match &self.elapsed {
            Elapsed::Told(column) => {
                let text = cell(column);
                let reason = if is_missing(text) { missing } else { invalid };
                let seconds = number(text).or_else(|| span(text));
                (seconds.ok_or((reason, column))?, column)
            }
            Elapsed::Between(start, end) => {
                let (end_time, start) = (
                    moment(end, missing, invalid)?,
                    moment(start, missing, invalid)?,
                );
                (end_time - start, end)
            }
        };
        let duration = sink::duration(duration).map_err(|reason| (reason, column))?;
        let limit = self.limit.as_ref().map_or("", cell);
        let minutes = number(limit).map(|minutes| 60.0 * minutes);
        let limit = minutes.or_else(|| span(limit));
        let word = self.state.as_ref().map_or("", cell);
        requeued.note(name, word);
        let (cores, memory) = self.columns_of_record.needs(self.with(lists), row);
        sink.keep(Draft {
            line: row.line,
            name,
            submit,
            duration,
            gpus,
            share,
            tenant: self.tenant.as_ref().map_or("", cell),
            model: "",
            batch: None,
            asks: Asks {
                types,
                cores,
                memory,
                time: sink::asked_time(limit),
                ..Asks::default()
            },
            record: RowRecord {
                ran_on,
                ..self.columns_of_record.record(row)
            },
            status: state(word),
        });
        Ok(())
    }

    /// The types of GPUs that it asked for, or got where that is not told.
    fn types<'l>(&self, lists: &'l [Rc<List>]) -> &'l str {
        let requested = |(column, _): &(&Column, &List)| column.name.starts_with("req");
        let mut told = self.with(lists).filter(|(_, list)| list.gpus.is_some());
        let list = told.clone().find(requested).or_else(|| told.next());
        list.map_or("", |(_, list)| &list.types)
    }

    /// The columns of lists, and what a row has there.
    fn with<'s, 'l>(
        &'s self,
        lists: &'l [Rc<List>],
    ) -> impl Iterator<Item = (&'s Column, &'l List)> + Clone {
        self.gpus.iter().zip(lists.iter().map(Rc::as_ref))
    }

    /// The types of GPUs that it got.
    fn ran_on<'l>(&self, lists: &'l [Rc<List>]) -> &'l str {
        let allocated = self
            .with(lists)
            .filter(|(column, _)| column.name.starts_with("alloc"));
        let mut types = allocated.map(|(_, list)| list.types.as_str());
        types.find(|types| !types.is_empty()).unwrap_or("")
    }

    fn cores(
        &self,
        row: &Row<'_>,
        lists: &[Rc<List>],
    ) -> Result<(u32, f32), (DropReason, &Column)> {
        // Of a list that is cut off nobody knows whether it told GPUs.
        let is_cut = |column: &&Column| row.cell(column.index).ends_with('+');
        if let Some(column) = self.gpus.iter().find(is_cut) {
            return Err((DropReason::GpusInvalid, column));
        }
        let mut lists = self.gpus.iter().zip(lists);
        let listed = lists.find_map(|(column, list)| Some((list.cores?, column)));
        let counted = || {
            let mut columns = self.cores.iter();
            columns.find_map(|column| Some((number(row.cell(column.index))?, column)))
        };
        let none = || {
            (
                0.0,
                self.cores.first().or(self.gpus.first()).unwrap_or(&self.id),
            )
        };
        let (cores, column) = listed.or_else(counted).unwrap_or_else(none);
        sink::cores(cores).map_err(|reason| (reason, column))
    }

    fn gpus(&self, row: &Row<'_>, lists: &[Rc<List>]) -> Result<(u32, f32), (DropReason, &Column)> {
        // What is cut off in a column of fixed width tells nothing.
        let is_cut = |column: &&Column| row.cell(column.index).ends_with('+');
        let lists = self.gpus.iter().zip(lists);
        let mut filled = lists.filter(|(c, _)| !is_missing(row.cell(c.index)));
        if let (true, Some((column, _))) = (
            filled.clone().all(|(c, _)| is_cut(&c)),
            filled.clone().next(),
        ) {
            return Err((DropReason::GpusInvalid, column));
        }
        let filled = filled.find(|(column, _)| !is_cut(column));
        let listed = filled.and_then(|(column, list)| Some((list.gpus?, column)));
        let filled = filled.map(|(column, _)| column);
        if let (None, Some(column)) = (listed, &self.count) {
            let cell = row.cell(column.index);
            let count = number(cell).or_else(|| tres::gpus(cell));
            let reason = match is_missing(cell) {
                true => DropReason::GpusMissing,
                false => DropReason::GpusInvalid,
            };
            let count = count.ok_or((reason, column))?;
            return sink::gpus(count).map_err(|reason| (reason, column));
        }
        let Some(column) = filled.or(self.gpus.first()) else {
            return Err((DropReason::GpusMissing, &self.id));
        };
        // TRES are never empty once a job has started; GRES are, without any.
        let gres = column.name.ends_with("gres");
        if filled.is_none() && !gres {
            return Err((DropReason::GpusMissing, column));
        }
        let count = listed.map_or(0.0, |(count, _)| count);
        sink::gpus(count).map_err(|reason| (reason, column))
    }
}

/// Unix seconds. With `SLURM_TIME_FORMAT=%s` times are written so.
fn time(text: &str) -> Option<f64> {
    let unix = || number(text).filter(|of| TimeUnit::of_unix_time(*of) == Some(TimeUnit::Seconds));
    date(text).or_else(unix)
}

/// The cells of a row of which lists were cut at their commas.
fn joined(row: &Row<'_>) -> Joined {
    let mut cells: Vec<String> = Vec::new();
    // What the list that the last cell is has told.
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for cell in (0..row.len()).map(|at| row.cell(at)) {
        let of = resource(cell);
        let goes_on = match (of, cells.last()) {
            (Some(name), Some(_)) => !told.is_empty() && !told.contains(name),
            // Nodes and tasks, such as gpu[1,3].
            (None, Some(last)) => last.matches('[').count() > last.matches(']').count(),
            _ => false,
        };
        match cells.last_mut().filter(|_| goes_on) {
            Some(last) => {
                last.push(',');
                last.push_str(cell);
            }
            None => {
                told.clear();
                cells.push(cell.to_owned());
            }
        }
        told.extend(of);
    }
    let mut kept = Joined::new(row.line);
    cells.iter().for_each(|cell| kept.push(cell));
    kept
}

/// What a part of a list of resources counts, such as `gres/gpu` in `gres/gpu=2`.
fn resource(cell: &str) -> Option<&str> {
    let (name, _) = cell.split_once('=')?;
    let kind = name.split('/').next()?;
    let known = [
        "cpu", "mem", "node", "billing", "energy", "pages", "vmem", "gres", "license", "fs", "bb",
        "ic",
    ];
    known.contains(&kind).then_some(name)
}

/// Whether a cell is a job's id: `12`, `12_3`, `12_[1-4]`, `12+1`, `12.batch`.
fn is_job_id(cell: &str) -> bool {
    let digits = cell.bytes().take_while(u8::is_ascii_digit).count();
    let rest = cell.get(digits..).unwrap_or("");
    digits > 0
        && (rest.is_empty() || rest.starts_with(['_', '+', '.']))
        && number(cell).is_none_or(|n| n.fract() == 0.0)
}

struct Sacct {
    layout: Layout,
    /// Rows of more cells have lists that were cut at their commas.
    width: usize,
    requeued: Requeued,
    known: Lists,
    /// The lists of a row.
    lists: Vec<Rc<List>>,
}

impl Sacct {
    fn take(&mut self, row: &Row<'_>, sink: &mut Sink) {
        self.lists.clear();
        for column in &self.layout.gpus {
            self.lists.push(self.known.read(row.cell(column.index)));
        }
        let (lists, requeued) = (&self.lists, &mut self.requeued);
        if let Err((reason, column)) = self.layout.read(row, lists, requeued, sink) {
            sink.drop(reason, row.line, &|| {
                cell_is(&column.shown, row.cell(column.index))
            });
        }
    }
}

impl Importer for Sacct {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        if row.len() > self.width {
            let joined = joined(row);
            let row = joined.row();
            sink.check_width(&row, self.width);
            self.take(&row, sink);
        } else {
            self.take(row, sink);
        }
    }

    fn joins_cells(&self) -> bool {
        self.width < usize::MAX
    }

    fn finish(&mut self, sink: &mut Sink) {
        std::mem::take(&mut self.requeued).join(sink);
        sink.zero = Some(0.0);
    }

    fn units(&self) -> String {
        let columns = self.layout.gpus.iter().chain(&self.layout.count);
        let names: Vec<&str> = columns.map(|c| c.shown.as_str()).collect();
        format!(
            "Timestamps without a zone are UTC; {}; GPUs are those listed in {}.",
            self.layout.elapsed.text(),
            names.join(", else ")
        )
    }

    fn named(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::Finite;
    use crate::testing::{dropped, records, trace, try_open, warnings};
    use switchyard_model::workload::Label;

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/sacct.txt");

    #[test]
    fn fixture() {
        let trace = trace("sacct.txt", FILE);
        assert_eq!(trace.format, "sacct");
        assert_eq!(
            records(&trace),
            [
                "2 1 1714737600 3600 8 vision - Completed",
                "5 3 1714737720 420 2 nlp - Cancelled",
            ]
        );
        assert_eq!(
            dropped(&trace),
            [
                "partial_execution 1 3 JobID is '1.batch'",
                "gpus_missing 1 4 AllocTRES is empty",
                "no_gpus 1 6 AllocTRES is 'cpu=8,mem=8G,node=1'",
            ]
        );
        assert_eq!(warnings(&trace), ["gpu_types 1 5 a100|h100"]);
        assert_eq!(asked(&trace), [Some(172_800.0), Some(1_800.0)]);
    }

    #[test]
    fn a_raw_id_names_a_job_where_nothing_else_does() {
        let text = String::from_utf8_lossy(FILE);
        let raw = text.replacen("JobID", "JobIDRaw", 1);
        let (raw, trace) = (trace("sacct.txt", raw.as_bytes()), trace("sacct.txt", FILE));
        assert_eq!(raw.format, "sacct");
        assert_eq!(records(&raw), records(&trace));
        let both = "JobIDRaw|JobID|Submit|ElapsedRaw|AllocTRES\n\
            8|7_1|2024-05-03T12:00:00|60|gres/gpu=2\n";
        assert_eq!(records(&self::trace("sacct.txt", both.as_bytes())).len(), 1);
    }

    fn asked(trace: &crate::Trace) -> Vec<Option<f64>> {
        let times = trace.records.iter().map(|record| record.demand.time);
        times.collect()
    }

    #[test]
    fn limits_are_times_asked_for() {
        for (column, cell, seconds) in [
            ("Timelimit", "1-02:00:00", Some(93_600.0)),
            ("Timelimit", "00:00:30", Some(30.0)),
            ("Timelimit", "UNLIMITED", None),
            ("Timelimit", "Partition_Limit", None),
            ("TimelimitRaw", "90", Some(5_400.0)),
            ("TimelimitRaw", "", None),
        ] {
            let table = format!(
                "JobID|Submit|ElapsedRaw|{column}|AllocTRES\n7|{SUBMIT}|60|{cell}|gres/gpu=2\n"
            );
            let trace = trace("sacct.txt", table.as_bytes());
            assert_eq!(asked(&trace), [seconds], "{column} {cell}");
        }
    }

    #[test]
    fn types_are_those_asked_for() {
        let table = "JobID|Submit|ElapsedRaw|AllocTRES|ReqTRES\n\
            1|2024-05-03T12:00:00|60|gres/gpu:a100=2,gres/gpu=2|gres/gpu=2\n\
            2|2024-05-03T12:00:00|60|gres/gpu:a100=2,gres/gpu=2|gres/gpu:a100=2\n\
            3|2024-05-03T12:00:00|60|gres/gpu:v100=1|billing=1\n";
        let trace = trace("sacct.txt", table.as_bytes());
        let named = |of: &crate::Record| of.demand.types.named().next();
        let types: Vec<Option<&str>> = (trace.records.iter())
            .map(|of| Some(trace.gpu_types[named(of)? as usize].as_str()))
            .collect();
        assert_eq!(types, [None, Some("a100"), Some("v100")]);
    }

    /// The rows of a table of these columns and cells.
    fn shown(table: &str) -> Vec<String> {
        let trace = trace("sacct.txt", table.as_bytes());
        assert_eq!(trace.format, "sacct");
        records(&trace)
    }

    const SUBMIT: &str = "2024-05-03T12:00:00";
    const START: &str = "2024-05-03T12:10:00";
    const END: &str = "2024-05-04T13:10:00";

    #[test]
    fn durations_in_other_columns() {
        let expected = ["2 7 1714737600 90000 8 - - Completed"];
        let elapsed = format!(
            "JobID|Submit|Elapsed|Timelimit|AllocTRES|State\n7|{SUBMIT}|1-01:00:00|2-00:00:00|cpu=4,gres/gpu=8|COMPLETED\n"
        );
        assert_eq!(shown(&elapsed), expected);
        let between = format!(
            "JobID|Submit|Start|End|AllocTRES|State\n7|{SUBMIT}|{START}|{END}|cpu=4,gres/gpu=8|COMPLETED\n"
        );
        assert_eq!(shown(&between), expected);
    }

    #[test]
    fn gpus_in_other_columns() {
        let expected = ["2 7 1714737600 60 2 - - Unknown"];
        for (column, cell) in [
            ("ReqTRES", "billing=1,cpu=4,gres/gpu=2"),
            ("AllocGRES", "gpu:2"),
            ("AllocGRES", "gpu:a100:2(IDX:0-1)"),
            ("ReqGRES", "gres:gpu:2"),
        ] {
            let table =
                format!("JobID|Submit|ElapsedRaw|{column}\n7|{SUBMIT}|60|{cell}\n8|{SUBMIT}|60|\n");
            assert_eq!(shown(&table), expected, "{column}");
        }
        // A pending job has nothing allocated, but has asked.
        let both = format!(
            "JobID|Submit|ElapsedRaw|AllocTRES|ReqTRES\n7|{SUBMIT}|60||gres/gpu=2\n8|{SUBMIT}|60|cpu=1|gres/gpu=2\n"
        );
        assert_eq!(shown(&both), expected);
    }

    #[test]
    fn without_a_header() {
        let row = |id: &str, state: &str| {
            format!(
                "{id}|ann|gpu|{SUBMIT}|{START}|{END}|1-01:00:00|2-00:00:00|cpu=4,gres/gpu=8|{state}\n"
            )
        };
        let table = format!(
            "{}{}{}",
            row("7", "COMPLETED"),
            row("7.batch", "COMPLETED"),
            row("8_[1-4]", "CANCELLED by 1000")
        );
        assert_eq!(
            shown(&table),
            [
                "1 7 1714737600 90000 8 - - Completed",
                "3 8_[1-4] 1714737600 90000 8 - - Cancelled",
            ]
        );
        // A lone time could be the limit.
        let lone = format!("7|{SUBMIT}|1-01:00:00|cpu=4,gres/gpu=8\n");
        let error = try_open("sacct.txt", lone.as_bytes()).unwrap_err();
        assert!(error.table().is_some(), "{error}");
    }

    #[test]
    fn memory_of_gpus_is_no_gpu() {
        let table = format!(
            "JobID|Submit|ElapsedRaw|AllocTRES\n1|{SUBMIT}|3600|cpu=8,gres/gpu:rtx_3090=2,gres/gpu=2,gres/gpumem=24G\n2|{SUBMIT}|60|cpu=8,gres/gpumem=40,gres/gpuutil=9\n"
        );
        let trace = trace("sacct.txt", table.as_bytes());
        assert_eq!(records(&trace), ["2 1 1714737600 3600 2 - - Unknown"]);
        assert_eq!(dropped(&trace)[0].split(' ').next(), Some("no_gpus"));
        assert_eq!(trace.gpu_types, ["3090"]);
    }

    #[test]
    fn a_column_of_gpus_that_is_not_sacct_s() {
        let table = format!(
            "JobID,User,Submit,ElapsedRaw,NCPUS,GPUs,State\n1,ann,{SUBMIT},3600,8,2,COMPLETED\n2,bo,{SUBMIT},60,8,,FAILED\n3,bo,{SUBMIT},60,8,0,OUT_OF_MEMORY\n"
        );
        let trace = trace("sacct.csv", table.as_bytes());
        assert_eq!(trace.format, "sacct");
        assert_eq!(records(&trace), ["2 1 1714737600 3600 2 - - Completed"]);
        assert_eq!(
            dropped(&trace),
            ["gpus_missing 1 3 GPUs is empty", "no_gpus 1 4 GPUs is '0'"]
        );
        // A list that tells GPUs goes before it, one without leaves it to the column.
        let both = format!(
            "JobID|Submit|ElapsedRaw|AllocTRES|GPUs\n1|{SUBMIT}|60|cpu=1,gres/gpu=4|2\n2|{SUBMIT}|60|cpu=1|3\n"
        );
        assert_eq!(
            shown(&both),
            [
                "2 1 1714737600 60 4 - - Unknown",
                "3 2 1714737600 60 3 - - Unknown"
            ]
        );
    }

    #[test]
    fn commas_within_lists_between_commas() {
        let (list, nodes) = ("billing=8,cpu=8,gres/gpu=2,mem=64G,node=2", "gpu[1,3-4]");
        for (header, row) in [
            (
                "JobID,Submit,ElapsedRaw,State,AllocTRES",
                format!("7,{SUBMIT},60,COMPLETED,{list}"),
            ),
            (
                "JobID,AllocTRES,Submit,ElapsedRaw,State",
                format!("7,{list},{SUBMIT},60,COMPLETED"),
            ),
            (
                "JobID,AllocTRES,Submit,ElapsedRaw,State",
                format!("7,cpu=8,gres/gpu=2,{SUBMIT},60,COMPLETED"),
            ),
            (
                "JobID,ReqTRES,AllocTRES,NodeList,Submit,ElapsedRaw,State",
                format!("7,{list},{list},{nodes},{SUBMIT},60,COMPLETED"),
            ),
            (
                "JobID,Submit,ElapsedRaw,State,AllocTRES",
                format!("7,{SUBMIT},60,COMPLETED,\"{list}\""),
            ),
        ] {
            let table = format!("{header}\n{row}\n");
            let trace = trace("sacct.csv", table.as_bytes());
            assert_eq!(
                records(&trace),
                ["2 7 1714737600 60 2 - - Completed"],
                "{table}"
            );
            assert_eq!(warnings(&trace), [""; 0], "{table}");
        }
        let table =
            format!("JobID,Submit,ElapsedRaw,AllocTRES\n7,{SUBMIT},60,gres/gpu=1,left,over\n");
        let ragged = trace("sacct.csv", table.as_bytes());
        assert_eq!(warnings(&ragged), ["ragged_rows 1 2 6 cells instead of 4"]);
    }

    #[test]
    fn what_operators_ask_by_is_kept() {
        let table = "JobID|User|Account|Partition|QOS|Reservation|Priority|Submit|Start|ElapsedRaw|ReqTRES|AllocTRES|ReqMem|NodeList|State\n\
            7|ann|vision|gpu|high||4294901000|2024-05-03T12:00:00|2024-05-03T12:05:00|60|cpu=8,gres/gpu=2,mem=64G,node=1|billing=8,cpu=16,gres/gpu=2|64G|gpu[01-02]|COMPLETED\n\
            8|ben|vision|gpu|high||12|2024-05-03T12:00:00|2024-05-03T12:00:00|60||cpu=4,gres/gpu=1|2000Mc|None assigned|COMPLETED\n";
        let trace = trace("sacct.txt", table.as_bytes());
        let [first, second] = trace.records.as_slice() else {
            panic!("two jobs");
        };
        let names = Label::ALL.map(|label| trace.labels.name(first.labels, label));
        let expected = [Some("ann"), Some("vision"), Some("gpu"), Some("high"), None];
        assert_eq!(names, expected);
        assert_eq!(first.priority.map(Finite::get), Some(4_294_901_000.0));
        assert_eq!(first.start.map(Finite::get), Some(first.submit + 300.0));
        assert_eq!(
            first.nodes.map(|at| &*trace.node_names[at.get() as usize]),
            Some("gpu[01-02]")
        );
        // What was asked for goes before what was given.
        assert_eq!((first.demand.cores, first.demand.memory), (8000, 65_536));
        assert_eq!(trace.labels.name(second.labels, Label::User), Some("ben"));
        assert_eq!(
            (second.nodes, second.start.map(Finite::get)),
            (None, Some(second.submit))
        );
        // 2000 MB of each core.
        assert_eq!((second.demand.cores, second.demand.memory), (4000, 8000));
    }

    #[test]
    fn rows_of_a_job_that_was_queued_again_are_one_job() {
        let table = "JobID|Submit|Start|End|ElapsedRaw|AllocTRES|State\n\
            5|2024-05-03T12:00:00|a|b|100|gres/gpu=2|REQUEUED\n\
            6|2024-05-03T12:00:30|a|b|60|gres/gpu=1|PREEMPTED\n\
            5|2024-05-03T12:10:00|a|b|50|gres/gpu=2|NODE_FAIL\n\
            5|2024-05-03T12:20:00|2024-05-03T12:25:00|b|600|gres/gpu=2|COMPLETED\n\
            7|2024-05-03T12:30:00|a|b|9|gres/gpu=4|REQUEUED\n";
        let trace = trace("sacct.txt", table.as_bytes());
        assert_eq!(
            records(&trace),
            [
                "2 5 1714737600 750 2 - - Completed",
                "3 6 1714737630 60 1 - - Cancelled",
                "6 7 1714739400 9 4 - - Running",
            ]
        );
        assert_eq!(trace.records[0].attempts(), [100.0, 50.0]);
        // It ended at 12:35, after 750 s of running: all else was waiting.
        assert_eq!(
            trace.records[0].start.map(Finite::get),
            Some(1_714_737_600.0 + 2100.0 - 750.0)
        );
        assert_eq!(
            dropped(&trace),
            ["partial_execution 2 4 JobID is '5', queued again"]
        );
        assert_eq!(
            warnings(&trace),
            [
                "censored 1 6 had not ended",
                "attempts 1 2 2 ended early, the first after 100 s"
            ]
        );
        let inspection = trace.inspect();
        assert_eq!((inspection.jobs, inspection.gpu_jobs), (3, 3));
    }
}
