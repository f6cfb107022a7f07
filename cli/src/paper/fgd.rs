//! FGD's experiment (ATC'23 §6): pods that share GPUs arrive until a cluster is full, under FGD and
//! the five placements it was measured against.

use super::Section;
use crate::progress::Progress;
use crate::table::Table;
use crate::{Failure, output};
use anyhow::Context;
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use switchyard::pods::Fleet;
use switchyard::sharing::{Curve, Figures, PUBLISHED, Packer, inflate};
use switchyard::trace::{SourceFile, read_fleet};
use switchyard_sweep::files;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The machines, as openb_node_list_gpu_node.csv of Alibaba's trace of 2023 lists them
    #[arg(long, value_name = "FILE")]
    nodes: PathBuf,
    /// The pods, as openb_pod_list_default.csv lists them
    #[arg(long, value_name = "FILE")]
    pods: PathBuf,
    /// Runs of each placement, with different arrivals; figures are means over them
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// Write the figures as JSON to a file, or to standard output with '-'
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
}

/// Means over seeds, in percent.
#[derive(Serialize)]
struct Row {
    policy: &'static str,
    /// GPUs taken when pods have asked for 130 % of them.
    allocation_at_130: f64,
    /// Fragments among what is left of GPUs when pods have asked for 80 %.
    fragmentation_at_80: f64,
}

#[derive(Serialize)]
struct Results<'a> {
    rows: &'a [Row],
}

pub(crate) fn fgd(arguments: &Arguments) -> Result<(), Failure> {
    let fleet = read(&arguments.nodes, &arguments.pods)?;
    let packers = Packer::ALL.into_iter();
    let runs = packers.len() as u64 * arguments.seeds;
    let progress = Progress::of("paper fgd", runs, "runs");
    let rows: Vec<Row> = packers
        .map(|packer| measure(&fleet, packer, arguments.seeds, &progress))
        .collect();
    drop(progress);
    match &arguments.json {
        Some(path) => output::json(path, &Results { rows: &rows }),
        None => output::print(&text(&fleet, rows)),
    }
}

fn read(nodes: &Path, pods: &Path) -> Result<Fleet, Failure> {
    let bytes = |path: &Path| {
        let read = files::read(path).with_context(|| format!("cannot read {}", path.display()));
        read.map_err(Failure::Input)
    };
    let (nodes_bytes, pods_bytes) = (bytes(nodes)?, bytes(pods)?);
    let (nodes, pods) = (nodes.to_string_lossy(), pods.to_string_lossy());
    let fleet = read_fleet(
        SourceFile {
            name: &nodes,
            bytes: &nodes_bytes,
        },
        SourceFile {
            name: &pods,
            bytes: &pods_bytes,
        },
    );
    fleet.map_err(|error| Failure::Input(error.into()))
}

fn measure(fleet: &Fleet, packer: &'static Packer, seeds: u64, progress: &Progress) -> Row {
    let curves: Vec<Curve> = (0..seeds)
        .map(|seed| {
            let curve = inflate(fleet, packer, seed);
            progress.piece().done();
            curve
        })
        .collect();
    let mean = Curve::mean_of(&curves);
    Row {
        policy: packer.name,
        allocation_at_130: mean.figures(130).allocation,
        fragmentation_at_80: mean.figures(80).fragmentation,
    }
}

fn text(fleet: &Fleet, rows: Vec<Row>) -> String {
    let mut table = Table::default();
    let header = [
        "",
        "allocation at 130 %",
        "published",
        "fragmentation at 80 %",
        "published",
    ];
    table.row(header.map(String::from).to_vec());
    for row in &rows {
        let published = PUBLISHED.iter().find(|(name, _)| *name == row.policy);
        let published = |of: fn(&Figures) -> f64| {
            published.map_or(String::new(), |(_, figures)| {
                format!("{:.2} %", of(figures))
            })
        };
        table.row(vec![
            row.policy.to_owned(),
            format!("{:.2} %", row.allocation_at_130),
            published(|figures| figures.allocation),
            format!("{:.2} %", row.fragmentation_at_80),
            published(|figures| figures.fragmentation),
        ]);
    }
    let section = Section {
        title: "GPUs allocated, and fragments among what is left, by arrived load",
        published: "means of ten seeds of the paper's simulator, on the openb nodes and pods",
        rows,
    };
    let machines = fleet.machines.len();
    let gpus = fleet.gpu_thousandths() / 1000;
    let pods = fleet.pods.len();
    format!(
        "{pods} pods on {machines} machines, {gpus} GPUs\n{}",
        section.text(&table)
    )
}
