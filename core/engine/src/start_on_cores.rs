//! What the world does with [jobs that ask for no GPU](super::beside): they come, start, end, and are explained.

use super::jobs::Phase;
use super::log::EventKind;
use super::news::News;
use super::node_state::NodeState;
use super::on_cores::OnCores;
use super::world::World;
use crate::Time;
use crate::cluster::{CoreDemand, CorePart, CoreRoom};
use crate::job::JobId;
use switchyard_explain::{Explanation, Fact, Said, Unit, Verdict};

impl World {
    /// Whether a job asks for no GPU.
    pub(super) fn is_on_cores(&self, job: JobId) -> bool {
        self.on_cores.is_some() && self.setting.job(job).is_on_cores()
    }

    fn asks(&self, job: JobId) -> CoreDemand {
        CoreDemand::of(&self.setting.job(job).demand)
    }

    /// A job has come that asks for no GPU; `false`: it is more than the idle cluster has.
    pub(super) fn admit_on_cores(&mut self, job: JobId) -> bool {
        let asks = self.asks(job);
        let Some(on_cores) = self.on_cores.as_deref_mut() else {
            return false;
        };
        if !on_cores.replays && on_cores.idle.lay(asks).is_empty() {
            return false;
        }
        on_cores.active += 1;
        let told = self.setting.workload.recorded.run(job);
        match told.map(|run| run.start) {
            Some(start) if on_cores.replays && start > self.now => self.alarm_at(job, start),
            _ => self.wait_on_cores(job),
        }
        true
    }

    /// It waits for cores.
    pub(super) fn wait_on_cores(&mut self, job: JobId) {
        let asks = self.asks(job);
        if let Some(on_cores) = self.on_cores.as_deref_mut() {
            on_cores.join(job, asks);
        }
    }

    /// Whether free GPUs keep their part of cores, as gangs wait for some.
    fn keeps_for_gangs(&self, on_cores: &OnCores) -> bool {
        self.jobs.queue.jobs() > 0 && !on_cores.replays
    }

    /// What those without GPUs may have now.
    fn core_room(&self, on_cores: &OnCores) -> CoreRoom {
        let gangs_wait = self.keeps_for_gangs(on_cores);
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
        CoreRoom::of(&on_cores.pools, &self.spare, kept)
    }

    /// Starts those that there is room for.
    pub(super) fn start_on_cores(&mut self) {
        let Some(on_cores) = self.on_cores.as_deref().filter(|of| !of.waiting.is_empty()) else {
            return;
        };
        let mut room = self.core_room(on_cores);
        while let Some((asks, job, parts)) = self
            .on_cores
            .as_deref()
            .and_then(|on_cores| on_cores.next(&room))
        {
            room.take(&parts);
            self.run_on_cores(job, asks, parts);
        }
    }

    fn run_on_cores(&mut self, job: JobId, asks: CoreDemand, parts: Vec<CorePart>) {
        let Some(on_cores) = self.on_cores.as_deref_mut() else {
            return;
        };
        on_cores.leave(job, asks);
        on_cores.left_to_gangs.take_cores(&parts);
        self.spare.take_cores(&parts);
        let first = on_cores.begun.insert(job);
        let (now, options) = (self.now, &self.setting.options);
        let ready = match first && !options.first_start_pays {
            true => now,
            false => now + self.setting.restart_seconds(job),
        };
        let segment = self.log.open_segment(job, now, ready);
        for part in &parts {
            self.log.push_cores(segment, part);
        }
        on_cores.holds.insert(job, parts);
        let kind = match first {
            true => EventKind::Start,
            false => EventKind::Restart,
        };
        self.log.push_event(now, kind, job, segment);
        self.jobs.enter(job, (now, ready), segment, false);
        self.go_on_from(job, ready);
    }

    /// Ends its segment and takes its cores back.
    pub(super) fn release_on_cores(&mut self, job: JobId, phase: Phase) {
        self.jobs.leave(job, self.now, 0, phase);
        let Some(on_cores) = self.on_cores.as_deref_mut() else {
            return;
        };
        let parts = on_cores.holds.remove(&job).unwrap_or_default();
        on_cores.active -= usize::from(phase == Phase::Finished);
        on_cores.left_to_gangs.give_cores(&parts);
        self.spare.give_cores(&parts);
        let gpu_nodes = on_cores.pools.nodes();
        let segment = self.jobs.segment[job.index()];
        self.log.close_segment(segment, self.now);
        // Who does not wait for them is not to be asked: some policies preempt whenever they are.
        let is_theirs = parts.iter().any(|part| part.node < gpu_nodes);
        if is_theirs && self.jobs.queue.jobs() > 0 {
            self.news.push(News::CoresFreed);
        }
    }

    /// Why a job without GPUs runs or waits.
    pub(super) fn explain_on_cores(&self, job: JobId) -> Explanation {
        let asks = self.asks(job);
        let cores = |thousandths: u64| thousandths as f64 / 1000.0;
        let mut facts = vec![
            Fact::of(
                "cores",
                vec![Said::Exact(cores(asks.cores.into()), Unit::None)],
            ),
            Fact::new("decided by", "nobody: it asks for no GPU"),
        ];
        let memory = f64::from(asks.memory) / 1024.0;
        if memory > 0.0 {
            facts.push(Fact::number("memory", memory, 1, Unit::GiB));
        }
        let phase = self.jobs.phase.get(job.index()).copied();
        let verdict = match (phase, self.on_cores.as_deref()) {
            (Some(Phase::Running), Some(on_cores)) => {
                let parts = on_cores.holds.get(&job).map_or(&[][..], Vec::as_slice);
                let mut on = Fact::of("runs on", Vec::new());
                for (at, part) in parts.iter().enumerate() {
                    let cores = Said::Exact(cores(part.cores.into()), Unit::None);
                    let comma = if at > 0 { ", " } else { "" };
                    on = on
                        .then(comma)
                        .and(cores)
                        .then(" on ")
                        .and(Said::Node(part.node));
                }
                facts.push(on);
                Verdict::Runs
            }
            (Some(Phase::Waiting), Some(_)) if self.jobs.alarm[job.index()] < Time::NEVER => {
                let at = self.jobs.alarm[job.index()];
                Verdict::StartsLater { at }
            }
            (Some(Phase::Waiting), Some(on_cores)) => {
                if self.keeps_for_gangs(on_cores) {
                    let what = "their part of cores and memory, as gangs wait";
                    facts.push(Fact::new("free GPUs keep", what));
                }
                let left = self.core_room(on_cores).most_cores();
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
