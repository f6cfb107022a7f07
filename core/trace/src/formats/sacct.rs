//! Slurm's accounting, as `sacct` prints it.
//!
//! With `--parsable2`, rows separated by `|`, below a header or (`--noheader`) without: `JobID`,
//! `Submit`; the duration from `ElapsedRaw` in seconds, else `Elapsed` such as `1-02:03:04`, else
//! `End` − `Start`; the GPUs from the first of `AllocTRES` such as `cpu=32,gres/gpu=8,node=2`,
//! `ReqTRES`, `AllocGRES` such as `gpu:a100:2` and `ReqGRES` that tells something; their types from the
//! first of what was requested, else allocated: who asked for any may run on any. Without a header
//! columns are told by their cells, and three dates are needed, since a lone time could be the
//! limit. Timestamps have no zone. Rows whose id has a dot are steps of a job that has a row of its
//! own. `TimelimitRaw` in minutes, else `Timelimit` such as `1-00:00:00`, is the time that is asked for; words
//! in it, such as `UNLIMITED`, ask for none.
//!
//! With `--json`, an object whose `jobs` have `job_id`, `time` in Unix seconds (its `limit` in minutes), `state`
//! and `tres`; the steps within are not read.
//!
//! Source: <https://slurm.schedmd.com/sacct.html>.

use crate::columns::missing_columns;
use crate::error::{OpenError, Role};
use crate::format::{Format, Importer};
use crate::job::Status;
use crate::mapping::ColumnMapping;
use crate::objects::{parse, rows_of_field};
use crate::report::{DropReason, cell_is};
use crate::rows::{Row, date, is_missing, number, span};
use crate::sink::{self, Asks, Draft, Sink};
use crate::sniff::{Column, Evidence, Shape, Sniff};
use crate::status::status;
use crate::tres;
use serde::Deserialize;
use serde_json::Value;

pub(super) const FORMAT: Format = Format {
    id: "sacct",
    title: "Slurm accounting (sacct)",
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
        None => sniff
            .with_columns(&["jobid", "submit", "elapsedraw"])
            .or_else(|| {
                let listed = GPUS.iter().any(|name| sniff.column(name).is_some());
                let elapsed = sniff.with_columns(&["jobid", "submit", "elapsed"]);
                let between = || sniff.with_columns(&["jobid", "submit", "start", "end"]);
                elapsed.or_else(between).filter(|_| listed)
            }),
    },
    importer: |sniff, _| {
        let layout = Layout::headerless(sniff);
        Ok(Box::new(Sacct(match layout {
            Some(layout) => layout,
            None => Layout::named(sniff)?,
        })))
    },
};

pub(super) const JSON: Format = Format {
    id: "sacct-json",
    title: "Slurm accounting (sacct --json)",
    recognise: |sniff| {
        let mut evidence = sniff.with_columns(&["jobs"])?;
        evidence.text = "a JSON object with jobs, their time and their tres".to_owned();
        let slurm = sniff.text.contains("\"tres\"") && sniff.text.contains("\"submission\"");
        (sniff.shape == Shape::JsonObject && slurm).then_some(evidence)
    },
    importer: |_, _| Ok(Box::new(Json)),
};

/// The columns that list resources, the most certain first.
const GPUS: [&str; 4] = ["alloctres", "reqtres", "allocgres", "reqgres"];

/// Which column holds what.
struct Layout {
    id: Column,
    submit: Column,
    elapsed: Elapsed,
    /// Lists of resources, the first that is filled counts.
    gpus: Vec<Column>,
    tenant: Option<Column>,
    state: Option<Column>,
    /// The time that is asked for: in minutes where it is a number.
    limit: Option<Column>,
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
        let (id, submit) = (named("jobid"), named("submit"));
        let (Some(id), Some(submit), Some(elapsed), false) = (id, submit, elapsed, gpus.is_empty())
        else {
            let hint = " (print the column AllocTRES, which tells them)".to_owned();
            let guess = ColumnMapping::default();
            return Err(missing_columns(sniff, vec![Role::Gpus], hint, guess));
        };
        Ok(Self {
            id,
            submit,
            elapsed,
            gpus,
            tenant: named("account").or_else(|| named("partition")),
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
        let known = |word: &str| status(word) != Status::Unknown && number(word).is_none();
        (ordered && !gpus.is_empty()).then(|| Self {
            id,
            submit: submit.clone(),
            elapsed: Elapsed::Between(start.clone(), end.clone()),
            gpus,
            tenant: None,
            state: are(&known).into_iter().next(),
            limit: None,
        })
    }

    /// Keeps a row, or tells the column to blame.
    fn read(&self, row: &Row<'_>, sink: &mut Sink) -> Result<(), (DropReason, &Column)> {
        let cell = |column: &Column| row.cell(column.index);
        let name = cell(&self.id);
        if name.contains('.') {
            return Err((DropReason::PartialExecution, &self.id));
        }
        let (gpus, share) = self.gpus(row)?;
        let types = self.types(row);
        let time = |column, missing, invalid| {
            let text = cell(column);
            let reason = if is_missing(text) { missing } else { invalid };
            date(text).ok_or((reason, column))
        };
        let submit = time(
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
                let (end_time, start) =
                    (time(end, missing, invalid)?, time(start, missing, invalid)?);
                (end_time - start, end)
            }
        };
        let duration = sink::duration(duration).map_err(|reason| (reason, column))?;
        let limit = self.limit.as_ref().map_or("", cell);
        let limit = span(limit).or_else(|| number(limit).map(|minutes| 60.0 * minutes));
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
                types: &types,
                time: sink::asked_time(limit),
                ..Asks::default()
            },
            status: status(self.state.as_ref().map_or("", cell)),
        });
        Ok(())
    }

    /// The types of GPUs that it asked for, or got where that is not told.
    fn types(&self, row: &Row<'_>) -> String {
        let told = |column: &&Column| tres::gpus(row.cell(column.index)).is_some();
        let requested = |column: &&Column| column.name.starts_with("req");
        let mut columns = self.gpus.iter().filter(told);
        let column = columns.clone().find(requested).or_else(|| columns.next());
        column.map_or_else(String::new, |column| tres::types(row.cell(column.index)))
    }

    fn gpus(&self, row: &Row<'_>) -> Result<(u32, f32), (DropReason, &Column)> {
        let filled = self.gpus.iter().find(|c| !is_missing(row.cell(c.index)));
        let Some(column) = filled.or(self.gpus.first()) else {
            return Err((DropReason::GpusMissing, &self.id));
        };
        // TRES are never empty once a job has started; GRES are, without any.
        let gres = column.name.ends_with("gres");
        if filled.is_none() && !gres {
            return Err((DropReason::GpusMissing, column));
        }
        let count = tres::gpus(row.cell(column.index)).unwrap_or(0.0);
        sink::gpus(count).map_err(|reason| (reason, column))
    }
}

/// Whether a cell is a job's id: `12`, `12_3`, `12_[1-4]`, `12+1`, `12.batch`.
fn is_job_id(cell: &str) -> bool {
    let digits = cell.bytes().take_while(u8::is_ascii_digit).count();
    let rest = cell.get(digits..).unwrap_or("");
    digits > 0
        && (rest.is_empty() || rest.starts_with(['_', '+', '.']))
        && number(cell).is_none_or(|n| n.fract() == 0.0)
}

struct Sacct(Layout);

impl Importer for Sacct {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        if let Err((reason, column)) = self.0.read(row, sink) {
            sink.drop(reason, row.line, &|| {
                cell_is(&column.shown, row.cell(column.index))
            });
        }
    }

    fn finish(&mut self, sink: &mut Sink) {
        sink.zero = Some(0.0);
    }

    fn units(&self) -> String {
        let names: Vec<&str> = self.0.gpus.iter().map(|c| c.shown.as_str()).collect();
        format!(
            "Timestamps without a zone are UTC; {}; GPUs are those listed in {}.",
            self.0.elapsed.text(),
            names.join(", else ")
        )
    }

    fn named(&self) -> bool {
        true
    }
}

#[derive(Deserialize)]
struct Job {
    job_id: Option<u64>,
    account: Option<String>,
    partition: Option<String>,
    state: Option<Value>,
    time: Option<Times>,
    tres: Option<Resources>,
}

/// Numbers, or since Slurm 23.11 objects of `set`, `infinite` and `number`.
#[derive(Deserialize)]
struct Times {
    submission: Option<Value>,
    elapsed: Option<Value>,
    limit: Option<Value>,
}

#[derive(Deserialize)]
struct Resources {
    allocated: Option<Vec<Resource>>,
    requested: Option<Vec<Resource>>,
}

#[derive(Deserialize)]
struct Resource {
    r#type: Option<String>,
    name: Option<String>,
    count: Option<Value>,
}

/// A number, if it is set.
fn amount(value: &Option<Value>) -> Option<f64> {
    match value.as_ref()? {
        Value::Object(number) if number.get("set") == Some(&Value::Bool(true)) => {
            number.get("number")?.as_f64()
        }
        value => value.as_f64(),
    }
}

/// The state's word, which is itself, in a list, or one of either in `current`.
fn word(state: &Value) -> &str {
    match state {
        Value::Object(state) => state.get("current").map_or("", word),
        Value::Array(words) => words.first().map_or("", word),
        state => state.as_str().unwrap_or(""),
    }
}

impl Resources {
    /// GPUs allocated, else requested: the total, or the sum of the kinds.
    fn gpus(&self) -> f64 {
        let lists = [&self.allocated, &self.requested].into_iter().flatten();
        let Some(list) = lists.clone().find(|list| !list.is_empty()) else {
            return 0.0;
        };
        let (mut total, mut kinds) = (None, 0.0);
        for resource in list.iter().filter(|r| r.r#type.as_deref() == Some("gres")) {
            let (name, count) = (resource.name.as_deref(), amount(&resource.count));
            match name {
                Some("gpu") => total = count,
                Some(name) if name.starts_with("gpu:") => kinds += count.unwrap_or(0.0),
                _ => {}
            }
        }
        total.unwrap_or(kinds)
    }

    /// The types of GPUs requested, or allocated where no request is told, joined by `|`.
    fn types(&self) -> String {
        let is_gpu = |of: &&Resource| {
            let name = of.name.as_deref().unwrap_or_default();
            of.r#type.as_deref() == Some("gres") && (name == "gpu" || name.starts_with("gpu:"))
        };
        let lists = [&self.requested, &self.allocated].into_iter().flatten();
        let list = lists.map(|list| list.iter().filter(is_gpu));
        let mut list = list.filter(|gpus| gpus.clone().next().is_some());
        let gpus = list.next().into_iter().flatten();
        let names = gpus.filter_map(|of| of.name.as_deref()?.strip_prefix("gpu:"));
        names.collect::<Vec<_>>().join("|")
    }
}

struct Json;

impl Importer for Json {
    fn row(&mut self, _row: &Row<'_>, _sink: &mut Sink) {}

    fn document(&mut self, text: &str, sink: &mut Sink) {
        rows_of_field(text, "jobs", sink, &read_json);
    }

    fn finish(&mut self, sink: &mut Sink) {
        sink.zero = Some(0.0);
    }

    fn units(&self) -> String {
        "Times are Unix seconds; the duration is time.elapsed; GPUs are the gres/gpu of tres, allocated or else requested.".to_owned()
    }

    fn named(&self) -> bool {
        true
    }
}

fn read_json(row: &Row<'_>, sink: &mut Sink) -> Result<(), (DropReason, String)> {
    let job: Job = parse(row.cell(0)).map_err(|what| (DropReason::JsonMalformed, what))?;
    let missing = |reason, key: &str| (reason, cell_is(key, ""));
    let tres = job
        .tres
        .ok_or_else(|| missing(DropReason::GpusMissing, "tres"))?;
    let (count, types) = (tres.gpus(), tres.types());
    let (gpus, share) =
        sink::gpus(count).map_err(|r| (r, cell_is("tres", &format!("{count} GPUs"))))?;
    let time = job
        .time
        .ok_or_else(|| missing(DropReason::SubmitMissing, "time"))?;
    // 0 stands for "not yet".
    let submission = amount(&time.submission).filter(|at| *at != 0.0);
    let submission =
        submission.ok_or_else(|| missing(DropReason::SubmitMissing, "time.submission"))?;
    let submit = sink::submit(submission)
        .map_err(|r| (r, cell_is("time.submission", &submission.to_string())))?;
    let elapsed = amount(&time.elapsed);
    let elapsed = elapsed.ok_or_else(|| missing(DropReason::DurationMissing, "time.elapsed"))?;
    let duration =
        sink::duration(elapsed).map_err(|r| (r, cell_is("time.elapsed", &elapsed.to_string())))?;
    let limit = amount(&time.limit).map(|minutes| 60.0 * minutes);
    let id = job.job_id.map_or_else(String::new, |id| id.to_string());
    let tenant = job.account.filter(|name| !name.is_empty());
    let tenant = tenant.or(job.partition).unwrap_or_default();
    sink.keep(Draft {
        line: row.line,
        name: &id,
        submit,
        duration,
        gpus,
        share,
        tenant: &tenant,
        model: "",
        batch: None,
        asks: Asks {
            types: &types,
            time: sink::asked_time(limit),
            ..Asks::default()
        },
        status: status(job.state.as_ref().map_or("", word)),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, try_open, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/sacct.txt");
    const SACCT_JSON: &[u8] = include_bytes!("../../../../tests/fixtures/sacct.json");

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
        let json = |limit: &str| {
            let text = String::from_utf8_lossy(SACCT_JSON);
            let with = format!("\"elapsed\": 3600, \"limit\": {limit}");
            let text = text.replacen("\"elapsed\": 3600", &with, 1);
            asked(&trace("sacct.json", text.as_bytes()))[0]
        };
        assert_eq!(
            json(r#"{"set": true, "infinite": false, "number": 90}"#),
            Some(5_400.0)
        );
        assert_eq!(
            json(r#"{"set": false, "infinite": true, "number": 0}"#),
            None
        );
        assert_eq!(json("120"), Some(7_200.0));
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
    fn as_json() {
        let trace = trace("sacct.json", SACCT_JSON);
        assert_eq!(trace.format, "sacct-json");
        assert_eq!(
            records(&trace),
            [
                "5 7 1714737600 3600 8 vision - Completed",
                "10 8 1714737660 60 3 gpu - Running",
            ]
        );
        assert_eq!(
            dropped(&trace),
            [
                "gpus_missing 1 20 tres is empty",
                "no_gpus 1 15 tres is '0 GPUs'",
            ]
        );
        assert_eq!(trace.epoch, Some(1_714_737_600.0));
    }
}
