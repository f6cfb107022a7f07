//! Gavel's figures of mean JCT over load (OSDI'20): single-GPU jobs (figure 8), and with jobs of 2, 4 and 8
//! GPUs among them (figure 9), on 36 V100s, 36 P100s and 36 K80s, with its own draws.
//!
//! The published figures are of seed 0 alone, whatever the text says of three: `plot_jct_cdf` in the
//! artifact's `plotting_utils.py`, which prints them, reads the logs of `seed=0`. Jobs that count differ by seed: their
//! mean duration on V100s is 17.41 h with seed 0, 16.17 h and 18.05 h with the others. How near each figure is, and
//! why some are not, stands in `docs/figures.md`.

use super::Section;
use crate::progress::{Piece, Progress};
use crate::table::Table;
use crate::{Failure, output};
use clap::Args;
use serde::Serialize;
use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::EventKind;
use switchyard::job::Work;
use switchyard::throughputs::JobType;
use switchyard::workload::{GavelGenerator, GpuGeneration, Workload};
use switchyard_app::driver::{Budget, Driver, Step};

/// A GPU each, as the original has them.
const CLUSTER: &str = "36x1:v100+36x1:p100+36x1:k80";

/// Who is compared: the name in the results, and the policy.
const RIVALS: [(&str, &str); 4] = [
    ("las", "gavel[types=true,blind=true]"),
    ("gandiva", "gandiva[quantum=360,packing=true]"),
    ("gavel", "gavel[types=true,central=true]"),
    ("gavel-sharing", "gavel[types=true,sharing=true]"),
];

/// A figure of the paper.
struct Figure {
    title: &'static str,
    /// The step between published loads, in arrivals per hour.
    step: f64,
    /// The loads that are run unless others are asked for.
    loads: &'static [f64],
    /// By rival the published mean JCT, hours, at one step, two steps, …; 0 where nothing was published. From what the
    /// artifact's notebooks `continuous_jobs.ipynb` and `continuous_jobs_multigpu.ipynb` printed.
    published: [[f64; 15]; 4],
}

/// Figure 8.
const SINGLE: Figure = Figure {
    title: "Mean JCT of single-GPU jobs over load",
    step: 0.4,
    loads: &[4.0, 4.8, 5.2, 5.6],
    published: [
        [
            23.26, 23.33, 23.51, 23.57, 23.47, 23.43, 23.59, 23.59, 23.57, 23.49, 23.81, 35.79,
            63.78, 95.99, 0.0,
        ],
        [
            17.58, 17.64, 17.68, 17.66, 17.61, 17.62, 17.69, 17.83, 18.14, 18.88, 25.65, 30.46,
            34.32, 42.54, 0.0,
        ],
        [
            17.58, 17.64, 17.67, 17.48, 16.95, 16.39, 16.04, 16.08, 16.38, 16.82, 17.48, 18.97,
            22.02, 28.96, 41.23,
        ],
        [
            18.42, 19.26, 19.69, 19.39, 18.26, 16.92, 16.26, 16.18, 16.50, 16.96, 17.78, 18.67,
            19.14, 19.64, 20.42,
        ],
    ],
};

/// Figure 9.
const MULTIPLE: Figure = Figure {
    title: "Mean JCT of jobs of one and of several GPUs over load",
    step: 0.2,
    loads: &[1.0, 1.4, 1.8, 2.2, 2.6],
    published: [
        [
            25.93, 25.92, 25.88, 26.08, 26.10, 26.10, 26.23, 26.51, 27.29, 28.91, 30.82, 38.71,
            70.54, 169.93, 0.0,
        ],
        [
            18.55, 18.59, 18.66, 18.76, 18.96, 19.23, 19.58, 20.47, 22.32, 25.16, 30.02, 38.79,
            60.43, 0.0, 0.0,
        ],
        [
            18.55, 18.58, 18.59, 18.51, 18.54, 18.49, 18.55, 19.12, 20.35, 21.90, 24.61, 30.03,
            36.44, 55.78, 0.0,
        ],
        [
            18.72, 18.95, 19.09, 18.98, 19.01, 18.78, 18.68, 18.90, 19.66, 20.85, 22.89, 26.22,
            30.51, 38.25, 46.94,
        ],
    ],
};

impl Figure {
    /// What was published of a rival at this load.
    fn published(&self, rival: usize, jobs_per_hour: f64) -> Option<f64> {
        let at = (jobs_per_hour / self.step).round();
        let is_there = (at * self.step - jobs_per_hour).abs() < 1e-9;
        let figure = self.published[rival].get((at as usize).checked_sub(1)?)?;
        Some(*figure).filter(|&hours| is_there && hours > 0.0)
    }
}

#[derive(Args)]
pub(crate) struct Arguments {
    /// Jobs of several GPUs, too (figure 9)
    #[arg(long)]
    multi_gpu: bool,
    /// Arrivals per hour [default: 4,4.8,5.2,5.6; with --multi-gpu 1,1.4,1.8,2.2,2.6]
    #[arg(long, value_delimiter = ',')]
    jobs_per_hour: Vec<f64>,
    /// Runs at each load, with seeds 0, 1, …; figures are means over them. The published are of seed 0
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    seeds: u32,
    /// The job from which JCTs are counted, in order of arrival
    #[arg(long, default_value_t = 4000)]
    from: u32,
    /// How many jobs are counted
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    count: u32,
    /// Write the figures as JSON to a file, or to standard output with '-'
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
}

#[derive(Serialize)]
struct Row {
    policy: &'static str,
    spec: &'static str,
    jobs_per_hour: f64,
    /// Mean over jobs and seeds.
    mean_jct_hours: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_mean_jct_hours: Option<f64>,
}

#[derive(Serialize)]
struct Results<'a> {
    rows: &'a [Row],
}

pub(crate) fn gavel(arguments: &Arguments) -> Result<(), Failure> {
    let figure = match arguments.multi_gpu {
        true => MULTIPLE,
        false => SINGLE,
    };
    let loads = match arguments.jobs_per_hour.as_slice() {
        [] => figure.loads,
        asked => asked,
    };
    let mut rows = Vec::new();
    let pieces = loads.len() * RIVALS.len() * arguments.seeds as usize;
    let progress = Progress::of("paper gavel", pieces as u64, "runs");
    for &jobs_per_hour in loads {
        for (rival, (policy, spec)) in RIVALS.into_iter().enumerate() {
            let mut sum = 0.0;
            for seed in 0..arguments.seeds {
                sum += mean_jct(arguments, jobs_per_hour, seed, spec, progress.piece())?;
            }
            rows.push(Row {
                policy,
                spec,
                jobs_per_hour,
                mean_jct_hours: sum / f64::from(arguments.seeds) / 3600.0,
                published_mean_jct_hours: figure.published(rival, jobs_per_hour),
            });
        }
    }
    drop(progress);
    match &arguments.json {
        Some(path) => output::json(path, &Results { rows: &rows }),
        None => output::print(&text(figure.title, rows)),
    }
}

/// The mean JCT of the jobs that count, seconds. As in the original jobs keep coming until the last
/// of them is done.
fn mean_jct(
    arguments: &Arguments,
    jobs_per_hour: f64,
    seed: u32,
    spec: &str,
    mut piece: Piece<'_>,
) -> Result<f64, Failure> {
    let failed = |error: anyhow::Error| Failure::Run(error);
    let counted = arguments.from..arguments.from.saturating_add(arguments.count);
    let mut more = counted.end;
    loop {
        let generator = GavelGenerator {
            jobs: counted.end.saturating_add(more),
            jobs_per_hour,
            multi_gpu: arguments.multi_gpu,
            seed,
        };
        let trace = generator
            .generate()
            .map_err(|error| Failure::Input(error.into()))?;
        let mut workload = trace.workload();
        on_the_fastest(&mut workload);
        let last = workload.jobs.last().map_or(0.0, |job| job.submit.seconds());
        let cluster: ClusterSpec = CLUSTER
            .parse()
            .map_err(|error| failed(anyhow::Error::from(error)))?;
        let spec = RunSpec::new(
            spec.parse()
                .map_err(|error| failed(anyhow::Error::from(error)))?,
            cluster,
        );
        let workload = Arc::new(workload);
        let mut run = Driver::new(spec.start(Arc::clone(&workload)), Arc::clone(&workload));
        let (mut seen, mut left, mut sum) = (0, counted.len(), 0.0);
        while left > 0
            && let Step::Progress(reached) = run
                .step_for(Budget::of_steps(1))
                .map_err(|error| failed(error.into()))?
        {
            let log = run.log();
            for at in seen..log.events() {
                let event = log.event(at);
                if event.kind == EventKind::Finish && counted.contains(&event.job.0) {
                    left -= 1;
                    sum += event.time - workload.jobs[event.job.index()].submit;
                }
            }
            seen = log.events();
            let come = f64::from(reached.submitted);
            piece.reach((come / f64::from(counted.end)).min(0.99));
            if log.events() > 0 && log.event(log.events() - 1).time.seconds() > last {
                break;
            }
        }
        if left == 0 {
            piece.done();
            return Ok(sum / f64::from(arguments.count));
        }
        more = more.saturating_mul(2);
    }
}

/// Durations are drawn on V100s; a run has them on whatever is the fastest for the job.
fn on_the_fastest(workload: &mut Workload) {
    for job in &mut workload.jobs {
        let model = job
            .model
            .and_then(|model| workload.models.get(model as usize));
        let Some(of) = model.and_then(|model| JobType::named(model)) else {
            continue;
        };
        let speed = |gpu| of.throughput(gpu, job.gpus, true).unwrap_or(0.0);
        let fastest = GpuGeneration::ALL
            .map(speed)
            .into_iter()
            .fold(0.0, f64::max);
        if let Work::Fixed { duration } = &mut job.work {
            *duration *= speed(GpuGeneration::V100) / fastest;
        }
    }
}

fn text(title: &'static str, rows: Vec<Row>) -> String {
    let mut table = Table::default();
    let header = [
        "",
        "jobs per hour",
        "mean JCT",
        "published",
        "÷ LAS",
        "published",
    ];
    table.row(header.map(String::from).to_vec());
    for row in &rows {
        let las = rows
            .iter()
            .find(|other| other.policy == RIVALS[0].0 && other.jobs_per_hour == row.jobs_per_hour);
        let published = row.published_mean_jct_hours;
        let ratio = |of: Option<f64>| of.map_or(String::new(), |of| format!("{of:.3}"));
        table.row(vec![
            format!("{} ({})", row.policy, row.spec),
            row.jobs_per_hour.to_string(),
            format!("{:.2} h", row.mean_jct_hours),
            published.map_or(String::new(), |hours| format!("{hours:.2} h")),
            ratio(las.map(|las| row.mean_jct_hours / las.mean_jct_hours)),
            ratio(las.and_then(|las| Some(published? / las.published_mean_jct_hours?))),
        ]);
    }
    let section = Section {
        title,
        published: "seed 0, jobs 4000 to 5000, as the artifact's notebook printed them",
        rows,
    };
    section.text(&table)
}
