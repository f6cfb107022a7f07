//! `switchyard paper`: the experiments of a paper, each beside its published figures.

mod pollux;
mod tiresias;

use crate::Failure;
use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Arguments {
    /// Tiresias (NSDI'19): against YARN-CS and SRTF, over K, thresholds, knob, load and placement
    Tiresias(tiresias::Arguments),
    /// Pollux (OSDI'21): against Optimus and Tiresias, over load, fairness, interval and
    /// interference
    Pollux(pollux::Arguments),
}

pub(crate) fn paper(arguments: &Arguments) -> Result<(), Failure> {
    match arguments {
        Arguments::Tiresias(arguments) => tiresias::tiresias(arguments),
        Arguments::Pollux(arguments) => pollux::pollux(arguments),
    }
}
