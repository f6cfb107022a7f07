//! What nodes have, what jobs may use of it, and what is taken: from the cluster and the workload
//! alone.

use crate::scenes::World;
use std::collections::BTreeMap;
use switchyard::cluster::{GpuModel, TypeId};
use switchyard::engine::Segment;
use switchyard::job::Job;
use switchyard::workload::Application;

/// What makes nodes one pool: GPUs of one type, memory (MiB) and speed (thousandths).
type Pool = (Option<TypeId>, Option<u32>, Option<u64>);

impl World {
    pub(crate) fn pool(&self, node: u32) -> Pool {
        let kind = self.cluster.group_of(node).expect("a node").kind;
        let speed = self.cluster.speed(kind).map(f64::to_bits);
        (kind.gpu, self.cluster.gpu_memory(kind), speed)
    }

    /// Whether a job may run on a node, by what is said of both.
    pub(crate) fn allows(&self, job: &Job, node: u32) -> bool {
        let kind = self.cluster.group_of(node).expect("a node").kind;
        let typed = kind.gpu.is_none_or(|gpu| {
            let name = self.cluster.type_name(gpu);
            let at = self.workload.gpu_types.iter().position(|of| of == name);
            job.demand.types.allows(at.expect("a known type") as u32)
        });
        let memory = self.cluster.gpu_memory(kind);
        typed && memory.is_none_or(|memory| memory >= job.demand.gpu_memory)
    }

    /// GPUs of a node that a gang like the job's can use when nobody else is there.
    fn usable(&self, job: &Job, node: u32) -> u32 {
        let group = self.cluster.group_of(node).expect("a node");
        let fits = |&gpus: &u32| {
            let [cores, memory] = taken(job, gpus);
            let within = |taken: u64, of: Option<u32>| of.is_none_or(|of| taken <= u64::from(of));
            within(cores, group.kind.cores) && within(memory, group.kind.memory)
        };
        (0..=group.gpus).rev().find(fits).unwrap_or(0)
    }

    /// The largest gang like the job's that the idle cluster holds on each type.
    fn largest_by_pool(&self, job: &Job) -> BTreeMap<Pool, u32> {
        let mut largest: BTreeMap<Pool, u32> = BTreeMap::new();
        for node in (0..self.cluster.nodes()).filter(|&node| self.allows(job, node)) {
            *largest.entry(self.pool(node)).or_default() += self.usable(job, node);
        }
        largest
    }

    /// The same on one type.
    pub(crate) fn largest(&self, job: &Job) -> u32 {
        let by_pool = self.largest_by_pool(job);
        by_pool.into_values().max().unwrap_or(0)
    }

    /// Whether a job could run on a node's type with the cores and memory that it asks for.
    fn holds(&self, job: &Job, by_pool: &BTreeMap<Pool, u32>, node: u32) -> bool {
        let mut groups = self.cluster.groups().iter();
        let says = groups.any(|group| group.kind.cores.is_some() || group.kind.memory.is_some());
        let asks = (job.demand.cores, job.demand.memory) != (0, 0);
        let pool = self.pool(node);
        let of_pool = (0..self.cluster.nodes()).filter(|&node| self.pool(node) == pool);
        let gpus: u32 = of_pool
            .filter_map(|node| Some(self.cluster.group_of(node)?.gpus))
            .sum();
        let most = by_pool.get(&pool).copied();
        !(says && asks) || most.is_some_and(|most| most >= job.gpus.min(gpus))
    }

    /// How fast the slowest of these nodes' types is for a job of no measured model, beside the
    /// fastest that it may use.
    pub(crate) fn relative_speed(&self, job: &Job, nodes: impl Iterator<Item = u32>) -> f64 {
        if self.options.equal_types {
            return 1.0;
        }
        let speed = |node: u32| {
            let kind = self.cluster.group_of(node).expect("a node").kind;
            self.cluster.speed(kind).unwrap_or(1.0)
        };
        let by_pool = self.largest_by_pool(job);
        let allowed = (0..self.cluster.nodes()).filter(|&node| self.allows(job, node));
        let allowed = allowed.filter(|&node| self.holds(job, &by_pool, node));
        let fastest = allowed.map(speed).fold(0.0, f64::max);
        nodes.map(speed).fold(f64::INFINITY, f64::min) / fastest
    }

    /// An application on each of these nodes, where it was measured on all of the cluster's types.
    pub(crate) fn measured_on(
        &self,
        application: &Application,
        nodes: impl Iterator<Item = u32>,
    ) -> Option<Vec<Application>> {
        let on = |node: u32| {
            let kind = self.cluster.group_of(node)?.kind;
            let published = GpuModel::named(self.cluster.type_name(kind.gpu?))?;
            let is_said = kind.speed.is_some() && self.cluster.speed(kind) != published.speed;
            (!is_said).then(|| application.on(published.name)).flatten()
        };
        let all = || {
            (0..self.cluster.nodes())
                .filter(|&node| self.cluster.group_of(node).is_some_and(|of| of.gpus > 0))
        };
        let differ = all().any(|node| self.pool(node) != self.pool(0));
        let is_measured =
            differ && !self.options.equal_types && all().all(|node| on(node).is_some());
        is_measured.then(|| nodes.filter_map(on).collect())
    }
}

impl World {
    /// How many parameter servers a job has.
    pub(crate) fn servers(&self, job: &Job) -> u32 {
        match job.demand.servers.count {
            0 if job.gpus > 1 => (self.options.servers * f64::from(job.gpus)).ceil() as u32,
            count => count,
        }
    }

    /// Whether a job's parameter servers need what some node may not have.
    pub(crate) fn bounds_servers(&self, job: &Job) -> bool {
        let servers = job.demand.servers;
        self.servers(job) > 0 && (servers.cores, servers.memory) != (0, 0)
    }
}

/// What a job takes of a node besides GPUs: cores and memory.
fn taken(job: &Job, gpus: u32) -> [u64; 2] {
    let share = |all: u32| (u64::from(all) * u64::from(gpus)).div_ceil(u64::from(job.gpus));
    [share(job.demand.cores), share(job.demand.memory)]
}

/// What is taken of every node.
pub(crate) struct Taken<'a> {
    world: &'a World,
    /// Thousandths and MiB of each GPU, by node and number.
    gpus: BTreeMap<(u32, u32), (u32, u32)>,
    /// Cores and memory, by node.
    besides: Vec<[u64; 2]>,
}

impl<'a> Taken<'a> {
    pub(crate) fn nothing(world: &'a World) -> Self {
        Self {
            world,
            gpus: BTreeMap::new(),
            besides: vec![[0; 2]; world.cluster.nodes() as usize],
        }
    }

    /// A job comes: what it takes must be there.
    pub(crate) fn take(&mut self, job: &Job, segment: &Segment<'_>, servers: &[(u32, u32)]) {
        self.change(job, segment, servers, |all, own| all + own);
        let nodes = segment.gpus.iter().map(|gpus| gpus.node);
        for node in nodes.chain(servers.iter().map(|of| of.0)) {
            let kind = self.world.cluster.group_of(node).expect("a node").kind;
            let [cores, memory] = self.besides[node as usize];
            assert!(kind.cores.is_none_or(|all| cores <= u64::from(all)));
            assert!(kind.memory.is_none_or(|all| memory <= u64::from(all)));
        }
        for gpus in segment.gpus {
            let group = self.world.cluster.group_of(gpus.node).expect("a node");
            assert!(gpus.mask != 0 && gpus.mask.ilog2() < group.gpus);
            let most = self.world.cluster.gpu_memory(group.kind);
            for gpu in gpus.numbers() {
                let (part, memory) = self.gpus[&(gpus.node, gpu)];
                assert!(part <= 1000, "GPU {gpu} of node {} given twice", gpus.node);
                assert!(most.is_none_or(|most| memory <= most));
            }
        }
    }

    /// A job goes.
    pub(crate) fn give(&mut self, job: &Job, segment: &Segment<'_>, servers: &[(u32, u32)]) {
        self.change(job, segment, servers, |all, own| all - own);
    }

    fn change(
        &mut self,
        job: &Job,
        segment: &Segment<'_>,
        servers: &[(u32, u32)],
        change: fn(u64, u64) -> u64,
    ) {
        for &(node, count) in servers {
            let own = [job.demand.servers.cores, job.demand.servers.memory];
            for (all, own) in self.besides[node as usize].iter_mut().zip(own) {
                *all = change(*all, u64::from(own) * u64::from(count));
            }
        }
        let of = |all: &mut u32, own: u32| *all = change((*all).into(), own.into()) as u32;
        for gpus in segment.gpus {
            for gpu in gpus.numbers() {
                let (part, memory) = self.gpus.entry((gpus.node, gpu)).or_default();
                of(part, segment.share.unwrap_or(1000));
                of(memory, job.demand.gpu_memory);
            }
            let besides = &mut self.besides[gpus.node as usize];
            for (all, own) in besides.iter_mut().zip(taken(job, gpus.count())) {
                *all = change(*all, own);
            }
        }
    }
}
