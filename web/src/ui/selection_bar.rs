//! What is selected, a range of time or some jobs or both: what happens there under every scheduler, and what can be
//! done with it.

use super::clock::use_axis;
use super::controls::{quiet_button, swatch, switch_button};
use super::download;
use super::export::{file_name, jobs_table};
use super::icon::{Icon, sign};
use super::services::StateProps;
use super::term::{Definition, Term};
use super::theme::is_dark;
use crate::draw::format;
use crate::selected_jobs::{SelectedJobs, conditions};
use crate::session::Session;
use crate::stage::{Stage, StageRun};
use crate::state::view_options::JOBS_FILTER;
use crate::state::{AppState, ViewAction};
use crate::time_axis::{AxisRequest, Window};
use crate::totals::{self, Totals};
use switchyard::job::JobId;
use switchyard::workload::Label;
use yew::prelude::*;

static FINISHED: Definition = Definition {
    id: "range-finished",
    name: "finished",
    meaning: "Selected jobs that finish in the range, whenever they were submitted; all jobs, or all of time, where none is selected.",
    formula: "",
    source: "",
};
static HELD: Definition = Definition {
    id: "range-held",
    name: "GPU·h held",
    meaning: "How long GPUs are held by these jobs within the range, restarts included; and how much of the cluster that is.",
    formula: "Σ GPUs × time",
    source: "",
};
static WAIT: Definition = Definition {
    id: "range-wait",
    name: "mean wait",
    meaning: "Of the jobs submitted in the range: the mean time that they spend without GPUs, over their whole lives. Known once a run is complete.",
    formula: "JCT − time on GPUs",
    source: "",
};
static JCT: Definition = Definition {
    id: "range-jct",
    name: "mean JCT",
    meaning: "Of the same jobs: the mean time from submission to completion. Known once a run is complete.",
    formula: "finish − submit",
    source: "",
};

/// Makes every drag over time select a range, until it is pressed again: for fingers, and for people who
/// do not know of Shift.
#[component]
pub(super) fn RangeMode(props: &StateProps) -> Html {
    let on = use_state_eq(|| false);
    let stage = props.services.session.stage().clone();
    use_effect_with(*on, move |on| {
        stage.write().ranging = *on;
        move || stage.write().ranging = false
    });
    let onclick = {
        let on = on.clone();
        Callback::from(move |_: MouseEvent| on.set(!*on))
    };
    html! {
        <button type="button" class="quiet" aria-pressed={on.to_string()} {onclick}
            title="Drag over any timeline to select a range of time and see its totals; Shift and a drag do the same">{ "Select a range" }</button>
    }
}

/// What is selected, of time and of jobs; nothing while nothing is.
#[component]
pub(super) fn SelectionBar(props: &StateProps) -> Html {
    let StateProps { state, services } = props;
    let session = &services.session;
    let axis = use_axis(session.stage());
    let version = session.stage().read().selection.version();
    let asked = (axis.selected, version, state.runs.revision);
    let totals = use_memo(asked, |(range, ..)| {
        let stage = session.stage().read();
        let jobs = stage.selection.jobs().map(|jobs| &**jobs);
        let of = |run| Totals::of(run, &stage.workload, *range, jobs);
        let is_asked = range.is_some() || jobs.is_some();
        is_asked.then(|| stage.runs.iter().map(of).collect::<Vec<_>>())
    });
    let Some(totals) = totals.as_ref() else {
        return Html::default();
    };
    let stage = session.stage().read();
    let range = axis.selected;
    let jobs = stage.selection.jobs();
    let names = stage
        .runs
        .iter()
        .map(|run| (run.name().to_owned(), run.hue()));
    let all = range.map(|range| f64::from(stage.cluster.gpus()) * range.span());
    let dark = is_dark(state.view.theme);
    let rows = totals.iter().zip(names).map(|(of, (name, hue))| {
        let share = all.map(|all| format!(" ({} %)", format::figures(100.0 * of.held / all)));
        let mean = |value: Option<f64>| {
            let text = value.map_or("–".to_owned(), format::duration);
            html! { <td data-value={value.map(|value| value.to_string())}>{ text }</td> }
        };
        html! {
            <tr>
                <th scope="row">{ swatch(hue, dark) }{ name }</th>
                <td>{ format::count(of.finished) }</td>
                <td data-value={of.held.to_string()}>{ format::gpu_hours(of.held) }<span class="hint">{ share }</span></td>
                { mean(of.wait) }
                { mean(of.jct) }
            </tr>
        }
    });
    let label = match (range, jobs) {
        (Some(_), Some(_)) => "Selected jobs in the selected range",
        (Some(_), None) => "Selected range",
        _ => "Selected jobs",
    };
    // A job's life may reach beyond the range.
    let of = |words: &'static str| match range {
        Some(_) => html! { <span class="hint">{ words }</span> },
        None => Html::default(),
    };
    let (here, whole) = (of(" in the range"), of(" over whole lives"));
    html! {
        <section class="range" aria-label={label} data-from={range.map(|range| range.from.to_string())} data-to={range.map(|range| range.to.to_string())}>
            if let Some(range) = range {
                { of_range(range, axis.looped, (state, session), &stage) }
            }
            if let Some(jobs) = jobs {
                { of_jobs(jobs, (state, session), &stage) }
            }
            <div class="range-table"><table>
                <thead><tr>
                    <th scope="col">{ "scheduler" }</th>
                    <th scope="col"><Term definition={FINISHED} />{ here.clone() }</th>
                    <th scope="col"><Term definition={HELD} />{ here }</th>
                    <th scope="col"><Term definition={WAIT} />{ whole.clone() }</th>
                    <th scope="col"><Term definition={JCT} />{ whole }</th>
                </tr></thead>
                <tbody>{ for rows }</tbody>
            </table></div>
        </section>
    }
}

/// The range, and what can be done with it.
fn of_range(
    range: Window,
    looped: bool,
    (state, session): (&AppState, &Session),
    stage: &Stage,
) -> Html {
    let selected = stage.selection.jobs().map(|jobs| &**jobs);
    let jobs = totals::count(&stage.workload, Some(range), selected);
    let look = |look: AxisRequest| {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| session.stage().write().look(look))
    };
    let onloop = {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| loop_in(&session, range))
    };
    let onjobs = {
        let session = session.clone();
        let submitted = conditions::submitted(range.from, range.to);
        Callback::from(move |_: MouseEvent| session.press_condition(&submitted, true))
    };
    let onreplay = replay(
        session,
        "window".to_owned(),
        format!("{}..{}", range.from, range.to),
    );
    html! {
        <div class="range-head">
            <strong>{ stage.moments().span(range.from, range.to) }</strong>
            <span class="hint">{ format!("{}, {} submitted", format::duration(range.span()), format::counted(jobs, "job", "jobs")) }</span>
            <button type="button" title="All views show this range" onclick={look(AxisRequest::At(range))}>{ "Zoom to it" }</button>
            { switch_button(looped, "Replay only this", Some("The player goes through this range over and over; the runs stay as they are, so the cluster is as full as it was"), onloop) }
            if jobs > 0 && selected.is_none() {
                <span class="hint">{ "Tables and charts stay of all jobs:" }</span>
                <button type="button" title="Select the jobs submitted in this range, in every view" onclick={onjobs}>{ "Select its jobs" }</button>
            }
            if can_replay(state, session) && jobs > 0 {
                <button type="button" title="Run the schedulers anew on the jobs submitted in this range alone: they begin on an empty cluster. All jobs come back under “Jobs replayed” on the left" onclick={onreplay}>{ "Simulate only its jobs" }</button>
            }
            { quiet_button("Let go of the range", Some("Let go of the range (Esc)"), sign(Icon::Close), look(AxisRequest::Select(None))) }
        </div>
    }
}

/// The jobs, and what can be done with them.
fn of_jobs(jobs: &SelectedJobs, (state, session): (&AppState, &Session), stage: &Stage) -> Html {
    let all = stage.workload.jobs.len() as u64;
    let counted = format!(
        "{} of {}",
        format::count(jobs.count()),
        format::counted(all, "job", "jobs")
    );
    let text = state.option(&JOBS_FILTER);
    let act = |act: fn(&Session)| {
        let session = session.clone();
        Callback::from(move |_: MouseEvent| act(&session))
    };
    let save = {
        let (session, name) = (session.clone(), file_name(state, "selected-jobs.csv"));
        Callback::from(move |_: MouseEvent| {
            let stage = session.stage().read();
            let is_selected = |job| stage.selection.holds(job);
            download::text(&name, "text/csv", &jobs_table(&stage, &is_selected));
        })
    };
    let told = stage
        .selection
        .told_apart()
        .filter(|_| can_replay(state, session));
    let onreplay = told.map(|(field, value)| replay(session, field.to_owned(), value.to_owned()));
    html! {
        <div class="range-head">
            <strong>{ counted }</strong>
            <code class="filter" title={text.to_owned()}>{ text }</code>
            if jobs.count() > 0 {
                <button type="button" title="All views show the time from the first submission of these jobs to their last end" onclick={act(zoom_to_jobs)}>{ "Zoom to them" }</button>
                if state.view.name != "jobs" {
                    <button type="button" title="The table of these jobs, and the filter that selects them" onclick={act(|session| session.dispatch(ViewAction::Show("jobs")))}>{ "List them" }</button>
                }
                { onreplay.map(|onclick| html! { <button type="button" title="Run the schedulers anew on these jobs alone. All jobs come back under “Jobs replayed” on the left" {onclick}>{ "Simulate only these" }</button> }) }
                <button type="button" title="These jobs in every run, as a table" onclick={save}>{ "CSV" }</button>
            }
            { quiet_button("Let go of the jobs", Some("Let go of the jobs (Esc)"), sign(Icon::Close), act(|session| session.select_jobs(""))) }
        </div>
    }
}

/// Whether the schedulers can be run anew on some of the jobs: times count from the first job that is replayed, with
/// others left out already from which nobody knows.
fn can_replay(state: &AppState, session: &Session) -> bool {
    let choice = session.choice();
    let labels = Label::ALL.map(Label::word);
    let mut keys = ["window", "tenant", "status"].iter().chain(&labels);
    let trace = state.opening.trace.as_ref();
    trace.is_some_and(|of| of.report.is_some()) && keys.all(|key| choice.value(key).is_empty())
}

fn replay(session: &Session, key: String, value: String) -> Callback<MouseEvent> {
    let session = session.clone();
    Callback::from(move |_: MouseEvent| session.choose(session.choice().with(&key, &value)))
}

/// All views show the time from the first submission of the selected jobs to their last end.
fn zoom_to_jobs(session: &Session) {
    let mut stage = session.stage().write();
    let jobs = (0u32..).map(JobId).zip(&stage.workload.jobs);
    let own = jobs.filter(|(job, _)| stage.selection.holds(*job));
    let ends = |job: JobId| {
        let last = |run: &StageRun| {
            let segment = run.log.segment(*run.segments(job).last()? as usize);
            Some(segment.end.seconds().min(run.reached()))
        };
        stage.runs.iter().filter_map(last).fold(0.0, f64::max)
    };
    let (from, to) = own.fold((f64::INFINITY, 0.0), |(from, to): (f64, f64), (id, job)| {
        let submit = job.submit.seconds();
        (from.min(submit), to.max(submit).max(ends(id)))
    });
    if from < to {
        stage.look(AxisRequest::At(Window::new(from, to)));
    }
}

/// Has the player stay in a range from its beginning on, or go on.
fn loop_in(session: &Session, range: Window) {
    let looped = {
        let axis = &mut session.stage().write().axis;
        axis.looped = !axis.looped;
        axis.looped
    };
    if looped {
        session.seek(range.from);
        session.set_playing(true);
    }
}
