//! The shared clock for small components that follow it.

use crate::stage::SharedStage;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use yew::prelude::*;

/// How often the clock is looked at.
const EVERY_MS: i32 = 100;

/// The clock's time, at a calm pace. What uses it is rendered whenever the clock has moved: keep
/// it small.
#[hook]
pub(super) fn use_clock(stage: &SharedStage) -> f64 {
    let now = use_state_eq(|| stage.read().clock.now);
    use_effect_with(stage.clone(), {
        let now = now.setter();
        move |stage| {
            let stage = stage.clone();
            let look = Closure::<dyn Fn()>::new(move || now.set(stage.read().clock.now));
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
    *now
}
