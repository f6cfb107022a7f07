//! The rail's first part: opening a trace, and what came of it.

use super::app::{StateProps, use_session};
use super::drop_zone::files_of;
use super::guide;
use super::import_report::import_report;
use crate::draw::format;
use crate::session::Session;
use crate::state::{GUIDED, Source, TraceInfo};
use std::rc::Rc;
use switchyard::workload::SAMPLES;
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

/// Opening a trace, and what came of it.
#[component]
pub(super) fn TracePanel(props: &StateProps) -> Html {
    let session = use_session();
    let state = &props.state;
    let picker = use_node_ref();
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
        Callback::from(move |event: Event| {
            if let Some(select) = event
                .target()
                .and_then(|target| target.dyn_into::<HtmlSelectElement>().ok())
            {
                match select.value().as_str() {
                    GUIDED => guide::start(&session),
                    name => session.open_sample(name),
                }
            }
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
        html! {
            <option value={sample.name} selected={open_sample == Some(sample.name)} title={sample.summary}>
                { format!("{} ({nodes} × {gpus} GPUs)", sample.title) }
            </option>
        }
    });
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
            <label class="field">
                <span>{ "Sample" }</span>
                <select onchange={onsample}>
                    if open_sample.is_none() {
                        <option selected=true disabled=true value="">{ "(a file of yours is open)" }</option>
                    }
                    { for samples }
                </select>
            </label>
            if state.guide.is_none() {
                <p class="hint">{ "New here? " }<button type="button" class="link" onclick={onguide}>{ "Three jobs, step by step" }</button></p>
            }
            if let Some(name) = &state.opening {
                <p class="busy" role="status">{ format!("Opening {name}…") }</p>
            }
            if let Some(why) = &state.trace_error {
                <p class="error" role="alert">{ why }</p>
            }
            if let Some(trace) = &state.trace {
                if trace.report.is_none() {
                    <p class="hint">{ summary }</p>
                }
                { open_trace(trace, &session) }
            }
        </section>
    }
}

/// Members of an archive, and the import report.
fn open_trace(trace: &TraceInfo, session: &Rc<Session>) -> Html {
    let session = session.clone();
    let onmember = Callback::from(move |event: Event| {
        if let Some(select) = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlSelectElement>().ok())
        {
            let name = select.value();
            session.open_member((!name.is_empty()).then_some(name));
        }
    });
    let members = trace.members.iter().map(|member| {
        html! {
            <option value={member.name.clone()} selected={trace.member.as_ref() == Some(&member.name)}>
                { format!("{} ({} jobs)", member.name, format::count(u64::from(member.jobs))) }
            </option>
        }
    });
    html! {
        <>
            if trace.members.len() > 1 {
                <label class="field">
                    <span>{ "Cluster" }</span>
                    <select onchange={onmember}>
                        <option value="" selected={trace.member.is_none()}>{ format!("all {} together", trace.members.len()) }</option>
                        { for members }
                    </select>
                </label>
            }
            if let Some(report) = &trace.report {
                { import_report(&trace.name, report) }
            }
        </>
    }
}
