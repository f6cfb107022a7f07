//! Our own format, which `docs/format.md` describes: settings, then a table of jobs.

use super::{cell, name};
use crate::Experiment;
use crate::job::{Job, Work};
use crate::spreadsheet::guarded_line;
use crate::workload::{Application, Workload};
use std::fmt::{Display, Result, Write};

/// Writes a workload as it was opened, with the settings of an experiment: reading them gives the
/// same numbers, and running them the same logs. What is at its default is left out.
///
/// # Errors
///
/// Whatever `out` fails with.
pub fn experiment(workload: &Workload, settings: &Experiment, out: &mut impl Write) -> Result {
    writeln!(out, "#switchyard {}", Experiment::VERSION)?;
    write_settings(settings, out)?;
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
    out.write_str("job,submit,duration,gpus")?;
    out.write_str(if tenants { ",tenant" } else { "" })?;
    out.write_str(if models { ",model" } else { "" })?;
    out.write_str(if batches { ",batch\n" } else { "\n" })?;
    for job in &workload.jobs {
        let (submit, duration) = (job.submit.seconds(), job.work.seconds());
        write!(out, "{},{submit},{duration},{}", cell(&job.name), job.gpus)?;
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
        out.write_char('\n')?;
    }
    Ok(())
}

fn write_settings(settings: &Experiment, out: &mut impl Write) -> Result {
    let default = Experiment::default();
    if !settings.title.is_empty() {
        setting(out, "title", &settings.title)?;
    }
    for choice in &settings.choice {
        setting(out, "choice", choice)?;
    }
    if let Some(cluster) = &settings.cluster {
        setting(out, "cluster", cluster)?;
    }
    for policy in &settings.policies {
        setting(out, "policy", policy)?;
    }
    if settings.placement != default.placement {
        setting(out, "placement", settings.placement)?;
    }
    let (options, usual) = (&settings.options, &default.options);
    if options.restart_cost != usual.restart_cost {
        setting(out, "restart_cost", options.restart_cost)?;
    }
    if options.interference != usual.interference {
        setting(out, "interference", options.interference)?;
    }
    if let Some(generation) = options.spread_slowdown {
        setting(out, "spread_slowdown", generation.name())?;
    }
    for (key, is_set) in [
        ("restart_by_model", options.restart_by_model),
        ("first_start_pays", options.first_start_pays),
        ("whole_second_epochs", options.whole_second_epochs),
        ("applications", settings.applications.always),
    ] {
        if is_set {
            setting(out, key, true)?;
        }
    }
    if options.seed != usual.seed {
        setting(out, "seed", options.seed)?;
    }
    let applications = &settings.applications;
    if !applications.rule.trim().is_empty() {
        setting(out, "binding", &applications.rule)?;
    }
    if applications.seed != default.applications.seed {
        setting(out, "binding_seed", applications.seed)?;
    }
    for definition in &applications.definitions {
        setting(out, "application", Application::compact_json(definition))?;
    }
    for table in &applications.profiles {
        setting(out, "profile", &table.path)?;
        for row in table.text.lines().filter(|row| !row.trim().is_empty()) {
            setting(out, "row", row)?;
        }
    }
    for history in &settings.histories {
        let name = format!("{}=", one_line(&history.name));
        write!(out, "#history {}", guarded_line(&name))?;
        for (at, sample) in history.samples.iter().enumerate() {
            write!(out, "{}{sample}", if at > 0 { " " } else { "" })?;
        }
        out.write_char('\n')?;
    }
    Ok(())
}

fn setting(out: &mut impl Write, key: &str, value: impl Display) -> Result {
    let value = one_line(&value.to_string());
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
