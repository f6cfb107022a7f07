//! A function that decides the whole, `plan(view)`.

use super::fault::Fault;
use super::function::Function;
use super::job::{Job, Kept, Place};
use super::keys::explained;
use super::lent::Lent;
use super::view::{Making, Seen, View};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use switchyard::draw::Rng;
use switchyard::engine::{Mistake, News, Phase, Plan, View as Moment};
use switchyard::explain::{Explanation, Fact, Unit, Verdict};
use switchyard::job::JobId;
use switchyard::placement::Strategy;
use switchyard::policies::board::{Board, Seat};
use switchyard::policies::{Cadence, Policy};

/// A function, and what is kept from one of its decisions to the next.
pub(super) struct Whole {
    of: Arc<Function>,
    fault: Fault,
    strategy: Strategy,
    /// The active jobs.
    kept: BTreeMap<JobId, Arc<Kept>>,
    /// `view.state`.
    state: Py<PyDict>,
}

/// The jobs of a moment, as Python has them.
type Seats = BTreeMap<JobId, (Arc<Seat>, Py<Job>)>;

impl Whole {
    pub(super) fn new(of: Arc<Function>, fault: Fault, strategy: Strategy) -> Self {
        Self {
            of,
            fault,
            strategy,
            kept: BTreeMap::new(),
            state: Python::attach(|py| PyDict::new(py).unbind()),
        }
    }

    fn follow(&mut self, py: Python<'_>, view: &Moment<'_>) {
        for &news in view.news() {
            match news {
                News::Arrived(job) => {
                    let kept = Kept::of(py, view.name(job));
                    self.kept.insert(job, Arc::new(kept));
                }
                News::Finished(job) => {
                    self.kept.remove(&job);
                }
                News::Alarm(_)
                | News::Evicted(_)
                | News::NodeDown(_)
                | News::NodeUp(_)
                | News::CoresFreed => {}
            }
        }
    }

    /// Where a job is now.
    fn place(&self, view: &Moment<'_>, id: JobId, kept: &Arc<Kept>) -> Place {
        Place {
            seat: Arc::new(Seat::of(view, id, self.strategy)),
            kept: Arc::clone(kept),
        }
    }

    fn seats(&self, py: Python<'_>, view: &Moment<'_>, lent: &Arc<Lent>) -> PyResult<Seats> {
        let seats = self.kept.iter().map(|(&id, kept)| {
            let place = self.place(view, id, kept);
            let seat = Arc::clone(&place.seat);
            let job = Py::new(py, Job::new(id, lent, Some(place)))?;
            Ok((id, (seat, job)))
        });
        seats.collect()
    }

    fn see(&self, py: Python<'_>, view: &Moment<'_>, seats: &Seats) -> PyResult<Seen> {
        let list = |ids: &mut dyn Iterator<Item = JobId>| -> PyResult<Py<PyList>> {
            let jobs = ids.filter_map(|id| seats.get(&id)).map(|(_, job)| job);
            Ok(PyList::new(py, jobs.collect::<Vec<_>>())?.unbind())
        };
        let told = |of: fn(News) -> Option<JobId>| {
            let news = view.news().iter();
            list(&mut news.filter_map(|&news| of(news)))
        };
        let waiting = seats.iter().filter(|(_, (seat, _))| !seat.running);
        let sizes = view.free().node_sizes();
        Ok(Seen {
            now: view.now().seconds(),
            round: view.is_round(),
            free: view.free().total(),
            gpus: sizes.iter().sum(),
            nodes: sizes.len() as u32,
            node_size: view.node_size(),
            jobs: list(&mut seats.keys().copied())?,
            waiting: list(&mut waiting.map(|(&id, _)| id))?,
            running: list(&mut view.ledger().running())?,
            arrived: told(|news| match news {
                News::Arrived(job) => Some(job),
                _ => None,
            })?,
            evicted: told(|news| match news {
                News::Evicted(job) => Some(job),
                _ => None,
            })?,
            alarms: told(|news| match news {
                News::Alarm(job) => Some(job),
                _ => None,
            })?,
            state: self.state.clone_ref(py),
        })
    }

    fn decide(&mut self, py: Python<'_>, view: &Moment<'_>, rng: &mut Rng) -> PyResult<Plan> {
        self.follow(py, view);
        Lent::during(view, |lent| {
            let seats = self.seats(py, view, lent)?;
            let seen = self.see(py, view, &seats)?;
            let seats = (seats.into_iter()).map(|(id, (seat, _))| (id, seat));
            let board = Board::new(view, self.strategy, !self.of.backfill, seats);
            let rng_now = rng.clone();
            let making = Making {
                board,
                rng: rng_now,
            };
            let making = Mutex::new(Some(making));
            let shown = Bound::new(py, View { seen, making })?;
            let called = self.of.function.bind(py).call1((&shown,));
            let ended = shown.get().ended();
            called?;
            let (plan, after) = ended.unwrap_or_else(|| (Plan::default(), rng.clone()));
            *rng = after;
            Ok(plan)
        })
    }
}

impl Policy for Whole {
    fn cadence(&self) -> Cadence {
        self.of.cadence()
    }

    fn plan(&mut self, view: &Moment<'_>, rng: &mut Rng, plan: &mut Plan) {
        let decided: Result<Plan, Mistake> = Python::attach(|py| {
            let decided = self.decide(py, view, rng);
            decided.map_err(|why| self.fault.mistake(py, &self.of, why, None))
        });
        match decided {
            Ok(decided) => *plan = decided,
            Err(mistake) => plan.fail(mistake),
        }
    }

    fn explain(&self, view: &Moment<'_>, job: JobId) -> Explanation {
        let mut facts = vec![Fact::gpus("gang", view.gpus(job))];
        if let Some(kept) = self.kept.get(&job) {
            let queue = kept.queue.load(Ordering::Relaxed);
            if queue > 0 {
                facts.push(Fact::count("queue", queue, Unit::None));
            }
            facts.extend(Python::attach(|py| {
                Lent::during(view, |lent| {
                    let place = self.place(view, job, kept);
                    explained(py, &self.of, Job::new(job, lent, Some(place)), view)
                })
            }));
        }
        Explanation::new(verdict(view, job), facts)
    }
}

/// Why a job runs or waits, where only the function knows in which order they go.
fn verdict(view: &Moment<'_>, job: JobId) -> Verdict {
    let (wants, free) = (view.gpus(job), view.free().total());
    match view.phase(job) {
        Phase::Running => Verdict::Runs,
        Phase::Waiting if wants <= free => Verdict::PlacementWaits { wants, free },
        Phase::Waiting => Verdict::TooFewGpus { wants, left: free },
        Phase::Future | Phase::Finished | Phase::Rejected => Verdict::NotActive,
    }
}
