//! What the schedulers that Shockwave is compared with have in common (Zheng et al., NSDI'23 §8): a decision finds shares
//! of time, and the jobs whose share ÷ fraction of the time received is largest run in the next round.
//!
//! In: a decision of [`switchyard_shockwave`]. Out: a policy by Gavel's mechanism ([`super::gavel::ByType`]), which the
//! authors' simulator has from Gavel's. Decisions are for GPUs that are all alike; where they are not, a job has its share
//! on every type that it may use.

#[cfg(feature = "solvers")]
mod courses;
#[cfg(feature = "solvers")]
mod one_kind;

use super::parameters::param;
use super::{ParamInfo, ParamKind};

#[cfg(feature = "solvers")]
pub(super) use courses::Courses;
#[cfg(feature = "solvers")]
pub(super) use one_kind::{Decide, Sees, policy, policy_that_tells};

/// How long shares hold.
pub(super) const RESET: ParamInfo = param(
    ParamKind::Seconds { min: 0.0, max: 1e6 },
    "1000",
    "Seconds from one finding of shares to the next, at least; newcomers wait for it.",
)
.for_experts();
