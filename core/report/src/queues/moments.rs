//! The queues of a run at one moment after the other, in any order: a walk from the nearest place that was kept, not
//! from the beginning.

use super::run_queues::RunQueues;
use super::walk::{Loan, Place, QueueMoment, Walk};
use crate::sim::RunLog;
use crate::workload::Workload;
use switchyard_queues::tree::QueueId;

/// After so many events the walk's place is kept.
const EVERY: usize = 512;

/// The queues at a moment, after all that happens at it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueuesAt {
    /// What each has, by [`QueueId`].
    pub queues: Vec<QueueMoment>,
    /// Who borrows from whom.
    pub loans: Vec<Loan>,
}

/// The queues of a run whose log is complete.
#[derive(Clone, Debug)]
pub struct QueueMoments {
    queues: RunQueues,
    /// The most that each leaf uses at once, by its id.
    most_used: Vec<f64>,
    most_beyond: f64,
    kept: Vec<Place>,
    here: Place,
    at: QueuesAt,
}

impl QueueMoments {
    /// Of a run.
    pub fn of(queues: RunQueues, workload: &Workload, log: &RunLog) -> Self {
        let first = Place::first(&queues, log);
        let mut kept = vec![first.clone()];
        let mut most_used = vec![0.0_f64; queues.tree.queues().len()];
        let mut most_beyond = 0.0_f64;
        let mut walk = Walk::new(&queues, workload, log);
        while walk.next().is_some() {
            let leaf = queues.leaf_of[log.event(walk.place.events).job.index()];
            walk.step();
            let most = &mut most_used[leaf.index()];
            *most = most.max(walk.standing(leaf).used);
            most_beyond = most_beyond.max(walk.beyond_quotas());
            if walk.place.events.is_multiple_of(EVERY) {
                kept.push(walk.place.clone());
            }
        }
        let at = QueuesAt {
            queues: Walk::new(&queues, workload, log).standings(),
            loans: Vec::new(),
        };
        Self {
            most_used,
            most_beyond,
            kept,
            here: first,
            at,
            queues,
        }
    }

    /// The run's queues.
    pub fn queues(&self) -> &RunQueues {
        &self.queues
    }

    /// The most GPUs that a leaf uses at once.
    pub fn most_used(&self, leaf: QueueId) -> f64 {
        self.most_used.get(leaf.index()).copied().unwrap_or(0.0)
    }

    /// The most GPUs that are used beyond the quotas of whole trees at once.
    pub fn most_beyond_quotas(&self) -> f64 {
        self.most_beyond
    }

    /// The queues at a moment, by the same jobs and log.
    pub fn at(&mut self, workload: &Workload, log: &RunLog, moment: f64) -> &QueuesAt {
        let events = log.event_times().partition_point(|&time| time <= moment);
        if events != self.here.events {
            let nearest = &self.kept[(events / EVERY).min(self.kept.len() - 1)];
            // From here on, unless a place that was kept lies between, or here is too far.
            let is_on_the_way = (nearest.events..=events).contains(&self.here.events);
            let from = if is_on_the_way { &self.here } else { nearest };
            let mut walk = Walk::from(from.clone(), &self.queues, workload, log);
            walk.go_to(moment);
            self.at = QueuesAt {
                queues: walk.standings(),
                loans: walk.loans(),
            };
            self.here = walk.place;
        }
        &self.at
    }
}
