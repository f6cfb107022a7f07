//! A job as functions see it, by the names that scripts have for the same (`docs/scripts.md`).

use super::lent::Lent;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use switchyard::job::JobId;
use switchyard::policies::board::{Named, Seat};
use switchyard::policies::job_properties::{PROPERTIES, Property, Value};

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
}

impl Kept {
    pub(super) fn of(py: Python<'_>, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            queue: AtomicU32::new(0),
            memo: Mutex::new(py.None()),
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
