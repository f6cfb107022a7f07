//! The range of time that is selected: what happens in it under every scheduler, and what can be done
//! with it.

use super::clock::use_axis;
use super::controls::{quiet_button, swatch, switch_button};
use super::icon::{Icon, sign};
use super::services::StateProps;
use super::term::{Definition, Term};
use super::theme::is_dark;
use crate::draw::format;
use crate::session::Session;
use crate::time_axis::{AxisRequest, Window};
use crate::totals::{Totals, submitted};
use switchyard::workload::Label;
use yew::prelude::*;

static FINISHED: Definition = Definition {
    id: "range-finished",
    name: "finished",
    meaning: "Jobs that finish in the range, whenever they were submitted.",
    formula: "",
    source: "",
};
static HELD: Definition = Definition {
    id: "range-held",
    name: "GPU·h held",
    meaning: "How long GPUs are held by jobs within the range, restarts included; and how much of the cluster that is.",
    formula: "Σ GPUs × time",
    source: "",
};
static WAIT: Definition = Definition {
    id: "range-wait",
    name: "mean wait",
    meaning: "Of the jobs submitted in the range: the mean time that they spend without GPUs, over their whole lives. Known once a run is complete.",
    formula: "JCT − time on GPUs",
    source: "",
};

/// Makes every drag over time select a range, until it is pressed again: for fingers, and for people who
/// does not know of Shift.
#[component]
pub(super) fn RangeMode(props: &StateProps) -> Html {
    let on = use_state_eq(|| false);
    let stage = props.services.session.stage().clone();
    use_effect_with(*on, move |on| {
        stage.write().ranging = *on;
        move || stage.write().ranging = false
    });
    let onclick = {
        let on = on.clone();
        Callback::from(move |_: MouseEvent| on.set(!*on))
    };
    html! {
        <button type="button" class="quiet" aria-pressed={on.to_string()} {onclick}
            title="Drag over any timeline to select a range of time and see its totals; Shift and a drag do the same">{ "Select a range" }</button>
    }
}

/// What is selected of time; nothing while nothing is.
#[component]
pub(super) fn RangeBar(props: &StateProps) -> Html {
    let StateProps { state, services } = props;
    let session = &services.session;
    let axis = use_axis(session.stage());
    let totals = use_memo((axis.selected, state.runs.revision), |(range, _)| {
        let stage = session.stage().read();
        let of = |range: &Window| -> Vec<Totals> {
            let runs = stage.runs.iter();
            runs.map(|run| Totals::of(run, &stage.workload, *range))
                .collect()
        };
        range.as_ref().map(of)
    });
    let (Some(range), Some(totals)) = (axis.selected, totals.as_ref()) else {
        return Html::default();
    };
    let stage = session.stage().read();
    let jobs = submitted(&stage.workload, range).len() as u64;
    let names = stage
        .runs
        .iter()
        .map(|run| (run.name().to_owned(), run.hue()));
    let all = f64::from(stage.cluster.gpus()) * range.span();
    let dark = is_dark(state.view.theme);
    let rows = totals.iter().zip(names).map(|(of, (name, hue))| {
        let wait = of.wait.map_or("–".to_owned(), format::duration);
        let share = format!(" ({} %)", format::figures(100.0 * of.held / all));
        html! {
            <tr>
                <th scope="row">{ swatch(hue, dark) }{ name }</th>
                <td>{ format::count(of.finished) }</td>
                <td data-value={of.held.to_string()}>{ format::gpu_hours(of.held) }<span class="hint">{ share }</span></td>
                <td data-value={of.wait.map(|wait| wait.to_string())}>{ wait }</td>
            </tr>
        }
    });
    let look = |look: AxisRequest| {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| session.stage().write().look(look))
    };
    let onloop = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| loop_in(&session, range))
    };
    // Times count from the first job that is replayed: with others left out, from which nobody knows.
    let choice = session.choice();
    let labels = Label::ALL.map(Label::word);
    let is_whole = ["window", "tenant", "status"]
        .iter()
        .chain(&labels)
        .all(|key| choice.value(key).is_empty());
    let onreplay = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| {
            let Window { from, to } = range;
            let choice = session.choice().with("window", &format!("{from}..{to}"));
            session.choose(choice);
        })
    };
    let is_file = state
        .opening
        .trace
        .as_ref()
        .is_some_and(|of| of.report.is_some());
    html! {
        <section class="range" aria-label="Selected range" data-from={range.from.to_string()} data-to={range.to.to_string()}>
            <div class="range-head">
                <strong>{ stage.moments().span(range.from, range.to) }</strong>
                <span class="hint">{ format!("{}, {} submitted", format::duration(range.span()), format::counted(jobs, "job", "jobs")) }</span>
                <button type="button" title="All views show this range" onclick={look(AxisRequest::At(range))}>{ "Zoom to it" }</button>
                { switch_button(axis.looped, "Replay only this", Some("The player goes through this range over and over; the runs stay as they are, so the cluster is as full as it was"), onloop) }
                if is_file && is_whole && jobs > 0 {
                    <button type="button" title="Run the schedulers anew on the jobs submitted in this range alone: they begin on an empty cluster. All jobs come back under “Jobs replayed” on the left" onclick={onreplay}>{ "Simulate only its jobs" }</button>
                }
                { quiet_button("Let go of the range", Some("Let go of the range (Esc)"), sign(Icon::Close), look(AxisRequest::Select(None))) }
            </div>
            <div class="range-table"><table>
                <thead><tr>
                    <th scope="col">{ "scheduler" }</th>
                    <th scope="col"><Term definition={FINISHED} /></th>
                    <th scope="col"><Term definition={HELD} /></th>
                    <th scope="col"><Term definition={WAIT} /></th>
                </tr></thead>
                <tbody>{ for rows }</tbody>
            </table></div>
        </section>
    }
}

/// Has the player stay in a range from its beginning on, or go on.
fn loop_in(session: &Session, range: Window) {
    let looped = {
        let axis = &mut session.stage().write().axis;
        axis.looped = !axis.looped;
        axis.looped
    };
    if looped {
        session.seek(range.from);
        session.set_playing(true);
    }
}
