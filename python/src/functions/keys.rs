//! A function that gives jobs numbers, least first: one job at a time, or all at once.

use super::fault::{self, Fault};
use super::function::{Form, Function};
use super::job::Job;
use super::jobs::Jobs;
use super::lent::{Lent, Purse};
use numpy::{PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use rand_xoshiro::rand_core::SeedableRng;
use std::sync::Arc;
use switchyard::draw::Rng;
use switchyard::engine::{Mistake, View};
use switchyard::explain::Fact;
use switchyard::job::JobId;
use switchyard::policies::Cadence;
use switchyard::policies::by_key::{Changes, Keys, key_fact};
use switchyard::policies::notes::Notes;

/// Numbers by a function.
pub(super) struct Numbers {
    of: Arc<Function>,
    fault: Fault,
    /// The run's generator, as it was when numbers were last asked for.
    rng: Rng,
}

impl Numbers {
    pub(super) fn new(of: Arc<Function>, fault: Fault) -> Self {
        let rng = Rng::seed_from_u64(0);
        Self { of, fault, rng }
    }

    /// What is wrong with a number, at the function's head.
    fn wrong(&self, py: Python<'_>, view: &View<'_>, job: JobId, what: &str) -> Mistake {
        fault::wrong(py, &self.of, what, Some(view.name(job)))
    }

    fn ask(
        &self,
        py: Python<'_>,
        view: &View<'_>,
        purse: &mut Purse,
        jobs: &[JobId],
        keys: &mut Vec<f64>,
    ) -> Result<(), Mistake> {
        keys.clear();
        Lent::during(view, purse, |lent| match self.of.form {
            Form::Keys => self.at_once(py, view, jobs, keys, lent),
            Form::Key | Form::Plan => self.one_by_one(py, view, jobs, keys, lent),
        })?;
        match keys.iter().position(|key| key.is_nan()) {
            Some(at) => Err(self.wrong(
                py,
                view,
                jobs[at],
                "its key is NaN, which has no place in an order",
            )),
            None => Ok(()),
        }
    }

    fn one_by_one(
        &self,
        py: Python<'_>,
        view: &View<'_>,
        jobs: &[JobId],
        keys: &mut Vec<f64>,
        lent: &Arc<Lent>,
    ) -> Result<(), Mistake> {
        let now = view.now().seconds();
        for &id in jobs {
            let job = Job::new(id, lent, None);
            let given = self.of.function.bind(py).call1((job, now));
            let raised = |why| self.fault.mistake(py, &self.of, why, Some(view.name(id)));
            let given = given.map_err(raised)?;
            let Ok(key) = given.extract::<f64>() else {
                let what = format!("its key is {}: it must be a number", short(&given));
                return Err(self.wrong(py, view, id, &what));
            };
            keys.push(key);
        }
        Ok(())
    }

    fn at_once(
        &self,
        py: Python<'_>,
        view: &View<'_>,
        jobs: &[JobId],
        keys: &mut Vec<f64>,
        lent: &Arc<Lent>,
    ) -> Result<(), Mistake> {
        let now = view.now().seconds();
        let all = Jobs::new(jobs, lent);
        let given = self.of.function.bind(py).call1((all, now));
        let given = given.map_err(|why| self.fault.mistake(py, &self.of, why, None))?;
        let wrong = |what: &str| {
            let what = format!(
                "it gives {what} for {} jobs: it must give as many numbers",
                jobs.len()
            );
            fault::wrong(py, &self.of, &what, None)
        };
        let array = as_array(&given).map_err(|_| wrong(&short(&given)))?;
        if array.len() != jobs.len() {
            return Err(wrong(&format!("{} numbers", array.len())));
        }
        keys.extend(array.as_array());
        Ok(())
    }
}

/// Numbers as an array has them.
fn as_array<'py>(given: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, f64>> {
    if let Ok(array) = given.extract() {
        return Ok(array);
    }
    let py = given.py();
    let numpy = py.import("numpy")?;
    let kind: Bound<'_, PyDict> = [("dtype", "float64")].into_py_dict(py)?;
    let array = numpy.call_method("asarray", (given,), Some(&kind))?;
    array.extract()
}

/// A value as a message has room for it.
fn short(given: &Bound<'_, PyAny>) -> String {
    let said = given.repr().map(|said| said.to_string());
    let mut said = said.unwrap_or_else(|_| given.get_type().to_string());
    if let Some((cut, _)) = said.char_indices().nth(60) {
        said.truncate(cut);
        said.push('…');
    }
    said
}

impl Keys for Numbers {
    fn cadence(&self) -> Cadence {
        self.of.cadence()
    }

    fn changes(&self) -> Changes {
        self.of.changes.0
    }

    fn keys(
        &mut self,
        view: &View<'_>,
        rng: &mut Rng,
        jobs: &[JobId],
        keys: &mut Vec<f64>,
    ) -> Result<(), Mistake> {
        if jobs.is_empty() {
            keys.clear();
            return Ok(());
        }
        let mut purse = Purse {
            rng: rng.clone(),
            notes: None,
        };
        let asked = Python::attach(|py| self.ask(py, view, &mut purse, jobs, keys));
        *rng = purse.rng.clone();
        self.rng = purse.rng;
        asked
    }

    fn told(&self, view: &View<'_>, job: JobId) -> Vec<Fact> {
        Python::attach(|py| {
            let mut keys = Vec::new();
            // A copy: asking changes nothing.
            let mut purse = Purse {
                rng: self.rng.clone(),
                notes: Some(Notes::default()),
            };
            let asked = self.ask(py, view, &mut purse, &[job], &mut keys);
            let key = key_fact(asked.map(|()| keys[0]));
            let words = Lent::during(view, &mut purse, |lent| {
                let seen = Job::new(job, lent, None);
                explained(py, &self.of, seen, view)
            });
            let notes = purse.notes.map(|notes| notes.of(job));
            [vec![key], notes.unwrap_or_default(), words].concat()
        })
    }
}

/// What a function's `explain(job, now)` says: a text, or values by what they are.
pub(super) fn explained(py: Python<'_>, of: &Function, job: Job, view: &View<'_>) -> Vec<Fact> {
    let Some(explain) = &of.explain else {
        return Vec::new();
    };
    let said = explain.bind(py).call1((job, view.now().seconds()));
    let facts = said.and_then(|said| match said.cast::<PyDict>() {
        Ok(values) => {
            let fact = |(term, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
                Ok(Fact::new(&term.str()?.to_string(), value.str()?))
            };
            values.iter().map(fact).collect()
        }
        Err(_) => Ok(vec![Fact::new("because", said.str()?)]),
    });
    facts.unwrap_or_else(|why| vec![Fact::new("not explained", fault::words(py, &why))])
}
