//! Pollux' experiments (OSDI'21 §5), each beside its published figures: on workloads of its
//! artifact, or on those of our own generator.

use super::Section;
use crate::progress::Progress;
use crate::table::Table;
use crate::{Failure, applications, input, output};
use anyhow::anyhow;
use clap::{Args, ValueHint};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use switchyard::Resource;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::SimOptions;
use switchyard::job::{Job, Work};
use switchyard::report::Summary;
use switchyard::workload::{Application, BindingRule, PolluxGenerator, Workload};
use switchyard::{Preset, RunSpec};
use switchyard_app::driver::Driver;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Pollux workloads (AdaptDL tables); results are means over them [default: drawn]
    #[arg(value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Measured profiles, a folder per application, or a zip of them [default: the embedded
    /// applications]
    #[arg(long, value_name = "DIR|ZIP")]
    profiles: Option<PathBuf>,
    /// How many workloads to draw, for loads and where no trace is named
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    workloads: u32,
    /// Runs of Pollux on each workload, with different seeds
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// NODESxGPUS
    #[arg(long, default_value = "16x4", value_hint = ValueHint::AnyPath)]
    cluster: String,
    /// Only these sections, such as 'load'; may be given several times
    #[arg(long = "section", value_name = "NAME")]
    sections: Vec<String>,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    opening: input::TraceArguments,
}

/// Means over workloads and seeds; times in hours.
#[derive(Serialize)]
struct Row {
    name: String,
    mean_jct_h: f64,
    p99_jct_h: f64,
    makespan_h: f64,
    restarts_per_job: f64,
    gpu_allocation: f64,
    /// What it cost: nodes rented × hours.
    node_hours: f64,
    mean_nodes: f64,
    /// Node-hours ÷ the first row's of the same group.
    relative_cost: f64,
    /// Finish-time fairness: the 99th percentile.
    rho_p99: f64,
    /// Mean JCT ÷ the first row's of the same group.
    relative: f64,
    /// Seconds of simulation, per run.
    seconds: f64,
    /// Average JCT in hours that was published.
    published: Option<f64>,
}

/// One row, asked for.
struct Ask {
    name: String,
    policy: String,
    load: f64,
    interference: f64,
    reference: bool,
    /// Rows after it are compared with it.
    first: bool,
    published: Option<f64>,
}

impl Ask {
    fn new(name: impl Into<String>, policy: impl Into<String>, published: f64) -> Self {
        Self {
            name: name.into(),
            policy: policy.into(),
            load: 1.0,
            interference: 0.0,
            reference: false,
            first: false,
            published: (published > 0.0).then_some(published),
        }
    }

    /// How many seeds of those asked for: others than Pollux draw nothing.
    fn seeds(&self, asked: u64) -> u64 {
        match self.policy.starts_with("pollux") {
            true => asked,
            false => 1,
        }
    }
}

const POLICIES: [(&str, &str); 3] = [
    ("Pollux", "pollux"),
    ("Optimus+Oracle", "optimus"),
    ("Tiresias", "tiresias-tuned"),
];

/// Name, title, what was published, rows.
type NamedRuns = (&'static str, &'static str, &'static str, Vec<Ask>);

fn sections() -> Vec<NamedRuns> {
    let against = |reference, published: [f64; 3]| {
        POLICIES
            .into_iter()
            .zip(published)
            .map(|((name, policy), published)| Ask {
                reference,
                ..Ask::new(name, policy, published)
            })
            .collect::<Vec<_>>()
    };
    let loads = [
        (0.5, [0.43, 0.67, 0.58]),
        (1.0, [0.76, 1.58, 1.12]),
        (1.5, [1.02, 2.01, 1.72]),
        (2.0, [1.47, 2.70, 2.79]),
    ];
    let loads = loads.into_iter().flat_map(|(load, published)| {
        POLICIES
            .into_iter()
            .zip(published)
            .map(move |((name, policy), published)| Ask {
                load,
                first: policy == "pollux",
                ..Ask::new(format!("{name} at {load} × the load"), policy, published)
            })
    });
    let fairness = [(1.0, 0.83), (0.0, 0.0), (-1.0, 0.76), (-10.0, 0.84)];
    let fairness = fairness.into_iter().map(|(p, published)| Ask {
        first: p == 1.0,
        ..Ask::new(format!("p = {p}"), format!("pollux[p={p}]"), published)
    });
    let intervals = [
        (30, 0.76),
        (60, 0.76),
        (120, 0.78),
        (240, 0.82),
        (480, 0.93),
    ];
    let intervals = intervals.into_iter().map(|(interval, published)| {
        let policy = format!("pollux[interval={interval}]");
        Ask::new(format!("every {interval} s"), policy, published)
    });
    let avoidance = [
        (true, 0.0, 0.76),
        (true, 0.5, 0.76),
        (false, 0.0, 0.77),
        (false, 0.25, 0.88),
        (false, 0.5, 1.08),
    ];
    let avoidance = avoidance
        .into_iter()
        .map(|(avoidance, interference, published)| Ask {
            interference,
            ..Ask::new(
                format!(
                    "{}, {:.0} % slower",
                    if avoidance { "avoided" } else { "not avoided" },
                    interference * 100.0
                ),
                format!("pollux[avoidance={avoidance}]"),
                published,
            )
        });
    let fits = [("as fitted", "agent"), ("true profiles", "oracle")]
        .map(|(name, fit)| Ask::new(name, format!("pollux[fit={fit}]"), 0.0));
    let autoscaling = [
        ("by throughput", "autoscale=throughput,utility=0.5:0.667"),
        ("by goodput", "autoscale=goodput,utility=0.5:0.667"),
        (
            "the same, true profiles",
            "autoscale=goodput,utility=0.5:0.667,fit=oracle",
        ),
        ("all nodes", "autoscale=off"),
    ]
    .map(|(name, parameters)| Ask::new(name, format!("pollux[{parameters}]"), 0.0));
    vec![
        (
            "reference",
            "Against Optimus and Tiresias, as the artifact's simulator has them",
            "simulator, mean JCT: workload-1 2089–2113 s (0.58 h), 4087 s, 2474 s; workload-3 2188, 3944, 3876 s; workload-6 2446, 5302, 3470 s; eight workloads 0.76, 1.58, 1.12 h",
            against(true, [0.76, 1.58, 1.12]),
        ),
        (
            "default",
            "The same with our defaults: a restart costs 30 s, a first start nothing, new jobs begin at once, batches change for a real gain only",
            "Pollux is 37–50 % better than the others (testbed: 0.76, 1.5, 1.2 h)",
            against(false, [0.76, 1.58, 1.12]),
        ),
        (
            "load",
            "Load: jobs in eight hours, 160 being 1, of our own generator",
            "simulator, means of eight workloads",
            loads.collect(),
        ),
        (
            "fairness",
            "Fairness: the exponent of the power mean",
            "testbed: p = 1 0.83 h, −1 0.76 h, −10 0.84 h; ρ below 2 for 99 % of jobs at p = −1, tails above 4 at p = 1",
            fairness.collect(),
        ),
        (
            "interval",
            "The scheduling interval",
            "0.76, 0.76, 0.78, 0.82, 0.93 h for 30 s, 1, 2, 4, 8 min",
            intervals.collect(),
        ),
        (
            "interference",
            "Interference avoidance, where distributed jobs on one node slow one another",
            "avoided 0.76 h; not avoided 0.77, 0.88, 1.08 h at 0, 25, 50 % slowdown",
            avoidance.collect(),
        ),
        (
            "fit",
            "What the agents' fits cost: models fitted online with prior-driven exploration, or true profiles",
            "exploration costs 2–5 %",
            fits.into(),
        ),
        (
            "autoscale",
            "Autoscaling: one imagenet job alone in a cloud, from one node to the whole cluster",
            "goodput-based costs 25 % less than throughput-based (Or et al.) and takes 6 % longer (Fig. 9)",
            autoscaling.into(),
        ),
    ]
}

/// The job of Fig. 9, which asks for a GPU and M0.
fn imagenet_alone(applications: &[Application]) -> Result<Workload, Failure> {
    let application = applications
        .iter()
        .find(|application| &*application.name == "imagenet")
        .ok_or_else(|| Failure::Input(anyhow!("the profiles have no application 'imagenet'")))?;
    let batch = application.limits.m0;
    let duration = application.training_time(&[1], batch);
    Ok(Workload {
        jobs: vec![Job {
            name: "imagenet".into(),
            work: Work::Adaptive {
                application: 0,
                batch,
                scale: 1.0,
                duration,
            },
            ..Job::plain(0.0, 1, duration)
        }],
        applications: vec![Arc::new(application.clone())],
        ..Workload::default()
    })
}

pub(crate) fn pollux(arguments: &Arguments) -> Result<(), Failure> {
    let applications = match &arguments.profiles {
        None => Application::embedded(),
        Some(path) => Application::of_tables(&applications::profiles(path)?)
            .map_err(|error| Failure::Input(error.into()))?,
    };
    let cluster = input::cluster(&arguments.cluster, Resource::Gpus)?;
    let mut given = Vec::new();
    for path in &arguments.traces {
        let workload = input::load(std::slice::from_ref(path), &arguments.opening, None)?.workload;
        given.push(Arc::new(bound(workload, &applications)?));
    }
    let all = sections();
    if let Some(unknown) = arguments
        .sections
        .iter()
        .find(|name| !all.iter().any(|section| section.0 == **name))
    {
        let known: Vec<&str> = all.iter().map(|section| section.0).collect();
        return Err(Failure::Input(anyhow!(
            "there is no section '{unknown}': use {}",
            known.join(", ")
        )));
    }
    if !arguments.json {
        let kind = match arguments.profiles {
            Some(_) => "measured",
            None => "embedded",
        };
        output::print(&format!("on {cluster}; {kind} profiles\n"))?;
    }
    let is_wanted = |name: &str| {
        arguments.sections.is_empty() || arguments.sections.iter().any(|section| section == name)
    };
    let all = all.into_iter().filter(|(name, ..)| is_wanted(name));
    let all: Vec<NamedRuns> = all.collect();
    let is_drawn = |name: &str| given.is_empty() || name == "load";
    let runs = all.iter().flat_map(|(name, _, _, asks)| {
        let workloads = match *name {
            "autoscale" => 1,
            name if is_drawn(name) => u64::from(arguments.workloads),
            _ => given.len() as u64,
        };
        asks.iter()
            .map(move |ask| workloads * ask.seeds(arguments.seeds))
    });
    let progress = Progress::of("paper pollux", runs.sum(), "runs");
    let mut done = Vec::new();
    for (name, title, published, asks) in all {
        let mut rows: Vec<Row> = Vec::new();
        let mut first = None;
        for ask in &asks {
            let workloads = if name == "autoscale" {
                vec![Arc::new(imagenet_alone(&applications)?)]
            } else if is_drawn(name) {
                drawn(ask.load, arguments.workloads, &applications)?
            } else {
                given.clone()
            };
            let mut row = measure(ask, &workloads, &cluster, arguments.seeds, &progress)?;
            if ask.first || first.is_none() {
                first = Some((row.mean_jct_h, row.node_hours));
            }
            let (jct, cost) = first.unwrap_or((row.mean_jct_h, row.node_hours));
            row.relative = row.mean_jct_h / jct;
            row.relative_cost = row.node_hours / cost;
            rows.push(row);
        }
        let section = Section {
            title,
            published,
            rows,
        };
        if !arguments.json {
            progress.print(&print(&section))?;
        }
        done.push(section);
    }
    if arguments.json {
        output::json(output::STDOUT, &done)?;
    }
    Ok(())
}

fn bound(workload: Workload, applications: &[Application]) -> Result<Workload, Failure> {
    workload
        .bind(&BindingRule::default(), applications.to_vec())
        .map_err(|error| Failure::Input(error.into()))
}

fn drawn(
    load: f64,
    count: u32,
    applications: &[Application],
) -> Result<Vec<Arc<Workload>>, Failure> {
    let draw = |seed| {
        let generator = PolluxGenerator {
            jobs: (160.0 * load) as u32,
            seed,
            ..PolluxGenerator::default()
        };
        let trace = generator
            .generate(applications)
            .map_err(|error| Failure::Input(error.into()))?;
        bound(trace.workload(), applications).map(Arc::new)
    };
    (0..u64::from(count)).map(draw).collect()
}

/// Means over workloads and, for Pollux, seeds.
fn measure(
    ask: &Ask,
    workloads: &[Arc<Workload>],
    cluster: &ClusterSpec,
    seeds: u64,
    progress: &Progress,
) -> Result<Row, Failure> {
    let failed = |error: anyhow::Error| Failure::Run(error);
    let seeds = ask.seeds(seeds);
    let mut row = Row {
        name: ask.name.clone(),
        mean_jct_h: 0.0,
        p99_jct_h: 0.0,
        makespan_h: 0.0,
        restarts_per_job: 0.0,
        gpu_allocation: 0.0,
        node_hours: 0.0,
        mean_nodes: 0.0,
        relative_cost: 1.0,
        rho_p99: 0.0,
        relative: 1.0,
        seconds: 0.0,
        published: ask.published,
    };
    let runs = workloads.len() as f64 * seeds as f64;
    for workload in workloads {
        for seed in 0..seeds {
            let mut spec = RunSpec {
                options: SimOptions {
                    restart_cost: 30.0,
                    interference: ask.interference,
                    seed,
                    ..SimOptions::default()
                },
                ..RunSpec::new(
                    ask.policy
                        .parse()
                        .map_err(|error| failed(anyhow::Error::from(error)))?,
                    cluster.clone(),
                )
            };
            if ask.reference {
                Preset::ReferenceOsdi21
                    .apply(&mut spec)
                    .map_err(|error| failed(error.into()))?;
            }
            let begin = Instant::now();
            let mut run = Driver::new(spec.start(workload.clone()), workload.clone());
            progress
                .run(&mut run)
                .map_err(|error| failed(error.into()))?;
            row.seconds += begin.elapsed().as_secs_f64() / runs;
            let summary = Summary::of(workload, cluster, run.log());
            row.mean_jct_h += summary.jct.mean / 3600.0 / runs;
            row.p99_jct_h += summary.jct.p99 / 3600.0 / runs;
            row.makespan_h += summary.makespan / 3600.0 / runs;
            row.restarts_per_job += f64::from(summary.restarts) / f64::from(summary.jobs) / runs;
            row.gpu_allocation += summary.gpu_allocation / runs;
            row.node_hours += summary.node_hours / runs;
            row.mean_nodes += summary.mean_nodes / runs;
            row.rho_p99 += summary.fairness.rho_p99 / runs;
        }
    }
    Ok(row)
}

fn print(section: &Section<Row>) -> String {
    let mut table = Table::default();
    let header = [
        "",
        "mean JCT",
        "published",
        "p99 JCT",
        "makespan",
        "restarts/job",
        "GPUs held",
        "node-hours",
        "mean nodes",
        "p99 rho",
        "of the first",
        "cost",
        "simulated in",
    ];
    table.row(header.map(String::from).to_vec());
    for row in &section.rows {
        table.row(vec![
            row.name.clone(),
            format!("{:.3} h", row.mean_jct_h),
            row.published
                .map_or_else(String::new, |hours| format!("{hours:.2} h")),
            format!("{:.2} h", row.p99_jct_h),
            format!("{:.2} h", row.makespan_h),
            format!("{:.2}", row.restarts_per_job),
            format!("{:.1} %", row.gpu_allocation * 100.0),
            format!("{:.1}", row.node_hours),
            format!("{:.2}", row.mean_nodes),
            format!("{:.2}", row.rho_p99),
            format!("{:.2} ×", row.relative),
            format!("{:.2} ×", row.relative_cost),
            format!("{:.2} s", row.seconds),
        ]);
    }
    section.text(&table)
}
