//! One round of a scheduler that decides over all jobs at once: how it searched, which job held which
//! GPUs before and after, and what speedup it expects of each job.

use crate::draw::{format, palette};
use crate::stage::Stage;
use crate::ui::controls::job_link;
use crate::ui::drawing::drawing;
use crate::ui::plot::chart;
use crate::ui::term::{Definition, Term};
use std::fmt::Write;
use switchyard::cluster::Part;
use switchyard::job::JobId;
use switchyard::order;
use switchyard::policies::{RoundReport, RoundRow};
use yew::prelude::*;

static SPEEDUP: Definition = Definition {
    id: "round-speedup",
    name: "speedup",
    meaning: "What the scheduler predicts: goodput on these GPUs over goodput on a fair share of the cluster (Pollux), or speed over that on one GPU (Optimus).",
    formula: "max goodput(a) ∕ max goodput(a_f)",
    source: "Pollux (OSDI'21), eq. 15.",
};
static MATRIX: Definition = Definition {
    id: "round-matrix",
    name: "GPUs by node",
    meaning: "The allocation matrix: a column per node, the darker the more of its GPUs the job is given. A frame: it held GPUs there before.",
    formula: "",
    source: "Pollux (OSDI'21), section 4.2.",
};

/// The most jobs shown.
const MOST_ROWS: usize = 120;

/// A cell of the matrix, CSS pixels.
const CELL: usize = 10;

/// The most nodes with a column each.
const MOST_NODES: u32 = 64;

/// A round; jobs whose GPUs it changed come first.
pub(super) fn round_panel(
    stage: &Stage,
    name: &str,
    report: &RoundReport,
    on_job: &Callback<JobId>,
) -> Html {
    let mut rows: Vec<&RoundRow> = report.rows.iter().collect();
    order::sort_by_key(&mut rows, |row| row.before == row.after);
    let changed = rows.iter().filter(|row| row.before != row.after).count();
    let left_out = rows.len().saturating_sub(MOST_ROWS);
    let sizes: Vec<u32> = stage.cluster.gpus_per_node().collect();
    let body = rows.iter().take(MOST_ROWS).map(|row| {
        let job = row.job;
        let name = stage
            .workload
            .jobs
            .get(job.index())
            .map_or("", |job| &*job.name);
        html! {
            <tr key={job.0}>
                <th scope="row">{ job_link(name, job, on_job) }</th>
                <td>{ from_to(Part::gpus_of(&row.before), Part::gpus_of(&row.after), |n| n.to_string()) }</td>
                <td>{ from_to(row.speedup_before, row.speedup, format::figures) }</td>
                <td>{ drawing(&matrix(row, &sizes, stage.dark)) }</td>
            </tr>
        }
    });
    html! {
        <section class="round" aria-label={format!("Round of {name}")}>
            <h2>{ format!("{name}: the round at {}", stage.moments().second(report.at.seconds())) }</h2>
            <p class="hint">{ format!("{} jobs, {changed} of them given other {}", report.rows.len(), format::units("GPUs")) }</p>
            <div class="plots">{ for report.plots.iter().map(|plot| chart(plot, stage.dark, "the choice")) }</div>
            <div class="rows" tabindex="0" role="region" aria-label="Jobs of the round">
                <table>
                    <thead><tr>
                        <th scope="col">{ "job" }</th>
                        <th scope="col">{ format::units("GPUs") }</th>
                        <th scope="col"><Term definition={SPEEDUP} /></th>
                        <th scope="col"><Term definition={MATRIX} /></th>
                    </tr></thead>
                    <tbody>{ for body }</tbody>
                </table>
                if left_out > 0 {
                    <p class="hint">{ format!("and {left_out} more jobs") }</p>
                }
            </div>
        </section>
    }
}

/// A value, or how it changes.
fn from_to<T: PartialEq>(before: T, after: T, words: impl Fn(T) -> String) -> String {
    if before == after {
        words(after)
    } else {
        format!("{} → {}", words(before), words(after))
    }
}

/// A row of the allocation matrix; of very many nodes those that the job has to do with.
fn matrix(row: &RoundRow, sizes: &[u32], dark: bool) -> String {
    let on = |parts: &[Part], node: u32| {
        let part = parts.iter().find(|part| part.node == node);
        part.map_or(0, |part| part.gpus)
    };
    let all = sizes.len() as u32;
    let nodes: Vec<u32> = if all <= MOST_NODES {
        (0..all).collect()
    } else {
        let touched = |node: &u32| on(&row.before, *node) + on(&row.after, *node) > 0;
        (0..all).filter(touched).collect()
    };
    let words = nodes.iter().filter_map(|&node| {
        let (before, after) = (on(&row.before, node), on(&row.after, node));
        (before + after > 0)
            .then(|| format!("node {node}: {}", from_to(before, after, |n| n.to_string())))
    });
    let words: Vec<String> = words.collect();
    let colour = palette::run_colour(0, dark);
    let width = nodes.len() * CELL;
    let mut svg = format!(
        "<svg role='img' width='{width}' height='{CELL}' aria-label='{words}'><title>{words}</title>",
        words = words.join(", ")
    );
    for (i, &node) in nodes.iter().enumerate() {
        let (before, after) = (on(&row.before, node), on(&row.after, node));
        let size = sizes.get(node as usize).copied().unwrap_or(1).max(1);
        let share = f64::from(after) / f64::from(size);
        let class = if before > 0 { "held" } else { "cell" };
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<rect class='{class}' x='{}' y='.5' width='{}' height='{}' fill='{colour}' fill-opacity='{share:.2}'/>",
            i * CELL,
            CELL - 1,
            CELL - 1
        );
    }
    svg.push_str("</svg>");
    svg
}
