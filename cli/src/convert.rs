//! `switchyard convert`: any trace as our own format, SWF or Tiresias' CSV.

use crate::input::{self, TraceArguments};
use crate::settings::{SettingsArguments, prepared};
use crate::{Failure, output};
use anyhow::Context;
use clap::{Args, ValueEnum, ValueHint};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::path::PathBuf;
use switchyard::workload::export;

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Our own: jobs with all settings of their runs
    Switchyard,
    /// The Standard Workload Format
    Swf,
    /// Tiresias' CSV
    Tiresias,
}

#[derive(Args)]
#[command(after_help = "Examples:
  switchyard convert trace.csv -o jobs.swf
  switchyard convert sample:lab -o lab.csv.gz
  switchyard convert trace.csv --window 1d..8d --policy fifo --policy las -o experiment.csv

`switchyard help convert` says more of each.")]
pub(crate) struct Arguments {
    /// The trace: files (a cluster's may be among them), sample:NAME, or - (standard input)
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    trace: Vec<PathBuf>,
    /// The file to write; - is standard output; compressed where its name ends in .gz
    #[arg(long, short, value_name = "FILE")]
    output: output::OutputFile,
    /// What to write [default: swf where the file's name ends in .swf, else switchyard]
    #[arg(long, value_enum)]
    to: Option<Format>,
    /// The experiment's name
    #[arg(long)]
    title: Option<String>,
    #[command(flatten)]
    cluster: input::ClusterArgument,
    #[command(flatten)]
    settings: SettingsArguments,
    #[command(flatten)]
    opening: TraceArguments,
}

pub(crate) fn convert(arguments: &Arguments) -> Result<(), Failure> {
    let request = arguments.settings.request(arguments.cluster.text())?;
    let cluster = arguments.cluster.text();
    let study = input::load(&arguments.trace, &arguments.opening, cluster)?;
    let plain = arguments.output.strip_suffix(".gz");
    let name = plain.unwrap_or(&arguments.output);
    let by_name = if name.ends_with(".swf") {
        Format::Swf
    } else {
        Format::Switchyard
    };
    let mut text = String::new();
    let cluster = study.cluster.as_ref().map(|(cluster, _)| cluster.clone());
    let written = match arguments.to.unwrap_or(by_name) {
        Format::Swf => export::swf(&study.workload, cluster.as_ref(), &mut text),
        Format::Tiresias => export::tiresias(&study.workload, &mut text),
        Format::Switchyard => {
            // The jobs are written as they were opened, without what they train.
            let workload = study.workload.clone();
            // What could not run is not written.
            let mut experiment = prepared(study, request)?.experiment;
            experiment.cluster = cluster;
            experiment.title = arguments.title.clone().unwrap_or(experiment.title);
            experiment.write(&workload, &mut text)
        }
    };
    written
        .context("cannot write the trace")
        .map_err(Failure::Run)?;
    if plain.is_none() {
        return output::text(&arguments.output, &text);
    }
    output::write(&arguments.output, |out| {
        let mut encoder = GzEncoder::new(out, Compression::default());
        encoder.write_all(text.as_bytes())?;
        encoder.finish().map(drop)
    })
}
