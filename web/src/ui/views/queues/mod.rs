//! One run's queues as lanes, its yard beside them, and its parameters to play with.

mod painter;
mod playground;

use super::yard::yard;
use crate::draw::describe;
use crate::draw::format;
use crate::queues::Queues;
use crate::session::Session;
use crate::stage::{SharedStage, Stage};
use crate::state::view_options::QUEUES_RUN;
use crate::state::{AppState, Run, RunsAction, ViewAction};
use crate::ui::canvas_host::{CanvasHost, Scene};
use crate::ui::clock::Clocked;
use crate::ui::controls::switch_button;
use crate::ui::services::{StateProps, dispatch};
use crate::ui::view::View;
use painter::Lanes;
use playground::playground;
use std::rc::Rc;
use switchyard::engine::Measure;
use switchyard::policies::{POLICIES, PolicySpec};
use yew::prelude::*;

/// One run's queues.
pub(super) const VIEW: View = View {
    name: "queues",
    title: "Queues",
    about: "one run's queues as lanes, and its parameters to play with",
    is_offered: |state| with_queues(state).next().is_some(),
    show: |given| html! { <QueuesView ..given.clone() /> },
};

/// The schedulers that sort jobs into queues by attained service.
fn with_queues(state: &AppState) -> impl Iterator<Item = &Run> {
    let has_queues = |card: &&Run| card.policy.levels().is_some();
    state.runs.iter().filter(has_queues)
}

/// One run's queues, yard and parameters; a switch where several runs have queues.
#[component]
fn QueuesView(props: &StateProps) -> Html {
    let state = &props.state;
    let session = &props.services.session;
    let chosen = state.option_run(&QUEUES_RUN);
    let chosen_or_first = with_queues(state)
        .find(|card| Some(card.id) == chosen)
        .or_else(|| with_queues(state).next());
    let shown = chosen_or_first.map(|card| (card.id, card.policy.clone()));
    let stage = session.stage();
    let trace = state
        .opening
        .trace
        .as_ref()
        .map(|trace| Rc::as_ptr(trace) as usize);
    let queues = use_memo((shown, trace), |(shown, _)| {
        let (_, policy) = shown.as_ref()?;
        Queues::of(policy, &stage.read().workload)
    });
    let levels = chosen_or_first.and_then(|card| card.policy.levels());
    let measure = levels.map(|levels| levels.measure).unwrap_or_default();
    let span = use_memo((trace, measure), |(_, measure)| {
        services(&stage.read(), *measure)
    });
    let Some(card) = chosen_or_first else {
        return no_queues(session);
    };
    let cards: Vec<&Run> = with_queues(state).collect();
    let switch = cards.iter().map(|other| {
        let id = other.id;
        let onclick = dispatch(session, move |_| {
            ViewAction::SetOption(&QUEUES_RUN, id.to_string())
        });
        let title = other.policy.label();
        switch_button(id == card.id, other.name(), Some(&title), onclick)
    });
    html! {
        <>
            <div class="toolbar">
                if cards.len() > 1 {
                    <div class="switch" role="group" aria-label="Scheduler shown">{ for switch }</div>
                }
                <span class="key hint"><i class="waits"></i>{ "waiting" }<i class="runs"></i>{ "running" }<i class="restarts"></i>{ "restarting" }</span>
                <span class="hint only-wide">{ format::units("to the right: more attained service · width: GPUs, log scale") }</span>
            </div>
            { playground(session, card, *span) }
            <div class="queues">
                // The yard beside it has the bare number.
                <section class="lanes" ~style={format!("--queues: {}", (*queues).as_ref().map_or(1, Queues::count))} key={format!("lanes-{}", card.id)} aria-label={format!("Queues of {}", card.name())}>
                    <CanvasHost scene={Scene::of(card.id, Lanes::of_run)} services={props.services.clone()} label={format!("Jobs in the queues of {} at the clock's time, by attained service", card.name())} />
                    { in_words(stage, queues, card.id) }
                </section>
                { yard(state, &props.services, card, false) }
            </div>
        </>
    }
}

/// The least and the greatest that a job of the trace asks for, in a measure's unit.
fn services(stage: &Stage, measure: Measure) -> (f64, f64) {
    let jobs = stage.workload.jobs.iter();
    let (least, most) = jobs
        .map(|job| measure.of(job.work.seconds(), job.gpus))
        .filter(|&service| service > 0.0)
        .fold((f64::INFINITY, 0.0), |(least, most), service| {
            (f64::min(least, service), f64::max(most, service))
        });
    if least < most {
        (least, most)
    } else {
        (1.0, most.max(10.0))
    }
}

/// No scheduler of the list has queues.
fn no_queues(session: &Session) -> Html {
    let choices = POLICIES.iter().filter_map(|entry| {
        let policy: PolicySpec = entry.name.parse().ok()?;
        policy.levels()?;
        let session = session.clone();
        let onclick =
            Callback::from(move |_: MouseEvent| session.dispatch(RunsAction::Add(policy.clone())));
        Some(html! { <button type="button" {onclick}>{ format!("Add {}", entry.title) }</button> })
    });
    html! {
        <div class="empty">
            <p>{ "No scheduler in the list sorts jobs into queues by what they have been served." }</p>
            { for choices }
        </div>
    }
}

/// What the lanes show, for those who do not see them.
fn in_words(stage: &SharedStage, queues: Rc<Option<Queues>>, id: u32) -> Html {
    let render = {
        let stage = stage.clone();
        Callback::from(move |_| {
            let stage = stage.read();
            let lines = match (queues.as_ref(), stage.run(id)) {
                (Some(queues), Some(run)) => describe::queues(queues, run),
                _ => Vec::new(),
            };
            html! {
                <ul class="visually-hidden" aria-label="The queues in words">
                    { for lines.into_iter().map(|line| html! { <li>{ line }</li> }) }
                </ul>
            }
        })
    };
    html! { <Clocked stage={stage.clone()} {render} /> }
}
