//! First in, first out, without preemption. Strict: the head of the line blocks everything
//! behind it. With backfill: jobs that fit overtake jobs that do not (Tiresias' simulator calls
//! this `fjf`).

use super::entry::{BuildContext, PLACEMENT, Registered};
use super::waiting_room::{Waiter, WaitingRoom};
use super::{Explanation, Fact, ParamInfo, ParamKind, Params, Policy, PolicyEntry, Rng, Verdict};
use crate::cluster::Placement;
use crate::job::JobId;
use crate::placement::{Budget, Gang, Room, Strategy};
use crate::sim::{News, Phase, Plan, View};
use crate::workload::DEFAULT_PACKLIMIT;

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "fifo",
        title: "FIFO",
        summary: "First in, first out, never preempted. Strict: the head of the line blocks everything behind it; with backfill, jobs that fit overtake it.",
        source: "Baseline of Tiresias (NSDI'19) as fifo and fjf",
        params: &[
            ParamInfo {
                name: "backfill",
                aliases: &[],
                kind: ParamKind::Bool,
                default: "false",
                help: "Jobs that fit overtake jobs that do not.",
                expert: false,
            },
            PLACEMENT,
        ],
        in_order: true,
        ..PolicyEntry::PLAIN
    },
    build,
};

/// In order of arrival, gangs laid by `placement`, with `backfill`: parameters.
pub(super) fn build(params: &Params<'_>, context: &BuildContext<'_>) -> Box<dyn Policy> {
    Box::new(Fifo::new(params, context))
}

struct Fifo {
    backfill: bool,
    strategy: Strategy,
    /// Job ids are in order of submission: no other key is needed.
    waiting: WaitingRoom<()>,
    room: Room,
    left: Budget,
    placement: Placement,
    refused: Vec<Gang>,
}

impl Fifo {
    fn new(params: &Params<'_>, context: &BuildContext<'_>) -> Self {
        Self {
            backfill: params.bool("backfill"),
            strategy: params.placement("placement", context.placement),
            waiting: WaitingRoom::default(),
            room: Room::default(),
            left: Budget::default(),
            placement: Placement::default(),
            refused: Vec::new(),
        }
    }

    /// The next job to try: the head, or with backfill the first after `after` that may fit.
    fn next(&self, after: Option<((), JobId)>) -> Option<Waiter<()>> {
        if self.backfill {
            self.waiting.first_fitting(&self.left, after)
        } else {
            self.waiting.first()
        }
    }
}

impl Policy for Fifo {
    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        for &news in view.news() {
            if let News::Arrived(job) | News::Evicted(job) = news {
                self.waiting.insert(Waiter::of((), job, view));
            }
        }
        if self.waiting.is_empty() || view.free().total() == 0 && !view.is_shared() {
            return;
        }
        view.room(&mut self.room);
        if self.backfill {
            self.left = self.room.budget();
        }
        self.refused.clear();
        let mut after = None;
        while let Some(waiter) = self.next(after) {
            after = Some(((), waiter.job));
            let gang = view.gang(waiter.job, self.strategy, DEFAULT_PACKLIMIT);
            if self.refused.iter().any(|refused| refused.is_like(&gang)) {
                continue;
            }
            if (self.room).place(self.strategy, gang, &mut self.placement) {
                self.room
                    .take(waiter.job, &self.placement.parts, gang.needs);
                if self.backfill {
                    self.left = self.room.budget();
                }
                plan.place(waiter.job, &self.placement);
                self.waiting.remove(waiter);
            } else if self.backfill {
                self.refused.push(gang);
            } else {
                break;
            }
        }
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let wants = view.gpus(job);
        let free = view.free().total();
        let head = self.waiting.first().map(|waiter| waiter.job);
        let verdict = match (view.phase(job), head) {
            (Phase::Running, _) => Verdict::Runs,
            (Phase::Waiting, Some(head)) if head != job && !self.backfill => {
                Verdict::BehindHead { head }
            }
            (Phase::Waiting, _) if wants <= free => Verdict::PlacementWaits { wants, free },
            (Phase::Waiting, _) => Verdict::TooFewGpus { wants, left: free },
            _ => Verdict::NotActive,
        };
        let facts = vec![
            Fact::gpus("gang", wants),
            Fact::new("free GPUs", free),
            Fact::new("placement", self.strategy),
        ];
        Explanation::new(verdict, facts)
    }
}
