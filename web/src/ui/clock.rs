//! The shared clock for small things that follow it.

use crate::stage::SharedStage;
use std::cell::Cell;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use yew::prelude::*;

/// How often the clock is looked at.
const EVERY_MS: i32 = 100;

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
            let look = Closure::<dyn Fn()>::new(move || {
                let mut stage = stage.write();
                let now = Some((stage.clock.now, stage.revision));
                if last.replace(now) != now {
                    // What is rendered may ask who runs and waits now, before a frame is painted.
                    stage.seek();
                    drop(stage);
                    seen.set(now);
                }
            });
            let window = web_sys::window();
            let timer = window.as_ref().and_then(|window| {
                window
                    .set_interval_with_callback_and_timeout_and_arguments_0(
                        look.as_ref().unchecked_ref(),
                        EVERY_MS,
                    )
                    .ok()
            });
            move || {
                if let (Some(window), Some(timer)) = (window, timer) {
                    window.clear_interval_with_handle(timer);
                }
                drop(look);
            }
        }
    });
    seen.map_or_else(|| stage.read().clock.now, |(now, _)| now)
}
