//! The same network on GPU traces, whose jobs ask for no time and may be preempted: by mean JCT beside
//! Tiresias and others, on days that it was not trained on.

use super::super::Section;
use super::Arguments;
use crate::progress::Progress;
use crate::table::Table;
use crate::{Failure, output};
use anyhow::anyhow;
use serde::Serialize;
use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::SimOptions;
use switchyard::policies::PolicySpec;
use switchyard::report::{Summary, bounded_slowdown};
use switchyard::trace::Trace;
use switchyard::workload::{Workload, at_days};
use switchyard_app::driver::Driver;

/// Without durations, then oracles.
const POLICIES: [(&str, &str); 11] = [
    ("rl", "rl-picker[weights=gpu]"),
    ("fifo", "fifo"),
    ("fifo, backfilling", "fifo[backfill=true]"),
    ("fewest GPUs", "fewest-gpus"),
    ("tiresias-las", "tiresias-las"),
    ("tiresias-gittins", "tiresias-gittins"),
    ("las", "las[quantum=300]"),
    ("gittins", "gittins[quantum=300]"),
    ("sjf (oracle)", "shortest-job"),
    ("srtf (oracle)", "srtf"),
    ("srsf (oracle)", "srsf"),
];

/// Thresholds of Tiresias' queues to choose from, by the days before those that are judged.
const THRESHOLDS: [&str; 8] = [
    "3250:7200",
    "3600",
    "57600",
    "1000000",
    "3600:57600",
    "3000:30000:300000",
    "57600:1000000",
    "10000:100000:1000000",
];

#[derive(Serialize)]
struct Row {
    policy: &'static str,
    spec: String,
    /// Whether it knows durations.
    oracle: bool,
    /// Seconds.
    mean_jct: f64,
    p95_jct: f64,
    /// Mean bounded slowdown.
    bsld: f64,
    restarts: u32,
}

#[derive(Serialize)]
struct Results<'a> {
    cluster: String,
    jobs: u32,
    rows: &'a [Row],
}

/// Jobs, and what they run on.
struct World {
    workload: Arc<Workload>,
    cluster: ClusterSpec,
    restart_cost: f64,
}

impl World {
    fn run(&self, policy: &'static str, spec: &str, progress: &Progress) -> Result<Row, Failure> {
        let spec: PolicySpec = spec
            .parse()
            .map_err(|error| Failure::Run(anyhow::Error::from(error)))?;
        let run = RunSpec {
            options: SimOptions {
                restart_cost: self.restart_cost,
                ..SimOptions::default()
            },
            ..RunSpec::new(spec.clone(), self.cluster.clone())
        };
        let begun = run.start(Arc::clone(&self.workload));
        let mut run = Driver::new(begun, Arc::clone(&self.workload));
        progress
            .run(&mut run)
            .map_err(|error| Failure::Run(error.into()))?;
        let summary = Summary::of(&self.workload, &self.cluster, run.log());
        Ok(Row {
            policy,
            oracle: spec.is_oracle(),
            spec: spec.to_string(),
            mean_jct: summary.jct.mean,
            p95_jct: summary.jct.p95,
            bsld: bounded_slowdown(&self.workload, run.log()),
            restarts: summary.restarts,
        })
    }

    /// Tiresias with the thresholds that are best here.
    fn tuned(&self, progress: &Progress) -> Result<String, Failure> {
        let mut best = (f64::INFINITY, String::new());
        for thresholds in THRESHOLDS {
            let spec = format!("tiresias-las[thresholds={thresholds}]");
            let jct = self.run("", &spec, progress)?.mean_jct;
            if jct < best.0 {
                best = (jct, spec);
            }
        }
        Ok(best.1)
    }
}

pub(super) fn gpu(
    arguments: &Arguments,
    trace: Trace,
    cluster: Option<ClusterSpec>,
) -> Result<(), Failure> {
    let (before, after) = at_days(trace, arguments.after);
    if after.records.is_empty() {
        let days = arguments.after;
        let late = format!("no job comes after its first {days} days: give fewer with --after");
        return Err(super::refused(arguments, &late));
    }
    let world = |mut trace: Trace| -> Result<World, Failure> {
        let cluster = match &cluster {
            Some(cluster) => cluster.clone(),
            None => trace.workload().suggest_cluster().cluster,
        };
        (arguments.opening).choose(&mut trace, Some(&cluster))?;
        Ok(World {
            workload: Arc::new(trace.workload()),
            cluster,
            restart_cost: arguments.restart_cost,
        })
    };
    let judged = world(after)?;
    let mut rows = Vec::new();
    let is_tuned = !before.records.is_empty();
    let tuning = if is_tuned { THRESHOLDS.len() + 1 } else { 0 };
    let runs = (POLICIES.len() + tuning) as u64;
    let progress = Progress::of("paper rlscheduler", runs, "runs");
    for (policy, spec) in POLICIES {
        rows.push(judged.run(policy, spec, &progress)?);
    }
    if is_tuned {
        let spec = world(before)?.tuned(&progress)?;
        rows.push(judged.run("tiresias-las, tuned", &spec, &progress)?);
    }
    drop(progress);
    if let Some(row) = rows.iter().find(|row| !row.mean_jct.is_finite()) {
        return Err(Failure::Run(anyhow!("no job has ended under {}", row.spec)));
    }
    let results = Results {
        cluster: judged.cluster.to_string(),
        jobs: judged.workload.jobs.len() as u32,
        rows: &rows,
    };
    match &arguments.json {
        Some(path) => output::json(path, &results),
        None => {
            let head = format!(
                "{} jobs after {} days, on {}, a restart takes {} s\n",
                results.jobs, arguments.after, results.cluster, arguments.restart_cost
            );
            output::print(&(head + &text(rows)))
        }
    }
}

fn text(rows: Vec<Row>) -> String {
    let mut table = Table::default();
    let header = [
        "",
        "mean JCT, h",
        "p95, h",
        "bounded slowdown",
        "restarts",
        "policy",
    ];
    table.row(header.map(String::from).to_vec());
    for row in &rows {
        table.row(vec![
            row.policy.to_owned(),
            format!("{:.2}", row.mean_jct / 3600.0),
            format!("{:.2}", row.p95_jct / 3600.0),
            format!("{:.2}", row.bsld),
            row.restarts.to_string(),
            row.spec.clone(),
        ]);
    }
    let section = Section {
        title: "Days that were not trained on",
        published: "nothing of GPU traces; tuned: Tiresias with the thresholds, of eight, that are best on the days before",
        rows,
    };
    section.text(&table)
}
