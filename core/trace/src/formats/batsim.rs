//! Batsim's workloads, a JSON object of jobs and profiles, and what it writes about a run.
//!
//! `jobs` is an array of `{"id", "subtime", "res", "profile"}`; a profile of type `delay`, since
//! version 5 `DelayProfile`, tells the duration in its `delay`. Times are seconds, `res` is taken
//! for GPUs. Jobs whose profile is of another type describe work, not time, and are left out.
//! `walltime` is the time that is asked for, and when it is over the job is killed.
//!
//! A run's `jobs.csv` has `job_id,workload_name,profile,submission_time,`
//! `requested_number_of_resources,requested_time,success,final_state,starting_time,`
//! `execution_time,…`; a job that never ran has a negative
//! execution time.
//!
//! Source: <https://batsim.readthedocs.io/en/latest/input-workload.html>, `output-jobs.html`.

use crate::columns::{Clock, Columns, Plain};
use crate::field_rows::rows_of_field;
use crate::format::{Format, Importer};
use crate::job::Status;
use crate::objects::parse;
use crate::report::{DropReason, WarningKind, cell_is};
use crate::rows::{Fields, Row};
use crate::sink::{self, Asks, Draft, RowRecord, Sink};
use crate::sniff::Shape;
use crate::timestamp::TimeUnit;
use crate::wording::shorten;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) const FORMAT: Format = Format {
    id: "batsim",
    title: "Batsim workload",
    accounting: false,
    recognise: |sniff| {
        let mut evidence = sniff.with_columns(&["jobs", "profiles"])?;
        evidence.text = "a JSON object with jobs and profiles".to_owned();
        (sniff.shape == Shape::JsonObject).then_some(evidence)
    },
    importer: |_, _| Ok(Box::new(Batsim)),
};

pub(super) const JOBS: Format = Format {
    id: "batsim-jobs",
    title: "Batsim jobs of a run",
    accounting: false,
    recognise: |sniff| {
        sniff.with_columns(&[
            "job_id",
            "submission_time",
            "requested_number_of_resources",
            "execution_time",
        ])
    },
    importer: |sniff, _| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    id: "job_id",
    submit: "submission_time",
    clock: Clock::Relative(TimeUnit::Seconds),
    duration: "execution_time",
    gpus: "requested_number_of_resources",
    status: "success",
    requested_time: ("requested_time", TimeUnit::Seconds),
    units: "Times are seconds, as this format defines them; the duration is the execution time in that run; resources are taken for GPUs.",
    ..Plain::NONE
};

#[derive(Deserialize)]
struct Job {
    id: Option<Value>,
    subtime: Option<f64>,
    #[serde(alias = "requested_number_of_resources")]
    res: Option<f64>,
    profile: Option<String>,
    walltime: Option<f64>,
}

#[derive(Deserialize)]
struct Profile {
    r#type: Option<String>,
    delay: Option<f64>,
}

struct Batsim;

impl Importer for Batsim {
    fn row(&mut self, _row: &Row<'_>, _sink: &mut Sink) {}

    fn document(&mut self, text: &str, sink: &mut Sink) {
        let field = |key: &str| Fields::new(text).find(|field| field.key == key);
        let profiles = field("profiles").map_or("", |field| field.value);
        // Unlike profiles do not spoil each other.
        let profiles = Fields::new(profiles).filter_map(|profile| {
            let known: Profile = serde_json::from_str(profile.value).ok()?;
            Some((profile.key, known))
        });
        let profiles: BTreeMap<&str, Profile> = profiles.collect();
        rows_of_field(text, "jobs", sink, &mut |row, sink| {
            read(row, &profiles, sink)
        });
    }

    fn units(&self) -> String {
        "Times are seconds, as this format defines them; the duration is the delay of the job's profile, at most its walltime; resources are taken for GPUs.".to_owned()
    }

    fn named(&self) -> bool {
        true
    }
}

fn read(
    row: &Row<'_>,
    profiles: &BTreeMap<&str, Profile>,
    sink: &mut Sink,
) -> Result<(), (DropReason, String)> {
    let job: Job = parse(row.cell(0)).map_err(|what| (DropReason::JsonMalformed, what))?;
    let missing = |reason, key: &str| (reason, cell_is(key, ""));
    let res = job
        .res
        .ok_or_else(|| missing(DropReason::GpusMissing, "res"))?;
    let (gpus, share) = sink
        .occupied(res, res)
        .map_err(|r| (r, cell_is("res", &res.to_string())))?;
    let subtime = job.subtime;
    let subtime = subtime.ok_or_else(|| missing(DropReason::SubmitMissing, "subtime"))?;
    let submit = sink::submit(subtime);
    let submit = submit.map_err(|r| (r, cell_is("subtime", &subtime.to_string())))?;
    let name = job.profile.unwrap_or_default();
    let profile = profiles.get(name.as_str());
    let profile = profile.ok_or_else(|| missing(DropReason::DurationMissing, "profile"))?;
    let kind = profile.r#type.as_deref().unwrap_or("no type");
    let is_delay = kind == "delay" || kind == "DelayProfile";
    let delay = profile.delay.filter(|_| is_delay).ok_or_else(|| {
        let detail = format!("profile '{}' is of type {}", shorten(&name), shorten(kind));
        (DropReason::DurationMissing, detail)
    })?;
    let duration = sink::duration(delay);
    let duration = duration.map_err(|r| (r, cell_is("delay", &delay.to_string())))?;
    let walltime = sink::asked_time(job.walltime);
    let killed = walltime.filter(|walltime| *walltime < duration);
    let id = match job.id {
        Some(Value::String(id)) => id,
        Some(Value::Null) | None => String::new(),
        Some(id) => id.to_string(),
    };
    sink.keep(Draft {
        line: row.line,
        name: &id,
        submit,
        duration: killed.unwrap_or(duration),
        gpus,
        share,
        tenant: "",
        model: "",
        batch: None,
        asks: Asks {
            time: walltime,
            ..Asks::default()
        },
        record: RowRecord::default(),
        status: match killed {
            Some(_) => Status::Failed,
            None => Status::Unknown,
        },
    });
    if killed.is_some() {
        let detail = || format!("its profile takes {delay} s");
        let kind = WarningKind::KilledAtLimit;
        sink.tally.warn(kind, 1, row.line, &detail);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/batsim.json");
    const JOBS: &[u8] = include_bytes!("../../../../tests/fixtures/batsim_jobs.csv");

    #[test]
    fn fixture() {
        let trace = trace("batsim.json", FILE);
        assert_eq!(trace.format, "batsim");
        assert_eq!(
            records(&trace),
            ["4 w!1 0 999 4 - - Failed", "5 2 10.5 1.5 1 - - Unknown",]
        );
        let asked = trace.records.iter().map(|record| record.demand.time);
        assert!(asked.eq([Some(999.0), None]));
        assert_eq!(
            dropped(&trace),
            [
                "submit_missing 1 8 subtime is empty",
                "duration_missing 2 6 profile 'flops' is of type parallel_homogeneous",
            ]
        );
        assert_eq!(
            warnings(&trace),
            ["killed_at_limit 1 4 its profile takes 3600 s"]
        );
    }

    #[test]
    fn version_5() {
        let text = br#"{"nb_res": 4, "jobs": [
            {"id": "1", "subtime": 0, "res": 2, "profile": "nap"},
            {"id": "2", "subtime": 3, "requested_number_of_resources": 4, "profile": "nap"}
        ], "profiles": {"nap": {"type": "DelayProfile", "delay": 20.25}}}"#;
        assert_eq!(
            records(&trace("v5.json", text)),
            ["2 1 0 20.25 2 - - Unknown", "3 2 3 20.25 4 - - Unknown"]
        );
    }

    #[test]
    fn jobs_of_a_run() {
        let trace = trace("jobs.csv", JOBS);
        assert_eq!(trace.format, "batsim-jobs");
        assert_eq!(
            records(&trace),
            ["2 1 0 20.25 2 - - Completed", "3 2 3.5 90 4 - - Failed"]
        );
        assert_eq!(
            dropped(&trace),
            ["duration_negative 1 4 execution_time is '-1'"]
        );
    }
}
