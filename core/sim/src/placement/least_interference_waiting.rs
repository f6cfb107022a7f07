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
        summary: "As least-interference, but a gang waits where it and those who are there would slow one another by more than an eighth in all (tuned on training workloads), unless nobody runs.",
        may_wait: true,
        ..Entry::PLAIN
    },
    way: Way {
        on_links: Some(lay),
        ..Way::PLAIN
    },
};

/// The sum of log-slowdowns beyond which a gang waits. Tuned on training workloads (`paper graph-rl
/// --training --topology 2x2x8 --workloads 8`), mean JCT in s at loads 0.8, 0.95 and 1.2: 1556, 1812,
/// 3205 with 0.1; 1321, 1667, 3169 with 0.12; 1319, 1693, 3239 with 0.15; 1327, 1795, 3435 with 0.2; 1356,
/// 1990, 3695 with 0.3. With less some gangs wait for what not even an idle cluster has.
const MOST: f64 = 0.12;

fn lay(site: &Site<'_>, sight: &Sight, gang: Gang, parts: &mut Vec<Part>) -> bool {
    let Some(best) = least_interference::best(site, sight, gang) else {
        return false;
    };
    if best.cost > MOST && !sight.is_idle() {
        return false;
    }
    *parts = best.parts;
    true
}
