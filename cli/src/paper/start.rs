//! How often `switchyard start` is right: jobs of a trace's held-out part are asked about at their submission, by what was
//! known then, and what they are told is put beside what then happened under the policy.

use crate::progress::Progress;
use crate::settings::{SettingsArguments, prepared};
use crate::start::failure;
use crate::table::Table;
use crate::{Failure, input, output, threads};
use anyhow::anyhow;
use clap::{Args, ValueHint};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use switchyard::RunSpec;
use switchyard_app::driver::{Budget, Driver};
use switchyard_app::format::{duration, figures, percent};
use switchyard_app::start::{Answer, Asked, Asking, Calibration, Draw, HeldOut, Inquiry, Refused};
use switchyard_app::study::Prepared;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The trace, whose jobs are asked about: files, or sample:NAME
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    trace: Vec<PathBuf>,
    /// How many jobs that wait are asked about
    #[arg(long, value_name = "N", default_value_t = 200)]
    questions: usize,
    /// How many runs answer each
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    draws: u32,
    /// Jobs after this share of all are held out
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    held_out: f64,
    /// Write the figures, with each question, as JSON to this file; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
    #[command(flatten)]
    cluster: input::ClusterArgument,
    #[command(flatten)]
    settings: SettingsArguments,
    #[command(flatten)]
    opening: input::TraceArguments,
}

/// Of one policy.
#[derive(Serialize)]
struct Calibrated {
    policy: String,
    cluster: String,
    draws: u32,
    #[serde(flatten)]
    calibration: Calibration,
    askings: Vec<Asking>,
}

pub(super) fn start(arguments: &Arguments) -> Result<(), Failure> {
    let request = arguments.settings.request(arguments.cluster.text())?;
    let study = input::load(
        &arguments.trace,
        &arguments.opening,
        arguments.cluster.text(),
    )?;
    let prepared = prepared(study, request)?;
    let told = prepared
        .runs
        .iter()
        .map(|spec| calibrated(arguments, spec, &prepared));
    let told = told.collect::<Result<Vec<Calibrated>, Failure>>()?;
    match &arguments.json {
        Some(path) => output::json(path, &told),
        None => output::print(&text(&told)),
    }
}

fn calibrated(
    arguments: &Arguments,
    spec: &RunSpec,
    prepared: &Prepared,
) -> Result<Calibrated, Failure> {
    let mut spec = spec.clone();
    spec.options.replay_failures = false;
    let (workload, weights) = (&prepared.workload, &prepared.weights);
    let started = Driver::start(&spec, workload, weights);
    let mut run = started.map_err(|missing| Failure::Input(missing.into()))?;
    let ran = run.step_for(Budget::unlimited());
    ran.map_err(|error| Failure::Run(error.into()))?;
    let seed = spec.options.seed;
    let held_out = HeldOut::of(
        workload,
        run.log(),
        arguments.held_out,
        arguments.questions,
        seed,
    );
    drop(run);
    if held_out.questions.is_empty() {
        return Err(Failure::Input(anyhow!(
            "{}: no job of the held-out part waits on {}: give a smaller cluster",
            spec.policy.label(),
            spec.cluster
        )));
    }
    let all = held_out.questions.len();
    let progress = Progress::of(&spec.policy.label(), all as u64, "questions");
    let count = AtomicU64::new(0);
    let askings = threads::each(all, |at| {
        let question = held_out.questions[at];
        let (job, _) = question;
        let asked = Asked {
            job: Some(job),
            ..Asked::default()
        };
        let moment = workload.jobs[job.index()].submit.seconds();
        let inquiry = Inquiry::new(&spec, workload, weights, &asked, moment)?;
        let draws = (0..arguments.draws).map(|number| inquiry.draw(number, seed));
        let draws = draws.collect::<Result<Vec<Draw>, Refused>>()?;
        let answer = Answer::of(inquiry.moment(), &draws);
        let plain = inquiry.plain()?.start;
        progress.count(count.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(Asking::of(workload, question, &answer, plain))
    });
    let askings = askings
        .into_iter()
        .collect::<Result<Vec<Asking>, Refused>>();
    let askings = askings.map_err(failure)?;
    Ok(Calibrated {
        policy: spec.policy.to_string(),
        cluster: spec.cluster.to_string(),
        draws: arguments.draws,
        calibration: Calibration::of(&held_out, &askings),
        askings,
    })
}

fn text(told: &[Calibrated]) -> String {
    let mut table = Table::default();
    let mut header = vec![String::new()];
    header.extend(
        told.iter()
            .map(|of| format!("{} on {}", of.policy, of.cluster)),
    );
    table.row(header);
    let mut row = |what: &str, value: &dyn Fn(&Calibration) -> String| {
        let mut row = vec![what.to_owned()];
        row.extend(told.iter().map(|of| value(&of.calibration)));
        table.row(row);
    };
    row("held-out jobs", &|of| figures(of.jobs as f64));
    row("start at once", &|of| {
        percent(of.at_once as f64 / of.jobs as f64)
    });
    row("questions about jobs that wait", &|of| {
        figures(of.questions as f64)
    });
    row("in the interval of nine in ten", &|of| percent(of.covered));
    row("the same of all jobs", &|of| percent(of.covered_of_all));
    row("earlier", &|of| percent(of.before));
    row("later", &|of| percent(of.after));
    row("median wait", &|of| duration(of.waited));
    row("median width of the interval", &|of| duration(of.width));
    row("median error of the median", &|of| duration(of.error));
    row("all to their limits: no later than told", &|of| {
        percent(of.plain_covered)
    });
    row("all to their limits: median error", &|of| {
        duration(of.plain_error)
    });
    table.to_string()
}
