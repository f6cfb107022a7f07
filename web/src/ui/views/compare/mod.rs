//! Compare: the runs in a few numbers, what changed from one to another, charts, and all numbers.

mod by_group;
mod by_queue;
mod chart_card;
mod headline;
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
use headline::headline;
use lives::Lives;
use std::rc::Rc;
use switchyard_app::figures::{Chart, Figure};
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

/// Charts and metrics.
#[component]
fn Compare(props: &StateProps) -> Html {
    let StateProps { state, services } = props;
    let (session, dark) = (&services.session, is_dark(state.view.theme));
    let stage = session.stage();
    let selection = stage.read().selection.version();
    let given = (stage.clone(), state.runs.revision, selection);
    let figures = use_memo(given, |(stage, ..)| {
        let stage = stage.read();
        let begun = stage.runs.iter().any(|run| run.log.events() > 0);
        let runs = stage.shown_comparison();
        let figures = Chart::of(&runs).map(|chart| Rc::new(Figure::of(chart, &runs)));
        begun.then(|| figures.collect::<Vec<_>>())
    });
    let over_common = state.compares_over_common();
    let given = (stage.clone(), state.runs.revision, over_common, selection);
    let columns = use_memo(given, |(stage, _, over_common, _)| {
        columns(&stage.read(), *over_common)
    });
    let Some(figures) = figures.as_ref() else {
        return html! { <p class="empty">{ "Run two schedulers to compare them: completion times, queue, allocation and fairness appear here." }</p> };
    };
    let charts = figures.iter().map(|figure| {
        html! {
            <ChartCard key={figure.chart.slug()} given={props.clone()} figure={figure.clone()} />
        }
    });
    html! {
        <div class="compare">
            { headline((&**state, session), &columns, dark, &dispatch(session, RunsAction::Baseline)) }
            <Lives ..props.clone() />
            if columns.len() > 1 {
                <WhatChanged ..props.clone() />
            }
            <section class="charts" aria-label="Charts">{ for charts }</section>
            <AgainstRecorded given={props.clone()} columns={columns.clone()} />
            <ByQueue ..props.clone() />
            <ByGroup given={props.clone()} columns={columns.clone()} />
            { metrics_table(&columns, dark, state.runs.baseline, (session, over_common)) }
        </div>
    }
}
