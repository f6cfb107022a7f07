//! What a function given to scripts says no with.

use rhai::{EvalAltResult, Position};

/// An error that a function given to scripts reports where it is called.
pub(super) fn refuse(what: impl Into<String>) -> Box<EvalAltResult> {
    EvalAltResult::ErrorRuntime(what.into().into(), Position::NONE).into()
}
