//! `switchyard-bench goodput`: what Pollux's models cost: a fit, a job's table of speedups, and
//! opening measured profiles.

use crate::engine::{Spread, measure};
use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use switchyard::goodput::{CandidateTable, GradientStats, Observation, ThroughputTable, fit};
use switchyard::trace::SourceFile;
use switchyard::workload::Application;
use switchyard::workload::application::{Profile, even};

#[derive(Args)]
pub(crate) struct Arguments {
    /// A folder of measured profiles, one folder per application [default: embedded models only]
    #[arg(long)]
    profiles: Option<PathBuf>,
    /// Runs per figure
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    opening: Option<Spread>,
    applications: Vec<Figures>,
}

#[derive(Serialize)]
struct Figures {
    application: String,
    fits: Vec<FitFigures>,
    /// Throughput of all candidates up to 64 replicas, once per fit.
    table: Spread,
    /// Goodput of every number of replicas, to 8 on one node and to 64 across: once per round.
    speedups: Spread,
}

#[derive(Serialize)]
struct FitFigures {
    what: &'static str,
    observations: usize,
    evaluations: u32,
    seconds: Spread,
}

/// Configurations that a job has run by the time of a fit.
const SEEN: [usize; 4] = [1, 5, 20, 60];

pub(crate) fn goodput(arguments: &Arguments) -> Result<()> {
    let measured = match &arguments.profiles {
        Some(folder) => {
            let files = read(folder)?;
            let files: Vec<SourceFile<'_>> = files
                .iter()
                .map(|(name, bytes)| SourceFile { name, bytes })
                .collect();
            let open = || Ok(switchyard::workload::profiles::measured(&files)?);
            let (applications, seconds) = measure(arguments.runs, open)?;
            Some((applications, seconds))
        }
        None => None,
    };
    let mut figures = Vec::new();
    for application in Application::embedded() {
        let mut fits = Vec::new();
        for seen in SEEN {
            let observations = explored(&application, seen);
            fits.push(fit_figures("explored", &observations, arguments.runs)?);
        }
        let tables = measured.iter().flat_map(|(applications, _)| applications);
        let tables = tables.filter(|other| other.name == application.name);
        for other in tables {
            if let Profile::Measured(measured) = other.profile() {
                let observations = measured.observations();
                fits.push(fit_figures("all measured", observations, arguments.runs)?);
            }
        }
        let params = fit(&explored(&application, 60))?.params;
        let candidates = Arc::new(CandidateTable::new(application.limits, 64, 8));
        let (table, building) = measure(arguments.runs, || {
            Ok(ThroughputTable::new(Arc::clone(&candidates), params, 64))
        })?;
        let stats = GradientStats {
            sqr: 1.0,
            var: 50.0,
        };
        let (_, speedups) = measure(arguments.runs, || {
            let stats = black_box(&stats);
            let all = (1..=64).map(|k| table.goodput(stats, 1, k) + table.goodput(stats, 2, k));
            Ok(black_box(all.sum::<f64>()))
        })?;
        figures.push(Figures {
            application: application.name.to_string(),
            fits,
            table: building,
            speedups,
        });
    }
    let report = Report {
        opening: measured.map(|(_, seconds)| seconds),
        applications: figures,
    };
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print(&report);
    }
    Ok(())
}

fn fit_figures(what: &'static str, observations: &[Observation], runs: u32) -> Result<FitFigures> {
    let (fitted, seconds) = measure(runs, || Ok(fit(observations)?))?;
    Ok(FitFigures {
        what,
        observations: observations.len(),
        evaluations: fitted.evaluations,
        seconds,
    })
}

/// What a job sees that grows from one GPU to 32 and tries batches on the way: its model's times,
/// up to 10 % off.
fn explored(application: &Application, count: usize) -> Vec<Observation> {
    let limits = application.limits;
    let gangs = [
        (1, 1),
        (1, 2),
        (1, 4),
        (2, 4),
        (2, 8),
        (3, 12),
        (4, 16),
        (8, 32),
    ];
    let observe = |i: usize| {
        let (nodes, replicas) = gangs[i % gangs.len()];
        let step = (limits.max_local - limits.min_local) / 8;
        let m = limits.min_local + step * (i / gangs.len()) as u32;
        let times = application.step_times(&even(nodes, replicas), m);
        let off = 0.9 + 0.2 * ((i * 7919) % 101) as f64 / 100.0;
        Observation {
            nodes,
            replicas,
            m,
            step: times.step * off,
            sync: times.sync * off,
        }
    };
    (0..count).map(observe).collect()
}

/// Every file below the folder, named by its path within.
fn read(folder: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        let entries =
            std::fs::read_dir(&next).with_context(|| format!("cannot read {}", next.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap_or(&path);
                files.push((name.display().to_string(), std::fs::read(&path)?));
            }
        }
    }
    files.sort();
    Ok(files)
}

fn print(report: &Report) {
    let micros = |spread: &Spread| format!("{:>8.1}", spread.median * 1e6);
    if let Some(opening) = &report.opening {
        println!(
            "opening all measured profiles: {:.1} ms\n",
            opening.median * 1e3
        );
    }
    println!("median of all runs, in µs");
    for figures in &report.applications {
        println!("{}", figures.application);
        for fit in &figures.fits {
            println!(
                "  fit, {:>4} {:<12} {}  ({} evaluations)",
                fit.observations,
                fit.what,
                micros(&fit.seconds),
                fit.evaluations
            );
        }
        println!("  table to 64 replicas   {}", micros(&figures.table));
        println!("  8 + 64 goodputs        {}", micros(&figures.speedups));
    }
}
