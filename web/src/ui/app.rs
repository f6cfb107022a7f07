//! The whole page: state, session and stage are made here and handed down.

use super::animation::Animation;
use super::applications_field::applications_field;
use super::cluster_panel::cluster_panel;
use super::columns_dialog::columns_dialog;
use super::compare::Compare;
use super::controls::quiet_button;
use super::drop_zone::drop_zone;
use super::embed::{embed_frame, embedded_view};
use super::goodput_view::GoodputView;
use super::guide::{guide, question};
use super::header::header;
use super::help::help;
use super::icon::{Icon, sign};
use super::inspector::Inspector;
use super::jobs_table::JobsTable;
use super::keyboard::use_keyboard;
use super::player::Player;
use super::queues_view::{QueuesView, with_queues};
use super::scheduler_panel::scheduler_panel;
use super::timeline_view::TimelineView;
use super::trace_panel::trace_panel;
use super::way_back::way_back;
use super::yard_view::YardView;
use crate::session::Session;
use crate::stage::SharedStage;
use crate::state::link::Link;
use crate::state::{Action, AppState, Theme, View};
use wasm_bindgen::JsCast;
use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::spawn_local;
use web_sys::{HashChangeEvent, Window};
use yew::prelude::*;

/// The address follows the view at most this often.
const ADDRESS_EVERY_MS: i32 = 700;

/// The page.
#[component]
pub fn App() -> Html {
    let link = use_memo((), |()| Link::parse(&location_hash()));
    let state = use_reducer({
        let link = link.clone();
        move || {
            let mut state = AppState::from_link(&link);
            // Who embeds a view gets it, whatever the link names besides.
            state.view = embedded_view().unwrap_or(state.view);
            state
        }
    });
    let doers = use_memo((), {
        let dispatcher = state.dispatcher();
        move |()| Doers::start(move |action| dispatcher.dispatch(action))
    });
    let Doers { session, animation } = &*doers;
    let stage = session.stage();
    let file_over = use_state_eq(|| false);

    use_effect_with((), {
        let (session, link) = (session.clone(), link.clone());
        move |()| {
            spawn_local({
                let session = session.clone();
                async move { session.list_kept().await }
            });
            // Whoever is quick has opened a file already.
            if !session.is_opening() {
                session.follow(&link);
            }
        }
    });
    use_effect_with(state.clone(), {
        let session = session.clone();
        move |state: &UseReducerHandle<AppState>| session.reconcile(state)
    });
    use_theme(state.theme, stage);
    use_effect_with((state.colour_by, stage.clone()), |(colour_by, stage)| {
        let mut stage = stage.write();
        stage.colour_by = *colour_by;
        stage.touch();
    });
    use_address(&state, session);
    use_links(session);
    use_keyboard(&state, session, animation);

    let select = {
        let session = session.clone();
        Callback::from(move |job| session.select(job))
    };
    let seek = {
        let session = session.clone();
        Callback::from(move |time| session.seek(time))
    };
    let dark = is_dark(state.theme);
    let view = match state.view {
        View::Yard => html! { <YardView state={state.clone()} doers={(*doers).clone()} /> },
        View::Timeline => html! { <TimelineView state={state.clone()} doers={(*doers).clone()} /> },
        View::Compare => html! {
            <Compare stage={stage.clone()} revision={state.revision} {dark} baseline={state.baseline}
                on_baseline={tell(session, Action::Baseline)} on_seek={seek.clone()} />
        },
        View::Queues => html! { <QueuesView state={state.clone()} doers={(*doers).clone()} /> },
        View::Goodput => html! { <GoodputView state={state.clone()} doers={(*doers).clone()} /> },
        View::Jobs => html! {
            <JobsTable stage={stage.clone()} revision={state.revision} selected={state.selected} on_select={select.clone()} />
        },
    };
    let inspector = state.selected.filter(|_| state.trace.is_some()).map(|job| {
        let explanations = state
            .cards
            .iter()
            .map(|card| {
                let known = state.explanations.iter().find(|(id, _, _)| *id == card.id);
                (card.id, known.map(|(_, at, explanation)| (*at, explanation.clone())))
            })
            .collect::<Vec<_>>();
        html! {
            <Inspector stage={stage.clone()} revision={state.revision} {job} {explanations}
                on_close={select.reform(|()| None)} on_job={select.reform(Some)} on_seek={seek.clone()} />
        }
    });

    let embedded = embedded_view();
    let body = match embedded {
        Some(_) => embed_frame(view, &doers),
        None => html! {
            <>
                { header(&state, session) }
                <aside class={classes!("rail", state.drawer.then_some("open"))} id="rail" aria-label="Trace, cluster and schedulers">
                    <p class="tagline">{ "Watch how GPU-cluster schedulers run the same job trace." }</p>
                    { trace_panel(&state, session) }
                    { cluster_panel(&state, session) }
                    { scheduler_panel(&state, session) }
                    if state.adapts() {
                        { applications_field(&state, session) }
                    }
                    <p class="privacy">{ "Nothing you open leaves this page." }</p>
                </aside>
                <main>
                    { tabs(&state, &tell(session, Action::Show)) }
                    { notice(complaint(&state.complaints).as_deref(), tell(session, |_| Action::ReadComplaints)) }
                    { notice(state.notice.as_deref(), tell(session, |_| Action::Notice(None))) }
                    { state.way_back.as_ref().map(|name| way_back(name, session)).unwrap_or_default() }
                    <div class="stage">
                        <div class="view" role="tabpanel" aria-label={view_title(state.view)}>{ view }</div>
                        // Always a node, if an empty one: else the view before it would be made anew.
                        { inspector.unwrap_or_default() }
                    </div>
                    if state.asking_for_guide {
                        { question(&state, session) }
                    } else if let Some(step) = state.guide {
                        { guide(session, step) }
                    }
                </main>
                <Player doers={(*doers).clone()} />
                if state.help {
                    { help(tell(session, |_| Action::Help(false))) }
                }
            </>
        },
    };
    html! {
        <>
            { drop_zone(session, &file_over, html! { <div class={classes!("page", embedded.map(|_| "embedded"))}>{ body }</div> }) }
            // Always a node, if an empty one: else the page before it would be made anew.
            { state.columns.as_ref().filter(|_| state.asking).map(|asked| columns_dialog(asked, session)).unwrap_or_default() }
            <div id="tooltip" role="tooltip" hidden=true></div>
        </>
    }
}

/// A callback that tells the reducer.
pub(super) fn tell<T: 'static>(
    session: &Session,
    action: impl Fn(T) -> Action + 'static,
) -> Callback<T> {
    let session = session.clone();
    Callback::from(move |value| session.tell(action(value)))
}

fn view_title(view: View) -> &'static str {
    View::ALL
        .iter()
        .find(|(other, _, _)| *other == view)
        .map_or("", |(_, _, title)| title)
}

/// The views to choose from: the one of queues if any run has some.
fn tabs(state: &AppState, on_view: &Callback<View>) -> Html {
    let has_queues = with_queues(state).next().is_some();
    let shown = |view: View| view != View::Queues || has_queues || state.view == view;
    let views = View::ALL.iter().filter(|(view, _, _)| shown(*view));
    let tabs = views.map(|&(view, name, title)| {
        let chosen = state.view == view;
        let onclick = on_view.reform(move |_| view);
        html! {
            <button type="button" role="tab" id={format!("tab-{name}")} aria-selected={chosen.to_string()} {onclick}>{ title }</button>
        }
    });
    html! { <div class="tabs" role="tablist" aria-label="Views">{ for tabs }</div> }
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

/// Keeps the document and the stage in the theme.
#[hook]
fn use_theme(theme: Theme, stage: &SharedStage) {
    use_effect_with((theme, stage.clone()), |(theme, stage)| {
        let theme = *theme;
        let root = web_sys::window()
            .and_then(|window| window.document())
            .and_then(|document| document.document_element());
        if let Some(root) = root {
            // Attributes of an element of ours can always be set.
            let _ = match theme {
                Theme::System => root.remove_attribute("data-theme"),
                Theme::Light => root.set_attribute("data-theme", "light"),
                Theme::Dark => root.set_attribute("data-theme", "dark"),
            };
        }
        let follow = {
            let stage = stage.clone();
            move || {
                let mut stage = stage.write();
                stage.dark = is_dark(theme);
                stage.reduced_motion = media_matches("(prefers-reduced-motion: reduce)");
                stage.touch();
            }
        };
        follow();
        let listener = Closure::<dyn FnMut()>::new(follow);
        let query = web_sys::window().and_then(|window| {
            window
                .match_media("(prefers-color-scheme: dark)")
                .ok()
                .flatten()
        });
        if let Some(query) = &query {
            query.set_onchange(Some(listener.as_ref().unchecked_ref()));
        }
        move || {
            if let Some(query) = query {
                query.set_onchange(None);
            }
            drop(listener);
        }
    });
}

/// Whether the page is dark now.
fn is_dark(theme: Theme) -> bool {
    match theme {
        Theme::Light => false,
        Theme::Dark => true,
        Theme::System => media_matches("(prefers-color-scheme: dark)"),
    }
}

fn media_matches(query: &str) -> bool {
    web_sys::window()
        .and_then(|window| window.match_media(query).ok().flatten())
        .is_some_and(|query| query.matches())
}

/// Keeps the address in step with what is shown.
#[hook]
fn use_address(state: &UseReducerHandle<AppState>, session: &Session) {
    let latest = use_mut_ref(|| state.clone());
    *latest.borrow_mut() = state.clone();
    use_effect_with((), {
        let session = session.clone();
        move |()| {
            let written = std::cell::RefCell::new(String::new());
            let update = Closure::<dyn FnMut()>::new(move || {
                let latest = latest.borrow();
                let fragment = Link::of(&latest, &session.stage().read()).fragment();
                // A trace that is not open yet would overwrite what the link wants.
                if latest.trace.is_some() && *written.borrow() != fragment {
                    replace_hash(&fragment);
                    session.note_for_rescue(&latest, &fragment);
                    written.replace(fragment);
                }
            });
            let window = web_sys::window();
            let timer = window.as_ref().and_then(|window| {
                window
                    .set_interval_with_callback_and_timeout_and_arguments_0(
                        update.as_ref().unchecked_ref(),
                        ADDRESS_EVERY_MS,
                    )
                    .ok()
            });
            move || {
                if let (Some(window), Some(timer)) = (window, timer) {
                    window.clear_interval_with_handle(timer);
                }
                drop(update);
            }
        }
    });
}

/// Follows a link that somebody puts into the address of the open page, or goes back to.
#[hook]
fn use_links(session: &Session) {
    use_effect_with((), {
        let session = session.clone();
        move |()| {
            let follow =
                Closure::<dyn FnMut(HashChangeEvent)>::new(move |event: HashChangeEvent| {
                    // The address itself may have been written over by now.
                    let address = event.new_url();
                    let fragment = address.split_once('#').map_or("", |(_, fragment)| fragment);
                    if Link::is_one(fragment) {
                        let link = Link::parse(fragment);
                        session.tell(Action::Follow(Box::new(link.clone())));
                        session.follow(&link);
                    }
                });
            let window = web_sys::window();
            if let Some(window) = &window {
                window.set_onhashchange(Some(follow.as_ref().unchecked_ref()));
            }
            move || {
                if let Some(window) = window {
                    window.set_onhashchange(None);
                }
                drop(follow);
            }
        }
    });
}

fn location_hash() -> String {
    web_sys::window()
        .and_then(|window: Window| window.location().hash().ok())
        .unwrap_or_default()
}

fn replace_hash(fragment: &str) {
    let history = web_sys::window().and_then(|window| window.history().ok());
    if let Some(history) = history {
        // Some embedding pages forbid it: then the address merely stays behind.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("#{fragment}")));
    }
}

/// The state as components get it.
pub(super) type StateHandle = UseReducerHandle<AppState>;

/// What does things for the components. Cheap to clone.
#[derive(Clone, PartialEq)]
pub(super) struct Doers {
    /// Opens files and carries runs.
    pub(super) session: Session,
    /// Moves the clock and paints canvases.
    pub(super) animation: Option<Animation>,
}

impl Doers {
    fn start(dispatch: impl Fn(Action) + 'static) -> Self {
        let stage = SharedStage::default();
        Self {
            session: Session::new(stage.clone(), dispatch),
            animation: web_sys::window().map(|window| Animation::start(stage, window)),
        }
    }
}

/// Properties of components that show the state.
#[derive(Properties, PartialEq)]
pub(super) struct StateProps {
    /// The state.
    pub(super) state: StateHandle,
    /// The session and the animation.
    pub(super) doers: Doers,
}
