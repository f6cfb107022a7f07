//! What a function notes, in words.

use pyo3::prelude::*;

/// A value in words.
pub(super) fn in_words(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(value.str()?.to_cow()?.into_owned())
}
