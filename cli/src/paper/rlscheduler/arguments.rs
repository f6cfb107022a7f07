//! What the comparison takes.

use crate::{Failure, input, output};
use anyhow::anyhow;
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The trace, in the Standard Workload Format as published; Lublin-1 is lublin_256.swf
    #[arg(value_name = "TRACE", required_unless_present = "lublin")]
    pub(super) trace: Option<PathBuf>,
    /// Instead of a trace: another of 10,000 jobs drawn from Lublin's model for the machine. None of
    /// these has been trained on
    #[arg(long, value_name = "SEED", conflicts_with = "trace")]
    pub(super) lublin: Option<u32>,
    /// The machine, NODESxPROCESSORS [default: 4x64; with --gpu room for the largest gang and 1.1 × the mean
    /// demand]
    #[arg(long, value_name = "CLUSTER", value_hint = ValueHint::AnyPath)]
    pub(super) cluster: Option<String>,
    /// A GPU trace, whose jobs ask for no time: preemptive schedulers by mean JCT, with the weights trained for
    /// such traces
    #[arg(long, requires = "trace", conflicts_with_all = ["sequences", "length"])]
    pub(super) gpu: bool,
    /// Only jobs submitted after so much of the trace: days, or 90min, 11h, 2d3h. Of Helios' Venus cluster 100
    /// days were trained on, and nothing of any other trace
    #[arg(long, value_name = "DAYS", default_value_t = 0.0, value_parser = input::days, requires = "gpu")]
    pub(super) after: f64,
    /// Time without progress after every resume or move: seconds, or 90min, 11h, 2d3h
    #[arg(long, value_name = "TIME", default_value_t = 30.0, value_parser = input::seconds, requires = "gpu")]
    pub(super) restart_cost: f64,
    /// Sequences, drawn as published; figures are means over them
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) sequences: u16,
    /// Jobs of each
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) length: u32,
    #[command(flatten)]
    pub(super) opening: input::TraceArguments,
    /// Write the figures as JSON to a file, or to standard output with '-'
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<output::OutputFile>,
}

/// That the trace cannot be compared so.
pub(super) fn refused(arguments: &Arguments, what: &str) -> Failure {
    let name = arguments.trace.as_ref();
    let name = name.map_or("Lublin's jobs".to_owned(), |path| input::called(path));
    Failure::Input(anyhow!("{name}: {what}"))
}
