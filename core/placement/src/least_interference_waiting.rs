//! [Least interference](super::least_interference), or wait: a greedy that always places is beaten near
//! and above saturation by one rule of waiting.

use super::{Entry, Gang, Registered, Sight, Site, Strategy, Way, least_interference};
use crate::cluster::Part;

impl Strategy {
    /// Least interference, or wait where that is too much.
    pub const LEAST_INTERFERENCE_WAITING: Self = Self::of(&PLACEMENT);
}

pub(super) const PLACEMENT: Registered = Registered {
    entry: Entry {
        name: "least-interference-waiting",
        summary: "As least-interference, but a gang waits where it and the jobs there would slow one another by a tenth more in all than the gang would be slowed where no job runs (tuned on training workloads).",
        may_wait: true,
        ..Entry::PLAIN
    },
    way: Way {
        on_links: Some(lay),
        ..Way::PLAIN
    },
};

/// By how much the sum of log-slowdowns may be more than on an idle cluster. Tuned on training workloads.
const MOST: f64 = 0.1;

fn lay(site: &Site<'_>, sight: &Sight, gang: Gang, parts: &mut Vec<Part>) -> bool {
    let Some(best) = least_interference::best(site, sight, gang) else {
        return false;
    };
    let alone = || {
        sight.alone(site, gang, |site, sight, gang| {
            least_interference::best(site, sight, gang).map_or(0.0, |best| best.cost)
        })
    };
    if best.cost > MOST && !sight.is_idle() && best.cost > MOST + alone() {
        return false;
    }
    *parts = best.parts;
    true
}
