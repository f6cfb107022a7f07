//! The queue of schedulers that pick one job after the other, as batch systems do: the picked job is
//! the head, never preempted and never exchanged, and all others wait until it fits, but for those that
//! start behind it meanwhile ([`easy`]).
//!
//! (For GPU traces there is [`by_service`], which is no such queue and shares the network alone.)
//!
//! [`Queue`] is the policy, a [`Pick`] says which waiting job is next: a [`score`], or a [`network`]
//! that has learned it from what it sees of them ([`features`]). The semantics are those of the
//! simulator of RLScheduler (Zhang et al., SC'20; DIR-LAB/deep-batch-scheduler, commit cd433e3),
//! down to the order of what happens in one second: jobs arrive before others end, each is looked at
//! by itself, and those that end do so in the order of their starts.

mod behind;
pub mod by_service;
mod candidate;
mod easy;
pub mod features;
pub mod network;
mod pick;
mod picker;
mod queue;
mod score;
mod tournament;
mod waiting;

pub use candidate::{Candidate, Moment};
pub use easy::Backfill;
pub(super) use easy::{BACKFILL, QUIRKS};
pub use pick::Pick;
pub use picker::Picker;
#[cfg(test)]
pub(super) use picker::{GPU, LUBLIN};
pub use queue::Queue;
pub(super) use score::{ByScore, ZERO};
pub(super) use tournament::{Player, Sought, Tournament, Urgency};
pub use waiting::Waiting;
