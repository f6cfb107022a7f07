//! The page's address: it says what is shown, and what is put there is followed. What a person chooses
//! makes an entry of the browser's history, so that Back and Forward walk views, choices and settings;
//! what moves by itself, as the clock does, only changes the entry that is there. Undo and Redo are Back and Forward, as far
//! as entries are the page's own.

use super::embed::embedded_view;
use super::services::StateHandle;
use super::views::read_link;
use crate::session::Session;
use crate::state::link::Link;
use crate::state::{Action, PanelsAction, Steps};
use gloo_events::EventListener;
use gloo_timers::callback::Interval;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{HashChangeEvent, PopStateEvent, Window};
use yew::prelude::*;

/// The clock's time in the address follows at most this often.
const EVERY_MS: u32 = 700;

/// Changes of the same parts within this time are one step of the history: a slider that is dragged, a
/// filter that is typed.
const ONE_STEP_MS: f64 = 2_000.0;

/// What marks an entry of the history as the page's own; its number follows.
const OURS: &str = "switchyard ";

/// The link in the address.
pub(super) fn opened() -> Link {
    let hash = web_sys::window().and_then(|window: Window| window.location().hash().ok());
    read_link(&hash.unwrap_or_default())
}

/// What the address says.
#[derive(Default)]
struct Address {
    /// The link that was written last.
    written: Option<Link>,
    /// Its text.
    text: String,
    /// When the last step of the history was made, and which parts of the link it changed.
    step: (f64, Vec<String>),
    /// A link is being followed: what is shown then is that link, perhaps in other words, and no step.
    follows: bool,
    /// The last move through the history was one between the page's own entries.
    walks: bool,
    /// Until then nothing is written: the address has a link that is about to be followed.
    held_until: f64,
    /// The number of the entry that is shown, and of the last one.
    entry: u32,
    last: u32,
}

/// The number of an entry of ours.
fn number(state: &JsValue) -> Option<u32> {
    state.as_string()?.strip_prefix(OURS)?.parse().ok()
}

/// What this tab's history says of its entry, which may be from before a reload.
fn entry_now() -> Option<u32> {
    let history = web_sys::window()?.history().ok()?;
    number(&history.state().ok()?)
}

impl Address {
    fn steps(&self) -> Steps {
        Steps {
            before: self.entry,
            after: self.last - self.entry,
        }
    }

    /// The history has moved.
    fn moved(&mut self, event: &PopStateEvent) {
        let entry = number(&event.state());
        self.walks = entry.is_some();
        self.entry = entry.unwrap_or_default();
        self.last = self.last.max(self.entry);
        let window = web_sys::window();
        let hash = window.and_then(|window| window.location().hash().ok());
        // Another address is told of by an event of its own, at once.
        if hash.is_some_and(|hash| hash.trim_start_matches('#') != self.text) {
            self.held_until = js_sys::Date::now() + ONE_STEP_MS;
        }
    }

    /// Writes what is shown, if that has changed.
    fn write(&mut self, link: Link) -> bool {
        if js_sys::Date::now() < self.held_until {
            return false;
        }
        let text = link.fragment();
        if text == self.text {
            (self.written, self.follows) = (Some(link), false);
            return false;
        }
        let now = js_sys::Date::now();
        let is_step = match &self.written {
            Some(before) if !self.follows => !before.is_but_for_the_clock(&link),
            _ => false,
        };
        let mut pushes = is_step && embedded_view().is_none();
        if is_step {
            let parts = changed(&self.text, &text);
            let continues = self.step.1 == parts && now - self.step.0 < ONE_STEP_MS;
            pushes &= !continues;
            self.step = (now, parts);
        }
        if pushes {
            self.entry += 1;
            self.last = self.entry;
        }
        put(&text, self.entry, pushes);
        (self.written, self.text, self.follows) = (Some(link), text, false);
        true
    }
}

/// The names of those parts in which two fragments differ, but for the clock's.
fn changed(before: &str, after: &str) -> Vec<String> {
    let lacks = |text: &str, part: &str| text.split('&').all(|other| other != part);
    let gone = before.split('&').filter(|part| lacks(after, part));
    let come = after.split('&').filter(|part| lacks(before, part));
    let mut names: Vec<String> = Vec::new();
    for part in gone.chain(come) {
        let name = part.split('=').next().unwrap_or(part);
        let is_known = names.iter().any(|of| of == name);
        if !is_known && !["t", "speed", "zoom", "range"].contains(&name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Keeps the address in step with what is shown, and follows a link that somebody puts into the
/// address of the open page, or goes back to.
#[hook]
pub(super) fn use_address(state: &StateHandle, session: &Session) {
    let latest = use_mut_ref(|| state.clone());
    *latest.borrow_mut() = state.clone();
    let address = use_mut_ref(|| {
        let entry = entry_now().unwrap_or_default();
        Address {
            entry,
            last: entry,
            ..Address::default()
        }
    });
    use_effect_with(state.clone(), {
        let (session, address) = (session.clone(), address.clone());
        move |state: &StateHandle| write(&address, state, &session)
    });
    use_effect_with((), {
        let session = session.clone();
        move |()| {
            let timer = {
                let (session, latest, address) = (session.clone(), latest.clone(), address.clone());
                Interval::new(EVERY_MS, move || {
                    write(&address, &latest.borrow(), &session)
                })
            };
            let listeners = web_sys::window().map(|window| {
                let walked = address.clone();
                [
                    EventListener::new(&window, "popstate", move |event| {
                        walked.borrow_mut().moved(event.unchecked_ref());
                    }),
                    EventListener::new(&window, "hashchange", move |event| {
                        // The address itself may have been written over by now.
                        let address_now = event.unchecked_ref::<HashChangeEvent>().new_url();
                        let fragment = address_now.split_once('#').map_or("", |(_, of)| of);
                        let mut address = address.borrow_mut();
                        let walks = std::mem::take(&mut address.walks);
                        address.held_until = 0.0;
                        if Link::is_one(fragment) {
                            let mut link = read_link(fragment);
                            // Who embeds a view keeps it.
                            if embedded_view().is_some() {
                                link.view.clone_from(&latest.borrow().view.name);
                            }
                            (address.written, address.follows) = (None, true);
                            fragment.clone_into(&mut address.text);
                            let steps = address.steps();
                            drop(address);
                            session.dispatch(PanelsAction::Steps(steps));
                            let before = latest.borrow().clone();
                            session.dispatch(Action::Follow(Box::new(link.clone())));
                            session.follow(&link, &before, walks);
                        }
                    }),
                ]
            });
            move || drop((timer, listeners))
        }
    });
}

/// Writes what is shown into the address.
fn write(address: &Rc<RefCell<Address>>, state: &StateHandle, session: &Session) {
    // A trace that is not open yet would overwrite what the link wants.
    if state.opening.trace.is_none() || state.opening.progress.is_some() || session.is_under_way() {
        return;
    }
    let link = Link::of(state, &session.stage().read());
    let mut address = address.borrow_mut();
    if address.write(link) {
        session.note_for_rescue(state, &address.text);
    }
    let steps = address.steps();
    drop(address);
    if steps != state.panels.steps {
        session.dispatch(PanelsAction::Steps(steps));
    }
}

/// Goes back to what was shown before the last change.
pub(super) fn undo(steps: Steps) {
    let history = web_sys::window().and_then(|window| window.history().ok());
    if let Some(history) = history.filter(|_| steps.before > 0) {
        // Where a frame may not, nothing is undone.
        let _ = history.back();
    }
}

/// Goes on to what was undone last.
pub(super) fn redo(steps: Steps) {
    let history = web_sys::window().and_then(|window| window.history().ok());
    if let Some(history) = history.filter(|_| steps.after > 0) {
        // The same.
        let _ = history.forward();
    }
}

fn put(fragment: &str, entry: u32, pushes: bool) {
    let history = web_sys::window().and_then(|window| window.history().ok());
    if let Some(history) = history {
        let ours = JsValue::from(format!("{OURS}{entry}"));
        let address = format!("#{fragment}");
        // Some embedding pages forbid it: then the address merely stays behind.
        let _ = match pushes {
            true => history.push_state_with_url(&ours, "", Some(&address)),
            false => history.replace_state_with_url(&ours, "", Some(&address)),
        };
    }
}

/// Where the lessons are, if they are beside this page.
pub(super) fn lessons() -> Option<String> {
    let document = web_sys::window()?.document()?;
    let link = document.query_selector("link[rel=help]").ok()??;
    link.get_attribute("href")
}
