//! Runs of the engine itself: FIFO with backfill, jobs that slow one another by contention, and whatever
//! placement.

use super::choosers::{ByChance, Noted, Notes, Taught};
use super::decision::{Decision, Tree};
use super::episode::{Episode, Stay};
use super::teacher::Teacher;
use super::worlds::World;
use anyhow::{Context, Result};
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
use std::sync::{Arc, Mutex};
use switchyard::draw::Rng;
use switchyard::engine::{RunLog, SimOptions, Simulation};
use switchyard::placement::Strategy;
use switchyard::placement::graph_rl::network::Network;
use switchyard::placement::graph_rl::{Chooser, Placer};
use switchyard::policies::{self, BuildContext};

/// What is made less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Reward {
    /// Mean JCT.
    Jct,
    /// Mean slowdown: JCT ÷ duration alone.
    Slowdown,
    /// Their geometric middle: JCT ÷ the root of the duration.
    Middle,
}

impl Reward {
    fn weight(self, duration: f64, mean: f64) -> f64 {
        match self {
            Self::Jct => 1.0,
            Self::Slowdown => mean / duration,
            Self::Middle => (mean / duration).sqrt(),
        }
    }
}

/// Runs a world by a placement.
fn run(world: &World, placement: Strategy, placer: Option<Placer>) -> Result<RunLog> {
    let spec = format!("fifo[backfill=true,placement={placement}]").parse()?;
    let context = BuildContext {
        placement,
        workload: &world.workload,
        history: None,
        picker: None,
        queues: None,
    };
    let options = SimOptions {
        contention: true,
        ..SimOptions::default()
    };
    let scheduler = policies::build(&spec, &context);
    let workload = Arc::clone(&world.workload);
    let mut run = Simulation::new(workload, &world.cluster, scheduler, options);
    if let Some(placer) = placer {
        run = run.with_learned(placer);
    }
    run.run()?;
    Ok(run.into_log())
}

fn mean_duration(world: &World) -> f64 {
    let jobs = &world.workload.jobs;
    let durations = jobs.iter().map(|job| job.work.seconds());
    durations.sum::<f64>() / jobs.len().max(1) as f64
}

/// How long each job was there.
fn stays(world: &World, log: &RunLog, reward: Reward) -> Vec<Stay> {
    let jobs = &world.workload.jobs;
    let mean = mean_duration(world);
    let mut stays: Vec<Stay> = jobs
        .iter()
        .map(|job| Stay {
            from: job.submit.seconds(),
            to: f64::INFINITY,
            weight: reward.weight(job.work.seconds(), mean),
        })
        .collect();
    for segment in (0..log.segments()).map(|at| log.segment(at)) {
        stays[segment.job.index()].to = segment.end.seconds();
    }
    stays
}

fn mean_jct(stays: &[Stay]) -> f64 {
    stays.iter().map(|stay| stay.to - stay.from).sum::<f64>() / stays.len() as f64
}

/// Mean JCT by a placement that has learned nothing.
pub fn by(world: &World, placement: Strategy) -> Result<f64> {
    let log = run(world, placement, None)?;
    Ok(mean_jct(&stays(world, &log, Reward::Jct)))
}

/// Mean JCT by a network's greatest scores.
pub fn by_network(world: &World, placement: Strategy, network: &Arc<Network>) -> Result<f64> {
    let placer = Placer::new(Arc::clone(network));
    let log = run(world, placement, Some(placer))?;
    Ok(mean_jct(&stays(world, &log, Reward::Jct)))
}

/// Mean JCT by a teacher.
pub fn by_teacher(
    world: &World,
    placement: Strategy,
    network: &Arc<Network>,
    teacher: Teacher,
) -> Result<f64> {
    let notes = Notes::new(Mutex::new(Noted::new(0.0, 0)));
    let chooser = Taught::new(teacher, 0.0, Rng::seed_from_u64(0), notes);
    let placer = Placer::new(Arc::clone(network)).chosen_by(chooser);
    let log = run(world, placement, Some(placer))?;
    Ok(mean_jct(&stays(world, &log, Reward::Jct)))
}

/// What is done by chance, with a network's probabilities; counted from what comes of the same jobs by a rule.
pub fn by_chance(
    world: &World,
    placement: Strategy,
    network: &Arc<Network>,
    reward: Reward,
    (keep, mut rng): (f64, Rng),
) -> Result<Episode> {
    let noted = Noted::new(keep, rng.next_u64());
    let by_rule = run(world, Strategy::LEAST_INTERFERENCE_WAITING, None)?;
    let episode = episode(world, placement, network, reward, noted, |notes| {
        ByChance::new(rng, notes)
    })?;
    Ok(Episode {
        by_rule: stays(world, &by_rule, reward),
        ..episode
    })
}

/// What a teacher does; a part of the jobs is laid by the network.
pub fn taught(
    world: &World,
    placement: Strategy,
    network: &Arc<Network>,
    (teacher, own): (Teacher, f64),
    (keep, mut rng): (f64, Rng),
) -> Result<Episode> {
    let noted = Noted::new(keep, rng.next_u64());
    episode(world, placement, network, Reward::Jct, noted, |notes| {
        Taught::new(teacher, own, rng, notes)
    })
}

fn episode<C: Chooser + Send + 'static>(
    world: &World,
    placement: Strategy,
    network: &Arc<Network>,
    reward: Reward,
    noted: Noted,
    chooser: impl FnOnce(Notes) -> C,
) -> Result<Episode> {
    let notes = Notes::new(Mutex::new(noted));
    let chooser = chooser(Arc::clone(&notes));
    let placer = Placer::new(Arc::clone(network)).chosen_by(chooser);
    let log = run(world, placement, Some(placer))?;
    let decisions: Vec<Decision> = match notes.lock() {
        Ok(mut notes) => std::mem::take(&mut notes.decisions),
        Err(_) => Vec::new(),
    };
    let first = decisions.first().map(|decision| Tree::of(&decision.seen));
    let tree = first.context("nothing was decided")?;
    let stays = stays(world, &log, reward);
    Ok(Episode {
        tree: tree.context("servers, racks or partitions are not all alike")?,
        decisions,
        duration: mean_duration(world),
        stays,
        by_rule: Vec::new(),
    })
}
