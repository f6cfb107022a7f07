//! From numbers of GPUs to nodes. In: how many GPUs of a kind each job is to have, what is free, who may stay. Out: parts.
//!
//! Whole nodes first, what is left on the node where it fits best. If somebody finds no room so, all of the kind are
//! laid anew, the largest first; then a job may straddle nodes.

use crate::cluster::Part;
use crate::order;
use crate::rigid::{has, take};
use std::cmp::Reverse;

/// A job that is to have GPUs of a kind.
pub(super) struct Wanted<'a> {
    pub(super) gpus: u32,
    /// What it has, if it is to have as many of the same kind.
    pub(super) has: Option<&'a [Part]>,
}

/// The nodes of a kind that take jobs.
pub(super) struct Nodes<'a> {
    /// Which ones of the cluster's.
    pub(super) open: &'a [u32],
    /// GPUs of each.
    pub(super) size: u32,
}

/// Lays jobs on nodes of which `free` are free, by node of the cluster. The jobs want no more than that together. Who is
/// to be laid in another way is by `as_told`, which is given what is left, if that finds room: nobody waits for a better place.
pub(super) fn lay(
    wanted: &[Wanted<'_>],
    nodes: &Nodes<'_>,
    free: &[u32],
    as_told: impl Fn(usize, &[u32]) -> Option<Vec<Part>>,
) -> Vec<Vec<Part>> {
    let mut laid = vec![Vec::new(); wanted.len()];
    let mut left = free.to_vec();
    let mut coming: Vec<usize> = Vec::new();
    for (at, of) in wanted.iter().enumerate() {
        match of.has {
            Some(parts) if has(&left, parts) => {
                take(&mut left, parts);
                laid[at] = parts.to_vec();
            }
            _ => coming.push(at),
        }
    }
    order::sort_by_key(&mut coming, |&at| Reverse(wanted[at].gpus));
    for &at in &coming {
        let told = as_told(at, &left);
        let Some(parts) = told.or_else(|| find(&left, nodes, wanted[at].gpus)) else {
            return anew(wanted, nodes, free, as_told);
        };
        take(&mut left, &parts);
        laid[at] = parts;
    }
    laid
}

/// Lays all jobs, wherever they are now.
fn anew(
    wanted: &[Wanted<'_>],
    nodes: &Nodes<'_>,
    free: &[u32],
    as_told: impl Fn(usize, &[u32]) -> Option<Vec<Part>>,
) -> Vec<Vec<Part>> {
    let mut laid = vec![Vec::new(); wanted.len()];
    let mut left = free.to_vec();
    let mut all: Vec<usize> = (0..wanted.len()).collect();
    order::sort_by_key(&mut all, |&at| Reverse(wanted[at].gpus));
    for at in all {
        let gpus = wanted[at].gpus;
        let parts = as_told(at, &left).or_else(|| find(&left, nodes, gpus));
        let parts = parts.unwrap_or_else(|| straddle(&left, nodes.open, gpus));
        take(&mut left, &parts);
        laid[at] = parts;
    }
    laid
}

/// Whole nodes, and what is left on the fullest node where it fits.
fn find(free: &[u32], nodes: &Nodes<'_>, gpus: u32) -> Option<Vec<Part>> {
    let Nodes { open, size } = *nodes;
    let on = |node: u32| free.get(node as usize).copied().unwrap_or(0);
    let (whole, rest) = ((gpus / size) as usize, gpus % size);
    let idle = open.iter().filter(|&&node| on(node) == size).take(whole);
    let mut parts: Vec<Part> = idle.map(|&node| Part::new(node, size)).collect();
    if parts.len() < whole {
        return None;
    }
    if rest > 0 {
        let is_taken = |node: u32| parts.iter().any(|part| part.node == node);
        let room = open.iter().copied();
        let room = room.filter(|&node| on(node) >= rest && !is_taken(node));
        let node = room.min_by_key(|&node| (on(node), node))?;
        parts.push(Part::new(node, rest));
        order::sort_by_key(&mut parts, |part| part.node);
    }
    Some(parts)
}

/// GPUs of several nodes, the emptiest first.
fn straddle(free: &[u32], nodes: &[u32], gpus: u32) -> Vec<Part> {
    let on = |node: u32| free.get(node as usize).copied().unwrap_or(0);
    let mut emptiest: Vec<u32> = nodes.iter().copied().filter(|&node| on(node) > 0).collect();
    order::sort_by_key(&mut emptiest, |&node| (Reverse(on(node)), node));
    let mut parts = Vec::new();
    let mut wanted = gpus;
    for node in emptiest {
        if wanted == 0 {
            break;
        }
        let some = wanted.min(on(node));
        parts.push(Part::new(node, some));
        wanted -= some;
    }
    order::sort_by_key(&mut parts, |part| part.node);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn on(wanted: &[Wanted<'_>], open: &[u32], size: u32, free: &[u32]) -> Vec<Vec<Part>> {
        lay(wanted, &Nodes { open, size }, free, |_, _| None)
    }

    fn new(gpus: u32) -> Wanted<'static> {
        Wanted { gpus, has: None }
    }

    #[test]
    fn who_has_what_it_is_to_have_stays() {
        let has = [Part::new(1, 2)];
        let stays = Wanted {
            gpus: 2,
            has: Some(&has),
        };
        let laid = on(&[new(2), stays, new(4)], &[0, 1, 2], 4, &[4, 4, 4]);
        // The other two go beside it, on the fullest node.
        assert_eq!(laid[1], has);
        assert_eq!(laid[0], [Part::new(1, 2)]);
        assert_eq!(laid[2], [Part::new(0, 4)]);
    }

    #[test]
    fn who_is_in_the_way_moves() {
        let (a, b) = ([Part::new(0, 1)], [Part::new(1, 1)]);
        let with = |has| Wanted {
            gpus: 1,
            has: Some(has),
        };
        let laid = on(&[with(&a), with(&b), new(4)], &[0, 1], 4, &[4, 4]);
        assert_eq!(laid[2], [Part::new(0, 4)]);
        assert_eq!((&*laid[0], &*laid[1]), (&[Part::new(1, 1)][..], &b[..]));
    }

    #[test]
    fn a_job_may_straddle_where_nothing_else_is_left() {
        let laid = on(&[new(3), new(3), new(2)], &[0, 1], 4, &[4, 4]);
        assert_eq!(laid[2], [Part::new(0, 1), Part::new(1, 1)]);
    }

    proptest! {
        /// Everybody has all it wants, of the kind's free GPUs alone, and none is given twice.
        #[test]
        fn everybody_has_what_it_wants(
            size in 1u32..9,
            used in prop::collection::vec(0u32..9, 1..12),
            asked in prop::collection::vec(1u32..20, 0..20),
        ) {
            let free: Vec<u32> = used.iter().map(|used| size - used.min(&size)).collect();
            let nodes: Vec<u32> = (0..free.len() as u32).collect();
            let mut left: u32 = free.iter().sum();
            let mut wanted = Vec::new();
            for gpus in asked {
                if gpus <= left {
                    left -= gpus;
                    wanted.push(new(gpus));
                }
            }
            let laid = on(&wanted, &nodes, size, &free);
            let mut given = vec![0; free.len()];
            for (of, parts) in wanted.iter().zip(&laid) {
                prop_assert_eq!(Part::gpus_of(parts), of.gpus);
                prop_assert!(parts.windows(2).all(|two| two[0].node < two[1].node));
                for part in parts {
                    given[part.node as usize] += part.gpus;
                }
            }
            prop_assert!(given.iter().zip(&free).all(|(given, free)| given <= free));
        }
    }
}
