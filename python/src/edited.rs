//! Some of a trace's jobs, and jobs with other values: a trace like the one that they are of, with all that came along. What
//! the trace records of how jobs ran goes with them, as far as it is still true of them.

use crate::refused;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use switchyard::Time;
use switchyard::job::{Job, JobId, Work};
use switchyard::report::TraceFacts;
use switchyard::workload::{Recorded, Workload};
use switchyard_app::study::Study;

/// The most GPUs of a job.
const MOST: f64 = (1 << 20) as f64;

/// A column of values, one for each job.
#[derive(FromPyObject)]
pub(crate) enum Column {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

/// These of a study's jobs, in order of submission; times are since the first of them.
pub(crate) fn chosen(study: &Study, keep: &[bool]) -> PyResult<Study> {
    let jobs = &study.workload.jobs;
    if keep.len() != jobs.len() {
        return Err(refused(format!(
            "filter: there are {} values for {} jobs",
            keep.len(),
            jobs.len()
        )));
    }
    let ids = (0..).map(JobId).zip(keep);
    let ids: Vec<JobId> = ids.filter(|(_, keep)| **keep).map(|(id, _)| id).collect();
    if ids.is_empty() {
        return Err(refused("filter: no job is left"));
    }
    Ok(with(study, of_these(&study.workload, &ids)))
}

/// A study's jobs with other values in these columns.
pub(crate) fn edited(study: &Study, columns: Vec<(String, Column)>) -> PyResult<Study> {
    let mut workload = study.workload.clone();
    for (name, column) in columns {
        set(&mut workload, &name, column)?;
    }
    let mut ids: Vec<JobId> = (0..workload.jobs.len() as u32).map(JobId).collect();
    ids.sort_by_key(|id| workload.jobs[id.index()].submit);
    Ok(with(study, of_these(&workload, &ids)))
}

fn with(study: &Study, workload: Workload) -> Study {
    let facts = TraceFacts::of(&study.facts.format, &workload);
    Study {
        facts: TraceFacts {
            member: study.facts.member.clone(),
            columns: study.facts.columns.clone(),
            ..facts
        },
        workload,
        ..study.clone()
    }
}

/// These jobs, in this order, the first at time 0.
fn of_these(workload: &Workload, ids: &[JobId]) -> Workload {
    fn those<T: Clone>(of: &[T], ids: &[JobId]) -> Vec<T> {
        let found = ids.iter().filter_map(|id| of.get(id.index()));
        found.cloned().collect()
    }
    let mut jobs = those(&workload.jobs, ids);
    let begin = jobs.first().map_or(0.0, |job| job.submit.seconds());
    let since = |at: Time| Time(at.seconds() - begin);
    for job in &mut jobs {
        job.submit = since(job.submit);
    }
    let recorded = &workload.recorded;
    let mut runs = those(&recorded.runs, ids);
    for run in runs.iter_mut().flatten() {
        run.start = since(run.start);
    }
    let attempts = (0..).map(JobId).zip(ids).filter_map(|(id, before)| {
        let attempts = recorded.attempts.get(before)?;
        Some((id, attempts.clone()))
    });
    Workload {
        jobs,
        epoch: workload.epoch.map(|epoch| epoch + begin),
        recorded: Recorded {
            statuses: those(&recorded.statuses, ids),
            attempts: attempts.collect(),
            runs,
            priorities: those(&recorded.priorities, ids),
            label_sets: those(&recorded.label_sets, ids),
            nodes: those(&recorded.nodes, ids),
            ..recorded.clone()
        },
        ..workload.clone()
    }
}

/// Gives all jobs other values.
fn set(workload: &mut Workload, name: &str, column: Column) -> PyResult<()> {
    let count = workload.jobs.len();
    let wrong = |takes: &str| {
        refused(format!(
            "edit: {name} takes {takes}, one for each of {count} jobs"
        ))
    };
    match (name, column) {
        ("job" | "tenant", Column::Texts(texts)) if texts.len() == count => {
            let mut tenants: BTreeMap<String, u32> = BTreeMap::new();
            for (job, text) in workload.jobs.iter_mut().zip(texts) {
                if name == "job" {
                    job.name = text.into();
                } else {
                    let next = tenants.len() as u32;
                    job.tenant = (!text.is_empty()).then(|| *tenants.entry(text).or_insert(next));
                }
            }
            if name == "tenant" {
                let mut names = vec![String::new(); tenants.len()];
                for (tenant, at) in tenants {
                    names[at as usize] = tenant;
                }
                workload.tenants = names;
            }
            Ok(())
        }
        ("job" | "tenant", _) => Err(wrong("texts")),
        ("gpus" | "submit_s" | "duration_s" | "requested_s", Column::Numbers(values))
            if values.len() == count =>
        {
            let jobs = workload.jobs.iter_mut().zip(&values);
            let mut changes = false;
            for (job, &value) in jobs {
                changes |= give(job, name, value)?;
            }
            // When they ran says nothing of these.
            if changes && name != "requested_s" {
                workload.recorded.runs.clear();
                workload.recorded.attempts.clear();
            }
            if changes && name == "submit_s" {
                workload.epoch = None;
            }
            Ok(())
        }
        ("gpus" | "submit_s" | "duration_s" | "requested_s", _) => Err(wrong("numbers")),
        _ => Err(refused(format!(
            "edit: there is no column '{name}' to change: it takes job, tenant, gpus, submit_s, duration_s, requested_s"
        ))),
    }
}

/// Gives a job a value; whether it is another.
fn give(job: &mut Job, name: &str, value: f64) -> PyResult<bool> {
    let wrong = |takes: &str| {
        refused(format!(
            "edit: {name} of job '{}' is {value}: it takes {takes}",
            job.name
        ))
    };
    let before = match name {
        "gpus" => f64::from(job.gpus),
        "submit_s" => job.submit.seconds(),
        "duration_s" => job.work.seconds(),
        _ => job.demand.time.unwrap_or(f64::NAN),
    };
    if value == before || (value.is_nan() && before.is_nan()) {
        return Ok(false);
    }
    let is_seconds = value.is_finite() && value > 0.0;
    let trains = matches!(job.work, Work::Adaptive { .. });
    match name {
        "gpus" | "duration_s" if trains => {
            return Err(refused(format!(
                "edit: job '{}' trains an application, whose durations are of its GPUs: edit its trace",
                job.name
            )));
        }
        "gpus" if value.fract() == 0.0 && (1.0..=MOST).contains(&value) => {
            job.gpus = value as u32;
            // A part of a GPU is of one.
            job.demand.share = None;
        }
        "gpus" => return Err(wrong("whole numbers from 1")),
        "submit_s" if value.is_finite() => job.submit = Time(value),
        "submit_s" => return Err(wrong("seconds")),
        "duration_s" if is_seconds => job.work = Work::Fixed { duration: value },
        "requested_s" if is_seconds => job.demand.time = Some(value),
        "requested_s" if value.is_nan() => job.demand.time = None,
        _ => return Err(wrong("seconds above 0")),
    }
    Ok(true)
}
