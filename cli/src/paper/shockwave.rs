//! Shockwave's comparison (NSDI'23): seven schedulers on 120 jobs that change their batch size, on 32 GPUs, in the
//! artifact's own simulated world; or on any other trace of its kind.

use super::Section;
use crate::progress::Progress;
use crate::table::Table;
use crate::{Failure, output};
use anyhow::{Context, anyhow};
use clap::Args;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use switchyard_shockwave::replay::{Outcome, Scheduler, Throughputs, files, replay};
use switchyard_sweep::files as disk;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The folder with the jobs (.trace), the throughputs (_throughputs.json) and, if there, what the artifact has per
    /// job (expected_….json)
    folder: PathBuf,
    /// GPUs of the cluster; left out, as many as the paper has for so many jobs: 32 for 120, 64 for 220, 128 for 460,
    /// 256 for 900
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    gpus: Option<u32>,
    /// Write the figures as JSON to a file, or to standard output with '-'
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
}

/// A published or a replayed comparison: seconds, and jobs that are treated unfairly in percent.
#[derive(Clone, Copy)]
struct Figures {
    makespan: f64,
    mean_jct: f64,
    worst_rho: f64,
    unfair: f64,
}

const fn figures(makespan: f64, mean_jct: f64, worst_rho: f64, unfair: f64) -> Figures {
    Figures {
        makespan,
        mean_jct,
        worst_rho,
        unfair,
    }
}

/// What the artifact's simulator says, by jobs and GPUs. On 32 GPUs it is what was published; on 64 and 128 what its code
/// says when it is run on its own traces. Of those that are missing there is nothing.
const KNOWN: [(usize, u32, &str, Figures); 15] = [
    (
        120,
        32,
        "gandiva-fair",
        figures(32367.4344, 12574.2725, 1.854, 51.67),
    ),
    (
        120,
        32,
        "gavel",
        figures(33207.6630, 11274.1170, 2.947, 25.0),
    ),
    (120, 32, "mst", figures(31909.0309, 9654.6998, 4.976, 25.0)),
    (
        120,
        32,
        "ossp",
        figures(24204.8163, 19806.7280, 7.741, 74.17),
    ),
    (
        120,
        32,
        "allox",
        figures(32488.6211, 9926.3066, 4.964, 27.5),
    ),
    (
        120,
        32,
        "themis",
        figures(31928.7388, 11301.9767, 3.438, 22.5),
    ),
    (
        120,
        32,
        "shockwave",
        figures(24197.4235, 9958.4861, 1.784, 5.0),
    ),
    (
        220,
        64,
        "gandiva-fair",
        figures(31472.0877, 10895.2589, 1.77768, 40.0),
    ),
    (
        220,
        64,
        "gavel",
        figures(33632.3019, 9233.1193, 3.37839, 15.91),
    ),
    (
        220,
        64,
        "mst",
        figures(35819.3156, 9243.0149, 6.91512, 25.0),
    ),
    (
        220,
        64,
        "ossp",
        figures(25076.1446, 19748.6169, 8.79327, 76.36),
    ),
    (
        460,
        128,
        "gandiva-fair",
        figures(33518.6281, 12400.0298, 2.17227, 60.87),
    ),
    (
        460,
        128,
        "gavel",
        figures(34153.4050, 10479.2075, 4.4975, 27.83),
    ),
    (
        460,
        128,
        "mst",
        figures(33792.1145, 9237.3736, 6.00558, 27.39),
    ),
    (
        460,
        128,
        "ossp",
        figures(25881.4087, 22377.3730, 12.45885, 80.87),
    ),
];

/// The artifact's clusters, by the number of jobs of its traces.
const CLUSTERS: [(usize, u32); 4] = [(120, 32), (220, 64), (460, 128), (900, 256)];

/// Names of the artifact, in its files, by ours.
const ARTIFACT: [(&str, &str); 7] = [
    ("gandiva-fair", "gandiva_fair"),
    ("gavel", "max_min_fairness"),
    ("mst", "max_sum_throughput_perf"),
    ("ossp", "min_total_duration"),
    ("allox", "allox"),
    ("themis", "finish_time_fairness"),
    ("shockwave", "shockwave"),
];

/// Jobs are the same if they are done within so many seconds.
const SAME: f64 = 1.0;

/// Times in seconds, unfair jobs in percent.
#[derive(Serialize)]
struct Row {
    policy: &'static str,
    makespan: f64,
    mean_jct: f64,
    worst_rho: f64,
    unfair: f64,
    utilisation: f64,
    rounds: usize,
    lease_extensions: usize,
    /// Jobs whose JCT is the artifact's, within a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    same_jobs: Option<usize>,
}

#[derive(Serialize)]
struct Results<'a> {
    rows: &'a [Row],
}

pub(crate) fn shockwave(arguments: &Arguments) -> Result<(), Failure> {
    let folder = &arguments.folder;
    let trace = the_file(folder, |name| name.ends_with(".trace"), "a .trace of jobs")?;
    let speeds = the_file(
        folder,
        |name| name.ends_with("_throughputs.json"),
        "a file that ends with _throughputs.json",
    )?;
    let in_file = |path: &Path, error: files::Error| {
        Failure::Input(anyhow::Error::from(error).context(path.display().to_string()))
    };
    let jobs = files::jobs(&text_of(&trace)?).map_err(|error| in_file(&trace, error))?;
    let throughputs =
        Throughputs::read(&text_of(&speeds)?).map_err(|error| in_file(&speeds, error))?;
    let known = CLUSTERS.iter().find(|(count, _)| *count == jobs.len());
    let gpus = arguments
        .gpus
        .or(known.map(|(_, gpus)| *gpus))
        .ok_or_else(|| {
            let count = jobs.len();
            Failure::Input(anyhow!(
                "the paper has no cluster for {count} jobs: say --gpus"
            ))
        })?;
    let expected = expected(folder)?;
    let schedulers = Scheduler::all(gpus);
    let pieces = schedulers.len() * jobs.len();
    let progress = Progress::of("paper shockwave", pieces as u64, "jobs");
    let mut rows = Vec::new();
    for (at, scheduler) in schedulers.into_iter().enumerate() {
        let before = at * jobs.len();
        let outcome = replay(&jobs, &throughputs, gpus, scheduler, |done| {
            progress.count((before + done) as u64);
        });
        let outcome = outcome.map_err(|error| Failure::Input(error.into()))?;
        rows.push(row(scheduler.name(), &outcome, &expected));
    }
    drop(progress);
    match &arguments.json {
        Some(path) => output::json(path, &Results { rows: &rows }),
        None => output::print(&text(jobs.len(), gpus, rows)),
    }
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let bytes = disk::read(path).with_context(|| format!("cannot read {}", path.display()));
    let bytes = bytes.map_err(Failure::Input)?;
    String::from_utf8(bytes).map_err(|_| Failure::Input(anyhow!("{} is not text", path.display())))
}

/// The files of a folder that are named so, by name.
fn files_of(folder: &Path, is_it: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, Failure> {
    let listed =
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()));
    let mut found: Vec<PathBuf> = listed
        .map_err(Failure::Input)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| is_it(&name.to_string_lossy()))
        })
        .collect();
    found.sort();
    Ok(found)
}

/// The only file that is named so.
fn the_file(folder: &Path, is_it: impl Fn(&str) -> bool, what: &str) -> Result<PathBuf, Failure> {
    let found = files_of(folder, is_it)?;
    match <[PathBuf; 1]>::try_from(found) {
        Ok([path]) => Ok(path),
        Err(found) => {
            let (folder, count) = (folder.display(), found.len());
            Err(Failure::Input(anyhow!(
                "{folder} has to have {what}, one of them, and has {count}"
            )))
        }
    }
}

/// What the artifact has per job, where it is there.
fn expected(folder: &Path) -> Result<Value, Failure> {
    let is_it = |name: &str| name.starts_with("expected_") && name.ends_with(".json");
    match files_of(folder, is_it)?.first() {
        None => Ok(Value::Null),
        Some(path) => serde_json::from_str(&text_of(path)?)
            .map_err(|error| Failure::Input(anyhow!("{} is not JSON: {error}", path.display()))),
    }
}

fn row(policy: &'static str, outcome: &Outcome, expected: &Value) -> Row {
    let named = ARTIFACT.iter().find(|(ours, _)| *ours == policy);
    let jcts = named.and_then(|(_, name)| expected[*name]["jct_list"].as_array());
    let same = |jcts: &Vec<Value>| {
        let pairs = outcome.jobs.iter().zip(jcts);
        let is_same = |jct: f64, other: &Value| {
            other
                .as_f64()
                .is_some_and(|other| (jct - other).abs() <= SAME)
        };
        pairs.filter(|(job, other)| is_same(job.jct, other)).count()
    };
    Row {
        policy,
        makespan: outcome.makespan,
        mean_jct: outcome.mean_jct(),
        worst_rho: outcome.worst_rho(),
        unfair: outcome.unfair(),
        utilisation: outcome.utilisation,
        rounds: outcome.rounds,
        lease_extensions: outcome.lease_extensions,
        same_jobs: jcts.map(same),
    }
}

fn text(jobs: usize, gpus: u32, rows: Vec<Row>) -> String {
    let mut table = Table::default();
    let header = [
        "",
        "makespan",
        "artifact",
        "",
        "mean JCT",
        "artifact",
        "",
        "worst rho",
        "artifact",
        "unfair",
        "artifact",
        "utilisation",
        "extended leases",
        "same jobs",
    ];
    table.row(header.map(String::from).to_vec());
    for row in &rows {
        let known = KNOWN
            .iter()
            .find(|(count, on, policy, _)| (*count, *on, *policy) == (jobs, gpus, row.policy));
        let known = known.map(|(.., figures)| figures);
        let beside = |decimals: usize, of: fn(&Figures) -> f64| {
            known.map_or(String::new(), |figures| {
                format!("{:.decimals$}", of(figures))
            })
        };
        let change = |ours: f64, of: fn(&Figures) -> f64| {
            known.map_or(String::new(), |figures| {
                format!("{:+.2} %", 100.0 * (ours / of(figures) - 1.0))
            })
        };
        table.row(vec![
            row.policy.to_owned(),
            format!("{:.1} s", row.makespan),
            beside(1, |figures| figures.makespan),
            change(row.makespan, |figures| figures.makespan),
            format!("{:.1} s", row.mean_jct),
            beside(1, |figures| figures.mean_jct),
            change(row.mean_jct, |figures| figures.mean_jct),
            format!("{:.3}", row.worst_rho),
            beside(3, |figures| figures.worst_rho),
            format!("{:.2} %", row.unfair),
            beside(2, |figures| figures.unfair),
            format!("{:.1} %", 100.0 * row.utilisation),
            row.lease_extensions.to_string(),
            row.same_jobs
                .map_or(String::new(), |same| format!("{same} of {jobs}")),
        ]);
    }
    let section = Section {
        title: "Jobs that change their batch size, by scheduler",
        published: "by the artifact's simulator; on 64 and 128 GPUs by its code, run on its own traces",
        rows,
    };
    format!("{jobs} jobs on {gpus} GPUs\n{}", section.text(&table))
}
