//! What it does.

use super::Arguments;
use crate::progress::Progress;
use crate::{Failure, output};
use anyhow::{Context, anyhow};
use std::fmt::Display;
use std::path::Path;
use switchyard::policies::PolicySpec;
use switchyard_sweep::files;
use switchyard_sweep::folder::FolderError;
use switchyard_sweep::grid::Grid;
use switchyard_sweep::sweep::{Sweep, SweptTrace, open_one};
use switchyard_sweep::table::SweepRow;

/// Opens the traces of a grid, has its runs done, writes their table.
pub(crate) fn sweep(arguments: &Arguments) -> Result<(), Failure> {
    let file = &arguments.grid;
    let text = files::read_text(file)
        .with_context(|| format!("cannot read {}", file.display()))
        .map_err(Failure::Input)?;
    let refused = |why: &dyn Display| Failure::Input(anyhow!("{}: {why}", file.display()));
    let base = file.parent().unwrap_or(Path::new(""));
    let grid = Grid::of_toml(&text, base).map_err(|why| refused(&why))?;
    let opening = Progress::of("opening", grid.traces.len() as u64, "traces");
    let opened = (0..).zip(&grid.traces).map(|(at, trace)| {
        opening.count(at);
        open_one(trace, base, |_| {
            opening.count(at);
            true
        })
    });
    let traces: Result<Vec<SweptTrace>, _> = opened.collect();
    let traces = traces.map_err(|why| refused(&why))?;
    drop(opening);
    let out = arguments.out.clone();
    let out = out.unwrap_or_else(|| file.with_extension("sweep"));
    let unwritten = |why: FolderError| Failure::Run(why.into());
    let mut sweep = Sweep::new(grid, traces, &out).map_err(unwritten)?;
    let before = sweep.swept().done;

    let progress = Progress::of("sweep", sweep.swept().points as u64, "runs");
    let done = sweep.run_here(arguments.threads, |swept| {
        progress.count(swept.done as u64);
        true
    });
    drop(progress);
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
    output::print(&(said + &left))?;
    let label = |row: &SweepRow| {
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
