//! What the page can do, by name: views, schedulers, samples, and whatever has a field in the rail or a button in the top
//! line or its menus. Those are read from the document, so that a new setting or export is found without a line here.

use super::focused::{element, focus};
use super::header::DRAWER_BUTTON;
use super::services::StateHandle;
use super::trace_panel::open_sample_named;
use super::views::{VIEWS, shown};
use crate::draw::format;
use crate::session::Session;
use crate::state::GUIDED;
use crate::state::{AppState, PanelsAction, RunsAction, ViewAction};
use gloo_timers::callback::Timeout;
use switchyard::policies::{POLICIES, PolicySpec};
use switchyard::workload::SAMPLES;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Milliseconds after which what was dispatched is drawn.
const DRAWN_MS: u32 = 50;

/// Something to do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Command {
    /// Its name.
    pub(super) name: String,
    /// What it is.
    pub(super) about: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// Shows the view of this name.
    View(&'static str),
    /// Adds the scheduler of this name.
    Scheduler(&'static str),
    /// Opens the sample of this name.
    Sample(&'static str),
    /// Goes to a field of the rail.
    Field(HtmlElement),
    /// Presses a button.
    Button(HtmlElement),
}

/// All that can be done now.
pub(super) fn all(state: &AppState) -> Vec<Command> {
    let is_shown = shown(state).name;
    let views = VIEWS
        .iter()
        .filter(|view| view.name == is_shown || (view.is_offered)(state));
    let views = views.map(|view| Command {
        name: view.title.to_owned(),
        about: view.about.to_owned(),
        kind: Kind::View(view.name),
    });
    let schedulers = POLICIES.iter().map(|policy| Command {
        name: format!("Add {}", policy.title),
        about: "scheduler".to_owned(),
        kind: Kind::Scheduler(policy.name),
    });
    let samples = SAMPLES.iter().map(|sample| Command {
        name: format!("Open {}", sample.title),
        about: "sample".to_owned(),
        kind: Kind::Sample(sample.name),
    });
    let fields = elements("#rail label.field").filter_map(|label| {
        let name = text(&label.query_selector("span").ok()??)?;
        let field = label.query_selector("input, select, textarea").ok()??;
        Some((name, "setting", Kind::Field(field.dyn_into().ok()?)))
    });
    let buttons = elements("header button:not(.only-narrow, .look-up)").filter_map(|button| {
        let name = button
            .get_attribute("aria-label")
            .or_else(|| text(&button))?;
        let within = button.closest(".export-panel").ok()?;
        let menu = within.and_then(|panel| text(&panel.previous_element_sibling()?));
        let about = if menu.is_some() { "export" } else { "menu" };
        Some((name, about, Kind::Button(button.dyn_into().ok()?)))
    });
    let found = fields.chain(buttons).map(|(name, about, kind)| Command {
        name,
        about: about.to_owned(),
        kind,
    });
    let found: Vec<Command> = found.collect();
    views
        .chain(schedulers)
        .chain(samples)
        .chain(found)
        .collect()
}

/// The elements that a selector finds in the page.
fn elements(selector: &str) -> impl Iterator<Item = Element> {
    let document = web_sys::window().and_then(|window| window.document());
    let list = document.and_then(|document| document.query_selector_all(selector).ok());
    let count = list.as_ref().map_or(0, |list| list.length());
    let at = move |at| list.as_ref()?.get(at)?.dyn_into().ok();
    (0..count).filter_map(at)
}

/// What stands in an element, in one line; `None`: nothing.
fn text(element: &Element) -> Option<String> {
    let text = element.text_content()?;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then(|| format::cut(&text, 60).to_string())
}

impl Command {
    /// Whether it is listed before anything is looked for.
    pub(super) fn is_at_hand(&self) -> bool {
        matches!(self.kind, Kind::View(_) | Kind::Button(_))
    }

    /// Does it.
    pub(super) fn carry_out(&self, session: &Session, state: &StateHandle) {
        match &self.kind {
            Kind::View(name) => session.dispatch(ViewAction::Show(name)),
            Kind::Scheduler(name) => {
                // A name alone is always a policy.
                if let Ok(policy) = name.parse::<PolicySpec>() {
                    session.dispatch(RunsAction::Add(Box::new(policy)));
                }
            }
            Kind::Sample(GUIDED) => super::guide::wish(state, session)(),
            Kind::Sample(name) => open_sample_named(name, session, state),
            Kind::Field(field) => go_to(session, field),
            Kind::Button(button) => button.click(),
        }
    }
}

/// Puts the focus on a field of the rail, opening what it stands in.
fn go_to(session: &Session, field: &HtmlElement) {
    let mut within = field.parent_element();
    while let Some(element) = within {
        if element.tag_name() == "DETAILS" {
            // An attribute can always be set.
            let _ = element.set_attribute("open", "");
        }
        within = element.parent_element();
    }
    // On a narrow screen the rail is a drawer.
    let is_narrow = |button: HtmlElement| button.offset_width() > 0;
    let button = element(DRAWER_BUTTON).and_then(|button| button.dyn_into().ok());
    if button.is_some_and(is_narrow) {
        session.dispatch(PanelsAction::Drawer(true));
    }
    let field = field.clone();
    // Once the search is gone, and the drawer there.
    Timeout::new(DRAWN_MS, move || focus(&field)).forget();
}
