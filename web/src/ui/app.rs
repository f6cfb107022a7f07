//! The whole page: state, session and stage are made here and handed down.

use super::address;
use super::applications_field::applications_field;
use super::cluster_panel::cluster_panel;
use super::columns_dialog::columns_dialog;
use super::controls::quiet_button;
use super::dates::Dates;
use super::drop_zone::{drop_zone, use_drops_on_dialogs};
use super::embed::{embed_frame, embedded_view};
use super::focused::PANEL;
use super::guide::{guide, question};
use super::header::{close_drawer, header};
use super::help::help;
use super::icon::{Icon, sign};
use super::idle_cluster::IdleCluster;
use super::inspector::Inspector;
use super::intro::intro;
use super::journey::follows;
use super::keyboard::use_keyboard;
use super::named_jobs::use_named_jobs;
use super::page::Page;
use super::player::Player;
use super::refusal::refusal;
use super::return_notice::return_notice;
use super::scheduler_panel::scheduler_panel;
use super::search::Search;
use super::selection_bar::SelectionBar;
use super::services::{Services, StateProps, dispatch};
use super::tabs::{Tabs, skip_link, tab_id};
use super::theme::use_theme;
use super::trace_panel::trace_panel;
use super::views;
use crate::remembered;
use crate::selected_jobs::selecting;
use crate::session::Session;
use crate::state::{AppState, NoticesAction, PanelsAction, Store};
use crate::stored_traces::watch_others;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

/// What the program hands to the page at its start.
#[derive(Properties, PartialEq)]
pub struct AppProps {
    /// Gets the page as scripts see it, once that is there.
    pub on_start: Callback<Page>,
}

/// The page.
#[component]
pub fn App(props: &AppProps) -> Html {
    let link = use_memo((), |()| address::opened());
    let store = use_memo((), {
        let link = link.clone();
        move |()| {
            let mut state = AppState::from_link(&link);
            state.panels.intro &= remembered::wants_intro();
            // Who embeds a view gets it, whatever the link names besides.
            if let Some(view) = embedded_view() {
                state.view.name = view.name.to_string();
            }
            Store::new(state)
        }
    });
    let update = use_force_update();
    let state = store.state();
    let services = use_memo((), {
        let store = store.clone();
        move |()| Services::start((*store).clone())
    });
    let page = use_memo((), |()| Page::new(&services));
    use_memo((), |()| {
        let page = (*page).clone();
        store.subscribe(move || {
            update.force_update();
            page.publish_soon();
        });
    });
    let Services { session, animation } = &*services;
    let stage = session.stage();
    let file_over = use_state_eq(|| false);
    use_drops_on_dialogs(session, &file_over);

    use_effect_with((), {
        let (session, link, first) = (session.clone(), link.clone(), state.clone());
        move |()| {
            let list = move |session: &Session| {
                let session = session.clone();
                spawn_local(async move { session.list_stored().await });
            };
            list(&session);
            let watching = session.clone();
            watch_others(move || list(&watching));
            // Whoever is quick has opened a file already.
            if !session.is_opening() {
                session.follow(&link, &first, false);
            }
        }
    });
    use_effect_with(state.clone(), {
        let session = session.clone();
        move |_| session.reconcile()
    });
    use_theme(state.view.theme, stage);
    // Before what is below is rendered: all of it reads the stage.
    use_memo(state.clone(), |state| {
        selecting::show(&mut stage.write(), state)
    });
    address::use_address(&state, session);
    use_effect_with((), {
        let on_start = props.on_start.clone();
        move |()| on_start.emit((*page).clone())
    });
    use_keyboard(&state, session, animation);
    use_named_jobs(session);

    let select = {
        let session = session.clone();
        Callback::from(move |job| session.select(job))
    };
    let seek = {
        let session = session.clone();
        Callback::from(move |time| session.seek(time))
    };
    let shown = views::shown(&state);
    let given = StateProps {
        state: state.clone(),
        services: (*services).clone(),
    };
    let view = (shown.show)(&given);
    let inspector = state.selection.job.filter(|_| state.opening.trace.is_some()).map(|job| {
        let explanations = state
            .runs
            .iter()
            .map(|card| {
                let known = state.selection.explanations.iter().find(|(id, _, _)| *id == card.id);
                (card.id, known.map(|(_, at, explanation)| (*at, explanation.clone())))
            })
            .collect::<Vec<_>>();
        html! {
            <Inspector session={session.clone()} followed={state.selection.followed == Some(job)} stage={stage.clone()} revision={state.runs.revision} {job} {explanations} lives={state.selection.lives.clone()}
                on_close={select.reform(|()| None)} on_job={select.reform(Some)} on_seek={seek.clone()} />
        }
    });

    let close_drawer = {
        let session = session.clone();
        Callback::from(move |()| close_drawer(&session))
    };
    let embedded = embedded_view();
    let body = match embedded {
        Some(_) => {
            let is_notice = state.notices.notice.is_some();
            let said = state
                .notices
                .notice
                .clone()
                .or_else(|| complaint(&state.notices.complaints));
            let on_close = dispatch(session, move |_| match is_notice {
                true => NoticesAction::Notice(None),
                false => NoticesAction::ReadComplaints,
            });
            let refused = state.opening.refused.as_ref().map(|refused| &refused.why);
            let refused = refused.map(|why| html! { <p class="notice" role="alert">{ why }</p> });
            let said = html! { <>{ refused }{ notice(said.as_deref(), on_close) }</> };
            embed_frame(view, said, &state, &services)
        }
        None => html! {
            <>
                { skip_link() }
                { header(&state, &services) }
                if state.panels.drawer {
                    <div class="beside-drawer" onclick={close_drawer.reform(|_: MouseEvent| ())}></div>
                }
                <aside class={classes!("rail", state.panels.drawer.then_some("open"))} id="rail" aria-label="Trace, schedulers and cluster">
                    if state.panels.drawer {
                        <div class="rail-head">{ quiet_button("Close the sheet", Some("Close (Esc)"), html! { "✕" }, close_drawer.reform(|_| ())) }</div>
                    }
                    { trace_panel(&state, session) }
                    { scheduler_panel(&state, session) }
                    { cluster_panel(&state, session) }
                    if state.adapts() {
                        { applications_field(&state, session) }
                    }
                    <p class="privacy">{ "Nothing you open leaves this page." }</p>
                </aside>
                <main>
                    <div class="top"><Tabs ..given.clone() />{ follows(&state, session) }</div>
                    { notice(complaint(&state.notices.complaints).as_deref(), dispatch(session, |_| NoticesAction::ReadComplaints)) }
                    { notice(state.notices.notice.as_deref(), dispatch(session, |_| NoticesAction::Notice(None))) }
                    { state.notices.return_to.as_ref().map(|name| return_notice(name, &state, session)).unwrap_or_default() }
                    <IdleCluster ..given.clone() />
                    { intro(&state, session) }
                    <div class="stage">
                        <div class="view" id={PANEL} role="tabpanel" tabindex="-1" aria-labelledby={tab_id(shown)}>{ view }</div>
                        // What web/editor/ fills.
                        <div id="editor"></div>
                        // Always a node, if an empty one: else the view before it would be made anew.
                        { inspector.unwrap_or_default() }
                        { refusal(&state, session) }
                    </div>
                    <SelectionBar state={state.clone()} services={(*services).clone()} />
                    if state.panels.asks_for_guide {
                        { question(&state, session) }
                    } else if let Some(step) = state.panels.guide {
                        { guide(session, step) }
                    }
                </main>
                <Player services={(*services).clone()} dates={html! { <Dates ..given.clone() /> }} />
                if state.view.searching {
                    <Search state={state.clone()} services={(*services).clone()} />
                }
                if state.panels.help {
                    { help(dispatch(session, |_| PanelsAction::Help(false))) }
                }
            </>
        },
    };
    html! {
        <>
            { drop_zone(session, &file_over, html! { <div class={classes!("page", embedded.map(|_| "embedded"))}>{ body }</div> }) }
            // Always a node, if an empty one: else the page before it would be made anew.
            { state.opening.columns.as_ref().filter(|_| state.opening.asks_columns).map(|asked| columns_dialog(asked, session)).unwrap_or_default() }
            <div id="tooltip" aria-hidden="true" hidden=true></div>
            <div id="said" class="visually-hidden" aria-live="polite"></div>
        </>
    }
}

/// What of a link could not be done, in one text; it stays until it is read.
fn complaint(complaints: &[String]) -> Option<String> {
    let complaints = Some(complaints).filter(|complaints| !complaints.is_empty())?;
    Some(format!(
        "Not all of this link can be shown; what cannot is at its default. {}",
        complaints.join(" ")
    ))
}

fn notice(text: Option<&str>, on_close: Callback<MouseEvent>) -> Html {
    let text = text.map(|text| {
        html! {
            <p class="notice">
                <span>{ text }</span>
                { quiet_button("Dismiss", None, sign(Icon::Close), on_close) }
            </p>
        }
    });
    html! { <div role="status">{ text }</div> }
}
