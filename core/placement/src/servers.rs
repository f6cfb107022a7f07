//! Where parameter servers go, under every placement: near the workers of their job, which are laid
//! first. They are dealt out one at a time over the workers' own nodes, those with most workers first;
//! whoever finds no cores or memory there goes to other nodes of the workers' racks, then to any, dealt
//! out likewise. Which GPUs a node has does not matter to them.

use crate::cluster::{FreeGpus, Needs, Part, Spare};
use crate::order;
use std::cmp::Reverse;

/// A node that may take servers, its workers, and how many it has room for.
struct Candidate {
    node: u32,
    workers: u32,
    room: u32,
}

/// Adds the servers of a gang whose workers are laid, unless they are, too; `false`: there is no room for
/// all of them.
pub(super) fn put(
    parts: &mut Vec<Part>,
    needs: Needs,
    free: &FreeGpus,
    spare: Option<&Spare>,
) -> bool {
    needs.servers().count == 0 || deal_out(parts, needs, free, spare)
}

#[cold]
fn deal_out(parts: &mut Vec<Part>, needs: Needs, free: &FreeGpus, spare: Option<&Spare>) -> bool {
    let laid = parts.iter().map(|part| part.servers).sum();
    let mut left = needs.servers().count.saturating_sub(laid);
    if left == 0 {
        return true;
    }
    let candidate = |node: u32, workers: u32| Candidate {
        node,
        workers,
        room: spare.map_or(u32::MAX, |spare| spare.most_servers(node, workers, needs)),
    };
    let own = parts.iter().map(|part| candidate(part.node, part.width()));
    let mut own: Vec<Candidate> = own.collect();
    order::sort_by_key(&mut own, |of| (Reverse(of.workers), of.node));
    let given = deal(&own, &mut left);
    for (of, servers) in own.iter().zip(given) {
        if let Some(part) = parts.iter_mut().find(|part| part.node == of.node) {
            part.servers += servers;
        }
    }
    if left == 0 {
        return true;
    }
    let rack = |node: u32| free.racks().get(node as usize);
    let others = (0..free.per_node().len() as u32)
        .filter(|&node| free.is_open(node) && !own.iter().any(|of| of.node == node));
    let (near, far): (Vec<u32>, Vec<u32>) =
        others.partition(|&node| own.iter().any(|of| rack(of.node) == rack(node)));
    for nodes in [near, far] {
        let others: Vec<Candidate> = nodes.into_iter().map(|node| candidate(node, 0)).collect();
        let given = deal(&others, &mut left);
        let taken = others.iter().zip(given).filter(|(_, servers)| *servers > 0);
        parts.extend(taken.map(|(of, servers)| Part::of_servers(of.node, servers)));
    }
    left == 0
}

/// Gives one to each in turn, as long as some are left and somebody has room.
fn deal(candidates: &[Candidate], left: &mut u32) -> Vec<u32> {
    let mut given = vec![0; candidates.len()];
    let mut dealt = true;
    while *left > 0 && dealt {
        dealt = false;
        for (of, given) in candidates.iter().zip(&mut given) {
            if *left > 0 && *given < of.room {
                *given += 1;
                *left -= 1;
                dealt = true;
            }
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{ClusterSpec, Pools};
    use crate::job::{Demand, Servers};

    fn laid(cluster: &str, workers: &[(u32, u32)], servers: Servers) -> Option<Vec<(u32, u32)>> {
        let cluster: ClusterSpec = cluster.parse().expect("a cluster");
        let pools = Pools::of(&cluster);
        let gpus = workers.iter().map(|&(_, gpus)| gpus).sum();
        let demand = Demand {
            servers,
            ..Demand::default()
        };
        let needs = pools.needs(&cluster, gpus, &demand, &[]);
        let mut parts: Vec<Part> = workers
            .iter()
            .map(|&(n, gpus)| Part::new(n, gpus))
            .collect();
        let spare = Spare::all(&pools);
        let put = put(&mut parts, needs, &FreeGpus::all(&cluster), Some(&spare));
        let there = parts.iter().filter(|part| part.servers > 0);
        put.then(|| there.map(|part| (part.node, part.servers)).collect())
    }

    #[test]
    fn beside_the_workers_then_in_their_racks_then_anywhere() {
        let some = |count, cores| Servers {
            count,
            cores,
            memory: 0,
        };
        let workers = [(0, 1), (1, 3)];
        assert_eq!(
            laid("6x4/racks=3", &workers, some(1, 0)),
            Some(vec![(1, 1)])
        );
        assert_eq!(
            laid("6x4/racks=3", &workers, some(3, 0)),
            Some(vec![(0, 1), (1, 2)])
        );
        // Two cores a node: one server each.
        let small = "6x4/cores=2/racks=2";
        assert_eq!(
            laid(small, &workers, some(4, 2000)),
            Some(vec![(0, 1), (1, 1), (2, 1), (3, 1)])
        );
        assert_eq!(laid(small, &workers, some(7, 2000)), None);
        assert_eq!(laid(small, &workers, some(1, 3000)), None);
    }
}
