//! A job's attained service against the thresholds of a run's policy: one cell a queue, filled as
//! far as the job has come.

use super::clock::use_clock;
use crate::draw::{describe, format};
use crate::queues::Queues;
use crate::stage::SharedStage;
use switchyard::job::JobId;
use yew::prelude::*;

/// What the bar needs.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// The runs and the clock.
    pub(super) stage: SharedStage,
    /// The run.
    pub(super) run: u32,
    /// The job.
    pub(super) job: JobId,
}

/// More cells than these have no room for labels.
const MOST_LABELLED: usize = 5;

/// A job's attained service against the thresholds; nothing for policies without queues, nor for
/// jobs that are not there.
#[component]
pub(super) fn ServiceBar(props: &Props) -> Html {
    use_clock(&props.stage);
    let stage = props.stage.read();
    let Some(run) = stage.run(props.run) else {
        return Html::default();
    };
    let label = run.label.clone();
    let queues = use_memo((label, stage.workload.jobs.len()), |(label, _)| {
        Queues::of(&label.parse().ok()?, &stage.workload)
    });
    let is_active =
        run.moment.running().contains(&props.job) || run.moment.waiting().contains(&props.job);
    let Some(queues) = queues.as_ref().as_ref().filter(|_| is_active) else {
        return Html::default();
    };
    let (queue, service) = queues.place(props.job, &stage, run);
    let part = queues.part(queue, service);
    let words = describe::in_queue(props.job, queues, &stage, run);
    let cells = (0..queues.count()).map(|i| {
        let filled = match i.cmp(&queue) {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => part,
            std::cmp::Ordering::Greater => 0.0,
        };
        let end = queues
            .bounds(i)
            .1
            .filter(|_| queues.count() <= MOST_LABELLED);
        html! {
            <span class={classes!("cell", (i == queue).then_some("here"))}>
                <span class="filled" style={format!("width: {:.1}%", 100.0 * filled)}></span>
                if let Some(end) = end {
                    <span class="end">{ format::figures(end) }</span>
                }
            </span>
        }
    });
    html! {
        <div class="service">
            <p class="hint">{ words.clone() }</p>
            <div class="service-bar" role="img" aria-label={words}>{ for cells }</div>
        </div>
    }
}
