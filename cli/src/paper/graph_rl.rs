//! Placing by graph reinforcement learning (after Zhao & Wu, TNSM'22): placements in a data centre whose
//! neighbours slow one another, on workloads that nothing was trained or tuned on, by topology and load.
//! Only that paper's abstract is to be had: the system, the data centre and the model of contention are
//! our own after it. The queue in front is the same for all: FIFO with backfilling. With `--trace` the workloads are
//! [windows] of real traces.

mod running;
mod windows;

use super::Section;
use super::contention::Tables;
use crate::progress::Progress;
use crate::table::Table;
use crate::{Failure, output};
use anyhow::{Context, anyhow};
use clap::builder::ArgPredicate;
use clap::{Args, ValueHint};
use running::{Compared, Figures};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use switchyard::cluster::ClusterSpec;
use switchyard::contention::Measured;
use switchyard::weights::{Weights, WeightsChoice};
use switchyard::workload::{DataCentre, Split};
use switchyard_app::student::Mean;
use switchyard_sweep::files;

/// What is compared with what: partitions, racks of each, servers of each, and what differs from the
/// data centre.
const TOPOLOGIES: [(&str, &str); 8] = [
    ("4x4x8", "128x8/cores=56/partitions=4/racks=16"),
    ("2x2x8", "32x8/cores=56/partitions=2/racks=4"),
    ("4x8x16", "512x8/cores=56/partitions=4/racks=32"),
    (
        "servers-2x2",
        "128x4/cores=28/partitions=4/racks=16/sockets=2",
    ),
    (
        "servers-2x8",
        "128x16/cores=112/partitions=4/racks=16/sockets=2",
    ),
    (
        "uplinks-1:1",
        "128x8/cores=56/partitions=4/racks=16/oversubscription=1",
    ),
    (
        "uplinks-6:1",
        "128x8/cores=56/partitions=4/racks=16/oversubscription=6",
    ),
    (LARGEST, "4096x8/cores=56/partitions=8/racks=128"),
];

/// 4,096 servers, which take hours: by its name alone.
const LARGEST: &str = "8x16x32";

/// What was published: the abstract says no more.
const PUBLISHED: &str = "at least 20 % better mean JCT than representative schemes (the abstract of TNSM 19(4), 2022: on other simulations, of which no more is to be had)";

/// R² and the median error of the contention law on models held out, as `paper contention` measures
/// them on DeepShare's tables (ICPADS'23), which do not come with the program.
const FIT: (f64, f64) = (0.529, 0.095);

#[derive(Args)]
pub(crate) struct Arguments {
    /// Topologies: 4x4x8 (partitions, racks of each, servers of each), 2x2x8, 4x8x16, servers-2x2 and
    /// servers-2x8 (sockets and GPUs of each), uplinks-1:1 and uplinks-6:1, or 'all' of these; and 8x16x32, which
    /// takes hours unless there are few workloads and jobs
    #[arg(long, value_delimiter = ',', default_value = "4x4x8")]
    topology: Vec<String>,
    /// GPU time submitted per GPU time there is; of windows for which no cluster is given, whose default is 0.95: how large theirs is
    #[arg(long, value_delimiter = ',', default_values_t = [0.5, 0.8, 0.95, 1.2], default_value_if("trace", ArgPredicate::IsPresent, "0.95"))]
    load: Vec<f64>,
    /// Workloads at each load, with seeds 0, 1, …
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    workloads: u32,
    /// Jobs of each for every GPU: with few, a run is over before the data centre has come to feel its load
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100))]
    jobs_per_gpu: u32,
    /// Instead of workloads that are drawn: windows of this trace (or sample:NAME), jobs that the cluster cannot hold
    /// left out; may be repeated
    ///
    /// FILE has --windows of them. FILE@20d..30d has this one, FILE@20d..30d@CLUSTER has it on this cluster.
    #[arg(long, value_name = "FILE[@FROM..TO[@CLUSTER]]", conflicts_with_all = ["topology", "workloads", "jobs_per_gpu", "training"], value_hint = ValueHint::FilePath)]
    trace: Vec<windows::Source>,
    /// Of each trace without a window of its own: so many, of equal length
    #[arg(long, value_name = "NUMBER", default_value_t = 4, requires = "trace", value_parser = clap::value_parser!(u32).range(1..=1000))]
    windows: u32,
    /// Run each window so many times: as it is, then with each job up to a minute later. Figures are means, and the
    /// standard deviation beside them says what chance does to a window
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "trace", value_parser = clap::value_parser!(u32).range(1..=1000))]
    copies: u32,
    /// The cluster of windows without one of their own, NODESxGPUS [default: servers of 8 GPUs, as many as --load says]
    #[arg(long, value_name = "CLUSTER", requires = "trace", value_hint = ValueHint::AnyPath)]
    cluster: Option<String>,
    /// Placements, as in the table; all of these unless given. Also graph-rl-one-agent, -no-exchange and
    /// -no-graph
    #[arg(long, value_delimiter = ',')]
    policy: Vec<String>,
    /// Weights instead of the shipped ones, for the placement that they were trained for
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Take workloads to train and tune on instead of those held out
    #[arg(long)]
    training: bool,
    #[command(flatten)]
    tables: Tables,
    /// Write the figures as JSON to a file, or to standard output with '-'
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
}

impl Arguments {
    /// Those at hand, and which are asked for.
    fn weights(&self) -> Result<(Weights, WeightsChoice), Failure> {
        let mut weights = switchyard::weights::shipped();
        let Some(path) = &self.weights else {
            return Ok((weights, WeightsChoice::Shipped));
        };
        let file = files::read(path).with_context(|| format!("--weights {}", path.display()));
        let own = weights.add_own(&file.map_err(Failure::Input)?);
        let own = own.with_context(|| format!("--weights {}", path.display()));
        Ok((weights, WeightsChoice::Own(own.map_err(Failure::Input)?)))
    }
}

#[derive(Serialize)]
struct Row {
    topology: &'static str,
    load: f64,
    policy: &'static str,
    /// Seconds, over workloads; and the 95 % interval of the mean.
    mean_jct: f64,
    low: f64,
    high: f64,
    p95_jct: Mean,
    makespan: Mean,
    /// Of the strongest of the others that learn nothing, by mean JCT: which, and this one's mean JCT less its
    /// own ÷ its own, workload by workload.
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<Against>,
}

#[derive(Serialize)]
struct Against {
    strongest: &'static str,
    difference: Mean,
}

#[derive(Serialize)]
struct Fit {
    r2: f64,
    median_error: f64,
}

#[derive(Serialize)]
struct Results<'a> {
    rows: &'a [Row],
    fit: Fit,
    published: &'static str,
}

/// One run of many.
struct Task {
    cell: usize,
    number: u32,
    policy: usize,
}

pub(crate) fn graph_rl(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(load) = arguments
        .load
        .iter()
        .find(|load| !(0.01..=100.0).contains(*load))
    {
        return Err(Failure::Input(anyhow!(
            "--load {load}: write a number from 0.01 to 100"
        )));
    }
    let weights = arguments.weights()?;
    if !arguments.trace.is_empty() {
        return windows::compare(
            &windows::WindowStudy {
                sources: &arguments.trace,
                count: arguments.windows,
                cluster: arguments.cluster.as_deref(),
                loads: &arguments.load,
                copies: arguments.copies,
                policies: running::named(&arguments.policy, &windows::POLICIES)?,
                weights: &weights,
            },
            arguments.json.as_ref(),
        );
    }
    let topologies = chosen(&arguments.topology)?;
    let policies = running::policies(&arguments.policy)?;
    let fit = fit(&arguments.tables)?;
    let cells: Vec<(&'static str, ClusterSpec, f64)> = topologies
        .iter()
        .flat_map(|(name, cluster)| {
            let loads = arguments.load.iter();
            loads.map(move |&load| (*name, cluster.clone(), load))
        })
        .collect();
    let figures = run_all(arguments, &weights, &cells, &policies)?;
    let mut rows = Vec::new();
    for ((topology, _, load), figures) in cells.iter().zip(&figures) {
        let mean = |policy: usize| Mean::of(figures[policy].iter().map(|of| of.mean_jct)).mean;
        let is_rival = |of: &Compared| !of.placement.is_learned() && of.contention;
        let rivals = (0..policies.len()).filter(|&policy| is_rival(&policies[policy]));
        let mut rivals: Vec<usize> = rivals.collect();
        rivals.sort_by(|&a, &b| mean(a).total_cmp(&mean(b)));
        for (policy, &Compared { name, .. }) in policies.iter().enumerate() {
            let own = &figures[policy];
            let jct = Mean::of(own.iter().map(|of| of.mean_jct));
            let strongest = rivals.iter().find(|&&rival| rival != policy);
            rows.push(Row {
                topology,
                load: *load,
                policy: name,
                mean_jct: jct.mean,
                low: jct.low,
                high: jct.high,
                p95_jct: Mean::of(own.iter().map(|of| of.p95_jct)),
                makespan: Mean::of(own.iter().map(|of| of.makespan)),
                against: strongest.map(|&rival| Against {
                    strongest: policies[rival].name,
                    difference: Mean::of(
                        own.iter()
                            .zip(&figures[rival])
                            .map(|(own, other)| own.mean_jct / other.mean_jct - 1.0),
                    ),
                }),
            });
        }
    }
    match &arguments.json {
        Some(path) => output::json(
            path,
            &Results {
                rows: &rows,
                fit,
                published: PUBLISHED,
            },
        ),
        None => output::print(&text(arguments, rows, &fit)),
    }
}

fn chosen(names: &[String]) -> Result<Vec<(&'static str, ClusterSpec)>, Failure> {
    let all = names.iter().any(|name| name == "all");
    for name in names.iter().filter(|name| *name != "all") {
        if !TOPOLOGIES.iter().any(|(known, _)| known == name) {
            let known = TOPOLOGIES.map(|(known, _)| known).join(", ");
            return Err(Failure::Input(anyhow!(
                "--topology {name}: there is no such topology: use some of {known}, or all"
            )));
        }
    }
    let wanted = TOPOLOGIES
        .iter()
        .filter(|&&(name, _)| (all && name != LARGEST) || names.iter().any(|of| of == name));
    wanted
        .map(|&(name, text)| {
            let cluster = text.parse().context("a topology is a cluster");
            Ok((name, cluster.map_err(Failure::Run)?))
        })
        .collect()
}

/// As measured on tables that are given, else as it was.
fn fit(tables: &Tables) -> Result<Fit, Failure> {
    let Some(measured) = tables.read()? else {
        let (r2, median_error) = FIT;
        return Ok(Fit { r2, median_error });
    };
    let unseen = Measured::fit(&measured).unseen;
    Ok(Fit {
        r2: unseen.r2,
        median_error: unseen.errors[0],
    })
}

/// By cell, policy and workload.
fn run_all(
    arguments: &Arguments,
    weights: &(Weights, WeightsChoice),
    cells: &[(&'static str, ClusterSpec, f64)],
    policies: &[Compared],
) -> Result<Vec<Vec<Vec<Figures>>>, Failure> {
    let workloads = arguments.workloads as usize;
    let none = vec![vec![vec![Figures::default(); workloads]; policies.len()]; cells.len()];
    let tasks: Vec<Task> = (0..cells.len())
        .flat_map(|cell| (0..arguments.workloads).map(move |number| (cell, number)))
        .flat_map(|(cell, number)| {
            (0..policies.len()).map(move |policy| Task {
                cell,
                number,
                policy,
            })
        })
        .collect();
    let progress = Progress::of("paper graph-rl", tasks.len() as u64, "runs");
    let (next, done) = (AtomicUsize::new(0), Mutex::new((none, None)));
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..threads.min(tasks.len()) {
            scope.spawn(|| {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (_, cluster, load) = &cells[task.cell];
                    let compared = policies[task.policy];
                    let came = run(
                        arguments,
                        weights,
                        (cluster, *load),
                        task.number,
                        compared,
                        &progress,
                    );
                    let Ok(mut done) = done.lock() else { return };
                    match came {
                        Ok(figures) => {
                            done.0[task.cell][task.policy][task.number as usize] = figures;
                        }
                        Err(error) => {
                            next.store(tasks.len(), Ordering::Relaxed);
                            done.1 = Some(error);
                        }
                    }
                }
            });
        }
    });
    match done.into_inner() {
        Ok((figures, None)) => Ok(figures),
        Ok((_, Some(error))) => Err(error),
        Err(_) => Err(Failure::Run(anyhow!("a run did not come to its end"))),
    }
}

fn run(
    arguments: &Arguments,
    weights: &(Weights, WeightsChoice),
    (cluster, load): (&ClusterSpec, f64),
    number: u32,
    compared: Compared,
    progress: &Progress,
) -> Result<Figures, Failure> {
    let split = if arguments.training {
        Split::Training(number)
    } else {
        Split::HeldOut(number)
    };
    let gpus = cluster.gpus();
    let workload = DataCentre {
        jobs: gpus.saturating_mul(arguments.jobs_per_gpu),
        gpus,
        load,
        split,
    };
    running::run(
        &Arc::new(workload.workload()),
        cluster,
        weights,
        compared,
        progress,
    )
}

/// Of one workload there is none.
fn interval(low: f64, high: f64, end: impl Fn(f64) -> String) -> String {
    match low.is_nan() {
        true => "–".to_owned(),
        false => format!("{} to {}", end(low), end(high)),
    }
}

fn text(arguments: &Arguments, rows: Vec<Row>, fit: &Fit) -> String {
    let mut table = Table::default();
    let head = [
        "topology, load, placement",
        "mean JCT s",
        "95 % interval",
        "p95 JCT s",
        "makespan s",
        "against the strongest other",
        "95 % interval",
    ];
    table.row(head.map(String::from).to_vec());
    for row in &rows {
        let mut cells = vec![
            format!("{}, {}, {}", row.topology, row.load, row.policy),
            format!("{:.0}", row.mean_jct),
            interval(row.low, row.high, |end| format!("{end:.0}")),
            format!("{:.0}", row.p95_jct.mean),
            format!("{:.0}", row.makespan.mean),
        ];
        if let Some(Against {
            strongest,
            difference: Mean { mean, low, high },
        }) = &row.against
        {
            cells.push(format!("{:+.1} % {strongest}", 100.0 * mean));
            cells.push(interval(*low, *high, |end| {
                format!("{:+.1} %", 100.0 * end)
            }));
        }
        table.row(cells);
    }
    let split = if arguments.training {
        "training"
    } else {
        "held-out"
    };
    let section = Section {
        title: "Mean JCT by placement, topology and load, behind FIFO with backfilling",
        published: PUBLISHED,
        rows,
    };
    format!(
        "Our own system after the paper's abstract, of which no more is to be had\n{} {split} workloads of {} jobs for each GPU; the contention law on models held out of its fit: R² {:.3}, median error {:.3}\n{}",
        arguments.workloads,
        arguments.jobs_per_gpu,
        fit.r2,
        fit.median_error,
        section.text(&table)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_run_by_its_name_alone() {
        let names = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let chosen = chosen(&names).ok().expect("topologies");
            chosen.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names(&[LARGEST]), [LARGEST]);
        let all = names(&["all"]);
        assert_eq!(all.len(), TOPOLOGIES.len() - 1);
        assert!(!all.contains(&LARGEST));
        assert_eq!(names(&["all", LARGEST]).len(), TOPOLOGIES.len());
    }

    #[test]
    fn one_workload_has_no_interval() {
        let Mean { mean, low, high } = Mean::of([2.0]);
        let written = |low, high| interval(low, high, |end| format!("{end:.1}"));
        assert_eq!((mean, written(low, high).as_str()), (2.0, "–"));
        assert_eq!(written(1.0, 2.5), "1.0 to 2.5");
    }
}
