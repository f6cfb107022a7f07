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
    /// The settings that the figure's link has, as it writes them; "" for none.
    pub(crate) settings: String,
}

impl Run {
    /// Its scheduler, and with which settings, as formulas name it.
    pub(crate) fn policy(&self) -> String {
        match &*self.settings {
            "" => self.result.policy.clone(),
            settings => format!("{} with {settings}", self.result.policy),
        }
    }
}
