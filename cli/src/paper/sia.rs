//! Sia's table 3 (SOSP'23): its authors' simulator replayed, 64 GPUs of three types, on their workloads. Sia beside
//! Pollux, which does not tell types apart, and Gavel, whose jobs keep the GPUs and batches of the trace.
//!
//! Gavel's figures are those of the artifact, digit by digit. Sia's depend on which of many equally good plans a
//! solver finds, since costs are rounded to hundredths, and Pollux' on the draws of its search.

use super::section::{Section, difference};
use crate::progress::Progress;
use crate::table::Table;
use crate::threads;
use crate::{Failure, output};
use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use switchyard_sia_replay::profiles::NamedText;
use switchyard_sia_replay::{Figures, Run, Scheduler, Submission, World, replay};
use switchyard_sweep::files;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The artifact's inputs: workloads/philly/workload-1.csv and so on, and profiles/APPLICATION/*.csv (there traces/)
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Which workloads
    #[arg(long, value_delimiter = ',', default_values_t = [Workloads::Philly, Workloads::Saturn])]
    workloads: Vec<Workloads>,
    /// Which policies
    #[arg(long, value_delimiter = ',', default_values_t = [Policy::Sia, Policy::SiaAsReleased, Policy::Pollux, Policy::Gavel])]
    policy: Vec<Policy>,
    /// Write the figures as JSON to a file, or to standard output with '-'
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
    /// The seed of Pollux' search
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum Workloads {
    /// Eight of 160 jobs, submitted as to Microsoft's Philly
    Philly,
    /// Ten of 160 jobs, as to the cluster Saturn of SenseTime's Helios
    Saturn,
    /// Ten of 960 jobs over two days: the paper's newTrace
    Newtrace,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum Policy {
    /// Sia, which weighs configurations with batches up to the application's largest
    Sia,
    /// Sia as in its released artifact, which weighs them with batches up to the trace's
    SiaAsReleased,
    /// Pollux, which does not tell types of GPUs apart
    Pollux,
    /// Gavel, with the GPUs and batches of the trace
    Gavel,
}

/// The name of a choice, as it is asked for.
macro_rules! named {
    ($($choice:ty),*) => {
        $(impl std::fmt::Display for $choice {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.to_possible_value().as_ref().map_or("", |value| value.get_name()))
            }
        })*
    };
}

named!(Workloads, Policy);

/// Mean JCT, its 99th percentile, makespan and GPU-hours per job, in hours, as in the paper's table 3.
fn published(workloads: Workloads, policy: Policy) -> [f64; 4] {
    match (workloads, policy) {
        (Workloads::Philly, Policy::Gavel) => [1.9, 30.0, 33.8, 9.0],
        (Workloads::Saturn, Policy::Gavel) => [2.5, 38.7, 43.0, 12.1],
        (Workloads::Newtrace, Policy::Gavel) => [11.3, 98.1, 110.0, 6.4],
        (Workloads::Philly, Policy::Pollux) => [1.0, 14.9, 24.5, 5.6],
        (Workloads::Saturn, Policy::Pollux) => [1.0, 15.0, 25.5, 5.9],
        (Workloads::Newtrace, Policy::Pollux) => [1.5, 10.3, 62.3, 3.4],
        (Workloads::Philly, _) => [0.6, 9.5, 14.2, 4.0],
        (Workloads::Saturn, _) => [0.7, 10.9, 14.9, 4.8],
        (Workloads::Newtrace, _) => [0.7, 4.6, 52.2, 3.0],
    }
}

/// Figures over workloads; p99 is the mean of the workloads' percentiles.
#[derive(Serialize)]
struct Row {
    workloads: Workloads,
    policy: Policy,
    mean_jct_hours: f64,
    deviation_hours: f64,
    p99_hours: f64,
    p99_of_all_hours: f64,
    makespan_hours: f64,
    gpu_hours: f64,
    restarts_per_job: f64,
    contention: f64,
    most_contention: u32,
    /// Mean JCT of each workload.
    mean_jct_seconds: Vec<f64>,
    published_mean_jct_hours: f64,
    published_p99_hours: f64,
    published_makespan_hours: f64,
    published_gpu_hours: f64,
}

/// A row to come: a policy on all workloads of a sort.
struct Ask<'j> {
    workloads: Workloads,
    policy: Policy,
    jobs: &'j [(u32, Vec<Submission>)],
}

pub(crate) fn sia(arguments: &Arguments) -> Result<(), Failure> {
    let world = world(&arguments.folder).map_err(Failure::Input)?;
    let mut jobs = Vec::new();
    for &workloads in &arguments.workloads {
        let of = workloads_of(&arguments.folder, workloads).map_err(Failure::Input)?;
        jobs.push((workloads, of));
    }
    let asks = jobs.iter().flat_map(|(workloads, jobs)| {
        let ask = move |&policy: &Policy| Ask {
            workloads: *workloads,
            policy,
            jobs,
        };
        arguments.policy.iter().map(ask)
    });
    let asks: Vec<Ask<'_>> = asks.collect();
    let work = asks
        .iter()
        .flat_map(|ask| ask.jobs.iter().map(move |jobs| (ask, jobs)));
    let work: Vec<_> = work.collect();
    let progress = Progress::of("paper sia", work.len() as u64, "workloads");
    let runs = threads::each(work.len(), |at| {
        let (ask, (number, jobs)) = work[at];
        let scheduler = match ask.policy {
            Policy::Sia => Scheduler::sia(),
            Policy::SiaAsReleased => Scheduler::sia_as_released(),
            Policy::Pollux => Scheduler::Pollux(arguments.seed),
            Policy::Gavel => Scheduler::Gavel,
        };
        let mut piece = progress.piece();
        let run = replay(&world, jobs, &scheduler, |share| piece.reach(share))
            .with_context(|| format!("{} on workload {number} of {}", ask.policy, ask.workloads))
            .map_err(Failure::Input)?;
        piece.done();
        Ok(run)
    });
    drop(progress);
    let mut runs = runs.into_iter();
    let mut rows = Vec::new();
    for ask in &asks {
        let of = runs.by_ref().take(ask.jobs.len());
        rows.push(row(ask, &of.collect::<Result<Vec<Run>, Failure>>()?));
    }
    match &arguments.json {
        Some(to) => output::json(to, &rows),
        None => output::print(&text(rows)),
    }
}

fn row(ask: &Ask<'_>, runs: &[Run]) -> Row {
    let figures = Figures::of(runs);
    let of_one = |run: &Run| Figures::of(std::slice::from_ref(run)).mean_jct_hours * 3600.0;
    let [jct, p99, makespan, gpu_hours] = published(ask.workloads, ask.policy);
    Row {
        workloads: ask.workloads,
        policy: ask.policy,
        mean_jct_hours: figures.mean_jct_hours,
        deviation_hours: figures.deviation_hours,
        p99_hours: figures.p99_hours,
        p99_of_all_hours: figures.p99_of_all_hours,
        makespan_hours: figures.makespan_hours,
        gpu_hours: figures.gpu_hours,
        restarts_per_job: figures.restarts,
        contention: figures.contention,
        most_contention: figures.most_contention,
        mean_jct_seconds: runs.iter().map(of_one).collect(),
        published_mean_jct_hours: jct,
        published_p99_hours: p99,
        published_makespan_hours: makespan,
        published_gpu_hours: gpu_hours,
    }
}

/// The paper's cluster with the profiles below a folder.
fn world(folder: &Path) -> anyhow::Result<World> {
    let profiles = folder.join("profiles");
    let mut tables = BTreeMap::new();
    for (name, path) in entries(&profiles)? {
        if !path.is_dir() {
            continue;
        }
        let mut files = BTreeMap::new();
        for (name, path) in entries(&path)? {
            if name.ends_with(".csv") {
                let file = path.display().to_string();
                let text = text_of(&path)?;
                files.insert(name, NamedText { file, text });
            }
        }
        tables.insert(name, files);
    }
    Ok(World::new(&World::paper_types(), &tables)?)
}

/// The workloads of a sort, each with its number, in their order.
fn workloads_of(folder: &Path, of: Workloads) -> anyhow::Result<Vec<(u32, Vec<Submission>)>> {
    let folder = folder.join("workloads").join(of.to_string());
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for (name, path) in entries(&folder)? {
        let number = name.strip_prefix("workload-");
        let number = number.and_then(|name| name.strip_suffix(".csv")?.parse().ok());
        found.extend(number.map(|number| (number, path)));
    }
    if found.is_empty() {
        return Err(anyhow!("{} has no workload-1.csv, …", folder.display()));
    }
    found.sort();
    let read = |(number, path): &(u32, PathBuf)| {
        let text = text_of(path)?;
        let jobs = Submission::read(&path.display().to_string(), &text)?;
        Ok((*number, jobs))
    };
    found.iter().map(read).collect()
}

fn text_of(path: &Path) -> anyhow::Result<String> {
    files::read_text(path).with_context(|| format!("cannot read {}", path.display()))
}

/// What is in a folder, by name.
fn entries(folder: &Path) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    let failed = || format!("cannot read the folder {}", folder.display());
    let mut entries = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(failed)? {
        let entry = entry.with_context(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        entries.insert(name, entry.path());
    }
    Ok(entries)
}

fn text(rows: Vec<Row>) -> String {
    let mut table = Table::default();
    let header = [
        "",
        "mean JCT",
        "published",
        "differs",
        "p99",
        "published",
        "makespan",
        "published",
        "GPU-h per job",
        "published",
        "restarts per job",
        "÷ Gavel",
        "published",
    ];
    table.row(header.map(String::from).to_vec());
    for row in &rows {
        let gavel = rows
            .iter()
            .find(|other| other.policy == Policy::Gavel && other.workloads == row.workloads);
        let ratio = |of: Option<f64>| of.map_or(String::new(), |of| format!("{of:.2}"));
        table.row(vec![
            format!("{}, {}", row.workloads, row.policy),
            format!("{:.3} h", row.mean_jct_hours),
            format!("{:.1} h", row.published_mean_jct_hours),
            difference(row.mean_jct_hours, row.published_mean_jct_hours),
            format!("{:.1} h", row.p99_hours),
            format!("{:.1} h", row.published_p99_hours),
            format!("{:.1} h", row.makespan_hours),
            format!("{:.1} h", row.published_makespan_hours),
            format!("{:.1}", row.gpu_hours),
            format!("{:.1}", row.published_gpu_hours),
            format!("{:.1}", row.restarts_per_job),
            ratio(gavel.map(|gavel| row.mean_jct_hours / gavel.mean_jct_hours)),
            ratio(gavel.map(|gavel| row.published_mean_jct_hours / gavel.published_mean_jct_hours)),
        ]);
    }
    let section = Section {
        title: "Sia against Pollux and Gavel with tuned jobs: 6 × 4 T4, 2 × 8 A100, 3 × 8 RTX 2080 Ti",
        published: "table 3; p99 is the mean of the workloads'",
        rows,
    };
    section.text(&table)
}
