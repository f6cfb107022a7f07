//! One replay: which scheduler, and what it needs.

use super::antman::AntMan;
use super::job::{Job, Replay};
use super::muri::Muri;
use super::shortest::Shortest;
use super::themis::Themis;
use super::tiresias::Tiresias;
use super::world::{Policy, ReplayError, live};
use crate::gangs::Cluster;
use crate::grouping::Options;

/// The schedulers of the paper's figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheduler {
    /// Shortest remaining time first.
    Srtf,
    /// Shortest remaining GPU time first.
    Srsf,
    /// Queues by attained service, two-dimensional.
    Tiresias,
    /// Jobs with guaranteed GPUs, and others beside them.
    AntMan,
    /// Finish-time fairness.
    Themis,
    /// Groups, by remaining GPU time.
    MuriS(Options),
    /// Groups, by attained GPU time.
    MuriL(Options),
}

/// Replays a trace under a scheduler. `ended` hears how many jobs have ended, again and again.
pub fn replay(
    jobs: &[Job],
    cluster: Cluster,
    scheduler: Scheduler,
    ended: &mut dyn FnMut(usize),
) -> Result<Replay, ReplayError> {
    let mut policy: Box<dyn Policy> = match scheduler {
        Scheduler::Srtf => Box::new(Shortest::new(cluster, false)),
        Scheduler::Srsf => Box::new(Shortest::new(cluster, true)),
        Scheduler::Tiresias => Box::new(Tiresias::new(cluster)),
        Scheduler::AntMan => Box::new(AntMan::new(jobs, cluster)?),
        Scheduler::Themis => Box::new(Themis::new(jobs, cluster)),
        Scheduler::MuriS(options) => Box::new(Muri::new(jobs, cluster, true, options)),
        Scheduler::MuriL(options) => Box::new(Muri::new(jobs, cluster, false, options)),
    };
    live(jobs, cluster, policy.as_mut(), ended)
}
