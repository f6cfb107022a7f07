//! The rail's first part: opening a trace, and what came of it.

use super::cluster_panel::input_value;
use super::controls::{error, field, list, no_option, option};
use super::drop_zone::files_of;
use super::guide;
use super::import_report::import_report;
use crate::draw::format;
use crate::session::Session;
use crate::state::{AppState, GUIDED, Source, TraceInfo};
use switchyard::workload::SAMPLES;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Opening a trace, and what came of it.
pub(super) fn trace_panel(state: &AppState, session: &Session) -> Html {
    let picker = NodeRef::default();
    let pick = {
        let picker = picker.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(picker) = picker.cast::<HtmlInputElement>() {
                picker.click();
            }
        })
    };
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
    let onsample = {
        let session = session.clone();
        Callback::from(move |event: Event| match input_value(&event).as_str() {
            GUIDED => guide::start(&session),
            name => session.open_sample(name),
        })
    };
    let onguide = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| guide::start(&session))
    };
    let open_sample = match &state.source {
        Source::Sample(name) => Some(name.as_str()),
        Source::File(_) => None,
    };
    let samples = SAMPLES.iter().map(|sample| {
        let (nodes, gpus) = sample.cluster;
        let title = format!("{} ({nodes} × {gpus} GPUs)", sample.title);
        let chosen = open_sample == Some(sample.name);
        option(sample.name, &title, chosen, Some(sample.summary))
    });
    let own = open_sample
        .is_none()
        .then(|| no_option("(a file of yours is open)"));
    let summary = SAMPLES
        .iter()
        .find(|sample| Some(sample.name) == open_sample)
        .map(|sample| sample.summary);
    html! {
        <section aria-labelledby="trace-title">
            <h2 id="trace-title">{ "Trace" }</h2>
            <button type="button" class="open" onclick={pick}>
                <strong>{ "Open a trace…" }</strong>
                <span>{ "or drop files anywhere: CSV, JSON, SWF; gzip, tar, zip" }</span>
            </button>
            <input ref={picker} type="file" multiple=true hidden=true onchange={onpicked} aria-label="Trace files" data-testid="file-picker" />
            { field("Sample", None, list(onsample, html! { <>{ own }{ for samples }</> })) }
            if state.guide.is_none() {
                <p class="hint">{ "New here? " }<button type="button" class="link" onclick={onguide}>{ "Three jobs, step by step" }</button></p>
            }
            if let Some(name) = &state.opening {
                <p class="busy" role="status">{ format!("Opening {name}…") }</p>
            }
            { error(state.trace_error.as_deref()) }
            if let Some(trace) = &state.trace {
                if trace.report.is_none() {
                    <p class="hint">{ summary }</p>
                }
                { open_trace(trace, session) }
            }
        </section>
    }
}

/// Members of an archive, and the import report.
fn open_trace(trace: &TraceInfo, session: &Session) -> Html {
    let session = session.clone();
    let onmember = Callback::from(move |event: Event| {
        let name = input_value(&event);
        session.open_member((!name.is_empty()).then_some(name));
    });
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
            if let Some(report) = &trace.report {
                { import_report(&trace.name, report) }
            }
        </>
    }
}
