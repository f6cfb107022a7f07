//! Compare: charts of all runs and a table of their metrics.

use super::chart_card::ChartCard;
use super::metrics_table::{columns, metrics_table};
use crate::draw::charts::{Chart, Figure};
use crate::stage::SharedStage;
use std::rc::Rc;
use yew::prelude::*;

/// What Compare needs.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The runs.
    pub stage: SharedStage,
    /// Changes when the runs' data has changed.
    pub revision: u32,
    /// Whether the page is dark.
    pub dark: bool,
    /// The run the others are compared with.
    pub baseline: u32,
    /// Chooses another baseline.
    pub on_baseline: Callback<u32>,
    /// Moves the clock.
    pub on_seek: Callback<f64>,
}

/// Compare.
#[component]
pub fn Compare(props: &Props) -> Html {
    let figures = use_memo((props.stage.clone(), props.revision), |(stage, _)| {
        let stage = stage.read();
        let begun = stage.runs.iter().any(|run| run.log.events() > 0);
        let figures = Chart::ALL.map(|chart| Rc::new(Figure::of(chart, &stage)));
        begun.then_some(figures)
    });
    let columns = use_memo((props.stage.clone(), props.revision), |(stage, _)| {
        columns(&stage.read())
    });
    let Some(figures) = figures.as_ref() else {
        return html! { <p class="empty">{ "Run two schedulers to compare them: completion times, queue, allocation and fairness appear here." }</p> };
    };
    let charts = figures.iter().map(|figure| {
        html! {
            <ChartCard key={figure.chart.slug()} stage={props.stage.clone()} figure={figure.clone()} dark={props.dark} on_seek={props.on_seek.clone()} />
        }
    });
    html! {
        <div class="compare">
            <section class="charts" aria-label="Charts">{ for charts }</section>
            { metrics_table(&columns, props.dark, props.baseline, &props.on_baseline) }
        </div>
    }
}
