//! One run of the comparison: which placements there are, and what a workload comes to under one of them.

use crate::Failure;
use crate::progress::Progress;
use anyhow::{Context, anyhow};
use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::SimOptions;
use switchyard::placement::Strategy;
use switchyard::report::Summary;
use switchyard::weights::{Weights, WeightsChoice};
use switchyard::workload::Workload;
use switchyard_app::driver::Driver;

/// The placements, in the order of the table; those that this program does not have are left out.
const POLICIES: [&str; 8] = [
    "random",
    "load-balancing",
    "locality",
    "congestion-aware",
    "tetris",
    "least-interference",
    "least-interference-waiting",
    LEARNED,
];

const LEARNED: &str = "graph-rl";

/// The same without part of it, for those who ask.
const ABLATIONS: [&str; 3] = [
    "graph-rl-one-agent",
    "graph-rl-no-exchange",
    "graph-rl-no-graph",
];

/// A row that no placement can come near to: gangs are laid as `locality` lays them, and nobody slows
/// anybody.
const NO_NEIGHBOURS: &str = "no-neighbours";

/// What a run came to, seconds.
#[derive(Clone, Copy, Default)]
pub(super) struct Figures {
    pub(super) mean_jct: f64,
    pub(super) p95_jct: f64,
    pub(super) makespan: f64,
}

/// What a row of the table runs.
#[derive(Clone, Copy)]
pub(super) struct Compared {
    pub(super) name: &'static str,
    pub(super) placement: Strategy,
    pub(super) contention: bool,
}

/// Those that are named; all but the ablations where none is.
pub(super) fn policies(names: &[String]) -> Result<Vec<Compared>, Failure> {
    let all = POLICIES.into_iter().chain([NO_NEIGHBOURS]);
    named(names, &all.collect::<Vec<_>>())
}

/// Those that are named, or else those of `usual`, in the order of the table.
pub(super) fn named(names: &[String], usual: &[&str]) -> Result<Vec<Compared>, Failure> {
    let placements = POLICIES.map(|name| (name, name, true));
    let known = placements
        .into_iter()
        .chain(ABLATIONS.map(|name| (name, name, true)))
        .chain([(NO_NEIGHBOURS, "locality", false)]);
    let known = known.filter_map(|(name, placement, contention)| {
        Some(Compared {
            name,
            placement: placement.parse().ok()?,
            contention,
        })
    });
    let known: Vec<Compared> = known.collect();
    for name in names {
        if !known.iter().any(|of| of.name == name) {
            let known: Vec<&str> = known.iter().map(|of| of.name).collect();
            return Err(Failure::Input(anyhow!(
                "--policy {name}: it is not compared: use some of {}",
                known.join(", ")
            )));
        }
    }
    let is_wanted = |name: &str| match names.is_empty() {
        true => usual.contains(&name),
        false => names.iter().any(|of| of == name),
    };
    Ok(known.into_iter().filter(|of| is_wanted(of.name)).collect())
}

/// What a workload comes to, behind FIFO with backfilling.
pub(super) fn run(
    workload: &Arc<Workload>,
    cluster: &ClusterSpec,
    (weights, choice): &(Weights, WeightsChoice),
    compared: Compared,
    progress: &Progress,
) -> Result<Figures, Failure> {
    let policy = "fifo[backfill=true]".parse().context("FIFO is a policy");
    let spec = RunSpec {
        placement: compared.placement,
        options: SimOptions {
            contention: compared.contention,
            weights: *choice,
            ..SimOptions::default()
        },
        ..RunSpec::new(policy.map_err(Failure::Run)?, cluster.clone())
    };
    let run = Driver::start(&spec, workload, weights);
    let mut run = run.map_err(|missing| Failure::Run(missing.into()))?;
    progress
        .run(&mut run)
        .map_err(|error| Failure::Run(error.into()))?;
    let summary = Summary::of(workload, cluster, run.log());
    Ok(Figures {
        mean_jct: summary.jct.mean,
        p95_jct: summary.jct.p95,
        makespan: summary.makespan,
    })
}
