//! The rail's third part: the schedulers that run the trace.

use super::controls::{is_second_of_two, no_option, option, quiet_button, switch_button};
use super::icon::{Icon, sign};
use super::scheduler_card::SchedulerCard;
use super::services::{StateHandle, dispatch};
use super::term::{Definition, Term};
use super::typed::input_value;
use crate::session::Session;
use crate::state::change::Change;
use crate::state::{Action, PanelsAction, Run, RunsAction, Setup};
use switchyard::policies::POLICIES;
use switchyard::weights::WeightsChoice;
use yew::prelude::*;

static WEIGHTS: Definition = Definition {
    id: "weights",
    name: "weights",
    meaning: "The numbers that a network has learned, as a file of safetensors. The shipped ones are fetched when a run first needs them; drop a file of your own, which switchyard-train writes, to use that. A file is known by a hash of it, which links and experiments name.",
    formula: "",
    source: "",
};

/// What placements and pickers that have learned go by: shipped weights, or files of one's own.
fn weights(state: &StateHandle, session: &Session) -> Html {
    let learned = |card: &Run| {
        let run = state.run_spec(card);
        run.learned().is_some() || run.picker().is_some()
    };
    let chosen = state.setup.settings.options.weights;
    if state.opening.weights.is_empty() && !state.runs.iter().any(learned) {
        return Html::default();
    }
    let choose = |choice: WeightsChoice, name: &str, title: String| {
        let onclick = dispatch(session, move |_: MouseEvent| {
            Action::SetUp(Change::new(move |setup: &Setup| {
                let mut setup = setup.clone();
                setup.settings.options.weights = choice;
                Ok(setup)
            }))
        });
        switch_button(choice == chosen, name, Some(&title), onclick)
    };
    let own = state.opening.weights.iter().map(|(choice, name)| {
        let (session, choice) = (session.clone(), *choice);
        let forget = Callback::from(move |_: MouseEvent| session.forget_weights(choice));
        html! {
            <>
                { choose(choice, &format!("{name} · {choice}"), format!("Use the weights of {name}")) }
                { quiet_button(&format!("Remove {name}"), Some("Remove"), sign(Icon::Close), forget) }
            </>
        }
    });
    let is_there = chosen == WeightsChoice::Shipped
        || state.opening.weights.iter().any(|(of, _)| *of == chosen);
    html! {
        <div class="weights" role="group" aria-label="Weights">
            <Term definition={WEIGHTS} />
            { choose(WeightsChoice::Shipped, "shipped", "Use the weights that come with the page".to_owned()) }
            { for own }
            if !is_there {
                <span class="hint">{ format!("{chosen} is wanted: drop its file") }</span>
            }
        </div>
    }
}

/// The schedulers that run the trace.
pub(super) fn scheduler_panel(state: &StateHandle, session: &Session) -> Html {
    let onadd = {
        let session = session.clone();
        Callback::from(move |event: Event| {
            if let Ok(policy) = input_value(&event).parse() {
                session.dispatch(RunsAction::Add(Box::new(policy)));
            }
        })
    };
    let onrun = {
        let (session, cards) = (session.clone(), state.runs.list.clone());
        Callback::from(move |click: MouseEvent| {
            if is_second_of_two(&click) {
                return;
            }
            for card in &cards {
                session.dispatch(Action::Edit(card.id, Change::nothing()));
            }
        })
    };
    let has_trace = state.opening.trace.is_some();
    // Under way, or waiting for their turn.
    let is_running = move |run: &Run| has_trace && !run.phase.is_over();
    let oncancel = {
        let (session, cards) = (session.clone(), state.runs.list.clone());
        Callback::from(move |_: MouseEvent| {
            for card in cards.iter().filter(|run| is_running(run)) {
                session.cancel(card.id);
            }
        })
    };
    let running = state.runs.iter().any(is_running);
    let are_bound = state.why_trained().is_some();
    let cards = state.runs.iter().map(|card| {
        html! {
            <SchedulerCard key={card.id} session={session.clone()} card={card.clone()} is_baseline={card.id == state.runs.baseline} {are_bound} {has_trace} dark={session.stage().read().dark} />
        }
    });
    let tells_runs = state
        .opening
        .trace
        .as_ref()
        .is_some_and(|trace| trace.tells_runs);
    let offered = POLICIES
        .iter()
        .filter(|entry| !entry.scripted && (tells_runs || !entry.replays));
    let policies = offered.map(|entry| option(entry.name, entry.title, false, Some(entry.summary)));
    html! {
        <section aria-labelledby="schedulers-title">
            <h2 id="schedulers-title">{ "Schedulers" }</h2>
            if state.runs.list.is_empty() {
                <p class="hint">{ "Add a scheduler to see what it does with the trace." }</p>
            }
            <ul class="cards">{ for cards }</ul>
            { weights(state, session) }
            // static/author.js hears of it.
            <button type="button" data-script="" title="An editor beside the yard: what you type runs at once" onclick={dispatch(session, |_: MouseEvent| PanelsAction::Drawer(false))}>{ "Write a scheduler" }</button>
            <div class="row">
                // Remade at every addition, so that it shows its title again.
                <select key={state.runs.list.len()} aria-label="Add a scheduler" onchange={onadd}>
                    { no_option("+ Add a scheduler") }
                    { for policies }
                </select>
                if running {
                    <button key="cancel" type="button" onclick={oncancel}>{ "Cancel" }</button>
                } else {
                    <button key="run" type="button" class="primary" disabled={state.runs.list.is_empty() || state.opening.trace.is_none()} onclick={onrun}>{ "Run again" }</button>
                }
            </div>
        </section>
    }
}
