//! The nodes: which GPUs are free, and the state of each, whatever it follows from: failures,
//! maintenance or what the policy rents.

use super::log::RunLog;
use super::node_state::NodeState;
use super::plan::PlanErrorKind;
use super::standing::Standings;
use crate::cluster::{ClusterSpec, FreeGpus, Gpus, Occupancy, Part, PlaceError, Share, Shares};
use switchyard_model::outages::OutageKind;

pub(super) struct Nodes {
    occupancy: Occupancy,
    /// GPUs of the largest.
    pub(super) largest: u32,
    /// GPUs of all.
    pub(super) gpus: u32,
    in_use: u32,
    /// On which jobs may run: the first so many.
    rented: u32,
    /// GPUs that the present plan began to share: node, its number for it, and which it was.
    begun: Vec<(u32, u8, u8)>,
    /// Outages of each node that are not over; empty before the first.
    outages: Vec<Under>,
    /// How many nodes are closed by them.
    closed: u32,
}

/// How many outages a node is under.
#[derive(Clone, Copy, Debug, Default)]
struct Under {
    failures: u32,
    drains: u32,
}

impl Nodes {
    pub(super) fn new(cluster: &ClusterSpec) -> Self {
        Self {
            occupancy: Occupancy::new(cluster),
            largest: cluster.largest_node(),
            gpus: cluster.gpus(),
            in_use: 0,
            rented: cluster.nodes(),
            begun: Vec::new(),
            outages: Vec::new(),
            closed: 0,
        }
    }

    /// From now on GPUs can be shared.
    pub(super) fn share(&mut self, shares: Shares) {
        self.occupancy.share(shares);
    }

    /// Another plan begins.
    pub(super) fn begin_plan(&mut self) {
        self.begun.clear();
    }

    pub(super) fn free(&self) -> &FreeGpus {
        self.occupancy.free()
    }

    pub(super) fn count(&self) -> usize {
        self.free().node_sizes().len()
    }

    pub(super) fn in_use(&self) -> u32 {
        self.in_use
    }

    /// GPUs of every node, whatever its state.
    pub(super) fn sizes(&self) -> &[u32] {
        self.occupancy.sizes()
    }

    /// How many nodes take nobody because of outages.
    pub(super) fn closed(&self) -> u32 {
        self.closed
    }

    pub(super) fn state(&self, node: u32) -> NodeState {
        match self.by_outages(node) {
            NodeState::Down => NodeState::Down,
            _ if node >= self.rented => NodeState::Unrented,
            state => state,
        }
    }

    /// What outages alone make of a node.
    pub(super) fn by_outages(&self, node: u32) -> NodeState {
        match self.outages.get(node as usize) {
            Some(under) if under.failures > 0 => NodeState::Down,
            Some(under) if under.drains > 0 => NodeState::Drained,
            _ => NodeState::Up,
        }
    }

    fn all_up(&self) -> bool {
        self.closed == 0 && self.rented as usize >= self.count()
    }

    /// Hands out GPUs for the log's next segment; says which GPU, where it is a share of one.
    pub(super) fn take(
        &mut self,
        parts: &[Part],
        log: &mut RunLog,
    ) -> Result<Option<Part>, PlanErrorKind> {
        let mut shared = None;
        for part in parts {
            let &Part {
                node,
                gpus,
                share,
                wished,
                ..
            } = part;
            self.check_up(node)?;
            if !part.has_workers() {
                if node as usize >= self.count() {
                    return Err(PlanErrorKind::Place(PlaceError::NoSuchNode(node)));
                }
                continue;
            }
            if let Some(share) = share {
                let share = self.take_share(node, share)?;
                let mask = 1 << share.gpu;
                log.push_gpus(Gpus { node, mask });
                shared = Some(Part::of_share(node, share));
                continue;
            }
            let gpus = self.occupancy.take(node, gpus, wished);
            let gpus = gpus.map_err(PlanErrorKind::Place)?;
            self.in_use += gpus.count();
            log.push_gpus(gpus);
        }
        Ok(shared)
    }

    /// Whether jobs may come to a node. Beyond the cluster there is nothing that has a state.
    fn check_up(&self, node: u32) -> Result<(), PlanErrorKind> {
        if self.all_up() || (node as usize) >= self.count() {
            return Ok(());
        }
        match self.state(node) {
            NodeState::Up => Ok(()),
            NodeState::Unrented => {
                let rented = self.rented;
                Err(PlanErrorKind::NotRented { node, rented })
            }
            state @ (NodeState::Drained | NodeState::Down) => {
                Err(PlanErrorKind::NodeNotUp { node, state })
            }
        }
    }

    /// Hands out, for the log's next segment, exactly the GPUs that parts wish for: free ones, and such as one job with
    /// a standing has. Returns how many were free.
    #[cold]
    pub(super) fn take_co_located(
        &mut self,
        parts: &[Part],
        standings: &Standings,
        log: &mut RunLog,
    ) -> Result<u32, PlanErrorKind> {
        let mut taken = 0;
        for part in parts {
            let &Part { node, wished, .. } = part;
            self.check_up(node)?;
            if node as usize >= self.count() {
                return Err(PlanErrorKind::Place(PlaceError::NoSuchNode(node)));
            }
            let full = |gpu: u32| PlaceError::GpuFull {
                node,
                gpu: gpu as u8,
            };
            let all = Gpus { node, mask: wished };
            let mut free = Gpus { node, mask: 0 };
            for gpu in all.numbers() {
                match standings.count(node, gpu) {
                    0 => free.mask |= 1 << gpu,
                    there if there < Standings::MOST => {}
                    _ => return Err(PlanErrorKind::Place(full(gpu))),
                }
            }
            let got = self.occupancy.take(node, free.count(), free.mask);
            let got = got.map_err(PlanErrorKind::Place)?;
            if let Some(gpu) = free.numbers().find(|gpu| got.mask >> gpu & 1 == 0) {
                return Err(PlanErrorKind::Place(full(gpu)));
            }
            taken += free.count();
            log.push_gpus(all);
        }
        self.in_use += taken;
        Ok(taken)
    }

    #[cold]
    fn take_share(&mut self, node: u32, share: Share) -> Result<Share, PlanErrorKind> {
        let mut begun = self.begun.iter();
        let known = begun.find(|of| (of.0, of.1) == (node, share.gpu));
        let wanted = Share {
            gpu: known.map_or(share.gpu, |&(_, _, gpu)| gpu),
            ..share
        };
        let given = self.occupancy.take_share(node, wanted);
        let given = given.map_err(PlanErrorKind::Place)?;
        if given.gpu != wanted.gpu {
            self.in_use += 1;
            self.begun.push((node, share.gpu, given.gpu));
        }
        Ok(given)
    }

    pub(super) fn give_share(&mut self, node: u32, share: Share) {
        self.in_use -= u32::from(self.occupancy.give_share(node, share));
    }

    pub(super) fn give(&mut self, gpus: &[Gpus]) {
        for &gpus in gpus {
            self.in_use -= gpus.count();
            self.occupancy.give(gpus);
        }
    }

    /// Rents the first so many, if there are as many; nobody runs on the others.
    pub(super) fn rent(&mut self, nodes: u32) -> u32 {
        self.rented = nodes.min(self.count() as u32);
        self.rented
    }

    /// An outage of a node begins, or is over. The caller sees to those on it.
    pub(super) fn change(&mut self, node: u32, kind: OutageKind, begins: bool) {
        if self.outages.is_empty() {
            self.outages = vec![Under::default(); self.count()];
        }
        let was_open = self.by_outages(node) == NodeState::Up;
        let Some(under) = self.outages.get_mut(node as usize) else {
            return;
        };
        let count = match kind {
            OutageKind::Failure => &mut under.failures,
            OutageKind::Drain => &mut under.drains,
        };
        *count = if begins {
            *count + 1
        } else {
            count.saturating_sub(1)
        };
        let is_open = self.by_outages(node) == NodeState::Up;
        if was_open && !is_open {
            self.occupancy.close(node);
            self.closed += 1;
        } else if is_open && !was_open {
            self.occupancy.open(node);
            self.closed -= 1;
        }
    }
}
