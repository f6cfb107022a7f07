//! What a function raises: it ends the run, with the function's line and the job, and is the error's cause.

use super::function::Function;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyTraceback;
use std::sync::{Arc, Mutex, PoisonError};
use switchyard::engine::Mistake;

/// What the function of a run has raised.
#[derive(Clone, Default)]
pub(crate) struct Fault(Arc<Mutex<Option<PyErr>>>);

impl Fault {
    /// Takes it, if there is something.
    pub(crate) fn take(&self) -> Option<PyErr> {
        let mut raised = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        raised.take()
    }

    /// Keeps what was raised, and says it in words: where, about which job, and what.
    pub(super) fn mistake(
        &self,
        py: Python<'_>,
        of: &Function,
        raised: PyErr,
        job: Option<&str>,
    ) -> Mistake {
        let what = format!(
            "{}{}{}",
            place(py, of, &raised),
            about(job),
            words(py, &raised)
        );
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(raised);
        Mistake::nowhere(what)
    }
}

/// Whether somebody wants all to end (Ctrl-C), and not this function alone.
pub(crate) fn ends_all(py: Python<'_>, raised: &PyErr) -> bool {
    !raised.is_instance_of::<PyException>(py)
}

/// What is wrong with what a function gave: at its head.
pub(super) fn wrong(py: Python<'_>, of: &Function, what: &str, job: Option<&str>) -> Mistake {
    let at = match head(py, of) {
        Some((file, line)) => format!("{file}:{line}: "),
        None => String::new(),
    };
    Mistake::nowhere(format!("{at}{}{what}", about(job)))
}

/// What was raised, without where.
pub(super) fn words(py: Python<'_>, raised: &PyErr) -> String {
    let kind = raised.get_type(py).name();
    let kind = kind.map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
    let what = raised.value(py).str();
    match what {
        Ok(what) if !what.to_string().is_empty() => format!("{kind}: {what}"),
        _ => kind,
    }
}

fn about(job: Option<&str>) -> String {
    job.map_or_else(String::new, |name| format!("job '{name}': "))
}

/// Where a function stands.
fn head(py: Python<'_>, of: &Function) -> Option<(String, u32)> {
    let code = of.function.bind(py).getattr("__code__").ok()?;
    let file = code.getattr("co_filename").ok()?.extract().ok()?;
    let line = code.getattr("co_firstlineno").ok()?.extract().ok()?;
    Some((file, line))
}

/// Where it was raised: at the last line of the function's own file, or else the last of all.
fn place(py: Python<'_>, of: &Function, raised: &PyErr) -> String {
    let own = head(py, of).map(|(file, _)| file);
    let mut found: Option<(String, u32)> = None;
    let mut next = raised.traceback(py);
    while let Some(at) = next {
        if let Some(of) = frame(&at) {
            let is_own = |of: &(String, u32)| own.as_ref() == Some(&of.0);
            if is_own(&of) || !found.as_ref().is_some_and(is_own) {
                found = Some(of);
            }
        }
        next = at
            .getattr("tb_next")
            .ok()
            .and_then(|next| next.cast_into().ok());
    }
    found.map_or_else(String::new, |(file, line)| format!("{file}:{line}: "))
}

fn frame(at: &Bound<'_, PyTraceback>) -> Option<(String, u32)> {
    let code = at.getattr("tb_frame").ok()?.getattr("f_code").ok()?;
    let file = code.getattr("co_filename").ok()?.extract().ok()?;
    let line = at.getattr("tb_lineno").ok()?.extract().ok()?;
    Some((file, line))
}
