//! What was read, what was left out, and why.

use super::drawing::drawing;
use crate::draw::format;
use crate::selected_jobs::conditions;
use crate::session::Session;
use crate::state::TraceInfo;
use switchyard::trace::{Example, ImportReport};
use switchyard_app::figures::Bars;
use switchyard_charts::bars;
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

/// A click on a bar of the chart selects the jobs that it counts.
fn select_bar(session: &Session, chart: &Bars) -> Callback<MouseEvent> {
    let (session, chart) = (session.clone(), chart.clone());
    Callback::from(move |event: MouseEvent| {
        let target = event.target();
        let target = target.and_then(|target| target.dyn_into::<Element>().ok());
        let Some(Ok(Some(picture))) = target.map(|target| target.closest("svg")) else {
            return;
        };
        let bounds = picture.get_bounding_client_rect();
        let part = (f64::from(event.client_x()) - bounds.left()) / bounds.width();
        let at = (part * chart.bars.len() as f64).max(0.0) as usize;
        if let Some(condition) = conditions::of_bar(&chart, at) {
            session.press_condition(&condition, event.shift_key());
        }
    })
}

/// What the distributions need.
#[derive(Properties, PartialEq)]
struct DistributionsProps {
    charts: Vec<Bars>,
    session: Session,
    dark: bool,
}

/// How what was kept is distributed. A component of its own: the page is rendered often, and this seldom changes.
#[component]
fn Distributions(props: &DistributionsProps) -> Html {
    let DistributionsProps {
        charts,
        session,
        dark,
    } = props;
    let charts = charts.iter().map(|chart| {
        let picture = drawing(&bars::svg(chart, *dark));
        if chart.field.is_empty() {
            return html! { <figure><figcaption>{ &chart.title }</figcaption>{ picture }</figure> };
        }
        let onclick = select_bar(session, chart);
        html! {
            <figure class="pressed"><figcaption>{ &chart.title }<span class="hint">{ ": click on a bar to select its jobs" }</span></figcaption>
                <div {onclick}>{ picture }</div></figure>
        }
    });
    html! {
        <details class="distributions">
            <summary>{ "Distributions" }</summary>
            { for charts }
        </details>
    }
}

/// What was read of the trace, what was left out, and why; how what was kept is distributed.
pub(super) fn import_report(
    trace: &TraceInfo,
    report: &ImportReport,
    session: &Session,
    dark: bool,
) -> Html {
    let rows = |n: u32| format::count(u64::from(n));
    let where_is = |example: &Example| {
        let colon = if example.detail.is_empty() { "" } else { ": " };
        let line = match example.line {
            0 => String::new(),
            line => format!(" line {line}"),
        };
        format!("first at {}{line}{colon}{}", example.file, example.detail)
    };
    let dropped = report.dropped.iter().map(|dropped| {
        html! {
            <li title={where_is(&dropped.example)}>
                <span class="number">{ rows(dropped.count) }</span>{ " " }{ dropped.reason.text() }
                <span class="hint">{ where_is(&dropped.example) }</span>
                if let Some(way_out) = dropped.reason.way_out() {
                    <span class="hint">{ way_out }</span>
                }
            </li>
        }
    });
    let warnings = report.warnings.iter().map(|warning| {
        html! {
            <li title={where_is(&warning.example)}>{ &warning.text }<span class="hint">{ where_is(&warning.example) }</span></li>
        }
    });
    let left_out: u32 = report.dropped.iter().map(|dropped| dropped.count).sum();
    let columns = report.table.as_ref().map(|table| {
        let (session, table) = (session.clone(), table.clone());
        let onclick = Callback::from(move |_: MouseEvent| session.ask_columns(&table));
        html! {
            <p class="hint">
                if trace.remembered {
                    { "Columns are read as you chose for an earlier file with the same header. " }
                }
                <button type="button" class="link" {onclick}>{ "Change columns and units…" }</button>
            </p>
        }
    });
    html! {
        <details class="report" open={trace.remembered || left_out > 0 || !report.warnings.is_empty()} data-testid="import-report">
            <summary>
                { format!("{}: {} of {} rows kept", trace.name, rows(report.rows_kept), rows(report.rows_read)) }
            </summary>
            <p class="hint">{ &report.recognised }</p>
            <p class="hint">{ &report.units }</p>
            if !report.cluster.is_empty() {
                <p class="hint">{ &report.cluster }</p>
            }
            { columns.unwrap_or_default() }
            if left_out > 0 {
                <h3>{ format!("{} left out", rows(left_out)) }</h3>
                <ul>{ for dropped }</ul>
            }
            if !report.warnings.is_empty() {
                <h3>{ "Worth knowing" }</h3>
                <ul>{ for warnings }</ul>
            }
            <Distributions charts={trace.charts.clone()} session={session.clone()} {dark} />
        </details>
    }
}
