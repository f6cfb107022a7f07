//! Who sends over which links, and what that leaves them of their speed: [`Links`]. In: jobs that come
//! to GPUs and go. Out: how fast each runs, how loaded each link is, and what a job that is not there yet
//! would make of it.
//!
//! What a job takes of links on average is shared out by progressive filling, where it wants more
//! than they carry; what it finds there while it sends is what max-min fairness leaves beside what the
//! others take. Only edges that somebody has come to or gone from are looked at, those that fill up
//! with them, and the jobs on these. Sums go by job, so that the result does not depend on who came
//! first: whoever comes and goes again leaves everything as it was, bit for bit.

use super::filling::{Sender, beside, fill};
use super::{Network, Profile, Step};
use crate::cluster::{ClusterSpec, Gpus, Part};
use crate::job::JobId;
use crate::order;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The links of a cluster, its nodes' cores, and the jobs on them.
#[derive(Clone)]
pub struct Links {
    network: Arc<Network>,
    /// GB/s.
    capacity: Arc<[f64]>,
    edges: Vec<Edge>,
    /// Cores of each node, and how many its jobs want; thousandths. No cores are as many as wanted.
    cores: Vec<(u64, u64)>,
    /// By job; whoever runs. The last is for who is only asked about.
    running: Vec<Option<Box<Running>>>,
    /// By node, if it has known cores.
    on_node: Vec<Vec<JobId>>,
    /// Perhaps more than once.
    touched_edges: Vec<u32>,
    /// Jobs and edges that were looked at; there but while they are.
    seen: Option<(Seen, Seen)>,
    touched_nodes: BTreeSet<u32>,
}

/// A job where it runs.
#[derive(Clone, Copy, Debug)]
pub struct Stay<'a> {
    /// What it sends and computes.
    pub profile: &'a Profile,
    /// Its GPUs.
    pub gpus: &'a [Gpus],
    /// Its nodes, workers and parameter servers there.
    pub parts: &'a [Part],
    /// Cores of each parameter server, thousandths.
    pub server_cores: u32,
    /// Whether what its own nodes cost it is counted elsewhere.
    pub knows_nodes: bool,
}

/// What would come of a job's coming.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prospect {
    /// The part of its speed that it would have.
    pub own: f64,
    /// Whose speed would change: the part they have, and would have.
    pub others: Vec<(JobId, f64, f64)>,
}

impl Prospect {
    /// How much slower it and the others would be, as a sum of logarithms; 0: nobody.
    pub fn log_slowdown(&self) -> f64 {
        let others = self.others.iter();
        let others = others.map(|(_, has, would)| libm::log(has / would));
        others.sum::<f64>() - libm::log(self.own)
    }
}

/// Why a job is slow: the node whose cores are too few, and the edge that it waits for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slowed {
    /// A node.
    pub cores: Option<Crowd>,
    /// An edge.
    pub link: Option<Crowd>,
}

/// What is crowded, and by whom.
#[derive(Clone, Debug, PartialEq)]
pub struct Crowd {
    /// The node or edge.
    pub at: u32,
    /// The part of its speed that the job keeps there.
    pub factor: f64,
    /// What is wanted of it ÷ what it has.
    pub load: f64,
    /// The others there and their parts of what is wanted.
    pub by: Vec<(JobId, f64)>,
}

/// An edge and who sends over it, in order, each with the part of its rate.
#[derive(Clone, Debug, Default)]
struct Edge {
    jobs: Vec<(JobId, f64)>,
    /// What they want of it, GB/s; and what they take.
    wanted: f64,
    taken: f64,
}

/// Which of some numbers were seen since it was last begun anew.
#[derive(Clone, Default)]
struct Seen {
    round: u32,
    last: Vec<u32>,
}

impl Seen {
    fn begin(&mut self, numbers: usize) {
        self.last.resize(numbers, 0);
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.last.fill(0);
            self.round = 1;
        }
    }

    /// Whether it was not seen yet; now it is.
    fn is_new(&mut self, number: u32) -> bool {
        std::mem::replace(&mut self.last[number as usize], self.round) != self.round
    }
}

#[derive(Clone)]
struct Running {
    step: Step,
    /// Seconds of a step packed tightly and alone.
    alone: f64,
    /// Seconds of communication that nobody else delays.
    own: f64,
    /// Edges with GB per step, and as parts of the largest of these.
    sends: Vec<(u32, f64)>,
    parts: Vec<(u32, f64)>,
    /// The rate over the edge with the largest part: what it wants, and has; GB/s.
    most: f64,
    rate: f64,
    /// Nodes and the cores wanted there, thousandths.
    cores: Vec<(u32, u64)>,
    factor: f64,
}

impl Links {
    /// Of a cluster with so many jobs to come, none of which runs yet.
    pub fn new(network: Arc<Network>, cluster: &ClusterSpec, jobs: usize) -> Self {
        let topology = &network.topology;
        let kinds = cluster.kinds_per_node();
        let cores = kinds.map(|kind| (u64::from(kind.cores.unwrap_or(0)), 0));
        let capacity = (0..topology.edges() as u32).map(|edge| topology.capacity(edge));
        Self {
            capacity: capacity.collect(),
            edges: vec![Edge::default(); topology.edges()],
            cores: cores.collect(),
            on_node: vec![Vec::new(); topology.nodes() as usize],
            running: (0..=jobs).map(|_| None).collect(),
            touched_edges: Vec::new(),
            seen: None,
            touched_nodes: BTreeSet::new(),
            network,
        }
    }

    /// The links' tree, and what is known of how jobs use it.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// What jobs want of an edge ÷ what it carries.
    pub fn load(&self, edge: u32) -> f64 {
        self.edges[edge as usize].wanted / self.capacity[edge as usize]
    }

    /// Cores of a node, and how many its jobs want, thousandths; 0 cores: not known.
    pub fn cores(&self, node: u32) -> (u64, u64) {
        self.cores[node as usize]
    }

    /// The edges of a job and what it wants of each, GB/s.
    pub fn wanted(&self, job: JobId) -> impl Iterator<Item = (u32, f64)> {
        self.job(job).into_iter().flat_map(|running| {
            let parts = running.parts.iter();
            parts.map(|&(edge, part)| (edge, part * running.most))
        })
    }

    /// What would come of it if a job ran there too. As before afterwards.
    pub fn what_if(&mut self, stay: &Stay<'_>) -> Prospect {
        let newcomer = JobId(self.running.len() as u32 - 1);
        let mut others = Vec::new();
        self.enter(newcomer, stay);
        self.settle(|job, had, has| {
            if job != newcomer {
                others.push((job, had, has));
            }
        });
        let own = self.factor(newcomer);
        self.leave(newcomer);
        self.settle(|_, _, _| {});
        Prospect { own, others }
    }

    fn job(&self, job: JobId) -> Option<&Running> {
        self.running[job.index()].as_deref()
    }

    fn is_overfull(&self, edge: u32) -> bool {
        self.edges[edge as usize].wanted > self.capacity[edge as usize]
    }

    /// Shares the links out anew among all whose rates may have changed, which are those on touched edges
    /// and, by way of edges that they want to overfill, others. The edges of those who have another rate
    /// than before.
    fn share_out(&mut self) -> Vec<u32> {
        let mut stale = Vec::new();
        let (mut jobs, mut edges) = self.seen.take().unwrap_or_default();
        jobs.begin(self.running.len());
        edges.begin(self.edges.len());
        let mut open = Vec::new();
        for at in 0..self.touched_edges.len() {
            let on = &self.edges[self.touched_edges[at] as usize].jobs;
            for place in 0..on.len() {
                // Whoever is reached from somebody seen is seen.
                let first = self.edges[self.touched_edges[at] as usize].jobs[place].0;
                if !jobs.is_new(first.0) {
                    continue;
                }
                let (mut group, mut crowded) = (vec![first], Vec::new());
                open.push(first);
                while let Some(job) = open.pop() {
                    for &(edge, _) in self.job(job).map_or(&[][..], |of| &of.parts) {
                        if self.is_overfull(edge) && edges.is_new(edge) {
                            crowded.push(edge);
                            let on = self.edges[edge as usize].jobs.iter().map(|of| of.0);
                            let new = on.filter(|job| jobs.is_new(job.0));
                            let from = group.len();
                            group.extend(new);
                            open.extend_from_slice(&group[from..]);
                        }
                    }
                }
                self.share_among(group, crowded, &mut stale);
            }
        }
        self.seen = Some((jobs, edges));
        stale
    }

    /// Shares these edges out among these jobs; the edges of those who have another rate than before.
    fn share_among(&mut self, mut group: Vec<JobId>, mut crowded: Vec<u32>, stale: &mut Vec<u32>) {
        // As if they had come in order.
        group.sort_unstable();
        crowded.sort_unstable();
        let running = group.iter().filter_map(|&job| self.job(job));
        let senders: Vec<Sender<'_>> = running
            .map(|running| Sender {
                most: running.most,
                uses: &running.parts,
            })
            .collect();
        let rates = fill(&senders, &crowded, |edge| self.capacity[edge as usize]);
        for (job, rate) in group.into_iter().zip(rates) {
            if let Some(running) = &mut self.running[job.index()]
                && running.rate != rate
            {
                running.rate = rate;
                stale.extend(running.parts.iter().map(|&(edge, _)| edge));
            }
        }
    }

    /// What the jobs on an edge want or take of it in all, and each of them.
    fn on_edge(&self, edge: u32, rate: fn(&Running) -> f64) -> impl Iterator<Item = f64> + '_ {
        let jobs = self.edges[edge as usize].jobs.iter();
        jobs.filter_map(move |&(job, part)| Some(rate(self.job(job)?) * part))
    }

    /// What a job finds on an edge while it sends, GB/s.
    fn found(&self, running: &Running, edge: u32, part: f64) -> f64 {
        let capacity = self.capacity[edge as usize];
        let on = &self.edges[edge as usize];
        if on.jobs.len() < 2 {
            return capacity;
        }
        let own = part * running.rate;
        let free = capacity - (on.taken - own);
        if free * on.jobs.len() as f64 >= on.taken {
            // Enough for all: nobody else takes more than is left.
            let most = self.on_edge(edge, |other| other.rate);
            if most.fold(0.0, f64::max) <= free {
                return free;
            }
        }
        let mut others: Vec<f64> = self.on_edge(edge, |other| other.rate).collect();
        others.sort_unstable_by(order::by_value);
        if let Ok(at) = others.binary_search_by(|other| order::by_value(other, &own)) {
            others.remove(at);
        }
        let count = others.len();
        beside(capacity, others, count)
    }

    /// Seconds of communication, and the edge that they are spent on, unless that is its GPUs' own.
    fn communication(&self, running: &Running) -> (f64, Option<u32>) {
        let mut slowest = (running.own, None);
        for (&(edge, sent), &(_, part)) in running.sends.iter().zip(&running.parts) {
            let alone = self.capacity[edge as usize] * self.network.coefficients.efficiency;
            let seconds = sent / self.found(running, edge, part).min(alone);
            if seconds > slowest.0 {
                slowest = (seconds, Some(edge));
            }
        }
        slowest
    }

    /// By how much more cores are wanted than there are on the node where that is most; at least 1.
    fn crowding(&self, running: &Running) -> (f64, Option<u32>) {
        let mut most = (1.0, None);
        for &(node, _) in &running.cores {
            let (cores, wanted) = self.cores[node as usize];
            let crowding = wanted as f64 / cores as f64;
            if crowding > most.0 {
                most = (crowding, Some(node));
            }
        }
        most
    }

    fn factor_of(&self, running: &Running) -> f64 {
        let (communication, _) = self.communication(running);
        let (crowding, _) = self.crowding(running);
        let factor = running.alone / running.step.seconds(communication, crowding);
        if factor < 1.0 { factor } else { 1.0 }
    }

    /// A job has got GPUs.
    pub fn enter(&mut self, id: JobId, stay: &Stay<'_>) {
        let with_servers = stay.parts.iter().filter(|part| part.servers > 0);
        let on: Vec<(u32, u32)> = with_servers.map(|part| (part.node, part.servers)).collect();
        let sending = self.network.sending(stay.gpus, &on, stay.profile);
        let largest = sending.edges.iter().map(|&(_, sent)| sent);
        let largest = largest.fold(0.0, f64::max);
        let parts = sending.edges.iter().map(|&(e, sent)| (e, sent / largest));
        let thousandths = (stay.profile.cores * 1000.0) as u64;
        let cores = stay.parts.iter().map(|part| {
            let each = u64::from(stay.server_cores);
            let wanted = u64::from(part.width()) * thousandths + u64::from(part.servers) * each;
            (part.node, wanted)
        });
        let here = sending.here;
        let alone = if stay.knows_nodes {
            here
        } else {
            sending.tight
        };
        // Until it is known who else is there, as alone where it is.
        let running = Running {
            step: sending.step,
            alone,
            own: sending.own,
            parts: parts.collect(),
            sends: sending.edges,
            most: largest / here,
            rate: largest / here,
            cores: cores
                .filter(|&(node, _)| self.cores[node as usize].0 > 0)
                .collect(),
            factor: (alone / here).min(1.0),
        };
        for &(node, wanted) in &running.cores {
            self.cores[node as usize].1 += wanted;
            self.on_node[node as usize].push(id);
            self.touched_nodes.insert(node);
        }
        for &(edge, part) in &running.parts {
            let jobs = &mut self.edges[edge as usize].jobs;
            if let Err(at) = jobs.binary_search_by_key(&id, |of| of.0) {
                jobs.insert(at, (id, part));
            }
            self.touched_edges.push(edge);
        }
        self.running[id.index()] = Some(Box::new(running));
    }

    /// A job has lost its GPUs.
    pub fn leave(&mut self, job: JobId) {
        let Some(running) = self.running[job.index()].take() else {
            return;
        };
        for (node, wanted) in running.cores {
            self.cores[node as usize].1 -= wanted;
            self.on_node[node as usize].retain(|&other| other != job);
            self.touched_nodes.insert(node);
        }
        for (edge, _) in running.sends {
            self.edges[edge as usize]
                .jobs
                .retain(|other| other.0 != job);
            self.touched_edges.push(edge);
        }
    }

    /// The part of its speed that a job has.
    pub fn factor(&self, job: JobId) -> f64 {
        self.job(job).map_or(1.0, |running| running.factor)
    }

    /// Sees to the speeds of those whom others have slowed or freed by coming and going, until when they
    /// stay as they were; tells of each the part that it had, and has.
    pub fn settle(&mut self, mut tell: impl FnMut(JobId, f64, f64)) {
        if self.touched_edges.is_empty() && self.touched_nodes.is_empty() {
            return;
        }
        self.touched_edges.sort_unstable();
        self.touched_edges.dedup();
        for &edge in &self.touched_edges {
            let wanted = sum(self.on_edge(edge, |running| running.most));
            self.edges[edge as usize].wanted = wanted;
        }
        let mut stale = self.share_out();
        stale.append(&mut self.touched_edges);
        stale.sort_unstable();
        stale.dedup();
        let nodes = std::mem::take(&mut self.touched_nodes);
        let on_nodes = nodes.iter().map(|&node| &self.on_node[node as usize]);
        let mut affected: Vec<JobId> = on_nodes.flatten().copied().collect();
        for edge in stale {
            let taken = sum(self.on_edge(edge, |running| running.rate));
            let edge = &mut self.edges[edge as usize];
            edge.taken = taken;
            affected.extend(edge.jobs.iter().map(|of| of.0));
        }
        affected.sort_unstable();
        affected.dedup();
        for job in affected {
            let Some(factor) = self.job(job).map(|running| self.factor_of(running)) else {
                continue;
            };
            if let Some(running) = &mut self.running[job.index()]
                && running.factor != factor
            {
                let had = std::mem::replace(&mut running.factor, factor);
                tell(job, had, factor);
            }
        }
    }

    /// Why a job is slow.
    pub fn slowed(&self, job: JobId) -> Slowed {
        let mut slowed = Slowed::default();
        let Some(running) = self.job(job).filter(|running| running.factor < 1.0) else {
            return slowed;
        };
        let (communication, edge) = self.communication(running);
        let (crowding, node) = self.crowding(running);
        // Elsewhere than where it is thought to be fastest it may be faster, which it is not paid for.
        let link = (running.alone / running.step.seconds(communication, 1.0)).min(1.0);
        if let Some(node) = node.filter(|_| running.factor < link) {
            let others = self.on_node[node as usize].iter().filter(|&&id| id != job);
            let all = self.cores[node as usize].1 as f64;
            let share = |&id: &JobId| {
                let wanted = self.job(id)?.cores.iter().find(|(on, _)| *on == node)?.1;
                Some((id, wanted as f64 / all))
            };
            slowed.cores = Some(Crowd {
                at: node,
                factor: running.factor / link,
                load: crowding,
                by: others.filter_map(share).collect(),
            });
        }
        let Some(edge) = edge.filter(|_| link < 1.0) else {
            return slowed;
        };
        let on = &self.edges[edge as usize];
        let wants = |id: JobId, part: f64| Some(self.job(id)?.most * part);
        let others = on.jobs.iter().filter(|of| of.0 != job);
        slowed.link = Some(Crowd {
            at: edge,
            factor: link,
            load: on.wanted / self.capacity[edge as usize],
            by: others
                .filter_map(|&(id, part)| Some((id, wants(id, part)? / on.wanted)))
                .collect(),
        });
        slowed
    }
}

/// Of nothing, 0: the standard library's sum of no numbers is -0.
fn sum(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, |sum, number| sum + number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, proptest};

    fn links(cluster: &str) -> Links {
        let cluster: ClusterSpec = cluster.parse().unwrap();
        Links::new(Arc::new(Network::of(&cluster)), &cluster, 12)
    }

    /// Has `act` do something with a job of this model on these GPUs.
    fn with_stay<T>(model: &str, gpus: &[(u32, u64)], act: impl FnOnce(&Stay<'_>) -> T) -> T {
        let gpus: Vec<Gpus> = gpus
            .iter()
            .map(|&(node, mask)| Gpus { node, mask })
            .collect();
        let parts: Vec<Part> = gpus
            .iter()
            .map(|of| Part::new(of.node, of.count()))
            .collect();
        act(&Stay {
            profile: &Profile::of_name(model),
            gpus: &gpus,
            parts: &parts,
            server_cores: 0,
            knows_nodes: false,
        })
    }

    fn enter(links: &mut Links, models: &[&str], job: u32, gpus: &[(u32, u64)]) {
        with_stay(models[job as usize], gpus, |stay| {
            links.enter(JobId(job), stay)
        });
    }

    fn settle(links: &mut Links) -> Vec<JobId> {
        let mut jobs = Vec::new();
        links.settle(|job, _, _| jobs.push(job));
        jobs
    }

    #[test]
    fn neighbours_on_a_link_slow_one_another_until_they_leave() {
        let models = ["vgg16", "vgg16", "resnet50"];
        let mut law = links("4x4/racks=2");
        enter(&mut law, &models, 0, &[(0, 0b0011), (1, 0b0011)]);
        let spread = law.factor(JobId(0));
        assert!(spread < 1.0, "four GPUs would fit a node");
        assert_eq!(settle(&mut law), []);
        enter(&mut law, &models, 1, &[(0, 0b1100), (1, 0b1100)]);
        assert_eq!(settle(&mut law), [JobId(0), JobId(1)]);
        assert!(law.factor(JobId(0)) < spread);
        let slowed = law.slowed(JobId(0));
        assert_eq!(slowed.cores, None);
        let link = slowed.link.expect("a link is crowded");
        assert_eq!(
            (link.at, link.factor),
            (law.network().topology.node_edge(0), law.factor(JobId(0)))
        );
        assert_eq!(link.by, [(JobId(1), 0.5)]);
        assert!(link.load > 0.7, "two of VGG nearly fill 25 Gb/s");
        assert_eq!(law.load(link.at), link.load);
        // Elsewhere, alone, and packed: nobody feels it.
        enter(&mut law, &models, 2, &[(2, 0b1111)]);
        assert_eq!(settle(&mut law), []);
        assert_eq!(law.factor(JobId(2)), 1.0);
        law.leave(JobId(1));
        assert_eq!(settle(&mut law), [JobId(0)]);
        assert_eq!(law.factor(JobId(0)), spread);
    }

    #[test]
    fn cores_are_shared_where_they_are_known() {
        let models = ["ctc", "ctc"];
        let mut law = links("1x4/cores=8");
        enter(&mut law, &models, 0, &[(0, 0b0001)]);
        assert_eq!((settle(&mut law), law.factor(JobId(0))), (vec![], 1.0));
        enter(&mut law, &models, 1, &[(0, 0b0010)]);
        assert_eq!(settle(&mut law), [JobId(0), JobId(1)]);
        // Seven of eight cores each.
        assert!((law.factor(JobId(0)) - 8.0 / 14.0).abs() < 1e-12);
        let cores = law.slowed(JobId(1)).cores.expect("cores are crowded");
        assert_eq!((cores.at, cores.by), (0, vec![(JobId(0), 0.5)]));
        assert_eq!(law.cores(0), (8000, 14000));
    }

    /// Who comes and goes: a job and where it runs (parts of free GPUs), or one that leaves.
    fn moves() -> impl Strategy<Value = Vec<(u32, Vec<(u32, u64)>)>> {
        let part = (0u32..6, any::<u8>().prop_map(u64::from));
        prop::collection::vec((0u32..12, prop::collection::vec(part, 1..5)), 1..40)
    }

    proptest! {
        /// What was foreseen of a job's coming comes of it. Whatever has come and gone, speeds are those of a law that has only seen who runs now, bit
        /// for bit; they are in (0, 1]; and exactly those whose speed has changed are named.
        #[test]
        fn bit_by_bit_is_from_scratch(
            moves in moves(),
            cluster in Just(["6x8/cores=16/racks=2", "6x8/partitions=2/racks=3/oversubscription=6",
                "6x8/nic=0.5/sockets=4", "6x8"]),
            which in 0usize..4,
            every in 1usize..4,
        ) {
            let models = ["vgg16", "resnet50", "resnet152", "ctc", "wlm", "dssm", "vgg16",
                "inceptionbn", "seq2seq", "vgg16", "resnet152", "ctc"];
            let mut law = links(cluster[which]);
            let mut now: Vec<Option<Vec<(u32, u64)>>> = vec![None; 12];
            for (i, (job, parts)) in moves.iter().enumerate() {
                let mut foreseen = None;
                let id = JobId(*job);
                if now[id.index()].take().is_some() {
                    law.leave(id);
                } else {
                    let taken = |node: u32| now.iter().flatten().flatten()
                        .filter(|(on, _)| *on == node).fold(0, |all, (_, mask)| all | mask);
                    let mut own: Vec<(u32, u64)> = Vec::new();
                    for &(node, mask) in parts {
                        let free = mask & !taken(node);
                        if free > 0 && !own.iter().any(|(on, _)| *on == node) {
                            own.push((node, free));
                        }
                    }
                    own.sort_unstable();
                    if !own.is_empty() && i % every == 0 {
                        settle(&mut law);
                        foreseen = Some((id, with_stay(models[id.index()], &own, |stay| law.what_if(stay))));
                        prop_assert_eq!(settle(&mut law), []);
                    }
                    if !own.is_empty() {
                        enter(&mut law, &models, *job, &own);
                        now[id.index()] = Some(own);
                    }
                }
                if i % every > 0 {
                    continue;
                }
                let before: Vec<f64> = (0..12).map(|job| law.factor(JobId(job))).collect();
                let changed = settle(&mut law);
                if let Some((newcomer, Prospect { own, others })) = foreseen {
                    // Sums were in another order.
                    let is = |had: f64, has: f64| (had - has).abs() <= 1e-9;
                    prop_assert!(is(own, law.factor(newcomer)));
                    for job in (0..12).map(JobId).filter(|&job| job != newcomer) {
                        let of = others.iter().find(|of| of.0 == job);
                        let (had, has) = of.map_or((before[job.index()], before[job.index()]), |of| (of.1, of.2));
                        prop_assert!(had == before[job.index()] && is(has, law.factor(job)));
                    }
                }
                let mut anew = links(cluster[which]);
                for (job, own) in (0u32..).zip(&now) {
                    if let Some(own) = own {
                        enter(&mut anew, &models, job, own);
                    }
                }
                settle(&mut anew);
                for job in (0..12).map(JobId) {
                    let factor = law.factor(job);
                    prop_assert_eq!(factor.to_bits(), anew.factor(job).to_bits());
                    prop_assert!(factor > 0.0 && factor <= 1.0);
                    prop_assert_eq!(factor != before[job.index()], changed.contains(&job));
                }
            }
        }
    }
}
