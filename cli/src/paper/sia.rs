//! Sia's table 3 (SOSP'23): its own simulator's world, 64 GPUs of three types, on workloads of Philly and of Helios'
//! Saturn. Sia beside Gavel, whose jobs keep the GPUs and batches of the trace.
//!
//! Gavel's figures are those of the artifact, digit by digit. Sia's depend on which of many equally good plans a
//! solver finds, since costs are rounded to hundredths: they differ by a few percent in each workload.

use super::Section;
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
use switchyard_sia::profiles::NamedText;
use switchyard_sia::replay::{Figures, Run, Scheduler, Submission, World, replay};
use switchyard_sweep::files;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The artifact's inputs: workloads/philly/*.csv, workloads/saturn/*.csv, and profiles/APPLICATION/*.csv
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Which workloads
    #[arg(long, value_delimiter = ',', default_values_t = [Workloads::Philly, Workloads::Saturn])]
    workloads: Vec<Workloads>,
    /// Which policies
    #[arg(long, value_delimiter = ',', default_values_t = [Policy::Sia, Policy::SiaAsReleased, Policy::Gavel])]
    policy: Vec<Policy>,
    /// Write the figures as JSON to a file, or to standard output with '-'
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum Workloads {
    /// Eight of 160 jobs, submitted as to Microsoft's Philly
    Philly,
    /// Ten of 160 jobs, as to the cluster Saturn of SenseTime's Helios
    Saturn,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum Policy {
    /// Sia, with batches up to the application's largest
    Sia,
    /// Sia as its artifact was released: it weighs configurations with batches up to the trace's
    SiaAsReleased,
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
#[derive(Clone, Copy, Serialize)]
struct Published {
    mean_jct_hours: f64,
    p99_hours: f64,
    makespan_hours: f64,
    gpu_hours: f64,
}

fn published(workloads: Workloads, policy: Policy) -> Published {
    let [mean_jct_hours, p99_hours, makespan_hours, gpu_hours] = match (workloads, policy) {
        (Workloads::Philly, Policy::Gavel) => [1.9, 30.0, 33.8, 9.0],
        (Workloads::Saturn, Policy::Gavel) => [2.5, 38.7, 43.0, 12.1],
        (Workloads::Philly, _) => [0.6, 9.5, 14.2, 4.0],
        (Workloads::Saturn, _) => [0.7, 10.9, 14.9, 4.8],
    };
    Published {
        mean_jct_hours,
        p99_hours,
        makespan_hours,
        gpu_hours,
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
    published: Published,
}

#[derive(Serialize)]
struct Results<'a> {
    rows: &'a [Row],
}

pub(crate) fn sia(arguments: &Arguments) -> Result<(), Failure> {
    let world = world(&arguments.folder).map_err(Failure::Input)?;
    let mut work = Vec::new();
    for &workloads in &arguments.workloads {
        let jobs = workloads_of(&arguments.folder, workloads).map_err(Failure::Input)?;
        for &policy in &arguments.policy {
            let of = jobs.iter().map(|jobs| (workloads, policy, jobs.clone()));
            work.extend(of);
        }
    }
    let progress = Progress::of("paper sia", work.len() as u64, "workloads");
    let runs = threads::each(work.len(), |at| {
        let (_, policy, jobs) = &work[at];
        let scheduler = match policy {
            Policy::Sia => Scheduler::sia(),
            Policy::SiaAsReleased => Scheduler::sia_as_released(),
            Policy::Gavel => Scheduler::Gavel,
        };
        let mut piece = progress.piece();
        let run = replay(&world, jobs, &scheduler, |share| piece.reach(share));
        piece.done();
        run
    });
    drop(progress);
    let mut by_row: Vec<(Workloads, Policy, Vec<Run>)> = Vec::new();
    for ((workloads, policy, _), run) in work.iter().zip(runs) {
        let run = run.map_err(|error| Failure::Run(error.into()))?;
        match by_row.last_mut() {
            Some(last) if (last.0, last.1) == (*workloads, *policy) => last.2.push(run),
            _ => by_row.push((*workloads, *policy, vec![run])),
        }
    }
    let rows: Vec<Row> = by_row.into_iter().map(row).collect();
    match &arguments.json {
        Some(to) => output::json(to, &Results { rows: &rows }),
        None => output::print(&text(rows)),
    }
}

fn row((workloads, policy, runs): (Workloads, Policy, Vec<Run>)) -> Row {
    let figures = Figures::of(&runs);
    let of_one = |run: &Run| Figures::of(std::slice::from_ref(run)).mean_jct_hours * 3600.0;
    Row {
        workloads,
        policy,
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
        published: published(workloads, policy),
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

/// The workloads of a sort, in the order of their numbers.
fn workloads_of(folder: &Path, of: Workloads) -> anyhow::Result<Vec<Vec<Submission>>> {
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
    let read = |(_, path): &(u32, PathBuf)| {
        let text = text_of(path)?;
        Ok(Submission::read(&path.display().to_string(), &text)?)
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
        let said = row.published;
        let gavel = rows
            .iter()
            .find(|other| other.policy == Policy::Gavel && other.workloads == row.workloads);
        let ratio = |of: Option<f64>| of.map_or(String::new(), |of| format!("{of:.2}"));
        let differs = 100.0 * (row.mean_jct_hours / said.mean_jct_hours - 1.0);
        table.row(vec![
            format!("{}, {}", row.workloads, row.policy),
            format!("{:.3} h", row.mean_jct_hours),
            format!("{:.1} h", said.mean_jct_hours),
            format!("{differs:+.1} %"),
            format!("{:.1} h", row.p99_hours),
            format!("{:.1} h", said.p99_hours),
            format!("{:.1} h", row.makespan_hours),
            format!("{:.1} h", said.makespan_hours),
            format!("{:.1}", row.gpu_hours),
            format!("{:.1}", said.gpu_hours),
            format!("{:.1}", row.restarts_per_job),
            ratio(gavel.map(|gavel| row.mean_jct_hours / gavel.mean_jct_hours)),
            ratio(gavel.map(|gavel| said.mean_jct_hours / gavel.published.mean_jct_hours)),
        ]);
    }
    let section = Section {
        title: "Sia against Gavel with tuned jobs: 6 × 4 T4, 2 × 8 A100, 3 × 8 RTX 2080 Ti",
        published: "table 3; p99 is the mean of the workloads'",
        rows,
    };
    section.text(&table)
}
