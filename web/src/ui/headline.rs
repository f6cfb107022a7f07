//! The runs in the few numbers that papers compare: a row a run, each number beside the baseline's, the
//! best of each column marked; and the same table as a file.

use super::controls::{quiet_button, swatch};
use super::export::{TABLES, save_table};
use super::metrics::{METRICS, Metric};
use super::metrics_table::{Column, cell, known, reference};
use super::term::Term;
use crate::draw::format;
use crate::stage::SharedStage;
use crate::state::AppState;
use yew::prelude::*;

/// The metrics of the headline, by their definitions' ids.
const SHOWN: [&str; 6] = [
    "jct-mean",
    "jct-median",
    "jct-p95",
    "makespan",
    "rho-mean",
    "restarts",
];

/// Tells the terms here from those of the whole table.
const PLACE: u32 = 1;

/// The headline; `on_baseline` chooses another run to compare with.
pub(super) fn headline(
    (state, stage): (&AppState, &SharedStage),
    columns: &[Column],
    dark: bool,
    on_baseline: &Callback<u32>,
) -> Html {
    let Some(baseline) = reference(columns, state.baseline) else {
        return Html::default();
    };
    let named = |id: &&str| METRICS.iter().find(|of| of.definition.id == *id);
    let metrics = || SHOWN.iter().filter_map(named);
    let values: Vec<(&Metric, Vec<f64>)> = metrics()
        .map(|metric| {
            let values = columns.iter().map(|column| known(metric, &column.summary));
            (metric, values.collect())
        })
        .collect();
    let heads = metrics().map(|metric| {
        html! { <th scope="col"><Term definition={&metric.definition} place={PLACE} /></th> }
    });
    let rows = columns.iter().enumerate().map(|(position, column)| {
        let chosen = column.id == baseline.id;
        let choose = {
            let (on_baseline, id) = (on_baseline.clone(), column.id);
            Callback::from(move |_: Event| on_baseline.emit(id))
        };
        let (done, jobs) = column.done;
        let cells = values
            .iter()
            .map(|(metric, values)| cell((metric.definition.name, metric.look), columns, baseline, values, position));
        html! {
            <tr key={column.id}>
                <th scope="row" title={column.spec.clone()}>
                    <label>
                        if columns.len() > 1 {
                            <input type="radio" name="baseline" checked={chosen} onchange={choose}
                                aria-label={format!("Compare with {}", column.name)} />
                        }
                        { swatch(column.hue, dark) }
                        <span class="run">{ &column.name }</span>
                    </label>
                    if chosen && columns.len() > 1 {
                        <span class="so-far">{ "baseline" }</span>
                    }
                    if !column.complete {
                        <span class="so-far">{ format!("so far: {} of {} jobs", format::count(done.into()), format::count(jobs.into())) }</span>
                    }
                </th>
                { for cells }
            </tr>
        }
    });
    let title = state.trace.as_ref().map_or("", |trace| &trace.name);
    let files = TABLES.iter().map(|of| {
        let (stage, baseline, title) = (stage.clone(), baseline.id, title.to_owned());
        let save = Callback::from(move |_: MouseEvent| save_table(&stage, baseline, &title, of));
        quiet_button(
            &format!("Save this table as {}", of.0),
            None,
            html! { of.0 },
            save,
        )
    });
    html! {
        <section class="headline" aria-label="Headline">
            <div class="headline-files"><span class="hint">{ "As a table for a paper:" }</span>{ for files }</div>
            <div class="metrics" tabindex="0" role="region" aria-label="Headline of the runs">
                <table>
                    <thead>
                        <tr>
                            <th scope="col"><span class="hint">{ if columns.len() > 1 { "compared with the chosen run" } else { "" } }</span></th>
                            { for heads }
                        </tr>
                    </thead>
                    <tbody>{ for rows }</tbody>
                </table>
            </div>
        </section>
    }
}
