//! `switchyard capacity`: how many nodes it takes for a bound on a metric, found by search, with all points that were tried.

use crate::progress::Progress;
use crate::settings::{SettingsArguments, prepared};
use crate::table::Table;
use crate::{Failure, input, memory, output, script, threads};
use anyhow::anyhow;
use clap::{Args, ValueHint};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use switchyard::RunSpec;
use switchyard::engine::LogBudget;
use switchyard::report::Summary;
use switchyard_app::capacity::{Answer, Bound, Point, Search, Side, metric_named, usual_nodes};
use switchyard_app::driver::Budget;
use switchyard_app::format;
use switchyard_app::resized::with_nodes;
use switchyard_app::study::Prepared;

#[derive(Args)]
#[command(
    after_help = "Each policy gets an answer: the fewest nodes found with which the metric keeps within the bound, and with all
larger counts that were tried. A run that leaves jobs behind never does. Groups of nodes keep their shares.

Examples:
  switchyard capacity sample:lab --policy fifo --metric wait-p95 --at-most 1h
  switchyard capacity trace.csv --cluster 8x8 --metric jct-mean --at-most 90min --most 64 --json -
  switchyard capacity trace.csv --policy fifo --policy srtf --metric rho-mean --at-most 1.5

`switchyard help capacity` says more of each."
)]
pub(crate) struct Arguments {
    /// The trace: files (a cluster's may be among them), sample:NAME, or - (standard input)
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    trace: Vec<PathBuf>,
    /// What is bounded, such as wait-p95, jct-mean or rho-max
    ///
    /// docs/metrics.md lists them.
    #[arg(long, value_name = "METRIC")]
    metric: String,
    /// It is to be at most this: a time such as 90min or 1h, a share such as 60%, or a number
    #[arg(long, value_name = "BOUND", required_unless_present = "at_least")]
    at_most: Option<String>,
    /// Or at least this
    #[arg(long, value_name = "BOUND", conflicts_with = "at_most")]
    at_least: Option<String>,
    /// The most nodes to try [default: four times those of the cluster]
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u32).range(1..))]
    most: Option<u32>,
    /// Write the answers with all points as JSON to this file; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
    #[command(flatten)]
    cluster: input::ClusterArgument,
    #[command(flatten)]
    settings: SettingsArguments,
    #[command(flatten)]
    opening: input::TraceArguments,
    #[command(flatten)]
    log: memory::LogArguments,
}

/// A policy's answer, as it is written.
#[derive(Serialize)]
struct PolicyAnswer {
    label: String,
    policy: String,
    /// The cluster whose groups keep their shares.
    cluster: String,
    sentence: String,
    #[serde(flatten)]
    answer: Answer,
}

pub(crate) fn capacity(arguments: &Arguments) -> Result<(), Failure> {
    let bound = bound(arguments)?;
    let request = arguments.settings.request(arguments.cluster.text())?;
    let study = input::load(
        &arguments.trace,
        &arguments.opening,
        arguments.cluster.text(),
    )?;
    let prepared = prepared(study, request)?;
    let cluster = &prepared.cluster;
    let usual = usual_nodes(cluster);
    let least = *usual.start();
    let most = arguments.most.unwrap_or(*usual.end());
    if most < least {
        return Err(Failure::Input(anyhow!(
            "--most is {most}: {cluster} has {least} groups of nodes, so at least {least} nodes"
        )));
    }
    let answers = searched(&prepared, bound, least..=most, arguments);
    let told = prepared
        .runs
        .iter()
        .zip(answers)
        .map(|(spec, answer)| PolicyAnswer {
            label: prepared.label(spec),
            policy: spec.policy.to_string(),
            cluster: cluster.to_string(),
            sentence: answer.sentence(),
            answer,
        });
    let told: Vec<PolicyAnswer> = told.collect();
    match &arguments.json {
        Some(path) => output::json(path, &told)?,
        None => {
            let text: Vec<String> = told.iter().map(|of| text(of, &prepared)).collect();
            output::print(&prepared.workload.unit.words(&text.join("\n")))?;
        }
    }
    told.iter().try_for_each(enough)
}

fn bound(arguments: &Arguments) -> Result<Bound, Failure> {
    let refused =
        |flag: &str, why: &dyn std::fmt::Display| Failure::Input(anyhow!("--{flag}: {why}"));
    metric_named(&arguments.metric).map_err(|why| refused("metric", &why))?;
    let (flag, side, given) = match (&arguments.at_most, &arguments.at_least) {
        (Some(given), _) => ("at-most", Side::AtMost, given),
        (None, given) => {
            let given = given
                .as_ref()
                .ok_or_else(|| refused("at-most", &"give a bound"))?;
            ("at-least", Side::AtLeast, given)
        }
    };
    Bound::read(&arguments.metric, side, given).map_err(|why| refused(flag, &why))
}

/// The answer for each run, from batches on all cores.
fn searched(
    prepared: &Prepared,
    bound: Bound,
    nodes: std::ops::RangeInclusive<u32>,
    arguments: &Arguments,
) -> Vec<Answer> {
    let of_each = |_: &RunSpec| Search::new(bound, nodes.clone());
    let mut searches: Vec<Search> = prepared.runs.iter().map(of_each).collect();
    let budget = arguments.log.budget_of_each(threads::at_once());
    loop {
        let batches = searches.iter_mut().enumerate().map(|(at, search)| {
            let batch = search.next_batch();
            batch.into_iter().map(move |nodes| (at, nodes))
        });
        let batch: Vec<(usize, u32)> = batches.flatten().collect();
        if batch.is_empty() {
            return searches.iter().filter_map(Search::answer).collect();
        }
        let progress = Progress::of("runs of this step", batch.len() as u64, "runs");
        let count = AtomicU64::new(0);
        let outcomes = threads::each(batch.len(), |piece| {
            let (at, nodes) = batch[piece];
            let outcome = run(prepared, at, nodes, budget, &arguments.settings.policies);
            progress.count(count.fetch_add(1, Ordering::Relaxed) + 1);
            outcome
        });
        for ((at, nodes), outcome) in batch.iter().zip(&outcomes) {
            searches[*at].take(*nodes, outcome.as_ref().map_err(Clone::clone));
        }
    }
}

/// One run to its end, on so many nodes.
fn run(
    prepared: &Prepared,
    at: usize,
    nodes: u32,
    budget: LogBudget,
    asked: &[String],
) -> Result<Summary, String> {
    let mut spec = prepared.runs[at].clone();
    spec.cluster = with_nodes(&prepared.cluster, nodes).map_err(|why| why.to_string())?;
    spec.options.log_budget = budget;
    let mut driver = prepared.start(&spec).map_err(|why| why.to_string())?;
    let done = driver.step_for(Budget::unlimited());
    done.map_err(|error| script::ended(asked, &spec.policy, error).to_string())?;
    let log = driver.log();
    Ok(Summary::of(&prepared.workload, &spec.cluster, log))
}

/// What is wrong where even the largest cluster is not enough, though not for its size.
fn enough(told: &PolicyAnswer) -> Result<(), Failure> {
    let PolicyAnswer {
        label, sentence, ..
    } = told;
    match told.answer.largest_fails() {
        Some(Point {
            failed: Some(_), ..
        }) => Err(Failure::Run(anyhow!("{label}: {sentence}"))),
        Some(Point {
            left_behind: 1.., ..
        }) => Err(Failure::Unfinished(anyhow!("{label}: {sentence}"))),
        _ => Ok(()),
    }
}

fn text(told: &PolicyAnswer, prepared: &Prepared) -> String {
    let metric = told.answer.bound.metric;
    let mut table = Table::default();
    let head = ["nodes", "GPUs", &metric.words(), "within the bound"];
    table.row(head.map(str::to_owned).to_vec());
    for point in &told.answer.points {
        let gpus = with_nodes(&prepared.cluster, point.nodes).map_or(0, |of| of.gpus());
        let remark = match (&point.failed, point.left_behind, point.holds) {
            (Some(why), ..) => why.clone(),
            (None, 0, true) => "yes".to_owned(),
            (None, 0, false) => "no".to_owned(),
            (None, left, _) => format!(
                "{} left behind",
                format::counted(left.into(), "job", "jobs")
            ),
        };
        table.row(vec![
            point.nodes.to_string(),
            format::count(gpus.into()),
            format::metric(metric, point.value),
            remark,
        ]);
    }
    let sentence = crate::terminal::within_line(&format!("{}: {}", told.label, told.sentence));
    format!("{sentence}\n{table}")
}
