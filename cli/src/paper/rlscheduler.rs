//! RLScheduler's comparison (Zhang et al., SC'20, table V): batch schedulers by mean bounded slowdown
//! over sequences of a trace's jobs, with and without its backfilling; and on GPU traces ([`gpu`]).

mod gpu;

use super::Section;
use crate::progress::Progress;
use crate::table::Table;
use crate::{Failure, input, output};
use anyhow::anyhow;
use clap::{Args, ValueHint};
use serde::Serialize;
use std::path::PathBuf;
use switchyard::Resource;
use switchyard::cluster::ClusterSpec;
use switchyard::report::bounded_slowdown;
use switchyard::trace::Opened;
use switchyard::workload::{LublinGenerator, Sequence, Sequences};
use switchyard::{Preset, RunSpec};
use switchyard_app::driver::Driver;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The trace, in the Standard Workload Format as published; Lublin-1 is lublin_256.swf
    #[arg(value_name = "TRACE", required_unless_present = "lublin")]
    trace: Option<PathBuf>,
    /// Instead of a trace: another of 10,000 jobs drawn from Lublin's model for the machine. None of
    /// these has been trained on
    #[arg(long, value_name = "SEED", conflicts_with = "trace")]
    lublin: Option<u32>,
    /// The machine, NODESxPROCESSORS [default: 4x64; with --gpu room for the largest gang and 1.1 × the mean
    /// demand]
    #[arg(long, value_name = "CLUSTER", value_hint = ValueHint::AnyPath)]
    cluster: Option<String>,
    /// A GPU trace, whose jobs ask for no time: preemptive schedulers by mean JCT, with the weights trained for
    /// such traces
    #[arg(long, requires = "trace", conflicts_with_all = ["sequences", "length"])]
    gpu: bool,
    /// Only jobs submitted after so much of the trace: days, or 90min, 11h, 2d3h. Of Helios' Venus cluster 100
    /// days were trained on, and nothing of any other trace
    #[arg(long, value_name = "DAYS", default_value_t = 0.0, value_parser = input::days, requires = "gpu")]
    after: f64,
    /// Time without progress after every resume or move: seconds, or 90min, 11h, 2d3h
    #[arg(long, value_name = "TIME", default_value_t = 30.0, value_parser = input::seconds, requires = "gpu")]
    restart_cost: f64,
    /// Sequences, drawn as published; figures are means over them
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    sequences: u16,
    /// Jobs of each
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    length: u32,
    #[command(flatten)]
    opening: input::TraceArguments,
    /// Write the figures as JSON to a file, or to standard output with '-'
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
}

/// What the paper calls a policy, what it is here, and Lublin-1's published figures without and
/// with backfilling.
const POLICIES: [(&str, &str, [f64; 2]); 6] = [
    ("fcfs", "fcfs", [7273.77, 235.82]),
    ("wfp3", "wfp3", [19753.53, 133.87]),
    ("uni", "unicep", [22274.74, 307.23]),
    ("sjf", "shortest-job", [277.35, 73.31]),
    ("f1", "f1", [258.37, 75.07]),
    // Weights of theirs; ours are of our own training.
    ("rl", "rl-picker", [254.67, 58.64]),
];

/// What Lublin-1 was drawn for.
const LUBLIN_CLUSTER: &str = "4x64";

/// How many jobs Lublin-1 has.
const LUBLIN_1: u32 = 10_000;

#[derive(Serialize)]
struct Row {
    policy: &'static str,
    backfill: bool,
    /// Mean over all sequences.
    bsld: f64,
}

#[derive(Serialize)]
struct Results<'a> {
    rows: &'a [Row],
}

pub(crate) fn rlscheduler(arguments: &Arguments) -> Result<(), Failure> {
    let asked = arguments.cluster.as_deref();
    let asked = asked.map(|text| input::cluster(text, Resource::Gpus));
    let asked = asked.transpose()?;
    let given = match &arguments.trace {
        Some(path) => match arguments.opening.open(std::slice::from_ref(path), None)? {
            Opened::Trace(trace) => Some(trace),
            _ => return Err(refused(arguments, "no trace: give one of jobs")),
        },
        None => None,
    };
    let given = match given {
        Some(trace) if arguments.gpu => return gpu::gpu(arguments, trace, asked),
        given => given,
    };
    let cluster = match asked {
        Some(cluster) => cluster,
        None => input::cluster(LUBLIN_CLUSTER, Resource::Gpus)?,
    };
    let mut trace = given.unwrap_or_else(|| {
        let generator = LublinGenerator {
            jobs: LUBLIN_1,
            processors: cluster.gpus(),
            // Training and choosing have the others (train/).
            seed: 3 * u64::from(arguments.lublin.unwrap_or_default()),
        };
        generator.generate()
    });
    (arguments.opening).choose(&mut trace, Some(&cluster))?;
    let all = Sequences::of(&trace);
    if all.widest() > cluster.gpus() {
        let wants = format!(
            "a job asks for {} processors, and {cluster} has {}: give the machine with --cluster",
            all.widest(),
            cluster.gpus()
        );
        return Err(refused(arguments, &wants));
    }
    let length = arguments.length as usize;
    let Some(starts) = all.published(arguments.sequences.into(), length) else {
        let short = format!(
            "{} jobs, too few for sequences of {length}, which need {}: give fewer with --length",
            all.len(),
            2 * length + 2
        );
        return Err(refused(arguments, &short));
    };
    let cut = starts.into_iter().map(|start| all.cut(start, length));
    let sequences: Vec<Sequence> = cut.collect();
    let mut rows = Vec::new();
    let runs = 2 * POLICIES.len() * sequences.len();
    let progress = Progress::of("paper rlscheduler", runs as u64, "runs");
    for backfill in [false, true] {
        for (policy, name, _) in POLICIES {
            let world = (&cluster, all.longest());
            let bsld = mean(name, backfill, &sequences, world, &progress)?;
            rows.push(Row {
                policy,
                backfill,
                bsld,
            });
        }
    }
    drop(progress);
    match &arguments.json {
        Some(path) => output::json(path, &Results { rows: &rows }),
        None => output::print(&text(rows)),
    }
}

fn refused(arguments: &Arguments, what: &str) -> Failure {
    let name = arguments.trace.as_ref();
    let name = name.map_or("Lublin's jobs".to_owned(), |path| input::called(path));
    Failure::Input(anyhow!("{name}: {what}"))
}

fn mean(
    name: &str,
    backfill: bool,
    sequences: &[Sequence],
    (cluster, longest): (&ClusterSpec, f64),
    progress: &Progress,
) -> Result<f64, Failure> {
    let mut sum = 0.0;
    for sequence in sequences {
        let more = match name {
            "fcfs" | "shortest-job" => String::new(),
            "rl-picker" => format!(",longest={longest}"),
            _ => format!(",zero={}", sequence.zero),
        };
        let policy = format!("{name}[backfill={backfill}{more}]").parse();
        let mut spec = RunSpec {
            policy: policy.map_err(|error| Failure::Run(anyhow::Error::from(error)))?,
            cluster: cluster.clone(),
            placement: Default::default(),
            options: Default::default(),
            history: None,
            outages: Default::default(),
        };
        let preset = Preset::ReferenceSc20.apply(&mut spec);
        preset.map_err(|error| Failure::Run(error.into()))?;
        let workload = &sequence.workload;
        let mut run = Driver::new(spec.start(workload.clone()), workload.clone());
        progress
            .run(&mut run)
            .map_err(|error| Failure::Run(error.into()))?;
        sum += bounded_slowdown(workload, run.log());
    }
    Ok(sum / sequences.len() as f64)
}

fn text(rows: Vec<Row>) -> String {
    let mut table = Table::default();
    let header = ["", "backfilling", "bounded slowdown", "published, Lublin-1"];
    table.row(header.map(String::from).to_vec());
    for row in &rows {
        let published = POLICIES.iter().find(|(policy, ..)| *policy == row.policy);
        let published = published.map(|(.., figures)| figures[usize::from(row.backfill)]);
        table.row(vec![
            row.policy.to_owned(),
            if row.backfill { "yes" } else { "no" }.to_owned(),
            format!("{:.2}", row.bsld),
            published.map_or(String::new(), |figure| format!("{figure:.2}")),
        ]);
    }
    let section = Section {
        title: "Mean bounded slowdown",
        published: "ten sequences of 1,024 jobs, a job of less than 10 s counts as one of 10 s",
        rows,
    };
    section.text(&table)
}
