//! Tiresias' experiments on any trace. What was published is named beside each table; where a
//! trace says otherwise, it shows.

use super::Section;
use crate::progress::Progress;
use crate::table::Table;
use crate::{Failure, input, memory, output};
use clap::{Args, ValueHint};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::SimOptions;
use switchyard::job::{Job, Work};
use switchyard::placement::Strategy;
use switchyard::report::Summary;
use switchyard::workload::{GpuGeneration, Workload};
use switchyard_app::driver::Driver;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Traces, each an experiment of its own; an archive is opened whole
    #[arg(value_name = "TRACE", default_value = "sample:fleet")]
    traces: Vec<PathBuf>,
    /// NODESxGPUS or a cluster file [default: for each trace its own, or room for 1.1 × its mean
    /// demand]
    #[arg(long, value_hint = ValueHint::AnyPath)]
    cluster: Option<String>,
    #[command(flatten)]
    opening: input::TraceArguments,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// Everything measured on one trace.
#[derive(Serialize)]
struct Experiment {
    trace: String,
    jobs: usize,
    cluster: String,
    sections: Vec<Section<Row>>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    /// Mean JCT, seconds.
    mean_jct: f64,
    p95_jct: f64,
    restarts: u32,
    longest_wait: f64,
    /// Mean JCT of the row's baseline ÷ this.
    better_than_baseline: f64,
}

/// One run, asked for.
struct Ask {
    name: String,
    policy: String,
    /// Others after it are compared with it.
    baseline: bool,
    load: f64,
    /// Every job takes the mean service, on the gang it asked for.
    equal: bool,
    placement: Strategy,
    slowdown: Option<GpuGeneration>,
}

impl Ask {
    fn policy(policy: &str) -> Self {
        Self {
            name: policy.to_string(),
            policy: policy.to_string(),
            baseline: false,
            load: 1.0,
            equal: false,
            placement: Strategy::LEAST_FRAGMENTATION,
            slowdown: None,
        }
    }

    fn named(self, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..self
        }
    }
}

pub(crate) fn tiresias(arguments: &Arguments) -> Result<(), Failure> {
    let mut experiments = Vec::new();
    for path in &arguments.traces {
        let input = input::load(
            std::slice::from_ref(path),
            &arguments.opening,
            arguments.cluster.as_deref(),
        )?;
        let cluster = input.cluster.map_or_else(
            || input.workload.suggest_cluster().cluster,
            |(cluster, _)| cluster,
        );
        let workload = Arc::new(input.workload);
        let mut experiment = Experiment {
            trace: input::called(path),
            jobs: workload.jobs.len(),
            cluster: cluster.to_string(),
            sections: Vec::new(),
        };
        let runs: usize = sections().iter().map(|(_, _, asks)| asks.len()).sum();
        let what = format!("paper tiresias, {}", experiment.trace);
        let progress = Progress::of(&what, runs as u64, "runs");
        for (title, published, asks) in sections() {
            let section = Section {
                title,
                published,
                rows: measure(&asks, &workload, &cluster, &progress)?,
            };
            if !arguments.json {
                if experiment.sections.is_empty() {
                    progress.print(&format!(
                        "{}: {} jobs on {cluster}, {} GPUs\n",
                        experiment.trace,
                        experiment.jobs,
                        cluster.gpus()
                    ))?;
                }
                progress.print(&print(&section))?;
            }
            experiment.sections.push(section);
        }
        experiments.push(experiment);
    }
    if arguments.json {
        output::json(output::STDOUT, &experiments)?;
    }
    Ok(())
}

type NamedRuns = (&'static str, &'static str, Vec<Ask>);

/// Every comparison; where no row says that it is the baseline, the first is.
fn sections() -> Vec<NamedRuns> {
    let queues = |k: usize| {
        let thresholds: Vec<String> = (0..k - 1)
            .map(|i| (3600.0 * f64::powi(4.0, i as i32)).to_string())
            .collect();
        let spec = if k == 1 {
            "tiresias-las[queues=1]".to_string()
        } else {
            format!("tiresias-las[thresholds={}]", thresholds.join(":"))
        };
        Ask::policy(&spec)
    };
    let rivals = [
        "yarn-cs",
        "tiresias-las",
        "tiresias-gittins",
        "tiresias-gittins[history=oracle]",
        "srtf",
        "srsf",
        "fifo",
        "gandiva",
        "themis",
        "gavel",
        "las",
        "gittins",
    ];
    let loads = [0.5, 1.0, 2.0, 4.0].into_iter().flat_map(|load| {
        ["fifo", "yarn-cs", "tiresias-las", "tiresias-gittins"].map(|policy| Ask {
            load,
            baseline: policy == "fifo",
            ..Ask::policy(policy).named(format!("{policy} at {load} × the load"))
        })
    });
    let equal = [1.0, 2.0].into_iter().flat_map(|load| {
        ["fifo[backfill=true]", "tiresias-las", "tiresias-gittins"].map(|policy| Ask {
            load,
            equal: true,
            baseline: policy.starts_with("fifo"),
            ..Ask::policy(policy).named(format!("{policy} at {load} × the load"))
        })
    });
    let placements = [1.0, 2.0].into_iter().flat_map(|load| {
        let strategies = [
            (Strategy::LEAST_FRAGMENTATION, "run spread"),
            (Strategy::SKEW, "by skew"),
            (Strategy::CONSOLIDATED, "always consolidate"),
        ];
        [GpuGeneration::V100, GpuGeneration::P100]
            .into_iter()
            .flat_map(move |generation| {
                strategies.map(|(placement, what)| Ask {
                    load,
                    baseline: placement == Strategy::LEAST_FRAGMENTATION,
                    placement,
                    slowdown: Some(generation),
                    ..Ask::policy("tiresias-las").named(format!(
                        "{what}, {} at {load} × the load",
                        generation.name()
                    ))
                })
            })
    });
    vec![
        (
            "Against YARN-CS, SRTF and others",
            "testbed of 60 P100: Tiresias-L 5.5 × better than YARN-CS and close to SRTF; simulated, 10 weeks of Microsoft's trace on 2,000 GPUs: 2 × better than Gandiva",
            rivals.map(Ask::policy).into(),
        ),
        (
            "Number of queues K (thresholds 3600 · 4^i GPU·s)",
            "\"K = 2 is okay\"",
            (1..=5).map(queues).collect(),
        ),
        (
            "Threshold of two queues, GPU·s",
            "3600 in a Go port of the paper, 57,600 in Pollux's comparison, 18,000 in Lucid's",
            [900, 3_600, 18_000, 57_600, 230_400]
                .map(|threshold| Ask::policy(&format!("tiresias-las[thresholds={threshold}]")))
                .into(),
        ),
        (
            "PROMOTEKNOB",
            "released simulator, 480 jobs: off 1021 s, 8: 1020 s, 1: 1055 s; the knob bounds waiting",
            [0.0, 16.0, 8.0, 4.0, 2.0, 1.0]
                .map(|knob| Ask::policy(&format!("tiresias-las[knob={knob}]")))
                .into(),
        ),
        (
            "Load: arrivals closer together",
            "review of Blox: above about 7 jobs an hour on its set-up Tiresias' average JCT is worse than FIFO's",
            loads.collect(),
        ),
        (
            "Where Tiresias loses: the same arrivals and gangs, every job of the mean service",
            "LAS and Gittins gain from jobs of unlike sizes; among equal ones, first come first served is best",
            equal.collect(),
        ),
        (
            "Placement where spread gangs are slow",
            "review of Blox: always consolidating beats the skew rule above 4 jobs an hour on V100 with 10 Gb/s",
            placements.collect(),
        ),
    ]
}

fn measure(
    asks: &[Ask],
    workload: &Arc<Workload>,
    cluster: &ClusterSpec,
    progress: &Progress,
) -> Result<Vec<Row>, Failure> {
    let failed = |error: anyhow::Error| Failure::Run(error);
    let mut rows: Vec<Row> = Vec::with_capacity(asks.len());
    let mut baseline = None;
    for ask in asks {
        let spec = RunSpec {
            placement: ask.placement,
            options: SimOptions {
                spread_slowdown: ask.slowdown,
                log_budget: memory::of_machine(),
                ..SimOptions::default()
            },
            ..RunSpec::new(
                ask.policy
                    .parse()
                    .map_err(|error| failed(anyhow::Error::from(error)))?,
                cluster.clone(),
            )
        };
        let workload = match (ask.load == 1.0, ask.equal) {
            (true, false) => workload.clone(),
            (_, false) => Arc::new(workload.at_load(ask.load)),
            (_, true) => Arc::new(of_equal_service(&workload.at_load(ask.load))),
        };
        let mut run = Driver::new(spec.start(workload.clone()), workload.clone());
        progress
            .run(&mut run)
            .map_err(|error| failed(error.into()))?;
        let summary = Summary::of(&workload, cluster, run.log());
        if ask.baseline || baseline.is_none() {
            baseline = Some(summary.jct.mean);
        }
        rows.push(Row {
            name: ask.name.clone(),
            mean_jct: summary.jct.mean,
            p95_jct: summary.jct.p95,
            restarts: summary.restarts,
            longest_wait: summary.longest_wait,
            better_than_baseline: baseline.unwrap_or(summary.jct.mean) / summary.jct.mean,
        });
    }
    Ok(rows)
}

/// The same jobs, each with the mean service (GPU·s) of all.
fn of_equal_service(workload: &Workload) -> Workload {
    let mut equal = workload.clone();
    let service = |job: &Job| job.work.seconds() * f64::from(job.gpus);
    let mean = equal.jobs.iter().map(service).sum::<f64>() / equal.jobs.len().max(1) as f64;
    for job in &mut equal.jobs {
        job.work = Work::Fixed {
            duration: mean / f64::from(job.gpus),
        };
    }
    equal
}

fn print(section: &Section<Row>) -> String {
    let mut table = Table::default();
    let header = [
        "",
        "mean JCT",
        "p95 JCT",
        "longest wait",
        "restarts",
        "better by",
    ];
    table.row(header.map(String::from).to_vec());
    for row in &section.rows {
        table.row(vec![
            row.name.clone(),
            format!("{:.0} s", row.mean_jct),
            format!("{:.0} s", row.p95_jct),
            format!("{:.0} s", row.longest_wait),
            row.restarts.to_string(),
            format!("{:.2} ×", row.better_than_baseline),
        ]);
    }
    section.text(&table)
}
