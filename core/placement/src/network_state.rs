//! What a placement sees: a [`Site`], and if it looks at links, a [`NetworkState`] of them. In: who runs where, as the ledger has
//! it, and the parts that a plan takes and gives, so that the gangs of one plan see one another. Out: how
//! loaded each link is, who is on a node and how slow, and what would come of laying a gang somewhere.
//!
//! Speeds are by [`contention`](crate::contention), whether or not the run has jobs slow one another by
//! it. It is kept only where the placement of a run [asks](super::Strategy::looks_at_links).

use crate::cluster::{ClusterSpec, FreeGpus, Gpus, Needs, Part, Spare, Topology};
use crate::contention::{Links, Network, Profile, ProfilesByJob, Prospect, Stay};
use crate::gang::Gang;
use crate::job::JobId;
use crate::servers;
use crate::workload::Workload;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use switchyard_explain::Placing;

/// Nodes of one kind that a gang may lie on, and what there is to know of them.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// Free GPUs that the gang can use.
    pub free: &'a FreeGpus,
    /// GPUs of the largest node.
    pub node_size: u32,
    /// The links, where the placement looks at them.
    pub network_state: Option<&'a NetworkState>,
    /// What is free on all nodes, for parameter servers; and what is spare there, where nodes are not alike.
    pub(crate) all: Option<(&'a FreeGpus, Option<&'a Spare>)>,
}

impl<'a> Site<'a> {
    /// With nothing known but free GPUs.
    pub fn of(free: &'a FreeGpus, node_size: u32) -> Self {
        Self {
            free,
            node_size,
            network_state: None,
            all: None,
        }
    }

    /// Adds a gang's parameter servers [near its workers](servers), as they are if the placement says
    /// nothing of them; `false`: there is no room for all of them.
    pub fn put_servers(&self, parts: &mut Vec<Part>, needs: Needs) -> bool {
        let (free, spare) = self.all.unwrap_or((self.free, None));
        servers::put(parts, needs, free, spare)
    }

    /// For how many of a gang's parameter servers a node has room beside so many of its workers.
    pub fn most_servers(&self, node: u32, workers: u32, needs: Needs) -> u32 {
        match self.all {
            Some((free, _)) if !free.is_open(node) => 0,
            Some((_, Some(spare))) => spare.most_servers(node, workers, needs),
            Some((_, None)) | None => u32::MAX,
        }
    }
}

/// A placement that has learned, as a run has it: it goes by weights, and says how it decided.
pub trait Learned: Send + Sync {
    /// Lays a gang as the placement of this name does; `false`: it waits.
    fn lay(
        &self,
        placement: &str,
        site: &Site<'_>,
        network_state: &NetworkState,
        gang: Gang,
        parts: &mut Vec<Part>,
    ) -> bool;

    /// From now on notes how it decides about a job.
    fn watch(&self, job: JobId);

    /// How many decisions it has made: each is one for a part of a job.
    fn decisions(&self) -> u64;

    /// How it decided last about a job, if it watches that and was asked; about one that waits, by
    /// its gang, also through another that is like it.
    fn placing_of(&self, job: JobId, waits: Option<Gang>) -> Option<Placing>;
}

/// What of a run's links does not change.
pub struct NetworkContext {
    network: Arc<Network>,
    /// Nobody on them.
    idle: Links,
    profiles: ProfilesByJob,
    workload: Arc<Workload>,
    /// Of placements that have learned.
    learned: Option<Arc<dyn Learned>>,
}

impl NetworkContext {
    /// Of a cluster and the jobs to come.
    pub fn new(cluster: &ClusterSpec, workload: &Arc<Workload>) -> Self {
        let network = Arc::new(Network::of(cluster));
        Self {
            idle: Links::new(Arc::clone(&network), cluster, workload.jobs.len()),
            profiles: ProfilesByJob::of(workload),
            workload: Arc::clone(workload),
            network,
            learned: None,
        }
    }

    /// From now on a placement that has learned goes by this.
    pub fn set_learned(&mut self, learned: Arc<dyn Learned>) {
        self.learned = Some(learned);
    }

    /// What has learned, where weights are at hand.
    pub fn learned(&self) -> Option<&dyn Learned> {
        self.learned.as_deref()
    }

    /// What a job sends and computes.
    pub fn profile(&self, job: JobId) -> Profile {
        let model = self.workload.jobs.get(job.index());
        self.profiles.get(model.and_then(|job| job.model), job)
    }
}

/// The links, and the jobs on them.
pub struct NetworkState {
    network_context: Arc<NetworkContext>,
    /// As it was after every question.
    links: RefCell<Links>,
    held: BTreeMap<JobId, Held>,
    /// By node: who is there, with which of its GPUs.
    on_node: Vec<Vec<(JobId, u64)>>,
    /// What gangs cost that were asked about on an idle cluster.
    alone: RefCell<Vec<Alone>>,
    round: u32,
}

/// A gang, the nodes that there were for it, and what its best place there would cost.
struct Alone {
    gang: Gang,
    sizes: Box<[u32]>,
    cost: f64,
}

/// So many gangs are remembered: more come only of nodes that fail, each time another set.
const MOST_ALONE: usize = 1024;

/// What a job has.
struct Held {
    gpus: Vec<Gpus>,
    parts: Vec<Part>,
    knows_nodes: bool,
    /// When it was last seen.
    round: u32,
}

/// A job that runs, and where.
pub struct Resident<'a> {
    /// Which.
    pub job: JobId,
    /// Its GPUs, node by node.
    pub gpus: &'a [Gpus],
    /// Its parts, by node.
    pub parts: &'a [Part],
    /// What it needs there besides GPUs.
    pub needs: Needs,
    /// Whether what its own nodes cost it is counted elsewhere.
    pub knows_nodes: bool,
}

impl NetworkState {
    /// Nobody runs yet.
    pub(super) fn new(network_context: &Arc<NetworkContext>) -> Self {
        let nodes = network_context.network.topology.nodes() as usize;
        Self {
            links: RefCell::new(network_context.idle.clone()),
            network_context: Arc::clone(network_context),
            held: BTreeMap::new(),
            on_node: vec![Vec::new(); nodes],
            alone: RefCell::default(),
            round: 0,
        }
    }

    /// What the best place of a gang would cost if nobody ran or waited. `cost` says it of the same nodes idle and
    /// of nobody's links, always in the same way: it is asked once for each gang and nodes.
    pub fn alone(
        &self,
        site: &Site<'_>,
        gang: Gang,
        cost: impl FnOnce(&Site<'_>, &Self, Gang) -> f64,
    ) -> f64 {
        let sizes = site.free.node_sizes();
        let is_same = |of: &&Alone| of.gang.is_like(&gang) && *of.sizes == *sizes;
        if let Some(known) = self.alone.borrow().iter().find(is_same) {
            return known.cost;
        }
        let gang = Gang {
            asker: None,
            ..gang
        };
        let idle = site.free.with_free(sizes);
        let site = Site::of(&idle, site.node_size);
        let cost = cost(&site, &Self::new(&self.network_context), gang);
        let mut alone = self.alone.borrow_mut();
        if alone.len() >= MOST_ALONE {
            alone.clear();
        }
        alone.push(Alone {
            gang,
            sizes: sizes.into(),
            cost,
        });
        cost
    }

    /// From now on just these run.
    pub(super) fn follow<'a>(&mut self, running: impl Iterator<Item = Resident<'a>>) {
        self.round = self.round.wrapping_add(1);
        let round = self.round;
        let mut coming = Vec::new();
        for of in running {
            match self.held.get_mut(&of.job) {
                Some(held)
                    if held.gpus == of.gpus
                        && held.parts == of.parts
                        && held.knows_nodes == of.knows_nodes =>
                {
                    held.round = round;
                }
                _ => coming.push(of),
            }
        }
        let gone = self.held.iter().filter(|(_, held)| held.round != round);
        let gone: Vec<JobId> = gone.map(|(&job, _)| job).collect();
        gone.into_iter().for_each(|job| self.remove(job));
        for of in coming {
            self.add(&of);
        }
        self.links.get_mut().settle(|_, _, _| {});
    }

    /// A gang takes these parts: the GPUs that the engine would hand out.
    pub(super) fn take(&mut self, job: JobId, parts: &[Part], needs: Needs) {
        self.remove(job);
        let gpus = self.gpus(parts);
        self.add(&Resident {
            job,
            gpus: &gpus,
            parts,
            needs,
            knows_nodes: false,
        });
        self.links.get_mut().settle(|_, _, _| {});
    }

    /// A job gives back what it has.
    pub(super) fn give(&mut self, job: JobId) {
        self.remove(job);
        self.links.get_mut().settle(|_, _, _| {});
    }

    fn add(&mut self, of: &Resident<'_>) {
        let stay = Stay {
            profile: &self.network_context.profile(of.job),
            gpus: of.gpus,
            parts: of.parts,
            server_cores: of.needs.servers().cores,
            knows_nodes: of.knows_nodes,
        };
        self.links.get_mut().enter(of.job, &stay);
        for part in of.parts {
            let gpus = of.gpus.iter().find(|gpus| gpus.node == part.node);
            let mask = gpus.map_or(0, |gpus| gpus.mask);
            self.on_node[part.node as usize].push((of.job, mask));
        }
        let held = Held {
            gpus: of.gpus.to_vec(),
            parts: of.parts.to_vec(),
            knows_nodes: of.knows_nodes,
            round: self.round,
        };
        self.held.insert(of.job, held);
    }

    fn remove(&mut self, job: JobId) {
        if let Some(held) = self.held.remove(&job) {
            self.links.get_mut().leave(job);
            for part in held.parts {
                self.on_node[part.node as usize].retain(|&(other, _)| other != job);
            }
        }
    }

    /// The links' tree.
    pub fn topology(&self) -> &Topology {
        &self.network_context.network.topology
    }

    /// What has learned, where weights are at hand.
    pub(super) fn learned(&self) -> Option<&dyn Learned> {
        self.network_context.learned()
    }

    /// Whether nobody runs.
    pub fn is_idle(&self) -> bool {
        self.held.is_empty()
    }

    /// What jobs want of an edge ÷ what it carries.
    pub fn load(&self, edge: u32) -> f64 {
        self.links.borrow().load(edge)
    }

    /// Cores of a node, and how many its jobs want, thousandths; 0 cores: not known.
    pub fn cores(&self, node: u32) -> (u64, u64) {
        self.links.borrow().cores(node)
    }

    /// Who is on a node, with which of its GPUs (none: only parameter servers).
    pub fn residents(&self, node: u32) -> &[(JobId, u64)] {
        &self.on_node[node as usize]
    }

    /// The part of its speed that a job has.
    pub fn factor(&self, job: JobId) -> f64 {
        self.links.borrow().factor(job)
    }

    /// The edges of a job and what it wants of each, GB/s.
    pub fn wanted(&self, job: JobId) -> Vec<(u32, f64)> {
        self.links.borrow().wanted(job).collect()
    }

    /// The GPUs of a node that nobody has, as a mask.
    pub fn free_mask(&self, node: u32) -> u64 {
        let taken = self.residents(node).iter();
        let taken = taken.fold(0, |taken, (_, mask)| taken | mask);
        let all = u64::MAX
            .checked_shr(64 - self.topology().gpus(node))
            .unwrap_or(0);
        all & !taken
    }

    /// What would come of laying a gang on these parts.
    pub fn prospect(&self, gang: &Gang, parts: &[Part]) -> Prospect {
        let Some(profile) = &gang.profile else {
            return Prospect {
                own: 1.0,
                others: Vec::new(),
            };
        };
        let stay = Stay {
            profile,
            gpus: &self.gpus(parts),
            parts,
            server_cores: gang.needs.servers().cores,
            knows_nodes: false,
        };
        self.links.borrow_mut().what_if(&stay)
    }

    /// The GPUs that the engine would hand out for these parts: of each node the wished ones, then the
    /// lowest free ones.
    fn gpus(&self, parts: &[Part]) -> Vec<Gpus> {
        let workers = parts.iter().filter(|part| part.has_workers());
        let gpus = workers.map(|part| {
            let free = self.free_mask(part.node);
            let (mut rest, mut wished) = (free, free & part.wished);
            for _ in 0..part.width() {
                let from = if wished == 0 { rest } else { wished };
                let gpu = from & from.wrapping_neg();
                (rest, wished) = (rest & !gpu, wished & !gpu);
            }
            Gpus {
                node: part.node,
                mask: free & !rest,
            }
        });
        gpus.filter(|gpus| gpus.mask != 0).collect()
    }
}

impl fmt::Debug for NetworkState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkState")
            .field("held", &self.held.keys())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{FreeGpus, Placement, Pools};
    use crate::job::{Demand, Job, Servers};
    use crate::{Room, Strategy};
    use proptest::prelude::{prop, prop_assert, proptest};

    /// An empty cluster and the jobs of these models that are to come.
    struct Scene {
        room: Room,
        network_context: Arc<NetworkContext>,
        pools: Pools,
        cluster: ClusterSpec,
    }

    impl Scene {
        fn new(cluster: &str, models: &[&str]) -> Self {
            let job = |model: u32| Job {
                model: Some(model),
                ..Job::plain(0.0, 1, 1.0)
            };
            let workload = Workload {
                jobs: (0..models.len() as u32).map(job).collect(),
                models: models.iter().map(|name| (*name).to_owned()).collect(),
                ..Workload::default()
            };
            let cluster: ClusterSpec = cluster.parse().expect("a cluster");
            let network_context = Arc::new(NetworkContext::new(&cluster, &Arc::new(workload)));
            let mut room = Room::default();
            let node_size = cluster.gpus_per_node().max().unwrap_or(0);
            room.set(&FreeGpus::all(&cluster), node_size, None);
            room.see(&network_context, std::iter::empty());
            Self {
                room,
                network_context,
                pools: Pools::of(&cluster),
                cluster,
            }
        }

        fn gang(&self, job: u32, gpus: u32, servers: u32) -> Gang {
            let demand = Demand {
                servers: Servers {
                    count: servers,
                    cores: 0,
                    memory: 0,
                },
                ..Demand::default()
            };
            Gang {
                asker: None,
                gpus,
                share: None,
                skewed: false,
                needs: self.pools.needs(&self.cluster, gpus, &demand, &[]),
                profile: Some(self.network_context.profile(JobId(job))),
            }
        }

        fn take(&mut self, job: u32, parts: &[(u32, u32)]) {
            let parts: Vec<Part> = parts.iter().map(|&(n, gpus)| Part::new(n, gpus)).collect();
            self.room.take(JobId(job), &parts, Needs::NONE);
        }

        /// Where a gang goes: nodes, GPUs there.
        fn laid(&self, strategy: Strategy, gang: Gang) -> Option<Vec<(u32, u32)>> {
            let mut placement = Placement::default();
            let parts = |placement: &Placement| {
                let parts = placement.parts.iter();
                parts.map(|part| (part.node, part.gpus)).collect()
            };
            let is_laid = self.room.place(strategy, gang, &mut placement);
            is_laid.then(|| parts(&placement))
        }

        fn network_state(&self) -> &NetworkState {
            self.room.network_state().expect("asked for")
        }
    }

    #[test]
    fn the_least_loaded_server_or_the_nearest() {
        let mut scene = Scene::new("6x4/racks=3", &["vgg16"; 9]);
        scene.take(0, &[(0, 2)]);
        scene.take(1, &[(1, 1)]);
        let gang = |gpus| scene.gang(8, gpus, 0);
        let laid = |strategy, gpus| scene.laid(strategy, gang(gpus));
        assert_eq!(laid(Strategy::LOAD_BALANCING, 2), Some(vec![(2, 2)]));
        assert_eq!(laid(Strategy::LOCALITY, 2), Some(vec![(0, 2)]));
        // Two whole nodes of one rack; not those with most room in all.
        assert_eq!(laid(Strategy::LOCALITY, 8), Some(vec![(2, 4), (3, 4)]));
        scene.take(2, &[(2, 4)]);
        scene.take(3, &[(4, 3)]);
        let laid = |gpus| scene.laid(Strategy::LOCALITY, scene.gang(8, gpus, 0));
        // Two nodes are enough but not within a rack that has them whole.
        assert_eq!(laid(8), Some(vec![(3, 4), (5, 4)]));
        // On two nodes wherever, but in one rack.
        assert_eq!(laid(5), Some(vec![(0, 2), (1, 3)]));
    }

    #[test]
    fn loaded_links_are_kept_away_from() {
        // Nodes 0 and 2 have as much room; over the NIC of 0 VGG sends.
        let mut scene = Scene::new("4x4/racks=2/sockets=1", &["vgg16"; 9]);
        scene.take(0, &[(0, 2), (1, 3)]);
        scene.take(1, &[(2, 2)]);
        scene.take(2, &[(3, 4)]);
        let gang = scene.gang(8, 2, 0);
        assert_eq!(
            scene.laid(Strategy::CONGESTION_AWARE, gang),
            Some(vec![(2, 2)])
        );
        assert_eq!(scene.laid(Strategy::TETRIS, gang), Some(vec![(2, 2)]));
        assert_eq!(scene.laid(Strategy::LOCALITY, gang), Some(vec![(0, 2)]));
    }

    #[test]
    fn least_interference_keeps_apart_and_waits() {
        // Nodes without a socket to themselves: rings of three share their PCIe.
        let mut scene = Scene::new("3x4/cores=28/sockets=1/pcie=0.2/gpu=15.75", &["vgg16"; 9]);
        scene.take(0, &[(0, 2)]);
        let gang = scene.gang(8, 2, 0);
        assert_eq!(scene.laid(Strategy::LOCALITY, gang), Some(vec![(0, 2)]));
        let alone = Some(vec![(1, 2)]);
        assert_eq!(scene.laid(Strategy::LEAST_INTERFERENCE, gang), alone);
        assert_eq!(
            scene.laid(Strategy::LEAST_INTERFERENCE_WAITING, gang),
            alone
        );
        scene.take(1, &[(1, 4)]);
        scene.take(2, &[(2, 4)]);
        let prospect = scene.network_state().prospect(&gang, &[Part::new(0, 2)]);
        assert!(prospect.log_slowdown() > 0.4, "{prospect:?}");
        let beside = Some(vec![(0, 2)]);
        assert_eq!(scene.laid(Strategy::LEAST_INTERFERENCE, gang), beside);
        assert_eq!(scene.laid(Strategy::LEAST_INTERFERENCE_WAITING, gang), None);
    }

    #[test]
    fn nobody_waits_for_what_an_idle_cluster_has_not() {
        // VGG wants three cores a GPU, and nodes have two.
        let mut scene = Scene::new("4x4/cores=8/sockets=1", &["vgg16"; 9]);
        let gang = scene.gang(8, 5, 0);
        let nodes = |scene: &Scene, strategy| scene.laid(strategy, gang).map(|parts| parts.len());
        let waiting = Strategy::LEAST_INTERFERENCE_WAITING;
        let idle = scene.laid(waiting, gang).expect("nobody is there");
        let parts: Vec<Part> = idle.iter().map(|&(n, gpus)| Part::new(n, gpus)).collect();
        assert!(scene.network_state().prospect(&gang, &parts).log_slowdown() > 0.2);
        scene.take(0, &[(0, 4)]);
        assert_eq!(nodes(&scene, waiting), Some(2));
        // Beside somebody it is slower than on idle nodes.
        scene.take(1, &[(1, 4), (2, 1)]);
        assert_eq!(nodes(&scene, Strategy::LEAST_INTERFERENCE), Some(2));
        assert_eq!(nodes(&scene, waiting), None);
    }

    /// The placements that have learned nothing.
    fn by_rule() -> Vec<Strategy> {
        let all = Strategy::ALL.into_iter();
        all.filter(|strategy| !strategy.is_learned()).collect()
    }

    proptest! {
        /// What a gang is told of a place comes of taking it, of what others have taken before in the
        /// same plan; and what is given back leaves nothing behind.
        #[test]
        fn gangs_of_one_plan_see_one_another(
            gangs in prop::collection::vec((1u32..9, 0u32..4, prop::sample::select(by_rule())), 1..8),
        ) {
            let models = ["vgg16", "resnet50", "ctc", "resnet152", "vgg16", "dssm", "wlm", "vgg16"];
            let mut scene = Scene::new("6x4/racks=2/sockets=2/nic=0.5", &models);
            let mut taken: Vec<(JobId, Placement, Needs)> = Vec::new();
            for (job, (gpus, servers, strategy)) in (0u32..).zip(gangs) {
                let gang = scene.gang(job, gpus, servers);
                let mut placement = Placement::default();
                if !scene.room.place(strategy, gang, &mut placement) {
                    prop_assert!(strategy.may_wait() || gpus > scene.room.total());
                    continue;
                }
                prop_assert!(Part::gpus_of(&placement.parts) == gpus);
                prop_assert!(placement.parts.iter().map(|part| part.servers).sum::<u32>() == servers);
                let prospect = scene.network_state().prospect(&gang, &placement.parts);
                let job = JobId(job);
                scene.room.take(job, &placement.parts, gang.needs);
                prop_assert!((scene.network_state().factor(job) - prospect.own).abs() < 1e-9);
                for (other, _, would) in prospect.others {
                    prop_assert!((scene.network_state().factor(other) - would).abs() < 1e-9);
                }
                for (node, &free) in (0u32..).zip(scene.room.free().per_node()) {
                    prop_assert!(scene.network_state().free_mask(node).count_ones() == free);
                }
                taken.push((job, placement, gang.needs));
            }
            for (job, placement, needs) in taken {
                scene.room.give(job, &placement.parts, needs);
            }
            let edges = 0..scene.network_state().topology().edges() as u32;
            // Bit for bit: a load of -0 would be less than one of 0.
            prop_assert!(scene.network_state().is_idle() && edges.into_iter().all(|edge| scene.network_state().load(edge).to_bits() == 0));
        }
    }
}
