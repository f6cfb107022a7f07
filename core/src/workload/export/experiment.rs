//! Our own format, which `docs/format.md` describes: settings, then a table of jobs.

use super::{cell, name};
use crate::trace::Experiment;
use crate::workload::Workload;
use std::fmt::{Result, Write};

/// Writes a workload with the settings of an experiment. Times are written so that reading them
/// gives the same numbers.
///
/// # Errors
///
/// Whatever `out` fails with.
pub fn experiment(workload: &Workload, settings: &Experiment, out: &mut impl Write) -> Result {
    let line = |text: &str| text.replace(['\n', '\r'], " ").replace('"', "'");
    writeln!(out, "#switchyard {}", Experiment::VERSION)?;
    if !settings.title.is_empty() {
        writeln!(out, "#title {}", line(&settings.title))?;
    }
    if let Some(cluster) = &settings.cluster {
        writeln!(out, "#cluster {cluster}")?;
    }
    for policy in &settings.policies {
        writeln!(out, "#policy {}", line(policy))?;
    }
    if let Some(placement) = &settings.placement {
        writeln!(out, "#placement {}", line(placement))?;
    }
    if let Some(cost) = settings.restart_cost {
        writeln!(out, "#restart_cost {cost}")?;
    }
    if let Some(generation) = &settings.spread_slowdown {
        writeln!(out, "#spread_slowdown {}", line(generation))?;
    }
    if settings.restart_by_model {
        writeln!(out, "#restart_by_model true")?;
    }
    if let Some(seed) = settings.seed {
        writeln!(out, "#seed {seed}")?;
    }
    // Columns that no job fills would only take space.
    let tenants = workload.jobs.iter().any(|job| job.tenant.is_some());
    let models = workload.jobs.iter().any(|job| job.model.is_some());
    out.write_str("job,submit,duration,gpus")?;
    out.write_str(if tenants { ",tenant" } else { "" })?;
    out.write_str(if models { ",model\n" } else { "\n" })?;
    for job in &workload.jobs {
        let (submit, duration) = (job.submit.seconds(), job.work.seconds());
        write!(out, "{},{submit},{duration},{}", cell(&job.name), job.gpus)?;
        if tenants {
            write!(out, ",{}", cell(name(&workload.tenants, job.tenant)))?;
        }
        if models {
            write!(out, ",{}", cell(name(&workload.models, job.model)))?;
        }
        out.write_char('\n')?;
    }
    Ok(())
}
