//! What the placer that learned decides by: what `switchyard-bench placer` and `bench/wasm` both measure.

use std::error::Error;
use std::sync::Arc;
use switchyard::cluster::Topology;
use switchyard::draw::{Rng, unit};
use switchyard::explain::Choice;
use switchyard::placement::Strategy;
use switchyard::placement::graph_rl::network::{Network, Without};
use switchyard::placement::graph_rl::scene::{Layout, Observation};

/// A data centre of so many servers of 2 x 4 GPUs in four partitions of racks of eight, as it is seen.
pub(crate) struct Placing {
    network: Network,
    seen: Observation,
    choices: Vec<Choice>,
}

impl Placing {
    pub(crate) fn new(servers: u32) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let seen = seen(servers)?;
        Ok(Self {
            network: Network::random(Strategy::GRAPH_RL, 1),
            choices: choices(&seen.layout),
            seen,
        })
    }

    /// From what is seen to a score of every group of the partition that is asked; the sum of scores.
    pub(crate) fn decide(&self) -> f32 {
        let (network, seen) = (&self.network, &self.seen);
        let encoded = network.encode(seen, Without::default());
        let values = network.values(seen, &encoded);
        let scores = network.scores(seen, &encoded, 0, &self.choices);
        values.iter().chain(&scores).sum()
    }
}

/// Random features, so that no two servers are alike.
fn seen(servers: u32) -> Result<Observation, Box<dyn Error + Send + Sync>> {
    let cluster = format!("{servers}x8/partitions=4/racks={}", servers / 8).parse()?;
    let layout = Layout::of(&Topology::of(&cluster), false);
    let mut rng = <Rng as rand_xoshiro::rand_core::SeedableRng>::seed_from_u64(1);
    let groups = layout.groups.last().map_or(0, |count| *count as usize);
    Ok(Observation {
        job: features(&mut rng),
        groups: (0..groups).map(|_| features(&mut rng)).collect(),
        servers: (0..servers).map(|_| features(&mut rng)).collect(),
        racks: layout
            .partitions
            .iter()
            .map(|_| features(&mut rng))
            .collect(),
        partitions: (0..layout.count()).map(|_| features(&mut rng)).collect(),
        layout: Arc::new(layout),
    })
}

fn features<const WIDE: usize>(rng: &mut Rng) -> [f32; WIDE] {
    std::array::from_fn(|_| unit(rng) as f32)
}

/// Those of the first partition.
fn choices(layout: &Layout) -> Vec<Choice> {
    let here = (0..layout.racks.len()).filter(|&server| layout.partition_of(server) == 0);
    let groups = here.flat_map(|server| {
        let groups = 0..layout.groups_of(server).len() as u32;
        groups.map(move |group| Choice::Group {
            node: server as u32,
            group,
        })
    });
    groups.chain([Choice::Wait]).collect()
}
