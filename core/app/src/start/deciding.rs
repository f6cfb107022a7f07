//! Who decides in the place of a run's policy, where that is a function of whoever asks.

use std::sync::Arc;
use switchyard::engine::Policy;

/// Who decides in the place of a run's policy.
#[derive(Clone)]
pub struct Deciding {
    /// What messages call it.
    pub called: String,
    /// Makes it, for each draw anew: nothing of one may be seen in another.
    pub policy: Arc<dyn Fn() -> Box<dyn Policy> + Send + Sync>,
}
