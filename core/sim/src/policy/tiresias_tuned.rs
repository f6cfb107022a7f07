//! Tiresias as the baseline of Pollux (OSDI'21 §5.1): two queues by attained service, by rounds,
//! for jobs that an expert has tuned. After the artifact's `simulator/tiresias.py` (petuum/adaptdl,
//! branch `osdi21-artifact`).
//!
//! At every round jobs that hold GPUs and have received `threshold` GPU·s sink to the second queue,
//! for good. Then GPUs are counted out down the first queue and the second, each in the order in
//! which jobs came there; what does not fit is skipped. Who still runs stays where it is; the
//! others, in the same order, take the node with most free GPUs, then the next, or go where the
//! placement asked for lays them. Between rounds nothing happens.

use super::entry::{BuildContext, GANG_PLACEMENT, Registered};
use super::{
    Cadence, Explanation, Fact, ParamInfo, ParamKind, Params, Policy, PolicyEntry, Rng, Verdict,
};
use super::{rigid, rounds};
use crate::job::JobId;
use crate::placement::Strategy;
use crate::sim::{News, Phase, Plan, View};

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "tiresias-tuned",
        title: "Tiresias+TunedJobs",
        summary: "Tiresias as Pollux was compared with it: two queues by attained service, decided at rounds, gangs on the emptiest nodes.",
        source: "Qiao et al., OSDI'21 §5.1; its simulator's tiresias",
        params: &[
            rounds::round("round", "60"),
            ParamInfo {
                name: "threshold",
                aliases: &[],
                kind: ParamKind::Float {
                    min: 1.0,
                    max: 1e12,
                },
                default: "57600",
                help: "Service after which a job sinks to the second queue, GPU·s.",
                expert: false,
            },
            GANG_PLACEMENT,
        ],
        takes_whole_gpus: true,
        ..PolicyEntry::PLAIN
    },
    build: |params, context| Box::new(TiresiasTuned::new(params, context)),
};

struct TiresiasTuned {
    round: f64,
    threshold: f64,
    /// How gangs are laid; `None`: on the emptiest nodes.
    placement: Option<Strategy>,
    /// Jobs in the order in which they came there.
    queues: [Vec<JobId>; 2],
    /// GPUs that the last round left to no one.
    left: u32,
}

impl TiresiasTuned {
    fn new(params: &Params<'_>, context: &BuildContext<'_>) -> Self {
        Self {
            round: params.float("round"),
            threshold: params.float("threshold"),
            placement: context.asked_placement(params),
            queues: [Vec::new(), Vec::new()],
            left: 0,
        }
    }
}

impl Policy for TiresiasTuned {
    fn cadence(&self) -> Cadence {
        rounds::over_all(self.round, "round")
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        let [high, low] = &mut self.queues;
        for &news in view.news() {
            if let News::Arrived(job) = news {
                high.push(job);
            }
        }
        for queue in [&mut *high, &mut *low] {
            queue.retain(|&job| view.phase(job) != Phase::Finished);
        }
        let sinks =
            |job: JobId| view.phase(job) == Phase::Running && view.attained(job) >= self.threshold;
        // In the order of submission, as the simulator looks at them.
        let mut sunk: Vec<JobId> = high.iter().copied().filter(|&job| sinks(job)).collect();
        sunk.sort_unstable();
        high.retain(|job| sunk.binary_search(job).is_err());
        for &job in &sunk {
            plan.demote(job, 1);
        }
        low.extend(sunk);

        let mut room = view.idle_room();
        let mut left = room.budget();
        let mut chosen = Vec::new();
        for &job in self.queues.iter().flatten() {
            let runs = view.phase(job) == Phase::Running;
            let parts = view.ledger().parts(job);
            if runs && left.keep(view.open_gpus(job), || parts, &room) {
                room.take(job, parts, view.needs(job));
            } else if runs {
                plan.preempt(job);
            } else if left.take(view.gpus(job), view.needs(job).pools()) {
                chosen.push(job);
            }
        }
        for job in chosen {
            if let Some(placement) = rigid::lay(view, job, &room, self.placement) {
                room.take(job, &placement.parts, view.needs(job));
                plan.place(job, &placement);
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
        let queue = self.queues.iter().position(|queue| queue.contains(&job));
        let mut facts = Vec::new();
        if let Some(queue) = queue {
            facts.push(Fact::new("queue", format!("{} of 2", queue + 1)));
        }
        facts.push(Fact::new(
            "attained service",
            format!("{:.0} GPU·s", view.attained(job)),
        ));
        facts.push(Fact::new(
            "sinks at",
            format!("{:.0} GPU·s", self.threshold),
        ));
        Explanation::new(verdict, facts)
    }
}
