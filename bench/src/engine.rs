//! `switchyard-bench engine`: opening speed, jobs per second, and growth with the trace.

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use switchyard::RunSpec;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::SimOptions;
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::workload::{Sample, Workload};

#[derive(Args)]
pub(crate) struct Arguments {
    /// A trace [default: the embedded sample `fleet`, 40,000 jobs]
    #[arg(long)]
    trace: Option<PathBuf>,
    /// NODESxGPUS
    #[arg(long, default_value = "144x8")]
    cluster: ClusterSpec,
    /// Policies to measure
    #[arg(long = "policy", default_values = ["fifo", "fifo[backfill=true]", "fewest-gpus", "srtf", "srsf", "tiresias-las", "tiresias-gittins"])]
    policies: Vec<String>,
    /// Jobs on the same links slow one another
    #[arg(long)]
    contention: bool,
    /// How much of the trace, or how many times the trace, growth is measured on
    #[arg(long = "multiple", default_values_t = [0.1, 0.3, 1.0, 3.0, 10.0])]
    multiples: Vec<f64>,
    /// Runs per figure
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// Everything measured.
#[derive(Serialize)]
struct Report {
    jobs: usize,
    cluster: String,
    opening: Option<Opening>,
    policies: Vec<Speed>,
    growth: Vec<Growth>,
}

#[derive(Serialize)]
struct Opening {
    bytes: usize,
    seconds: Spread,
    megabytes_per_second: f64,
}

#[derive(Serialize)]
struct Speed {
    policy: String,
    seconds: Spread,
    jobs_per_second: f64,
    events: usize,
    /// What is recorded of Python originals.
    originals: Vec<Original>,
}

/// A Python simulator's speed, recorded on other machines and traces: an order of magnitude.
#[derive(Clone, Copy, Serialize)]
struct Original {
    /// In our names.
    policy: &'static str,
    jobs_per_second: f64,
    /// Whose simulator, on what.
    of: &'static str,
}

const TIRESIAS: &str = "Tiresias' simulator, 5,000 jobs on 60 GPUs, overloaded";
const HELIOS: &str = "Helios' simulator, 100,000 jobs";

const ORIGINALS: [Original; 5] = [
    original("fifo", 1690.0, HELIOS),
    original("fifo", 427.0, TIRESIAS),
    original("srtf", 848.0, HELIOS),
    original("tiresias-las", 289.0, TIRESIAS),
    original("tiresias-gittins", 44.0, TIRESIAS),
];

const fn original(policy: &'static str, jobs_per_second: f64, of: &'static str) -> Original {
    Original {
        policy,
        jobs_per_second,
        of,
    }
}

/// The same policy on a shorter or longer trace of the same load.
#[derive(Serialize)]
struct Growth {
    policy: String,
    jobs: usize,
    seconds: f64,
}

/// Of several runs.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Spread {
    pub(crate) min: f64,
    pub(crate) median: f64,
    pub(crate) max: f64,
}

pub(crate) fn engine(arguments: &Arguments) -> Result<()> {
    let (workload, opening) = match &arguments.trace {
        Some(path) => {
            let bytes =
                std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            let name = path.display().to_string();
            let (workload, seconds) = measure(arguments.runs, || open_workload(&name, &bytes))?;
            let megabytes_per_second = bytes.len() as f64 / 1e6 / seconds.median;
            (
                workload,
                Some(Opening {
                    bytes: bytes.len(),
                    seconds,
                    megabytes_per_second,
                }),
            )
        }
        None => {
            let sample = Sample::named("fleet").context("the sample is there")?;
            (sample.workload(), None)
        }
    };
    let workload = Arc::new(workload);
    let mut policies = Vec::new();
    let mut growth = Vec::new();
    for policy in &arguments.policies {
        let spec = RunSpec {
            options: SimOptions {
                contention: arguments.contention,
                ..SimOptions::default()
            },
            ..RunSpec::new(policy.parse()?, arguments.cluster.clone())
        };
        for &multiple in &arguments.multiples {
            let scaled = Arc::new(scaled(&workload, multiple));
            let (events, seconds) = measure(arguments.runs, || simulate(&spec, &scaled))?;
            growth.push(Growth {
                policy: policy.clone(),
                jobs: scaled.jobs.len(),
                seconds: seconds.median,
            });
            if multiple == 1.0 {
                let jobs_per_second = scaled.jobs.len() as f64 / seconds.median;
                policies.push(Speed {
                    policy: policy.clone(),
                    seconds,
                    jobs_per_second,
                    events,
                    originals: ORIGINALS
                        .into_iter()
                        .filter(|original| original.policy == *policy)
                        .collect(),
                });
            }
        }
    }
    let report = Report {
        jobs: workload.jobs.len(),
        cluster: arguments.cluster.to_string(),
        opening,
        policies,
        growth,
    };
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print(&report);
    }
    Ok(())
}

pub(crate) fn open_workload(name: &str, bytes: &[u8]) -> Result<Workload> {
    match open(&[SourceFile { name, bytes }], &OpenOptions::default())? {
        Opened::Trace(mut trace) => Ok(trace.take_workload()),
        Opened::Cluster(_) | Opened::Profiles(_) | Opened::Outages(_) => {
            bail!("{name} holds no jobs")
        }
    }
}

/// The trace's first part, or the trace several times, one after the other.
fn scaled(workload: &Workload, multiple: f64) -> Workload {
    let jobs = workload.jobs.len();
    let span = workload.jobs.last().map_or(0.0, |job| job.submit.seconds());
    let job = |i: usize| {
        let mut job = workload.jobs[i % jobs].clone();
        job.submit = job.submit + span * (i / jobs) as f64;
        job
    };
    Workload {
        jobs: (0..(jobs as f64 * multiple) as usize).map(job).collect(),
        applications: workload.applications.clone(),
        ..Default::default()
    }
}

/// Simulates to the end; the number of events in the log.
fn simulate(spec: &RunSpec, workload: &Arc<Workload>) -> Result<usize> {
    let mut run = spec.start(workload.clone());
    run.run()?;
    Ok(run.log().events())
}

/// Does something several times after once for warming up; what it gave, and the seconds it took.
pub(crate) fn measure<T>(runs: u32, mut work: impl FnMut() -> Result<T>) -> Result<(T, Spread)> {
    let mut result = work()?;
    let mut seconds = Vec::new();
    for _ in 0..runs {
        let begin = Instant::now();
        result = work()?;
        seconds.push(begin.elapsed().as_secs_f64());
    }
    seconds.sort_unstable_by(f64::total_cmp);
    let spread = Spread {
        min: seconds[0],
        median: seconds[seconds.len() / 2],
        max: seconds[seconds.len() - 1],
    };
    Ok((result, spread))
}

fn print(report: &Report) {
    println!("{} jobs on {}", report.jobs, report.cluster);
    if let Some(opening) = &report.opening {
        println!(
            "opening and sorting: {:.3} s ({:.3} to {:.3}), {:.0} MB/s",
            opening.seconds.median,
            opening.seconds.min,
            opening.seconds.max,
            opening.megabytes_per_second
        );
    }
    println!(
        "\n{:<28}{:>12}{:>10}{:>22}",
        "policy", "jobs/s", "seconds", "min to max"
    );
    for speed in &report.policies {
        let Spread { min, median, max } = speed.seconds;
        println!(
            "{:<28}{:>12.0}{median:>10.3}{:>22}",
            speed.policy,
            speed.jobs_per_second,
            format!("{min:.3} to {max:.3}")
        );
    }
    println!("\nPython originals, recorded on other machines and traces");
    for speed in &report.policies {
        for original in &speed.originals {
            let Original {
                jobs_per_second,
                of,
                ..
            } = original;
            println!(
                "{:<24} {jobs_per_second:>12.0} jobs/s, here {:.0} times as many ({of})",
                speed.policy,
                speed.jobs_per_second / jobs_per_second
            );
        }
    }
    println!("\ngrowth: seconds on the first part of the trace, and on the trace several times");
    for growth in &report.growth {
        println!(
            "{:<28}{:>9} jobs{:>9.3} s",
            growth.policy, growth.jobs, growth.seconds
        );
    }
}
