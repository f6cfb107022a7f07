//! A job as functions see it, by the names that scripts have for the same (`docs/scripts.md`).

use super::lent::Lent;
use super::notes::in_words;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use switchyard::job::JobId;
use switchyard::policies::board::{Named, Seat};
use switchyard::policies::job_properties::{PROPERTIES, Property, Value};
use switchyard::policies::trainees::{self, Shared, Trainee, count};

/// A job at one moment.
#[pyclass(frozen, module = "switchyard._engine")]
pub(crate) struct Job {
    id: JobId,
    lent: Arc<Lent>,
    /// Of a function that decides the whole.
    place: Option<Place>,
}

/// Where a job is, and what is kept of it from one decision to the next.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) seat: Arc<Seat>,
    pub(super) kept: Arc<Kept>,
}

/// What is kept of a job as long as it is active.
pub(super) struct Kept {
    pub(super) name: String,
    pub(super) queue: AtomicU32,
    memo: Mutex<Py<PyAny>>,
    /// What is known of one that is adaptive.
    pub(super) trainee: OnceLock<Shared>,
}

impl Kept {
    pub(super) fn of(py: Python<'_>, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            queue: AtomicU32::new(0),
            memo: Mutex::new(py.None()),
            trainee: OnceLock::new(),
        }
    }
}

impl Job {
    pub(super) fn new(id: JobId, lent: &Arc<Lent>, place: Option<Place>) -> Self {
        Self {
            id,
            lent: Arc::clone(lent),
            place,
        }
    }

    pub(super) fn place(&self) -> PyResult<&Place> {
        self.place.as_ref().ok_or_else(|| {
            PyValueError::new_err("a key is a number and no more: define plan(view) for this")
        })
    }

    /// By what a plan asks about it.
    pub(super) fn named(&self) -> PyResult<Named<'_>> {
        let name = &self.place()?.kept.name;
        Ok(Named { id: self.id, name })
    }

    pub(super) fn which(&self) -> JobId {
        self.id
    }

    /// What is known of it, if it is adaptive.
    pub(super) fn trainee(&self) -> PyResult<Option<&Shared>> {
        Ok(self.place()?.kept.trainee.get())
    }

    /// The same of one that has to be.
    fn trains(&self) -> PyResult<MutexGuard<'_, Trainee>> {
        trainees::of(self.trainee()?, self.named()?).map_err(PyValueError::new_err)
    }

    fn get<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let property = property(name);
        let value = self.lent.look(|view| property.value(view, self.id))?;
        match value.ok_or_else(|| hidden(name))? {
            Value::Int(number) => number.into_bound_py_any(py),
            Value::Float(number) => number.into_bound_py_any(py),
            Value::Bool(is) => is.into_bound_py_any(py),
            Value::Unit => Ok(py.None().into_bound(py)),
        }
    }
}

/// A property that is in the table.
pub(super) fn property(name: &str) -> &'static Property {
    let mut all = PROPERTIES.iter();
    let found = all.find(|property| property.name == name);
    found.unwrap_or(&PROPERTIES[0])
}

/// That a property is the truth, and nobody has asked to see it.
pub(super) fn hidden(name: &str) -> PyErr {
    PyValueError::new_err(format!(
        "job.{name} is the truth, which no real scheduler knows: say oracle=True to see it, or go by job.attained"
    ))
}

#[pymethods]
impl Job {
    /// Its number in order of submission.
    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "id")
    }

    /// Its gang, GPUs.
    #[getter]
    fn gpus<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "gpus")
    }

    /// Seconds since the first submission.
    #[getter]
    fn submit<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "submit")
    }

    /// The number of its tenant; -1: it has none.
    #[getter]
    fn tenant<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "tenant")
    }

    /// Its tenant's name; "": it has none.
    #[getter]
    fn tenant_name(&self) -> PyResult<String> {
        self.lent.look(|view| view.tenant_name(self.id).to_owned())
    }

    /// Oracle: true seconds at the GPUs asked for.
    #[getter]
    fn duration<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "duration")
    }

    /// Attained service, GPU·s.
    #[getter]
    fn attained<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "attained")
    }

    /// Seconds on GPUs.
    #[getter]
    fn held<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "held")
    }

    /// Oracle: true seconds left at the GPUs asked for.
    #[getter]
    fn remaining<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "remaining")
    }

    /// Progress on its present or last GPUs, seconds per second.
    #[getter]
    fn rate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "rate")
    }

    /// How often it was given GPUs.
    #[getter]
    fn starts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "starts")
    }

    /// When it last started, stopped or came, s.
    #[getter]
    fn since<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "since")
    }

    /// Whether it runs.
    #[getter]
    fn running<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "running")
    }

    /// Seconds in all without GPUs.
    #[getter]
    fn waited<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "waited")
    }

    /// Its name in the trace.
    #[getter]
    fn name(&self) -> PyResult<String> {
        match &self.place {
            Some(place) => Ok(place.kept.name.clone()),
            None => self.lent.look(|view| view.name(self.id).to_owned()),
        }
    }

    /// GPUs that it holds.
    #[getter]
    fn holds(&self) -> PyResult<u32> {
        Ok(self.place()?.seat.holds())
    }

    /// The numbers of the nodes of those.
    #[getter]
    fn nodes(&self) -> PyResult<Vec<u32>> {
        let parts = self.place()?.seat.parts.iter();
        Ok(parts.map(|part| part.node).collect())
    }

    /// Its queue, as `demote` and `promote` set it.
    #[getter]
    fn queue(&self) -> PyResult<u32> {
        Ok(self.place()?.kept.queue.load(Ordering::Relaxed))
    }

    /// Whether it is adaptive: it trains on more or fewer GPUs.
    #[getter]
    fn adaptive(&self) -> PyResult<bool> {
        Ok(self.trainee()?.is_some())
    }

    /// Of one that is adaptive: what it trains.
    #[getter]
    fn application(&self) -> PyResult<String> {
        Ok(self.trains()?.application().to_owned())
    }

    /// The total batch its owner asks for, samples.
    #[getter]
    fn batch(&self) -> PyResult<u32> {
        Ok(self.trains()?.asked())
    }

    /// Epochs in all.
    #[getter]
    fn epochs(&self) -> PyResult<u32> {
        Ok(self.trains()?.epochs())
    }

    /// Epochs that are complete.
    #[getter]
    fn epochs_done(&self) -> PyResult<f64> {
        Ok(self.trains()?.epochs_done())
    }

    /// The most GPUs to try: twice what it has run on.
    #[getter]
    fn max_gpus(&self) -> PyResult<u32> {
        Ok(self.trains()?.max_gpus())
    }

    /// Its goodput on so many GPUs over that on one, as its agent expects it.
    fn speedup(&self, gpus: i64) -> PyResult<f64> {
        let gpus = count(gpus).map_err(PyValueError::new_err)?;
        Ok(self.trains()?.speedup(gpus))
    }

    /// Its goodput on so many GPUs, samples of use per second.
    fn goodput(&self, gpus: i64) -> PyResult<f64> {
        let gpus = count(gpus).map_err(PyValueError::new_err)?;
        Ok(self.trains()?.goodput(gpus))
    }

    /// The best total batch on so many GPUs, samples.
    fn best_batch(&self, gpus: i64) -> PyResult<f64> {
        let gpus = count(gpus).map_err(PyValueError::new_err)?;
        Ok(self.trains()?.best_batch(gpus))
    }

    /// Whatever is to be kept with it.
    #[getter]
    fn memo(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let memo = &self.place()?.kept.memo;
        let memo = memo.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(memo.clone_ref(py))
    }

    #[setter]
    fn set_memo(&self, memo: Py<PyAny>) -> PyResult<()> {
        let kept = &self.place()?.kept.memo;
        let before = {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *kept, memo)
        };
        // Outside of the mutex: what it drops may be anything of Python's.
        drop(before);
        Ok(())
    }

    /// Tells this under "why", beside its key.
    fn note(&self, what: String, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if !self.lent.listens() {
            return self.lent.look(|_| ());
        }
        let value = in_words(value)?;
        (self.lent).note(|notes| notes.add(Some(self.id), &what, &value))
    }

    /// A number from 0 to below 1 of the run's own generator.
    fn random(&self) -> PyResult<f64> {
        Ok(self.lent.random(1)?.first().copied().unwrap_or(0.0))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Self>();
        other.is_ok_and(|other| other.get().id == self.id)
    }

    fn __hash__(&self) -> u64 {
        u64::from(self.id.0)
    }

    fn __repr__(&self) -> String {
        format!("<switchyard.Job {}>", self.id.0)
    }
}
