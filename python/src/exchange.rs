//! What goes between Python and the engine: options, results as JSON, and exceptions.

use pyo3::prelude::*;
use switchyard_app::options::Running;
use switchyard_sweep::options::running;

pyo3::create_exception!(
    switchyard,
    SwitchyardError,
    pyo3::exceptions::PyException,
    "Something went wrong. Its text says what, where, and what to do."
);
pyo3::create_exception!(
    switchyard,
    InputError,
    SwitchyardError,
    "A file, an option or a policy is wrong: where the command line ends with status 2.\n\n\
     Of a table whose columns are not known, `table` is its beginning: `columns`, `rows`, `guess`."
);
pyo3::create_exception!(
    switchyard,
    RunError,
    SwitchyardError,
    "A run did not come to its end: where the command line ends with status 1."
);

/// Something that was asked is wrong.
pub(crate) fn refused(why: impl std::fmt::Display) -> PyErr {
    InputError::new_err(why.to_string())
}

/// A value as the command line's JSON has it.
pub(crate) fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string_pretty(value).map_err(|why| SwitchyardError::new_err(why.to_string()))
}

/// What is asked for, in options as they come and a file of weights of one's own.
pub(crate) fn asked(options_json: &str, weights: Option<Vec<u8>>) -> PyResult<Running> {
    let mut running = running(&options(options_json)?).map_err(refused)?;
    if let Some(file) = weights {
        let taken = running.request.own_weights(&file);
        taken.map_err(|why| refused(format!("weights: {why}")))?;
    }
    Ok(running)
}

/// Options as they come: an object of JSON.
pub(crate) fn options(json: &str) -> PyResult<switchyard_app::options::Options> {
    serde_json::from_str(json).map_err(|why| refused(format!("options: {why}")))
}
