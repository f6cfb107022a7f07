//! What a job sends where it runs, and how fast it would alone. In: a cluster, GPUs and a [`Profile`].
//! Out: [`Sending`].

use super::{Bandwidths, Coefficients, Profile, Step, Traffic};
use crate::cluster::{ClusterSpec, Gpus, Topology};

/// A cluster's links and what is known of how jobs use them.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// The links.
    pub topology: Topology,
    /// What the measurements decide.
    pub coefficients: Coefficients,
    fastest: Bandwidths,
}

/// A job's steps where it runs, as long as nobody else is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Sending {
    /// Its computing.
    pub step: Step,
    /// Edges in increasing order, each with GB per step in each direction.
    pub edges: Vec<(u32, f64)>,
    /// Seconds of communication over its GPUs' own links.
    pub own: f64,
    /// Seconds of a step there, and packed as tightly as the cluster allows.
    pub here: f64,
    /// See `here`.
    pub tight: f64,
}

impl Network {
    /// Of a cluster.
    pub fn of(cluster: &ClusterSpec) -> Self {
        let topology = Topology::of(cluster);
        let coefficients = Coefficients::FITTED;
        Self {
            fastest: Bandwidths::of(&topology, coefficients.pcie),
            coefficients,
            topology,
        }
    }

    /// What a job of this profile sends on these GPUs, with parameter servers on these nodes.
    pub fn sending(&self, gpus: &[Gpus], servers: &[(u32, u32)], profile: &Profile) -> Sending {
        let (topology, coefficients) = (&self.topology, &self.coefficients);
        let pcie = coefficients.pcie;
        let traffic = Traffic::of(topology, gpus, servers, profile.gradients, pcie);
        let efficiency = coefficients.efficiency;
        let step = Step::new(profile.compute, coefficients);
        let workers: u32 = gpus.iter().map(|gpus| gpus.count()).sum();
        let tight = match servers {
            [] => traffic.own / (self.fastest.ring(workers) * efficiency),
            _ => self.fastest.served(workers) * profile.gradients / efficiency,
        };
        let own = traffic.own / (topology.gpu() * efficiency);
        let slowest = traffic.edges.iter().fold(own, |slowest, &(edge, sent)| {
            slowest.max(sent / (topology.capacity(edge) * efficiency))
        });
        // What rounding alone makes of it is no slowness.
        let tight = match (tight - slowest).abs() <= 1e-12 * slowest {
            true if !servers.is_empty() => slowest,
            _ => tight,
        };
        Sending {
            here: step.seconds(slowest, 1.0),
            tight: step.seconds(tight, 1.0),
            edges: traffic.edges,
            step,
            own,
        }
    }
}

impl Sending {
    /// What it wants of each of its edges, GB/s.
    pub fn wanted(&self) -> impl Iterator<Item = (u32, f64)> {
        self.edges
            .iter()
            .map(|&(edge, sent)| (edge, sent / self.here))
    }
}
