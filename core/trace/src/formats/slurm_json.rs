//! Slurm's jobs in JSON: of its accounting, and of its controller.
//!
//! `sacct --json` and slurmrestd's `/slurmdb/…/jobs` give an object whose `jobs` have `job_id`, `time` in Unix
//! seconds (its `limit` in minutes), `state` and `tres`; the steps within are not read.
//!
//! `squeue --json`, `scontrol show job --json` and slurmrestd's `/slurm/…/jobs` give `submit_time`, `start_time`,
//! `end_time` in Unix seconds, `job_state`, and lists of resources such as `tres_alloc_str`. Of a job that
//! runs, `end_time` is when its limit ends: it is left out, as are those that wait.
//!
//! Numbers are plain, or since Slurm 23.02 objects of `set`, `infinite` and `number`.
//!
//! Source: <https://slurm.schedmd.com/sacct.html>, `squeue.html`, `rest_api.html`.

use crate::field_rows::rows_of_field;
use crate::format::{Format, Importer};
use crate::job::Status;
use crate::objects::parse;
use crate::report::{DropReason, cell_is};
use crate::rows::Row;
use crate::sink::{self, Asks, Draft, RowRecord, Sink};
use crate::slurm::{Requeued, state};
use crate::sniff::Shape;
use crate::tres;
use serde::Deserialize;
use serde_json::Value;

pub(super) const ACCOUNTING: Format = Format {
    id: "sacct-json",
    title: "Slurm accounting (sacct --json)",
    accounting: true,
    recognise: |sniff| {
        let mut evidence = sniff.with_columns(&["jobs"])?;
        evidence.text = "a JSON object with jobs, their time and their tres".to_owned();
        let slurm = sniff.text.contains("\"tres\"") && sniff.text.contains("\"submission\"");
        (sniff.shape == Shape::JsonObject && slurm).then_some(evidence)
    },
    importer: |_, _| {
        Ok(Jobs::importer(
            read_accounting,
            "Times are Unix seconds; the duration is time.elapsed; GPUs are the gres/gpu of tres, allocated or else requested.",
        ))
    },
};

pub(super) const QUEUE: Format = Format {
    id: "squeue-json",
    title: "Slurm jobs (squeue --json)",
    accounting: true,
    recognise: |sniff| {
        let mut evidence = sniff.with_columns(&["jobs"])?;
        evidence.text = "a JSON object with jobs, their submit_time and their job_state".to_owned();
        let slurm = sniff.text.contains("\"job_state\"") && sniff.text.contains("\"submit_time\"");
        (sniff.shape == Shape::JsonObject && slurm).then_some(evidence)
    },
    importer: |_, _| {
        Ok(Jobs::importer(
            read_queued,
            "Times are Unix seconds; the duration is end_time − start_time; GPUs are the gres/gpu of tres_alloc_str, or else tres_req_str.",
        ))
    },
};

#[derive(Deserialize)]
struct AccountedJob {
    job_id: Option<u64>,
    #[serde(flatten)]
    about: About,
    state: Option<Value>,
    time: Option<Times>,
    tres: Option<Resources>,
}

/// Whose a job is, how it was queued, and where it ran.
#[derive(Deserialize)]
struct About {
    account: Option<String>,
    partition: Option<String>,
    #[serde(alias = "user_name")]
    user: Option<String>,
    qos: Option<String>,
    /// Its name, or an object that has it.
    #[serde(alias = "resv_name")]
    reservation: Option<Value>,
    priority: Option<Value>,
    nodes: Option<Value>,
}

impl About {
    fn record(&self, start: Option<f64>) -> RowRecord<'_> {
        fn text(text: &Option<String>) -> &str {
            text.as_deref().unwrap_or("")
        }
        let reservation = match &self.reservation {
            Some(Value::Object(of)) => of.get("name").and_then(Value::as_str),
            Some(of) => of.as_str(),
            None => None,
        };
        let nodes = self.nodes.as_ref().and_then(Value::as_str);
        RowRecord {
            labels: [
                text(&self.user),
                text(&self.account),
                text(&self.partition),
                text(&self.qos),
                reservation.unwrap_or(""),
            ],
            start,
            priority: amount(&self.priority),
            ran_on: "",
            nodes: nodes
                .filter(|nodes| *nodes != "None assigned")
                .unwrap_or(""),
        }
    }

    /// The account, else the partition.
    fn tenant(&self) -> &str {
        let account = self.account.as_deref().filter(|name| !name.is_empty());
        account.or(self.partition.as_deref()).unwrap_or("")
    }
}

/// Numbers, or since Slurm 23.11 objects of `set`, `infinite` and `number`.
#[derive(Deserialize)]
struct Times {
    submission: Option<Value>,
    start: Option<Value>,
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

    /// How much of a resource was requested, or allocated where no request tells; 0: neither does.
    fn amount(&self, kind: &str) -> f64 {
        first_of([&self.requested, &self.allocated], kind)
    }

    /// Cores allocated, else requested; 0 where none are told.
    fn cores(&self) -> f64 {
        first_of([&self.allocated, &self.requested], "cpu")
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

/// How much of a resource the first of these lists tells that tells any; 0: none does.
fn first_of(lists: [&Option<Vec<Resource>>; 2], kind: &str) -> f64 {
    let of_kind = |of: &&Resource| of.r#type.as_deref() == Some(kind);
    let mut told = lists.into_iter().flatten().flatten().filter(of_kind);
    let found = told.find_map(|of| amount(&of.count).filter(|amount| *amount > 0.0));
    found.unwrap_or(0.0)
}

/// Jobs in an array `jobs`, read one by one.
struct Jobs {
    read: ReadJob,
    units: &'static str,
    requeued: Requeued,
}

/// Keeps a job, or says why not.
type ReadJob = fn(&Row<'_>, &mut Requeued, &mut Sink) -> Result<(), (DropReason, String)>;

impl Jobs {
    fn importer(read: ReadJob, units: &'static str) -> Box<dyn Importer> {
        Box::new(Self {
            read,
            units,
            requeued: Requeued::default(),
        })
    }
}

impl Importer for Jobs {
    fn row(&mut self, _row: &Row<'_>, _sink: &mut Sink) {}

    fn document(&mut self, text: &str, sink: &mut Sink) {
        let Self { read, requeued, .. } = self;
        rows_of_field(text, "jobs", sink, &mut |row, sink| {
            read(row, requeued, sink)
        });
    }

    fn finish(&mut self, sink: &mut Sink) {
        std::mem::take(&mut self.requeued).join(sink);
        sink.zero = Some(0.0);
    }

    fn units(&self) -> String {
        self.units.to_owned()
    }

    fn named(&self) -> bool {
        true
    }
}

fn read_accounting(
    row: &Row<'_>,
    requeued: &mut Requeued,
    sink: &mut Sink,
) -> Result<(), (DropReason, String)> {
    let job: AccountedJob = parse(row.cell(0)).map_err(|what| (DropReason::JsonMalformed, what))?;
    let missing = |reason, key: &str| (reason, cell_is(key, ""));
    let tres = job
        .tres
        .ok_or_else(|| missing(DropReason::GpusMissing, "tres"))?;
    let (count, types) = (tres.gpus(), tres.types());
    let [cores, memory] = ["cpu", "mem"].map(|kind| tres.amount(kind));
    let occupied = sink.occupied(count, tres.cores());
    let (gpus, share) = occupied.map_err(|r| (r, cell_is("tres", &format!("{count} GPUs"))))?;
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
    let word = job.state.as_ref().map_or("", word);
    requeued.note(&id, word);
    sink.keep(Draft {
        line: row.line,
        name: &id,
        submit,
        duration,
        gpus,
        share,
        tenant: job.about.tenant(),
        model: "",
        batch: None,
        asks: Asks {
            types: &types,
            cores,
            memory: memory / 1024.0,
            time: sink::asked_time(limit),
            ..Asks::default()
        },
        record: job
            .about
            .record(amount(&time.start).filter(|at| *at != 0.0)),
        status: state(word),
    });
    Ok(())
}

#[derive(Deserialize)]
struct QueuedJob {
    job_id: Option<u64>,
    #[serde(flatten)]
    about: About,
    job_state: Option<Value>,
    submit_time: Option<Value>,
    start_time: Option<Value>,
    end_time: Option<Value>,
    time_limit: Option<Value>,
    tres_req_str: Option<String>,
    tres_alloc_str: Option<String>,
    tres_per_node: Option<String>,
    node_count: Option<Value>,
    cpus: Option<Value>,
}

fn read_queued(
    row: &Row<'_>,
    requeued: &mut Requeued,
    sink: &mut Sink,
) -> Result<(), (DropReason, String)> {
    let job: QueuedJob = parse(row.cell(0)).map_err(|what| (DropReason::JsonMalformed, what))?;
    let missing = |reason, key: &str| (reason, cell_is(key, ""));
    let filled = |list: &Option<String>| list.clone().filter(|list| !list.is_empty());
    let (allocated, requested) = (filled(&job.tres_alloc_str), filled(&job.tres_req_str));
    let lists = [&allocated, &requested].into_iter().flatten();
    let per_node = job.tres_per_node.as_deref().unwrap_or("");
    let count = lists
        .clone()
        .find_map(|list| tres::gpus(list))
        .or_else(|| Some(tres::gpus(per_node)? * amount(&job.node_count).unwrap_or(1.0)));
    let told = count.is_some() || lists.clone().next().is_some();
    let count = count.unwrap_or(0.0);
    let cores = lists.clone().filter_map(|list| tres::cores(list));
    let cores = cores.chain(amount(&job.cpus)).find(|cores| *cores > 0.0);
    let cores = cores.unwrap_or(0.0);
    if !told && sink.unit.is_default() {
        return Err(missing(DropReason::GpusMissing, "tres_req_str"));
    }
    let occupied = sink.occupied(count, cores);
    let (gpus, share) =
        occupied.map_err(|r| (r, cell_is("tres_alloc_str", &format!("{count} GPUs"))))?;
    let lists = [&requested, &allocated].into_iter().flatten();
    let ran_on = tres::types(allocated.as_deref().unwrap_or(""));
    let needs = |of: fn(&str) -> Option<f64>| lists.clone().find_map(|list| of(list));
    let (asked, memory) = (needs(tres::cores), needs(tres::memory));
    let types = lists
        .map(|list| tres::types(list))
        .find(|types| !types.is_empty());
    let types = types.unwrap_or_else(|| tres::types(per_node));
    // 0 stands for "not yet".
    let time = |time: &Option<Value>| amount(time).filter(|at| *at != 0.0);
    let submit = time(&job.submit_time);
    let submit = submit.ok_or_else(|| missing(DropReason::SubmitMissing, "submit_time"))?;
    let submit =
        sink::submit(submit).map_err(|r| (r, cell_is("submit_time", &submit.to_string())))?;
    let word = job.job_state.as_ref().map_or("", word);
    let status = state(word);
    if status == Status::Running {
        let waits = word.eq_ignore_ascii_case("pending") || time(&job.start_time).is_none();
        let reason = if waits {
            DropReason::NotBegun
        } else {
            DropReason::NotEnded
        };
        return Err((reason, cell_is("job_state", word)));
    }
    let start = time(&job.start_time);
    let start = start.ok_or_else(|| missing(DropReason::NotBegun, "start_time"))?;
    let end = time(&job.end_time);
    let end = end.ok_or_else(|| missing(DropReason::NotEnded, "end_time"))?;
    let duration = sink::duration(end - start).map_err(|r| {
        (
            r,
            cell_is("end_time − start_time", &(end - start).to_string()),
        )
    })?;
    let limit = amount(&job.time_limit).map(|minutes| 60.0 * minutes);
    let id = job.job_id.map_or_else(String::new, |id| id.to_string());
    requeued.note(&id, word);
    sink.keep(Draft {
        line: row.line,
        name: &id,
        submit,
        duration,
        gpus,
        share,
        tenant: job.about.tenant(),
        model: "",
        batch: None,
        asks: Asks {
            types: &types,
            cores: asked.unwrap_or(0.0),
            memory: memory.unwrap_or(0.0),
            time: sink::asked_time(limit),
            ..Asks::default()
        },
        record: RowRecord {
            ran_on: &ran_on,
            ..job.about.record(Some(start))
        },
        status,
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace};

    const SACCT_JSON: &[u8] = include_bytes!("../../../../tests/fixtures/sacct.json");
    const SQUEUE_JSON: &[u8] = include_bytes!("../../../../tests/fixtures/squeue.json");

    #[test]
    fn accounting() {
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

    #[test]
    fn limits_are_times_asked_for() {
        let json = |limit: &str| {
            let text = String::from_utf8_lossy(SACCT_JSON);
            let with = format!("\"elapsed\": 3600, \"limit\": {limit}");
            let text = text.replacen("\"elapsed\": 3600", &with, 1);
            trace("sacct.json", text.as_bytes()).records[0].demand.time
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
    fn what_runs_or_waits_is_left_out_of_a_queue() {
        let trace = trace("squeue.json", SQUEUE_JSON);
        assert_eq!(trace.format, "squeue-json");
        assert_eq!(
            records(&trace),
            [
                "3 31 1714737600 600 2 vision - Completed",
                "12 34 1714737640 50 8 gpu - Failed",
            ]
        );
        assert_eq!(
            dropped(&trace),
            [
                "no_gpus 1 13 tres_alloc_str is '0 GPUs'",
                "not_ended 1 7 job_state is 'RUNNING'",
                "not_begun 1 9 job_state is 'PENDING'",
            ]
        );
        assert_eq!(trace.gpu_types, ["a100"]);
        assert_eq!(trace.records[0].demand.time, Some(3600.0));
    }
}
