//! Muri (Zhao et al., SIGCOMM'22): jobs with gangs of the same size take turns on the same GPUs, up to four of them, one at
//! storage and CPUs while others compute or exchange gradients. Which jobs share, and how long a cycle of them lasts, is
//! decided by [`switchyard_interleaving`], from algorithm 1 and §4 of the paper and its simulator.
//!
//! In: a rank for each job, least first, which is what [`muri_s`](super::muri_s) and [`muri_l`](super::muri_l) differ in.
//! Out: at every round all groups anew; between rounds jobs that wait start alone on GPUs that are free. A group whose
//! jobs run together already stays where it is. The others are laid, larger gangs first. Where one finds no room so,
//! all are laid anew.
//!
//! What differs from the simulator, which moves every job at every event for free: GPUs are kept, jobs that are alike
//! change places where a group so stays what it was, and a start costs what the run says. Jobs of models that were not
//! measured have their GPUs to themselves.

#[cfg(feature = "solvers")]
mod deciding;
#[cfg(feature = "solvers")]
mod explaining;
#[cfg(feature = "solvers")]
mod layout;
#[cfg(feature = "solvers")]
mod same_groups;

use super::parameters::param;
use super::{ParamInfo, ParamKind};
#[cfg(feature = "solvers")]
pub(super) use deciding::{Muri, Rank, options};
#[cfg(feature = "solvers")]
pub(super) use explaining::kind;
#[cfg(feature = "solvers")]
pub(super) use layout::Layout;

/// How often groups are made.
pub(super) const INTERVAL: ParamInfo = param(
    ParamKind::Seconds { min: 0.0, max: 1e6 },
    "360",
    "Seconds from one making of groups to the next; 0: whenever a job comes or ends, as in the paper's simulator.",
);

/// How many share.
pub(super) const PACKING: ParamInfo = param(
    ParamKind::Int { min: 1, max: 4 },
    "4",
    "The most jobs that take turns on the same GPUs.",
);

/// Whether groups that gain nothing fall apart.
pub(super) const UNPACK: ParamInfo = param(
    ParamKind::Bool,
    "false",
    "Takes groups apart whose jobs would be done sooner one after the other (the simulator's autopack).",
)
.for_experts();
