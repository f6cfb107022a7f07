//! Muri's figures 9 to 13 (SIGCOMM'22): its simulator replayed, every mean, makespan and 99th percentile beside the
//! published one.

use super::section::difference;
use crate::progress::Progress;
use crate::table::Table;
use crate::{Failure, output, threads};
use anyhow::{Context, anyhow};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use switchyard_interleaving::cycle::Ordering;
use switchyard_interleaving::gangs::Cluster;
use switchyard_interleaving::grouping::{Options, SLOWDOWNS_IN_ORDER};
use switchyard_interleaving::published::{Published, published};
use switchyard_interleaving::replay::{Figures, Job, Scheduler, read, replay};
use switchyard_sweep::files;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Traces as Muri's repository has them; their names say which: trace1.csv is "1", trace1_pr.csv "1_pr"
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Whom to replay (srtf, srsf, tiresias, antman, themis, muri-s, muri-l, muri-l-worst-ordering,
    /// muri-l-no-blossom, muri-l-2, muri-l-3) [default: the first seven]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    policies: Vec<String>,
    /// The variants of figures 11 and 12, too: the worst orders, no matching, groups of two and three
    #[arg(long)]
    figures: bool,
    /// Take groups apart that gain nothing (the simulator's autopack; figure 13 was made with it, figures 9 to 12 without)
    #[arg(long)]
    unpack: bool,
    /// Write the figures as JSON to a file, or to standard output with '-'
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
}

/// Schedulers of figures 9 and 10.
const MAIN: [&str; 7] = [
    "srtf", "srsf", "tiresias", "antman", "themis", "muri-s", "muri-l",
];

/// Variants of figures 11 and 12.
const VARIANTS: [&str; 4] = [
    "muri-l-worst-ordering",
    "muri-l-no-blossom",
    "muri-l-2",
    "muri-l-3",
];

/// What a name stands for.
fn scheduler(name: &str, unpack: bool) -> Option<Scheduler> {
    let options = Options {
        unpack,
        ..Options::default()
    };
    Some(match name {
        "srtf" => Scheduler::Srtf,
        "srsf" => Scheduler::Srsf,
        "tiresias" => Scheduler::Tiresias,
        "antman" => Scheduler::AntMan,
        "themis" => Scheduler::Themis,
        "muri-s" => Scheduler::MuriS(options),
        "muri-l" => Scheduler::MuriL(options),
        "muri-l-worst-ordering" => Scheduler::MuriL(Options {
            ordering: Ordering::Worst,
            ..options
        }),
        "muri-l-no-blossom" => Scheduler::MuriL(Options {
            matching: false,
            slowdowns: SLOWDOWNS_IN_ORDER,
            ..options
        }),
        "muri-l-2" => Scheduler::MuriL(Options {
            packing: 2,
            ..options
        }),
        "muri-l-3" => Scheduler::MuriL(Options {
            packing: 3,
            ..options
        }),
        _ => return None,
    })
}

/// Which trace a file is.
fn trace_of(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy());
    let stem = stem.unwrap_or_default();
    let number = stem.strip_prefix("trace").filter(|rest| !rest.is_empty());
    number.unwrap_or(&stem).to_owned()
}

#[derive(Serialize)]
struct Row {
    policy: String,
    trace: String,
    /// Seconds, as are the others.
    mean_jct: f64,
    makespan: f64,
    p99: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_mean_jct: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_makespan: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_p99: Option<f64>,
}

impl Row {
    fn new(policy: &str, trace: &str, figures: Figures) -> Self {
        let known = published(policy, trace);
        let of = |part: fn(Published) -> Option<f64>| known.and_then(part);
        Self {
            policy: policy.to_owned(),
            trace: trace.to_owned(),
            mean_jct: figures.mean_jct,
            makespan: figures.makespan,
            p99: figures.p99,
            published_mean_jct: of(|known| Some(known.mean_jct)),
            published_makespan: of(|known| known.makespan),
            published_p99: of(|known| known.p99),
        }
    }
}

pub(crate) fn muri(arguments: &Arguments) -> Result<(), Failure> {
    let mut asked: Vec<&str> = arguments.policies.iter().map(String::as_str).collect();
    if asked.is_empty() {
        asked.extend(MAIN);
    }
    if arguments.figures {
        asked.extend(VARIANTS);
    }
    let mut schedulers = Vec::new();
    for name in asked {
        let known = scheduler(name, arguments.unpack).ok_or_else(|| {
            let all = [&MAIN[..], &VARIANTS[..]].concat().join(", ");
            Failure::Input(anyhow!("--policies: there is no {name:?}; there are {all}"))
        });
        schedulers.push((name, known?));
    }
    let mut traces = Vec::new();
    for path in &arguments.traces {
        traces.push((trace_of(path), jobs(path)?));
    }
    let runs: Vec<_> = traces
        .iter()
        .flat_map(|trace| schedulers.iter().map(move |scheduler| (trace, scheduler)))
        .collect();
    let progress = Progress::of("paper muri", runs.len() as u64, "runs");
    let rows = threads::each(runs.len(), |at| {
        let ((trace, jobs), (name, scheduler)) = runs[at];
        let mut piece = progress.piece();
        let mut ended = |count: usize| piece.reach(count as f64 / jobs.len() as f64);
        let done = replay(jobs, Cluster::PUBLISHED, *scheduler, &mut ended)
            .with_context(|| format!("{name} on trace {trace}"))
            .map_err(Failure::Input)?;
        piece.done();
        Ok(Row::new(name, trace, done.figures()))
    });
    drop(progress);
    let rows = rows.into_iter().collect::<Result<Vec<Row>, Failure>>()?;
    match &arguments.json {
        Some(path) => output::json(path, &rows),
        None => output::print(&text(&rows)),
    }
}

fn jobs(path: &Path) -> Result<Vec<Job>, Failure> {
    let bytes = files::read(path).with_context(|| format!("cannot read {}", path.display()));
    let bytes = bytes.map_err(Failure::Input)?;
    read(&bytes)
        .with_context(|| path.display().to_string())
        .map_err(Failure::Input)
}

/// A table for each trace: seconds, what was published, and how far ours is from it.
fn text(rows: &[Row]) -> String {
    let mut said = String::from(
        "Seconds, on 8 nodes of 8 GPUs; published: draw_fig9-10.py and draw_fig11-13.py of the authors' repository\n",
    );
    for of_trace in rows.chunk_by(|a, b| a.trace == b.trace) {
        let mut table = Table::default();
        let header = [
            "",
            "mean JCT",
            "published",
            "",
            "makespan",
            "published",
            "",
            "p99",
            "published",
            "",
        ];
        table.row(header.map(String::from).to_vec());
        for row in of_trace {
            let mut cells = vec![row.policy.clone()];
            let pairs = [
                (row.mean_jct, row.published_mean_jct),
                (row.makespan, row.published_makespan),
                (row.p99, row.published_p99),
            ];
            for (ours, theirs) in pairs {
                cells.push(format!("{ours:.3}"));
                cells.push(theirs.map_or("–".into(), |theirs| format!("{theirs:.3}")));
                cells.push(theirs.map_or(String::new(), |theirs| difference(ours, theirs)));
            }
            table.row(cells);
        }
        let trace = of_trace.first().map_or("", |row| &row.trace);
        said += &format!("\nTrace {trace}\n{table}");
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_say_by_their_names_which_trace_they_are() {
        let traces = [
            "x/trace1.csv",
            "trace4_pr.csv",
            "job_type_2.csv",
            "trace.csv",
        ];
        let named = traces.map(|path| trace_of(Path::new(path)));
        assert_eq!(named, ["1", "4_pr", "job_type_2", "trace"]);
    }

    #[test]
    fn every_name_is_a_scheduler_and_has_published_figures() {
        for name in MAIN {
            assert!(scheduler(name, false).is_some() && published(name, "3").is_some());
        }
        for name in VARIANTS {
            let known = ["3", "3_pr"].map(|trace| published(name, trace).is_some());
            assert!(scheduler(name, false).is_some() && known != [false, false]);
        }
    }
}
