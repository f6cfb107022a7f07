//! What of each GPU is taken, and by whom. In: who runs where, and what gangs that wait keep. Out: which GPUs a gang may
//! have, and how loaded they are.

use crate::cluster::{Gpus, Part, Placement};
use switchyard_engine::{Standing, View};
use switchyard_interleaving::antman::{GUARANTEED_LOAD, LAST_LOAD, OPPORTUNISTIC_LOAD};

/// How a gang has its GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// With this standing: another one may have them, too.
    With(Standing),
    /// To itself.
    Alone,
}

/// The GPUs of a node, by what they are taken for: bits of a mask.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// Those there are; none of a node that takes nobody.
    open: u64,
    /// Those that a guaranteed job runs on.
    owned: u64,
    /// Those that a gang that waits keeps.
    kept: u64,
    /// Those that a job has, or keeps, to itself.
    alone: u64,
    /// Those that an opportunistic job runs on.
    visited: u64,
    /// Those that two of them run on.
    full: u64,
}

impl Node {
    fn is_there_for(&self, hold: Hold) -> u64 {
        let taken = self.owned | self.kept | self.alone;
        let shared = match hold {
            Hold::With(Standing::Guaranteed) => self.full,
            _ => self.visited,
        };
        self.open & !taken & !shared
    }

    /// The load of a GPU; none: no opportunistic job may come.
    fn load(&self, gpu: u32) -> Option<f64> {
        let is = |mask: u64| mask >> gpu & 1 == 1;
        let is_guaranteed = is(self.owned | self.kept);
        let is_taken = is(self.alone | self.full) || (is_guaranteed && is(self.visited));
        if is_taken || !is(self.open) {
            return None;
        }
        Some(if is(self.owned) {
            GUARANTEED_LOAD
        } else if is(self.kept) {
            GUARANTEED_LOAD - LAST_LOAD
        } else if is(self.visited) {
            OPPORTUNISTIC_LOAD
        } else {
            0.0
        })
    }
}

/// All nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Board(Vec<Node>);

impl Board {
    /// With those that run.
    pub(super) fn of(view: &View<'_>) -> Self {
        let nodes = view.free().node_sizes().iter();
        let open = |&size: &u32| u64::MAX.checked_shr(u64::BITS - size).unwrap_or(0);
        let nodes = nodes.map(|size| Node {
            open: open(size),
            ..Node::default()
        });
        let mut board = Self(nodes.collect());
        for job in view.ledger().running() {
            let hold = view.standing(job).map_or(Hold::Alone, Hold::With);
            board.take(view.gpus_of(job), hold);
        }
        board
    }

    /// A gang runs on these GPUs.
    pub(super) fn take(&mut self, gpus: &[Gpus], hold: Hold) {
        for &Gpus { node, mask } in gpus {
            let Some(node) = self.0.get_mut(node as usize) else {
                continue;
            };
            match hold {
                Hold::Alone => node.alone |= mask,
                Hold::With(Standing::Guaranteed) => node.owned |= mask,
                Hold::With(Standing::Opportunistic) => {
                    node.full |= node.visited & mask;
                    node.visited |= mask;
                }
            }
        }
    }

    /// A gang that waits keeps these GPUs.
    pub(super) fn keep(&mut self, gpus: &[Gpus], hold: Hold) {
        for &Gpus { node, mask } in gpus {
            if let Some(node) = self.0.get_mut(node as usize) {
                node.kept |= mask;
                node.alone |= if hold == Hold::Alone { mask } else { 0 };
            }
        }
    }

    /// It keeps them no more.
    pub(super) fn give_back(&mut self, gpus: &[Gpus]) {
        for &Gpus { node, mask } in gpus {
            if let Some(node) = self.0.get_mut(node as usize) {
                node.kept &= !mask;
                node.alone &= !mask;
            }
        }
    }

    /// The GPUs of a node that a gang may have so; an opportunistic one, idle ones.
    fn there_for(&self, hold: Hold, node: u32) -> u64 {
        let node = self.0.get(node as usize);
        node.map_or(0, |node| node.is_there_for(hold))
    }

    /// How many GPUs that are, by node.
    pub(super) fn counts(&self, hold: Hold) -> impl Iterator<Item = u32> {
        let there = self.0.iter().map(move |node| node.is_there_for(hold));
        there.map(u64::count_ones)
    }

    /// GPUs of all nodes with their loads, as far as opportunistic jobs may come.
    pub(super) fn loads(&self) -> impl Iterator<Item = (u32, u32, f64)> {
        let nodes = (0u32..).zip(&self.0);
        nodes.flat_map(|(at, node)| {
            let gpus = 0..u64::BITS - node.open.leading_zeros();
            gpus.filter_map(move |gpu| Some((at, gpu, node.load(gpu)?)))
        })
    }

    /// Which GPUs of its nodes a gang gets that is laid so: those that it has kept, then those with the lowest numbers.
    pub(super) fn name(&self, placement: &mut Placement, hold: Hold, kept: &[Gpus]) {
        for part in &mut placement.parts {
            part.wished = self.first(hold, part.node, part.gpus, kept);
        }
    }

    /// So many GPUs of a node that a gang may have, or what there is: those that it has kept, then those with the lowest
    /// numbers.
    pub(super) fn first(&self, hold: Hold, node: u32, count: u32, kept: &[Gpus]) -> u64 {
        let there = self.there_for(hold, node);
        let of_node = kept.iter().filter(|of| of.node == node);
        let kept = of_node.fold(0, |all, of| all | of.mask) & there;
        let first = lowest(kept, count);
        first | lowest(there & !kept, count - first.count_ones())
    }
}

/// So many of these, the lowest.
fn lowest(mask: u64, count: u32) -> u64 {
    let mut rest = mask;
    for _ in 0..count {
        rest &= rest.wrapping_sub(1);
    }
    mask & !rest
}

/// The GPUs that parts name.
pub(super) fn gpus(parts: &[Part]) -> Vec<Gpus> {
    let of = |part: &Part| Gpus {
        node: part.node,
        mask: part.wished,
    };
    parts.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: Hold = Hold::With(Standing::Guaranteed);
    const GUEST: Hold = Hold::With(Standing::Opportunistic);

    fn gpus(mask: u64) -> [Gpus; 1] {
        [Gpus { node: 0, mask }]
    }

    fn board() -> Board {
        Board(vec![Node {
            open: 0b1111,
            ..Node::default()
        }])
    }

    fn loads(board: &Board) -> Vec<(u32, f64)> {
        board.loads().map(|(_, gpu, load)| (gpu, load)).collect()
    }

    #[test]
    fn who_may_come_where() {
        let mut board = board();
        board.take(&gpus(0b0001), OWNER);
        board.keep(&gpus(0b0010), OWNER);
        board.take(&gpus(0b0100), GUEST);
        assert_eq!(
            board.there_for(OWNER, 0),
            0b1100,
            "not what others own or keep"
        );
        assert_eq!(board.there_for(GUEST, 0), 0b1000);
        assert_eq!(board.there_for(Hold::Alone, 0), 0b1000);
        assert_eq!(
            loads(&board),
            [(0, 0.1), (1, 0.1 - 0.01), (2, 0.9), (3, 0.0)]
        );
        board.take(&gpus(0b0111), GUEST);
        assert_eq!(loads(&board), [(3, 0.0)], "no GPU has three jobs");
        assert_eq!(board.there_for(OWNER, 0), 0b1000);
        board.give_back(&gpus(0b0010));
        assert_eq!(board.there_for(OWNER, 0), 0b1010);
    }

    #[test]
    fn nobody_comes_where_a_gang_is_alone() {
        let mut board = board();
        board.take(&gpus(0b0001), Hold::Alone);
        board.keep(&gpus(0b0010), Hold::Alone);
        assert_eq!(loads(&board), [(2, 0.0), (3, 0.0)]);
        assert_eq!(board.there_for(OWNER, 0), 0b1100);
    }

    #[test]
    fn a_gang_gets_what_it_kept_and_then_the_lowest() {
        let mut placement = Placement {
            parts: vec![Part::new(0, 3)],
        };
        board().name(&mut placement, OWNER, &gpus(0b1000));
        assert_eq!(placement.parts[0].wished, 0b1011);
        assert_eq!(lowest(0b1010, 5), 0b1010);
    }
}
