//! Which jobs of a trace are replayed, and how those that do not fit are treated.

use super::controls::{chosen, field, list, option, text_field};
use crate::bridge::protocol::Choice;
use crate::draw::format;
use crate::session::Session;
use crate::state::{AppState, TraceInfo};
use yew::prelude::*;

/// Ways to treat jobs that ask for a fraction of a GPU, and their names.
const FRACTIONS: [(&str, &str); 3] = [
    ("", "get whole GPUs"),
    ("share", "get whole GPUs for a shorter time"),
    ("drop", "are left out"),
];

/// Ways to treat jobs that ask for more GPUs than there are.
const OVERSIZED: [(&str, &str); 3] = [
    ("", "stay: a run rejects them"),
    ("drop", "are left out"),
    ("shrink", "get all GPUs for a longer time"),
];

const ON_CORES: [(&str, &str); 2] = [
    ("", "run beside what schedulers decide"),
    ("drop", "are left out"),
];

/// What a field's new value makes of the choice.
type ChoiceChange = Box<dyn Fn(&Choice, &str) -> Choice>;

/// What can be chosen of the open trace.
pub(super) fn job_choice(state: &AppState, trace: &TraceInfo, session: &Session) -> Html {
    let (choice, facets) = (&trace.choice, &trace.facets);
    // Every control says what becomes of the choice with its new value.
    let choose = |change: ChoiceChange| {
        let session = session.clone();
        Callback::from(move |typed: String| {
            let choice = change(&session.choice(), typed.trim());
            session.choose(choice);
            Ok(())
        })
    };
    let set = |key: &'static str| choose(Box::new(move |choice, value| choice.with(key, value)));
    let ways = |key: &'static str, ways: &[(&str, &str)]| {
        let now = choice.value(key);
        let options = ways.iter().map(|&(value, name)| {
            let name = format::units(name);
            option(value, &name, value == now, None)
        });
        list(chosen(&set(key)), options.collect())
    };
    // Our own files say themselves what they count.
    let is_chosen = choice.unit() == format::unit();
    let among = |key: &str, title: &str, values: &[(String, u32)], more: u32| {
        let boxes = values.iter().map(|(value, jobs)| {
            let (key_of, name) = (key.to_string(), value.clone());
            let onchange = chosen(&choose(Box::new(move |choice, _| {
                choice.toggled(&key_of, &name)
            })));
            html! {
                <label>
                    <input type="checkbox" checked={choice.has(key, value)} {onchange} />
                    <span>{ value }</span>
                    <span class="hint">{ format::count(u64::from(*jobs)) }</span>
                </label>
            }
        });
        html! {
            if values.len() > 1 {
                <fieldset class="among">
                    <legend>{ format!("{title}; none chosen: all") }</legend>
                    { for boxes }
                    if more > 0 {
                        <p class="hint">{ format!("and {} with fewer jobs, on the command line", format::count(u64::from(more))) }</p>
                    }
                </fieldset>
            }
        }
    };
    let span = format!(
        "Submitted within (all: {}) FROM..TO, such as 1d..36h",
        format::duration(facets.span)
    );
    let fractions = format!(
        "{} ({})",
        format::units("Fractions of a GPU"),
        format::counted(u64::from(facets.fractional), "job", "jobs")
    );
    let on_cores = format!(
        "Without a GPU, on cores ({})",
        format::counted(u64::from(facets.on_cores), "job", "jobs")
    );
    let mut fewer = choice.0.iter().filter(|(key, _)| key != "unit");
    let summary = fewer.next().map_or("all", |_| "some");
    html! {
        <details class="report choice" data-testid="job-choice">
            <summary>{ format!("Jobs replayed: {summary}") }</summary>
            <fieldset disabled={state.opening.progress.is_some()}>
                if is_chosen {
                    { field("Jobs are counted in", Some("Cores: those of jobs that ask for no GPU as well. A node of more than 64 cores is drawn as several"), list(chosen(&set("unit")), html! {
                        <>{ option("", "GPUs", choice.unit().is_default(), None) }{ option("cores", "cores", !choice.unit().is_default(), None) }</>
                    })) }
                }
                { text_field(&span, None, choice.value("window").to_string(), set("window")) }
                { for facets.among.iter().map(|of| among(&of.key, &of.title, &of.names, of.more)) }
                { among("status", "Ended", &facets.statuses, 0) }
                if facets.fractional > 0 {
                    <label class="field"><span>{ fractions }</span>{ ways("fractions", &FRACTIONS) }</label>
                }
                if facets.on_cores > 0 {
                    <label class="field"><span>{ on_cores }</span>{ ways("on-cores", &ON_CORES) }</label>
                }
                { field("Jobs larger than the cluster", None, ways("oversized", &OVERSIZED)) }
            </fieldset>
        </details>
    }
}
