//! Placements that look at links. Where no links are in sight, they lay gangs by [`LeastFragmentation`].

use crate::cluster::{FreeGpus, Part};
use crate::gang::Gang;
use crate::least_fragmentation::LeastFragmentation;
use crate::network_state::{NetworkState, Site};
use crate::placement::{Description, OnLinks, Placement};

/// A placement that looks at links.
pub(crate) trait LinkPlacement {
    /// What it says of itself.
    const DESCRIPTION: Description;

    /// Lays a gang, and perhaps its parameter servers, on a site whose links are in sight; `false`: it must wait.
    fn lay(site: &Site<'_>, network: &NetworkState, gang: Gang, parts: &mut Vec<Part>) -> bool;
}

impl<P: LinkPlacement> Placement for P {
    const DESCRIPTION: Description = P::DESCRIPTION;
    const ON_LINKS: Option<OnLinks> = Some(P::lay);

    fn lay(free: &FreeGpus, node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool {
        LeastFragmentation::lay(free, node_size, gang, parts)
    }
}
