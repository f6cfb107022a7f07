//! A function that decides the whole, `plan(view)`.

use super::decider::{Decider, column, mistake};
use super::moment::{Making, Moment};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use switchyard::draw::Rng;
use switchyard::engine::{Plan, View};
use switchyard::explain::Explanation;
use switchyard::job::JobId;
use switchyard::placement::Strategy;
use switchyard::policies::board::{Board, Seat};
use switchyard::policies::moment::{self, verdict};
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
        }
    }
}

impl Policy for Whole {
    fn cadence(&self) -> Cadence {
        self.cadence
    }

    fn plan(&mut self, view: &View<'_>, rng: &mut Rng, plan: &mut Plan) {
        let seen = moment::Moment::of(view);
        self.active.extend(&seen.arrived);
        for job in &seen.finished {
            self.active.remove(job);
        }
        let ids: Vec<JobId> = self.active.iter().copied().collect();
        let seats = ids.iter().map(|&id| Seat::of(view, id, self.strategy));
        let seats: Vec<Arc<Seat>> = seats.map(Arc::new).collect();
        let seated = ids.iter().copied().zip(seats.iter().cloned());
        let making = Rc::new(RefCell::new(Some(Making {
            board: Board::new(view, self.strategy, !self.backfill, seated),
            rng: rng.clone(),
        })));
        let moment = Moment {
            seen,
            ids: ids.clone(),
            seats,
            jobs: Arc::clone(&self.jobs),
            making: Rc::clone(&making),
        };
        let decided = self.decider.plan(
            ids.len() as u32,
            moment,
            &|property| column(view, &ids, property),
            &|row| view.name(ids[row as usize]).to_owned(),
        );
        match (decided, making.take()) {
            (Ok(()), Some(made)) => {
                *rng = made.rng;
                *plan = made.board.into_plan();
            }
            (Err(thrown), _) => plan.fail(mistake(&thrown)),
            (Ok(()), None) => {}
        }
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        Explanation::new(verdict(view, job), Vec::new())
    }
}
