//! `switchyard start`: when a job would start, one that waits or one that is added, as a distribution from many runs; who
//! stands before it, and what would help.

use crate::progress::Progress;
use crate::settings::{SettingsArguments, prepared};
use crate::terminal::within_line;
use crate::{Failure, input, output, threads};
use clap::{Args, ValueHint};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use switchyard::RunSpec;
use switchyard::workload::Workload;
use switchyard_app::moments::Moments;
use switchyard_app::start::{Asked, Draw, Inquiry, Question, Refused, Told, Wish};

/// So many of those before it are named.
const NAMED: usize = 5;

#[derive(Args)]
#[command(
    mut_arg("users", |user| user
        .help("Whose the job is; who is not known is judged by all jobs of its size")
        .help_heading(None)
        .num_args(1)),
    after_help = "What runs and waits at the moment takes as long as such jobs took before, drawn anew in each of many \
runs, and jobs come as they came in the weeks before. Nothing is known of what comes after the moment.

Examples:
  switchyard start sample:lab --at 11h --gpus 8 --policy fifo
  switchyard start trace.csv --at '2024-03-12 14:05' --gpus 8 --user alice --policy las --json -
  switchyard start trace.csv --at 2d3h --job 42 --draws 500

`switchyard help start` says more of each."
)]
pub(crate) struct Arguments {
    /// The trace: files (a cluster's may be among them), sample:NAME, or - (standard input)
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    trace: Vec<PathBuf>,
    /// The moment since the first submission, seconds or 90min, 11h, 2d3h; or a date of a trace that has some
    ///
    /// A date is in UTC unless it says otherwise: '2024-03-12 14:05', 2024-03-12T14:05+01:00.
    #[arg(long, value_name = "TIME", value_parser = input::moment)]
    at: input::Moment,
    /// A job that waits, by its name in the trace; without it one is added at the moment
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// GPUs of the job [default: 1, or its own]
    #[arg(long, value_name = "N")]
    gpus: Option<u32>,
    /// The queue that it is submitted to: a leaf of --queues, else a partition or a tenant
    #[arg(long, value_name = "NAME")]
    queue: Option<String>,
    /// Seconds that it asks for, or 90min, 11h, 2d3h
    #[arg(long, value_name = "TIME", value_parser = input::seconds)]
    limit: Option<f64>,
    /// How many runs
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    draws: u32,
    /// Do not try what would help
    #[arg(long)]
    no_help: bool,
    /// Write the answers as JSON to this file; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
    #[command(flatten)]
    cluster: input::ClusterArgument,
    #[command(flatten)]
    settings: SettingsArguments,
    #[command(flatten)]
    opening: input::TraceArguments,
}

pub(crate) fn start(mut arguments: Arguments) -> Result<(), Failure> {
    let user = arguments.opening.take_user();
    let request = arguments.settings.request(arguments.cluster.text())?;
    let study = input::load(
        &arguments.trace,
        &arguments.opening,
        arguments.cluster.text(),
    )?;
    let prepared = prepared(study, request)?;
    let workload = &prepared.workload;
    let moment = arguments.at.seconds(workload.epoch)?;
    let asked = asked(&arguments, user, workload)?;
    let mut answers = Vec::new();
    for spec in &prepared.runs {
        let question = Question {
            spec,
            deciding: None,
            workload,
            weights: &prepared.weights,
            moment,
            draws: arguments.draws,
        };
        let told = question.told(&asked, !arguments.no_help, &mut |inquiry, draws| {
            Some(drawn(spec, inquiry, draws))
        });
        answers.extend(told.map_err(failure)?);
    }
    match &arguments.json {
        Some(path) => output::json(path, &answers),
        None => {
            let text: String = answers.iter().map(|of| text(of, workload)).collect();
            output::print(&workload.unit.words(&text))
        }
    }
}

fn asked(
    arguments: &Arguments,
    user: Option<String>,
    workload: &Workload,
) -> Result<Asked, Failure> {
    let job = arguments.job.as_ref();
    let job = job.map(|name| Asked::named(workload, name));
    Ok(Asked {
        job: job.transpose().map_err(failure)?,
        wish: Wish {
            gpus: arguments.gpus,
            user,
            queue: arguments.queue.clone(),
            limit: arguments.limit,
        },
    })
}

/// So many draws, on all cores.
fn drawn(spec: &RunSpec, inquiry: &Inquiry, draws: u32) -> Result<Vec<Draw>, Refused> {
    let progress = Progress::of(&spec.policy.label(), draws.into(), "runs");
    let count = AtomicU64::new(0);
    let drawn = threads::each(draws as usize, |number| {
        let draw = inquiry.draw(number as u32, spec.options.seed);
        progress.count(count.fetch_add(1, Ordering::Relaxed) + 1);
        draw
    });
    drawn.into_iter().collect()
}

/// The input is wrong, or a run failed.
pub(crate) fn failure(refused: Refused) -> Failure {
    match refused {
        Refused::Run(error) => Failure::Run(error.into()),
        refused => Failure::Input(refused.into()),
    }
}

fn text(told: &Told, workload: &Workload) -> String {
    let moments = Moments::default();
    let moment = |at: f64| match workload.epoch {
        Some(epoch) => input::date_text(epoch, at),
        None => moments.exact(at),
    };
    let words = told.words(&moment);
    let mut lines = words.when();
    if told.when.started.is_none() {
        if let Some(interval) = lines.get_mut(1) {
            *interval += &format!(" ({} runs)", told.draws);
        }
        let named = told.before.iter().take(NAMED);
        let named: Vec<String> = named
            .map(|of| format!("{} ({} GPUs)", of.name, of.gpus))
            .collect();
        let more = match told.before.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let before = words.before();
        lines.push(match named.is_empty() {
            true => before,
            false => format!("{before}: {}{more}", named.join(", ")),
        });
        lines.extend(words.later());
        lines.extend(words.plain());
    }
    lines.push(words.basis());
    let helps = told.help.iter();
    lines.extend(helps.map(|help| format!("{}: {}", help.what, words.help(help))));
    let (name, job, at) = (&told.job.name, words.job(), moment(told.moment));
    let head = format!("{}: {name}, {job}, asked at {at}", told.label);
    let lines = lines.iter().map(|line| format!("  {line}"));
    let lines = std::iter::once(head).chain(lines);
    lines.map(|line| within_line(&line) + "\n").collect()
}
