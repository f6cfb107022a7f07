//! `switchyard-bench`: measurements that people can repeat.
//!
//! `engine` measures how fast a trace opens and how many jobs a second each scheduler simulates.
//! `gns` measures the gradient noise scale on CPU and GPU. `goodput` measures fits and tables of Pollux's models, `pollux` the genetic search of a
//! scheduling round. Every figure is the median of several runs, beside the least and the greatest.

mod engine;
mod gns;
mod goodput;
mod pollux;

use clap::{Parser, Subcommand};

/// Measure the engine.
#[derive(Parser)]
#[command(name = "switchyard-bench", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Opening speed, jobs per second of each policy, and how that grows with the trace
    Engine(engine::Arguments),
    /// The gradient noise scale: one pass over a model's gradients, on CPU, CUDA or WebGPU
    Gns(gns::Arguments),
    /// What fits and tables of Pollux's models cost
    Goodput(goodput::Arguments),
    /// A scheduling round of Pollux: the genetic search, and what stopping it early changes
    Pollux(pollux::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Engine(arguments) => engine::engine(&arguments),
        Command::Gns(arguments) => gns::gns(&arguments),
        Command::Goodput(arguments) => goodput::goodput(&arguments),
        Command::Pollux(arguments) => pollux::pollux(&arguments),
    }
}
