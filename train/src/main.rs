//! `switchyard-train`: trains the schedulers that learn.
//!
//! - `picker` picks jobs (`rl-picker`)
//! - `checkpoint` and `curve` are what every training leaves behind
//!
//! One thread and the same arguments give the same parameters, bit for bit.

mod checkpoint;
mod curve;
mod picker;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Trains the schedulers that learn.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// What picks jobs: rl-picker
    Picker(picker::Arguments),
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Picker(arguments) => picker::train(&arguments),
    }
}
