//! A job's attained service against the thresholds of a run's policy: one cell a queue, filled as
//! far as the job has come.

use super::clock::Clocked;
use crate::draw::{describe, format};
use crate::queues::Queues;
use crate::stage::{SharedStage, Stage};
use switchyard::job::JobId;
use yew::prelude::*;

/// More cells than these have no room for labels.
const MOST_LABELLED: usize = 5;

/// A job's attained service against the thresholds, by the clock; nothing for policies without
/// queues, nor for jobs that are not there.
pub(super) fn service_bar(stage: &SharedStage, run: u32, job: JobId) -> Option<Html> {
    let queues = {
        let stage = stage.read();
        Queues::of(&stage.run(run)?.policy, &stage.workload)?
    };
    let render = {
        let stage = stage.clone();
        Callback::from(move |_| bar(&stage.read(), run, job, &queues).unwrap_or_default())
    };
    Some(html! { <Clocked stage={stage.clone()} {render} /> })
}

fn bar(stage: &Stage, run: u32, job: JobId, queues: &Queues) -> Option<Html> {
    let run = stage.run(run)?;
    let is_active = run.moment.running().contains(&job) || run.moment.waiting().contains(&job);
    if !is_active {
        return None;
    }
    let (queue, service) = queues.place(job, stage, run);
    let part = queues.part(queue, service);
    let words = describe::in_queue(job, queues, stage, run);
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
                <span class="filled" ~style={format!("width: {:.1}%", 100.0 * filled)}></span>
                if let Some(end) = end {
                    <span class="end">{ format::figures(end) }</span>
                }
            </span>
        }
    });
    Some(html! {
        <div class="service">
            <p class="hint">{ words.clone() }</p>
            <div class="service-bar" role="img" aria-label={words}>{ for cells }</div>
        </div>
    })
}
