//! One run of a figure, as the engine has done it.

use std::rc::Rc;
use std::sync::Arc;
use switchyard::engine::RunLog;
use switchyard::report::{Outcomes, RunResult};
use switchyard_app::study::Prepared;

/// One run of a figure.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) result: RunResult,
    pub(crate) outcomes: Outcomes,
    pub(crate) log: Arc<RunLog>,
    pub(crate) prepared: Rc<Prepared>,
    /// What its jobs are called.
    pub(crate) trace: String,
}
