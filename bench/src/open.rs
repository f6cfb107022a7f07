//! `switchyard-bench open`: opening speed of each of several files, sorting included.

use crate::engine::{Spread, measure, open_workload};
use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Traces, each opened alone
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Runs per figure
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Speed {
    trace: String,
    bytes: usize,
    jobs: usize,
    seconds: Spread,
    megabytes_per_second: f64,
}

pub(crate) fn open(arguments: &Arguments) -> Result<()> {
    let mut speeds = Vec::new();
    for path in &arguments.traces {
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.display().to_string();
        let (jobs, seconds) = measure(arguments.runs, || {
            open_workload(&name, &bytes).map(|workload| workload.jobs.len())
        })?;
        speeds.push(Speed {
            trace: name,
            bytes: bytes.len(),
            jobs,
            seconds,
            megabytes_per_second: bytes.len() as f64 / 1e6 / seconds.median,
        });
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&speeds)?);
        return Ok(());
    }
    for speed in &speeds {
        let Spread { min, median, max } = speed.seconds;
        println!(
            "{}: {} jobs, {median:.4} s ({min:.4} to {max:.4}), {:.0} MB/s",
            speed.trace, speed.jobs, speed.megabytes_per_second
        );
    }
    Ok(())
}
