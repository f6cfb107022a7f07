//! The keys, as in Perfetto.

use super::address::{redo, undo};
use super::animation::Animation;
use super::embed::embedded_view;
use super::header::close_drawer;
use super::services::StateHandle;
use super::views::VIEWS;
use crate::session::Session;
use crate::state::{AppState, ColourBy, PanelsAction, SelectionAction, Steps, ViewAction};
use crate::time_axis::AxisRequest;
use gloo_events::{EventListener, EventListenerOptions};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};
use yew::prelude::*;

/// Listens to keys wherever the focus is, except while something is being typed. Undo and Redo are the field's as long as
/// what is written into it has not been taken; the page's from then on.
#[hook]
pub(super) fn use_keyboard(state: &StateHandle, session: &Session, animation: &Option<Animation>) {
    let latest = use_mut_ref(|| state.clone());
    *latest.borrow_mut() = state.clone();
    let (session, animation) = (session.clone(), animation.clone());
    use_effect_with((), move |()| {
        // Whether something has been written into the field with the focus that nothing has taken yet.
        let written = Rc::new(Cell::new(false));
        let is_written = written.clone();
        let on_key = move |event: &KeyboardEvent| {
            let chord = event.ctrl_key() || event.meta_key() || event.alt_key();
            if is_palette(event) && embedded_view().is_none() && !is_asking(&latest.borrow()) {
                session.dispatch(ViewAction::Search(true));
                return event.prevent_default();
            }
            if let Some(does) = walks(event).filter(|_| embedded_view().is_none()) {
                let is_own = is_written.get() || is_refused(event) || is_writing(event);
                if !is_own && !is_asking(&latest.borrow()) {
                    does(latest.borrow().panels.steps);
                    event.prevent_default();
                }
                return;
            }
            // A dialog has its keys to itself.
            if chord || is_typing(event) || is_asking(&latest.borrow()) {
                return;
            }
            let key = event.key();
            let for_canvas = || {
                animation
                    .as_ref()
                    .is_some_and(|animation| animation.key(&key))
            };
            if press(&key, &latest.borrow(), &session) || for_canvas() {
                event.prevent_default();
            }
        };
        let listener = web_sys::window().map(|window| {
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&window, "keydown", options, move |event| {
                on_key(event.unchecked_ref());
            })
        });
        let watch = |event: &'static str, is: bool| {
            let (window, written) = (web_sys::window()?, written.clone());
            let options = EventListenerOptions::run_in_capture_phase();
            Some(EventListener::new_with_options(
                &window,
                event,
                options,
                move |_| written.set(is),
            ))
        };
        let watched = [
            watch("input", true),
            watch("change", false),
            watch("focusout", false),
        ];
        move || drop((listener, watched))
    });
}

/// Whether a dialog has the keys to itself.
fn is_asking(state: &AppState) -> bool {
    state.opening.asks_columns
}

/// Ctrl+K: what opens a palette of commands everywhere else, too.
fn is_palette(event: &KeyboardEvent) -> bool {
    let control = event.ctrl_key() || event.meta_key();
    control && !event.alt_key() && event.key().eq_ignore_ascii_case("k")
}

/// Ctrl+Z undoes; with Shift, or Ctrl+Y, it is done again.
fn walks(event: &KeyboardEvent) -> Option<fn(Steps)> {
    let control = (event.ctrl_key() || event.meta_key()) && !event.alt_key();
    match event.key().to_ascii_lowercase().as_str() {
        "z" if control && event.shift_key() => Some(redo),
        "z" if control => Some(undo),
        "y" if control => Some(redo),
        _ => None,
    }
}

/// Whether the key belongs to a field or a control.
fn is_typing(event: &KeyboardEvent) -> bool {
    let Some(element) = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok())
    else {
        return false;
    };
    let name = element.tag_name();
    let presses_it = matches!(name.as_str(), "BUTTON" | "SUMMARY" | "A")
        && matches!(event.key().as_str(), " " | "Enter");
    matches!(name.as_str(), "INPUT" | "SELECT" | "TEXTAREA") && event.key() != "Escape"
        || presses_it
}

/// Whether the field has a text that was refused, which is to be corrected.
fn is_refused(event: &KeyboardEvent) -> bool {
    let target = event.target();
    let field = target.and_then(|target| target.dyn_into::<Element>().ok());
    field.is_some_and(|field| field.get_attribute("aria-invalid").as_deref() == Some("true"))
}

/// Whether the key belongs to a text that undoes what is written itself.
fn is_writing(event: &KeyboardEvent) -> bool {
    let target = event.target();
    let element = target.and_then(|target| target.dyn_into::<Element>().ok());
    element.is_some_and(|element| {
        matches!(
            element.closest("[contenteditable=true], dialog"),
            Ok(Some(_))
        )
    })
}

/// Does what a key says; `false` if it says nothing here.
fn press(key: &str, state: &StateHandle, session: &Session) -> bool {
    match key {
        " " => session.play_or_pause(),
        "," => session.step(false),
        "." => session.step(true),
        "?" => session.dispatch(PanelsAction::Help(!state.panels.help)),
        "Escape" if state.panels.help => session.dispatch(PanelsAction::Help(false)),
        "Escape" if state.panels.drawer => close_drawer(session),
        "Escape" if state.panels.asks_for_guide => session.dispatch(PanelsAction::Guide(None)),
        "Escape" if state.panels.guide.is_some() && state.selection.job.is_none() => {
            session.dispatch(PanelsAction::Guide(None));
        }
        "/" => session.dispatch(ViewAction::Search(true)),
        "Escape" if state.selection.job.is_none() && state.selection.followed.is_some() => {
            session.dispatch(SelectionAction::FollowJob(None));
        }
        "Escape" if state.selection.job.is_none() => {
            let axis = session.stage().read().axis.selected();
            match axis {
                Some(_) => session.stage().write().look(AxisRequest::Select(None)),
                None => session.select_jobs(""),
            }
        }
        "Escape" => session.select(None),
        "j" | "J" => {
            let stage = session.stage().read();
            let job = stage.hovered.or(stage.selected()).or(stage.followed());
            drop(stage);
            if let Some(job) = job {
                session.follow_job(job);
            }
        }
        "c" | "C" => {
            let stage = session.stage().read();
            let offered: Vec<ColourBy> =
                ColourBy::offered(&stage.workload).map(|of| of.0).collect();
            drop(stage);
            let now = offered.iter().position(|by| *by == state.view.colour_by);
            let next = now.map_or(0, |now| now + 1) % offered.len();
            session.dispatch(ViewAction::ColourBy(offered[next]));
        }
        _ => {
            let number = key.parse::<usize>().ok();
            let Some(view) = number.and_then(|number| VIEWS.get(number.checked_sub(1)?)) else {
                return false;
            };
            session.dispatch(ViewAction::Show(view.name));
        }
    }
    true
}
