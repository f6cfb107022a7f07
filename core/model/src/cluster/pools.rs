//! Nodes by what may run on them. A *pool* is all nodes whose GPUs are of one type (and memory and
//! speed); a gang lies in one pool. Pools are numbered by speed, the fastest first, which is the order
//! in which they are filled. In: a cluster and what jobs demand. Out: what each may use.

use super::{ClusterSpec, CorePart, Part, TypeId};
use crate::demand::{Demand, Servers};
use crate::order;

/// Which nodes a gang may lie on, and what it needs there besides GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Needs {
    /// Bit `i`: pool `i` will do.
    pools: u64,
    /// The GPUs over which cores and memory are shared.
    gpus: u32,
    /// Thousandths.
    cores: u32,
    /// MiB.
    memory: u32,
    /// Beside the workers; cores and memory of each where it is known how much there is.
    servers: Servers,
}

impl Default for Needs {
    fn default() -> Self {
        Self::NONE
    }
}

impl Needs {
    /// Nothing besides GPUs, wherever they are.
    pub const NONE: Self = Self {
        pools: u64::MAX,
        gpus: 1,
        cores: 0,
        memory: 0,
        servers: Servers::NONE,
    };

    /// Its parameter servers.
    pub fn servers(self) -> Servers {
        self.servers
    }

    /// Bit `i`: pool `i` will do.
    pub fn pools(self) -> u64 {
        self.pools
    }

    /// Whether nodes of a pool will do.
    pub fn allows(self, pool: usize) -> bool {
        pool < 64 && self.pools >> pool & 1 == 1
    }

    /// The same, in one pool only.
    #[must_use]
    pub fn within(self, pool: usize) -> Self {
        let only = 1u64.checked_shl(pool as u32).unwrap_or(0);
        Self {
            pools: self.pools & only,
            ..self
        }
    }

    /// Whether it needs cores or memory, of which it is known how much there is.
    pub fn takes_cores_or_memory(self) -> bool {
        (self.cores, self.memory) != (0, 0) || self.bounds_servers()
    }

    /// Whether it has parameter servers that do not fit anywhere.
    fn bounds_servers(self) -> bool {
        let Servers {
            count,
            cores,
            memory,
        } = self.servers;
        count > 0 && (cores, memory) != (0, 0)
    }

    /// Cores and memory on a node where it has so many GPUs, and so many parameter servers.
    fn on(self, gpus: u32, servers: u32) -> Capacity {
        let share = |all: u32| (u64::from(all) * u64::from(gpus)).div_ceil(u64::from(self.gpus));
        let each = |of: u32| u64::from(of) * u64::from(servers);
        Capacity {
            cores: share(self.cores) + each(self.servers.cores),
            memory: share(self.memory) + each(self.servers.memory),
        }
    }

    /// The same of a part.
    fn of(self, part: &Part) -> Capacity {
        self.on(part.width(), part.servers)
    }

    /// How many parameter servers fit into that.
    fn most_servers(self, there: Capacity) -> u32 {
        let of = |each: u32, there: u64| match u64::from(each) {
            0 => u64::MAX,
            each => there / each,
        };
        let Servers { cores, memory, .. } = self.servers;
        let most = of(cores, there.cores).min(of(memory, there.memory));
        u32::try_from(most).unwrap_or(u32::MAX)
    }

    /// How many of so many GPUs it can use where so much is there for them.
    fn most(self, gpus: u32, there: Capacity) -> u32 {
        let of = |all: u32, there: u64| match u64::from(all) {
            0 => u64::MAX,
            all => there.saturating_mul(u64::from(self.gpus)) / all,
        };
        let most = of(self.cores, there.cores).min(of(self.memory, there.memory));
        u64::from(gpus).min(most) as u32
    }
}

/// Cores (thousandths) and memory (MiB) of a node; the greatest number where they are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Capacity {
    pub(super) cores: u64,
    pub(super) memory: u64,
}

impl Capacity {
    /// Nothing.
    pub(super) const NONE: Self = Self {
        cores: 0,
        memory: 0,
    };

    /// Of a job without GPUs.
    pub(super) fn of(part: &CorePart) -> Self {
        Self {
            cores: part.cores.into(),
            memory: part.memory.into(),
        }
    }

    /// So many of so many equal parts, rounded up; nothing of what is not known.
    pub(super) fn part(self, parts: u32, of: u32) -> Self {
        let part = |all: u64| match all {
            u64::MAX => 0,
            all => (all * u64::from(parts)).div_ceil(u64::from(of.max(1))),
        };
        Self {
            cores: part(self.cores),
            memory: part(self.memory),
        }
    }

    /// With that given back, as far as there is so much in all.
    pub(super) fn more(self, given: Self, all: Self) -> Self {
        Self {
            cores: self.cores.saturating_add(given.cores).min(all.cores),
            memory: self.memory.saturating_add(given.memory).min(all.memory),
        }
    }

    /// What remains beside that.
    pub(super) fn less(self, taken: Self) -> Self {
        Self {
            cores: self.cores.saturating_sub(taken.cores),
            memory: self.memory.saturating_sub(taken.memory),
        }
    }
}

/// The pools of a cluster.
#[derive(Clone, Debug)]
pub struct Pools {
    pools: Vec<Pool>,
    /// By node.
    of_node: Vec<u8>,
    /// By node, those without GPUs last; empty where no node says how much it has.
    capacity: Vec<Capacity>,
    /// By node.
    gpus: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Pool {
    gpu: Option<TypeId>,
    memory: Option<u32>,
    speed: f64,
    /// GPUs of its largest node.
    largest: u32,
}

impl Pools {
    /// The pools of a cluster.
    pub fn of(cluster: &ClusterSpec) -> Self {
        let mut pools: Vec<Pool> = Vec::new();
        let mut of_group = Vec::new();
        for group in cluster.groups() {
            let pool = Pool {
                gpu: group.kind.gpu,
                memory: cluster.gpu_memory(group.kind),
                speed: cluster.speed(group.kind).unwrap_or(1.0),
                largest: group.gpus,
            };
            let is_same = |other: &&mut Pool| {
                (other.gpu, other.memory, other.speed) == (pool.gpu, pool.memory, pool.speed)
            };
            match pools.iter_mut().find(is_same) {
                Some(same) => same.largest = same.largest.max(pool.largest),
                None => pools.push(pool),
            }
            of_group.push(pool);
        }
        // Stable: equally fast ones in the order in which the cluster names them.
        order::sort_by(&mut pools, |a, b| order::by_value(&b.speed, &a.speed));
        let index = |of: &Pool| {
            let same =
                |pool: &Pool| (pool.gpu, pool.memory, pool.speed) == (of.gpu, of.memory, of.speed);
            pools.iter().position(same).unwrap_or(0) as u8
        };
        let mut of_node = Vec::new();
        let mut capacity = Vec::new();
        let known =
            |group: &super::NodeGroup| group.kind.cores.is_some() || group.kind.memory.is_some();
        let core_nodes = cluster.core_nodes();
        let says = !core_nodes.is_empty() || cluster.groups().iter().any(known);
        let of = |value: Option<u32>| value.map_or(u64::MAX, u64::from);
        for (group, pool) in cluster.groups().iter().zip(&of_group) {
            let nodes = group.nodes as usize;
            of_node.extend(std::iter::repeat_n(index(pool), nodes));
            if says {
                let each = Capacity {
                    cores: of(group.kind.cores),
                    memory: of(group.kind.memory),
                };
                capacity.extend(std::iter::repeat_n(each, nodes));
            }
        }
        for group in core_nodes {
            let each = Capacity {
                cores: group.cores.into(),
                memory: of(group.memory),
            };
            capacity.extend(std::iter::repeat_n(each, group.nodes as usize));
        }
        Self {
            pools,
            of_node,
            capacity,
            gpus: cluster.gpus_per_node().collect(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.pools.len()
    }

    /// Whether there is none, as in no cluster.
    pub fn is_empty(&self) -> bool {
        self.pools.is_empty()
    }

    /// How many nodes have GPUs.
    pub fn nodes(&self) -> u32 {
        self.gpus.len() as u32
    }

    /// The pool of a node.
    pub fn of_node(&self, node: u32) -> usize {
        self.of_node
            .get(node as usize)
            .map_or(0, |&pool| pool.into())
    }

    /// The type of a pool's GPUs, where it is said.
    pub fn gpu(&self, pool: usize) -> Option<TypeId> {
        self.pools.get(pool)?.gpu
    }

    /// How fast a pool's GPUs train, V100 = 1; 1 where that is not known.
    pub fn speed(&self, pool: usize) -> f64 {
        self.pools.get(pool).map_or(1.0, |pool| pool.speed)
    }

    /// GPUs of a pool's largest node.
    pub fn largest(&self, pool: usize) -> u32 {
        self.pools.get(pool).map_or(0, |pool| pool.largest)
    }

    /// What a job of so many GPUs needs: types by the names in `gpu_types`. What is not known of
    /// nodes is not held against them.
    pub fn needs(
        &self,
        cluster: &ClusterSpec,
        gpus: u32,
        demand: &Demand,
        gpu_types: &[String],
    ) -> Needs {
        if demand.is_plain() {
            return Needs::NONE;
        }
        let allowed = |pool: &Pool| {
            let typed = pool.gpu.is_none_or(|id| {
                let name = cluster.type_name(id);
                let mut named = demand.types.named();
                demand.types.is_any()
                    || named.any(|at| gpu_types.get(at as usize).is_some_and(|of| of == name))
            });
            typed && pool.memory.is_none_or(|memory| memory >= demand.gpu_memory)
        };
        let mut needs = Needs::NONE;
        for (at, pool) in self.pools.iter().enumerate() {
            if !allowed(pool) {
                needs.pools &= !(1 << at);
            }
        }
        needs.servers = demand.servers;
        if self.capacity.is_empty() {
            (needs.servers.cores, needs.servers.memory) = (0, 0);
        } else if (demand.cores, demand.memory) != (0, 0) || needs.bounds_servers() {
            needs.gpus = gpus.max(1);
            needs.cores = demand.cores;
            needs.memory = demand.memory;
        }
        needs
    }

    /// The same needs without the pools whose nodes have too few cores or too little memory for so many
    /// GPUs: who counts GPUs by pool must not count those.
    #[must_use]
    pub fn narrowed(&self, needs: Needs, gpus: u32) -> Needs {
        let mut narrowed = needs;
        if needs.takes_cores_or_memory() {
            for pool in (0..self.len()).filter(|&pool| needs.allows(pool)) {
                if self.most_in(pool, needs) < gpus.min(self.most_in(pool, Needs::NONE)) {
                    narrowed.pools &= !(1 << pool);
                }
            }
        }
        narrowed
    }

    /// The largest gang of such needs that an idle cluster holds.
    pub fn most(&self, needs: Needs) -> u32 {
        let allowed = (0..self.len()).filter(|&pool| needs.allows(pool));
        allowed
            .map(|pool| self.most_in(pool, needs))
            .max()
            .unwrap_or(0)
    }

    /// The same in one pool; its parameter servers lie where they cost it the fewest GPUs.
    fn most_in(&self, pool: usize, needs: Needs) -> u32 {
        let here = |node: u32| match self.of_node(node) == pool {
            true => self.gpus[node as usize],
            false => 0,
        };
        let nodes = 0..self.gpus.len() as u32;
        let mut spare = Spare::default();
        if needs.bounds_servers() {
            spare = Spare::all(self);
            if !spare.reserve(needs, nodes.clone(), here) {
                return 0;
            }
        }
        let left = if needs.bounds_servers() {
            &spare.left
        } else {
            &self.capacity
        };
        let most = nodes.map(|node| match left.get(node as usize) {
            Some(&left) => needs.most(here(node), left),
            None => here(node),
        });
        most.sum()
    }
}

/// What of the nodes' cores and memory is not taken.
#[derive(Clone, Debug, Default)]
pub struct Spare {
    /// By node, those without GPUs last; empty where no node says how much it has.
    pub(super) left: Vec<Capacity>,
    /// What each has in all.
    pub(super) all: Vec<Capacity>,
}

impl Spare {
    /// All of it.
    pub fn all(pools: &Pools) -> Self {
        Self {
            left: pools.capacity.clone(),
            all: pools.capacity.clone(),
        }
    }

    /// The cores, in thousandths, and the memory, in MiB, that a node has in all; none: no node says how much it has.
    pub fn in_all(&self, node: u32) -> Option<(u64, u64)> {
        let all = self.all.get(node as usize)?;
        Some((all.cores, all.memory))
    }

    /// How many of a node's so many GPUs a gang can use, by what is left there; of its so many GPUs
    /// in all, by what there is.
    pub fn most(&self, node: u32, free: u32, size: u32, needs: Needs) -> (u32, u32) {
        let at = node as usize;
        match (self.left.get(at), self.all.get(at)) {
            (Some(&left), Some(&all)) => (needs.most(free, left), needs.most(size, all)),
            _ => (free, size),
        }
    }

    /// How many of a gang's parameter servers there is room for on a node, beside so many of its GPUs.
    pub fn most_servers(&self, node: u32, gpus: u32, needs: Needs) -> u32 {
        let left = self.left.get(node as usize);
        left.map_or(u32::MAX, |left| {
            needs.most_servers(left.less(needs.on(gpus, 0)))
        })
    }

    /// Sets aside what a gang's parameter servers need on these nodes, each where that leaves the most
    /// of the node's so many GPUs to its workers, as if it had never been there. `false`: there is too
    /// little.
    pub fn reserve(
        &mut self,
        needs: Needs,
        nodes: impl Iterator<Item = u32> + Clone,
        gpus: impl Fn(u32) -> u32,
    ) -> bool {
        let each = needs.on(0, 1);
        for _ in 0..needs.servers.count {
            let room = nodes.clone().filter_map(|node| {
                let left = *self.left.get(node as usize)?;
                let fits = needs.most_servers(left) > 0;
                let of = |left| needs.most(gpus(node), left);
                fits.then(|| (of(left) - of(left.less(each)), node))
            });
            let Some((_, node)) = room.min() else {
                return false;
            };
            for of in [&mut self.left, &mut self.all] {
                of[node as usize] = of[node as usize].less(each);
            }
        }
        true
    }

    /// Whether what a gang needs is left on all of its nodes.
    pub fn fits(&self, parts: &[Part], needs: Needs) -> bool {
        parts.iter().all(|part| {
            let left = self.left.get(part.node as usize);
            left.is_none_or(|&left| {
                let taken = needs.of(part);
                taken.cores <= left.cores && taken.memory <= left.memory
            })
        })
    }

    /// Takes what a gang needs. The caller has seen that it fits.
    pub fn take(&mut self, parts: &[Part], needs: Needs) {
        for part in parts {
            if let Some(left) = self.left.get_mut(part.node as usize) {
                *left = left.less(needs.of(part));
            }
        }
    }

    /// Gives it back.
    pub fn give(&mut self, parts: &[Part], needs: Needs) {
        for part in parts {
            let at = part.node as usize;
            if let (Some(left), Some(&all)) = (self.left.get_mut(at), self.all.get(at)) {
                *left = left.more(needs.of(part), all);
            }
        }
    }

    /// Becomes a copy of another without allocating, if as large.
    pub fn copy_from(&mut self, other: &Self) {
        self.left.clone_from(&other.left);
        self.all.clone_from(&other.all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::TypeSet;

    fn pools(cluster: &str) -> (ClusterSpec, Pools) {
        let cluster: ClusterSpec = cluster.parse().expect("a cluster");
        let pools = Pools::of(&cluster);
        (cluster, pools)
    }

    #[test]
    fn the_fastest_comes_first() {
        let (cluster, pools) = pools("1x4:t4+2x8:a100+1x4:t4+1x2:v100+1x8:t4/gpu-memory=32");
        let types: Vec<&str> = (0..pools.len())
            .map(|pool| cluster.type_name(pools.gpu(pool).expect("typed")))
            .collect();
        assert_eq!(types, ["a100", "v100", "t4", "t4"]);
        assert_eq!(
            (0..6).map(|node| pools.of_node(node)).collect::<Vec<_>>(),
            [2, 0, 0, 2, 1, 3]
        );
        assert_eq!(pools.largest(2), 4);
    }

    #[test]
    fn a_gang_is_as_large_as_one_pool_holds_it() {
        let (cluster, pools) = pools("2x8:a100/cores=8+4x4:t4/cores=64");
        let gpu_types = ["t4".to_owned(), "h100".to_owned()];
        let most = |types: TypeSet, cores: u32| {
            let demand = Demand {
                types,
                cores,
                ..Demand::default()
            };
            pools.most(pools.needs(&cluster, 8, &demand, &gpu_types))
        };
        let t4 = TypeSet::ANY.with(0);
        assert_eq!(most(TypeSet::ANY, 0), 16);
        assert_eq!(most(t4, 0), 16);
        assert_eq!(most(TypeSet::ANY.with(1), 0), 0);
        // 16 cores for 8 GPUs: 4 of each node's 8 A100s, all T4s.
        assert_eq!(most(TypeSet::ANY, 16_000), 16);
        assert_eq!(most(t4, 8_000_000), 0);
    }

    #[test]
    fn what_is_taken_comes_back() {
        let (cluster, pools) = pools("1x8/cores=10/memory=1");
        let demand = Demand {
            cores: 10_000,
            memory: 100,
            ..Demand::default()
        };
        let needs = pools.needs(&cluster, 3, &demand, &[]);
        let mut spare = Spare::all(&pools);
        let parts = [Part::new(0, 3)];
        assert!(spare.fits(&parts, needs));
        assert_eq!(spare.most(0, 8, 8, needs), (3, 3));
        spare.take(&parts, needs);
        assert_eq!(spare.most(0, 5, 8, needs), (0, 3));
        assert!(!spare.fits(&[Part::new(0, 1)], needs));
        assert!(spare.fits(&[Part::new(0, 5)], Needs::NONE));
        spare.give(&parts, needs);
        assert!(spare.fits(&parts, needs));
    }
}
