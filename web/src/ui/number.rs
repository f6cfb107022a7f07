//! A number that opens its arithmetic: the formula, the values put in, the jobs that they are of, and the source.

use super::controls::{fact, job_link};
use super::term::{Definition, style_beside};
use crate::comparison::{outcomes, summary};
use crate::draw::format;
use crate::session::Session;
use crate::stage::Stage;
use gloo_events::{EventListener, EventListenerOptions};
use std::rc::Rc;
use switchyard::explain::Fact;
use switchyard::job::JobId;
use switchyard::report::{Arithmetic, Metric, Over, Summary};
use switchyard_app::arithmetic::{fact_sum, fact_value, sum, value};
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// What the number is of.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Source {
    /// A run's metric, by its id.
    OfRun(&'static str, Jobs),
    /// A number of a job: how it comes about.
    OfJob(JobId, OfJob),
}

/// Which jobs a run's number is of.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Jobs {
    /// All.
    All,
    /// Those that it is compared over: the selected ones.
    Compared,
    /// Those of them that have finished in all runs.
    Common,
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

/// What a number behind a decision needs.
#[derive(Properties, PartialEq)]
pub(super) struct FactNumberProps {
    /// Has the run, and goes to jobs.
    pub(super) session: Session,
    /// The run, by its id.
    pub(super) run: u32,
    /// What is told, with its sum.
    pub(super) fact: Rc<Fact>,
    /// The number as it is shown.
    pub(super) text: String,
}

/// Whose arithmetic is opened.
#[derive(Clone, PartialEq)]
enum Of {
    Number(Source, Definition),
    Fact(Rc<Fact>),
}

/// What an opening needs.
#[derive(Properties, PartialEq)]
struct OpeningProps {
    session: Session,
    run: u32,
    of: Of,
    text: String,
}

/// An opened number.
struct Opened {
    /// What it is, and the formula or what it means.
    name: String,
    formula: String,
    /// What each value is, the value, and the job that it is of.
    operands: Vec<(String, String, Option<JobId>)>,
    sum: String,
    most: Vec<(JobId, f64)>,
    source: &'static str,
    style: String,
}

impl Opened {
    fn of(of: &Of, stage: &Stage, run: u32, style: String) -> Option<Self> {
        let units = format::unit();
        let words = |text: &str| units.words(text).into_owned();
        match of {
            Of::Number(source, definition) => {
                let arithmetic = arithmetic(stage, run, *source)?;
                let operands = arithmetic.operands.iter();
                let operands = operands.map(|of| (words(of.name), words(&value(of)), of.job));
                let Definition {
                    formula, meaning, ..
                } = definition;
                Some(Self {
                    name: words(definition.name),
                    formula: words(if formula.is_empty() { meaning } else { formula }),
                    operands: operands.collect(),
                    sum: sum(&arithmetic),
                    most: arithmetic.most,
                    source: definition.source,
                    style,
                })
            }
            Of::Fact(fact) => {
                let told = fact.sum.as_ref()?;
                let operands = told.operands.iter();
                let operands = operands.map(|of| (of.name.to_string(), fact_value(of), of.job));
                Some(Self {
                    name: fact.term.clone(),
                    formula: told.in_words(|of| of.name.to_string()),
                    operands: operands.collect(),
                    sum: fact_sum(told),
                    most: Vec::new(),
                    source: stage.run(run)?.policy.entry().source,
                    style,
                })
            }
        }
    }
}

/// The number: a button, and a card once it has been pressed. Whoever shows it knows that its arithmetic is told
/// ([`Arithmetic::explains`]).
#[component]
pub(super) fn Number(props: &Props) -> Html {
    let of = Of::Number(props.source, props.definition);
    html! { <Opening session={props.session.clone()} run={props.run} {of} text={props.text.clone()} /> }
}

/// A number behind a decision, which opens its sum.
#[component]
pub(super) fn FactNumber(props: &FactNumberProps) -> Html {
    let of = Of::Fact(props.fact.clone());
    html! { <Opening session={props.session.clone()} run={props.run} {of} text={props.text.clone()} /> }
}

#[component]
fn Opening(props: &OpeningProps) -> Html {
    // Which time it was opened: the browser may have closed it meanwhile.
    let opened = use_state(|| (0u32, None::<Rc<Opened>>));
    let (button, card) = (use_node_ref(), use_node_ref());
    // The browser closes it before the click of the same press.
    let was_open = use_mut_ref(|| false);
    let onpointerdown = {
        let (was_open, card) = (was_open.clone(), card.clone());
        Callback::from(move |_: PointerEvent| *was_open.borrow_mut() = open_card(&card).is_some())
    };
    let onclick = {
        let (session, run, of) = (props.session.clone(), props.run, props.of.clone());
        let (opened, button, card) = (opened.clone(), button.clone(), card.clone());
        Callback::from(move |_: MouseEvent| {
            if was_open.replace(false) || close(&card) {
                return;
            }
            let style = button.cast::<Element>().map(|button| style_beside(&button));
            let now = style.and_then(|style| Opened::of(&of, &session.stage().read(), run, style));
            opened.set((opened.0 + 1, now.map(Rc::new)));
        })
    };
    use_effect_with(opened.0, {
        let card = card.clone();
        move |_| {
            let shown = card.cast::<HtmlElement>();
            // It may be open already.
            let shown = shown.filter(|card| card.show_popover().is_ok());
            // Its number scrolls away from it.
            let window = web_sys::window().filter(|_| shown.is_some());
            let scrolled = window.map(|window| {
                let options = EventListenerOptions::run_in_capture_phase();
                EventListener::new_with_options(&window, "scroll", options, move |_| {
                    close(&card);
                })
            });
            move || drop(scrolled)
        }
    });
    // The page would take it for its own.
    let onkeydown = {
        let card = card.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && close(&card) {
                event.prevent_default();
                event.stop_propagation();
            }
        })
    };
    let shown = opened.1.as_deref().map(|told| {
        let stage = props.session.stage().read();
        let run = stage.run(props.run);
        let on_job = {
            let (session, card) = (props.session.clone(), card.clone());
            Callback::from(move |job: JobId| {
                close(&card);
                session.select(Some(job));
            })
        };
        let link = |job: JobId| job_link(&stage.job_name(job), job, &on_job);
        let operands = told.operands.iter().map(|(name, value, job)| match *job {
            None => fact(name, value),
            Some(job) => html! {
                <div><dt>{ name }</dt><dd>{ value }{ " " }{ link(job) }</dd></div>
            },
        });
        let most = told.most.iter().map(
            |&(job, share)| html! { <>{ " " }{ link(job) }{ format!("\u{a0}{}\u{a0}%", format::significant(100.0 * share)) }</> },
        );
        html! {
            <div ref={card.clone()} popover="auto" class="meaning arithmetic" role="dialog" onkeydown={onkeydown.clone()} aria-label={format!("How {} comes about", told.name)} ~style={told.style.clone()}>
                <strong>{ &told.name }<span class="hint">{ run.map(|run| format!(" {}", run.name())) }</span></strong>
                <span>{ &told.formula }</span>
                <dl class="job-facts">{ for operands }</dl>
                <span class="sum">{ format!("{}, that is {}", told.sum, props.text.replace(' ', "\u{a0}")) }</span>
                if !told.most.is_empty() {
                    <span>{ "The largest parts:" }{ for most }</span>
                }
                if !told.source.is_empty() {
                    <span class="source">{ told.source }</span>
                }
            </div>
        }
    });
    html! {
        <>
            <button ref={button} type="button" class="number" {onpointerdown} {onclick} {onkeydown} aria-haspopup="dialog">{ &props.text }</button>
            { shown.unwrap_or_default() }
        </>
    }
}

/// The card, if it is open.
fn open_card(card: &NodeRef) -> Option<HtmlElement> {
    let card = card.cast::<HtmlElement>()?;
    card.matches(":popover-open")
        .is_ok_and(|is| is)
        .then_some(card)
}

/// Closes the card; says whether it was open.
fn close(card: &NodeRef) -> bool {
    let open = open_card(card);
    open.is_some_and(|card| card.hide_popover().is_ok())
}

fn arithmetic(stage: &Stage, run: u32, source: Source) -> Option<Arithmetic> {
    let run = stage.run(run)?;
    let (workload, outcomes) = (&*stage.workload, outcomes(stage, run));
    match source {
        Source::OfJob(job, OfJob::Jct) => Arithmetic::of_jct(workload, &outcomes, job),
        Source::OfJob(job, OfJob::Wait) => Arithmetic::of_wait(&outcomes, job),
        Source::OfJob(job, OfJob::Rho) => Arithmetic::of_rho(&outcomes, job),
        Source::OfRun(metric, jobs) => {
            let common = (jobs == Jobs::Common).then(|| stage.finished_in_all());
            let some = (jobs != Jobs::All).then(|| stage.compared_jobs(run, common.as_deref()));
            let some = some.flatten();
            let some = some.as_ref().map(|(jobs, _)| &jobs[..]);
            let summary = match some {
                None => summary(stage, run),
                Some(jobs) => Summary::over(jobs, workload, &outcomes),
            };
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
