//! RLScheduler's comparison (Zhang et al., SC'20, table V): batch schedulers by mean bounded slowdown
//! over sequences of a trace's jobs, with and without its backfilling; and on GPU traces ([`gpu`]).

mod arguments;
mod gpu;

use super::Section;
use crate::progress::Progress;
use crate::table::Table;
use crate::{Failure, input, output};
pub(crate) use arguments::Arguments;
use arguments::refused;
use serde::Serialize;
use switchyard::Resource;
use switchyard::cluster::ClusterSpec;
use switchyard::report::bounded_slowdown;
use switchyard::trace::Opened;
use switchyard::workload::{LublinGenerator, Sequence, Sequences};
use switchyard::{Preset, RunSpec};
use switchyard_app::driver::Driver;

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
        let mut spec = RunSpec::new(
            policy.map_err(|error| Failure::Run(anyhow::Error::from(error)))?,
            cluster.clone(),
        );
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
