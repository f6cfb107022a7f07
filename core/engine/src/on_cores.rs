//! Jobs that ask for no GPU. Schedulers here decide about GPUs, so these run beside what they decide: in order of
//! submission, each as soon as its cores and memory are free, until it ends; one that fits overtakes one that does
//! not. They take no GPU, but a gang finds the cores that they left.
//!
//! Lest gangs starve, a node's free GPUs keep their part of its cores and memory as long as a gang waits: a job
//! without GPUs takes what others leave. As recorded, jobs start when they started, whatever is free.
//!
//! This is the record of them. What the world does with them is in [`start_on_cores`](super::start_on_cores).

use super::setting::Setting;
use crate::cluster::{ClusterSpec, CoreDemand, CorePart, CoreRoom, Pools, Spare};
use crate::job::JobId;
use std::collections::{BTreeMap, BTreeSet};

/// Those of a run.
pub(super) struct OnCores {
    pub(super) pools: Pools,
    /// The idle cluster.
    pub(super) idle: CoreRoom,
    /// How many have come and are not done.
    pub(super) active: usize,
    /// By what they ask for: who waits.
    pub(super) waiting: BTreeMap<CoreDemand, BTreeSet<JobId>>,
    /// Who runs, and what each has.
    pub(super) holds: BTreeMap<JobId, Vec<CorePart>>,
    /// What nodes have but for what these hold: gangs can have no more.
    pub(super) left_to_gangs: Spare,
    /// By job: whether it has run.
    pub(super) begun: BTreeSet<JobId>,
    /// Whether jobs start when the trace records it.
    pub(super) replays: bool,
}

impl OnCores {
    /// `None`: all jobs ask for GPUs.
    pub(super) fn of(setting: &Setting, cluster: &ClusterSpec, replays: bool) -> Option<Box<Self>> {
        let mut jobs = setting.workload.jobs.iter();
        if !jobs.any(crate::job::Job::is_on_cores) {
            return None;
        }
        let pools = Pools::of(cluster);
        Some(Box::new(Self {
            idle: CoreRoom::idle(&pools),
            left_to_gangs: Spare::all(&pools),
            active: 0,
            pools,
            waiting: BTreeMap::new(),
            holds: BTreeMap::new(),
            begun: BTreeSet::new(),
            replays,
        }))
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> u32 {
        self.waiting.values().map(|jobs| jobs.len() as u32).sum()
    }

    /// How many run.
    pub(super) fn running(&self) -> u32 {
        self.holds.len() as u32
    }

    /// How many have come and are not done.
    pub(super) fn active(&self) -> usize {
        self.active
    }

    /// Cores and memory that gangs could have if none of them ran.
    pub(super) fn left_to_gangs(&self) -> &Spare {
        &self.left_to_gangs
    }

    /// Those that run on a node.
    pub(super) fn on_node(&self, node: u32) -> impl Iterator<Item = JobId> {
        let there = move |parts: &Vec<CorePart>| parts.iter().any(|part| part.node == node);
        let holds = self.holds.iter();
        holds.filter_map(move |(&job, parts)| there(parts).then_some(job))
    }

    /// The next to start, and where: the first that there is room for.
    pub(super) fn next(&self, room: &CoreRoom) -> Option<(CoreDemand, JobId, Vec<CorePart>)> {
        let mut heads: Vec<(JobId, CoreDemand)> = (self.waiting.iter())
            .filter_map(|(&asks, jobs)| Some((*jobs.first()?, asks)))
            .collect();
        heads.sort_unstable();
        heads.into_iter().find_map(|(job, asks)| {
            let parts = room.lay(asks);
            (self.replays || !parts.is_empty()).then_some((asks, job, parts))
        })
    }

    pub(super) fn join(&mut self, job: JobId, asks: CoreDemand) {
        self.waiting.entry(asks).or_default().insert(job);
    }

    pub(super) fn leave(&mut self, job: JobId, asks: CoreDemand) {
        if let Some(jobs) = self.waiting.get_mut(&asks) {
            jobs.remove(&job);
            if jobs.is_empty() {
                self.waiting.remove(&asks);
            }
        }
    }
}
