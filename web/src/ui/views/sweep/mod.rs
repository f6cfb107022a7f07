//! Sweep: one thing is varied, and every value run under every scheduler.

use crate::draw::format;
use crate::session::Session;
use crate::state::capacity::{nodes_of, side_of};
use crate::state::sweep::{Sweep, Vary};
use crate::state::sweep_runs::values;
use crate::state::view_options::{SWEEP_BOUND, SWEEP_METRIC, SWEEP_RUN, SWEEP_VALUES, SWEEP_WHAT};
use crate::state::{AppState, ViewAction};
use crate::ui::controls::{self, error, field, field_of, list, option};
use crate::ui::download;
use crate::ui::metrics_table::left;
use crate::ui::services::{StateProps, dispatch};
use crate::ui::typed::{Typed, input_value};
use crate::ui::view::View;
use std::rc::Rc;
use switchyard::SETTINGS;
use switchyard::policies::ParamKind;
use switchyard::queues::change;
use switchyard::report::{Better, HEADLINE, METRICS, Metric, MetricUnit};
use switchyard_app::capacity::Side;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// One thing varied.
pub(super) const VIEW: View = View {
    name: "sweep",
    title: "Sweep",
    about: "one thing varied (a parameter, a queue's quota, the load, the cluster, the seed), and every value run",
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
                    if !sweep.answers.is_empty() {
                        <ul class="differs" aria-label="How many nodes it takes">{ for sweep.answers.iter().map(|of| html! { <li>{ of }</li> }) }</ul>
                    }
                    if sweep.vary == Vary::Link {
                        <ul class="differs" aria-label="What differs">{ for sweep.differs.iter().map(|of| html! { <li>{ of }</li> }) }</ul>
                        { table(sweep) }
                    }
                } else {
                    <p class="empty">{ "Say what to vary. Every value is run under every scheduler of the list; of each run its numbers stay, and a link to it." }</p>
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
    add(Vary::Capacity, "Nodes: how many for a bound".to_owned());
    add(Vary::Link, "Everything: another link or file".to_owned());
    let is_value = |kind: ParamKind| !matches!(kind, ParamKind::Text(_));
    for setting in SETTINGS.iter().filter(|of| is_value(of.kind)) {
        add(Vary::Setting(setting.key), setting.label.to_owned());
    }
    let tree = state.setup.settings.queues.tree.as_deref();
    if let (Some(tree), Some(queue)) = (tree, queue_chosen(state)) {
        for field in change::fields(tree) {
            let title = format!("Queues · {}", field_words(&field));
            add(Vary::of_queue(&field, &queue), title);
        }
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

/// The queue whose fields are offered: the one that is varied, or the first that has jobs.
fn queue_chosen(state: &AppState) -> Option<String> {
    let tree = state.setup.settings.queues.tree.as_deref()?;
    if let Vary::Queue { queue, .. } = state.varied() {
        return Some(queue);
    }
    let leaf = tree.leaves().next()?;
    Some(tree.queue(leaf).name.clone())
}

/// What a field of a queue is, for people, with its name in a tree's text.
fn field_words(field: &str) -> String {
    let (resource, key) = field.rsplit_once('/').unwrap_or(("", field));
    let words = match key {
        "borrow" => "borrowing limit",
        "lend" => "lending limit",
        "over" => "weight among what is over quotas",
        "weight" | "priority" | "order" => return key.to_owned(),
        "within" => "whose of its own jobs it evicts",
        "reclaims" => "whose jobs of others it evicts",
        "while-borrowing" => "whom it evicts while it borrows",
        "reclaim-min-runtime" => "seconds until others may evict",
        "preempt-min-runtime" => "seconds until its own may evict",
        resource => return format!("nominal quota ({resource})"),
    };
    match resource {
        "" => format!("{words} ({key})"),
        resource => format!("{words} ({resource})"),
    }
}

/// The list of queues, where a field of one is varied.
fn queues(state: &AppState, session: &Session) -> Html {
    let Vary::Queue { field: of, queue } = state.varied() else {
        return Html::default();
    };
    let Some(tree) = state.setup.settings.queues.tree.as_deref() else {
        return Html::default();
    };
    let session = session.clone();
    let onqueue = Callback::from(move |event: Event| {
        let vary = Vary::of_queue(&of, &input_value(&event));
        session.dispatch(ViewAction::SetOption(&SWEEP_WHAT, vary.name()));
        session.dispatch(ViewAction::SetOption(&SWEEP_VALUES, String::new()));
    });
    let names = tree.queues().iter().map(|of| &of.name);
    let options = names.map(|name| option(name, name, *name == queue, None));
    field("Queue", None, list(onqueue, options.collect()))
}

/// Which metric is bounded where nodes are searched, and by what.
fn bounds(state: &AppState, session: &Session) -> Html {
    let bounded = state.bounded();
    let onmetric = {
        let session = session.clone();
        Callback::from(move |event: Event| {
            let id = input_value(&event);
            let bound = match Metric::named(&id).map(|metric| metric.unit) {
                Some(MetricUnit::Seconds) => "1h",
                Some(MetricUnit::Share) => "90%",
                _ => "1",
            };
            session.dispatch(ViewAction::SetOption(&SWEEP_METRIC, id));
            session.dispatch(ViewAction::SetOption(&SWEEP_BOUND, bound.to_owned()));
        })
    };
    let rated = METRICS.iter().filter(|of| of.better != Better::Neither);
    let metrics = rated.map(|metric| {
        let is_it = bounded.is_some_and(|of| of.id == metric.id);
        option(
            metric.id,
            &format::units(metric.title),
            is_it,
            Some(metric.meaning),
        )
    });
    let side = match bounded.map(side_of) {
        Some(Side::AtLeast) => "At least",
        Some(Side::AtMost) | None => "At most",
    };
    let take = {
        let (session, state) = (session.clone(), state.clone());
        Callback::from(move |typed: String| {
            state.bound(&typed)?;
            session.dispatch(ViewAction::SetOption(&SWEEP_BOUND, typed));
            Ok(())
        })
    };
    let value = state.option(&SWEEP_BOUND).to_owned();
    html! {
        <>
            { field_of(&SWEEP_METRIC, "Metric", None, list(onmetric, metrics.collect())) }
            { field_of(&SWEEP_BOUND, side, Some("A time such as 90min or 1h, a share such as 60%, or a number"), html! {
                <Typed name="Bound" {value} {take} />
            }) }
        </>
    }
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
    let is_search = state.varied() == Vary::Capacity;
    let count = values(&text).map_or(0, |values| values.len());
    let take = {
        let session = session.clone();
        Callback::from(move |typed: String| {
            if is_search {
                nodes_of(&typed)?;
            } else if !is_link {
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
            { field_of(&SWEEP_WHAT, "Vary", None, list(onwhat, whats.collect())) }
            { queues(state, session) }
            if is_link {
                { field_of(&SWEEP_VALUES, "Link", Some("A link that Share has copied: its runs are put beside those of this page, and what differs is said in words"), html! {
                    <Typed name="Link to compare with" kind="url" placeholder="https://…#v=1&…" value={text} {take} />
                }) }
                { field("or a file", Some("An experiment that Export has saved, with its schedulers and settings; or another trace, under those of this page. What is open stays open"), html! {
                    <input type="file" aria-label="File to compare with" disabled={state.opening.trace.is_none()} {onchange} />
                }) }
            } else {
            if is_search {
                { bounds(state, session) }
                { field_of(&SWEEP_VALUES, "Nodes", Some("From the fewest to the most that are tried: 1..64"), html! {
                    <Typed name="Nodes" value={text} {take} />
                }) }
            } else {
            { field_of(&SWEEP_VALUES, "Values", Some("One after the other, as 1 2 4; or a range: 1..8/8 is eight values from 1 to 8"), html! {
                <Typed name="Values" value={text} {take} />
            }) }
            }
            { field_of(&SWEEP_RUN, "Under", None, list(onrun, std::iter::once(all).chain(runs).collect())) }
            if is_search {
                <p class="hint">{ "The answer is the fewest nodes found with which all jobs finish and the metric keeps within the bound, and with all larger counts that were tried. Groups of nodes keep their shares." }</p>
            } else {
                <p class="hint" role="status">{ format!("{counted} × {under}: {} runs", count * schedulers) }</p>
            }
            }
            <div class="row">
                if under_way {
                    <button type="button" onclick={oncancel}>{ "Cancel" }</button>
                } else {
                    <button type="submit" class="primary" disabled={state.opening.trace.is_none()}>{ match (is_link, is_search) { (true, _) => "Compare", (_, true) => "Search", _ => "Run the sweep" } }</button>
                }
            </div>
        </form>
    }
}

fn progress(sweep: &Rc<Sweep>, state: &AppState) -> Html {
    let (done, all) = (sweep.done(), sweep.points.len());
    let said = match (sweep.under_way, done == all) {
        // How many there will be nobody knows.
        (true, _) if sweep.vary == Vary::Capacity => format!("{done} runs are over."),
        (true, true) => "The other side is being opened.".to_owned(),
        (false, true) if all == 0 && sweep.vary == Vary::Link => "Given up.".to_owned(),
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
            if sweep.under_way && sweep.vary == Vary::Capacity {
                <progress aria-label="Runs that are over"></progress>
            } else if sweep.under_way {
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
                .map(|metric| html! { <td class="number">{ format::units(&format::metric(metric, (metric.of)(summary))).into_owned() }</td> })
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
