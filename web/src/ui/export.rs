//! Export: results, timelines and charts as files. Nothing goes over the network.

use super::controls::quiet_button;
use super::download;
use super::menu::Menu;
use super::metrics_table::{RunColumn, columns};
use super::picture_saver::picture_item;
use super::printed::printed;
use super::services::StateHandle;
use crate::bridge::protocol::ExportFormat;
use crate::comparison::{outcomes, summary};
use crate::draw::format;
use crate::stage::{SharedStage, Stage, StageRun};
use crate::state::AppState;
use std::borrow::Cow;
use switchyard::job::JobId;
use switchyard::report::{
    ClusterFacts, Outcomes, Results, RunResult, ServerFigures, Summary, TableForm, TraceFacts,
    by_gpu_type, chrome_trace, jct_by_name, jobs_csv, paper_table,
};
use switchyard_app::figures::{Chart, Figure};
use switchyard_charts::figure;
use yew::prelude::*;

/// What the menu needs.
#[derive(Clone, Properties, PartialEq)]
pub(super) struct Props {
    /// The runs.
    pub(super) stage: SharedStage,
    /// The page's state, of which results name every setting.
    pub(super) state: StateHandle,
    /// Writes the jobs, and saves them under the name.
    pub(super) on_jobs: Callback<(ExportFormat, String)>,
    /// What views save besides charts, as items of a list.
    pub(super) of_views: Html,
}

/// What the jobs can be saved as: what it is, the format's name, and the end of the file's name.
const JOBS: &[(&str, &str, ExportFormat, &str)] = &[
    (
        "Experiment: jobs and settings",
        "CSV",
        ExportFormat::Switchyard,
        "experiment.csv",
    ),
    ("Jobs alone", "SWF", ExportFormat::Swf, "jobs.swf"),
    (
        "Jobs as Tiresias reads them",
        "CSV",
        ExportFormat::Tiresias,
        "tiresias.csv",
    ),
];

/// One of [`TABLES`].
type Table = (&'static str, &'static str, &'static str, TableForm);

/// What the table of a paper can be saved as: the format's name, the end of the file's name, its type.
pub(super) static TABLES: &[Table] = &[
    ("CSV", "table.csv", "text/csv", TableForm::Csv),
    ("LaTeX", "table.tex", "application/x-tex", TableForm::Latex),
    ("Markdown", "table.md", "text/markdown", TableForm::Markdown),
];

/// The menu and its button.
#[component]
pub(super) fn ExportMenu(props: &Props) -> Html {
    let stage = props.stage.read();
    let something = stage.runs.iter().any(|run| run.log.events() > 0);
    let charts = Chart::of(&stage.shown_comparison()).map(|chart| {
        let title = chart.title(format::unit());
        let stage = props.stage.clone();
        let draw = Callback::from(move |paper| {
            figure::on_paper(&Figure::of(chart, &stage.read().shown_comparison()), paper)
        });
        picture_item(&title, &file_name(&props.state, chart.slug()), &draw)
    });
    let save = |suffix: String,
                mime: &'static str,
                make: fn(&Props, usize) -> String,
                position: usize| {
        let (props, name) = (props.clone(), file_name(&props.state, &suffix));
        Callback::from(move |_: MouseEvent| download::text(&name, mime, &make(&props, position)))
    };
    let names = stage
        .runs
        .iter()
        .map(|run| run.name().to_owned())
        .collect::<Vec<_>>();
    let timelines = names.iter().enumerate().map(|(position, name)| {
        let onclick = save(format!("{name}.trace.json"), "application/json", timeline, position);
        let label = format!("Timeline of {name} as Chrome trace");
        html! { <li><span>{ name }</span>{ quiet_button(&label, None, html! { "JSON" }, onclick) }</li> }
    });
    let workload = JOBS.iter().map(|&(what, kind, format, end)| {
        let name = match format {
            ExportFormat::Switchyard => file_name(&props.state, end),
            // Jobs alone are the same on every cluster.
            _ => named(&[trace_name(&props.state), end]),
        };
        let onclick = props.on_jobs.reform(move |_: MouseEvent| (format, name.clone()));
        let label = format!("{what} as {kind}");
        html! { <li><span>{ what }</span>{ quiet_button(&label, None, html! { kind }, onclick) }</li> }
    });
    let tables = TABLES.iter().map(|of| {
        let props = props.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            let name = file_name(&props.state, of.1);
            let of_runs = (
                props.state.runs.baseline,
                props.state.compares_over_common(),
            );
            save_table(&props.stage, of_runs, &name, of);
        });
        let label = format!("Table for a paper as {}", of.0);
        quiet_button(&label, None, html! { of.0 }, onclick)
    });
    html! {
        <Menu name="Export" id="export-panel" title="Save results, timelines and charts">
                <h2>{ "To open again, or share" }</h2>
                <ul>{ for workload }</ul>
                if something {
                    <h2>{ "Results" }</h2>
                    <ul>
                        <li>
                            <span>{ "Every job in every run" }</span>
                            { quiet_button("Jobs as CSV", None, html! { "CSV" }, save("jobs.csv".into(), "text/csv", csv, 0)) }
                        </li>
                        <li>
                            <span>{ "The comparison on a page, to print" }</span>
                            { quiet_button("Comparison as HTML", None, html! { "HTML" }, save("comparison.html".into(), "text/html", on_a_page, 0)) }
                        </li>
                        <li>
                            <span>{ "Metrics, as the command line prints" }</span>
                            { quiet_button("Metrics as JSON", None, html! { "JSON" }, save("results.json".into(), "application/json", json, 0)) }
                        </li>
                        <li>
                            <span>{ "Table for a paper: mean, median, p95, makespan, ρ, restarts" }</span>
                            { for tables }
                        </li>
                    </ul>
                    <h2>{ "Timelines, for ui.perfetto.dev" }</h2>
                    <ul>{ for timelines }</ul>
                    <h2>{ "Charts" }</h2>
                    <ul>{ props.of_views.clone() }{ for charts }</ul>
                } else {
                    <p class="hint">{ "No results yet: run a scheduler first." }</p>
                }
        </Menu>
    }
}

/// One row per job and run.
fn csv(props: &Props, _: usize) -> String {
    jobs_table(&props.stage.read(), &|_| true)
}

/// One row for each of these jobs and each run.
pub(super) fn jobs_table(stage: &Stage, is_meant: &dyn Fn(JobId) -> bool) -> String {
    let outcomes = |run| outcomes(stage, run);
    let runs = stage.runs.iter();
    let runs: Vec<(String, Cow<'_, Outcomes>)> = runs
        .map(|run| (run.policy.to_string(), outcomes(run)))
        .collect();
    let runs = runs.iter().map(|(label, of)| (label.as_str(), &**of));
    jobs_csv(&stage.workload, runs, is_meant)
}

/// Saves the runs under a name as one of [`TABLES`], a row each, the one that others are compared with first; over the
/// jobs that finished in all, if so.
pub(super) fn save_table(
    stage: &SharedStage,
    (baseline, over_common): (u32, bool),
    name: &str,
    of: &Table,
) {
    let columns = columns(&stage.read(), over_common);
    let is_first = |run: &&RunColumn| run.id == baseline;
    let first = columns.iter().filter(is_first);
    let runs = first.chain(columns.iter().filter(|run| !is_first(run)));
    let runs = runs.map(|run| (run.called(over_common), &run.compared));
    let runs: Vec<(String, &Summary)> = runs.collect();
    let runs: Vec<(&str, &Summary)> = runs.iter().map(|(called, of)| (&**called, *of)).collect();
    let &(_, _, mime, form) = of;
    download::text(name, mime, &paper_table(&runs, form));
}

/// The trace's name; "" where none is open.
fn trace_name(state: &AppState) -> &str {
    let trace = state.opening.trace.as_ref();
    trace.map_or("", |trace| &trace.name)
}

/// All that Compare shows in short.
fn on_a_page(props: &Props, _: usize) -> String {
    printed(&props.stage.read(), &props.state)
}

/// The runs in numbers, with every job's JCT.
fn json(props: &Props, _: usize) -> String {
    results(&props.stage, &props.state)
}

/// The same, for scripts.
pub(super) fn results(stage: &SharedStage, state: &AppState) -> String {
    let stage = stage.read();
    let runs = stage.runs.iter();
    let results = Results {
        trace: facts(state, &stage),
        cluster: ClusterFacts::of(&stage.cluster, stage.workload.unit),
        preset: None,
        finished_in_all: None,
        runs: runs.filter_map(|run| result(state, &stage, run)).collect(),
        queues_apart: Vec::new(),
    };
    // Numbers and strings always make JSON.
    serde_json::to_string_pretty(&results).unwrap_or_default()
}

/// The trace, and what was made of it.
fn facts(state: &AppState, stage: &Stage) -> TraceFacts {
    let Some(trace) = &state.opening.trace else {
        return TraceFacts::of("", &stage.workload);
    };
    let facts = TraceFacts {
        member: trace.member.clone(),
        columns: trace.columns.clone(),
        choice: state.experiment().choice,
        ..TraceFacts::of(&trace.format, &stage.workload)
    };
    match state.applications() {
        Some(settings) => facts.training(&settings, !trace.adaptive),
        None => facts,
    }
}

fn result(state: &AppState, stage: &Stage, run: &StageRun) -> Option<RunResult> {
    let card = state.run(run.id)?;
    let wall_ms = run.finished().and_then(|of| of.wall_ms).unwrap_or_default();
    let spec = state.run_spec(card);
    let outcomes = outcomes(stage, run);
    Some(RunResult {
        label: run.name().to_owned(),
        by_gpu_type: by_gpu_type(&stage.cluster, &run.log, &outcomes),
        parameter_servers: ServerFigures::of(&run.log),
        per_job: Some(jct_by_name(&stage.workload, &outcomes)),
        ..RunResult::new(&spec, &summary(stage, run), wall_ms, run.log.hash())
    })
}

/// A run's timeline, which Perfetto opens.
fn timeline(props: &Props, position: usize) -> String {
    let stage = props.stage.read();
    stage.runs.get(position).map_or_else(String::new, |run| {
        chrome_trace(&stage.workload, &stage.cluster, &run.log)
    })
}

/// A file's name for something of these jobs on this cluster.
pub(super) fn file_name(state: &AppState, what: &str) -> String {
    let cluster = state.setup.cluster.to_string();
    named(&[
        trace_name(state),
        &format::cut(&cluster, MOST_OF_CLUSTER),
        what,
    ])
}

/// A cluster in a file's name is cut after so many letters.
const MOST_OF_CLUSTER: usize = 40;

/// A file's name that every system takes: the trace's name and what else tells it from others.
fn named(parts: &[&str]) -> String {
    let plain = |c: char| {
        if c.is_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '-'
        }
    };
    let named = |part: &&str| if part.is_empty() { "switchyard" } else { part }.to_owned();
    let parts: Vec<String> = parts.iter().map(named).collect();
    parts.join("-").chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_plain() {
        assert_eq!(
            named(&[
                "A lab's day",
                "2x4:v100+8x4",
                "fifo[backfill=true].trace.json"
            ]),
            "A-lab-s-day-2x4-v100-8x4-fifo-backfill-true-.trace.json"
        );
        assert_eq!(named(&["", "8x4", "jobs.csv"]), "switchyard-8x4-jobs.csv");
    }
}
