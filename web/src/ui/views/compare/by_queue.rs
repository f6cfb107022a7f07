//! The runs by the queues of the tree: what each queue used, borrowed and asked for over time, against its quota; who
//! waits how long, who was preempted over and over, and who waits longer than in the run that others are compared with.

use crate::draw::format;
use crate::stage::{Stage, StageRun};
use crate::state::AppState;
use crate::ui::controls::swatch;
use crate::ui::services::StateProps;
use crate::ui::theme::is_dark;
use switchyard::report::{
    Outcomes, QueueDifference, QueueFigures, QueueReport, RunQueues, SeriesOfQueue, queues_apart,
};
use yew::prelude::*;

/// So many queues are shown; files have all.
const LISTED: usize = 30;

/// So many loops.
const LOOPS: usize = 10;

/// Into so many parts a run's time is cut.
const PARTS: usize = 200;

/// A complete run by queue.
#[derive(PartialEq)]
struct QueuedRun {
    id: u32,
    name: String,
    hue: usize,
    report: QueueReport,
    /// What differs from the run that others are compared with.
    apart: Vec<QueueDifference>,
}

fn by_queues(state: &AppState, stage: &Stage) -> Vec<QueuedRun> {
    let of_run = |run: &StageRun| {
        let card = state.run(run.id)?;
        let outcomes = run.finished()?.outcomes.clone();
        let queues = RunQueues::of(&state.run_spec(card), &stage.workload);
        let report = QueueReport::of(&queues, &stage.workload, &run.log, &outcomes, PARTS);
        Some((
            run.id,
            run.name().to_owned(),
            run.hue(),
            queues,
            outcomes,
            report,
        ))
    };
    let runs: Vec<_> = stage.runs.iter().filter_map(of_run).collect();
    let baseline = runs
        .iter()
        .find(|of| of.0 == state.runs.baseline)
        .or(runs.first());
    let apart = |id: u32, outcomes: &Outcomes, report: &QueueReport| match baseline {
        Some((first, _, _, queues, others, reported)) if *first != id => {
            queues_apart(queues, [others, outcomes], [reported, report])
        }
        _ => Vec::new(),
    };
    let apart: Vec<_> = runs.iter().map(|of| apart(of.0, &of.4, &of.5)).collect();
    let runs = runs.into_iter().zip(apart);
    let run = |((id, name, hue, _, _, report), apart)| QueuedRun {
        id,
        name,
        hue,
        report,
        apart,
    };
    runs.map(run).collect()
}

/// The part of Compare.
#[component]
pub(super) fn ByQueue(props: &StateProps) -> Html {
    let StateProps { state, services } = props;
    let dark = is_dark(state.view.theme);
    let stage = services.session.stage().clone();
    let complete: Vec<u32> = {
        let stage = stage.read();
        let complete = stage.runs.iter().filter(|run| run.finished().is_some());
        complete.map(|run| run.id).collect()
    };
    let queues = state.setup.settings.queues.clone();
    let given = (queues, complete, state.runs.baseline);
    let found = use_memo(given, |(queues, _, _)| match queues.tree {
        Some(_) => by_queues(state, &stage.read()),
        None => Vec::new(),
    });
    if found.is_empty() {
        return Html::default();
    }
    let runs = found.iter().map(|run| of_run(run, &found, dark));
    html! {
        <section class="by-whom by-queue" aria-label="By queue">
            <h2>{ "By queue" }</h2>
            <p class="hint">{ format::units("Filled: GPUs used; in a stronger colour: borrowed, beyond the quota (the line); dotted: asked for.") }</p>
            { for runs }
        </section>
    }
}

fn of_run(run: &QueuedRun, all: &[QueuedRun], dark: bool) -> Html {
    // One scale for a queue in all runs.
    let most = |name: &str| {
        let of = all.iter().filter_map(|run| {
            let at = run.report.queues.iter().position(|of| of.name == name)?;
            let series = run.report.over_time.queues.get(at)?;
            let used = series.used.iter().fold(0.0, |most: f64, of| most.max(*of));
            Some(used.max(run.report.queues[at].quota))
        });
        of.fold(1.0, f64::max)
    };
    let queues = run.report.queues.iter().zip(&run.report.over_time.queues);
    let rows = queues.take(LISTED).map(|(of, series)| {
        let apart = run.apart.iter().find(|apart| apart.name == of.name);
        row(of, series, apart, most(&of.name))
    });
    let more = run.report.queues.len().saturating_sub(LISTED);
    let loops = run.report.loops.iter().take(LOOPS).map(|of| {
        let by = match &of.by_job {
            Some(job) => format!("{job} of {}", of.by_queue),
            None => format!("jobs of {}", of.by_queue),
        };
        html! { <li>{ format!("{} of {}: {} times for {by}", of.job, of.queue, of.times) }</li> }
    });
    html! {
        <div key={run.id} class="queue-run">
            <h3>{ swatch(run.hue, dark) }<span class="run">{ &run.name }</span></h3>
            <div class="metrics" tabindex="0" role="region" aria-label={format!("Queues under {}", run.name)}>
                <table>
                    <thead><tr>
                        <th scope="col">{ "Queue" }</th>
                        <th scope="col">{ format::units("GPUs over time") }</th>
                        <th scope="col">{ "Quota" }</th>
                        <th scope="col">{ "Borrowed" }</th>
                        <th scope="col">{ "Lent" }</th>
                        <th scope="col">{ "Share*" }</th>
                        <th scope="col">{ "Mean wait" }</th>
                        <th scope="col">{ "p95 wait" }</th>
                        <th scope="col">{ "Preempted" }</th>
                        <th scope="col"><span class="visually-hidden">{ "Beside the first" }</span></th>
                    </tr></thead>
                    <tbody>{ for rows }</tbody>
                </table>
            </div>
            if more > 0 {
                <p class="hint">{ format!("{} more queues are not shown.", format::count(more as u64)) }</p>
            }
            if !run.report.loops.is_empty() {
                <p class="hint">{ format::units("Jobs that lost their GPUs over and over for the same:") }</p>
                <ul class="hint">{ for loops }</ul>
            }
            <p class="hint">{ "* of what was held while some job waited. What is idle and may be lent is lent in proportion." }</p>
        </div>
    }
}

fn row(
    of: &QueueFigures,
    series: &SeriesOfQueue,
    apart: Option<&QueueDifference>,
    most: f64,
) -> Html {
    let hours = |hours: f64| format::gpu_hours(3600.0 * hours);
    html! {
        <tr key={of.name.clone()}>
            <th scope="row" title={of.name.clone()} ~style={format!("--depth: {}", of.depth.min(8))}>
                <span class="group-name queue-name">{ &of.name }</span>
            </th>
            <td>{ bands(of, series, most) }</td>
            <td data-name="Quota">{ format::figures(of.quota) }</td>
            <td data-name="Borrowed">{ hours(of.borrowed_gpu_hours) }</td>
            <td data-name="Lent">{ hours(of.lent_gpu_hours) }</td>
            <td data-name="Share">{ format::percent(of.share_while_waiting) }</td>
            <td data-name="Mean wait">{ format::duration(of.queueing.mean) }</td>
            <td data-name="p95 wait">{ format::duration(of.queueing.p95) }</td>
            <td data-name="Preempted">{ format::count(of.preempted.into()) }</td>
            <td>{ apart.map(verdict).unwrap_or_default() }</td>
        </tr>
    }
}

/// Whether a queue's jobs wait less or longer than in the run that others are compared with.
fn verdict(of: &QueueDifference) -> Html {
    let longer = of.longer();
    let by = format::duration(longer.abs());
    let (class, text) = match () {
        () if longer < -QueueDifference::SAME_WAIT => ("better", format!("waits {by} less")),
        () if longer > QueueDifference::SAME_WAIT => ("worse", format!("waits {by} longer")),
        () => ("", "waits as long".to_owned()),
    };
    html! { <span {class}>{ text }</span> }
}

/// A step line through values, from the left to the right, as points of a path.
fn steps(values: impl DoubleEndedIterator<Item = f64> + ExactSizeIterator, most: f64) -> String {
    let y = |value: f64| 1.0 - (value / most).min(1.0);
    let point =
        |(at, value): (usize, f64)| format!("{at},{:.4} {},{:.4} ", y(value), at + 1, y(value));
    values.enumerate().map(point).collect()
}

/// The area between two step lines.
fn area(below: &[f64], above: &[f64], most: f64) -> String {
    let up = steps(above.iter().copied(), most);
    let y = |value: f64| 1.0 - (value / most).min(1.0);
    let back = below.iter().enumerate().rev();
    let back: String = back
        .map(|(at, value)| format!("{},{:.4} {at},{:.4} ", at + 1, y(*value), y(*value)))
        .collect();
    format!("M{up}{back}Z")
}

/// What a queue used over time, what of it was borrowed, its quota, and what was asked for.
fn bands(of: &QueueFigures, series: &SeriesOfQueue, most: f64) -> Html {
    let parts = series.used.len();
    if parts == 0 {
        return Html::default();
    }
    let own: Vec<f64> = series
        .used
        .iter()
        .zip(&series.borrowed)
        .map(|(used, borrowed)| used - borrowed)
        .collect();
    let nothing = vec![0.0; parts];
    let quota = 1.0 - (of.quota / most).min(1.0);
    let asked = steps(series.asked.iter().copied(), most);
    let label = format::units("GPUs used over time, of them borrowed").into_owned();
    html! {
        <svg class="queue-bands" viewBox={format!("0 0 {parts} 1")} preserveAspectRatio="none" role="img" aria-label={format!("{}: {label}", of.name)}>
            <path class="own" d={area(&nothing, &own, most)} />
            <path class="borrowed" d={area(&own, &series.used, most)} />
            <path class="asked" d={format!("M{asked}")} />
            <line class="quota" x1="0" x2={parts.to_string()} y1={format!("{quota:.4}")} y2={format!("{quota:.4}")} />
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_closed_and_stay_within_their_box() {
        assert_eq!(
            steps([1.0, 4.0].into_iter(), 2.0),
            "0,0.5000 1,0.5000 1,0.0000 2,0.0000 "
        );
        let area = area(&[0.0, 0.0], &[1.0, 2.0], 2.0);
        assert!(
            area.starts_with("M0,0.5000") && area.ends_with("1,1.0000 0,1.0000 Z"),
            "{area}"
        );
    }
}
