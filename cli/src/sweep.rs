//! `switchyard sweep`: a grid of runs on the cores of this machine, into a folder that it goes on from.

use crate::Failure;
use crate::output::{self, STDOUT};
use crate::terminal::shown;
use anyhow::{Context, anyhow};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use switchyard::policy::PolicySpec;
use switchyard_sweep::files;
use switchyard_sweep::grid::Grid;
use switchyard_sweep::sweep::{Sweep, open};
use switchyard_sweep::table::Row;

#[derive(Args)]
#[command(after_help = "Examples:
  switchyard sweep grid.toml
  switchyard sweep grid.toml --out results --threads 4")]
pub(crate) struct Arguments {
    /// The grid, in TOML: docs/sweeps.md describes it
    #[arg(value_name = "FILE")]
    grid: PathBuf,
    /// The folder for results; runs that it knows are not repeated [default: FILE's name with .sweep]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// How many runs at once [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

pub(crate) fn sweep(arguments: &Arguments) -> Result<(), Failure> {
    let file = &arguments.grid;
    let text = files::read_text(file)
        .with_context(|| format!("cannot read {}", file.display()))
        .map_err(Failure::Input)?;
    let refused = |why: &dyn Display| Failure::Input(anyhow!("{}: {why}", file.display()));
    let grid = Grid::of_toml(&text).map_err(|why| refused(&why))?;
    let base = file.parent().unwrap_or(Path::new(""));
    let traces = open(&grid, base).map_err(|why| refused(&why))?;
    let out = arguments.out.clone();
    let out = out.unwrap_or_else(|| file.with_extension("sweep"));
    let unwritten = |why: switchyard_sweep::folder::FolderError| Failure::Run(why.into());
    let mut sweep = Sweep::new(grid, traces, &out).map_err(unwritten)?;
    let before = sweep.swept().done;

    let style = ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} runs, {eta} left");
    // Hidden by itself where standard error is no terminal.
    let bar = ProgressBar::with_draw_target(
        Some(sweep.swept().points as u64),
        ProgressDrawTarget::stderr(),
    )
    .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let done = sweep.run_here(arguments.threads, |swept| {
        bar.set_position(swept.done as u64);
        true
    });
    bar.finish_and_clear();
    done.map_err(unwritten)?;
    let swept = sweep.swept();
    let written = sweep.finish().map_err(unwritten)?;
    let [parquet, csv] = written
        .context("some runs are missing")
        .map_err(Failure::Run)?;
    let known = match before {
        0 => String::new(),
        before => format!(", {before} of them known before"),
    };
    let mut said = format!(
        "{} runs{known}: {} and {}\n",
        swept.points,
        parquet.display(),
        csv.display()
    );
    if let Some(note) = sweep.idle_seeds() {
        said.push_str(&format!("note: {note}\n"));
    }
    let leaving = sweep.rows().filter(|row| row.leaves_jobs()).count();
    let left = match leaving {
        0 => String::new(),
        leaving => format!(
            "{leaving} of them leave jobs behind, unfinished or rejected: their means are of fewer jobs (column finished)\n"
        ),
    };
    output::text(STDOUT, &shown(&(said + &left)))?;
    let label = |row: &Row| {
        let policy = row.policy.parse::<PolicySpec>();
        policy.map_or_else(|_| row.policy.clone(), |policy| policy.label())
    };
    if let Some(row) = sweep.rows().find(|row| !row.failure.is_empty()) {
        return Err(Failure::Run(anyhow!(
            "{} of {} runs failed (columns failure and error), the first under {}: {}",
            swept.failed,
            swept.points,
            label(row),
            row.error
        )));
    }
    if let Some(row) = sweep.rows().find(|row| row.never_ends()) {
        return Err(Failure::Unfinished(anyhow!(
            "under {} on {} some jobs never end, or none can run; no mean of that run stands for the trace",
            label(row),
            row.cluster
        )));
    }
    Ok(())
}
