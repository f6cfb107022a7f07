//! What a placement is: a [`Description`] for people, and how it lays a gang or a share of a GPU.

use crate::cluster::{FreeGpus, Part, Share};
use crate::gang::Gang;
use crate::network_state::{NetworkState, Site};
use crate::share;

/// What a placement says of itself.
#[derive(Clone, Copy)]
pub(crate) struct Description {
    /// The name used in specs.
    pub(crate) name: &'static str,
    /// What it does, in a sentence or two.
    pub(crate) summary: &'static str,
    /// Whether it may make a gang wait although enough GPUs are free.
    pub(crate) may_wait: bool,
    /// Whether it asks for [`Gang::skewed`].
    pub(crate) by_skew: bool,
    /// Whether it has learned, so that it wants weights and [`Gang::asker`].
    pub(crate) is_learned: bool,
    /// Whether it lays gangs [on links](Placement::ON_LINKS), and asks for [`Gang::profile`]: the table sees to it.
    pub(crate) looks_at_links: bool,
}

impl Description {
    /// Of one that never waits and looks at free GPUs alone.
    pub(crate) const fn new(name: &'static str, summary: &'static str) -> Self {
        Self {
            name,
            summary,
            may_wait: false,
            by_skew: false,
            is_learned: false,
            looks_at_links: false,
        }
    }
}

/// Lays a gang, and perhaps its parameter servers, on a site whose links are in sight; `false`: it must wait.
pub(crate) type OnLinks =
    fn(site: &Site<'_>, network_state: &NetworkState, gang: Gang, parts: &mut Vec<Part>) -> bool;

/// A placement. (Its functions take no `self`, so that a page which only names placements need not hold them.)
pub(crate) trait Placement {
    /// What it says of itself.
    const DESCRIPTION: Description;

    /// How it lays a gang on a site whose links are in sight, if it looks at them.
    const ON_LINKS: Option<OnLinks> = None;

    /// Lays a gang of no more GPUs than are free on nodes of at most `node_size` GPUs, one part a node; `false`: it
    /// must wait, and what is in the list means nothing.
    fn lay(free: &FreeGpus, node_size: u32, gang: Gang, parts: &mut Vec<Part>) -> bool;

    /// Lays a share of one GPU; `None`: it must wait.
    fn lay_share(free: &FreeGpus, node_size: u32, share: Share) -> Option<Part> {
        share::tightest(free, node_size, share, Self::lay)
    }
}
