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
use switchyard::policies::{ChoiceColumn, ChoiceRow, Choices, RoundReport, RoundRow};
use yew::prelude::*;

static SPEEDUP: Definition = Definition {
    id: "round-speedup",
    name: "speedup",
    meaning: "What the scheduler predicts: goodput on these GPUs over goodput on a fair share of the cluster (Pollux) or on the job's least configuration (Sia), or speed over that on one GPU (Optimus).",
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

static CHOICES: Definition = Definition {
    id: "round-choices",
    name: "What each job could have",
    meaning: "A column for each number of GPUs of a type. A number: the job's goodput there over that on its least configuration, the darker the more. A frame: what it was given; a dashed one: what it had before. No number: it cannot use that, or must not yet, since it has run on less than half as many GPUs.",
    formula: "min Σ (ρ·goodput)^p + λₙ·(jobs without GPUs)",
    source: "Sia (SOSP'23), section 3.4.",
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
        html! {
            <tr key={job.0}>
                <th scope="row">{ named(stage, job, on_job) }</th>
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
            { report.choices.as_ref().map(|choices| choices_table(stage, report, choices, on_job)).unwrap_or_default() }
        </section>
    }
}

/// A job's name, which leads to it.
fn named(stage: &Stage, job: JobId, on_job: &Callback<JobId>) -> Html {
    let jobs = &stage.workload.jobs;
    let name = jobs.get(job.index()).map_or("", |job| &*job.name);
    job_link(name, job, on_job)
}

/// The matrix of jobs and what they could have; those that were given something else come first.
fn choices_table(
    stage: &Stage,
    report: &RoundReport,
    choices: &Choices,
    on_job: &Callback<JobId>,
) -> Html {
    let mut rows: Vec<(JobId, &ChoiceRow)> = (report.rows.iter().map(|row| row.job))
        .zip(&choices.rows)
        .collect();
    order::sort_by_key(&mut rows, |(_, row)| row.former == row.chosen);
    rows.truncate(MOST_ROWS);
    let mut types: Vec<(&str, usize)> = Vec::new();
    for column in &choices.columns {
        match types.last_mut() {
            Some((gpu, columns)) if *gpu == column.gpu => *columns += 1,
            _ => types.push((&column.gpu, 1)),
        }
    }
    let types = types.into_iter().map(|(gpu, columns)| {
        let gpu = match gpu {
            "" => format::units("GPUs"),
            gpu => gpu.to_owned().into(),
        };
        html! { <th scope="colgroup" colspan={columns.to_string()}>{ gpu }</th> }
    });
    let body = rows.into_iter().map(|(job, row)| {
        let worth = row.worth.iter().flatten();
        let most = worth.fold(0.0, |most: f32, &worth| most.max(worth));
        let cells = choices.columns.iter().zip(&row.worth).enumerate();
        html! {
            <tr key={job.0}>
                <th scope="row">{ named(stage, job, on_job) }</th>
                { for cells.map(|(at, (column, worth))| choice(at as u32, column, *worth, row, most)) }
            </tr>
        }
    });
    html! {
        <>
            <h3><Term definition={CHOICES} /></h3>
            <div class="rows choices" tabindex="0" role="region" aria-label="What each job could have">
                <table>
                    <thead>
                        <tr><td></td>{ for types }</tr>
                        <tr>
                            <th scope="col">{ "job" }</th>
                            { for choices.columns.iter().map(|column| html! { <th scope="col">{ column.gpus }</th> }) }
                        </tr>
                    </thead>
                    <tbody>{ for body }</tbody>
                </table>
            </div>
        </>
    }
}

/// What one configuration is worth to a job.
fn choice(at: u32, column: &ChoiceColumn, worth: Option<f32>, row: &ChoiceRow, most: f32) -> Html {
    let is = |of: Option<u32>| of == Some(at);
    let class = match (is(row.chosen), is(row.former)) {
        (true, _) => "chosen",
        (false, true) => "former",
        (false, false) => "",
    };
    let Some(worth) = worth else {
        return html! { <td {class}></td> };
    };
    let said = match class {
        "chosen" => ": given",
        "former" => ": had before",
        _ => "",
    };
    let title = format!(
        "{} × {} on {}{said}",
        column.gpus,
        column.gpu,
        format::counted(u64::from(column.nodes), "node", "nodes"),
    );
    let style = format!("--share: {:.0}%", 40.0 * worth / most);
    html! { <td {class} {title} ~style={style}>{ format::figures(f64::from(worth)) }</td> }
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
