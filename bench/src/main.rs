//! `switchyard-bench`: measurements that people can repeat.
//!
//! `engine` measures how fast a trace opens and how many jobs a second each scheduler simulates,
//! `open` the opening of any files alone.
//! Every figure is the median of several runs, beside the least and the greatest.

mod engine;
mod open;

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
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Engine(arguments) => engine::engine(&arguments),
        Command::Open(arguments) => open::open(&arguments),
    }
}
