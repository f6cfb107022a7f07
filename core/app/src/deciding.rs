//! Who decides in the place of a run's policy, where that is a function of whoever asks.

use std::sync::Arc;
use switchyard::engine::{Policy, Simulation};
use switchyard::placement::Strategy;
use switchyard::weights::Weights;
use switchyard::workload::Workload;
use switchyard::{RunSpec, RunSpecError};

/// Who decides in the place of a run's policy.
#[derive(Clone)]
pub struct Deciding {
    /// What messages call it.
    pub called: String,
    /// Makes it, for each run anew: nothing of one may be seen in another. Gangs are laid so.
    pub policy: Arc<dyn Fn(Strategy) -> Box<dyn Policy> + Send + Sync>,
}

impl Deciding {
    /// A run at its beginning, in which it decides.
    ///
    /// # Errors
    ///
    /// The placement is to go by weights that are not among them.
    pub fn start(
        &self,
        run: &RunSpec,
        workload: Arc<Workload>,
        weights: &Weights,
    ) -> Result<Simulation, RunSpecError> {
        let policy = (self.policy)(run.policy.placement(run.placement));
        run.start_deciding(workload, weights, &self.called, policy)
    }
}
