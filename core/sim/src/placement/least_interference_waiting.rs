//! [Least interference](super::least_interference), or wait: a greedy that always places is beaten near
//! and above saturation by one rule of waiting.

use super::{Entry, Gang, Sight, Site, Strategy, least_interference};
use crate::cluster::Part;

impl Strategy {
    /// Least interference, or wait where that is too much.
    pub const LEAST_INTERFERENCE_WAITING: Self = Self(&Entry {
        name: "least-interference-waiting",
        summary: "As least-interference, but a gang waits where it and those who are there would slow one another by more than a third in all (tuned on training workloads), unless nobody runs.",
        may_wait: true,
        on_links: Some(lay),
        ..Entry::PLAIN
    });
}

/// The sum of log-slowdowns beyond which a gang waits.
const MOST: f64 = 0.3;

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
