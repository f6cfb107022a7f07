//! The line of policies that never preempt: who waits starts in the order of a key, as far as there is
//! room. Strict: the head of the line blocks everything behind it. Backfilling: jobs that fit overtake
//! jobs that do not.

use super::Verdict;
use super::waiting_room::{Waiter, WaitingRoom};
use crate::cluster::Placement;
use crate::job::JobId;
use crate::workload::DEFAULT_PACKLIMIT;
use switchyard_engine::{News, Phase, Plan, View};
use switchyard_placement::{Budget, Gang, Room, Strategy};

/// The waiting jobs of such a policy. Keys order them, least first.
pub(super) struct Line<K> {
    backfill: bool,
    strategy: Strategy,
    pub(super) waiting: WaitingRoom<K>,
    room: Room,
    left: Budget,
    placement: Placement,
    refused: Vec<Gang>,
}

impl<K: Ord + Copy> Line<K> {
    pub(super) fn new(strategy: Strategy, backfill: bool) -> Self {
        Self {
            backfill,
            strategy,
            waiting: WaitingRoom::default(),
            room: Room::default(),
            left: Budget::default(),
            placement: Placement::default(),
            refused: Vec::new(),
        }
    }

    pub(super) fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// Takes note of who has come, with which key.
    pub(super) fn follow(&mut self, view: &View<'_>, mut key: impl FnMut(JobId) -> K) {
        for &news in view.news() {
            if let News::Arrived(job) | News::Evicted(job) = news {
                self.waiting.insert(Waiter::of(key(job), job, view));
            }
        }
    }

    /// Whether there is anybody to start, and anything free.
    pub(super) fn may_start(&self, view: &View<'_>) -> bool {
        !self.waiting.is_empty() && (view.free().total() > 0 || view.is_shared())
    }

    /// Starts who is next, as long as there is room.
    pub(super) fn serve(&mut self, view: &View<'_>, plan: &mut Plan) {
        if !self.may_start(view) {
            return;
        }
        view.room(&mut self.room);
        if self.backfill {
            self.left = self.room.budget();
        }
        self.refused.clear();
        let mut after = None;
        while let Some(waiter) = self.next(after) {
            after = Some((waiter.key, waiter.job));
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

    /// The next job to try: the head, or with backfill the first after `after` that may fit.
    fn next(&self, after: Option<(K, JobId)>) -> Option<Waiter<K>> {
        if self.backfill {
            self.waiting.first_fitting(&self.left, after)
        } else {
            self.waiting.first()
        }
    }

    /// Why a job runs or waits.
    pub(super) fn verdict(&self, view: &View<'_>, job: JobId) -> Verdict {
        let wants = view.gpus(job);
        let free = view.free().total();
        let head = self.waiting.first().map(|waiter| waiter.job);
        match (view.phase(job), head) {
            (Phase::Running, _) => Verdict::Runs,
            (Phase::Waiting, Some(head)) if head != job && !self.backfill => {
                Verdict::BehindHead { head }
            }
            (Phase::Waiting, _) if wants <= free => Verdict::PlacementWaits { wants, free },
            (Phase::Waiting, _) => Verdict::TooFewGpus { wants, left: free },
            _ => Verdict::NotActive,
        }
    }
}
