//! A function that decides the whole, `plan(view)`.

use super::decider::{Decider, Lent, Purse, mistake};
use super::moment::Moment;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use switchyard::draw::Rng;
use switchyard::engine::{Plan, View};
use switchyard::explain::{Explanation, Fact, Unit};
use switchyard::job::JobId;
use switchyard::placement::Strategy;
use switchyard::policies::board::{Board, Seat};
use switchyard::policies::moment::{self, verdict};
use switchyard::policies::notes::Notes;
use switchyard::policies::trainees::{Shared, Trainees};
use switchyard::policies::{Cadence, Policy};
use switchyard::workload::Workload;

/// A function, and which jobs are active.
pub(super) struct Whole {
    decider: Decider,
    jobs: Arc<Workload>,
    cadence: Cadence,
    strategy: Strategy,
    backfill: bool,
    active: BTreeSet<JobId>,
    trainees: Trainees,
    /// What was noted at the last decision.
    notes: Notes,
}

impl Whole {
    pub(super) fn new(
        decider: Decider,
        jobs: Arc<Workload>,
        cadence: Cadence,
        strategy: Strategy,
        backfill: bool,
    ) -> Self {
        Self {
            decider,
            jobs,
            cadence,
            strategy,
            backfill,
            active: BTreeSet::new(),
            trainees: Trainees::default(),
            notes: Notes::default(),
        }
    }

    fn follow(&mut self, seen: &moment::Moment) {
        self.active.extend(&seen.arrived);
        for job in &seen.finished {
            self.active.remove(job);
            self.trainees.forget(job.0);
        }
    }

    /// What is known of those jobs that are adaptive.
    fn trainees(
        &mut self,
        view: &View<'_>,
        seen: &moment::Moment,
        ids: &[JobId],
    ) -> Vec<Option<Shared>> {
        let trainees = &mut self.trainees;
        let mut follow = |of| trainees.follow(&of, seen.gpus, seen.node_size);
        let all = ids.iter().map(|&id| view.training(id).map(&mut follow));
        all.collect()
    }
}

impl Policy for Whole {
    fn cadence(&self) -> Cadence {
        self.cadence
    }

    fn plan(&mut self, view: &View<'_>, rng: &mut Rng, plan: &mut Plan) {
        let seen = moment::Moment::of(view);
        self.follow(&seen);
        let ids: Vec<JobId> = self.active.iter().copied().collect();
        let trainees = self.trainees(view, &seen, &ids);
        let seats = ids.iter().map(|&id| Seat::of(view, id, self.strategy));
        let seats: Vec<Arc<Seat>> = seats.map(Arc::new).collect();
        let seated = ids.iter().copied().zip(seats.iter().cloned());
        let board = Board::new(view, self.strategy, !self.backfill, seated);
        let board = Rc::new(RefCell::new(Some(board)));
        let moment = Moment {
            seen,
            ids: ids.clone(),
            seats,
            trainees,
            jobs: Arc::clone(&self.jobs),
            board: Rc::clone(&board),
        };
        let purse = Purse {
            rng: rng.clone(),
            notes: Some(Notes::default()),
        };
        let lent = Lent::new(view, &ids, purse);
        let decided = self.decider.plan(&lent, moment);
        let purse = lent.purse();
        *rng = purse.rng;
        self.notes = purse.notes.unwrap_or_default();
        match (decided, board.take()) {
            (Ok(()), Some(made)) => *plan = made.into_plan(),
            (Err(thrown), _) => plan.fail(mistake(&thrown)),
            (Ok(()), None) => {}
        }
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let mut facts = vec![Fact::gpus("gang", view.gpus(job))];
        if self.active.contains(&job) {
            let queue = self.decider.queue(job.0);
            if queue > 0 {
                facts.push(Fact::count("queue", queue, Unit::None));
            }
            facts.extend(self.notes.of(job));
        }
        Explanation::new(verdict(view, job), facts)
    }
}
