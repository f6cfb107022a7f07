//! Jobs that ask for no GPU. Schedulers here decide about GPUs, so these run beside what they decide: in order of
//! submission, each as soon as its cores and memory are free, until it ends; one that fits overtakes one that does
//! not. They take no GPU, but a gang finds the cores that they left.
//!
//! Lest gangs starve, a node's free GPUs keep their part of its cores and memory as long as a gang waits: a job
//! without GPUs takes what others leave. As recorded, jobs start when they started, whatever is free.

use super::jobs::Phase;
use super::log::EventKind;
use super::news::News;
use super::node_state::NodeState;
use super::setting::Setting;
use super::world::World;
use crate::Time;
use crate::cluster::{ClusterSpec, CoreDemand, CorePart, CoreRoom, Pools, Spare};
use crate::job::JobId;
use std::collections::{BTreeMap, BTreeSet};
use switchyard_explain::{Explanation, Fact, Verdict};

/// Those of a run.
pub(super) struct Beside {
    pools: Pools,
    /// The idle cluster.
    idle: CoreRoom,
    /// How many have come and are not done.
    active: usize,
    /// By what they ask for: who waits.
    waiting: BTreeMap<CoreDemand, BTreeSet<JobId>>,
    /// Who runs, and what each has.
    holds: BTreeMap<JobId, Vec<CorePart>>,
    /// What nodes have but for what these hold: gangs can have no more.
    left_to_gangs: Spare,
    /// By job: whether it has run.
    begun: BTreeSet<JobId>,
    /// Whether jobs start when the trace records it.
    replays: bool,
}

impl Beside {
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
    fn next(&self, room: &CoreRoom) -> Option<(CoreDemand, JobId, Vec<CorePart>)> {
        let mut heads: Vec<(JobId, CoreDemand)> = (self.waiting.iter())
            .filter_map(|(&asks, jobs)| Some((*jobs.first()?, asks)))
            .collect();
        heads.sort_unstable();
        heads.into_iter().find_map(|(job, asks)| {
            let parts = room.lay(asks);
            (self.replays || !parts.is_empty()).then_some((asks, job, parts))
        })
    }

    fn join(&mut self, job: JobId, asks: CoreDemand) {
        self.waiting.entry(asks).or_default().insert(job);
    }

    fn leave(&mut self, job: JobId, asks: CoreDemand) {
        if let Some(jobs) = self.waiting.get_mut(&asks) {
            jobs.remove(&job);
            if jobs.is_empty() {
                self.waiting.remove(&asks);
            }
        }
    }
}

impl World {
    /// Whether a job asks for no GPU.
    pub(super) fn is_beside(&self, job: JobId) -> bool {
        self.beside.is_some() && self.setting.job(job).is_on_cores()
    }

    fn asks(&self, job: JobId) -> CoreDemand {
        CoreDemand::of(&self.setting.job(job).demand)
    }

    /// A job has come that asks for no GPU; `false`: it is more than the idle cluster has.
    pub(super) fn admit_beside(&mut self, job: JobId) -> bool {
        let asks = self.asks(job);
        let Some(beside) = self.beside.as_deref_mut() else {
            return false;
        };
        if !beside.replays && beside.idle.lay(asks).is_empty() {
            return false;
        }
        beside.active += 1;
        let told = self.setting.workload.recorded.run(job);
        match told.map(|run| run.start) {
            Some(start) if beside.replays && start > self.now => self.alarm_at(job, start),
            _ => self.wait_beside(job),
        }
        true
    }

    /// It waits for cores.
    pub(super) fn wait_beside(&mut self, job: JobId) {
        let asks = self.asks(job);
        if let Some(beside) = self.beside.as_deref_mut() {
            beside.join(job, asks);
        }
    }

    /// Whether free GPUs keep their part of cores, as gangs wait for some.
    fn keeps_for_gangs(&self, beside: &Beside) -> bool {
        self.jobs.queue.jobs() > 0 && !beside.replays
    }

    /// What those without GPUs may have now.
    fn core_room(&self, beside: &Beside) -> CoreRoom {
        let gangs_wait = self.keeps_for_gangs(beside);
        let free = self.nodes.free();
        let kept = |node: u32| {
            let at = node as usize;
            let size = *self.nodes.sizes().get(at)?;
            let free = match gangs_wait {
                true => free.per_node().get(at).copied().unwrap_or(0),
                false => 0,
            };
            (self.nodes.state(node) == NodeState::Up).then_some((free, size))
        };
        CoreRoom::of(&beside.pools, &self.spare, kept)
    }

    /// Starts those that there is room for.
    pub(super) fn start_beside(&mut self) {
        let Some(beside) = self.beside.as_deref().filter(|of| !of.waiting.is_empty()) else {
            return;
        };
        let mut room = self.core_room(beside);
        while let Some((asks, job, parts)) =
            self.beside.as_deref().and_then(|beside| beside.next(&room))
        {
            room.take(&parts);
            self.run_beside(job, asks, parts);
        }
    }

    fn run_beside(&mut self, job: JobId, asks: CoreDemand, parts: Vec<CorePart>) {
        let Some(beside) = self.beside.as_deref_mut() else {
            return;
        };
        beside.leave(job, asks);
        beside.left_to_gangs.take_cores(&parts);
        self.spare.take_cores(&parts);
        let first = beside.begun.insert(job);
        let (now, options) = (self.now, &self.setting.options);
        let ready = match first && !options.first_start_pays {
            true => now,
            false => now + self.setting.restart_seconds(job),
        };
        let segment = self.log.open_segment(job, now, ready);
        for part in &parts {
            self.log.push_cores(segment, part);
        }
        beside.holds.insert(job, parts);
        let kind = match first {
            true => EventKind::Start,
            false => EventKind::Restart,
        };
        self.log.push_event(now, kind, job, segment);
        self.jobs.enter(job, (now, ready), segment, false);
        self.go_on_from(job, ready);
    }

    /// Ends its segment and takes its cores back.
    pub(super) fn release_beside(&mut self, job: JobId, phase: Phase) {
        self.jobs.leave(job, self.now, 0, phase);
        let Some(beside) = self.beside.as_deref_mut() else {
            return;
        };
        let parts = beside.holds.remove(&job).unwrap_or_default();
        beside.active -= usize::from(phase == Phase::Finished);
        beside.left_to_gangs.give_cores(&parts);
        self.spare.give_cores(&parts);
        let gpu_nodes = beside.pools.nodes();
        let segment = self.jobs.segment[job.index()];
        self.log.close_segment(segment, self.now);
        // Who does not wait for them is not to be asked: some policies preempt whenever they are.
        let is_theirs = parts.iter().any(|part| part.node < gpu_nodes);
        if is_theirs && self.jobs.queue.jobs() > 0 {
            self.news.push(News::CoresFreed);
        }
    }

    /// Why a job without GPUs runs or waits.
    pub(super) fn explain_beside(&self, job: JobId) -> Explanation {
        let asks = self.asks(job);
        let cores = |thousandths: u64| thousandths as f64 / 1000.0;
        let mut facts = vec![
            Fact::new("cores", cores(asks.cores.into())),
            Fact::new("decided by", "nobody: it asks for no GPU"),
        ];
        let memory = f64::from(asks.memory) / 1024.0;
        if memory > 0.0 {
            facts.push(Fact::new("memory", format!("{memory:.1} GiB")));
        }
        let phase = self.jobs.phase.get(job.index()).copied();
        let verdict = match (phase, self.beside.as_deref()) {
            (Some(Phase::Running), Some(beside)) => {
                let parts = beside.holds.get(&job).map_or(&[][..], Vec::as_slice);
                let parts = parts
                    .iter()
                    .map(|part| format!("{} on node {}", cores(part.cores.into()), part.node));
                facts.push(Fact::new("runs on", parts.collect::<Vec<_>>().join(", ")));
                Verdict::Runs
            }
            (Some(Phase::Waiting), Some(_)) if self.jobs.alarm[job.index()] < Time::NEVER => {
                let at = self.jobs.alarm[job.index()];
                Verdict::StartsLater { at }
            }
            (Some(Phase::Waiting), Some(beside)) => {
                if self.keeps_for_gangs(beside) {
                    let what = "their part of cores and memory, as gangs wait";
                    facts.push(Fact::new("free GPUs keep", what));
                }
                let left = self.core_room(beside).most_cores();
                Verdict::TooFewCores {
                    wants: asks.cores,
                    left: u32::try_from(left).unwrap_or(u32::MAX),
                }
            }
            _ => Verdict::NotActive,
        };
        Explanation::new(verdict, facts)
    }
}
