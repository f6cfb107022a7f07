//! What colours stand for, and which class of jobs has which. To press a class selects its jobs in every view; one whose
//! jobs change with time stands out from all others.

use super::controls::{list, option};
use super::services::dispatch;
use super::theme::is_dark;
use super::typed::input_value;
use crate::draw::format::units;
use crate::draw::format::{count, counted};
use crate::draw::palette::{self, APART, OTHERS};
use crate::selected_jobs::conditions;
use crate::session::Session;
use crate::stage::Stage;
use crate::state::ColourBy;
use crate::state::view_options::JOBS_FILTER;
use crate::state::{AppState, Run, ViewAction};
use std::collections::BTreeMap;
use std::rc::Rc;
use switchyard::cluster::GpuModel;
use switchyard::job::JobId;
use yew::prelude::*;

/// Jobs of one colour.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Class {
    /// Its number, as [`palette::job_class`] has it.
    class: u32,
    name: String,
    jobs: u64,
}

/// The classes of the jobs on stage by the colours that are chosen.
#[hook]
pub(super) fn use_classes(state: &AppState, session: &Session) -> Rc<Vec<Class>> {
    use_classes_by(state, session, state.view.colour_by)
}

/// The classes of the jobs on stage by these colours.
#[hook]
pub(super) fn use_classes_by(state: &AppState, session: &Session, by: ColourBy) -> Rc<Vec<Class>> {
    let levels = |card: &Run| card.policy.levels().map_or(1, |of| of.thresholds.len() + 1);
    let queues = state.runs.iter().map(levels).max().unwrap_or(1);
    let trace = state.opening.trace_id();
    let on_stage = !session.stage().read().runs.is_empty();
    let cluster = state.setup.cluster.types().to_vec();
    let stage = session.stage().clone();
    use_memo(
        (trace, on_stage, cluster, by, queues),
        move |&(.., by, queues)| classes(&stage.read(), by, queues),
    )
}

/// The list of what colours can stand for.
pub(super) fn colour_by(state: &AppState, session: &Session) -> Html {
    let onchange = dispatch(session, ViewAction::ColourBy);
    let onchange = Callback::from(move |event: Event| {
        let name = input_value(&event);
        if let Some(&(by, _, _)) = ColourBy::ALL.iter().find(|(_, other, _)| *other == name) {
            onchange.emit(by);
        }
    });
    let stage = session.stage().read();
    let offered = ColourBy::offered(&stage.workload);
    let colours =
        offered.map(|(by, name, title)| option(name, title, by == state.view.colour_by, None));
    html! { <label><span>{ "Colour by " }</span>{ list(onchange, colours.collect()) }</label> }
}

/// The classes of the jobs on stage, those with most jobs first; gangs and queues in their order.
fn classes(stage: &Stage, by: ColourBy, queues: usize) -> Vec<Class> {
    let workload = &stage.workload;
    if by == ColourBy::Queue {
        let queue = |class: u32| Class {
            class,
            name: format!("queue {}", class + 1),
            jobs: 0,
        };
        let more = (queues > APART as usize).then(|| Class {
            class: OTHERS,
            name: "further queues".to_owned(),
            jobs: 0,
        });
        let own = (0..queues as u32).take(APART as usize).map(queue);
        return own.chain(more).collect();
    }
    if by == ColourBy::Type {
        let of_type = |(at, name): (u32, &String)| Class {
            class: at,
            name: GpuModel::named(name).map_or_else(|| name.clone(), |of| of.title.to_owned()),
            jobs: 0,
        };
        let types = stage.cluster.types();
        let rest = Class {
            class: OTHERS,
            name: match types.len().checked_sub(APART as usize + 1) {
                Some(_) => "others, or none yet",
                None => "none yet",
            }
            .to_owned(),
            jobs: 0,
        };
        let types = (0..).zip(types).take(APART as usize).map(of_type);
        return types.chain([rest]).collect();
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
    let names = match by {
        ColourBy::Model => &workload.models[..],
        ColourBy::Label(label) => workload.recorded.labels.names(label),
        _ => &workload.tenants,
    };
    let own = APART as usize;
    let named = |rank: u32| names.get(stage.ranks.with(by, rank)?).cloned();
    let class = |(class, jobs): (u32, u64)| Class {
        class,
        name: match (by, class) {
            (ColourBy::Gpus, OTHERS) => format!("{} {} and more", count(1 << APART), units("GPUs")),
            (ColourBy::Gpus, _) => gang_sizes(class),
            (_, OTHERS) if names.len() > own => format!("{} others", names.len() - own),
            (_, OTHERS) => "not named".to_owned(),
            _ => named(class).unwrap_or_default(),
        },
        jobs,
    };
    counts.into_iter().map(class).collect()
}

/// `1 GPU`, `2–3`, `4–7`: gangs between powers of two.
fn gang_sizes(class: u32) -> String {
    let (from, to) = (1u64 << class, (1u64 << (class + 1)) - 1);
    match class {
        0 => units("1 GPU").into_owned(),
        _ => format!("{from}–{to} {}", units("GPUs")),
    }
}

/// The legend of the colours that are chosen.
pub(super) fn legend(state: &AppState, session: &Session, classes: &[Class]) -> Html {
    legend_by(state, session, classes, state.view.colour_by)
}

/// The legend of a view that shows these colours: to choose one of their classes is to choose them.
pub(super) fn legend_by(
    state: &AppState,
    session: &Session,
    classes: &[Class],
    by: ColourBy,
) -> Html {
    if classes.is_empty() {
        return html! { <span class="hint only-wide">{ "a hue a job; hues repeat" }</span> };
    }
    let dark = is_dark(state.view.theme);
    let stage = session.stage().read();
    let buttons = classes.iter().map(|of| {
        let is_chosen = by == state.view.colour_by;
        let condition = conditions::of_class(of.class, by, &stage);
        let lit = match &condition {
            Some(condition) => conditions::is_pressed(state.option(&JOBS_FILTER), condition),
            None => is_chosen && state.view.lit == Some(of.class),
        };
        let next = (!lit).then_some(of.class);
        let session = session.clone();
        let onclick = Callback::from(move |event: MouseEvent| {
            if !is_chosen {
                session.dispatch(ViewAction::ColourBy(by));
            }
            match &condition {
                Some(condition) => session.press_condition(condition, event.shift_key()),
                None => session.dispatch(ViewAction::Light(next)),
            }
        });
        let colour = palette::category(palette::class_category(of.class), dark);
        let title = match of.jobs {
            0 => "Click to make it stand out".to_owned(),
            jobs => format!(
                "{}: click to select them in every view, Shift and a click among those that are selected",
                counted(jobs, "job", "jobs")
            ),
        };
        html! {
            <button type="button" aria-pressed={lit.to_string()} {title} {onclick}>
                <i ~style={format!("background: {colour}")}></i>{ &of.name }
            </button>
        }
    });
    html! {
        <div class="legend" role="group" aria-label="What the colours stand for">
            { for buttons }
        </div>
    }
}
