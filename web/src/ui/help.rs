//! Keys and terms.

use super::address;
use super::download;
use super::focused::Focused;
use super::icon::{Icon, sign};
use super::views::VIEWS;
use crate::draw::format;
use switchyard::trace::FORMAT_TITLES;
use yew::prelude::*;

const KEYS: &[(&str, &str)] = &[
    ("Space", "play or pause"),
    (", and .", "step to the event before or after"),
    ("W and S", "zoom in and out at the pointer"),
    ("A and D", "pan left and right"),
    ("F", "focus the chosen job, or show everything"),
    (
        "Drag",
        "move through time and rows; on the small picture of all of time, move or size the window",
    ),
    (
        "Shift + drag, or drag on the time axis",
        "select a range of time and see its totals",
    ),
    (
        "Click on a class of the legend, with Shift too",
        "select its jobs in every view; with Shift among those that are selected",
    ),
    (
        "Ctrl + wheel, two clicks",
        "zoom time in all views; show all of time again",
    ),
    (
        "← ↑ → ↓, Enter",
        "in a yard with the focus: from job to job, and choose one",
    ),
    (
        "Ctrl+Z, Ctrl+Shift+Z",
        "undo the last change of a setting, a view or a choice; do it again",
    ),
    (
        "/ or Ctrl+K",
        "look for a job, a tenant or a node, or for what to do: views, settings, schedulers, samples, exports",
    ),
    ("C", "colour by the next attribute"),
    ("J", "follow the job under the pointer, or the chosen one"),
    (
        "Esc, then Tab",
        "leave the text of a scheduler (Write a scheduler), in which Tab indents",
    ),
    (
        "Esc",
        "close what is open, let go of the job, of the range, of the selected jobs",
    ),
    ("?", "this help"),
];

const TERMS: &[(&str, &str)] = &[
    (
        "JCT",
        "Job completion time: finish − submission, waiting included.",
    ),
    (
        "Gang",
        "All GPUs of a job, allocated together or not at all.",
    ),
    (
        "Attained service",
        "GPUs × time a job has held them (GPU·h). 2D-LAS serves those first that have attained least.",
    ),
    (
        "Queue, threshold",
        "2D-LAS in steps: a job sinks to the next queue when its attained service crosses the threshold (GPU·s). Higher queues go first, so jobs are interrupted less often (Tiresias, NSDI'19).",
    ),
    (
        "Knob",
        "PROMOTEKNOB: a job that has waited knob × its executed time returns to the highest queue, so that none starves.",
    ),
    (
        "Consolidation",
        "Laying a gang on as few nodes as possible, to spare the network.",
    ),
    (
        "Preemption",
        "Taking a job's GPUs before its end; it resumes later, after the restart cost.",
    ),
    (
        "Finish-time fairness ρ",
        "JCT ÷ the time the job would take alone on an equal share of the cluster (Themis, NSDI'20). Above 1: worse off than with an equal share.",
    ),
    (
        "Goodput",
        "Throughput × statistical efficiency: useful training progress per second (Pollux, OSDI'21).",
    ),
    (
        "Gradient noise scale φ",
        "PGNS, in samples: up to about this batch size, more samples per step make as much more progress.",
    ),
    (
        "Adaptive job",
        "One whose batch size and GPUs a scheduler may change: it trains an application whose speed and statistics are known.",
    ),
    ("Makespan", "First submission to last finish."),
    (
        "Oracle",
        "A policy that sees true remaining times, as no real scheduler can: a yardstick.",
    ),
    (
        "Head of line",
        "The first job of a strict queue; while it does not fit, nothing behind it runs.",
    ),
];

/// The notices of others whose code is in the page, beside it or, in the single file, within.
const NOTICES: &str = "THIRD-PARTY.txt";

/// What the single file holds itself is saved instead of shown: it has no address.
fn save_notices(event: MouseEvent) {
    let held = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.get_element_by_id(&format!("switchyard-{NOTICES}")));
    if let Some(text) = held.and_then(|element| element.text_content()) {
        event.prevent_default();
        download::text(NOTICES, "text/plain", &text);
    }
}

/// Keys and terms, over the view.
pub(super) fn help(on_close: Callback<MouseEvent>) -> Html {
    let close = NodeRef::default();
    let list = |pairs: &[(&'static str, &'static str)], keys: bool| {
        pairs
            .iter()
            .map(|&(term, meaning)| {
                let term = if keys {
                    html! { <kbd>{ term }</kbd> }
                } else {
                    html! { term }
                };
                html! { <><dt>{ term }</dt><dd>{ format::units(meaning) }</dd></> }
            })
            .collect::<Html>()
    };
    let views = (1..).zip(VIEWS).map(|(key, view)| {
        html! { <><dt><kbd>{ key }</kbd></dt><dd>{ format!("{}: {}", view.title, format::units(view.about)) }</dd></> }
    });
    html! {
        <Focused target={close.clone()}><aside class="help" role="dialog" aria-label="Help">
            <button type="button" ref={close} class="quiet close" aria-label="Close help" onclick={on_close}>{ sign(Icon::Close) }</button>
            <h2>{ "What this is" }</h2>
            <p>{ "Switchyard replays a GPU cluster's job trace under different schedulers, in this page, and shows what each would have done and why. Open a trace on the left; everything stays on your computer." }</p>
            if let Some(lessons) = address::lessons() {
                <p><a href={lessons}>{ "Nine lessons, three minutes each" }</a></p>
            }
            <h2>{ "What it opens" }</h2>
            <p>{ format!("Traces as they were published, and jobs as schedulers keep or print them: {}. As they are, or within gzip, zstd, tar and zip.", FORMAT_TITLES.join(", ")) }</p>
            <p>{ "Files that belong together (a trace and its cluster file, PAI's job and task tables, the parts of one trace) are opened together, in any order. A table of any other kind opens once you have said which column is which." }</p>
            <h2>{ "Views, by their keys" }</h2>
            <dl>{ for views }</dl>
            <h2>{ "Keys" }</h2>
            <dl>{ list(KEYS, true) }</dl>
            <h2>{ "Terms" }</h2>
            <dl class="terms">{ list(TERMS, false) }</dl>
            <p><a href={format!("./{NOTICES}")} target="_blank" rel="noopener" onclick={save_notices}>{ "Whose code this page contains" }</a></p>
        </aside></Focused>
    }
}
