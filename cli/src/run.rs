//! `switchyard run` and `switchyard compare`.

use crate::progress::Progress;
use crate::settings::{SettingsArguments, prepared};
use crate::table::Table;
use crate::terminal::within_line;
use crate::{Failure, applications, by_queue, input, memory, output, script};
use anyhow::{Context, anyhow};
use clap::{Args, ValueHint};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Instant;
use switchyard::RunSpec;
use switchyard::engine::RunLog;
use switchyard::policies::PolicySpec;
use switchyard::report::{
    By, Metric, MetricGroup, Outcomes, Results, RunQueues, RunResult, Summary, TableForm,
    chrome_trace, finished_in_all, groups_csv, jct_by_name, jobs_csv, paper_table, queues_csv,
};
use switchyard::workload::Suggestion;
use switchyard_app::format;
use switchyard_app::study::{Origin, Prepared, Whom};

#[derive(Args)]
#[command(
    after_help = "A time may have units, 90min, 11h, 2d3h; a number alone is in the option's own unit,
mostly seconds (--mtbf and --mttr: hours). Where the trace is an experiment, its settings are the
defaults.

Examples:
  switchyard run sample:lab
  switchyard run trace.csv --cluster 16x4 --policy fifo --policy 'tiresias-las[queues=2]'
  switchyard run trace.csv --policy script:mine.rhai --table table.tex
  switchyard run trace.csv --mtbf 30d --mttr 90min --json results.json
  curl -s https://example.org/trace.csv | switchyard run - --window 1d..8d

`switchyard help run` says more of each."
)]
pub(crate) struct Arguments {
    /// The trace: files (a cluster's may be among them), sample:NAME, or - (standard input)
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    trace: Vec<PathBuf>,
    #[command(flatten)]
    cluster: input::ClusterArgument,
    #[command(flatten)]
    settings: SettingsArguments,
    #[command(flatten)]
    opening: input::TraceArguments,
    #[command(flatten)]
    results: ResultArguments,
    #[command(flatten)]
    log: memory::LogArguments,
}

/// What is written, and where.
#[derive(Args)]
#[command(next_help_heading = "Results (FILE may be -, standard output)")]
struct ResultArguments {
    /// Write the results as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
    /// Put every job's JCT into the JSON, by name
    ///
    /// Of jobs that share a name, all but the first are called name#2, name#3, …
    #[arg(long, requires = "json")]
    per_job: bool,
    /// Write a row per job and policy, as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<output::OutputFile>,
    /// Write a table for a paper: .tex, .md or .csv
    ///
    /// A row per policy, the best marked: .tex for LaTeX, .md for Markdown, else CSV; on standard output
    /// Markdown.
    #[arg(long, value_name = "FILE")]
    table: Option<output::OutputFile>,
    /// Also by whom jobs are of; may be repeated
    #[arg(long, value_name = "WHOM", help = by_help())]
    by: Vec<Whom>,
    /// Write the figures of the first --by as CSV: a row for each policy and group
    #[arg(long, value_name = "FILE", requires = "by")]
    by_csv: Option<output::OutputFile>,
    /// Compare over the jobs that finish under all policies, where some leave jobs behind
    #[arg(long)]
    finished_in_all: bool,
    /// Write the first policy's run as Chrome-trace JSON, which Perfetto opens
    #[arg(long, value_name = "FILE")]
    chrome_trace: Option<output::OutputFile>,
}

fn by_help() -> String {
    let words: Vec<&str> = Whom::words().collect();
    format!("Also by {}; may be repeated", words.join(", "))
}

struct Run {
    /// Where it is to be written: else the next run may have its memory.
    log: Option<RunLog>,
    outcomes: Outcomes,
    queues: Option<RunQueues>,
    result: RunResult,
}

pub(crate) fn run(arguments: &Arguments, compare: bool) -> Result<(), Failure> {
    // What is asked for is checked before a large trace is opened.
    let mut request = arguments.settings.request(arguments.cluster.text())?;
    for by in &arguments.results.by {
        request.by(*by);
    }
    let study = input::load(
        &arguments.trace,
        &arguments.opening,
        arguments.cluster.text(),
    )?;
    let prepared = prepared(study, request)?;
    let (workload, cluster) = (&prepared.workload, &prepared.cluster);
    let runs = prepared.runs.iter().enumerate().map(|(at, spec)| {
        let mut spec = spec.clone();
        spec.options.log_budget = arguments.log.budget();
        let policies = &arguments.settings.policies;
        let mut run = simulate(&spec, &prepared, policies)?;
        let is_written = at == 0 && arguments.results.chrome_trace.is_some();
        run.log = run.log.filter(|_| is_written);
        Ok::<_, Failure>(run)
    });
    let runs: Vec<Run> = runs.collect::<Result<_, _>>()?;

    // What of each run is compared: all of it, or the jobs that finished in all.
    let mut compared: Vec<Summary> = Vec::new();
    let results = runs.iter().map(|run| RunResult {
        per_job: arguments
            .results
            .per_job
            .then(|| jct_by_name(workload, &run.outcomes)),
        ..run.result.clone()
    });
    let mut results = prepared.results(results.collect());
    let told = results.runs.iter().zip(&runs);
    let told = told.map(|(result, run)| (result, &run.outcomes, run.queues.as_ref()));
    results.queues_apart = prepared.queues_apart(told);
    if arguments.results.finished_in_all {
        let common = finished_in_all(runs.iter().map(|run| &run.outcomes));
        results.finished_in_all = Some(common.len() as u32);
        for (result, run) in results.runs.iter_mut().zip(&runs) {
            let over = Summary::over(&common, workload, &run.outcomes);
            result.over_finished_in_all = Some((&over).into());
            compared.push(over);
        }
    } else {
        compared.extend(results.runs.iter().map(|run| run.summary));
    }
    let mut outputs: Vec<(&str, String)> = Vec::new();
    if let Some(path) = &arguments.results.json {
        let json = serde_json::to_string_pretty(&results)
            .context("cannot write the results as JSON")
            .map_err(Failure::Run)?;
        outputs.push((path, json));
    }
    if let Some(path) = &arguments.results.csv {
        let rows = runs.iter().zip(&results.runs);
        let rows = rows.map(|(run, result)| (result.label.as_str(), &run.outcomes));
        outputs.push((path, jobs_csv(workload, rows, &|_| true)));
    }
    if let Some(path) = &arguments.results.table {
        let called = results
            .runs
            .iter()
            .map(|run| match results.finished_in_all {
                None => run.label.clone(),
                Some(jobs) => run.summary.called_over(&run.label, jobs),
            });
        let called: Vec<String> = called.collect();
        let rows = called.iter().zip(&compared);
        let rows: Vec<_> = rows
            .map(|(called, compared)| (called.as_str(), compared))
            .collect();
        let form = match Path::new(&**path).extension().and_then(OsStr::to_str) {
            Some("tex") => TableForm::Latex,
            Some("md") => TableForm::Markdown,
            None if **path == *output::STDOUT => TableForm::Markdown,
            _ => TableForm::Csv,
        };
        outputs.push((path, paper_table(&rows, form)));
    }
    if let (Some(path), Some(by)) = (&arguments.results.by_csv, arguments.results.by.first()) {
        let runs = results.runs.iter();
        let csv = match by {
            Whom::Jobs(by) => groups_csv(
                *by,
                runs.map(|run| {
                    let groups = run.by.get(by.word()).map_or(&[][..], Vec::as_slice);
                    (run.label.as_str(), groups)
                }),
            ),
            Whom::Queue => queues_csv(
                runs.filter_map(|run| Some((run.label.as_str(), run.by_queue.as_ref()?))),
            ),
        };
        outputs.push((path, csv));
    }
    let log = runs.first().and_then(|run| run.log.as_ref());
    if let (Some(path), Some(log)) = (&arguments.results.chrome_trace, log) {
        outputs.push((path, chrome_trace(workload, cluster, log)));
    }
    // Files first: whoever reads standard output may have seen enough before its end.
    outputs.sort_by_key(|(path, _)| *path == output::STDOUT);
    for (path, text) in &outputs {
        output::text(path, text)?;
    }
    if outputs.iter().all(|(path, _)| *path != output::STDOUT) {
        let mut people = head(&results, &prepared);
        people.push_str(&table(&results.runs, &compared, compare));
        people.push_str(&types(&results.runs));
        people.push_str(&calibrations(&results.runs));
        for (by, _) in &prepared.groups {
            people.push_str(&by_whom(*by, &results.runs));
        }
        people.push_str(&by_queue::tables(&results.runs));
        people.push_str(&by_queue::apart(&results.queues_apart));
        output::print(&results.trace.unit.words(&people))?;
    }
    match results.runs.iter().find_map(left_behind) {
        None => Ok(()),
        Some(left) => Err(Failure::Unfinished(anyhow!(left))),
    }
}

/// What a run leaves behind though the cluster has room for it, or that it has come to nothing.
fn left_behind(run: &RunResult) -> Option<String> {
    let of = &run.summary;
    let label = &run.label;
    match of.stuck() {
        _ if !of.never_ends() => None,
        0 => Some(format!("{label}: no job can run on this cluster")),
        stuck => Some(format!(
            "{label}: {stuck} of {} jobs never end under this policy and placement; no mean of it stands for the trace",
            of.jobs
        )),
    }
}

/// Runs to the end.
fn simulate(spec: &RunSpec, prepared: &Prepared, asked: &[String]) -> Result<Run, Failure> {
    let started = prepared.start(spec);
    let mut run = started.map_err(|missing| Failure::Input(missing.into()))?;
    let begin = Instant::now();
    let jobs = prepared.workload.jobs.len() as u64;
    Progress::of(&spec.policy.label(), jobs, "jobs")
        .run_jobs(&mut run)
        .map_err(|error| script::ended(asked, &spec.policy, error))?;
    let wall_ms = begin.elapsed().as_secs_f64() * 1e3;
    let ended = prepared.ended(spec, run, wall_ms);
    Ok(Run {
        result: ended.result,
        log: Some(ended.log),
        queues: ended.queues,
        outcomes: ended.outcomes,
    })
}

/// How a cluster was guessed, and what else might be tried.
fn guessed(guess: &Suggestion) -> String {
    let others = guess.neighbours().into_iter().flatten();
    let others: Vec<String> = others.map(|other| format!("--cluster {other}")).collect();
    let others = match others.is_empty() {
        true => String::new(),
        false => format!("; beside it {}", others.join(" or ")),
    };
    format!("guessed: {}{others}", guess.why())
}

fn head(results: &Results, prepared: &Prepared) -> String {
    let dropped = prepared.dropped;
    let origin = match &prepared.origin {
        Origin::Asked => "as asked".to_owned(),
        Origin::Trace => "came with the trace".to_owned(),
        Origin::Guessed(guess) => guessed(guess),
    };
    let (trace, cluster) = (&results.trace, &results.cluster);
    let mut text = format!(
        "{} jobs ({}), {} GPU-hours, on {}: {} GPUs ({origin})\n",
        trace.jobs,
        trace.format,
        format::figures(trace.gpu_hours),
        cluster.spec,
        cluster.gpus
    );
    if trace.on_cores > 0 {
        text.push_str(&format!(
            "{} of them ask for no GPU: they run on cores beside what schedulers decide, and count in means of all jobs; --by gang tells them apart, --on-cores drop leaves them out\n",
            trace.on_cores
        ));
    }
    text.push_str(&applications::describe(trace));
    if let Some(why) = prepared.why_trained() {
        text.push_str(&format!("{why}\n"));
    }
    if dropped > 0 {
        text.push_str(&format!(
            "{dropped} rows of the trace were left out; `switchyard inspect` says why\n"
        ));
    }
    if let Some(run) = results.runs.first().filter(|run| run.summary.rejected > 0) {
        let why = if run.by_gpu_type.is_empty() && trace.on_cores == 0 {
            "want more GPUs than the cluster has"
        } else {
            "fit no nodes of the types, cores and memory that they ask for"
        };
        text.push_str(&format!(
            "{} jobs {why} and are rejected\n",
            run.summary.rejected
        ));
    }
    for left in results.runs.iter().filter_map(left_behind) {
        text.push_str(&left);
        text.push('\n');
    }
    let jobs = trace.jobs;
    if let Some(common) = results.finished_in_all {
        text.push_str(&format!(
            "compared over the {common} of {jobs} jobs that finished under all\n"
        ));
    } else if results.runs.iter().any(|run| !run.summary.is_whole()) {
        let hint = match results.runs.len() {
            1 => "",
            _ => {
                ", and no ratio is taken of it: --finished-in-all compares over the jobs that all have finished"
            }
        };
        text.push_str(&format!(
            "where a run leaves jobs behind its means are over those that finished{hint}\n"
        ));
    }
    text.push('\n');
    text
}

/// Each run by GPU type; nothing where the cluster says none.
fn types(runs: &[RunResult]) -> String {
    let mut text = String::new();
    for run in runs.iter().filter(|run| !run.by_gpu_type.is_empty()) {
        text.push_str(&format!("\n{} by GPU type\n", run.label));
        for of in &run.by_gpu_type {
            let name = match of.gpu_type.as_str() {
                "" => "no type",
                name => &within_line(name),
            };
            text.push_str(&format!(
                "  {name:<10} {:>6} GPUs {:>12} GPU-hours {:>8} {:>8} jobs, mean JCT {}, waiting {}\n",
                of.gpus,
                format::figures(of.executed_gpu_hours),
                format::percent(of.gpu_allocation),
                of.jobs,
                format::duration(of.jct_mean),
                format::duration(of.queueing_mean)
            ));
        }
    }
    text
}

/// So many groups are printed; files have all.
const GROUPS: usize = 20;

/// The runs by whom jobs are of: those with most GPU-hours asked for.
fn by_whom(by: By, runs: &[RunResult]) -> String {
    let mut text = String::new();
    for run in runs {
        let Some(groups) = run.by.get(by.word()) else {
            continue;
        };
        text.push_str(&format!(
            "\n{} by {}\n",
            run.label,
            by.title()
                .to_lowercase()
                .replace("gpu", "GPU")
                .replace("qos", "QOS")
        ));
        let mut table = Table::default();
        let header = [
            "",
            "jobs",
            "GPU-hours",
            "share",
            "mean wait",
            "p95 wait",
            "mean JCT",
            "mean rho",
        ];
        table.row(header.map(str::to_owned).to_vec());
        for of in groups.iter().take(GROUPS) {
            let jobs = match of.jobs - of.finished {
                0 => of.jobs.to_string(),
                _ => format!("{} of {}", of.finished, of.jobs),
            };
            table.row(vec![
                within_line(of.called()).to_string(),
                jobs,
                format::figures(of.executed_gpu_hours),
                format::percent(of.share),
                format::duration(of.queueing.mean),
                format::duration(of.queueing.p95),
                format::duration(of.jct.mean),
                format::figures(of.rho_mean),
            ]);
        }
        text.push_str(&table.to_string());
        if let more @ 1.. = groups.len().saturating_sub(GROUPS) {
            text.push_str(&format!(
                "and {more} more: --by-csv FILE and --json FILE have all\n"
            ));
        }
    }
    text
}

/// How close runs come to what the trace records; nothing where it records no waits, or only it was run.
fn calibrations(runs: &[RunResult]) -> String {
    let mut text = String::new();
    let mut late = String::new();
    let recorded = |run: &RunResult| run.policy.parse().is_ok_and(|of: PolicySpec| of.replays());
    for run in runs {
        let Some(of) = &run.calibration else {
            continue;
        };
        if recorded(run) {
            if of.off > 0 {
                late.push_str(&format!(
                    "\n{}: {} of {} jobs do not start when they did, since this cluster has no room for them then\n",
                    run.label, of.off, of.jobs
                ));
            }
            continue;
        }
        if text.is_empty() {
            text.push_str(&format!(
                "\nwaits beside those that the trace records (mean {}, p95 {})\n",
                format::duration(of.recorded.mean),
                format::duration(of.recorded.p95)
            ));
        }
        text.push_str(&format!(
            "  {}: mean {}, p95 {}; a job's is off by {} (median), {} (p95); {} within a factor of two\n",
            run.label,
            format::duration(of.wait.mean),
            format::duration(of.wait.p95),
            format::duration(of.error.median),
            format::duration(of.error.p95),
            format::percent(of.within_two)
        ));
    }
    text + &late
}

/// A row per metric, a column per run; compared: with the ratio to the first run, where both have
/// finished all jobs or the same ones. `compared`: what of each run the figures are of.
fn table(runs: &[RunResult], compared: &[Summary], ratios: bool) -> String {
    let mut table = Table::default();
    let mut header = vec![String::new()];
    header.extend(runs.iter().map(|run| run.label.clone()));
    table.row(header);
    if runs.iter().any(|run| !run.summary.is_whole()) {
        let left = runs
            .iter()
            .map(|run| run.summary.left().unwrap_or_default());
        table.row(std::iter::once(String::new()).chain(left).collect());
    }
    let whole: Vec<Summary> = runs.iter().map(|run| run.summary).collect();
    let fail = whole.iter().any(|of| of.failures.is_something());
    // What failures cost is of the run, whichever jobs are compared.
    let failures = Metric::of_group(MetricGroup::Failures).filter(|_| fail);
    let metrics = Metric::of_group(MetricGroup::Run).map(|metric| (metric, compared));
    for (metric, of) in metrics.chain(failures.map(|metric| (metric, &*whole))) {
        let mut row = vec![metric.words()];
        let baseline = &of[0];
        for (i, of) in of.iter().enumerate() {
            let is_alike = of.is_whole() && baseline.is_whole();
            let value = (metric.of)(of);
            let ratio = value / (metric.of)(baseline);
            let ratio = match ratios && i > 0 && is_alike && ratio.is_finite() {
                true => format!(" ({}x)", format::significant(ratio)),
                false => String::new(),
            };
            row.push(format!("{}{ratio}", format::metric(metric, value)));
        }
        table.row(row);
    }
    let mut walls = vec!["simulated in".to_owned()];
    walls.extend(runs.iter().map(|run| format!("{:.0} ms", run.wall_ms)));
    table.row(walls);
    table.to_string()
}
