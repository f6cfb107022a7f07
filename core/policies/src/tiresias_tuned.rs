//! Tiresias as the baseline of Pollux (OSDI'21 §5.1): two queues by attained service, by rounds,
//! for jobs that an expert has tuned. After the artifact's `simulator/tiresias.py` (petuum/adaptdl,
//! branch `osdi21-artifact`).
//!
//! At every round jobs that hold GPUs and have received `threshold` GPU·s sink to the second queue,
//! for good. Then GPUs are counted out down the first queue and the second, each in the order in
//! which jobs came there; what does not fit is skipped. Who still runs stays where it is; the
//! others, in the same order, take the node with most free GPUs, then the next, or go where the
//! placement asked for lays them. Between rounds nothing happens.

use super::attained_service::attained_service;
use super::entry::{BuildContext, Properties};
use super::parameters::{GANG_PLACEMENT, PlacementChoice, param, parameters};
use super::waiting_room::{Waiter, WaitingRoom};
use super::{Cadence, Explanation, Fact, ParamKind, Policy, PolicyEntry, Rng, Verdict};
use super::{rigid, rounds};
use crate::job::JobId;
use std::collections::BTreeMap;
use switchyard_engine::{News, Phase, Plan, View};
use switchyard_explain::Unit;
use switchyard_placement::Strategy;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "tiresias-tuned",
    title: "Tiresias+TunedJobs",
    summary: "Tiresias as Pollux was compared with it: two queues by attained service, decided at rounds, gangs on the emptiest nodes.",
    source: "Qiao et al., OSDI'21 §5.1; its simulator's tiresias",
    params: Parameters::INFOS,
    takes_whole_gpus: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        round: f64 = rounds::round("60"),
        threshold: f64 = param(
            ParamKind::Float {
                min: 1.0,
                max: 1e12,
            },
            "57600",
            "Service after which a job sinks to the second queue, GPU·s.",
        ),
        placement: PlacementChoice = GANG_PLACEMENT,
    }
}

impl Properties for Parameters {}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    Box::new(TiresiasTuned {
        round: params.round,
        threshold: params.threshold,
        placement: params.placement.asked(context.placement),
        waiting: WaitingRoom::default(),
        running: BTreeMap::new(),
        keys: BTreeMap::new(),
        came: [0; 2],
        left: 0,
    })
}

/// Where a job stands: its queue, and its number among those that have come there.
type Key = (usize, u32);

struct TiresiasTuned {
    round: f64,
    threshold: f64,
    /// How gangs are laid; `None`: on the emptiest nodes.
    placement: Option<Strategy>,
    waiting: WaitingRoom<Key>,
    running: BTreeMap<Key, JobId>,
    /// Of those who wait or run.
    keys: BTreeMap<JobId, Key>,
    /// How many have come to each queue.
    came: [u32; 2],
    /// GPUs that the last round left to no one.
    left: u32,
}

impl TiresiasTuned {
    /// Puts a job at the end of a queue.
    fn come(&mut self, job: JobId, queue: usize) -> Key {
        let key = (queue, self.came[queue]);
        self.came[queue] += 1;
        self.keys.insert(job, key);
        key
    }

    /// Takes note of who has come, finished, or lost its GPUs.
    fn follow(&mut self, view: &View<'_>) {
        for &news in view.news() {
            match news {
                News::Arrived(job) => {
                    let key = self.come(job, 0);
                    self.waiting.insert(Waiter::of(key, job, view));
                }
                News::Finished(job) => {
                    if let Some(key) = self.keys.remove(&job) {
                        self.running.remove(&key);
                    }
                }
                News::Evicted(job) => self.wait(job, view),
                News::Alarm(_) | News::NodeDown(_) | News::NodeUp(_) | News::CoresFreed => {}
            }
        }
    }

    /// Who ran waits where it stands.
    fn wait(&mut self, job: JobId, view: &View<'_>) {
        if let Some(&key) = self.keys.get(&job) {
            self.running.remove(&key);
            self.waiting.insert(Waiter::of(key, job, view));
        }
    }

    /// Who runs and has had enough goes to the second queue, in the order of submission, as the simulator looks at
    /// them.
    fn sink(&mut self, view: &View<'_>, plan: &mut Plan) {
        let has_sunk = |job: JobId| view.attained(job) >= self.threshold;
        let high = self.running.range(..(1, 0));
        let mut sunk: Vec<(JobId, Key)> = high.map(|(&key, &job)| (job, key)).collect();
        sunk.retain(|&(job, _)| has_sunk(job));
        sunk.sort_unstable();
        for (job, before) in sunk {
            self.running.remove(&before);
            let key = self.come(job, 1);
            self.running.insert(key, job);
            plan.demote(job, 1);
        }
    }
}

impl Policy for TiresiasTuned {
    fn cadence(&self) -> Cadence {
        rounds::over_all(self.round, "round")
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        self.follow(view);
        self.sink(view, plan);
        let mut room = view.idle_room();
        let mut left = room.budget();
        let (mut chosen, mut preempted) = (Vec::new(), Vec::new());
        let mut runners = self.running.iter().peekable();
        let mut after = None;
        loop {
            let waiter = self.waiting.first_fitting(&left, after);
            let runner = runners.next_if(|&(&key, _)| waiter.is_none_or(|of| key < of.key));
            if let Some((&key, &job)) = runner {
                let parts = view.ledger().parts(job);
                if left.keep(view.open_gpus(job), || parts, &room) {
                    room.take(job, parts, view.needs(job));
                } else {
                    plan.preempt(job);
                    preempted.push(job);
                }
                after = Some((key, job));
            } else if let Some(waiter) = waiter {
                if left.take(waiter.gpus, waiter.pools) {
                    chosen.push(waiter);
                }
                after = Some((waiter.key, waiter.job));
            } else {
                break;
            }
        }
        for job in preempted {
            self.wait(job, view);
        }
        for waiter in chosen {
            let job = waiter.job;
            if let Some(placement) = rigid::lay(view, job, &room, self.placement) {
                room.take(job, &placement.parts, view.needs(job));
                plan.place(job, &placement);
                self.waiting.remove(waiter);
                self.running.insert(waiter.key, job);
            }
        }
        self.left = room.total();
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let verdict = match view.phase(job) {
            Phase::Running => Verdict::Runs,
            Phase::Waiting if view.gpus(job) <= self.left => Verdict::PlacementWaits {
                wants: view.gpus(job),
                free: self.left,
            },
            Phase::Waiting => Verdict::TooFewGpus {
                wants: view.gpus(job),
                left: self.left,
            },
            _ => Verdict::NotActive,
        };
        let queue = self.keys.get(&job).map(|key| key.0);
        let mut facts = Vec::new();
        if let Some(queue) = queue {
            facts.push(Fact::level("queue", queue as u32, 2_u32));
        }
        facts.push(attained_service(view, job));
        facts.push(Fact::number(
            "sinks at",
            self.threshold,
            0,
            Unit::GpuSeconds,
        ));
        Explanation::new(verdict, facts)
    }
}
