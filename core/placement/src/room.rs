//! What is free for gangs to be laid on, for a policy to try its plan on: GPUs, and in clusters of
//! unlike nodes also what they are. All that unlike nodes change for policies and placements is
//! here and in [`Budget`]: a gang is laid within one [pool](Pools) of nodes, on the fastest where the
//! placement finds room, and a placement sees of nodes what the gang can use.

use crate::cluster::{FreeGpus, Needs, Part, Placement, Pools, Spare};
use crate::gang::Gang;
use crate::job::JobId;
use crate::network_state::{NetworkContext, NetworkState, Resident, Site};
use crate::servers;
use std::sync::Arc;

/// Free GPUs, and cores and memory where they are known.
#[derive(Debug, Default)]
pub struct Room {
    free: FreeGpus,
    /// `None` where all nodes are alike, so that GPUs are all that counts.
    unlike: Option<Unlike>,
    /// GPUs of the largest node.
    node_size: u32,
    /// Of links, where the placement looks at them.
    network_state: Option<Box<NetworkState>>,
}

#[derive(Debug)]
struct Unlike {
    pools: Arc<Pools>,
    spare: Spare,
}

impl Room {
    /// Becomes what is given, without allocating if it was as large. `unlike`: the pools and what
    /// is spare, where nodes are not alike.
    pub fn set(&mut self, free: &FreeGpus, node_size: u32, unlike: Option<(&Arc<Pools>, &Spare)>) {
        self.free.copy_from(free);
        self.node_size = node_size;
        if self.unlike.is_some() || unlike.is_some() {
            self.set_unlike(unlike);
        }
    }

    #[cold]
    fn set_unlike(&mut self, unlike: Option<(&Arc<Pools>, &Spare)>) {
        match (&mut self.unlike, unlike) {
            (Some(own), Some((pools, spare))) => {
                own.pools.clone_from(pools);
                own.spare.copy_from(spare);
            }
            (own, unlike) => {
                *own = unlike.map(|(pools, spare)| Unlike {
                    pools: Arc::clone(pools),
                    spare: spare.clone(),
                });
            }
        }
    }

    /// Sees who runs where, for a placement that looks at links.
    pub fn see<'a>(
        &mut self,
        network_context: &Arc<NetworkContext>,
        running: impl Iterator<Item = Resident<'a>>,
    ) {
        let network_state = self
            .network_state
            .get_or_insert_with(|| Box::new(NetworkState::new(network_context)));
        network_state.follow(running);
    }

    /// The links, where the placement looks at them.
    pub fn network_state(&self) -> Option<&NetworkState> {
        self.network_state.as_deref()
    }

    /// Free GPUs.
    pub fn free(&self) -> &FreeGpus {
        &self.free
    }

    /// Free GPUs in all.
    pub fn total(&self) -> u32 {
        self.free.total()
    }

    /// The same nodes with so many free GPUs each.
    pub fn set_free(&mut self, free: &[u32]) {
        self.free = self.free.with_free(free);
    }

    /// Free GPUs by pool, to be given out before anybody is laid.
    pub fn budget(&self) -> Budget {
        let Some(unlike) = &self.unlike else {
            return Budget::of(self.free.total());
        };
        let mut by_pool = vec![0; unlike.pools.len()];
        for (node, &free) in (0u32..).zip(self.free.per_node()) {
            by_pool[unlike.pools.of_node(node)] += free;
        }
        Budget::by_pool(by_pool)
    }

    /// Nodes of one kind, with what is free of them, as a placement sees them.
    pub(crate) fn site<'a>(&'a self, free: &'a FreeGpus, node_size: u32) -> Site<'a> {
        let spare = self.unlike.as_ref().map(|unlike| &unlike.spare);
        Site {
            network_state: self.network_state(),
            all: Some((&self.free, spare)),
            ..Site::of(free, node_size)
        }
    }

    /// Has `lay` lay a gang's workers where they may lie: on all nodes if they are alike, else on the
    /// nodes of one pool after another, the fastest first, until it succeeds; and puts its parameter
    /// servers [near them](servers). Where these find no room so, room is set aside for them first.
    pub fn lay(
        &self,
        gang: Gang,
        placement: &mut Placement,
        mut lay: impl FnMut(&FreeGpus, u32, Gang, &mut Placement) -> bool,
    ) -> bool {
        match &self.unlike {
            Some(unlike) => self.lay_in_a_pool(unlike, gang, placement, lay),
            None => {
                lay(&self.free, self.node_size, gang, placement)
                    && servers::put(&mut placement.parts, gang.needs, &self.free, None)
            }
        }
    }

    #[cold]
    fn lay_in_a_pool(
        &self,
        unlike: &Unlike,
        gang: Gang,
        placement: &mut Placement,
        mut lay: impl FnMut(&FreeGpus, u32, Gang, &mut Placement) -> bool,
    ) -> bool {
        let spare = &unlike.spare;
        if self.lay_beside(unlike, spare, gang, placement, &mut lay) {
            return true;
        }
        if gang.needs.servers().count > 0 {
            for pool in (0..unlike.pools.len()).filter(|&pool| gang.needs.allows(pool)) {
                let free = |node: u32| match unlike.pools.of_node(node) == pool {
                    true => self.free.per_node()[node as usize],
                    false => 0,
                };
                let open =
                    (0..self.free.per_node().len() as u32).filter(|&node| self.free.is_open(node));
                let mut spare = spare.clone();
                let within = Gang {
                    needs: gang.needs.within(pool),
                    ..gang
                };
                if spare.reserve(gang.needs, open, free)
                    && self.lay_beside(unlike, &spare, within, placement, &mut lay)
                {
                    return true;
                }
            }
        }
        placement.parts.clear();
        false
    }

    /// The same where so much is spare.
    fn lay_beside(
        &self,
        unlike: &Unlike,
        spare: &Spare,
        gang: Gang,
        placement: &mut Placement,
        lay: &mut impl FnMut(&FreeGpus, u32, Gang, &mut Placement) -> bool,
    ) -> bool {
        let nodes = self.free.per_node().iter().zip(self.free.node_sizes());
        let mut largest = vec![0u32; unlike.pools.len()];
        let usable: Vec<(usize, u32, u32)> = (0u32..)
            .zip(nodes)
            .map(|(node, (&free, &size))| {
                let pool = unlike.pools.of_node(node);
                let (free, size) = spare.most(node, free, size, gang.needs);
                largest[pool] = largest[pool].max(size);
                (pool, free, size)
            })
            .collect();
        for (pool, &largest) in largest.iter().enumerate() {
            if largest == 0 || !gang.needs.allows(pool) {
                continue;
            }
            let here = |of: usize, gpus: u32| if of == pool { gpus } else { 0 };
            let free = usable.iter().map(|&(of, free, _)| here(of, free)).collect();
            let sizes: Vec<u32> = usable.iter().map(|&(of, _, size)| here(of, size)).collect();
            let shares = self.free.shares().map(|shares| {
                let has_room = |node| spare.most(node, 1, 1, gang.needs).0 == 1;
                shares.of_nodes(|node| unlike.pools.of_node(node) == pool && has_room(node))
            });
            let free = self.free.narrowed(free, &sizes, shares);
            if lay(&free, largest, gang, placement)
                && servers::put(
                    &mut placement.parts,
                    gang.needs,
                    &self.free,
                    Some(&unlike.spare),
                )
            {
                return true;
            }
        }
        false
    }

    /// Whether who held these may keep them.
    pub fn fits(&self, parts: &[Part], needs: Needs) -> bool {
        let spare = self.unlike.as_ref();
        self.free.fits(parts) && spare.is_none_or(|unlike| unlike.spare.fits(parts, needs))
    }

    /// Counts a gang's parts as taken. The caller has seen that they fit.
    pub fn take(&mut self, job: JobId, parts: &[Part], needs: Needs) {
        if let Some(network_state) = &mut self.network_state {
            network_state.take(job, parts, needs);
        }
        self.free.take(parts);
        if let Some(unlike) = &mut self.unlike {
            unlike.spare.take(parts, needs);
        }
    }

    /// Whether a gang has cores and memory beside another one that has these GPUs.
    pub fn has_spare(&self, parts: &[Part], needs: Needs) -> bool {
        let unlike = self.unlike.as_ref();
        unlike.is_none_or(|unlike| unlike.spare.fits(parts, needs))
    }

    /// Counts a gang as running on GPUs that another one has, too. The caller has seen that it has cores and memory.
    pub fn take_beside(&mut self, job: JobId, parts: &[Part], needs: Needs) {
        if let Some(network_state) = &mut self.network_state {
            network_state.take(job, parts, needs);
        }
        if let Some(unlike) = &mut self.unlike {
            unlike.spare.take(parts, needs);
        }
    }

    /// Counts a gang as gone from GPUs that another one keeps.
    pub fn give_beside(&mut self, job: JobId, parts: &[Part], needs: Needs) {
        if let Some(network_state) = &mut self.network_state {
            network_state.give(job);
        }
        if let Some(unlike) = &mut self.unlike {
            unlike.spare.give(parts, needs);
        }
    }

    /// Counts a gang's parts as free again.
    pub fn give(&mut self, job: JobId, parts: &[Part], needs: Needs) {
        if let Some(network_state) = &mut self.network_state {
            network_state.give(job);
        }
        self.free.give(parts);
        if let Some(unlike) = &mut self.unlike {
            unlike.spare.give(parts, needs);
        }
    }

    /// Which pool a node is in; 0 where all are alike.
    pub fn pool_of(&self, node: u32) -> usize {
        let unlike = self.unlike.as_ref();
        unlike.map_or(0, |unlike| unlike.pools.of_node(node))
    }
}

/// GPUs to be given out by count, by pool where nodes are unlike: whom they are given to, each gang in
/// the fastest pool that has enough for it, is laid afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    total: u32,
    /// Empty where all nodes are alike.
    by_pool: Vec<u32>,
}

impl Budget {
    /// So many GPUs of nodes that are all alike.
    pub fn of(total: u32) -> Self {
        Self {
            total,
            by_pool: Vec::new(),
        }
    }

    /// So many GPUs of each pool.
    pub fn by_pool(by_pool: Vec<u32>) -> Self {
        Self {
            total: by_pool.iter().sum(),
            by_pool,
        }
    }

    /// GPUs in all.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// Whether GPUs are told apart.
    pub fn is_by_pool(&self) -> bool {
        !self.by_pool.is_empty()
    }

    /// The most GPUs that a gang which may use these pools can get.
    pub fn most(&self, pools: u64) -> u32 {
        if self.by_pool.is_empty() {
            self.total
        } else {
            self.most_of_a_pool(pools)
        }
    }

    #[cold]
    fn most_of_a_pool(&self, pools: u64) -> u32 {
        let allowed = (0..).zip(&self.by_pool);
        let allowed = allowed.filter(|&(pool, _)| pools >> pool & 1 == 1);
        allowed.map(|(_, &left)| left).max().unwrap_or(0)
    }

    /// Gives a gang its GPUs, if they are there.
    pub fn take(&mut self, gpus: u32, pools: u64) -> bool {
        let fits = match self.is_by_pool() {
            true => self.take_of_a_pool(gpus, pools),
            false => gpus <= self.total,
        };
        if fits {
            self.total -= gpus;
        }
        fits
    }

    #[cold]
    fn take_of_a_pool(&mut self, gpus: u32, pools: u64) -> bool {
        let allowed = |pool: usize| pools >> pool & 1 == 1;
        let mut left = (self.by_pool.iter_mut()).enumerate();
        let found = left.find(|(pool, left)| allowed(*pool) && **left >= gpus);
        if let Some((_, left)) = found {
            *left -= gpus;
            return true;
        }
        false
    }

    /// Gives who holds so many GPUs, on these parts, the same again, if they are there. Those on
    /// closed nodes count for nothing.
    pub fn keep<'p>(&mut self, gpus: u32, parts: impl FnOnce() -> &'p [Part], room: &Room) -> bool {
        if gpus > self.total {
            return false;
        }
        let fits = !self.is_by_pool() || self.keep_by_pool(parts(), room);
        if fits {
            self.total -= gpus;
        }
        fits
    }

    #[cold]
    fn keep_by_pool(&mut self, parts: &[Part], room: &Room) -> bool {
        let before = self.by_pool.clone();
        for part in parts.iter().filter(|part| room.free.is_open(part.node)) {
            let left = &mut self.by_pool[room.pool_of(part.node)];
            let Some(rest) = left.checked_sub(part.gpus) else {
                self.by_pool = before;
                return false;
            };
            *left = rest;
        }
        true
    }

    /// Adds so many GPUs, which are these parts but for those on closed nodes.
    pub fn add<'p>(&mut self, gpus: u32, all: impl Iterator<Item = &'p [Part]>, room: &Room) {
        self.total += gpus;
        if self.is_by_pool() {
            for part in all.flatten().filter(|part| room.free.is_open(part.node)) {
                self.by_pool[room.pool_of(part.node)] += part.gpus;
            }
        }
    }
}
