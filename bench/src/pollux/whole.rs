//! Whole runs of Pollux and its baseline: processor seconds, mean JCT, and the mean over rounds of
//! the fitness found.
//!
//! Two sizes of our generator's workload, and the artifact's workload-1 with its measured profiles
//! under the preset, where its folder is given. Another build of this program can be run in turn with
//! this one, so that both meet the same machine.

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;
use switchyard::engine::{RunLog, SimOptions};
use switchyard::report::Summary;
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::workload::{Application, BindingRule, PolluxGenerator, Workload, profiles};
use switchyard::{Preset, RunSpec};

#[derive(Args)]
pub(crate) struct WholeArguments {
    /// Of whole runs: the folder of Pollux' artifact, with workloads/ and profiles/, for its
    /// workload-1
    #[arg(long, value_name = "DIR")]
    artifact: Option<PathBuf>,
    /// Of whole runs: how many seeds to run, for the means
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Of whole runs: how often each is repeated, for the least time
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Of whole runs: only those whose name contains this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Of whole runs: another build of this program, to be run in turn with this one
    #[arg(long, value_name = "PROGRAM")]
    against: Option<PathBuf>,
}

/// What is run.
struct Case {
    name: String,
    workload: Arc<Workload>,
    cluster: &'static str,
    policy: &'static str,
    preset: Option<Preset>,
}

/// Means over seeds.
#[derive(Serialize, Deserialize)]
struct WholeRun {
    name: String,
    jobs: usize,
    rounds: usize,
    /// Of processor time, in a run: the least of several, their mean over seeds.
    cpu_s: f64,
    mean_jct_s: f64,
    /// F0 of what was chosen, over all rounds; 0 for a scheduler without.
    mean_fitness: f64,
}

pub(crate) fn whole(arguments: &WholeArguments, json: bool) -> Result<()> {
    let wanted = |case: &Case| {
        let only = arguments.only.as_deref();
        only.is_none_or(|name| case.name.contains(name))
    };
    let mut runs = Vec::new();
    for case in cases(arguments)?.iter().filter(|case| wanted(case)) {
        let mut run = case.run(arguments.seeds)?;
        let mut other: Option<f64> = None;
        for repetition in 0..arguments.repeat {
            if repetition > 0 {
                run.cpu_s = run.cpu_s.min(case.run(arguments.seeds)?.cpu_s);
            }
            if let Some(program) = &arguments.against {
                let seconds = case.run_by(program, arguments)?;
                other = Some(other.map_or(seconds, |least| least.min(seconds)));
            }
        }
        if !json {
            println!("{}", line(&run, other));
        }
        runs.push(run);
    }
    if json {
        println!("{}", serde_json::to_string_pretty(&runs)?);
    } else {
        println!(
            "the Python original on its workload-1, recorded on one core of another machine: Pollux about 1,500 s (1,082 rounds), Optimus 67 s, Tiresias 17 s"
        );
    }
    Ok(())
}

fn line(run: &WholeRun, other: Option<f64>) -> String {
    let against = other.map_or_else(String::new, |other| {
        let ratio = run.cpu_s / other;
        format!("; the other build {other:.2} s, ratio {ratio:.2}")
    });
    format!(
        "{:<40} {} jobs, {} rounds: {:.2} CPU s; mean JCT {:.1} s, fitness {:.4}{against}",
        run.name, run.jobs, run.rounds, run.cpu_s, run.mean_jct_s, run.mean_fitness
    )
}

fn cases(arguments: &WholeArguments) -> Result<Vec<Case>> {
    let preset = Some(Preset::ReferenceOsdi21);
    let mut cases = Vec::new();
    let mut add =
        |what: &str, workload: &Arc<Workload>, cluster, runs: &[(&'static str, Option<Preset>)]| {
            for &(policy, preset) in runs {
                let under = if preset.is_some() { ", preset" } else { "" };
                cases.push(Case {
                    name: format!("{policy} on {what}{under}"),
                    workload: workload.clone(),
                    cluster,
                    policy,
                    preset,
                });
            }
        };
    let drawn = generated(160)?;
    let policies = [
        ("pollux", None),
        ("pollux[patience=0]", None),
        ("pollux[fit=oracle]", None),
        ("optimus", None),
    ];
    add("160 jobs", &drawn, "16x4", &policies);
    let policies = [("pollux", None), ("pollux", preset)];
    add("960 jobs", &generated(960)?, "64x4", &policies);
    if let Some(folder) = &arguments.artifact {
        let workload = artifact(folder)?;
        add("workload-1", &workload, "16x4", &[("pollux", preset)]);
    }
    Ok(cases)
}

fn generated(jobs: u32) -> Result<Arc<Workload>> {
    let generator = PolluxGenerator {
        jobs,
        ..PolluxGenerator::default()
    };
    let trace = generator.generate(&Application::embedded())?;
    Ok(Arc::new(trace.workload()))
}

/// Workload-1 of the artifact, with its measured profiles.
fn artifact(folder: &Path) -> Result<Arc<Workload>> {
    let read = |path: &Path| {
        let bytes =
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok::<_, anyhow::Error>((path.to_string_lossy().into_owned(), bytes))
    };
    let mut tables = Vec::new();
    for application in std::fs::read_dir(folder.join("profiles"))? {
        for table in std::fs::read_dir(application?.path())? {
            tables.push(read(&table?.path())?);
        }
    }
    let tables: Vec<SourceFile<'_>> = tables.iter().map(source).collect();
    let applications = profiles::measured(&tables)?;
    let file = read(&folder.join("workloads/workload-1.csv"))?;
    let Opened::Trace(trace) = open(&[source(&file)], &OpenOptions::default())? else {
        bail!("{} is no trace", file.0);
    };
    let rule = BindingRule::default();
    Ok(Arc::new(trace.workload().bind(&rule, applications)?))
}

fn source((name, bytes): &(String, Vec<u8>)) -> SourceFile<'_> {
    SourceFile { name, bytes }
}

impl Case {
    fn run(&self, seeds: u64) -> Result<WholeRun> {
        let mut means = WholeRun {
            name: self.name.clone(),
            jobs: self.workload.jobs.len(),
            rounds: 0,
            cpu_s: 0.0,
            mean_jct_s: 0.0,
            mean_fitness: 0.0,
        };
        for seed in 0..seeds {
            let mut spec = RunSpec {
                options: SimOptions {
                    restart_cost: 30.0,
                    seed,
                    ..SimOptions::default()
                },
                ..RunSpec::new(self.policy.parse()?, self.cluster.parse()?)
            };
            if let Some(preset) = self.preset {
                preset.apply(&mut spec)?;
            }
            let begin = Clock::now();
            let mut run = spec.start(self.workload.clone());
            run.run()?;
            let seconds = begin.seconds();
            let summary = Summary::of(&self.workload, &spec.cluster, run.log());
            means.rounds = run.log().rounds();
            means.cpu_s += seconds / seeds as f64;
            means.mean_jct_s += summary.jct.mean / seeds as f64;
            means.mean_fitness += fitness(run.log()) / seeds as f64;
        }
        Ok(means)
    }

    /// Processor seconds of another build.
    fn run_by(&self, program: &Path, arguments: &WholeArguments) -> Result<f64> {
        let mut command = Command::new(program);
        command.args(["pollux", "--whole", "--json", "--repeat", "1"]);
        command.args([
            "--only",
            &self.name,
            "--seeds",
            &arguments.seeds.to_string(),
        ]);
        if let Some(folder) = &arguments.artifact {
            command.arg("--artifact").arg(folder);
        }
        let output = command.output()?;
        let runs: Vec<WholeRun> = serde_json::from_slice(&output.stdout)
            .with_context(|| format!("{} answers no figures", program.display()))?;
        let run = runs.into_iter().find(|run| run.name == self.name);
        Ok(run.context("the other build knows no such run")?.cpu_s)
    }
}

fn fitness(log: &RunLog) -> f64 {
    let sum: f64 = (0..log.rounds()).map(|i| log.round(i).fitness).sum();
    sum / log.rounds().max(1) as f64
}

/// The processor time of this process where the system tells it, else the time of day.
enum Clock {
    Processor(f64),
    Wall(Instant),
}

impl Clock {
    fn now() -> Self {
        processor_seconds().map_or_else(|| Self::Wall(Instant::now()), Self::Processor)
    }

    fn seconds(&self) -> f64 {
        match self {
            Self::Processor(begin) => processor_seconds().unwrap_or(*begin) - begin,
            Self::Wall(begin) => begin.elapsed().as_secs_f64(),
        }
    }
}

/// Linux counts nanoseconds on a processor by thread, and there is only one.
fn processor_seconds() -> Option<f64> {
    let counts = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: f64 = counts.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds * 1e-9)
}
