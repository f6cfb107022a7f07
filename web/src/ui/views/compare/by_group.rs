//! The runs by whom jobs are of: a number for each user, account, partition and so on, and what part of the cluster
//! each held over time. Below it, where the trace records waits, how close the runs come to them.

use crate::draw::{format, palette};
use crate::selected_jobs::conditions;
use crate::session::Session;
use crate::stage::{Stage, StageRun};
use crate::state::view_options::{COMPARE_BY, COMPARE_SHOW, JOBS_FILTER};
use crate::state::{AppState, RunsAction, ViewAction};
use crate::ui::controls::{list, option, swatch};
use crate::ui::metrics::{CALIBRATION, MetricStyle};
use crate::ui::metrics_table::{RunColumn, cell, reference};
use crate::ui::services::{StateProps, dispatch};
use crate::ui::term::Term;
use crate::ui::theme::is_dark;
use crate::ui::typed::input_value;
use std::rc::Rc;
use switchyard::report::{
    By, Calibration, GROUP_METRICS, GroupFigures, GroupMetric, Groups, OverTime,
};
use yew::prelude::*;

/// So many groups are listed unless all are asked for.
const LISTED: usize = 12;

/// Into so many parts a run's time is cut.
const PARTS: usize = 200;

/// A complete run by groups.
#[derive(PartialEq)]
struct GroupedRun {
    id: u32,
    name: String,
    hue: usize,
    figures: Vec<GroupFigures>,
    held: OverTime,
}

/// The complete runs by groups, which are the same in all of them.
fn by_groups(by: By, stage: &Stage, filter: &str) -> Vec<GroupedRun> {
    let groups = Groups::of(by, &stage.workload);
    // Who has chosen a group here goes on from one to the next.
    let is_choice = |name: &String| conditions::of_group(by, name).is_some_and(|of| of == filter);
    let groups = match groups.names.iter().any(is_choice) {
        true => groups,
        false => groups.among(|job| stage.selection.holds(job)),
    };
    let ends = stage.runs.iter().filter(|run| run.finished().is_some());
    let ends = ends.filter_map(|run| run.log.event_times().last().copied());
    let until = ends.fold(0.0, f64::max);
    let of_run = |run: &StageRun| {
        let outcomes = &run.finished()?.outcomes;
        Some(GroupedRun {
            id: run.id,
            name: run.name().to_owned(),
            hue: run.hue(),
            figures: groups.figures(outcomes),
            held: groups.over_time(&stage.cluster, &run.log, until, PARTS),
        })
    };
    stage.runs.iter().filter_map(of_run).collect()
}

/// What jobs are told apart by: what was chosen, if the trace tells it, else the first that it tells.
fn chosen(state: &AppState, told: &[By]) -> Option<By> {
    let asked = state.option(&COMPARE_BY).parse().ok();
    asked
        .filter(|by| told.contains(by))
        .or(told.first().copied())
}

/// Properties: what is compared, too.
#[derive(Clone, Properties, PartialEq)]
pub(super) struct ByGroupProps {
    pub(super) given: StateProps,
    /// The runs, as the table of all numbers has them.
    pub(super) columns: Rc<Vec<RunColumn>>,
}

/// The part of Compare.
#[component]
pub(super) fn ByGroup(props: &ByGroupProps) -> Html {
    let StateProps { state, services } = &props.given;
    let (session, dark) = (&services.session, is_dark(state.view.theme));
    let whole = use_state_eq(|| false);
    let stage = session.stage().clone();
    let trace = state.opening.trace_id();
    let told = use_memo(trace, |_| {
        By::of_workload(&stage.read().workload).collect::<Vec<By>>()
    });
    let by = chosen(state, &told);
    let complete = props.columns.iter().filter(|column| column.complete);
    let complete: Vec<u32> = complete.map(|column| column.id).collect();
    let selection = stage.read().selection.version();
    let found = use_memo((trace, by, complete, selection), |(_, by, ..)| {
        by.map(|by| by_groups(by, &stage.read(), state.option(&JOBS_FILTER)))
    });
    let (Some(by), Some(found)) = (by, &*found) else {
        return Html::default();
    };
    let Some(first) = found.first() else {
        return Html::default();
    };
    let groups = first.figures.len();
    let shown = state.option(&COMPARE_SHOW);
    let metric = GROUP_METRICS.iter().find(|of| of.metric.id == shown);
    let metric = metric.unwrap_or(&GROUP_METRICS[0]);
    let onby = dispatch(session, |event: Event| {
        ViewAction::SetOption(&COMPARE_BY, input_value(&event))
    });
    let onshow = dispatch(session, |event: Event| {
        ViewAction::SetOption(&COMPARE_SHOW, input_value(&event))
    });
    let kinds = told
        .iter()
        .map(|of| option(of.word(), &format::units(of.title()), *of == by, None));
    let metrics = GROUP_METRICS.iter().map(|of| {
        option(
            of.metric.id,
            &format::units(&of.metric.words()),
            std::ptr::eq(of, metric),
            Some(of.metric.meaning),
        )
    });
    let listed = if *whole { groups } else { LISTED };
    let more = groups.saturating_sub(LISTED);
    let onwhole = {
        let whole = whole.clone();
        Callback::from(move |_: MouseEvent| whole.set(!*whole))
    };
    let face = match *whole {
        true => "Show the first".to_owned(),
        false => format!("Show {} more", format::count(more as u64)),
    };
    html! {
        <section class="by-whom" aria-label="By whom">
            <div class="by-whom-head">
                <h2>
                    <label data-option={COMPARE_BY.link}><span>{ "By " }</span>{ list(onby, kinds.collect()) }</label>
                </h2>
                <label data-option={COMPARE_SHOW.link}><span>{ "Show " }</span>{ list(onshow, metrics.collect()) }</label>
            </div>
            { table((found, listed), by, metric, (&props.columns, state.runs.baseline), (state, session)) }
            if more > 0 {
                <button type="button" onclick={onwhole}>{ face }</button>
            }
            <h3>{ "Share of the cluster over time" }</h3>
            <div class="shares">{ for found.iter().map(|run| shares(run, &stage.read(), dark)) }</div>
        </section>
    }
}

/// The colour of a group: those with most GPU·s have hues of their own.
fn colour(group: usize, dark: bool) -> &'static str {
    let class = match u32::try_from(group) {
        Ok(class) if class < palette::APART => class,
        _ => palette::OTHERS,
    };
    palette::category(palette::class_category(class), dark)
}

/// A group's name, which selects its jobs; with Shift among those that are selected.
pub(super) fn group_button(
    called: &str,
    condition: String,
    state: &AppState,
    session: &Session,
) -> Html {
    let pressed = conditions::is_pressed(state.option(&JOBS_FILTER), &condition);
    let session = session.clone();
    let onclick = Callback::from(move |event: MouseEvent| {
        session.press_condition(&condition, event.shift_key());
    });
    html! { <button type="button" class="link group-name" aria-pressed={pressed.to_string()} {onclick}>{ called }</button> }
}

/// A row for each group, a column for each run. To press a group selects its jobs.
fn table(
    (found, listed): (&[GroupedRun], usize),
    by: By,
    of: &'static GroupMetric,
    (columns, baseline): (&[RunColumn], u32),
    (state, session): (&AppState, &Session),
) -> Html {
    let dark = is_dark(state.view.theme);
    let (Some(baseline), Some(first)) = (reference(columns, baseline), found.first()) else {
        return Html::default();
    };
    let heads = columns.iter().map(|column| {
        html! {
            <th key={column.id} scope="col" title={column.spec.clone()}>
                <label>{ swatch(column.hue, dark) }<span class="run">{ &column.name }</span></label>
            </th>
        }
    });
    let groups = first.figures.iter().enumerate().take(listed);
    let rows = groups.map(|(at, group)| {
        let values = columns.iter().map(|column| {
            let run = found.iter().find(|run| run.id == column.id);
            let figures = run.and_then(|run| run.figures.get(at));
            figures.map_or(f64::NAN, of.of)
        });
        let values: Vec<f64> = values.collect();
        let look = (of.metric.title, MetricStyle::of(of.metric));
        let compared = (baseline, RunColumn::is_comparable as fn(&RunColumn) -> bool);
        let cells = (0..columns.len()).map(|run| cell(look, columns, compared, &values, run, |_, text| text.into()));
        let called = group.called();
        let name = match conditions::of_group(by, &group.name) {
            None => html! { <span class="group-name">{ called }</span> },
            Some(condition) => group_button(called, condition, state, session),
        };
        html! {
            <tr key={at}>
                <th scope="row" title={format!("{called}: click to select these jobs in every view, Shift and a click among those that are selected")}>
                    <i class="swatch" ~style={format!("background: {}", colour(at, dark))}></i>
                    { name }
                </th>
                <td data-name="Jobs">{ format::count(group.jobs.into()) }</td>
                { for cells }
            </tr>
        }
    });
    html! {
        <div class="metrics" tabindex="0" role="region" aria-label="Numbers by group">
            <table>
                <thead>
                    <tr>
                        <th scope="col"><span class="visually-hidden">{ "Group" }</span></th>
                        <th scope="col">{ "Jobs" }</th>
                        { for heads }
                    </tr>
                </thead>
                <tbody>{ for rows }</tbody>
            </table>
        </div>
    }
}

/// What groups held of the cluster in a run, one on the other.
fn shares(run: &GroupedRun, stage: &Stage, dark: bool) -> Html {
    let OverTime {
        begin,
        width,
        gpus,
        held,
    } = &run.held;
    let apart = palette::APART as usize;
    let groups = run.figures.len();
    let layers = groups.min(apart + 1);
    // Of a layer the GPUs held in a part; the last is all other groups'.
    let of_layer = |part: &[f64], layer: usize| match layer < apart {
        true => part[layer],
        false => part[apart..].iter().fold(0.0, |all, of| all + of),
    };
    let mut below = vec![0.0; held.len()];
    let paths = (0..layers).map(|layer| {
        let mut above = below.clone();
        for (above, part) in above.iter_mut().zip(held) {
            *above += of_layer(part, layer) / f64::from(*gpus);
        }
        let step = |at: usize, share: f64| {
            format!("{at},{:.4} {},{:.4} ", 1.0 - share, at + 1, 1.0 - share)
        };
        let up = above.iter().enumerate().map(|(at, share)| step(at, *share));
        let mut points: String = up.collect();
        for (at, share) in below.iter().enumerate().rev() {
            points.push_str(&format!(
                "{},{:.4} {at},{:.4} ",
                at + 1,
                1.0 - share,
                1.0 - share
            ));
        }
        below = above;
        html! { <path d={format!("M{points}Z")} fill={colour(layer, dark)} /> }
    });
    let paths: Html = paths.collect();
    let end = begin + width * held.len() as f64;
    html! {
        <figure key={run.id} class="share">
            <figcaption>{ swatch(run.hue, dark) }<span class="run">{ &run.name }</span></figcaption>
            <div class="share-scale hint" aria-hidden="true">
                <span>{ format::units(&format!("{} GPUs", format::count((*gpus).into()))).into_owned() }</span><span>{ "0" }</span>
            </div>
            <svg viewBox={format!("0 0 {} 1", held.len())} preserveAspectRatio="none" role="img"
                aria-label={format!("{} held by each group under {}, over time", format::units("GPUs"), run.name)}>{ paths }</svg>
            <div class="share-times"><span>{ stage.moments().time(*begin) }</span><span>{ stage.moments().time(end) }</span></div>
        </figure>
    }
}

/// How close the runs come to what the trace records, where it records waits.
#[component]
pub(super) fn AgainstRecorded(props: &ByGroupProps) -> Html {
    let StateProps { state, services } = &props.given;
    let (session, dark) = (&services.session, is_dark(state.view.theme));
    let stage = session.stage().clone();
    let trace = state.opening.trace_id();
    let complete = props.columns.iter().filter(|column| column.complete);
    let complete: Vec<u32> = complete.map(|column| column.id).collect();
    let found = use_memo((trace, complete), |_| {
        let stage = stage.read();
        let replays = |run: &&StageRun| !run.policy.replays();
        let runs = stage.runs.iter().filter(replays).filter_map(|run| {
            let outcomes = &run.finished()?.outcomes;
            Some((run.id, Calibration::of(&stage.workload, outcomes)?))
        });
        runs.collect::<Vec<(u32, Calibration)>>()
    });
    let Some((_, first)) = found.first() else {
        return Html::default();
    };
    let is_there = state.runs.iter().any(|card| card.policy.replays());
    let onadd = dispatch(session, |_: MouseEvent| RunsAction::AddRecorded);
    let heads = CALIBRATION.iter().zip(0..).map(|(metric, place)| {
        html! { <th scope="col"><Term definition={metric.definition} {place} /></th> }
    });
    let rows = found.iter().filter_map(|(id, of)| {
        let column = props.columns.iter().find(|column| column.id == *id)?;
        let cells = CALIBRATION.iter().map(|metric| {
            html! { <td data-name={metric.definition.name}>{ (metric.look.format)((metric.value)(of)) }</td> }
        });
        Some(html! {
            <tr key={*id}>
                <th scope="row"><label>{ swatch(column.hue, dark) }<span class="run">{ &column.name }</span></label></th>
                { for cells }
            </tr>
        })
    });
    let waits = format!(
        "The trace records when {} ran: they waited {} on the mean, 5 % of them {} and more.",
        format::counted(first.jobs.into(), "job", "jobs"),
        format::duration(first.recorded.mean),
        format::duration(first.recorded.p95)
    );
    html! {
        <section class="by-whom" aria-label="Beside what was recorded">
            <h2>{ "Beside what was recorded" }</h2>
            <p class="hint">{ waits }</p>
            <div class="metrics" tabindex="0" role="region" aria-label="Waits beside recorded ones">
                <table>
                    <thead><tr><th scope="col"><span class="visually-hidden">{ "Run" }</span></th>{ for heads }</tr></thead>
                    <tbody>{ for rows }</tbody>
                </table>
            </div>
            if !is_there {
                <button type="button" onclick={onadd}>{ "Run it as recorded, too" }</button>
            }
        </section>
    }
}
