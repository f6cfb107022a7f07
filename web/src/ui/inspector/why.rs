//! Why a job runs or waits in one run at the clock's time: in a sentence, and in the policy's numbers and
//! curves.

use super::in_run::InRun;
use super::turns::turns;
use crate::draw::format;
use crate::named::Name;
use crate::session::Session;
use crate::stage::{SharedStage, Stage, StageRun};
use crate::ui::clock::Clocked;
use crate::ui::controls::{job_link, swatch};
use crate::ui::names::{name_link, with_nodes};
use crate::ui::number::FactNumber;
use crate::ui::placing_panel::placing_panel;
use crate::ui::plot::chart;
use crate::ui::service_bar::service_bar;
use std::rc::Rc;
use switchyard::Time;
use switchyard::explain::{Fact, PlacingStep, Said};
use switchyard::job::JobId;
use switchyard::policies::{Explanation, Verdict};
use yew::prelude::*;

/// Why the job runs or waits in one run: in a sentence, in the policy's numbers and curves.
pub(super) fn why(
    session: &Session,
    run: &InRun,
    job: JobId,
    explanation: Option<&(Time, Explanation)>,
    on_job: &Callback<JobId>,
    (decision, on_step, on_seek): (usize, &Callback<usize>, &Callback<f64>),
) -> Html {
    let shared = session.stage();
    let stage = shared.read();
    let asked_at = explanation.map(|(at, _)| *at);
    let explanation = explanation.map(|(_, explanation)| explanation);
    let sentence = match explanation {
        None => html! { <span class="hint">{ "The scheduler is asked…" }</span> },
        Some(explanation) if explanation.verdict == Verdict::NotActive => {
            html! { { not_active(&stage, run, job, asked_at) } }
        }
        Some(explanation) => sentence(&stage, run.id, explanation.verdict, on_job),
    };
    // While the clock runs on, what was said of a moment is said to be of that moment.
    let when = asked_at.map(|at| {
        let (stage, shared) = (shared.clone(), shared.clone());
        let render = Callback::from(move |now: f64| {
            if now == at.seconds() {
                return Html::default();
            }
            let stage = shared.read();
            let rest = if stage.clock.playing { ": pause the clock to ask again" } else { "" };
            html! { <span class="hint as-of">{ format!(" as of {}{rest}", stage.moments().second(at.seconds())) }</span> }
        });
        html! { <Clocked stage={stage.clone()} {render} /> }
    });
    let link = |job: JobId| job_link(&stage.job_name(job), job, on_job);
    let facts = explanation
        .iter()
        .flat_map(|explanation| &explanation.facts);
    let moment = |at: Time| stage.moments().second(at.seconds());
    let facts = facts.map(|known| match known.jobs.as_slice() {
        [] => html! { <div><dt>{ &known.term }</dt><dd>{ value(session, run.id, known, &moment) }</dd></div> },
        jobs => {
            let links = jobs.iter().map(|&job| html! { <>{ link(job) }{ " " }</> });
            html! { <div class="of-jobs"><dt>{ &known.term }</dt><dd>{ for links }</dd></div> }
        }
    });
    let plots = explanation
        .iter()
        .flat_map(|explanation| &explanation.plots);
    let placing = explanation.and_then(|explanation| explanation.placing.as_ref());
    let placing = placing.map(|placing| {
        let before = laid_at(&stage, run.id, job).filter(|at| Some(*at) != asked_at);
        html! {
            <>
                { before.map(|at| laid_before(&stage, at, on_seek)).unwrap_or_default() }
                { placing_panel(placing, decision, (run.id, stage.dark), on_step) }
            </>
        }
    });
    let cycle = explanation.and_then(|explanation| explanation.turns.as_ref());
    let cycle = cycle.map(|cycle| turns(cycle, &stage, run.id, on_job));
    let slow = explanation.iter().flat_map(|explanation| &explanation.slow);
    let slow = slow.map(|cause| {
        let (by, rest) = cause.by_whom();
        let by = by.into_iter().map(|(job, share)| {
            html! { <>{ format!(", {share:.2} of it by ") }{ link(job) }</> }
        });
        html! { <p class="slow">{ with_nodes(&cause.at_what()) }{ for by }{ rest }</p> }
    });
    html! {
        <div class="why" key={run.id}>
            <p>{ swatch(run.hue, stage.dark) }<span class="run">{ &run.name }</span>{ when.unwrap_or_default() }</p>
            <p class="sentence">{ sentence }</p>
            { for slow }
            <dl class="job-facts">{ for facts }</dl>
            { cycle.unwrap_or_default() }
            { service_bar(shared, run.id, job).unwrap_or_default() }
            { for plots.map(|plot| chart(plot, stage.dark, "the job")) }
            { placing.unwrap_or_default() }
        </div>
    }
}

/// A fact's value: what it names can be gone to, and its first number opens how it comes about.
fn value(session: &Session, run: u32, known: &Fact, moment: &dyn Fn(Time) -> String) -> Html {
    let mut sum = known.sum.is_some();
    let pieces = known.value.iter().map(|said| {
        let text = said.told(&format::duration, moment);
        let text = match said {
            Said::Count(..) | Said::Number(..) | Said::Exact(..) => thousands_apart(&text),
            _ => text,
        };
        match said {
            Said::Node(node) => name_link(&text, &Name::Nodes(*node, *node), None),
            Said::Queue(name) => name_link(&text, &Name::Queue(run, name.clone()), None),
            Said::Level(level) => {
                let label = format!("queue {text}");
                name_link(&text, &Name::Level(run, *level), Some(label))
            }
            Said::Count(..)
            | Said::Number(..)
            | Said::Exact(..)
            | Said::Percent(..)
            | Said::Span(_)
                if std::mem::take(&mut sum) =>
            {
                let fact = Rc::new(known.clone());
                html! { <FactNumber session={session.clone()} {run} {fact} {text} /> }
            }
            _ => html! { { text } },
        }
    });
    html! { <>{ for pieces }</> }
}

/// `7200 GPU·s` as numbers are written everywhere else: `7,200 GPU·s`.
fn thousands_apart(text: &str) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = text.split_at(digits);
    let whole = whole.parse().map_or(whole.to_owned(), format::count);
    format!("{whole}{rest}")
}

/// When a job that runs at the clock's time got its GPUs.
pub(super) fn laid_at(stage: &Stage, run: u32, job: JobId) -> Option<Time> {
    let run = stage.run(run)?;
    let is_running = run.moment.running().contains(&job);
    is_running.then(|| run.log.segment(run.moment.segment(job)).start)
}

/// The way to when a placer decided.
fn laid_before(stage: &Stage, at: Time, on_seek: &Callback<f64>) -> Html {
    let at = at.seconds();
    let seek = on_seek.reform(move |_: MouseEvent| at);
    html! {
        <p class="hint">
            { format!("How it was laid at {}: ", stage.moments().second(at)) }
            <button type="button" class="link" title="Moves the clock there: the yard then shows the scores" onclick={seek}>{ "see it on the yard" }</button>
        </p>
    }
}

/// Shows decisions of placers on their runs' yards, at the time that they are of; none elsewhere.
pub(super) fn put_on_yard(stage: &SharedStage, decisions: &[(u32, Time, PlacingStep)]) {
    let mut stage = stage.write();
    for run in &mut stage.runs {
        let own = decisions.iter().find(|(id, _, _)| *id == run.id);
        run.placing = own.map(|(_, at, step)| (*at, step.clone()));
    }
    stage.touch();
}

fn sentence(stage: &Stage, run: u32, verdict: Verdict, on_job: &Callback<JobId>) -> Html {
    let gpus = |count: u32| format::counted(count.into(), "GPU", "GPUs");
    let are = |count: u32| if count == 1 { "is" } else { "are" };
    match verdict {
        Verdict::Runs => html! { { "Runs." } },
        Verdict::NotActive => html! { { "Not in the queue." } },
        Verdict::StartsLater { at } => {
            html! { { format!("Waits: the trace records that it starts at {}.", stage.moments().second(at.seconds())) } }
        }
        Verdict::TooFewCores { wants, left } => {
            let [wants, left] = [wants, left].map(|of| f64::from(of) / 1000.0);
            html! { { format!("Waits: it wants {wants} cores and no node has more than {left} left, or too little memory.") } }
        }
        Verdict::TooFewGpus { wants, left } => {
            html! { { format!("Waits: it wants {} and the jobs before it leave {left}.", gpus(wants)) } }
        }
        Verdict::NoQuota { wants, left } => {
            html! { { format!("Waits for quota: it wants {} and its queue may use {left} more.", gpus(wants)) } }
        }
        Verdict::PlacementWaits { wants, free } => {
            html! { { format!("Waits: it wants {} and {free} {} free, but not on nodes where the placement would put it.", gpus(wants), are(free)) } }
        }
        Verdict::BehindHead { head } => {
            let Some(job) = stage.workload.jobs.get(head.index()) else {
                return html! { { "Waits behind the head of the queue." } };
            };
            let free = stage.run(run).and_then(|run| free_gpus(stage, run));
            let rest = match free {
                Some(free) => format!(", wants {} and {free} {} free.", gpus(job.gpus), are(free)),
                None => format!(", wants {}.", gpus(job.gpus)),
            };
            html! {
                <>
                    { "Waits: the head of the queue, " }
                    { job_link(&job.name, head, on_job) }
                    { rest }
                </>
            }
        }
    }
}

/// Why a job neither runs nor waits at a time.
fn not_active(stage: &Stage, run: &InRun, job: JobId, at: Option<Time>) -> String {
    let Some(record) = stage.workload.jobs.get(job.index()) else {
        return String::new();
    };
    let (submit, jct) = (record.submit.seconds(), run.numbers[0]);
    if run.rejected {
        let why = stage.workload.why_rejected(record, &stage.cluster);
        format!("Rejected: it {}.", why.unwrap_or_default())
    } else if at.is_some_and(|at| at.seconds() < submit) {
        format!(
            "Not submitted yet: it comes at {}.",
            stage.moments().second(submit)
        )
    } else if jct.is_finite() {
        format!("Finished at {}.", stage.moments().second(submit + jct))
    } else {
        "Not in the queue.".to_owned()
    }
}

/// GPUs free at the clock's time.
fn free_gpus(stage: &Stage, run: &StageRun) -> Option<u32> {
    let last = run
        .log
        .sample_times()
        .partition_point(|&at| at <= stage.clock.now)
        .checked_sub(1)?;
    stage
        .cluster
        .gpus()
        .checked_sub(*run.log.sample_gpus().get(last)?)
}
