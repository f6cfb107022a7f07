//! Who held which GPU when, one timeline per run.

use super::app::StateProps;
use super::canvas_host::{CanvasHost, PainterHandle};
use crate::draw::timeline::{By, TimelinePainter};
use yew::prelude::*;

/// One timeline per run, by GPU or by job.
#[component]
pub(super) fn TimelineView(props: &StateProps) -> Html {
    let state = &props.state;
    let by = use_state(|| By::Gpu);
    let only = use_state(|| None::<u32>);
    if state.cards.is_empty() {
        return html! { <p class="empty">{ "Add a scheduler on the left to see its timeline." }</p> };
    }
    let choice = |value: By, title: &'static str| {
        let by = by.clone();
        html! {
            <button type="button" aria-pressed={(*by == value).to_string()} onclick={Callback::from(move |_| by.set(value))}>{ title }</button>
        }
    };
    let runs = state.cards.iter().map(|card| {
        let (only, id) = (only.clone(), card.id);
        html! {
            <button type="button" aria-pressed={(*only == Some(id)).to_string()} onclick={Callback::from(move |_| only.set(Some(id)))}>{ card.policy.to_string() }</button>
        }
    });
    let all = {
        let only = only.clone();
        Callback::from(move |_: MouseEvent| only.set(None))
    };
    let shown = state
        .cards
        .iter()
        .filter(|card| only.is_none_or(|id| id == card.id || state.card(id).is_none()));
    let timelines = shown.map(|card| html! { <Timeline key={format!("{}-{:?}", card.id, *by)} id={card.id} by={*by} label={card.policy.to_string()} /> });
    html! {
        <>
            <div class="toolbar">
                <div class="switch" role="group" aria-label="Rows">{ choice(By::Gpu, "by GPU") }{ choice(By::Job, "by job") }</div>
                if state.cards.len() > 1 {
                    <div class="switch" role="group" aria-label="Schedulers shown">
                        <button type="button" aria-pressed={only.is_none().to_string()} onclick={all}>{ "all" }</button>
                        { for runs }
                    </div>
                }
            </div>
            <div class="timelines">{ for timelines }</div>
        </>
    }
}

#[derive(Properties, PartialEq)]
struct TimelineProps {
    id: u32,
    by: By,
    label: String,
}

#[component]
fn Timeline(props: &TimelineProps) -> Html {
    let painter = use_memo((props.id, props.by), |(id, by)| {
        PainterHandle::new(TimelinePainter::new(*id, *by))
    });
    html! {
        <section class="timeline" aria-label={format!("Timeline of {}", props.label)}>
            <h2><span class="spec">{ &props.label }</span></h2>
            <CanvasHost painter={(*painter).clone()} label={format!("Which job held which GPU when, under {}", props.label)} />
        </section>
    }
}
