//! `switchyard why`: runs a trace up to a time and asks about one job there, as the page's inspector
//! does: why it runs or waits, in the policy's numbers, and what slows it. Or about its [whole] life, or all jobs'.

mod whole;

use crate::progress::Progress;
use crate::settings::{SettingsArguments, prepared};
use crate::terminal::within_line;
use crate::{Failure, input, output, script};
use anyhow::anyhow;
use clap::{Args, ValueHint};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use switchyard::engine::EventKind;
use switchyard::explain::{Cause, Explanation, Fact, Placing, Verdict};
use switchyard::job::JobId;
use switchyard::meant::hint;
use switchyard::weights::Weights;
use switchyard::{RunSpec, Time, workload::Workload};
use switchyard_app::driver::Driver;
use switchyard_app::format::duration;
use switchyard_app::study::Whom;

#[derive(Args)]
#[command(
    after_help = "A time may have units, 90min, 11h, 2d3h; a number alone is in the option's own unit,
mostly seconds (--mtbf and --mttr: hours).

Examples:
  switchyard why sample:lab --job lab-017 --at 11h
  switchyard why trace.csv --job 42 --at 2d3h --policy fifo --policy las --json -
  switchyard why sample:lab --job lab-017 --whole
  switchyard why trace.csv --whole --by user --policy fifo --policy las

`switchyard help why` says more of each."
)]
pub(crate) struct Arguments {
    /// The trace: files (a cluster's may be among them), sample:NAME, or - (standard input)
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    trace: Vec<PathBuf>,
    /// The job, by its name in the trace; the first of that name
    #[arg(long, value_name = "NAME", required_unless_present = "whole")]
    job: Option<String>,
    /// The time since the first submission, seconds or 90min, 11h, 2d3h; or a date of a trace that has some
    ///
    /// A date is in UTC unless it says otherwise: '2024-03-12 14:05', 2024-03-12T14:05+01:00.
    #[arg(long, value_name = "TIME", value_parser = input::moment, required_unless_present = "whole")]
    at: Option<input::Moment>,
    /// Not one moment but all the time: what the job's whole life was spent on, or those of all jobs
    ///
    /// Seconds by cause, or GPU-hours of all jobs: running, slowed and by which law, restarting, outranked, behind the
    /// head of the queue, fragmentation (enough GPUs are free, but not where the placement wants them), quota, nodes
    /// away; and which jobs caused most of it. Of one job all is told. Of all jobs up to 48 of those who wait are asked
    /// at a moment, and at 1,024 moments or more; what they waited in all is exact.
    #[arg(long, conflicts_with = "at")]
    whole: bool,
    /// Tell it by user, account, partition, qos, reservation, tenant, model, gpu-type, gang or queue
    #[arg(long, value_name = "WHAT", requires = "whole", conflicts_with = "job")]
    by: Option<Whom>,
    /// Write the answers as JSON to this file; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<output::OutputFile>,
    /// Write what all jobs spent their lives on as CSV to this file, a row for each policy, group and cause
    #[arg(long, value_name = "FILE", requires = "whole", conflicts_with = "job")]
    csv: Option<output::OutputFile>,
    #[command(flatten)]
    cluster: input::ClusterArgument,
    #[command(flatten)]
    settings: SettingsArguments,
    #[command(flatten)]
    opening: input::TraceArguments,
}

/// One policy's answer.
#[derive(Serialize)]
struct Answer {
    policy: String,
    /// The same for people.
    #[serde(skip)]
    label: String,
    verdict: Verdict,
    /// Where a job is that neither runs nor waits.
    #[serde(skip)]
    absent: &'static str,
    facts: Vec<FactRow>,
    #[serde(skip)]
    said: Vec<Fact>,
    slow: Vec<Cause>,
    /// How a placement that has learned decided last.
    #[serde(skip_serializing_if = "Option::is_none")]
    placing: Option<Placing>,
}

/// A fact with all times in seconds.
#[derive(Serialize)]
struct FactRow {
    term: String,
    value: String,
    jobs: Vec<JobId>,
}

impl FactRow {
    fn of(fact: &Fact) -> Self {
        Self {
            term: fact.term.clone(),
            value: fact.in_seconds(),
            jobs: fact.jobs.clone(),
        }
    }
}

pub(crate) fn why(arguments: &Arguments) -> Result<(), Failure> {
    let request = arguments.settings.request(arguments.cluster.text())?;
    let study = input::load(
        &arguments.trace,
        &arguments.opening,
        arguments.cluster.text(),
    )?;
    let prepared = prepared(study, request)?;
    let workload = &prepared.workload;
    let job = arguments.job.as_deref();
    let job = job.map(|name| named(name, workload)).transpose()?;
    let asked = whole::LivesStudy {
        workload,
        runs: &prepared.runs,
        weights: &prepared.weights,
        policies: &arguments.settings.policies,
        json: arguments.json.as_ref(),
        csv: arguments.csv.as_ref(),
    };
    let (job, at) = match (job, &arguments.at) {
        (Some(job), Some(at)) => (job, at.seconds(workload.epoch)?),
        (Some(job), None) => return asked.job(job),
        (None, _) => return asked.run(arguments.by),
    };
    let answers = prepared.runs.iter().map(|spec| {
        let asked = &arguments.settings.policies;
        ask(spec, workload, &prepared.weights, (job, at), asked)
    });
    let answers = answers.collect::<Result<Vec<Answer>, Failure>>()?;
    match &arguments.json {
        Some(path) => output::json(path, &answers),
        None => {
            let date = workload.epoch.map(|epoch| input::date_text(epoch, at));
            let date = date.map(|date| format!("{date}, {at} s after the begin\n"));
            let texts = answers.iter().map(|answer| text(answer, workload));
            output::print(&date.into_iter().chain(texts).collect::<String>())
        }
    }
}

/// The first job of this name.
fn named(name: &str, workload: &Workload) -> Result<JobId, Failure> {
    let found = workload.jobs.iter().position(|job| *job.name == *name);
    found.map(|at| JobId(at as u32)).ok_or_else(|| {
        let names = workload.jobs.iter().map(|job| &*job.name);
        Failure::Input(anyhow!(
            "there is no job '{name}' in the trace{}: `switchyard convert` writes all with their names",
            hint(name, names)
        ))
    })
}

fn ask(
    spec: &RunSpec,
    workload: &Arc<Workload>,
    weights: &Weights,
    (job, at): (JobId, f64),
    asked: &[String],
) -> Result<Answer, Failure> {
    let run = Driver::start(spec, workload, weights);
    let mut run = run.map_err(|missing| Failure::Input(missing.into()))?;
    run.simulation().watch(job);
    Progress::of(&spec.policy.label(), at as u64, "simulated seconds")
        .run_until(&mut run, Time(at))
        .map_err(|error| script::ended(asked, &spec.policy, error))?;
    let Explanation {
        verdict,
        facts,
        slow,
        placing,
        ..
    } = run.simulation().explain(job, Time(at));
    let log = run.log();
    let mut kinds = (0..log.events())
        .map(|i| log.event(i))
        .filter(|event| event.job == job)
        .map(|event| event.kind);
    let absent = match kinds.next_back() {
        Some(EventKind::Finish) => "finished",
        Some(EventKind::Reject) => "rejected: it wants more GPUs than the cluster has",
        _ => "not submitted yet",
    };
    Ok(Answer {
        policy: spec.policy.to_string(),
        label: spec.policy.label(),
        verdict,
        absent,
        facts: facts.iter().map(FactRow::of).collect(),
        said: facts,
        slow,
        placing,
    })
}

fn text(answer: &Answer, workload: &Workload) -> String {
    let name = |job: JobId| {
        let job = workload.jobs.get(job.index());
        job.map_or_else(String::new, |job| within_line(&job.name))
    };
    let words = |text: &str| workload.unit.words(text).into_owned();
    let moment = |at: Time| match workload.epoch {
        Some(epoch) => input::date_text(epoch, at.seconds()),
        None => format!("{} s", at.seconds()),
    };
    let verdict = match answer.verdict {
        Verdict::Runs => "runs".to_owned(),
        Verdict::BehindHead { head } => {
            format!("waits behind the head of the queue, {}", name(head))
        }
        Verdict::TooFewGpus { wants, left } => words(&format!(
            "waits: it wants {wants} GPUs and the jobs before it leave {left}"
        )),
        Verdict::NoQuota { wants, left } => words(&format!(
            "waits for quota: it wants {wants} GPUs and its queue may use {left} more"
        )),
        Verdict::PlacementWaits { wants, free } => words(&format!(
            "waits: it wants {wants} GPUs and {free} are free, but not where the placement would put it"
        )),
        Verdict::TooFewCores { wants, left } => {
            let [wants, left] = [wants, left].map(|of| f64::from(of) / 1000.0);
            format!(
                "waits: it wants {wants} cores and no node has more than {left} left, or too little memory"
            )
        }
        Verdict::StartsLater { at } => {
            format!("waits: the trace records that it starts at {}", moment(at))
        }
        Verdict::NotActive => words(answer.absent),
    };
    let mut text = format!("{}: {verdict}\n", answer.label);
    for cause in &answer.slow {
        text.push_str(&format!("  {}\n", cause.text(name)));
    }
    for fact in &answer.said {
        let value = fact.told(duration, moment);
        text.push_str(&within_line(&format!("  {}: {value}", fact.term)));
        text.push('\n');
    }
    for step in answer.placing.iter().flat_map(|placing| &placing.steps) {
        text.push_str(&format!("  {}\n", step.text()));
    }
    let placing = answer.placing.as_ref();
    if let Some(by_rule) = placing.and_then(|placing| placing.by_rule.as_ref()) {
        text.push_str(&within_line(&format!(
            "  the rule (least-interference-waiting): {}",
            by_rule.text()
        )));
        text.push('\n');
    }
    text
}
