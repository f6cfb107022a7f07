//! The rail's third part: the schedulers that run the trace.

use super::controls::{no_option, option};
use super::doers::StateHandle;
use super::scheduler_card::SchedulerCard;
use super::typed::input_value;
use crate::session::Session;
use crate::state::change::Change;
use crate::state::{Action, Card, RunStatus};
use switchyard::policy::POLICIES;
use yew::prelude::*;

/// The schedulers that run the trace.
pub(super) fn scheduler_panel(state: &StateHandle, session: &Session) -> Html {
    let onadd = {
        let session = session.clone();
        Callback::from(move |event: Event| {
            if let Ok(policy) = input_value(&event).parse() {
                session.tell(Action::Add(policy));
            }
        })
    };
    let onrun = {
        let (session, cards) = (session.clone(), state.cards.clone());
        Callback::from(move |_: MouseEvent| {
            for card in &cards {
                session.tell(Action::Edit(card.id, Change::nothing()));
            }
        })
    };
    let has_trace = state.trace.is_some();
    // Under way, or waiting for their turn.
    let is_running = move |card: &&Card| {
        has_trace && matches!(card.status, RunStatus::Idle | RunStatus::Running(_))
    };
    let oncancel = {
        let (session, cards) = (session.clone(), state.cards.clone());
        Callback::from(move |_: MouseEvent| {
            for card in cards.iter().filter(is_running) {
                session.cancel(card.id);
            }
        })
    };
    let running = state.cards.iter().any(|card| is_running(&card));
    let are_bound = state.adapts() && state.trace.as_ref().is_some_and(|trace| !trace.adaptive);
    let cards = state.cards.iter().enumerate().map(|(position, card)| {
        html! {
            <SchedulerCard key={card.id} session={session.clone()} card={card.clone()} {position} is_baseline={card.id == state.baseline} {are_bound} {has_trace} dark={session.stage().read().dark} />
        }
    });
    let policies = POLICIES
        .iter()
        .map(|entry| option(entry.name, entry.title, false, Some(entry.summary)));
    html! {
        <section aria-labelledby="schedulers-title">
            <h2 id="schedulers-title">{ "Schedulers" }</h2>
            if state.cards.is_empty() {
                <p class="hint">{ "Add a scheduler to see what it does with the trace." }</p>
            }
            <ul class="cards">{ for cards }</ul>
            <div class="row">
                // Remade at every addition, so that it shows its title again.
                <select key={state.cards.len()} aria-label="Add a scheduler" onchange={onadd}>
                    { no_option("+ Add a scheduler") }
                    { for policies }
                </select>
                if running {
                    <button type="button" onclick={oncancel}>{ "Cancel" }</button>
                } else {
                    <button type="button" class="primary" disabled={state.cards.is_empty() || state.trace.is_none()} onclick={onrun}>{ "Run again" }</button>
                }
            </div>
        </section>
    }
}
