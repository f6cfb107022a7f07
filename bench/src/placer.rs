//! `switchyard-bench placer`: decisions per second of the placer that learned, each from what is seen to
//! a score of every group of the partition that is asked, by the number of servers.

use crate::engine::Spread;
use anyhow::Result;
use clap::Args;
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;
use switchyard::cluster::Topology;
use switchyard::draw::{Rng, unit};
use switchyard::placement::Strategy;
use switchyard::placement::graph_rl::network::{Network, Without};
use switchyard::placement::graph_rl::scene::{Layout, Observation};
use switchyard::tell::Choice;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Servers of 2 x 4 GPUs in four partitions of racks of eight; may be given several times
    #[arg(long = "servers", default_values = ["128", "4096"], value_parser = clap::value_parser!(u32).range(32..=16384))]
    servers: Vec<u32>,
    /// Seconds per figure
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    servers: u32,
    seconds: Spread,
    decisions_per_second: f64,
}

pub(crate) fn placer(arguments: &Arguments) -> Result<()> {
    let network = Network::random(Strategy::GRAPH_RL, 1);
    let mut rows = Vec::new();
    for &servers in &arguments.servers {
        let seen = seen(servers)?;
        let choices = choices(&seen.layout);
        let mut taken = Vec::new();
        let begin = Instant::now();
        while begin.elapsed().as_secs_f64() < arguments.seconds || taken.len() < 3 {
            let begin = Instant::now();
            let encoded = network.encode(&seen, Without::default());
            std::hint::black_box(network.values(&seen, &encoded));
            std::hint::black_box(network.scores(&seen, &encoded, 0, &choices));
            taken.push(begin.elapsed().as_secs_f64());
        }
        taken.sort_by(f64::total_cmp);
        let seconds = Spread {
            min: taken[0],
            median: taken[taken.len() / 2],
            max: taken[taken.len() - 1],
        };
        rows.push(Row {
            servers,
            seconds,
            decisions_per_second: 1.0 / seconds.median,
        });
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
    } else {
        for row in rows {
            let (each, ms) = (row.decisions_per_second, row.seconds.median * 1e3);
            println!(
                "{:>6} servers: {each:.0} decisions/s, {ms:.3} ms each",
                row.servers
            );
        }
    }
    Ok(())
}

/// Random features, so that no two servers are alike.
fn seen(servers: u32) -> Result<Observation> {
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
