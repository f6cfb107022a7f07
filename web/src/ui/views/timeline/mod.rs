//! Which job held which GPU when, one timeline per run.

mod painter;

use crate::draw::format;
use crate::draw::svg::Paper;
use crate::state::view_options::{TIMELINE_ROWS, TIMELINE_RUN};
use crate::state::{AppState, ViewAction};
use crate::ui::canvas_host::{CanvasHost, Scene};
use crate::ui::controls::{quiet_button, switch_button};
use crate::ui::export::file_name;
use crate::ui::legend::{colour_by, legend, use_classes};
use crate::ui::picture_saver::{PictureSaver, caption, picture_item};
use crate::ui::selection_bar::RangeMode;
use crate::ui::services::{StateProps, dispatch};
use crate::ui::view::View;
use crate::ui::waiting_run::its_turn;
use painter::{By, Timeline, picture};
use yew::prelude::*;

/// Every run's timeline.
pub(super) const VIEW: View = View {
    name: "timeline",
    title: "Timeline",
    about: "which job held which GPU when, in every run",
    is_offered: |_| true,
    show: |given| html! { <TimelineView ..given.clone() /> },
};

fn rows(state: &AppState) -> By {
    match state.option(&TIMELINE_ROWS) {
        "job" => By::Job,
        _ => By::Gpu,
    }
}

/// Draws the timelines that are shown.
fn draw(given: &StateProps) -> Callback<Paper, String> {
    let StateProps { state, services } = given;
    let (only, by) = (state.option_run(&TIMELINE_RUN), rows(state));
    let ids = state.runs.iter().map(|card| card.id);
    let ids: Vec<u32> = ids
        .filter(|id| only.is_none_or(|only| only == *id))
        .collect();
    let stage = services.session.stage().clone();
    Callback::from(move |paper| picture::svg(&stage.read(), &ids, by, paper))
}

/// Its picture, as an item of a menu.
pub(super) fn saved(given: &StateProps) -> Html {
    picture_item(
        "Timeline",
        &file_name(&given.state, "timeline"),
        &draw(given),
    )
}

/// One timeline per run, by GPU or by job.
#[component]
fn TimelineView(props: &StateProps) -> Html {
    let state = &props.state;
    let session = &props.services.session;
    let by = rows(state);
    let only = state.option_run(&TIMELINE_RUN);
    let classes = use_classes(state, session);
    if state.runs.list.is_empty() {
        return html! { <p class="empty">{ "Add a scheduler on the left to see its timeline." }</p> };
    }
    let choice = |value: By, name: &'static str, title: &str| {
        let onclick = dispatch(session, move |_| {
            ViewAction::SetOption(&TIMELINE_ROWS, name.to_owned())
        });
        switch_button(by == value, title, None, onclick)
    };
    let choose = |run: Option<u32>, title: &str| {
        let name = run.map_or_else(String::new, |id| id.to_string());
        let onclick = dispatch(session, move |_| {
            ViewAction::SetOption(&TIMELINE_RUN, name.clone())
        });
        switch_button(only == run, title, None, onclick)
    };
    let runs = state
        .runs
        .iter()
        .map(|card| choose(Some(card.id), card.name()));
    let shown = state
        .runs
        .iter()
        .filter(|card| only.is_none_or(|id| id == card.id));
    let timelines = shown.map(|card| {
        let label = card.name();
        html! {
            <section key={format!("{}-{:?}", card.id, by)} class="timeline" aria-label={format!("Timeline of {label}")}>
                <h2><span class="spec" title={card.policy.label()}>{ label }</span>{ its_turn(state, card) }</h2>
                <CanvasHost scene={Scene::of((card.id, by), |(run, by)| Timeline::of_run(run, by))} services={props.services.clone()} label={format!("{}, under {label}", format::units("Which job held which GPU when"))} />
            </section>
        }
    });
    let onfind = dispatch(session, |_: MouseEvent| ViewAction::Search(true));
    let draw = draw(props);
    let of_all = {
        let (state, stage) = (state.clone(), session.stage().clone());
        Callback::from(move |()| {
            caption(
                &format::units("Timeline of the GPUs"),
                &state,
                &stage.read(),
            )
        })
    };
    html! {
        <>
            <div class="toolbar">
                <div class="switch" role="group" aria-label="Rows" data-option={TIMELINE_ROWS.link}>{ choice(By::Gpu, "gpu", &format::units("by GPU")) }{ choice(By::Job, "job", "by job") }</div>
                { colour_by(state, session) }
                { legend(state, session, &classes) }
                { quiet_button("Find a job, a tenant or a node", Some("Find a job, a tenant or a node (/)"), html! { "Find" }, onfind) }
                <RangeMode ..props.clone() />
                <PictureSaver what="Timeline" name={file_name(state, "timeline")} {draw} caption={of_all} />
                <span class="key hint"><i class="held"></i>{ format::units("GPUs held") }<i class="queue"></i>{ "jobs waiting, one scale for all" }</span>
                if state.runs.list.len() > 1 {
                    <div class="switch" role="group" aria-label="Schedulers shown" data-option={TIMELINE_RUN.link}>
                        { choose(None, "all") }
                        { for runs }
                    </div>
                }
            </div>
            <div class="timelines" role="group" aria-label="Timelines">{ for timelines }</div>
        </>
    }
}
