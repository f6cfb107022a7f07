//! The shared clock, the axis of time and the job that is pointed at, for small things that follow them.

use crate::stage::SharedStage;
use crate::time_axis::Window;
use gloo_timers::callback::Interval;
use std::cell::Cell;
use switchyard::job::JobId;
use yew::prelude::*;

/// How often the clock is looked at.
const EVERY_MS: u32 = 100;

/// What follows the clock.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// The clock.
    pub(super) stage: SharedStage,
    /// What is shown at a time, seconds. Rendered whenever the clock has moved
    /// or what is on stage has changed: keep it small.
    pub(super) render: Callback<f64, Html>,
}

/// Something that follows the clock at a calm pace.
#[component]
pub(super) fn Clocked(props: &Props) -> Html {
    let now = use_clock(&props.stage);
    props.render.emit(now)
}

/// The clock's time, at a calm pace; again when what is on stage has changed.
#[hook]
fn use_clock(stage: &SharedStage) -> f64 {
    let seen = use_state_eq(|| None::<(f64, u64)>);
    use_effect_with(stage.clone(), {
        let seen = seen.setter();
        move |stage| {
            let stage = stage.clone();
            let last = Cell::new(None);
            let timer = Interval::new(EVERY_MS, move || {
                let mut stage = stage.write();
                let now = Some((stage.clock.now, stage.revision));
                if last.replace(now) != now {
                    // What is rendered may ask who runs and waits now, before a frame is painted.
                    stage.seek();
                    drop(stage);
                    seen.set(now);
                }
            });
            move || drop(timer)
        }
    });
    seen.map_or_else(|| stage.read().clock.now, |(now, _)| now)
}

/// How often the axis, and what is pointed at, is looked at.
const AXIS_EVERY_MS: u32 = 40;

/// The axis of time as components see it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Axis {
    /// The window that all views show, if it is not all of time.
    pub(super) seen: Option<Window>,
    /// The range that is selected.
    pub(super) selected: Option<Window>,
    /// Whether the player stays in it.
    pub(super) looped: bool,
}

/// The axis of time, again when it has changed.
#[hook]
pub(super) fn use_axis(stage: &SharedStage) -> Axis {
    let axis = use_state_eq(Axis::default);
    use_effect_with(stage.clone(), {
        let axis = axis.setter();
        move |stage| {
            let stage = stage.clone();
            let timer = Interval::new(AXIS_EVERY_MS, move || {
                let now = &stage.read().axis;
                axis.set(Axis {
                    seen: now.seen(),
                    selected: now.selected(),
                    looped: now.looped,
                });
            });
            move || drop(timer)
        }
    });
    *axis
}

/// The job that is pointed at in any view, again when it is another.
#[hook]
pub(super) fn use_pointed(stage: &SharedStage) -> Option<JobId> {
    let pointed = use_state_eq(|| None);
    use_effect_with(stage.clone(), {
        let pointed = pointed.setter();
        move |stage| {
            let stage = stage.clone();
            let timer = Interval::new(AXIS_EVERY_MS, move || pointed.set(stage.read().hovered));
            move || drop(timer)
        }
    });
    *pointed
}
