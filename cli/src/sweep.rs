//! `switchyard sweep`: a grid of runs on the cores of this machine, into a folder that it goes on from. Its results are
//! Parquet: a program built without that (the feature `parquet`) says so.

#[cfg(feature = "parquet")]
mod grid;

#[cfg(not(feature = "parquet"))]
use crate::Failure;
use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "Examples:
  switchyard sweep grid.toml
  switchyard sweep grid.toml --out results --threads 4")]
pub(crate) struct Arguments {
    /// The grid, in TOML: docs/sweeps.md describes it
    #[arg(value_name = "FILE")]
    grid: PathBuf,
    /// The folder for results; runs that it knows are not repeated [default: FILE's name with .sweep]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// How many runs at once [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

#[cfg(feature = "parquet")]
pub(crate) use grid::sweep;

#[cfg(not(feature = "parquet"))]
pub(crate) fn sweep(_: &Arguments) -> Result<(), Failure> {
    let why = format!(
        "sweeps are written as Parquet, {}",
        crate::input::WITHOUT_PARQUET
    );
    Err(Failure::Input(anyhow::anyhow!(why)))
}
