//! Who held which GPU when, one timeline per run.

use crate::draw::timeline::{By, Timeline};
use crate::state::Action;
use crate::state::view_options::{TIMELINE_ROWS, TIMELINE_RUN};
use crate::ui::canvas_host::{CanvasHost, Scene};
use crate::ui::controls::switch_button;
use crate::ui::doers::{StateProps, tell};
use crate::ui::view::View;
use yew::prelude::*;

/// Every run's timeline.
pub(super) const VIEW: View = View {
    name: "timeline",
    title: "Timeline",
    about: "which job held which GPU when, in every run",
    is_offered: |_| true,
    show: |given| html! { <TimelineView ..given.clone() /> },
};

/// One timeline per run, by GPU or by job.
#[component]
fn TimelineView(props: &StateProps) -> Html {
    let state = &props.state;
    let session = &props.doers.session;
    let by = match state.option(&TIMELINE_ROWS) {
        "job" => By::Job,
        _ => By::Gpu,
    };
    let only = state.option_run(&TIMELINE_RUN);
    if state.cards.is_empty() {
        return html! { <p class="empty">{ "Add a scheduler on the left to see its timeline." }</p> };
    }
    let choice = |value: By, name: &'static str, title: &'static str| {
        let onclick = tell(session, move |_| {
            Action::SetOption(&TIMELINE_ROWS, name.to_owned())
        });
        switch_button(by == value, title, None, onclick)
    };
    let choose = |run: Option<u32>, title: &str| {
        let name = run.map_or_else(String::new, |id| id.to_string());
        let onclick = tell(session, move |_| {
            Action::SetOption(&TIMELINE_RUN, name.clone())
        });
        switch_button(only == run, title, None, onclick)
    };
    let runs = state
        .cards
        .iter()
        .map(|card| choose(Some(card.id), &card.name()));
    let shown = state
        .cards
        .iter()
        .filter(|card| only.is_none_or(|id| id == card.id));
    let timelines = shown.map(|card| {
        let label = card.name();
        html! {
            <section key={format!("{}-{:?}", card.id, by)} class="timeline" aria-label={format!("Timeline of {label}")}>
                <h2><span class="spec">{ &label }</span></h2>
                <CanvasHost scene={Scene::of((card.id, by), |(run, by)| Timeline::of_run(run, by))} doers={props.doers.clone()} label={format!("Which job held which GPU when, under {label}")} />
            </section>
        }
    });
    html! {
        <>
            <div class="toolbar">
                <div class="switch" role="group" aria-label="Rows">{ choice(By::Gpu, "gpu", "by GPU") }{ choice(By::Job, "job", "by job") }</div>
                if state.cards.len() > 1 {
                    <div class="switch" role="group" aria-label="Schedulers shown">
                        { choose(None, "all") }
                        { for runs }
                    </div>
                }
            </div>
            <div class="timelines">{ for timelines }</div>
        </>
    }
}
