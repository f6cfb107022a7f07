//! Who is evicted so that a workload fits.
//!
//! In: who runs, and a workload that does not fit. Out: victims, each with the rule that decided and its numbers; none,
//! if no set of victims that the rules allow makes it fit. [`fair`] compares shares, [`classical`] knows only priorities
//! and quotas; [`victims`] is what both need.
//!
//! Source: `pkg/scheduler/preemption/preemption.go`.

pub mod classical;
pub mod fair;
pub mod victims;

use super::state::State;
use fair::FairSharing;
use victims::{Found, Preemptor};

/// Looks for victims: by fair sharing, or the classical way without. The state is afterwards as it was.
pub fn find(state: &mut State, preemptor: &Preemptor, fair: Option<&FairSharing>) -> Found {
    match fair {
        Some(fair) => fair::find(state, preemptor, fair),
        None => classical::find(state, preemptor),
    }
}
