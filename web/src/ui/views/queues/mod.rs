//! One run's queues: a tree with quotas, and who borrows from whom; or those by attained service as lanes, with the yard
//! beside them and parameters to play with.

mod painter;
mod playground;
mod tree;

use super::yard::yard;
use crate::draw::describe;
use crate::draw::format;
use crate::queues::Queues;
use crate::session::Session;
use crate::stage::{SharedStage, Stage};
use crate::state::view_options::{QUEUES_AS, QUEUES_RUN};
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
    about: "one run's queues: quotas and who borrows from whom, or lanes by attained service",
    is_offered: |state| with_queues(state).next().is_some(),
    show: |given| html! { <QueuesView ..given.clone() /> },
};

/// The runs that have queues: under a tree all; else those whose scheduler sorts jobs into some by attained service.
fn with_queues(state: &AppState) -> impl Iterator<Item = &Run> {
    let has_tree = state.setup.settings.queues.tree.is_some();
    let has_queues = move |card: &&Run| has_tree || has_lanes(card);
    state.runs.iter().filter(has_queues)
}

fn has_lanes(card: &Run) -> bool {
    card.policy.levels().is_some()
}

/// One run's queues; a switch where several runs have some, and where one has both kinds.
#[component]
fn QueuesView(props: &StateProps) -> Html {
    let state = &props.state;
    let session = &props.services.session;
    let chosen = state.option_run(&QUEUES_RUN);
    let chosen_or_first = with_queues(state)
        .find(|card| Some(card.id) == chosen)
        .or_else(|| with_queues(state).find(|card| has_lanes(card)))
        .or_else(|| with_queues(state).next());
    let shown = chosen_or_first.map(|card| (card.id, card.policy.clone()));
    let stage = session.stage();
    let trace = state.opening.trace_id();
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
    let switch = html! {
        if cards.len() > 1 {
            <div class="switch" role="group" aria-label="Scheduler shown" data-option={QUEUES_RUN.link}>{ for switch }</div>
        }
    };
    let kinds = [
        ("lanes", "Lanes", "By attained service"),
        ("tree", "Tree", "Quotas, and who borrows from whom"),
    ];
    let has_both = state.setup.settings.queues.tree.is_some() && has_lanes(card);
    let as_tree = !has_lanes(card) || has_both && state.option(&QUEUES_AS) == "tree";
    let kinds = kinds.map(|(name, words, title)| {
        let onclick = dispatch(session, move |_| {
            ViewAction::SetOption(&QUEUES_AS, name.to_owned())
        });
        switch_button(as_tree == (name == "tree"), words, Some(title), onclick)
    });
    let switch = html! {
        <>
            { switch }
            if has_both {
                <div class="switch" role="group" aria-label="Queues are shown as" data-option={QUEUES_AS.link}>{ for kinds }</div>
            }
        </>
    };
    if as_tree {
        return html! {
            <>
                <div class="toolbar">{ switch }{ tree::key() }</div>
                { tree::tree(&props.services, card) }
            </>
        };
    }
    html! {
        <>
            <div class="toolbar">
                { switch }
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
        let onclick = Callback::from(move |_: MouseEvent| {
            session.dispatch(RunsAction::Add(Box::new(policy.clone())))
        });
        Some(html! { <button type="button" {onclick}>{ format!("Add {}", entry.title) }</button> })
    });
    html! {
        <div class="empty">
            <p>{ "No scheduler in the list sorts jobs into queues by what they have been served, and there is no tree of queues with quotas: Queues with quotas, under Cluster, begins one." }</p>
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
