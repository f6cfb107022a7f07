//! What was read, what was left out, and why.

use crate::draw::format;
use switchyard::trace::{Example, ImportReport};
use yew::prelude::*;

/// What was read of the file of this name, what was left out, and why.
pub(super) fn import_report(name: &str, report: &ImportReport) -> Html {
    let rows = |n: u32| format::count(u64::from(n));
    let where_is = |example: &Example| {
        let colon = if example.detail.is_empty() { "" } else { ": " };
        format!(
            "first at {} line {}{colon}{}",
            example.file, example.line, example.detail
        )
    };
    let dropped = report.dropped.iter().map(|dropped| {
        html! {
            <li title={where_is(&dropped.example)}>
                <span class="number">{ rows(dropped.count) }</span>{ " " }{ dropped.reason.text() }
                <span class="hint">{ where_is(&dropped.example) }</span>
            </li>
        }
    });
    let warnings = report.warnings.iter().map(|warning| {
        html! {
            <li title={where_is(&warning.example)}>{ &warning.text }<span class="hint">{ where_is(&warning.example) }</span></li>
        }
    });
    let left_out: u32 = report.dropped.iter().map(|dropped| dropped.count).sum();
    html! {
        <details class="report" open={left_out > 0 || !report.warnings.is_empty()} data-testid="import-report">
            <summary>
                { format!("{}: {} of {} rows kept", name, rows(report.rows_kept), rows(report.rows_read)) }
            </summary>
            <p class="hint">{ &report.recognised }</p>
            <p class="hint">{ &report.units }</p>
            if left_out > 0 {
                <h3>{ format!("{} left out", rows(left_out)) }</h3>
                <ul>{ for dropped }</ul>
            }
            if !report.warnings.is_empty() {
                <h3>{ "Worth knowing" }</h3>
                <ul>{ for warnings }</ul>
            }
        </details>
    }
}
