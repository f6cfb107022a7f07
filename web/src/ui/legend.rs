//! What the yard's colours stand for, class by class; a class that is chosen stands out from all
//! others in every view.

use super::doers::tell;
use super::theme::is_dark;
use crate::draw::format::counted;
use crate::draw::palette::{self, UNKNOWN};
use crate::session::Session;
use crate::stage::{ColourBy, Stage};
use crate::state::{Action, AppState};
use std::collections::BTreeMap;
use switchyard::cluster::GpuModel;
use switchyard::job::JobId;
use switchyard::order;
use yew::prelude::*;

/// More classes than these are only counted.
const MOST: usize = 12;

/// Jobs of one colour.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Class {
    /// Its number, as [`palette::job_class`] has it.
    class: u32,
    name: String,
    jobs: u64,
}

/// The classes of the jobs on stage, those with most jobs first; gangs and queues in their order.
pub(super) fn classes(stage: &Stage, by: ColourBy, queues: usize) -> Vec<Class> {
    let workload = &stage.workload;
    if by == ColourBy::Queue {
        let queue = |class: u32| Class {
            class,
            name: format!("queue {}", class + 1),
            jobs: 0,
        };
        return (0..queues as u32).map(queue).collect();
    }
    if by == ColourBy::Type {
        let of_type = |(at, name): (u32, &String)| Class {
            class: at,
            name: GpuModel::named(name).map_or_else(|| name.clone(), |of| of.title.to_owned()),
            jobs: 0,
        };
        let types = (0..).zip(stage.cluster.types()).map(of_type);
        let none = Class {
            class: UNKNOWN,
            name: "none yet".to_owned(),
            jobs: 0,
        };
        return types.chain([none]).collect();
    }
    let mut counts = BTreeMap::<u32, u64>::new();
    let Some(run) = stage.runs.first().filter(|_| by != ColourBy::Job) else {
        return Vec::new();
    };
    for job in 0..workload.jobs.len() as u32 {
        *counts
            .entry(palette::job_class(JobId(job), by, stage, run))
            .or_default() += 1;
    }
    let name = |class: u32| match by {
        ColourBy::Model => workload.models.get(class as usize).cloned(),
        ColourBy::Tenant => workload.tenants.get(class as usize).cloned(),
        _ => Some(gang_sizes(class)),
    };
    let class = |(class, jobs): (u32, u64)| Class {
        class,
        name: name(class)
            .filter(|_| class != UNKNOWN)
            .unwrap_or_else(|| "not named".to_owned()),
        jobs,
    };
    let mut classes: Vec<Class> = counts.into_iter().map(class).collect();
    if by != ColourBy::Gpus {
        order::sort_by_key(&mut classes, |class| std::cmp::Reverse(class.jobs));
    }
    classes
}

/// `1 GPU`, `2–3`, `4–7`: gangs between powers of two.
fn gang_sizes(class: u32) -> String {
    let (from, to) = (1u64 << class, (1u64 << (class + 1)) - 1);
    match class {
        0 => "1 GPU".to_owned(),
        _ => format!("{from}–{to} GPUs"),
    }
}

/// The legend.
pub(super) fn legend(state: &AppState, session: &Session, classes: &[Class]) -> Html {
    if classes.is_empty() {
        return html! { <span class="hint only-wide">{ "each job its own colour" }</span> };
    }
    let dark = is_dark(state.theme);
    let buttons = classes.iter().take(MOST).map(|of| {
        let lit = state.lit == Some(of.class);
        let next = (!lit).then_some(of.class);
        let onclick = tell(session, move |_: MouseEvent| Action::Light(next));
        let colour = palette::category(palette::class_category(of.class), dark);
        let title = match of.jobs {
            0 => "Click to make it stand out".to_owned(),
            jobs => format!(
                "{}: click to make it stand out",
                counted(jobs, "job", "jobs")
            ),
        };
        html! {
            <button type="button" aria-pressed={lit.to_string()} {title} {onclick}>
                <i ~style={format!("background: {colour}")}></i>{ &of.name }
            </button>
        }
    });
    let more = classes.len().saturating_sub(MOST);
    html! {
        <div class="legend" role="group" aria-label="What the colours stand for">
            { for buttons }
            if more > 0 {
                <span class="hint">{ format!("+ {more} more") }</span>
            }
        </div>
    }
}
