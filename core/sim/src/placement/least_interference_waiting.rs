//! [Least interference](super::least_interference), or wait: a greedy that always places is beaten near
//! and above saturation by one rule of waiting.

use super::{Entry, Gang, Sight, Site, Strategy, least_interference};
use crate::cluster::Part;

impl Strategy {
    /// Least interference, or wait where that is too much.
    pub const LEAST_INTERFERENCE_WAITING: Self = Self(&Entry {
        name: "least-interference-waiting",
        summary: "As least-interference, but a gang waits where it and those who are there would slow one another by more than a sixth in all (tuned on training workloads), unless nobody runs.",
        may_wait: true,
        on_links: Some(lay),
        ..Entry::PLAIN
    });
}

/// The sum of log-slowdowns beyond which a gang waits. Tuned on training workloads (`paper graph-rl
/// --training --topology 2x2x8 --workloads 8`), mean JCT in s at loads 0.8, 0.95 and 1.2: 1398, 1451,
/// 1639 with 0.1; 1284, 1361, 1567 with 0.15; 1285, 1369, 1582 with 0.2; 1295, 1386, 1621 with 0.3;
/// 1304, 1409, 1665 with 0.5; 1316, 1436, 1714 with 0.8. Below 0.15 some gangs wait for what not even an
/// idle cluster has.
const MOST: f64 = 0.15;

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
