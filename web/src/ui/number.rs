//! A number that opens its arithmetic: the formula, the values put in, the jobs that they are of, and the source.

use super::controls::{fact, job_link};
use super::term::{Definition, style_beside};
use crate::comparison::outcomes;
use crate::draw::format;
use crate::session::Session;
use crate::stage::Stage;
use std::rc::Rc;
use switchyard::job::JobId;
use switchyard::report::{Arithmetic, Metric, Over, Summary};
use switchyard_app::arithmetic::{sum, value};
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// What the number is of.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Source {
    /// A run's metric, of the jobs that it is compared over.
    OfRun {
        /// Which, by its id.
        metric: &'static str,
        /// The run in numbers, of those jobs.
        summary: Summary,
        /// Whether those are of the jobs that have finished in all runs.
        over_common: bool,
    },
    /// A number of a job: how it comes about.
    OfJob(JobId, OfJob),
}

/// A number of a job.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum OfJob {
    /// Its completion time.
    Jct,
    /// Its queueing delay.
    Wait,
    /// Its finish-time fairness.
    Rho,
}

/// What a number needs.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// Has the runs, and goes to jobs.
    pub(super) session: Session,
    /// The run, by its id.
    pub(super) run: u32,
    /// What it is of.
    pub(super) source: Source,
    /// What it means.
    pub(super) definition: Definition,
    /// As it is shown.
    pub(super) text: String,
}

/// An opened number.
struct Opened {
    arithmetic: Arithmetic,
    style: String,
}

/// The number; plain text where nothing is known of how it comes about.
#[component]
pub(super) fn Number(props: &Props) -> Html {
    // Which time it was opened: the browser may have closed it meanwhile.
    let opened = use_state(|| (0u32, None::<Rc<Opened>>));
    let (button, card) = (use_node_ref(), use_node_ref());
    let onclick = {
        let (session, run, source) = (props.session.clone(), props.run, props.source);
        let (opened, button) = (opened.clone(), button.clone());
        Callback::from(move |_: MouseEvent| {
            let arithmetic = arithmetic(&session.stage().read(), run, source);
            let style = button.cast::<Element>().map(|button| style_beside(&button));
            let now = arithmetic.zip(style);
            let now = now.map(|(arithmetic, style)| Rc::new(Opened { arithmetic, style }));
            opened.set((opened.0 + 1, now));
        })
    };
    use_effect_with(opened.0, {
        let card = card.clone();
        move |_| {
            if let Some(card) = card.cast::<HtmlElement>() {
                // It may be open already.
                let _ = card.show_popover();
            }
        }
    });
    // The page would take it for its own.
    let onkeydown = {
        let card = card.clone();
        Callback::from(move |event: KeyboardEvent| {
            let card = card.cast::<HtmlElement>();
            let open = card.filter(|card| card.matches(":popover-open").unwrap_or(false));
            if let Some(open) = open.filter(|_| event.key() == "Escape") {
                event.prevent_default();
                event.stop_propagation();
                let _ = open.hide_popover();
            }
        })
    };
    let Definition {
        name,
        formula,
        meaning,
        source,
        ..
    } = props.definition;
    let units = format::unit();
    let words = |text: &str| units.words(text).into_owned();
    let card = opened.1.as_deref().map(|Opened { arithmetic, style }| {
        let stage = props.session.stage().read();
        let run = stage.run(props.run);
        let on_job = {
            let session = props.session.clone();
            Callback::from(move |job: JobId| session.select(Some(job)))
        };
        let link = |job: JobId| job_link(&stage.job_name(job), job, &on_job);
        let operands = arithmetic.operands.iter().map(|of| match of.job {
            None => fact(&words(of.name), &words(&value(of))),
            Some(job) => html! {
                <div><dt>{ words(of.name) }</dt><dd>{ value(of) }{ " " }{ link(job) }</dd></div>
            },
        });
        let most = arithmetic.most.iter().map(
            |&(job, share)| html! { <>{ " " }{ link(job) }{ format!(" {}", format::percent(share)) }</> },
        );
        html! {
            <div ref={card} popover="auto" class="meaning arithmetic" role="dialog" onkeydown={onkeydown.clone()} aria-label={format!("How {name} comes about")} ~style={style.clone()}>
                <strong>{ words(name) }<span class="hint">{ run.map(|run| format!(" {}", run.name())) }</span></strong>
                <span>{ words(if formula.is_empty() { meaning } else { formula }) }</span>
                <dl class="job-facts">{ for operands }</dl>
                <span class="sum">{ sum(arithmetic) }{ format!(", that is {}", props.text) }</span>
                if !arithmetic.most.is_empty() {
                    <span>{ "Most of it:" }{ for most }</span>
                }
                if !source.is_empty() {
                    <span class="source">{ source }</span>
                }
            </div>
        }
    });
    html! {
        <>
            <button ref={button} type="button" class="number" {onclick} {onkeydown} aria-haspopup="dialog">{ &props.text }</button>
            { card.unwrap_or_default() }
        </>
    }
}

fn arithmetic(stage: &Stage, run: u32, source: Source) -> Option<Arithmetic> {
    let run = stage.run(run)?;
    let (workload, outcomes) = (&*stage.workload, outcomes(stage, run));
    match source {
        Source::OfJob(job, OfJob::Jct) => Arithmetic::of_jct(workload, &outcomes, job),
        Source::OfJob(job, OfJob::Wait) => Arithmetic::of_wait(&outcomes, job),
        Source::OfJob(job, OfJob::Rho) => Arithmetic::of_rho(&outcomes, job),
        Source::OfRun {
            metric,
            summary,
            over_common,
        } => {
            let common = over_common.then(|| stage.finished_in_all());
            let some = stage.compared_jobs(run, common.as_deref());
            let some = some.as_ref().map(|(jobs, _)| &jobs[..]);
            let over = Over {
                workload,
                outcomes: &outcomes,
                summary: &summary,
                of: some.ok_or((&stage.cluster, &run.log)),
            };
            Arithmetic::of(Metric::named(metric)?, &over)
        }
    }
}
