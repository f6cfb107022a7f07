//! Sweep: one thing is varied, and every value run under every scheduler.

use crate::draw::format;
use crate::session::Session;
use crate::state::sweep::{Sweep, Vary, in_words};
use crate::state::sweep_runs::values;
use crate::state::view_options::{SWEEP_RUN, SWEEP_VALUES, SWEEP_WHAT};
use crate::state::{AppState, ViewAction};
use crate::ui::controls::{self, error, field, list, option};
use crate::ui::download;
use crate::ui::metrics_table::left;
use crate::ui::services::{StateProps, dispatch};
use crate::ui::typed::{Typed, input_value};
use crate::ui::view::View;
use std::rc::Rc;
use switchyard::SETTINGS;
use switchyard::policies::ParamKind;
use switchyard::report::{HEADLINE, Metric};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// One thing varied.
pub(super) const VIEW: View = View {
    name: "sweep",
    title: "Sweep",
    about: "one thing varied (a parameter, the load, the cluster, the seed), and every value run",
    is_offered: |_| true,
    show: |given| html! { <SweepView ..given.clone() /> },
};

#[component]
fn SweepView(props: &StateProps) -> Html {
    let (state, session) = (&props.state, &props.services.session);
    let sweep = state
        .analyses
        .sweep
        .as_ref()
        .and_then(|sweep| sweep.as_ref().ok());
    let refused = state
        .analyses
        .sweep
        .as_ref()
        .and_then(|sweep| sweep.as_ref().err());
    let own = sweep.filter(|of| of.vary != Vary::Link);
    html! {
        <div class="model sweep">
            { form(state, session) }
            <section aria-label="What the sweep comes to">
                { error(refused.map(|why| &**why)) }
                if let Some(sweep) = sweep {
                    { progress(sweep, state) }
                    if sweep.vary == Vary::Link {
                        <ul class="differs" aria-label="What differs">{ for sweep.differs.iter().map(|of| html! { <li>{ of }</li> }) }</ul>
                        { table(sweep) }
                    }
                } else {
                    <p class="hint">{ "Say what to vary. Every value is run under every scheduler of the list; of each run its numbers stay, and a link to it." }</p>
                }
                // What web/explorer/ fills (static/lazy.js): the table of this sweep, or of a file.
                <switchyard-explorer own={own.map(|of| of.done().to_string())} />
            </section>
        </div>
    }
}

/// What can be varied: its name in links, and its name for people.
fn choices(state: &AppState) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut add = |vary: Vary, title: String| all.push((vary.name(), title));
    add(Vary::Load, "Load: how fast jobs come".to_owned());
    add(Vary::Nodes, "Nodes of the cluster".to_owned());
    add(Vary::Link, "Everything: another link or file".to_owned());
    let is_value = |kind: ParamKind| !matches!(kind, ParamKind::Text(_));
    for setting in SETTINGS.iter().filter(|of| is_value(of.kind)) {
        add(Vary::Setting(setting.key), setting.label.to_owned());
    }
    for card in &state.runs.list {
        let entry = card.policy.entry();
        for param in entry.params {
            let vary = Vary::Param(param.name.to_owned());
            if all.iter().all(|(name, _)| *name != vary.name()) {
                all.push((vary.name(), format!("{} · {}", param.name, entry.title)));
            }
        }
    }
    all
}

fn form(state: &AppState, session: &Session) -> Html {
    let what = state.varied().name();
    let onwhat = {
        let session = session.clone();
        Callback::from(move |event: Event| {
            session.dispatch(ViewAction::SetOption(&SWEEP_WHAT, input_value(&event)));
            // Others are suggested.
            session.dispatch(ViewAction::SetOption(&SWEEP_VALUES, String::new()));
        })
    };
    let whats = choices(state);
    let whats = whats
        .iter()
        .map(|(name, title)| option(name, title, *name == what, None));
    let onrun = dispatch(session, |event: Event| {
        ViewAction::SetOption(&SWEEP_RUN, input_value(&event))
    });
    let only = state.option_run(&SWEEP_RUN);
    let runs = state.runs.iter().map(|card| {
        option(
            &card.id.to_string(),
            card.name(),
            only == Some(card.id),
            None,
        )
    });
    let all = option("", "all that have it", only.is_none(), None);
    let text = state.sweep_values();
    let is_link = state.varied() == Vary::Link;
    let count = values(&text).map_or(0, |values| values.len());
    let take = {
        let session = session.clone();
        Callback::from(move |typed: String| {
            if !is_link {
                values(&typed)?;
            }
            session.dispatch(ViewAction::SetOption(&SWEEP_VALUES, typed));
            Ok(())
        })
    };
    let onchange = {
        let (session, state) = (session.clone(), state.clone());
        Callback::from(move |event: Event| {
            let input: Option<HtmlInputElement> = event.target_dyn_into();
            let files = input.and_then(|input| input.files());
            if let Some(file) = files.and_then(|files| files.get(0)) {
                session.compare_with(&state, file);
            }
        })
    };
    let schedulers = state.swept_cards().len();
    let [counted, under] = [
        (count, "value", "values"),
        (schedulers, "scheduler", "schedulers"),
    ]
    .map(|(number, one, more)| format::counted(number as u64, one, more));
    let under_way = state
        .analyses
        .sweep
        .as_ref()
        .and_then(|sweep| sweep.as_ref().ok());
    let under_way = under_way.is_some_and(|sweep| sweep.under_way);
    let onsweep = {
        let (session, state) = (session.clone(), state.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            session.sweep(&state);
        })
    };
    let oncancel = {
        let session = session.clone();
        // The button becomes the one that runs: the same click must not press that, too.
        Callback::from(move |event: MouseEvent| {
            event.prevent_default();
            session.leave_sweep();
        })
    };
    html! {
        <form aria-label="Sweep" onsubmit={onsweep}>
            <p class="hint">{ "What if it were more, or less? One thing is varied; everything else is as the page has it." }</p>
            { field("Vary", None, list(onwhat, whats.collect())) }
            if is_link {
                { field("Link", Some("A link that Share has copied: its runs are put beside those of this page, and what differs is said in words"), html! {
                    <Typed name="Link to compare with" kind="url" placeholder="https://…#v=1&…" value={text} {take} />
                }) }
                { field("or a file", Some("An experiment that Export has saved, with its schedulers and settings; or another trace, under those of this page. What is open stays open"), html! {
                    <input type="file" aria-label="File to compare with" disabled={state.opening.trace.is_none()} {onchange} />
                }) }
            } else {
            { field("Values", Some("One after the other, as 1 2 4; or a range: 1..8/8 is eight values from 1 to 8"), html! {
                <Typed name="Values" value={text} {take} />
            }) }
            { field("Under", None, list(onrun, std::iter::once(all).chain(runs).collect())) }
            <p class="hint" role="status">{ format!("{counted} × {under}: {} runs", count * schedulers) }</p>
            }
            <div class="row">
                if under_way {
                    <button type="button" onclick={oncancel}>{ "Cancel" }</button>
                } else {
                    <button type="submit" class="primary" disabled={state.opening.trace.is_none()}>{ if is_link { "Compare" } else { "Run the sweep" } }</button>
                }
            </div>
        </form>
    }
}

fn progress(sweep: &Rc<Sweep>, state: &AppState) -> Html {
    let (done, all) = (sweep.done(), sweep.points.len());
    let said = match (sweep.under_way, done == all) {
        (true, true) => "The other side is being opened.".to_owned(),
        (false, true) if all == 0 => "Given up.".to_owned(),
        (true, _) => format!("{done} of {all} runs are over."),
        (false, true) => format!("All {all} runs are over."),
        (false, false) => format!("Ended after {done} of {all} runs."),
    };
    let name = state
        .opening
        .trace
        .as_ref()
        .map_or("trace", |trace| &trace.name);
    let (name, csv) = (format!("{name}-sweep.csv"), sweep.clone());
    let onsave = Callback::from(move |_: MouseEvent| {
        download::text(&name, "text/csv", &csv.csv());
    });
    html! {
        <div class="row">
            <span role="status">{ said }</span>
            if sweep.under_way {
                <progress aria-label="Runs that are over" max={all.to_string()} value={done.to_string()}></progress>
            }
            if done > 0 {
                <button type="button" onclick={onsave}>{ "Save as CSV" }</button>
            }
        </div>
    }
}

/// Every run in numbers, and the way to it.
fn table(sweep: &Sweep) -> Html {
    let heads = Metric::headline()
        .map(|metric| html! { <th scope="col" class="number">{ metric.words() }</th> });
    let rows = sweep.points.iter().map(|point| {
        let (value, line) = (&sweep.values[point.value], &sweep.lines[point.line]);
        let cells = match &point.outcome {
            None => html! { <td colspan={HEADLINE.len().to_string()} class="hint">{ if sweep.under_way { "waits for its turn, or runs" } else { "not run" } }</td> },
            Some(Err(why)) => html! { <td colspan={HEADLINE.len().to_string()}>{ controls::error(Some(why)) }</td> },
            Some(Ok(summary)) => Metric::headline()
                .map(|metric| html! { <td class="number">{ in_words(metric, (metric.of)(summary)) }</td> })
                .collect(),
        };
        let left = point.outcome.as_ref().and_then(|of| left(of.as_ref().ok()?));
        let label = format!("Show the run of {line} at {value}");
        html! {
            <tr>
                <th scope="row"><a href={format!("#{}", point.row.link)} title={label}>{ value }</a></th>
                <td>
                    { line }
                    if let Some(left) = left {
                        <span class="hint">{ format!(" {left}") }</span>
                    }
                </td>
                { cells }
            </tr>
        }
    });
    html! {
        <div class="rows">
            <table class="packers">
                <thead><tr><th scope="col">{ &sweep.title }</th><th scope="col">{ "Scheduler" }</th>{ for heads }</tr></thead>
                <tbody>{ for rows }</tbody>
            </table>
        </div>
    }
}
