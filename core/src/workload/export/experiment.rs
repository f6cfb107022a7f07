//! Our own format, which `docs/format.md` describes: settings, then a table of jobs.

use super::{cell, name};
use crate::cluster::Thousandths;
use crate::job::{Demand, Job, JobId, TypeSet, Work};
use crate::pods::WHOLE;
use crate::spreadsheet::guarded_line;
use crate::workload::{Label, Workload};
use std::fmt::{Result, Write};

/// Writes a workload as it was opened, below settings: keys with their values, the format's version
/// first. Reading them gives the same numbers.
///
/// # Errors
///
/// Whatever `out` fails with.
pub fn experiment(
    workload: &Workload,
    settings: &[(&str, String)],
    out: &mut impl Write,
) -> Result {
    for (key, value) in settings {
        setting(out, key, value)?;
    }
    if let Some(epoch) = workload.epoch {
        setting(out, "epoch", &epoch.to_string())?;
    }
    let seen = tenants_in_order(workload);
    let listed = workload.tenants.iter().map(String::as_str);
    if !listed.eq(seen) {
        for tenant in &workload.tenants {
            setting(out, "tenant", tenant)?;
        }
    }
    // Columns that no job fills would only take space.
    let tenants = workload.jobs.iter().any(|job| job.tenant.is_some());
    let models = workload.jobs.iter().any(|job| job.model.is_some());
    let batches = workload.jobs.iter().any(|job| batch(job).is_some());
    let shares = workload.jobs.iter().any(|job| job.demand.share.is_some());
    out.write_str("job,submit,duration,gpus")?;
    out.write_str(if shares { ",gpu_milli" } else { "" })?;
    out.write_str(if tenants { ",tenant" } else { "" })?;
    out.write_str(if models { ",model" } else { "" })?;
    out.write_str(if batches { ",batch" } else { "" })?;
    let demands = DEMANDS.iter().map(|(name, of)| {
        let asked = workload
            .jobs
            .iter()
            .any(|job| of(workload, &job.demand).is_some());
        (name, of, asked)
    });
    let demands: Vec<_> = demands.collect();
    for (name, ..) in demands.iter().filter(|(.., asked)| *asked) {
        write!(out, ",{name}")?;
    }
    let recorded = &workload.recorded;
    let statuses = !recorded.statuses.is_empty();
    let attempts = !recorded.attempts.is_empty();
    out.write_str(if statuses { ",status" } else { "" })?;
    out.write_str(if attempts { ",attempts" } else { "" })?;
    let kept = RECORDED.iter().map(|(name, of)| {
        let mut jobs = (0..workload.jobs.len() as u32).map(JobId);
        (name, of, jobs.any(|job| of(workload, job).is_some()))
    });
    let kept: Vec<_> = kept.collect();
    for (name, ..) in kept.iter().filter(|(.., told)| *told) {
        write!(out, ",{name}")?;
    }
    out.write_char('\n')?;
    for (id, job) in (0..).map(JobId).zip(&workload.jobs) {
        let (submit, duration) = (job.submit.seconds(), job.work.seconds());
        write!(out, "{},{submit},{duration},{}", cell(&job.name), job.gpus)?;
        if shares {
            let share = job.demand.share.map_or(WHOLE, Thousandths::get);
            write!(out, ",{share}")?;
        }
        if tenants {
            write!(out, ",{}", cell(name(&workload.tenants, job.tenant)))?;
        }
        if models {
            write!(out, ",{}", cell(name(&workload.models, job.model)))?;
        }
        match batch(job) {
            Some(batch) => write!(out, ",{batch}")?,
            None if batches => out.write_char(',')?,
            None => {}
        }
        for (_, of, _) in demands.iter().filter(|(.., asked)| *asked) {
            let value = of(workload, &job.demand).unwrap_or_default();
            write!(out, ",{value}")?;
        }
        if statuses {
            write!(out, ",{}", recorded.status(id).word())?;
        }
        if attempts {
            let seconds = recorded.attempts.get(&id).map_or(&[][..], Vec::as_slice);
            let words: Vec<String> = seconds.iter().map(f64::to_string).collect();
            write!(out, ",{}", words.join(" "))?;
        }
        for (_, of, _) in kept.iter().filter(|(.., told)| *told) {
            write!(out, ",{}", of(workload, id).unwrap_or_default())?;
        }
        out.write_char('\n')?;
    }
    Ok(())
}

/// The text of what a job asks for, if it does.
type OfDemand = fn(&Workload, &Demand) -> Option<String>;

/// What a job asks for besides GPUs, by column.
const DEMANDS: &[(&str, OfDemand)] = &[
    ("gpu_types", |workload, demand| {
        types(workload, demand.types)
    }),
    ("gpu_memory", |_, demand| figure(demand.gpu_memory, 1024.0)),
    ("cores", |_, demand| figure(demand.cores, 1000.0)),
    ("memory", |_, demand| figure(demand.memory, 1024.0)),
    ("requested_time", |_, demand| {
        demand.time.map(|seconds| seconds.to_string())
    }),
    ("servers", |_, demand| figure(demand.servers.count, 1.0)),
    ("server_cores", |_, demand| {
        figure(demand.servers.cores, 1000.0)
    }),
    ("server_memory", |_, demand| {
        figure(demand.servers.memory, 1024.0)
    }),
];

/// The text of what is recorded of a job, if it is.
type OfRecord = fn(&Workload, JobId) -> Option<String>;

/// What is recorded of a job besides how it ended, by column.
const RECORDED: &[(&str, OfRecord)] = &[
    (Label::User.word(), |of, job| label(of, job, Label::User)),
    (Label::Account.word(), |of, job| {
        label(of, job, Label::Account)
    }),
    (Label::Partition.word(), |of, job| {
        label(of, job, Label::Partition)
    }),
    (Label::Qos.word(), |of, job| label(of, job, Label::Qos)),
    (Label::Reservation.word(), |of, job| {
        label(of, job, Label::Reservation)
    }),
    ("priority", |of, job| {
        of.recorded.priority(job).map(|of| of.to_string())
    }),
    ("recorded_start", |of, job| {
        of.recorded
            .run(job)
            .map(|run| run.start.seconds().to_string())
    }),
    ("recorded_types", |of, job| {
        types(of, of.recorded.run(job)?.types)
    }),
    ("recorded_nodes", |of, job| of.recorded.nodes(job).map(cell)),
];

/// The names of GPU types; nothing where any will do.
fn types(workload: &Workload, types: TypeSet) -> Option<String> {
    let named = types.named();
    let named = named.filter_map(|at| workload.gpu_types.get(at as usize));
    let named: Vec<&str> = named.map(String::as_str).collect();
    (!named.is_empty()).then(|| named.join("|"))
}

fn label(of: &Workload, job: JobId, label: Label) -> Option<String> {
    of.recorded.label(job, label).map(cell)
}

fn figure(value: u32, unit: f64) -> Option<String> {
    (value > 0).then(|| (f64::from(value) / unit).to_string())
}

fn setting(out: &mut impl Write, key: &str, value: &str) -> Result {
    let value = one_line(value);
    writeln!(out, "#{key} {}", guarded_line(&value))
}

/// Names lose their line ends.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ").trim().to_owned()
}

/// The batch that a job's record asks for. A plain job that was bound to an application is written
/// as the plain job that it is: its settings bind it again.
fn batch(job: &Job) -> Option<u32> {
    match job.work {
        Work::Adaptive {
            batch, scale: 1.0, ..
        } => Some(batch),
        _ => None,
    }
}

/// The tenants that jobs name, in order of appearance: as a reader numbers them.
fn tenants_in_order(workload: &Workload) -> impl Iterator<Item = &str> {
    let mut seen = vec![false; workload.tenants.len()];
    workload.jobs.iter().filter_map(move |job| {
        let tenant = job.tenant? as usize;
        let is_new = seen
            .get_mut(tenant)
            .is_some_and(|seen| !std::mem::replace(seen, true));
        is_new.then(|| workload.tenants.get(tenant).map(String::as_str))?
    })
}
