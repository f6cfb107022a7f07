//! What `plan(view)` sees and does: the moment, the jobs, and a [`Board`] on which each change is tried at once.

use super::job::Job;
use super::lent::Lent;
use super::notes::in_words;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use switchyard::Time;
use switchyard::engine::Plan;
use switchyard::job::JobId;
use switchyard::policies::board::{Answer, Board, OnNode};
use switchyard::policies::moment::Moment;
use switchyard::policies::trainees;

/// What is seen at one moment, and can be done then.
#[pyclass(frozen, module = "switchyard._engine")]
pub(crate) struct View {
    pub(super) seen: Seen,
    /// The plan in the making. `None`: the decision is over.
    pub(super) board: Mutex<Option<Board>>,
    pub(super) lent: Arc<Lent>,
}

/// What is seen.
pub(super) struct Seen {
    pub(super) moment: Moment,
    pub(super) jobs: Py<PyList>,
    pub(super) waiting: Py<PyList>,
    pub(super) running: Py<PyList>,
    pub(super) arrived: Py<PyList>,
    pub(super) evicted: Py<PyList>,
    pub(super) alarms: Py<PyList>,
    pub(super) state: Py<PyDict>,
}

/// Who has started, and who has been preempted.
type Walked = (Vec<Py<Job>>, Vec<Py<Job>>);

/// Nodes as a function names them: `[3, 4]`, as much as is free on each, one after the other; `[(3, 2), (4, 2)]`, so
/// many on each.
#[derive(FromPyObject)]
enum Node {
    Some((i64, u32)),
    Free(i64),
}

impl View {
    /// Ends the decision: the plan.
    pub(super) fn ended(&self) -> Plan {
        let board = self.board().take();
        board.map(Board::into_plan).unwrap_or_default()
    }

    fn board(&self) -> MutexGuard<'_, Option<Board>> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn make<R>(&self, make: impl FnOnce(&mut Board) -> Answer<R>) -> PyResult<R> {
        let mut board = self.board();
        let board = board.as_mut().ok_or_else(|| {
            PyValueError::new_err("this view was kept from an earlier decision, which is over")
        })?;
        make(board).map_err(PyValueError::new_err)
    }

    /// The jobs of a list that have these numbers.
    fn those(&self, py: Python<'_>, ids: &[JobId]) -> PyResult<Vec<Py<Job>>> {
        let all = self.seen.jobs.bind(py).iter();
        let all = all.map(|job| Ok(job.cast_into::<Job>()?.unbind()));
        let all = all.collect::<PyResult<Vec<Py<Job>>>>()?;
        let found = ids.iter().filter_map(|id| {
            let at = all.binary_search_by_key(id, |job| job.get().which()).ok()?;
            Some(all[at].clone_ref(py))
        });
        Ok(found.collect())
    }
}

fn on_nodes(nodes: Vec<Node>) -> Vec<OnNode> {
    let on = |node| match node {
        Node::Some((node, gpus)) => (node, Some(gpus)),
        Node::Free(node) => (node, None),
    };
    nodes.into_iter().map(on).collect()
}

#[pymethods]
impl View {
    /// The moment, s.
    #[getter]
    fn now(&self) -> f64 {
        self.seen.moment.now
    }

    /// Whether a round of `every` seconds is due.
    #[getter]
    fn round(&self) -> bool {
        self.seen.moment.round
    }

    /// Free GPUs, before anything is changed.
    #[getter]
    fn free(&self) -> u32 {
        self.seen.moment.free
    }

    /// GPUs in all.
    #[getter]
    fn gpus(&self) -> u32 {
        self.seen.moment.gpus
    }

    /// Nodes in all.
    #[getter]
    fn nodes(&self) -> u32 {
        self.seen.moment.nodes
    }

    /// GPUs of the largest node.
    #[getter]
    fn node_size(&self) -> u32 {
        self.seen.moment.node_size
    }

    /// All active jobs, in order of submission.
    #[getter]
    fn jobs(&self, py: Python<'_>) -> Py<PyList> {
        self.seen.jobs.clone_ref(py)
    }

    /// Those that wait, in order of submission.
    #[getter]
    fn waiting(&self, py: Python<'_>) -> Py<PyList> {
        self.seen.waiting.clone_ref(py)
    }

    /// Those that run, in order of start.
    #[getter]
    fn running(&self, py: Python<'_>) -> Py<PyList> {
        self.seen.running.clone_ref(py)
    }

    /// Those that have come.
    #[getter]
    fn arrived(&self, py: Python<'_>) -> Py<PyList> {
        self.seen.arrived.clone_ref(py)
    }

    /// Those that have lost their GPUs to a failure.
    #[getter]
    fn evicted(&self, py: Python<'_>) -> Py<PyList> {
        self.seen.evicted.clone_ref(py)
    }

    /// Those whose alarm is due.
    #[getter]
    fn alarms(&self, py: Python<'_>) -> Py<PyList> {
        self.seen.alarms.clone_ref(py)
    }

    /// What is kept from one decision of the run to the next.
    #[getter]
    fn state(&self, py: Python<'_>) -> Py<PyDict> {
        self.seen.state.clone_ref(py)
    }

    /// Starts a job: by the run's placement, or on these nodes. `False`: there is no room for it.
    #[pyo3(signature = (job, nodes = None))]
    fn start(&self, job: &Job, nodes: Option<Vec<Node>>) -> PyResult<bool> {
        let job = job.named()?;
        match nodes.map(on_nodes) {
            None => self.make(|board| board.start(job)),
            Some(nodes) => self.make(|board| board.start_on(job, &nodes)),
        }
    }

    /// Moves a running job to these nodes.
    #[pyo3(name = "move")]
    fn move_to(&self, job: &Job, nodes: Vec<Node>) -> PyResult<bool> {
        let (job, nodes) = (job.named()?, on_nodes(nodes));
        self.make(|board| board.move_to(job, &nodes))
    }

    /// Takes a running job's GPUs.
    fn stop(&self, job: &Job) -> PyResult<()> {
        let job = job.named()?;
        self.make(|board| board.stop(job))
    }

    /// Runs an adaptive job on so many GPUs, with the best batch or this one. `False`: there is no room.
    #[pyo3(signature = (job, gpus, batch = None))]
    fn train(&self, job: &Job, gpus: i64, batch: Option<i64>) -> PyResult<bool> {
        let (named, trainee) = (job.named()?, job.trainee()?);
        self.make(|board| trainees::train(board, named, trainee, gpus, batch))
    }

    /// Who runs follows from an order of all jobs; who has started and who has been preempted.
    fn walk(&self, py: Python<'_>, order: &Bound<'_, PyAny>) -> PyResult<Walked> {
        let jobs = order.try_iter()?.map(|job| {
            let job = job?.cast_into::<Job>();
            let what = "walk() takes jobs, the first to run first";
            job.map_err(|_| PyTypeError::new_err(what))
        });
        let jobs = jobs.collect::<PyResult<Vec<Bound<'_, Job>>>>()?;
        let named = jobs.iter().map(|job| job.get().named());
        let named = named.collect::<PyResult<Vec<_>>>()?;
        let walked = self.make(|board| board.walk(named))?;
        Ok((
            self.those(py, &walked.started)?,
            self.those(py, &walked.preempted)?,
        ))
    }

    /// Asks again at this time, unless the job starts, moves, stops or ends before.
    fn alarm(&self, job: &Job, at: f64) -> PyResult<()> {
        if at.is_nan() {
            return Err(PyValueError::new_err(
                "alarm(job, at) takes a time in seconds",
            ));
        }
        let job = job.named()?;
        self.make(|board| board.alarm(job, Time(at)))
    }

    /// Notes that a job has sunk to a queue, 0 the highest.
    fn demote(&self, job: &Job, queue: u32) -> PyResult<()> {
        let named = job.named()?;
        self.make(|board| board.demote(named, queue))?;
        job.place()?.kept.queue.store(queue, Ordering::Relaxed);
        Ok(())
    }

    /// Notes that it has risen to one.
    fn promote(&self, job: &Job, queue: u32) -> PyResult<()> {
        let named = job.named()?;
        self.make(|board| board.promote(named, queue))?;
        job.place()?.kept.queue.store(queue, Ordering::Relaxed);
        Ok(())
    }

    /// GPUs that are free now, after what has been decided: in all, or on a node.
    #[pyo3(signature = (node = None))]
    fn free_now(&self, node: Option<i64>) -> PyResult<u32> {
        self.make(|board| match node {
            None => Ok(board.free()),
            Some(node) => board.free_on(node),
        })
    }

    /// Whether a node takes jobs.
    fn is_open(&self, node: i64) -> PyResult<bool> {
        self.make(|board| board.is_open(node))
    }

    /// A number from 0 to below 1 of the run's own generator.
    fn random(&self) -> PyResult<f64> {
        Ok(self.lent.random(1)?.first().copied().unwrap_or(0.0))
    }

    /// Tells this under "why": of a job, or of all.
    #[pyo3(signature = (what, value, job = None))]
    fn note(&self, what: String, value: &Bound<'_, PyAny>, job: Option<&Job>) -> PyResult<()> {
        let (job, value) = (job.map(Job::which), in_words(value)?);
        (self.lent).note(|notes| notes.add(job, &what, &value))
    }

    fn __repr__(&self) -> String {
        format!("<switchyard.View at {} s>", self.seen.moment.now)
    }
}
