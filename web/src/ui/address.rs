//! The page's address: it says what is shown, and what is put there is followed.

use super::doers::StateHandle;
use super::views::read_link;
use crate::session::Session;
use crate::state::Action;
use crate::state::link::Link;
use gloo_events::EventListener;
use gloo_timers::callback::Interval;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{HashChangeEvent, Window};
use yew::prelude::*;

/// The address follows the view at most this often.
const EVERY_MS: u32 = 700;

/// The link in the address.
pub(super) fn opened() -> Link {
    let hash = web_sys::window().and_then(|window: Window| window.location().hash().ok());
    read_link(&hash.unwrap_or_default())
}

/// Keeps the address in step with what is shown, and follows a link that somebody puts into the
/// address of the open page, or goes back to.
#[hook]
pub(super) fn use_address(state: &StateHandle, session: &Session) {
    let latest = use_mut_ref(|| state.clone());
    *latest.borrow_mut() = state.clone();
    use_effect_with((), {
        let session = session.clone();
        move |()| {
            let mut written = String::new();
            let updating = session.clone();
            let timer = Interval::new(EVERY_MS, move || {
                let latest = latest.borrow();
                let fragment = Link::of(&latest, &updating.stage().read()).fragment();
                // A trace that is not open yet would overwrite what the link wants.
                if latest.trace.is_some() && written != fragment {
                    replace_hash(&fragment);
                    updating.note_for_rescue(&latest, &fragment);
                    written = fragment;
                }
            });
            let listener = web_sys::window().map(|window| {
                EventListener::new(&window, "hashchange", move |event| {
                    // The address itself may have been written over by now.
                    let address = event.unchecked_ref::<HashChangeEvent>().new_url();
                    let fragment = address.split_once('#').map_or("", |(_, fragment)| fragment);
                    if Link::is_one(fragment) {
                        let link = read_link(fragment);
                        session.tell(Action::Follow(Box::new(link.clone())));
                        session.follow(&link);
                    }
                })
            });
            move || drop((timer, listener))
        }
    });
}

fn replace_hash(fragment: &str) {
    let history = web_sys::window().and_then(|window| window.history().ok());
    if let Some(history) = history {
        // Some embedding pages forbid it: then the address merely stays behind.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("#{fragment}")));
    }
}
