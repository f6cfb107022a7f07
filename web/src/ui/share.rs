//! Share: a link to what is shown, with what it carries and what it cannot.

use super::clipboard::copy;
use super::embed::figure_address;
use super::menu::Menu;
use super::page_address::{LONG, page_address};
use super::services::StateProps;
use super::views;
use crate::draw::format;
use crate::session::MOST_LETTERS;
use crate::state::link::Link;
use crate::state::{AppState, Source};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// The jobs of a file of the visitor's, packed for a link.
#[derive(Clone, Debug, Default, PartialEq)]
enum Packed {
    /// Nobody has asked yet, or they are being packed.
    #[default]
    Unknown,
    /// They are too many.
    TooLarge,
    /// As they travel.
    Here(Source),
}

/// The button and its panel.
#[component]
pub(super) fn Share(props: &StateProps) -> Html {
    let (state, session) = (&props.state, &props.services.session);
    let packed = use_state_eq(Packed::default);
    let with_jobs = use_state_eq(|| true);
    let copied = use_state_eq(|| None::<bool>);
    let now = use_state_eq(String::new);
    let is_file = state.opening.source.is_here();
    let on_open = {
        let (state, session) = (state.clone(), session.clone());
        let (packed, copied, now) = (packed.setter(), copied.setter(), now.setter());
        Callback::from(move |()| {
            copied.set(None);
            // The clock moves on; the link is of the moment at which it was asked for.
            now.set(Link::of(&state, &session.stage().read()).fragment());
            packed.set(Packed::Unknown);
            if is_file {
                let packed = packed.clone();
                session.pack(&state, move |source| {
                    packed.set(source.map_or(Packed::TooLarge, Packed::Here));
                });
            }
        })
    };
    let mut link = views::read_link(&now);
    let carries_jobs = match (&*packed, *with_jobs && is_file) {
        (Packed::Here(source), true) => {
            link = Link {
                source: source.clone(),
                member: None,
                columns: None,
                choice: Default::default(),
                ..link
            };
            true
        }
        _ => !is_file && matches!(state.opening.source, Source::Packed(..)),
    };
    let page = page_address();
    let text = format!("{page}#{}", link.fragment());
    let oncopy = {
        let (text, copied) = (text.clone(), copied.setter());
        Callback::from(move |_: MouseEvent| {
            let (text, copied) = (text.clone(), copied.clone());
            spawn_local(async move { copied.set(Some(copy(&text).await)) });
        })
    };
    let onjobs = {
        let (with_jobs, copied) = (with_jobs.clone(), copied.setter());
        Callback::from(move |_: Event| {
            copied.set(None);
            with_jobs.set(!*with_jobs);
        })
    };
    let onfocus = Callback::from(|event: FocusEvent| {
        let field = event.target().and_then(|field| field.dyn_into().ok());
        if let Some(field) = field.map(|field: HtmlInputElement| field) {
            field.select();
        }
    });
    let schedulers = format::counted(state.runs.list.len() as u64, "scheduler", "schedulers");
    let long = (text.len() > LONG).then(|| {
        format!(
            "{} letters: some mail and chat programs cut off links longer than 2,000.",
            format::count(text.len() as u64)
        )
    });
    html! {
        <Menu name="Share" id="share-panel" title="A link to this view: what it carries, and what it cannot" {on_open}>
            <h2>{ "A link to this view" }</h2>
            <p>{ format!("It carries the view and what is chosen in it, {schedulers} with their parameters, the cluster, every setting, and the time.") }</p>
            <p>{ about_jobs(state, &packed, carries_jobs) }</p>
            if let (Packed::Here(Source::Packed(_, packed)), true) = (&*packed, is_file) {
                <label class="check"><input type="checkbox" checked={*with_jobs} onchange={onjobs} />{ format!("With the jobs, {}", format::bytes(packed.len() as f64)) }</label>
            }
            { for left_out(state, carries_jobs).map(|what| html! { <p>{ what }</p> }) }
            <input readonly=true aria-label="The link" value={text} {onfocus} />
            if let Some(long) = long {
                <p class="hint">{ long }</p>
            }
            if page.starts_with("file:") {
                <p class="hint">{ "This page was opened from a disk: its address leads there, and nowhere on other computers." }</p>
            } else if page.starts_with("http://127.0.0.1:") {
                <p class="hint">{ "This computer serves the page to itself: its address leads nowhere on other computers." }</p>
            }
            <div class="row">
                <button type="button" class="primary" onclick={oncopy}>{ "Copy link" }</button>
                <span role="status">{ match *copied {
                    None => "",
                    Some(true) => "Copied.",
                    Some(false) => "This browser does not let the page copy: copy it from the field.",
                } }</span>
            </div>
            <p><a href={figure_address(state, &link.fragment())} target="_blank" rel="noopener" title="The view alone under one sentence; Space plays it">{ "Open as a figure for a talk ↗" }</a></p>
            <h2>{ "A picture of this moment" }</h2>
            <p>{ "An image for a post or a slide: the view, the shortest and the longest mean completion time, the address. Or ten seconds of it as a film." }</p>
            // static/card.js has what they do.
            <div class="row">
                <button type="button" data-card="save">{ "Save card" }</button>
                <button type="button" data-card="copy">{ "Copy card" }</button>
                <button type="button" data-card="film" title="A moving picture: a video, of which other programs make a GIF">{ "Film ten seconds" }</button>
                <span role="status"></span>
            </div>
        </Menu>
    }
}

/// Where the jobs of a link come from for the person who opens it.
fn about_jobs(state: &AppState, packed: &Packed, carries_jobs: bool) -> String {
    let jobs = state.opening.trace.as_ref().map_or(0, |trace| trace.jobs);
    let jobs = format::counted(jobs as u64, "job", "jobs");
    let name = state.opening.source.name();
    match (&state.opening.source, packed) {
        (Source::Sample(_), _) => "Its jobs are a sample, which every page has.".to_owned(),
        (source @ Source::Url(_), _) if !source.is_here() => {
            let host = state.opening.source.host().unwrap_or_default();
            format!("Its jobs are at {host}: a person who opens the link fetches them from there.")
        }
        _ if carries_jobs => {
            format!("Its {jobs} travel within: everyone with the link has them, too.")
        }
        (_, Packed::Unknown) => format!("Looking whether its {jobs} fit in…"),
        (_, Packed::Here(_)) => {
            format!(
                "Its jobs stay on this computer: a person who opens the link is asked for {name}."
            )
        }
        (_, Packed::TooLarge) => format!(
            "Its jobs stay on this computer: a person who opens the link is asked for {name}. {jobs} are too much for a link, which takes {}: send the file along, or Export the experiment.",
            format::bytes(MOST_LETTERS as f64)
        ),
    }
}

/// What the link cannot carry, if there is something.
fn left_out(state: &AppState, carries_jobs: bool) -> Option<String> {
    // What is packed with the jobs has all but weights.
    let mut parts = match carries_jobs {
        true => Vec::new(),
        false => Link::left_out(state),
    };
    if !state.opening.weights.is_empty() {
        parts.push("weights of your own, of which it has the name alone");
    }
    let parts = Some(parts).filter(|parts| !parts.is_empty())?;
    Some(format!("It cannot carry {}.", parts.join("; ")))
}
