//! Compare: the runs in a few numbers, what changed from one to another, charts, and all numbers.

mod by_group;
mod by_queue;
mod chart_card;
mod headline;
mod lasso;
mod lives;
mod what_changed;

use crate::state::RunsAction;
use crate::ui::metrics_table::{columns, metrics_table};
use crate::ui::services::{StateProps, dispatch};
use crate::ui::theme::is_dark;
use crate::ui::view::View;
use by_group::{AgainstRecorded, ByGroup};
use by_queue::ByQueue;
use chart_card::ChartCard;
use gloo_timers::callback::Timeout;
use headline::headline;
use lives::{Lives, SaveLives};
use switchyard_app::figures::Chart;
use what_changed::WhatChanged;
use yew::prelude::*;

/// All runs in numbers.
pub(super) const VIEW: View = View {
    name: "compare",
    title: "Compare",
    about: "the runs in numbers, what changed job by job, and charts",
    is_offered: |_| true,
    show: |given| html! { <Compare ..given.clone() /> },
};

/// What it saves besides its charts, as items of a menu.
pub(super) fn saved(given: &StateProps) -> Html {
    html! { <>{ what_changed::saved(given) }<SaveLives ..given.clone() /></> }
}

/// More than there are charts and parts.
const PARTS: usize = 32;

/// So many rows of jobs and runs are drawn at once; of more, a part at a time.
const AT_ONCE: usize = 500_000;

/// How many charts and parts below them are drawn: all, or one more each time that the browser has come to itself.
#[hook]
fn use_parts(at_once: bool) -> usize {
    let parts = use_state_eq(|| 1_usize);
    use_effect_with((*parts, at_once), {
        let parts = parts.clone();
        move |(drawn, at_once)| {
            let drawn = *drawn;
            let more = !at_once && drawn < PARTS;
            let next = more.then(|| Timeout::new(0, move || parts.set(drawn + 1)));
            move || drop(next)
        }
    });
    if at_once { PARTS } else { *parts }
}

/// Charts and metrics.
#[component]
fn Compare(props: &StateProps) -> Html {
    let StateProps { state, services } = props;
    let (session, dark) = (&services.session, is_dark(state.view.theme));
    let stage = session.stage();
    let selection = stage.read().selection.version();
    let given = (stage.clone(), state.runs.revision, selection);
    let charts = use_memo(given, |(stage, ..)| {
        let stage = stage.read();
        let begun = stage.runs.iter().any(|run| run.log.events() > 0);
        begun.then(|| Chart::of(&stage.shown_comparison()).collect::<Vec<Chart>>())
    });
    let over_common = state.compares_over_common();
    let given = (stage.clone(), state.runs.revision, over_common, selection);
    let columns = use_memo(given, |(stage, _, over_common, _)| {
        columns(&stage.read(), *over_common)
    });
    let rows = {
        let stage = stage.read();
        stage.runs.len() * stage.workload.jobs.len()
    };
    let parts = use_parts(rows <= AT_ONCE);
    let Some(charts) = charts.as_ref() else {
        return html! { <p class="empty">{ "Run two schedulers to compare them: completion times, queue, allocation and fairness appear here." }</p> };
    };
    let version = (state.runs.revision, selection);
    let cards = charts.iter().take(parts).map(|&chart| {
        html! { <ChartCard key={chart.slug()} given={props.clone()} {chart} {version} /> }
    });
    let behind = parts.saturating_sub(charts.len());
    html! {
        <div class="compare">
            { headline((&**state, session), &columns, dark, &dispatch(session, RunsAction::Baseline)) }
            <Lives ..props.clone() />
            if columns.len() > 1 {
                <WhatChanged ..props.clone() />
            }
            <section class="charts" aria-label="Charts">{ for cards }</section>
            if behind > 0 {
                <AgainstRecorded given={props.clone()} columns={columns.clone()} />
                <ByQueue ..props.clone() />
            }
            if behind > 1 {
                <ByGroup given={props.clone()} columns={columns.clone()} />
            }
            { metrics_table(&columns, dark, state.runs.baseline, (session, over_common)) }
        </div>
    }
}
