//! Which GPUs a guaranteed gang keeps that finds too few. In: what it may have, and what it kept. Out: those that it keeps
//! from now on: on one node that could hold it, or else whole nodes.

use super::board::{Board, Hold};
use crate::cluster::Gpus;
use crate::job::JobId;
use std::cmp::Reverse;
use switchyard_engine::View;

/// The GPUs that a job keeps, which kept these until now.
pub(super) fn keeps(
    view: &View<'_>,
    board: &Board,
    job: JobId,
    hold: Hold,
    kept: &[Gpus],
) -> Vec<Gpus> {
    // Where parameter servers lie the placement says, once there is room for all.
    if view.needs(job).servers().count > 0 {
        return Vec::new();
    }
    let gang = view.gpus(job);
    let sizes = view.node_sizes();
    let has_kept = |node: u32| kept.iter().any(|of| of.node == node);
    let of_node = |node: u32, most: u32| Gpus {
        node,
        mask: board.first(hold, node, most, kept),
    };
    let usable = usable(view, job);
    if usable.iter().any(|&node| sizes[node as usize] >= gang) {
        let could_hold = usable.iter().filter(|&&node| sizes[node as usize] >= gang);
        let there = could_hold.map(|&node| of_node(node, gang));
        let there = there.filter(|of| of.mask != 0);
        let best = there.min_by_key(|of| (!has_kept(of.node), Reverse(of.count())));
        return best.into_iter().collect();
    }
    let size = usable.iter().map(|&node| sizes[node as usize]).max();
    let Some(size) = size.filter(|&size| size > 0) else {
        return Vec::new();
    };
    let whole = usable.iter().map(|&node| of_node(node, size));
    let mut whole: Vec<Gpus> = whole.filter(|of| of.count() == size).collect();
    crate::order::sort_by_key(&mut whole, |of| (!has_kept(of.node), of.node));
    whole.truncate((gang / size) as usize);
    whole
}

/// The nodes of the first pool that could hold a gang.
fn usable(view: &View<'_>, job: JobId) -> Vec<u32> {
    let (needs, sizes) = (view.needs(job), view.node_sizes());
    let of_pool = |pool: usize| {
        let nodes = (0..sizes.len() as u32).filter(move |&node| view.pool_of(node) == pool);
        nodes.collect::<Vec<u32>>()
    };
    let pools = (0..view.pools()).filter(|&pool| needs.allows(pool));
    let could = |nodes: &Vec<u32>| {
        let gpus = nodes.iter().map(|&node| sizes[node as usize]);
        gpus.sum::<u32>() >= view.gpus(job)
    };
    pools.map(of_pool).find(could).unwrap_or_default()
}
