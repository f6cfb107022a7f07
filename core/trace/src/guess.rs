//! Which columns of a table are which, by the names that people give them.
//!
//! Roles are found by synonyms, compared without case, blanks or punctuation; a last word such
//! as `_ms` or `_hours` is a unit. Limits (wall_time, timelimit, requested_time) are never
//! durations.

use crate::error::OpenError;
use crate::mapping::{ColumnMapping, MappingRole};
use crate::sniff::{Column, Sniff};
use crate::timestamp::TimeUnit;
use crate::wording::shorten;
use switchyard_model::workload::Label;

const ID: &[&str] = &["job_id", "id_job", "job_name", "name", "job", "id"];
const SUBMIT: &[&str] = &[
    "submit_time",
    "submitted_time",
    "submission_time",
    "time_submit",
    "arrival_time",
    "arrival",
    "submit",
    "submitted",
    "subtime",
    "creation_time",
    "gmt_job_submitted",
    "norm_job_submit_time",
    "submitted_at",
    "created_at",
    "creation_timestamp",
    "queued_at",
    "arrived_at",
    "timestamp",
    "time",
];
const START: &[&str] = &[
    "start_time",
    "scheduled_time",
    "time_start",
    "starting_time",
    "start",
    "started_at",
    "begin_time",
];
const END: &[&str] = &[
    "end_time",
    "deletion_time",
    "time_end",
    "finish_time",
    "end",
    "finished_at",
    "ended_at",
    "completed_at",
    "stopped_at",
];
const DURATION: &[&str] = &[
    "duration",
    "run_time",
    "service_sec",
    "execution_time",
    "elapsed_raw",
    "elapsed",
    "elapsed_time",
    "service_time",
    "executed_time",
    "length",
];
const GPUS: &[&str] = &[
    "num_gpus",
    "num_gpu",
    "gpu_num",
    "gpus",
    "gpu_count",
    "gpu_request",
    "scale_factor",
    "num_replicas",
    "gpus_req",
    "gpu_req",
    "req_gpus",
    "request_gpu",
    "request_gpus",
    "requested_gpus",
    "ngpus",
    "ngpu",
    "requested_number_of_resources",
    "requested_number_of_processors",
];
/// Cores of a job, all of its nodes together.
const CORES: &[&str] = &[
    "alloc_cpus",
    "num_cores",
    "n_cores",
    "core_count",
    "cores",
    "num_cpus",
    "num_cpu",
    "n_cpus",
    "cpu_num",
    "cpu_count",
    "cpus",
    "req_cpus",
    "requested_cpus",
    "requested_cores",
    "cpu_request",
    "num_processors",
    "n_procs",
    "processors",
    "slots",
];
/// What each of several has, and the columns that count those.
const EACH: &[(&str, &[&str])] = &[
    (
        "gpus_per_node",
        &[
            "num_nodes",
            "nnodes",
            "nodes",
            "node_num",
            "node_count",
            "num_hosts",
            "hosts",
        ],
    ),
    (
        "gpus_per_worker",
        &[
            "num_workers",
            "nworkers",
            "workers",
            "worker_num",
            "worker_count",
            "replicas",
        ],
    ),
    (
        "gpus_per_task",
        &["num_tasks", "ntasks", "tasks", "task_num", "task_count"],
    ),
];
/// What may as well name the kind of GPU: of a number of them only where it is one.
const GPU: &[&str] = &["gpu"];
const WORKERS: &[&str] = &["worker_num", "inst_num"];
const MILLI: &[&str] = &["gpu_milli"];
const TENANT: &[&str] = &[
    "tenant",
    "vc",
    "virtual_cluster",
    "cluster",
    "organization",
    "group",
    "partition",
    "queue",
    "project",
    "user",
    "user_id",
    "user_name",
    "username",
];
const MODEL: &[&str] = &["model_name", "application", "model"];
const STATUS: &[&str] = &["status", "state", "pod_phase", "success"];
const LIMITS: &[&str] = &[
    "wall_time",
    "time_limit",
    "requested_time",
    "max_runtime",
    "deadline",
];

/// What jobs ask for. (Other limits are in units that their names do not tell, or are a partition's.)
const REQUESTED_TIME: &[&str] = &["requested_time", "request_time", "time_requested"];

/// By label, the columns that hold it.
const LABELS: [&[&str]; Label::ALL.len()] = [
    &["user", "user_name", "user_id", "uid", "owner", "submitter"],
    &["account", "acct", "account_name", "project", "project_name"],
    &["partition", "queue", "queue_name"],
    &["qos", "quality_of_service", "priority_class"],
    &["reservation", "reservation_name"],
];
/// Nodes that a job ran on: names, not how many.
const NODES: &[&str] = &[
    "node_list",
    "allocated_nodes",
    "exec_host",
    "recorded_nodes",
];
const RAN_ON: &[&str] = &["recorded_types"];
const PRIORITY: &[&str] = &["priority", "job_priority"];

/// The columns that tell whose a job is, how it was queued, and where it ran.
pub(crate) struct Labelled {
    /// By label.
    pub(crate) labels: [Option<Column>; Label::ALL.len()],
    pub(crate) nodes: Option<Column>,
    pub(crate) priority: Option<Column>,
    /// GPU types that it ran on, joined by `|`.
    pub(crate) ran_on: Option<Column>,
}

impl Labelled {
    /// Those of a table, by their names.
    pub(crate) fn of(sniff: &Sniff<'_>) -> Self {
        let column = |names: &[&str]| {
            let found = find(sniff, names, false)?;
            sniff.columns.iter().find(|of| of.shown == found.name)
        };
        let mut labels = LABELS.map(|names| column(names).cloned());
        // A queue of numbers is the time waited, not a name.
        if let Some(queue) = labels.get_mut(Label::Partition as usize) {
            let is_wait = |of: &Column| key(&of.name) == "queue" && sniff.is_numeric(of);
            *queue = queue.take().filter(|of| !is_wait(of));
        }
        Self {
            labels,
            nodes: column(NODES).cloned(),
            priority: column(PRIORITY).cloned(),
            ran_on: column(RAN_ON).cloned(),
        }
    }

    /// Those that people say.
    pub(crate) fn mapped(sniff: &Sniff<'_>, mapping: &ColumnMapping) -> Result<Self, OpenError> {
        let mut labels = [const { None }; Label::ALL.len()];
        for (label, column) in Label::ALL.into_iter().zip(&mut labels) {
            *column = sniff.mapped(mapping, label.word())?;
        }
        Ok(Self {
            labels,
            nodes: sniff.mapped(mapping, "recorded_nodes")?,
            priority: sniff.mapped(mapping, "priority")?,
            ran_on: sniff.mapped(mapping, "recorded_types")?,
        })
    }

    /// The columns by the roles that mappings have for them.
    fn roles(&self) -> impl Iterator<Item = (&'static str, Option<&Column>)> {
        let labels = Label::ALL.into_iter().zip(&self.labels);
        let labels = labels.map(|(label, column)| (label.word(), column.as_ref()));
        labels.chain([
            ("recorded_nodes", self.nodes.as_ref()),
            ("priority", self.priority.as_ref()),
            ("recorded_types", self.ran_on.as_ref()),
        ])
    }
}

/// A column in a role, and the unit its name ends in.
struct Timed {
    name: String,
    unit: Option<TimeUnit>,
}

/// A mapping found by the columns' names.
pub(crate) struct Guess {
    pub(crate) mapping: ColumnMapping,
    /// Whether the duration's unit is not named.
    pub(crate) duration_doubtful: bool,
    /// Columns that tell how long jobs may run.
    pub(crate) limits: Vec<String>,
}

/// Which columns are which, by their names.
pub(crate) fn guess(sniff: &Sniff<'_>) -> Guess {
    let plain = |names: &[&str]| find(sniff, names, false).map(|timed| timed.name);
    let timed = |names: &[&str]| find(sniff, names, true);
    // A queue of numbers is the time waited, not a name.
    let waits = |name: &String| {
        let column = sniff.column(&name.to_ascii_lowercase());
        key(name) == "queue" && column.is_some_and(|column| sniff.is_numeric(column))
    };
    let limits = sniff.columns.iter().filter(|column| {
        let is_limit = |limit: &&str| key(&column.name).starts_with(&key(limit));
        LIMITS.iter().any(is_limit)
    });
    let (submit, duration) = (timed(SUBMIT), timed(DURATION));
    let (start, end) = (timed(START), timed(END));
    let unit = match (&submit, &start) {
        (Some(clock), _) | (None, Some(clock)) => clock.unit,
        (None, None) => None,
    };
    let numeric = |name: &String| {
        let column = sniff.column(&name.trim().to_ascii_lowercase());
        column.is_some_and(|column| sniff.is_numeric(column))
    };
    // Of one of several, such as a node: only where it is told how many there are.
    let each = || {
        EACH.iter().find_map(|(each, counts)| {
            let singular = each.replace("gpus", "gpu");
            let numbered = format!("num_{each}");
            let each = plain(&[each, &singular, &numbered])?;
            Some((each, plain(counts)?))
        })
    };
    let all = plain(GPUS).or_else(|| plain(GPU).filter(numeric));
    let (gpus, workers) = match all {
        None => each().unzip(),
        gpus => (gpus, plain(WORKERS)),
    };
    let mut mapping = ColumnMapping {
        id: plain(ID),
        gpus,
        workers,
        gpu_milli: plain(MILLI),
        tenant: plain(TENANT).filter(|name| !waits(name)),
        model: plain(MODEL),
        status: plain(STATUS),
        unit,
        ..ColumnMapping::default()
    };
    let labelled = Labelled::of(sniff);
    for (role, column) in labelled.roles() {
        if let Some(column) = column {
            mapping.set(role, &column.shown);
        }
    }
    // Start and end, where they are on the same clock as the submission.
    let alike = |timed: &Option<Timed>| timed.as_ref().is_some_and(|timed| timed.unit == unit);
    let bounded = alike(&start) && alike(&end);
    // A column without anything in it tells no durations.
    let filled = |timed: &Timed| {
        let column = sniff.column(&timed.name.trim().to_ascii_lowercase());
        column.is_none_or(|column| sniff.is_filled(column))
    };
    let mut duration_doubtful = false;
    if let Some(Timed { name, unit }) = duration.filter(|timed| !bounded || filled(timed)) {
        duration_doubtful = unit.is_none();
        mapping.duration = Some(name);
        mapping.duration_unit = unit.or(Some(TimeUnit::Seconds));
    }
    // A mapping has one unit for both.
    let unit = mapping.duration_unit.or(mapping.unit);
    let requested = timed(REQUESTED_TIME);
    let requested = requested
        .filter(|of| of.unit.unwrap_or(TimeUnit::Seconds) == unit.unwrap_or(TimeUnit::Seconds));
    mapping.requested_time = requested.map(|of| of.name);
    if bounded {
        mapping.end = end.map(|end| end.name);
    }
    if bounded || submit.is_none() {
        mapping.start = start.map(|start| start.name);
    }
    mapping.submit = submit.map(|submit| submit.name);
    Guess {
        mapping,
        duration_doubtful,
        limits: limits.map(|column| column.shown.clone()).collect(),
    }
}

/// The column that counts cores.
pub(crate) fn cores<'s>(sniff: &'s Sniff<'_>) -> Option<&'s Column> {
    let name = find(sniff, CORES, false)?.name;
    sniff.column(&name.trim().to_ascii_lowercase())
}

/// Whether a table has columns for all that a job must have.
pub(crate) fn tells_jobs(sniff: &Sniff<'_>) -> bool {
    let mapping = guess(sniff).mapping;
    let lasts = mapping.duration.is_some() || mapping.end.is_some();
    mapping.submit.or(mapping.start).is_some() && lasts && mapping.gpus.is_some()
}

/// What people say of columns, and for the rest what their names say.
pub(crate) fn completed(sniff: &Sniff<'_>, asked: &ColumnMapping) -> ColumnMapping {
    let Guess {
        mapping: guess,
        duration_doubtful,
        ..
    } = guess(sniff);
    let mut whole = asked.clone();
    let said = |key: &str| asked.column(key).is_some_and(Option::is_some);
    let taken = |name: &str, by: &MappingRole| {
        let mut roles = MappingRole::ALL.iter();
        roles.any(|of| {
            let same = asked
                .get(of.key)
                .is_some_and(|of| of.trim().eq_ignore_ascii_case(name.trim()));
            same && !(of.says_whose && by.says_whose)
        })
    };
    let told = |key: &str| asked.get(key).or(guess.get(key)).is_some();
    for role in MappingRole::ALL {
        let key = role.key;
        // A multiplier belongs to a number, and one way to tell a duration suffices.
        let replaced = match key {
            "workers" | "gpu_milli" => said("gpus"),
            "duration" => (said("start") || said("end")) && told("start") && told("end"),
            "end" => said("duration"),
            _ => false,
        };
        let name = guess.get(key).filter(|name| !taken(name, role));
        if let (Some(name), false) = (name, replaced || said(key)) {
            whole.set(key, name);
        }
    }
    let clock = ["submit", "start", "end"].iter().any(|key| said(key));
    if !clock {
        whole.unit = whole.unit.or(guess.unit);
    }
    let guessed = !said("duration") && whole.duration.is_some();
    if guessed && (asked.unit.is_none() || !duration_doubtful) {
        whole.duration_unit = whole.duration_unit.or(guess.duration_unit);
    }
    whole
}

/// What people say of columns, and what their names say of the others, in words.
pub(crate) fn said(sniff: &Sniff<'_>, asked: &ColumnMapping) -> String {
    let whole = completed(sniff, asked);
    let mut added = ColumnMapping::default();
    for key in ColumnMapping::KEYS {
        if let (Some(name), None) = (whole.get(key), asked.get(key)) {
            added.set(key, name);
        }
    }
    let said = format!("columns as asked, {asked}");
    if added == ColumnMapping::default() {
        said
    } else {
        format!("{said}; {}", text(&added).replacen("columns", "others", 1))
    }
}

/// Who plays which role, in words.
pub(crate) fn text(mapping: &ColumnMapping) -> String {
    let parts = MappingRole::ALL.iter().filter_map(|role| {
        let name = mapping.column(role.key)?.as_ref()?;
        Some(format!("{} = {}", role.noun, shorten(name)))
    });
    format!(
        "columns by their names, {}",
        parts.collect::<Vec<_>>().join(", ")
    )
}

/// The column with the first of the names that occurs, and its unit if it may have one.
fn find(sniff: &Sniff<'_>, names: &[&str], timed: bool) -> Option<Timed> {
    names.iter().find_map(|name| {
        let wanted = key(name);
        sniff.columns.iter().find_map(|column| {
            let mut words = column.name.split(|c| !is_of_word(c));
            let word = words.rfind(|word| !word.is_empty());
            let unit = word.and_then(TimeUnit::of_word).filter(|_| timed);
            let whole = key(&column.name);
            // `arrival_s` is `arrival` in seconds.
            let base = match (unit, word) {
                (Some(_), Some(word)) => whole.strip_suffix(&key(word)),
                _ => None,
            };
            (whole == wanted || base == Some(&wanted)).then(|| Timed {
                name: column.shown.clone(),
                unit,
            })
        })
    })
}

/// A name without case and punctuation.
fn key(name: &str) -> String {
    let mut key: String = name.chars().filter(|&c| is_of_word(c)).collect();
    key.make_ascii_lowercase();
    key
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || !c.is_ascii()
}

#[cfg(test)]
mod tests {
    use crate::testing::{records, trace, try_open};

    #[test]
    fn limits_are_no_durations() {
        for limit in ["wall_time", "timelimit", "requested_time", "Time Limit"] {
            let text = format!("job_id,submit_time,{limit},num_gpus\n1,0,60,1\n");
            let error = try_open("limits.csv", text.as_bytes()).unwrap_err();
            let expected = format!(
                "limits.csv, line 1: no column tells how long it ran (such as duration, or start_time and end_time); found the columns job_id, submit_time, {limit}, num_gpus ({limit} is a limit, not a duration): rename a column, or say which columns are which"
            );
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn what_jobs_ask_for_is_told_beside_how_long_they_ran() {
        let asked = |header: &str, cell: &str| {
            let text = format!("job_id,submit,duration,gpus,{header}\n1,0,60,1,{cell}\n");
            trace("asked.csv", text.as_bytes()).records[0].demand.time
        };
        assert_eq!(asked("requested_time", "90"), Some(90.0));
        assert_eq!(asked("Request Time", "0-01:00:00"), Some(3600.0));
        assert_eq!(asked("requested_time_s", "90"), Some(90.0));
        for other in ["requested_time_ms", "wall_time", "deadline"] {
            assert_eq!(asked(other, "90"), None, "{other}");
        }
    }

    #[test]
    fn times_of_different_units_are_not_subtracted() {
        let text = b"job_id,submit_time_s,start_ms,end_ms,num_gpus\n1,0,60,90,1\n";
        let error = try_open("units.csv", text).unwrap_err();
        assert!(error.to_string().contains("how long it ran"), "{error}");
    }

    #[test]
    fn a_queue_of_numbers_is_no_tenant() {
        let text = b"job,submit,start,end,gpus,queue\n1,0,5,9,1,5\n";
        assert_eq!(records(&trace("w.csv", text)), ["2 1 0 4 1 - - Unknown"]);
        let text = b"job,submit,start,end,gpus,queue\n1,0,5,9,1,prod\n";
        assert_eq!(records(&trace("n.csv", text)), ["2 1 0 4 1 prod - Unknown"]);
    }

    #[test]
    fn names_of_columns_as_people_give_them() {
        for gpus in [
            "gpus_req",
            "req_gpus",
            "ngpus",
            "n_gpu",
            "n_gpus",
            "gpu",
            "Request GPU",
            "requested_number_of_resources",
        ] {
            for duration in ["elapsed", "service_time", "executed_time"] {
                let text = format!("id,submit,{duration},{gpus},tenant,model\n1,0,60,2,a,bert\n");
                let trace = trace("names.csv", text.as_bytes());
                assert_eq!(records(&trace), ["2 1 0 60 2 a bert Unknown"], "{text}");
            }
        }
        // A kind of GPU is no number of them.
        let error = try_open("kind.csv", b"id,submit,duration,gpu\n1,0,60,V100\n");
        let error = error.unwrap_err().to_string();
        assert!(error.contains("how many GPUs"), "{error}");
    }

    #[test]
    fn a_column_of_utilisation_does_not_make_a_job_log_another_table() {
        let text = b"job_id,arrival_time,start_time,end_time,num_gpus,gpu_util\n1,0,5,100,2,93.5\n";
        assert_eq!(records(&trace("u.csv", text)), ["2 1 0 95 2 - - Unknown"]);
    }
}
