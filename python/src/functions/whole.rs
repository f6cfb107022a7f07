//! A function that decides the whole, `plan(view)`.

use super::fault::Fault;
use super::function::Function;
use super::job::{Job, Kept, Place};
use super::keys::explained;
use super::lent::{Lent, Purse};
use super::view::{self, Seen};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rand_xoshiro::rand_core::SeedableRng;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use switchyard::draw::Rng;
use switchyard::engine::{Mistake, Plan, View};
use switchyard::explain::{Explanation, Fact, Unit};
use switchyard::job::JobId;
use switchyard::placement::Strategy;
use switchyard::policies::board::{Board, Seat};
use switchyard::policies::moment::{Moment, verdict};
use switchyard::policies::notes::Notes;
use switchyard::policies::trainees::Trainees;
use switchyard::policies::{Cadence, Policy};

/// A function, and what is kept from one of its decisions to the next.
pub(super) struct Whole {
    of: Arc<Function>,
    fault: Fault,
    strategy: Strategy,
    /// The active jobs.
    kept: BTreeMap<JobId, Arc<Kept>>,
    trainees: Trainees,
    /// `view.state`.
    state: Py<PyDict>,
    /// What was noted at the last decision.
    notes: Notes,
}

/// The jobs of a moment, as Python has them.
type Seats = BTreeMap<JobId, (Arc<Seat>, Py<Job>)>;

/// Jobs as a list of Python's.
fn list<'a>(py: Python<'_>, jobs: impl Iterator<Item = &'a Py<Job>>) -> PyResult<Py<PyList>> {
    Ok(PyList::new(py, jobs.collect::<Vec<_>>())?.unbind())
}

impl Whole {
    pub(super) fn new(of: Arc<Function>, fault: Fault, strategy: Strategy) -> Self {
        Self {
            of,
            fault,
            strategy,
            kept: BTreeMap::new(),
            trainees: Trainees::default(),
            state: Python::attach(|py| PyDict::new(py).unbind()),
            notes: Notes::default(),
        }
    }

    fn follow(&mut self, py: Python<'_>, view: &View<'_>, moment: &Moment) {
        for &job in &moment.arrived {
            let kept = Kept::of(py, view.name(job));
            self.kept.insert(job, Arc::new(kept));
        }
        for job in &moment.finished {
            self.kept.remove(job);
            self.trainees.forget(job.0);
        }
        for (&id, kept) in &self.kept {
            if let Some(training) = view.training(id) {
                let trainees = &mut self.trainees;
                let trainee = trainees.follow(&training, moment.gpus, moment.node_size);
                // It is the same one as before.
                kept.trainee.get_or_init(|| trainee);
            }
        }
    }

    /// Where a job is now.
    fn place(&self, view: &View<'_>, id: JobId, kept: &Arc<Kept>) -> Place {
        Place {
            seat: Arc::new(Seat::of(view, id, self.strategy)),
            kept: Arc::clone(kept),
        }
    }

    fn seats(&self, py: Python<'_>, view: &View<'_>, lent: &Arc<Lent>) -> PyResult<Seats> {
        let seats = self.kept.iter().map(|(&id, kept)| {
            let place = self.place(view, id, kept);
            let seat = Arc::clone(&place.seat);
            let job = Py::new(py, Job::new(id, lent, Some(place)))?;
            Ok((id, (seat, job)))
        });
        seats.collect()
    }

    fn see(&self, py: Python<'_>, moment: Moment, seats: &Seats) -> PyResult<Seen> {
        let all = seats.values().map(|(_, job)| job);
        let waiting = seats.values().filter(|(seat, _)| !seat.running);
        let those = |ids: &[JobId]| list(py, ids.iter().filter_map(|id| Some(&seats.get(id)?.1)));
        Ok(Seen {
            jobs: list(py, all)?,
            waiting: list(py, waiting.map(|(_, job)| job))?,
            running: those(&moment.running)?,
            arrived: those(&moment.arrived)?,
            evicted: those(&moment.evicted)?,
            alarms: those(&moment.alarms)?,
            state: self.state.clone_ref(py),
            moment,
        })
    }

    fn decide(&mut self, py: Python<'_>, view: &View<'_>, rng: &mut Rng) -> PyResult<Plan> {
        let moment = Moment::of(view);
        self.follow(py, view, &moment);
        let mut purse = Purse {
            rng: rng.clone(),
            notes: Some(Notes::default()),
        };
        let decided = Lent::during(view, &mut purse, |lent| {
            let seats = self.seats(py, view, lent)?;
            let seen = self.see(py, moment, &seats)?;
            let seats = (seats.into_iter()).map(|(id, (seat, _))| (id, seat));
            let board = Board::new(view, self.strategy, !self.of.backfill, seats);
            let (board, lent) = (Mutex::new(Some(board)), Arc::clone(lent));
            let shown = Bound::new(py, view::View { seen, board, lent })?;
            let called = self.of.function.bind(py).call1((&shown,));
            let plan = shown.get().ended();
            called.map(|_| plan)
        });
        *rng = purse.rng;
        self.notes = purse.notes.unwrap_or_default();
        decided
    }
}

impl Policy for Whole {
    fn cadence(&self) -> Cadence {
        self.of.cadence()
    }

    fn plan(&mut self, view: &View<'_>, rng: &mut Rng, plan: &mut Plan) {
        let decided: Result<Plan, Mistake> = Python::attach(|py| {
            let decided = self.decide(py, view, rng);
            decided.map_err(|why| self.fault.mistake(py, &self.of, why, None))
        });
        match decided {
            Ok(decided) => *plan = decided,
            Err(mistake) => plan.fail(mistake),
        }
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let mut facts = vec![Fact::gpus("gang", view.gpus(job))];
        if let Some(kept) = self.kept.get(&job) {
            let queue = kept.queue.load(Ordering::Relaxed);
            if queue > 0 {
                facts.push(Fact::count("queue", queue, Unit::None));
            }
            facts.extend(self.notes.of(job));
            facts.extend(Python::attach(|py| {
                let mut purse = Purse {
                    rng: Rng::seed_from_u64(0),
                    notes: None,
                };
                Lent::during(view, &mut purse, |lent| {
                    let place = self.place(view, job, kept);
                    explained(py, &self.of, Job::new(job, lent, Some(place)), view)
                })
            }));
        }
        Explanation::new(verdict(view, job), facts)
    }
}
