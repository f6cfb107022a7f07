//! Pollux on unlike GPUs, as Sia compares itself with it: it does not tell types apart. In: a round's jobs. Out: the
//! type and the GPUs per node of each.
//!
//! The cluster is nodes of as few GPUs as any of its nodes has, so that larger ones are several. The search is that of
//! the engine (`switchyard_policies::pollux`) with the settings of its artifact. A job that is given GPUs of several
//! types keeps those of the type it has most of, of equals those of the newer type, and the others idle.

use super::job::Job;
use super::world::World;
use rand_xoshiro::rand_core::SeedableRng;
use std::collections::BTreeMap;
use switchyard_model::cluster::Part;
use switchyard_model::draw::Rng;
use switchyard_policies::pollux::{
    Candidate, Node, Problem, ProblemError, Search, SearchParameters,
};

/// Which type is kept of equals, the first before the others.
const PREFERRED: [&str; 5] = ["dgx-ext", "azure", "quad", "rtx", "aws"];

pub(super) struct Pollux {
    search: Search,
    rng: Rng,
    nodes: Vec<Node>,
    /// The type and the node that each of the search's nodes is of.
    of: Vec<(usize, u32)>,
    /// The rank of each type among equals.
    ranks: Vec<usize>,
    /// The most GPUs of a job: as many as each type has.
    most_replicas: u32,
    /// What each job holds, in the search's nodes.
    held: BTreeMap<usize, Vec<Part>>,
}

impl Pollux {
    pub(super) fn new(world: &World, seed: u64) -> Self {
        let types = world.types();
        let least = types.iter().map(|of| of.gpus_per_node).min().unwrap_or(1);
        let gpus = least.max(1);
        let mut of = Vec::new();
        for (kind, of_type) in types.iter().enumerate() {
            for node in 0..of_type.nodes {
                let pieces = of_type.gpus_per_node / gpus;
                of.extend(std::iter::repeat_n((kind, node), pieces as usize));
            }
        }
        let rank = |name: &str| PREFERRED.iter().position(|known| *known == name);
        let ranks = types.iter().map(|of| rank(&of.name));
        let most = types.iter().enumerate().map(|(kind, of)| {
            let measured = of.gpus_per_node.saturating_mul(world.most_nodes(kind));
            of.gpus().min(measured)
        });
        Self {
            search: Search::new(),
            rng: Rng::seed_from_u64(seed),
            nodes: (0..of.len() as u32).map(|key| Node { key, gpus }).collect(),
            ranks: ranks.map(|rank| rank.unwrap_or(PREFERRED.len())).collect(),
            most_replicas: most.min().unwrap_or(1),
            of,
            held: BTreeMap::new(),
        }
    }

    pub(super) fn round(
        &mut self,
        world: &World,
        now: f64,
        jobs: &mut [Job<'_>],
        active: &[usize],
    ) -> Result<(), ProblemError> {
        let candidates: Vec<Candidate> = active
            .iter()
            .map(|&at| self.candidate(now, jobs, at))
            .collect();
        let problem = Problem::new(
            &self.nodes,
            &candidates,
            PARAMETERS,
            |at, nodes, replicas| jobs[active[at]].goodput(nodes, replicas),
        )?;
        let allocation = self.search.run(&problem, &mut self.rng).allocation;
        self.held.clear();
        for (row, &at) in active.iter().enumerate() {
            let parts: Vec<Part> = allocation.parts(row).collect();
            let on = self.of_one_type(parts).map(|(kind, parts)| {
                let mut per_node: BTreeMap<u32, u32> = BTreeMap::new();
                for part in &parts {
                    *per_node.entry(self.of[part.node as usize].1).or_default() += part.gpus;
                }
                self.held.insert(at, parts);
                (kind, per_node.into_values().collect())
            });
            jobs[at].give(world, on, None);
        }
        Ok(())
    }

    fn candidate(&self, now: f64, jobs: &[Job<'_>], at: usize) -> Candidate {
        let job = &jobs[at];
        Candidate {
            key: at as u32,
            current: self.held.get(&at).cloned().unwrap_or_default(),
            min_replicas: 1,
            max_replicas: job.explored_replicas().min(self.most_replicas),
            preemptible: true,
            started: job.restarts().is_some(),
            profiled: job.is_profiled(),
            attained: job.gpu_seconds(),
            age: now - job.submission.time,
            restarts: job.restarts().unwrap_or(0),
            submit_order: at as u32,
        }
    }

    /// What is left of an allocation, and of which type.
    fn of_one_type(&self, parts: Vec<Part>) -> Option<(usize, Vec<Part>)> {
        let mut counts = vec![0; self.ranks.len()];
        for part in &parts {
            counts[self.of[part.node as usize].0] += part.gpus;
        }
        let best = |&kind: &usize| (counts[kind], std::cmp::Reverse(self.ranks[kind]));
        let kind = (0..counts.len()).max_by_key(best);
        let kind = kind.filter(|&kind| counts[kind] > 0)?;
        let kept = parts.into_iter();
        let kept = kept.filter(|part| self.of[part.node as usize].0 == kind);
        Some((kind, kept.collect()))
    }
}

/// Those of Pollux' artifact, which Sia's took over.
const PARAMETERS: SearchParameters = SearchParameters {
    p: -1.0,
    delta: 30.0,
    avoidance: true,
    max_nodes: 16,
    node_classes: 2,
    population: 100,
    generations: 100,
    patience: 0,
    stop_at_bound: false,
    reference: true,
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn pollux() -> Pollux {
        let world = World::new(&World::paper_types(), &BTreeMap::new()).expect("no tables");
        Pollux::new(&world, 1)
    }

    #[test]
    fn nodes_of_eight_are_two_of_four() {
        let pollux = pollux();
        assert_eq!(pollux.nodes.len(), 16);
        assert_eq!(
            (pollux.of[5], pollux.of[6], pollux.of[7]),
            ((0, 5), (1, 0), (1, 0))
        );
        // Those of the smallest type.
        assert_eq!(pollux.most_replicas, 16);
    }

    #[test]
    fn one_type_is_kept() {
        let pollux = pollux();
        let kept = |parts: &[(u32, u32)]| {
            let parts = parts.iter().map(|&(node, gpus)| Part::new(node, gpus));
            let (kind, kept) = pollux.of_one_type(parts.collect())?;
            Some((kind, Part::gpus_of(&kept)))
        };
        assert_eq!(kept(&[(0, 3), (6, 2), (10, 1)]), Some((0, 3)));
        assert_eq!(kept(&[(0, 2), (6, 1), (7, 1)]), Some((1, 2)));
        assert_eq!(kept(&[(0, 2), (10, 2)]), Some((2, 2)));
        assert_eq!(kept(&[]), None);
    }
}
