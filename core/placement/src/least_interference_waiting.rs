//! [Least interference](super::least_interference), or wait: a greedy that always places is beaten near
//! and above saturation by one rule of waiting.

use crate::cluster::Part;
use crate::gang::Gang;
use crate::least_interference;
use crate::network_state::{NetworkState, Site};
use crate::on_links::LinkPlacement;
use crate::placement::Description;

/// By how much the sum of log-slowdowns may be more than on an idle cluster. Tuned on training workloads.
const MOST: f64 = 0.1;

/// Least interference, or wait where that is too much.
pub(crate) struct LeastInterferenceWaiting;

impl LinkPlacement for LeastInterferenceWaiting {
    const DESCRIPTION: Description = Description {
        may_wait: true,
        ..Description::new(
            "least-interference-waiting",
            "As least-interference, but a gang waits where it and the jobs there would slow one another by a tenth more in all than the gang would be slowed where no job runs (tuned on training workloads).",
        )
    };

    fn lay(site: &Site<'_>, network: &NetworkState, gang: Gang, parts: &mut Vec<Part>) -> bool {
        let Some(best) = least_interference::best(site, network, gang) else {
            return false;
        };
        let alone = || {
            network.alone(site, gang, |site, network, gang| {
                least_interference::best(site, network, gang).map_or(0.0, |best| best.cost)
            })
        };
        if best.cost > MOST && !network.is_idle() && best.cost > MOST + alone() {
            return false;
        }
        *parts = best.parts;
        true
    }
}
