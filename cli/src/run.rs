//! `switchyard run` and `switchyard compare`.

use crate::table::Table;
use crate::{Failure, applications, input, memory, write_out};
use anyhow::{Context, anyhow};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use switchyard::placement::Strategy;
use switchyard::policy::PolicySpec;
use switchyard::report::{
    ClusterFacts, Outcomes, Results, RunResult, Summary, chrome_trace, jct_by_name, jobs_csv,
};
use switchyard::sim::{RunLog, SimOptions};
use switchyard::workload::{GpuGeneration, Workload};
use switchyard::{Preset, RunSpec, UnknownPreset};

/// What runs when no policy is named: the baseline and the scheduler it is usually compared with.
const DEFAULT_POLICIES: [&str; 2] = ["fifo", "tiresias-las"];

/// Steps of a simulation between two looks at the progress bar.
const STEPS_PER_TICK: u32 = 4096;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The trace: one or more files (a cluster's description may be among them), or sample:NAME
    #[arg(required = true, value_name = "TRACE")]
    trace: Vec<PathBuf>,
    /// NODESxGPUS (16x4, 8x8+4x4) or a file that describes a cluster [default: the one that comes
    /// with the trace, or else a guess: room for the largest gang and 1.1 × the mean demand]
    #[arg(long)]
    cluster: Option<String>,
    /// A policy, such as 'tiresias-las[queues=2,threshold=57600]'; may be given several times
    /// [default: those of the experiment, or fifo and tiresias-las]
    #[arg(long = "policy", value_name = "SPEC")]
    policies: Vec<String>,
    /// How gangs are laid on nodes: least-fragmentation, consolidated, spread, yarn or skew
    /// [default: the experiment's, or least-fragmentation]
    #[arg(long, value_name = "NAME")]
    placement: Option<String>,
    /// Seconds without progress after every resume or move [default: the experiment's, or 0]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    restart_cost: Option<f64>,
    /// Add to each restart what checkpoint and resume of the job's model take (1 to 27 s)
    #[arg(long)]
    restart_by_model: bool,
    /// Gangs on more nodes than they need train slower, as measured on k80, p100 or v100
    #[arg(long, value_name = "GPU")]
    spread_slowdown: Option<String>,
    /// The share of its speed that an adaptive job on several nodes loses while another such job
    /// shares one of them
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    interference: f64,
    #[command(flatten)]
    applications: applications::ApplicationArguments,
    /// The semantics of a published simulator: reference-nsdi19 or reference-osdi21
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Seed of the policies' random generator [default: the experiment's, or 0]
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    log: memory::LogArguments,
    #[command(flatten)]
    opening: input::TraceArguments,
    /// Write the results as JSON to this file; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<String>,
    /// Put every job's JCT into the JSON
    #[arg(long, requires = "json")]
    per_job: bool,
    /// Write a row per job and policy to this file; - is standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<String>,
    /// Write the first policy's run as Chrome-trace JSON, which Perfetto opens
    #[arg(long, value_name = "FILE")]
    chrome_trace: Option<String>,
}

struct Run {
    spec: RunSpec,
    log: RunLog,
    outcomes: Outcomes,
    summary: Summary,
    wall_ms: f64,
}

pub(crate) fn run(arguments: &Arguments, compare: bool) -> Result<(), Failure> {
    let input_error = |error: anyhow::Error| Failure::Input(error);
    let sound = |cost: &f64| cost.is_finite() && *cost >= 0.0;
    if arguments.restart_cost.is_some_and(|cost| !sound(&cost)) {
        return Err(Failure::Input(anyhow!(
            "--restart-cost is a number of seconds, 0 or more"
        )));
    }
    if !(0.0..1.0).contains(&arguments.interference) {
        return Err(Failure::Input(anyhow!(
            "--interference is a share of at least 0 and below 1"
        )));
    }
    // What is asked for is checked before a large trace is opened.
    let placement: Option<Strategy> = arguments
        .placement
        .as_ref()
        .map(|name| name.parse())
        .transpose()
        .map_err(|error| input_error(anyhow::Error::from(error)))?;
    let generation = |name: &str| {
        GpuGeneration::named(name).ok_or_else(|| {
            input_error(anyhow!(
                "--spread-slowdown is '{name}': use k80, p100 or v100"
            ))
        })
    };
    let spread_slowdown = arguments.spread_slowdown.as_deref();
    let spread_slowdown = spread_slowdown.map(generation).transpose()?;
    let preset: Option<Preset> = arguments
        .preset
        .as_deref()
        .map(str::parse)
        .transpose()
        .map_err(|error: UnknownPreset| input_error(error.into()))?;
    let parse = |texts: &[String]| {
        let policies = texts.iter().map(|text| text.parse());
        let policies: Result<Vec<PolicySpec>, _> = policies.collect();
        policies.map_err(|error| input_error(anyhow::Error::from(error)))
    };
    let asked = parse(&arguments.policies)?;
    let mut input = input::load(
        &arguments.trace,
        &arguments.opening,
        arguments.cluster.as_deref(),
    )?;
    let experiment = input.experiment;
    let policies: Vec<PolicySpec> = match (asked.is_empty(), experiment.policies.is_empty()) {
        (false, _) => asked,
        (true, false) => parse(&experiment.policies)?,
        (true, true) => parse(&DEFAULT_POLICIES.map(str::to_string))?,
    };
    input.workload = arguments.applications.bind(
        input.workload,
        &input.profiles,
        &mut input.facts,
        &policies,
    )?;
    let placement = match (placement, &experiment.placement) {
        (Some(placement), _) => placement,
        (None, Some(name)) => name
            .parse()
            .map_err(|error| input_error(anyhow::Error::from(error)))?,
        (None, None) => Strategy::default(),
    };
    let named = experiment.spread_slowdown.as_deref();
    let options = SimOptions {
        restart_cost: arguments
            .restart_cost
            .or(experiment.restart_cost)
            .unwrap_or(0.0),
        restart_by_model: arguments.restart_by_model || experiment.restart_by_model,
        spread_slowdown: spread_slowdown.or(named.map(generation).transpose()?),
        interference: arguments.interference,
        seed: arguments.seed.or(experiment.seed).unwrap_or(0),
        log_budget: arguments.log.budget(policies.len()),
        ..SimOptions::default()
    };
    let (cluster, origin) = input
        .cluster
        .unwrap_or_else(|| (input.workload.suggest_cluster(), "guessed: see --help"));
    let workload = Arc::new(input.workload);

    let mut runs = Vec::with_capacity(policies.len());
    for policy in policies {
        let mut spec = RunSpec {
            history: input::history(&policy)?,
            policy,
            cluster: cluster.clone(),
            placement,
            options,
        };
        if let Some(preset) = preset {
            preset
                .apply(&mut spec)
                .map_err(|error| input_error(error.into()))?;
        }
        runs.push(simulate(spec, &workload)?);
    }

    let results = Results {
        trace: input.facts,
        cluster: ClusterFacts {
            nodes: cluster.nodes(),
            gpus: cluster.gpus(),
        },
        runs: runs
            .iter()
            .map(|run| RunResult {
                per_job: arguments
                    .per_job
                    .then(|| jct_by_name(&workload, &run.outcomes)),
                ..RunResult::new(
                    run.spec.policy.to_string(),
                    run.spec.options.seed,
                    &run.summary,
                    run.wall_ms,
                    run.log.hash(),
                )
            })
            .collect(),
    };
    if let Some(path) = &arguments.json {
        let json = serde_json::to_string_pretty(&results)
            .context("cannot write the results as JSON")
            .map_err(Failure::Run)?;
        write_out(path, &json)?;
    }
    if let Some(path) = &arguments.csv {
        let names: Vec<String> = runs.iter().map(|run| run.spec.policy.to_string()).collect();
        write_out(
            path,
            &jobs_csv(
                &workload,
                names
                    .iter()
                    .map(String::as_str)
                    .zip(runs.iter().map(|run| &run.outcomes)),
            ),
        )?;
    }
    if let (Some(path), Some(run)) = (&arguments.chrome_trace, runs.first()) {
        write_out(path, &chrome_trace(&workload, &cluster, &run.log))?;
    }
    let machine_output = [&arguments.json, &arguments.csv, &arguments.chrome_trace]
        .iter()
        .any(|path| path.as_deref() == Some("-"));
    if !machine_output {
        print!(
            "{}",
            head(&results, &cluster.to_string(), origin, input.dropped)
        );
        print!("{}", table(&results.runs, compare));
    }
    Ok(())
}

/// Runs to the end, with a progress bar if someone is watching.
fn simulate(spec: RunSpec, workload: &Arc<Workload>) -> Result<Run, Failure> {
    let style = ProgressStyle::with_template(
        "{prefix} {wide_bar} {human_pos}/{human_len} jobs, {eta} left",
    )
    .unwrap_or_else(|_| ProgressStyle::default_bar());
    // Hidden by itself where standard error is no terminal.
    let bar = ProgressBar::with_draw_target(
        Some(workload.jobs.len() as u64),
        ProgressDrawTarget::stderr(),
    )
    .with_style(style)
    .with_prefix(spec.policy.to_string());
    let mut simulation = spec.start(workload.clone());
    let begin = Instant::now();
    'run: loop {
        for _ in 0..STEPS_PER_TICK {
            if !simulation
                .step()
                .map_err(|error| Failure::Run(error.into()))?
            {
                break 'run;
            }
        }
        bar.set_position(u64::from(simulation.progress().done));
    }
    let wall_ms = begin.elapsed().as_secs_f64() * 1e3;
    bar.finish_and_clear();
    let log = simulation.into_log();
    let outcomes = Outcomes::of(workload, &spec.cluster, &log);
    let summary = Summary::of_outcomes(&outcomes, &spec.cluster, &log);
    Ok(Run {
        spec,
        log,
        outcomes,
        summary,
        wall_ms,
    })
}

fn head(results: &Results, cluster: &str, origin: &str, dropped: u32) -> String {
    let trace = &results.trace;
    let mut text = format!(
        "{} jobs ({}), {:.0} GPU-hours, on {cluster}: {} GPUs ({origin})\n",
        trace.jobs, trace.format, trace.gpu_hours, results.cluster.gpus
    );
    text.push_str(&applications::describe(trace));
    if dropped > 0 {
        text.push_str(&format!(
            "{dropped} rows of the trace were left out; `switchyard inspect` says why\n"
        ));
    }
    if let Some(run) = results.runs.first().filter(|run| run.rejected > 0) {
        text.push_str(&format!(
            "{} jobs want more GPUs than the cluster has and are rejected\n",
            run.rejected
        ));
    }
    for run in results
        .runs
        .iter()
        .filter(|run| run.finished + run.rejected < run.jobs)
    {
        let stuck = run.jobs - run.finished - run.rejected;
        text.push_str(&format!(
            "{}: {stuck} jobs can never run under this policy and placement\n",
            run.policy
        ));
    }
    text.push('\n');
    text
}

/// Seconds in a unit that a person can read.
fn span(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7_200.0 => format!("{:.1} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.2} h", s / 3_600.0),
        s => format!("{:.2} d", s / 86_400.0),
    }
}

/// A metric: its name, its value as a number, and as text.
type Metric = (&'static str, fn(&RunResult) -> f64, fn(f64) -> String);

const METRICS: [Metric; 17] = [
    ("mean JCT", |run| run.jct.mean, span),
    ("median JCT", |run| run.jct.median, span),
    ("p90 JCT", |run| run.jct.p90, span),
    ("p95 JCT", |run| run.jct.p95, span),
    ("p99 JCT", |run| run.jct.p99, span),
    ("longest JCT", |run| run.jct.max, span),
    ("mean queueing delay", |run| run.queueing.mean, span),
    ("longest wait", |run| run.longest_wait, span),
    ("makespan", |run| run.makespan, span),
    (
        "GPUs allocated",
        |run| run.gpu_allocation * 100.0,
        |percent| format!("{percent:.1} %"),
    ),
    (
        "cost",
        |run| run.node_hours,
        |hours| format!("{hours:.1} node-hours"),
    ),
    (
        "mean nodes rented",
        |run| run.mean_nodes,
        |nodes| format!("{nodes:.2}"),
    ),
    (
        "restarts",
        |run| f64::from(run.restarts),
        |n| format!("{n}"),
    ),
    (
        "mean fairness rho",
        |run| run.fairness.rho_mean,
        |rho| format!("{rho:.2}"),
    ),
    (
        "p99 fairness rho",
        |run| run.fairness.rho_p99,
        |rho| format!("{rho:.2}"),
    ),
    (
        "Jain's index",
        |run| run.fairness.jain,
        |index| format!("{index:.3}"),
    ),
    (
        "simulated in",
        |run| run.wall_ms,
        |ms| format!("{ms:.0} ms"),
    ),
];

/// A row per metric, a column per run; compared: with the ratio to the first run.
fn table(runs: &[RunResult], compare: bool) -> String {
    let mut table = Table::default();
    let mut header = vec![String::new()];
    header.extend(runs.iter().map(|run| run.policy.clone()));
    table.row(header);
    for (name, value, text) in METRICS {
        let mut row = vec![name.to_string()];
        for (i, run) in runs.iter().enumerate() {
            let (mine, baseline) = (value(run), value(&runs[0]));
            let ratio = if compare && i > 0 && baseline > 0.0 {
                format!(" ({:.2}x)", mine / baseline)
            } else {
                String::new()
            };
            row.push(format!("{}{ratio}", text(mine)));
        }
        table.row(row);
    }
    table.to_string()
}
