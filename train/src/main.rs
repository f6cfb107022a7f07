//! `switchyard-train`: trains the schedulers that learn.
//!
//! - `picker` picks jobs (`rl-picker`); `gpu-picker` among those of GPU traces, by the service they have had
//! - `placer` places them (`graph-rl`)
//! - `checkpoint` and `curve` are what every training leaves behind, `adam` is what it learns by
//!
//! One thread and the same arguments give the same parameters, bit for bit.

mod adam;
mod checkpoint;
mod curve;
mod named;
mod picker;
mod placer;

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
    /// What picks jobs of GPU traces: rl-picker[weights=gpu]
    GpuPicker(picker::service::Arguments),
    /// What places jobs: graph-rl
    Placer(placer::Arguments),
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Picker(arguments) => picker::train(&arguments),
        Command::GpuPicker(arguments) => picker::service::train(&arguments),
        Command::Placer(arguments) => placer::train(&arguments),
    }
}
