//! The rail's first part: opening a trace, and what came of it.

use super::address;
use super::controls::{any_from, field, list, no_option, number_field, option, quiet_button};
use super::drop_zone::{PICKER, files_of, pick_files};
use super::guide;
use super::icon::{Icon, sign};
use super::import_report::import_report;
use super::job_choice::job_choice;
use super::jobs_by_hand::first_jobs;
use super::services::StateHandle;
use super::theme::is_dark;
use super::typed::{Typed, input_value};
use super::vary::{varied, vary};
use crate::bridge::protocol::Choice;
use crate::draw::format;
use crate::session::Session;
use crate::session::manual_jobs::MADE;
use crate::state::link::Link;
use crate::state::sweep::Vary;
use crate::state::{
    Action, AppState, DATA_CENTRE, GUIDED, IN_TURNS, PanelsAction, Progressing, Scene, Source,
    THREE_TYPES, TWO_TEAMS, TraceInfo, ViewAction,
};
use crate::stored_traces::Held;
use switchyard::workload::SAMPLES;
use switchyard_app::options::LOADS;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Opening a trace, and what came of it.
pub(super) fn trace_panel(state: &StateHandle, session: &Session) -> Html {
    let onpicked = {
        let session = session.clone();
        Callback::from(move |event: Event| {
            if let Some(input) = event
                .target()
                .and_then(|target| target.dyn_into::<HtmlInputElement>().ok())
            {
                session.open_files(files_of(input.files()));
                // The same file may be chosen again.
                input.set_value("");
            }
        })
    };
    let wish_guide = guide::wish(state, session);
    let onsample = {
        let (session, wish_guide) = (session.clone(), guide::wish(state, session));
        let state = state.clone();
        Callback::from(move |event: Event| match input_value(&event).as_str() {
            GUIDED => wish_guide(),
            name => open_sample_named(name, &session, &state),
        })
    };
    let onscene = |name: &'static str| {
        let (session, state) = (session.clone(), state.clone());
        Callback::from(move |_: MouseEvent| open_scene(name, &session, &state))
    };
    let onguide = Callback::from(move |_: MouseEvent| wish_guide());
    let onhand = {
        let (session, state) = (session.clone(), state.clone());
        Callback::from(move |_: MouseEvent| {
            session.dispatch(ViewAction::Show("jobs"));
            session.dispatch(PanelsAction::Drawer(false));
            session.open_made(&first_jobs(&state), &state);
        })
    };
    let open_sample = match &state.opening.source {
        Source::Sample(name) => Some(name.as_str()),
        _ => None,
    };
    let samples = SAMPLES.iter().map(|sample| {
        let cluster = sample.cluster_spec();
        let nodes = cluster.nodes();
        let gpus = cluster.gpus() / nodes;
        let title = format!("{} ({nodes} × {gpus} GPUs)", sample.title);
        let chosen = open_sample == Some(sample.name);
        option(sample.name, &title, chosen, Some(sample.summary))
    });
    let own = open_sample.is_none().then(|| {
        no_option(match state.opening.source {
            Source::Url(_) => "(a file from an address is open)",
            _ => "(a file of yours is open)",
        })
    });
    let summary = SAMPLES
        .iter()
        .find(|sample| Some(sample.name) == open_sample)
        .map(|sample| sample.summary);
    let scenes = html! {
        <>
            if open_sample != Some(DATA_CENTRE) {
                <p class="hint">{ "Where it matters which jobs are neighbours: " }<button type="button" class="link" title="Jobs that slow their neighbours, on racks and partitions: laid by a network that learned, beside two rules" onclick={onscene(DATA_CENTRE)}>{ "a data centre" }</button></p>
            }
            if open_sample != Some(TWO_TEAMS) {
                <p class="hint">{ "Who gets how much, and who must give back: " }<button type="button" class="link" title="Queues with quotas: what one team does not use the other borrows, until its owner needs it" onclick={onscene(TWO_TEAMS)}>{ "two teams share a cluster" }</button></p>
            }
            if open_sample != Some(IN_TURNS) {
                <p class="hint">{ "Jobs that wait for different things: " }<button type="button" class="link" title="Up to four jobs take turns on the same GPUs: one loads data, another computes, a third exchanges gradients (Muri)" onclick={onscene(IN_TURNS)}>{ "taking turns" }</button></p>
            }
            if open_sample != Some(THREE_TYPES) {
                <p class="hint">{ "Jobs that grow and shrink: " }<button type="button" class="link" title="How many GPUs, and of which type: decided for all jobs together, every minute (Sia)" onclick={onscene(THREE_TYPES)}>{ "three types at once" }</button></p>
            }
        </>
    };
    html! {
        <section aria-labelledby="trace-title">
            <h2 id="trace-title">{ "Trace" }</h2>
            <button type="button" class="open" onclick={|_: MouseEvent| pick_files()}>
                <strong>{ "Open a trace…" }</strong>
                <span>{ "or drop files anywhere: CSV, JSON, SWF; gzip, zstd, tar, zip" }</span>
            </button>
            <input id={PICKER} type="file" multiple=true hidden=true onchange={onpicked} aria-label="Trace files" data-testid="file-picker" />
            { from_address(session) }
            // Remade when the guide asks first, so that it shows what is still open.
            { field("Sample", None, html! { <select key={state.panels.asks_for_guide.to_string()} onchange={onsample}>{ own }{ for samples }</select> }) }
            { stored_traces(state, session) }
            if state.panels.guide.is_none() && !state.panels.asks_for_guide {
                <p class="hint">{ "New here? " }<button type="button" class="link" onclick={onguide}>{ "Three jobs, step by step" }</button>
                    if let Some(lessons) = address::lessons() {
                        { ", or " }<a href={lessons}>{ "nine lessons" }</a>
                    }
                </p>
            }
            if state.opening.source != Source::File(MADE.to_owned()) {
                <p class="hint">{ "No trace at hand? " }<button type="button" class="link" title="A small table of jobs to type in and drag" onclick={onhand}>{ "Make jobs by hand" }</button></p>
            }
            if matches!(state.opening.source, Source::Sample(_)) {
                { scenes }
            } else {
                // Whoever has a trace open knows what to look at.
                <details class="scenes"><summary>{ "Samples of one thing each" }</summary>{ scenes }</details>
            }
            { state.opening.progress.as_ref().map(|opening| progress(opening, session)).unwrap_or_default() }
            if let Some(trace) = &state.opening.trace {
                if trace.report.is_none() {
                    <p class="hint">{ summary }</p>
                }
                { open_trace(state, trace, session) }
            }
        </section>
    }
}

/// A field for the address of a trace.
fn from_address(session: &Session) -> Html {
    let take = {
        let session = session.clone();
        Callback::from(move |typed: String| match typed.trim() {
            "" => Ok(()),
            address => session.open_address(address),
        })
    };
    html! {
        <details class="from-address">
            <summary>{ "From an address" }</summary>
            { field("Address", Some("https://… of a trace or an experiment, on a host that lets other pages read it (CORS), as raw.githubusercontent.com, Zenodo and Hugging Face do"), html! {
                <Typed name="Address of a trace" kind="url" value="" placeholder="https://…" {take} />
            }) }
            <p class="hint">{ "Its host sees that you fetch the file, and no more: nothing is sent along." }</p>
        </details>
    }
}

/// Opens a sample, with what it is there to show.
pub(super) fn open_sample_named(name: &str, session: &Session, state: &AppState) {
    match Scene::of(name) {
        Some(_) => open_scene(name, session, state),
        None => session.open_sample(name, Choice::default()),
    }
}

/// Opens a sample with what it is there to show.
fn open_scene(sample: &str, session: &Session, state: &AppState) {
    let link = Link {
        theme: state.view.theme,
        ..Link::parse(&format!("sample={sample}"))
    };
    session.dispatch(Action::Follow(Box::new(link.clone())));
    session.follow(&link, state, false);
}

/// How far opening has come, and a way to end it.
fn progress(opening: &Progressing, session: &Session) -> Html {
    let Progressing {
        name,
        total,
        bytes,
        rows,
    } = opening;
    let session = session.clone();
    let oncancel = Callback::from(move |_: MouseEvent| session.cancel_opening());
    let share = 100 * bytes / total.max(&1);
    let [done, all] = [*bytes, *total].map(|bytes| format::bytes(bytes as f64));
    html! {
        <div class="busy">
            <div class="row">
                <span role="status">{ format!("Opening {name}…") }</span>
                if *total > 0 {
                    <button type="button" aria-label="Cancel opening" onclick={oncancel}>{ "Cancel" }</button>
                }
            </div>
            if *total > 0 {
                <progress aria-label="Opening" max={total.to_string()} value={bytes.to_string()}></progress>
                <p class="hint">{ format!("{share} %, {done} of {all}, {} rows", format::count(*rows)) }</p>
            }
        </div>
    }
}

/// The traces kept in this browser.
fn stored_traces(state: &AppState, session: &Session) -> Html {
    if state.opening.saved.is_empty() {
        return Html::default();
    }
    let traces = state.opening.saved.iter().map(|stored| {
        let id = stored.id;
        let onopen = {
            let session = session.clone();
            Callback::from(move |_: MouseEvent| session.open_stored(id))
        };
        let onremove = {
            let session = session.clone();
            Callback::from(move |_: MouseEvent| session.remove_stored(id))
        };
        let jobs = format::count(stored.jobs as u64);
        let facts = format!("{jobs} jobs, {}", format::bytes(stored.bytes));
        html! {
            <li class="row">
                <button type="button" class="link" onclick={onopen}>{ &stored.name }</button>
                <span class="hint">{ facts }</span>
                { quiet_button(&format!("Remove {} from this browser", stored.name), Some("Remove"), sign(Icon::Close), onremove) }
            </li>
        }
    });
    html! {
        <div class="kept" role="group" aria-labelledby="kept-title">
            <p class="hint" id="kept-title">{ "Kept" }</p>
            <ul>{ for traces }</ul>
        </div>
    }
}

/// Members of an archive, the import report, and what to do with the trace.
fn open_trace(state: &AppState, trace: &TraceInfo, session: &Session) -> Html {
    let onkeep = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| session.store_trace())
    };
    let is_kept = state
        .opening
        .saved
        .iter()
        .any(|stored| trace.stored == Some(stored.id));
    let onmember = {
        let session = session.clone();
        Callback::from(move |event: Event| {
            let name = input_value(&event);
            session.open_member((!name.is_empty()).then_some(name));
        })
    };
    let members = trace.members.iter().map(|member| {
        let title = format!(
            "{} ({} jobs)",
            member.name,
            format::count(u64::from(member.jobs))
        );
        let chosen = trace.member.as_ref() == Some(&member.name);
        option(&member.name, &title, chosen, None)
    });
    let all = format!("all {} together", trace.members.len());
    let all = option("", &all, trace.member.is_none(), None);
    html! {
        <>
            if trace.members.len() > 1 {
                { field("Cluster", None, list(onmember, std::iter::once(all).chain(members).collect())) }
            }
            if let (Some(host), Source::Url(address)) = (trace.source.host(), &trace.source) {
                <p class="hint" data-testid="from-host">{ "From " }<a href={address.clone()} title={format!("Fetched from {address}")} rel="noreferrer noopener">{ host }</a></p>
            }
            if matches!(trace.source, Source::Packed(..)) {
                <p class="hint">{ "Its jobs came within the link." }</p>
            }
            { load_field(trace, session) }
            if let Some(report) = &trace.report {
                { import_report(trace, report, session, is_dark(state.view.theme)) }
                { job_choice(state, trace, session) }
                if !is_kept {
                    <button type="button" title="The file stays in this browser's storage on this computer, to be opened again from here" onclick={onkeep}>{ "Keep in this browser" }</button>
                    { held(state.opening.held, session) }
                }
            }
        </>
    }
}

/// How fast its jobs come.
fn load_field(trace: &TraceInfo, session: &Session) -> Html {
    let take = {
        let session = session.clone();
        Callback::from(move |typed: String| {
            let load = Choice::load_of(typed.trim()).map_err(|why| format!("Load: {why}."))?;
            session.choose(session.choice().with_load(load));
            Ok(())
        })
    };
    let help = "How fast jobs come: 1 as recorded, 2 twice as fast. Gaps between submissions are divided by it; jobs stay as they are";
    let most = LOADS.end().to_string();
    let numbers = any_from("0.01").to(&most);
    let load = trace.choice.load().to_string();
    let field = number_field("Load (×)", Some(help), numbers, load, take);
    varied(field, vary(session, &Vary::Load, None))
}

/// Whether a reload finds the files that are open, and the way to have it otherwise.
fn held(held: Held, session: &Session) -> Html {
    let allow = |may_hold: bool, name: &'static str| {
        let session = session.clone();
        let onclick = Callback::from(move |_: MouseEvent| session.allow_holding(may_hold));
        html! { <button type="button" class="link" {onclick}>{ name }</button> }
    };
    let (words, button) = match held {
        Held::No => return Html::default(),
        Held::ForTab(bytes) => (
            format!(
                "Held for this tab: {}, so that a reload finds it. ",
                format::bytes(bytes)
            ),
            allow(false, "Don't hold"),
        ),
        Held::TooLarge(bytes) => (
            format!(
                "{} are too much to hold for a reload.",
                format::bytes(bytes)
            ),
            Html::default(),
        ),
        Held::Declined => (
            "Not held: a reload asks for it again. ".to_string(),
            allow(true, "Hold"),
        ),
    };
    html! { <p class="hint">{ words }{ button }</p> }
}
