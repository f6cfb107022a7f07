//! `switchyard convert`: any trace as our own format, SWF or Tiresias' CSV.

use crate::input::{self, TraceArguments};
use crate::{Failure, write_out};
use anyhow::Context;
use clap::{Args, ValueEnum};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::PathBuf;
use switchyard::policy::PolicySpec;
use switchyard::workload::export;

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Our own: jobs with their cluster, policies and seed
    Switchyard,
    /// The Standard Workload Format
    Swf,
    /// Tiresias' CSV
    Tiresias,
}

#[derive(Args)]
pub(crate) struct Arguments {
    /// The trace: one or more files (a cluster's description may be among them), or sample:NAME
    #[arg(required = true, value_name = "TRACE")]
    trace: Vec<PathBuf>,
    /// The file to write; - is standard output; compressed where its name ends in .gz
    #[arg(long, short, value_name = "FILE")]
    output: String,
    /// What to write [default: swf where the file's name ends in .swf, else switchyard]
    #[arg(long, value_enum)]
    to: Option<Format>,
    #[command(flatten)]
    opening: TraceArguments,
    /// The cluster: NODESxGPUS or a file that describes one [default: the one that comes with
    /// the trace]
    #[arg(long)]
    cluster: Option<String>,
    /// A policy of the experiment; may be given several times
    #[arg(long = "policy", value_name = "SPEC")]
    policies: Vec<PolicySpec>,
    /// The experiment's placement
    #[arg(long, value_name = "NAME")]
    placement: Option<String>,
    /// The experiment's seconds without progress after every resume or move
    #[arg(long, value_name = "SECONDS")]
    restart_cost: Option<f64>,
    /// The experiment's seed
    #[arg(long)]
    seed: Option<u64>,
    /// The experiment's name
    #[arg(long)]
    title: Option<String>,
}

pub(crate) fn convert(arguments: &Arguments) -> Result<(), Failure> {
    let cluster = arguments.cluster.as_deref();
    let input = input::load(&arguments.trace, &arguments.opening, cluster)?;
    let plain = arguments.output.strip_suffix(".gz");
    let name = plain.unwrap_or(&arguments.output);
    let by_name = if name.ends_with(".swf") {
        Format::Swf
    } else {
        Format::Switchyard
    };
    let mut text = String::new();
    let cluster = input.cluster.map(|(cluster, _)| cluster);
    let workload = &input.workload;
    let written = match arguments.to.unwrap_or(by_name) {
        Format::Swf => export::swf(workload, cluster.as_ref(), &mut text),
        Format::Tiresias => export::tiresias(workload, &mut text),
        Format::Switchyard => {
            let mut settings = input.experiment;
            settings.cluster = cluster;
            if !arguments.policies.is_empty() {
                settings.policies = arguments
                    .policies
                    .iter()
                    .map(PolicySpec::to_string)
                    .collect();
            }
            settings.placement = arguments.placement.clone().or(settings.placement);
            settings.restart_cost = arguments.restart_cost.or(settings.restart_cost);
            settings.seed = arguments.seed.or(settings.seed);
            settings.title = arguments.title.clone().unwrap_or(settings.title);
            export::experiment(workload, &settings, &mut text)
        }
    };
    written
        .context("cannot write the trace")
        .map_err(Failure::Run)?;
    if plain.is_none() {
        return write_out(&arguments.output, text.trim_end());
    }
    let unwritable = || format!("cannot write {}", arguments.output);
    let compress = || {
        let file = std::fs::File::create(&arguments.output)?;
        let mut encoder = GzEncoder::new(file, Compression::default());
        encoder.write_all(text.as_bytes())?;
        encoder.finish().map(drop)
    };
    compress().with_context(unwritable).map_err(Failure::Run)
}
