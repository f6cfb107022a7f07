//! `switchyard-bench`: measurements that people can repeat.
//!
//! `engine` measures how fast a trace opens and how many jobs a second each scheduler simulates,
//! `open` the opening of any files alone, `growth` what a run costs where many jobs wait. `goodput` measures fits and tables of Pollux's models,
//! `placer` the decisions of graph-rl, `pollux` the genetic search of a scheduling round, `scripts` the decisions of scripts, `gns` the gradient noise scale on CPU and GPU.
//! Every figure is the median of several runs, beside the least and the greatest.

mod crowd;
mod engine;
mod gns;
mod goodput;
mod growth;
mod open;
mod placer;
mod placing;
mod pollux;
mod scripts;

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
    /// Opening speed of each of several files
    Open(open::Arguments),
    /// The gradient noise scale: one pass over a model's gradients, on CPU, CUDA or WebGPU
    Gns(gns::Arguments),
    /// What a run costs where many jobs wait, for each policy
    Growth(growth::Arguments),
    /// What fits and tables of Pollux's models cost
    Goodput(goodput::Arguments),
    /// Decisions per second of the placer that learned
    Placer(placer::Arguments),
    /// A scheduling round of Pollux: the genetic search, and what stopping it early changes
    Pollux(pollux::Arguments),
    /// Decisions per second of scripts beside built-in policies
    Scripts(scripts::Arguments),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Engine(arguments) => engine::engine(&arguments),
        Command::Open(arguments) => open::open(&arguments),
        Command::Gns(arguments) => gns::gns(&arguments),
        Command::Goodput(arguments) => goodput::goodput(&arguments),
        Command::Growth(arguments) => growth::growth(&arguments),
        Command::Placer(arguments) => placer::placer(&arguments),
        Command::Pollux(arguments) => pollux::pollux(&arguments),
        Command::Scripts(arguments) => scripts::scripts(&arguments),
    }
}
