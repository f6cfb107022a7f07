//! What goes between Python and the engine: options, results as JSON, and exceptions.

use pyo3::prelude::*;

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

/// Options as they come: an object of JSON.
pub(crate) fn options(json: &str) -> PyResult<switchyard_app::options::Options> {
    serde_json::from_str(json).map_err(|why| refused(format!("options: {why}")))
}
