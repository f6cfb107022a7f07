//! The runs in the few numbers that papers compare: a row a run, each number beside the baseline's, the
//! best of each column marked; and the same table as a file.

use crate::draw::format;
use crate::session::Session;
use crate::state::view_options::COMPARE_OVER;
use crate::state::{AppState, ViewAction};
use crate::ui::controls::{quiet_button, swatch};
use crate::ui::export::{TABLES, file_name, save_table};
use crate::ui::metrics::{MetricStyle, definition};
use crate::ui::metrics_table::{RunColumn, cell, compared_jobs, known, opened, reference};
use crate::ui::term::Term;
use switchyard::report::Metric;
use yew::prelude::*;

/// Tells the terms here from those of the whole table.
const PLACE: u32 = 1;

/// Over which jobs runs are compared, where some leave jobs behind, and why jobs train applications.
fn terms(state: &AppState, session: &Session, columns: &[RunColumn]) -> Html {
    let leaves = |column: &RunColumn| column.complete && !column.summary.is_whole();
    let over_common = state.compares_over_common();
    let over = columns.iter().find(|column| column.complete);
    let over = over.map_or(0, |column| column.compared.jobs);
    let onchange = {
        let session = session.clone();
        Callback::from(move |_: Event| {
            let other = if over_common {
                "all"
            } else {
                "finished-in-all"
            };
            session.dispatch(ViewAction::SetOption(&COMPARE_OVER, other.to_owned()));
        })
    };
    let trained = state.why_trained();
    let selected = {
        let stage = session.stage().read();
        let all = stage.workload.jobs.len() as u64;
        let jobs = stage.selection.jobs().map(|jobs| jobs.count());
        jobs.map(|jobs| {
            let all = format::counted(all, "job", "jobs");
            format!(
                "Of the {} of {all} that are selected. What is told by queue is of all jobs.",
                format::count(jobs)
            )
        })
    };
    html! {
        <>
            if let Some(selected) = selected {
                <p class="terms" role="status">{ selected }</p>
            }
            if columns.iter().any(leaves) {
                <p class="terms" role="status">
                    if over_common {
                        { format!("Compared over the {} that finished in all runs. ", format::counted(over.into(), "job", "jobs")) }
                    } else {
                        { "A run that leaves jobs behind is not compared: its numbers are of the jobs that finished. " }
                    }
                    if columns.len() > 1 {
                        <label data-option={COMPARE_OVER.link}>
                            <input type="checkbox" checked={over_common} {onchange} />
                            { " compare over the jobs that finished in all runs" }
                        </label>
                    }
                </p>
            }
            if let Some(why) = trained {
                <p class="terms hint">{ why }</p>
            }
        </>
    }
}

/// The headline; `on_baseline` chooses another run to compare with.
pub(super) fn headline(
    (state, session): (&AppState, &Session),
    columns: &[RunColumn],
    dark: bool,
    on_baseline: &Callback<u32>,
) -> Html {
    let (stage, over_common) = (session.stage(), state.compares_over_common());
    let Some(baseline) = reference(columns, state.runs.baseline) else {
        return Html::default();
    };
    let values: Vec<(&Metric, Vec<f64>)> = Metric::headline()
        .map(|metric| {
            let values = columns.iter().map(|column| known(metric, &column.compared));
            (metric, values.collect())
        })
        .collect();
    let heads = Metric::headline().map(|metric| {
        html! { <th scope="col"><Term definition={definition(metric)} place={PLACE} /></th> }
    });
    let rows = columns.iter().enumerate().map(|(position, column)| {
        let chosen = column.id == baseline.id;
        let choose = {
            let (on_baseline, id) = (on_baseline.clone(), column.id);
            Callback::from(move |_: Event| on_baseline.emit(id))
        };
        let cells = values.iter().map(|(metric, values)| {
            cell(
                (metric.title, MetricStyle::of(metric)),
                columns,
                (baseline, RunColumn::is_comparable),
                values,
                position,
                |column, text| opened(session, metric, column, compared_jobs(over_common), text),
            )
        });
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
                    if let Some(state) = column.state() {
                        <span class="so-far">{ state }</span>
                    }
                </th>
                { for cells }
            </tr>
        }
    });
    let files = TABLES.iter().map(|of| {
        let (stage, baseline, name) = (stage.clone(), baseline.id, file_name(state, of.1));
        let over = (baseline, over_common);
        let save = Callback::from(move |_: MouseEvent| save_table(&stage, over, &name, of));
        quiet_button(
            &format!("Save this table as {}", of.0),
            None,
            html! { of.0 },
            save,
        )
    });
    html! {
        <section class="headline" aria-label="Headline">
            { terms(state, session, columns) }
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
