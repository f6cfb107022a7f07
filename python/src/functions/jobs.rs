//! Jobs as `keys(jobs, now)` sees them: each property a column of NumPy's, made when it is asked for.

use super::job::{hidden, property};
use super::lent::Lent;
use super::notes::in_words;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use switchyard::engine::View;
use switchyard::job::JobId;
use switchyard::policies::job_properties::{Of, Property};

/// Jobs at one moment.
#[pyclass(frozen, module = "switchyard._engine")]
pub(crate) struct Jobs {
    ids: Vec<JobId>,
    lent: Arc<Lent>,
}

/// Values of one kind.
enum Column {
    Whole(Vec<i64>),
    Numbers(Vec<f64>),
    Flags(Vec<bool>),
}

impl Column {
    /// `None`: nobody may see it.
    fn of(property: &Property, view: &View<'_>, jobs: &[JobId]) -> Option<Self> {
        let jobs = jobs.iter();
        Some(match property.of {
            Of::Int(of) => Self::Whole(jobs.map(|&id| of(view, id)).collect()),
            Of::Float(of) => Self::Numbers(jobs.map(|&id| of(view, id)).collect()),
            Of::Bool(of) => Self::Flags(jobs.map(|&id| of(view, id)).collect()),
            Of::Truth(of) => Self::Numbers(jobs.map(|&id| of(view, id)).collect::<Option<_>>()?),
        })
    }
}

impl Jobs {
    pub(super) fn new(ids: &[JobId], lent: &Arc<Lent>) -> Self {
        Self {
            ids: ids.to_vec(),
            lent: Arc::clone(lent),
        }
    }

    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let property = property(name);
        let column = self
            .lent
            .look(|view| Column::of(property, view, &self.ids))?;
        Ok(match column.ok_or_else(|| hidden(name))? {
            Column::Whole(column) => PyArray1::from_vec(py, column).into_any(),
            Column::Numbers(column) => PyArray1::from_vec(py, column).into_any(),
            Column::Flags(column) => PyArray1::from_vec(py, column).into_any(),
        })
    }
}

impl Jobs {
    fn texts(&self, of: impl Fn(&View<'_>, JobId) -> String) -> PyResult<Vec<String>> {
        let texts = |view: &View<'_>| self.ids.iter().map(|&id| of(view, id)).collect();
        self.lent.look(texts)
    }
}

#[pymethods]
impl Jobs {
    /// Its number in order of submission.
    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, "id")
    }

    /// Its gang, GPUs.
    #[getter]
    fn gpus<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, "gpus")
    }

    /// Seconds since the first submission.
    #[getter]
    fn submit<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, "submit")
    }

    /// The number of its tenant; -1: it has none.
    #[getter]
    fn tenant<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, "tenant")
    }

    /// Oracle: true seconds at the GPUs asked for.
    #[getter]
    fn duration<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, "duration")
    }

    /// Attained service, GPU·s.
    #[getter]
    fn attained<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, "attained")
    }

    /// Seconds on GPUs.
    #[getter]
    fn held<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, "held")
    }

    /// Oracle: true seconds left at the GPUs asked for.
    #[getter]
    fn remaining<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, "remaining")
    }

    /// Progress on its present or last GPUs, seconds per second.
    #[getter]
    fn rate<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, "rate")
    }

    /// How often it was given GPUs.
    #[getter]
    fn starts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, "starts")
    }

    /// When it last started, stopped or came, s.
    #[getter]
    fn since<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, "since")
    }

    /// Whether it runs.
    #[getter]
    fn running<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, "running")
    }

    /// Seconds in all without GPUs.
    #[getter]
    fn waited<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.column(py, "waited")
    }

    /// Their names in the trace, a list.
    #[getter]
    fn name(&self) -> PyResult<Vec<String>> {
        self.texts(|view, id| view.name(id).to_owned())
    }

    /// Their tenants' names, a list; "" of one that has none.
    #[getter]
    fn tenant_name(&self) -> PyResult<Vec<String>> {
        self.texts(|view, id| view.tenant_name(id).to_owned())
    }

    /// Tells these values under "why", beside their keys: one for each job.
    fn note(&self, what: String, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let (count, jobs) = (values.len()?, self.ids.len());
        if count != jobs {
            return Err(PyValueError::new_err(format!(
                "note('{what}', values) has {count} values for {jobs} jobs: it takes one for each"
            )));
        }
        if !self.lent.listens() {
            return self.lent.look(|_| ());
        }
        for (&id, value) in self.ids.iter().zip(values.try_iter()?) {
            let value = in_words(&value?)?;
            self.lent.note(|notes| notes.add(Some(id), &what, &value))?;
        }
        Ok(())
    }

    /// A number from 0 to below 1 for each, of the run's own generator.
    fn random<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let drawn = self.lent.random(self.ids.len())?;
        Ok(PyArray1::from_vec(py, drawn))
    }

    fn __len__(&self) -> usize {
        self.ids.len()
    }

    fn __repr__(&self) -> String {
        format!("<switchyard.Jobs: {}>", self.ids.len())
    }
}
