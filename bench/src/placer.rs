//! `switchyard-bench placer`: decisions per second of the placer that learned, each from what is seen to
//! a score of every group of the partition that is asked, by the number of servers.

use crate::engine::Spread;
use crate::placing::Placing;
use anyhow::{Result, anyhow};
use clap::Args;
use serde::Serialize;
use std::time::Instant;

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
    let mut rows = Vec::new();
    for &servers in &arguments.servers {
        let placing = Placing::new(servers).map_err(|error| anyhow!(error))?;
        let mut taken = Vec::new();
        let begin = Instant::now();
        while begin.elapsed().as_secs_f64() < arguments.seconds || taken.len() < 3 {
            let begin = Instant::now();
            std::hint::black_box(placing.decide());
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
