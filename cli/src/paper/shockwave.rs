//! Shockwave's comparison (NSDI'23): seven schedulers on 120 jobs that change their batch size, on 32 GPUs, in the
//! artifact's own simulated world; or on any other trace of its kind.

use super::section::difference;
use crate::progress::Progress;
use crate::table::Table;
use crate::{Failure, output};
use anyhow::{Context, anyhow};
use clap::Args;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use switchyard_shockwave::published::{Published, cluster, published};
use switchyard_shockwave::replay::{Outcome, Scheduler, Throughputs, files, profiled, replay};
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
    /// Write the jobs to a file, or to standard output with '-', and replay nothing: with the durations that they have by
    /// their profiles, so that `switchyard run FILE --preset reference-nsdi23` runs jobs as long as the artifact's
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    profiled: Option<output::OutputFile>,
    /// Write the figures as JSON to a file, or to standard output with '-'
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
}

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

/// Times in seconds, unfair jobs in percent, utilisation from 0 to 1.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    published_makespan: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_mean_jct: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_worst_rho: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_unfair: Option<f64>,
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
    let lines = text_of(&trace)?;
    let jobs = files::jobs(&lines).map_err(|error| in_file(&trace, error))?;
    let throughputs =
        Throughputs::read(&text_of(&speeds)?).map_err(|error| in_file(&speeds, error))?;
    let gpus = arguments.gpus.or(cluster(jobs.len())).ok_or_else(|| {
        let count = jobs.len();
        Failure::Input(anyhow!(
            "the paper has no cluster for {count} jobs: say --gpus"
        ))
    })?;
    if let Some(path) = &arguments.profiled {
        let seconds = profiled(&jobs, &throughputs, gpus);
        let seconds = seconds.map_err(|error| Failure::Input(error.into()))?;
        return output::text(path, &files::with_durations(&lines, &seconds));
    }
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
        let known = published(jobs.len(), gpus, scheduler.name());
        rows.push(row(scheduler.name(), &outcome, known, &expected));
    }
    drop(progress);
    match &arguments.json {
        Some(path) => output::json(path, &rows),
        None => output::print(&text(jobs.len(), gpus, &rows)),
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

fn row(policy: &'static str, outcome: &Outcome, known: Option<Published>, expected: &Value) -> Row {
    let of = |part: fn(Published) -> f64| known.map(part);
    let named = ARTIFACT.iter().find(|(ours, _)| *ours == policy);
    let jcts = named.and_then(|(_, name)| expected[*name]["jct_list"].as_array());
    // They are of one cluster.
    let jcts = jcts.filter(|jcts| known.is_some() && jcts.len() == outcome.jobs.len());
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
        published_makespan: of(|known| known.makespan),
        published_mean_jct: of(|known| known.mean_jct),
        published_worst_rho: of(|known| known.worst_rho),
        published_unfair: of(|known| known.unfair),
    }
}

/// Ours, what was published, and how far ours is from it.
fn text(jobs: usize, gpus: u32, rows: &[Row]) -> String {
    let mut table = Table::default();
    let header = [
        "",
        "makespan",
        "published",
        "",
        "mean JCT",
        "published",
        "",
        "worst rho",
        "published",
        "unfair",
        "published",
        "utilisation",
        "extended leases",
        "same jobs",
    ];
    table.row(header.map(String::from).to_vec());
    for row in rows {
        let mut cells = vec![row.policy.to_owned()];
        let times = [
            (row.makespan, row.published_makespan),
            (row.mean_jct, row.published_mean_jct),
        ];
        for (ours, theirs) in times {
            cells.push(format!("{ours:.3}"));
            cells.push(shown(theirs, 3));
            cells.push(theirs.map_or(String::new(), |theirs| difference(ours, theirs)));
        }
        cells.push(format!("{:.3}", row.worst_rho));
        cells.push(shown(row.published_worst_rho, 3));
        cells.push(format!("{:.2}", row.unfair));
        cells.push(shown(row.published_unfair, 2));
        cells.push(format!("{:.1} %", 100.0 * row.utilisation));
        cells.push(row.lease_extensions.to_string());
        let same = row.same_jobs.map(|same| format!("{same} of {jobs}"));
        cells.push(same.unwrap_or("–".into()));
        table.row(cells);
    }
    format!(
        "{jobs} jobs on {gpus} GPUs: seconds; rho: finish-time fairness; unfair: percent of jobs\n\
         published: the artifact's results; on 64 and 128 GPUs what its code says of its own traces\n\n{table}"
    )
}

fn shown(value: Option<f64>, decimals: usize) -> String {
    value.map_or("–".into(), |value| format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheduler_has_published_figures_and_a_name_of_the_artifact() {
        for scheduler in Scheduler::all(32) {
            let name = scheduler.name();
            assert!(published(120, 32, name).is_some(), "{name}");
            assert!(ARTIFACT.iter().any(|(ours, _)| *ours == name), "{name}");
        }
        assert_eq!([120, 220, 121].map(cluster), [Some(32), Some(64), None]);
    }

    #[test]
    fn the_same_digits_are_told_from_others() {
        assert_eq!(difference(32_367.434_395, 32_367.434_4), "=");
        assert_eq!(difference(101.0, 100.0), "+1.00 %");
    }
}
