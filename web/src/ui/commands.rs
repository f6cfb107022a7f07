//! What the page can do, by name: views with their options, schedulers, samples, colours, themes, parts of time, and whatever
//! has a field in the rail, a control at the clock or a button in the top line or its menus. Those are read from the document,
//! and options from their table, so that a new one is found without a line here.

use super::focused::{PANEL, element, focus, focus_on};
use super::header::DRAWER_BUTTON;
use super::services::StateHandle;
use super::trace_panel::open_sample_named;
use super::views::{VIEWS, named, shown};
use crate::draw::format;
use crate::session::Session;
use crate::stage::Stage;
use crate::state::view_options::{OPTIONS, ViewOption};
use crate::state::{AppState, PanelsAction, RunsAction, ViewAction};
use crate::state::{ColourBy, GUIDED, Theme};
use crate::time_axis::AxisRequest;
use gloo_timers::callback::Timeout;
use switchyard::policies::{POLICIES, ParamKind, PolicySpec};
use switchyard::workload::SAMPLES;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Milliseconds after which what was dispatched is drawn, and how often it is looked for: some views come in parts.
const DRAWN_MS: u32 = 50;
const TRIES: u32 = 40;

/// Something to do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Command {
    /// Its name.
    pub(super) name: String,
    /// What it is.
    pub(super) about: String,
    /// Other words that it is found by.
    pub(super) also: String,
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
    /// Goes to where an option is chosen.
    Option(&'static ViewOption),
    /// Gives an option a value.
    Set(&'static ViewOption, &'static str),
    /// Has colours stand for something.
    Colour(ColourBy),
    /// Light or dark.
    Theme(Theme),
    /// Shows or selects a part of time.
    Look(AxisRequest),
    /// Goes to a field of the rail.
    Field(HtmlElement),
    /// Presses a button.
    Button(HtmlElement),
    /// Presses a button or follows a link that is no menu's, or goes to a control.
    Press(HtmlElement),
}

impl Command {
    fn new(name: String, about: &str, kind: Kind) -> Self {
        Self {
            name,
            about: about.to_owned(),
            also: String::new(),
            kind,
        }
    }

    fn found_by(self, also: String) -> Self {
        Self { also, ..self }
    }
}

/// All that can be done now.
pub(super) fn all(state: &AppState, stage: &Stage) -> Vec<Command> {
    let is_shown = shown(state).name;
    // What is below all views is told of traces with dates alone.
    let is_dated = elements(".player .dates").next().is_some();
    let is_offered = |name: &str| match named(name) {
        Some(view) => name == is_shown || (view.is_offered)(state),
        None => is_dated,
    };
    let views = VIEWS.iter().filter(|view| is_offered(view.name));
    let views =
        views.map(|view| Command::new(view.title.to_owned(), view.about, Kind::View(view.name)));
    let schedulers = POLICIES.iter().map(|policy| {
        let name = format!("Add {}", policy.title);
        Command::new(name, "scheduler", Kind::Scheduler(policy.name))
    });
    let samples = SAMPLES.iter().map(|sample| {
        let name = format!("Open {}", sample.title);
        Command::new(name, "sample", Kind::Sample(sample.name))
    });
    let mut all: Vec<Command> = views.chain(schedulers).chain(samples).collect();
    all.extend(fields());
    all.extend(buttons());
    all.extend(looks(stage));
    all.extend(options(&is_offered));
    all.extend(at_the_clock());
    all
}

/// The options of views that are offered: the place where each is chosen, and the values of those that have few.
fn options(is_offered: &dyn Fn(&str) -> bool) -> Vec<Command> {
    let mut all = Vec::new();
    for &option in OPTIONS.iter().filter(|option| is_offered(option.view)) {
        let view = named(option.view).map_or("the clock", |view| view.title);
        let (about, also) = (format!("setting · {view}"), option.link.to_owned());
        let name = format::units(option.name).into_owned();
        let place = Command::new(name.clone(), &about, Kind::Option(option));
        all.push(place.found_by(also.clone()));
        if let ParamKind::OneOf(words) = option.kind {
            all.extend(words.iter().map(|word| {
                let name = format!("{name}: {}", word.replace(['-', '_'], " "));
                let set = Command::new(name, &about, Kind::Set(option, word));
                set.found_by(format!("{also}={word}"))
            }));
        }
    }
    all
}

/// What colours can stand for, themes, and parts of time.
fn looks(stage: &Stage) -> Vec<Command> {
    let colours = ColourBy::offered(&stage.workload).map(|(by, link, title)| {
        let name = format!("Colour by {}", format::units(title));
        Command::new(name, "setting", Kind::Colour(by)).found_by(format!("color colour={link}"))
    });
    let themes = [
        ("as the system", Theme::System),
        ("light", Theme::Light),
        ("dark", Theme::Dark),
    ];
    let themes = themes
        .map(|(name, theme)| Command::new(format!("Theme: {name}"), "setting", Kind::Theme(theme)));
    let (seen, selected) = (stage.window(), stage.axis.selected());
    let time = |name: &str, look| Command::new(name.to_owned(), "time", Kind::Look(look));
    let whole = time("Show all of time", AxisRequest::Whole).found_by("zoom out".to_owned());
    let select = time(
        "Select the range of time that is shown",
        AxisRequest::Select(Some(seen)),
    );
    let of_range = selected.into_iter().flat_map(|range| {
        let zoom = time("Zoom to the selected range", AxisRequest::At(range));
        [
            zoom,
            time("Let go of the selected range", AxisRequest::Select(None)),
        ]
    });
    let times = [whole, select].into_iter().chain(of_range);
    colours.chain(themes).chain(times).collect()
}

/// Whatever is set in the rail, and the links to what else there is.
fn fields() -> Vec<Command> {
    let controls = elements("#rail :is(input, select, textarea):not([hidden])");
    let fields = controls.filter_map(|control| {
        let label = control.closest("label").ok()?;
        let span = label
            .as_ref()
            .and_then(|label| label.query_selector("span").ok()?);
        let name = span
            .and_then(|span| text(&span))
            .or_else(|| control.get_attribute("aria-label"))
            .or_else(|| text(&label?))?;
        let card = control.closest(".card").ok()?;
        let card = card.and_then(|card| text(&card.query_selector("button.name").ok()??));
        let about = card.map_or_else(|| "setting".to_owned(), |card| format!("setting · {card}"));
        let also = control.get_attribute("aria-label").unwrap_or_default();
        let field = Kind::Field(control.dyn_into().ok()?);
        Some(Command::new(name, &about, field).found_by(also))
    });
    let links = elements("#rail .hint > :is(a, button.link)").filter_map(|link| {
        let also = link.get_attribute("title").unwrap_or_default();
        let also = format!("{also} {}", text(&link.parent_element()?)?);
        let press = Kind::Press(link.clone().dyn_into().ok()?);
        Some(Command::new(text(&link)?, "more", press).found_by(also))
    });
    fields.chain(links).collect()
}

/// Buttons and links of the top line and of its menus.
fn buttons() -> Vec<Command> {
    let found = elements("header :is(button:not(.only-narrow, .look-up), a)");
    let found = found.filter_map(|button| {
        let name = button.get_attribute("aria-label");
        let name = name.or_else(|| text(&button))?;
        // Each theme has its own.
        if name.starts_with("Theme:") {
            return None;
        }
        let menu = button.closest(".export-panel").ok()?;
        let about = if menu.is_some() { "export" } else { "menu" };
        let title = button.get_attribute("title").unwrap_or_default();
        let also = menu.and_then(|_| heading_of(&button));
        let also = format!("{title} {}", also.unwrap_or_default());
        let press = Kind::Button(button.dyn_into().ok()?);
        Some(Command::new(name, about, press).found_by(also))
    });
    found.collect()
}

/// What stands above an item of a menu, with its row's own words.
fn heading_of(item: &Element) -> Option<String> {
    let row = item.closest("li").ok()?;
    let words = row.as_ref().and_then(text).unwrap_or_default();
    let list = row.and_then(|row| row.parent_element());
    let heading = list.and_then(|list| text(&list.previous_element_sibling()?));
    Some(format!("{words} {}", heading.unwrap_or_default()))
}

/// What there is at the clock, but for the options that have names of their own.
fn at_the_clock() -> Vec<Command> {
    let found = elements("footer.player :is(button, input):not([data-option])");
    let found = found.filter_map(|control| {
        let label = control.closest("label").ok()?;
        let span = label.and_then(|label| text(&label.query_selector("span").ok()??));
        let name = control.get_attribute("aria-label").or(span)?;
        let also = control.get_attribute("title").unwrap_or_default();
        let press = Kind::Press(control.dyn_into().ok()?);
        Some(Command::new(name, "clock", press).found_by(also))
    });
    found.collect()
}

/// The elements that a selector finds in the page.
fn elements(selector: &str) -> impl Iterator<Item = Element> + use<> {
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
            Kind::Option(option) => {
                show_view_of(option, session);
                go_to_option(option.link, TRIES);
            }
            Kind::Set(option, value) => {
                session.dispatch(ViewAction::SetOption(option, (*value).to_owned()));
                show_view_of(option, session);
            }
            Kind::Colour(by) => session.dispatch(ViewAction::ColourBy(*by)),
            Kind::Theme(theme) => session.dispatch(ViewAction::Theme(*theme)),
            Kind::Look(look) => session.stage().write().look(*look),
            Kind::Field(field) => go_to(session, field),
            Kind::Press(control) if control.tag_name() == "INPUT" => go_to(session, control),
            Kind::Button(button) => press(button),
            Kind::Press(button) => button.click(),
        }
    }
}

/// Presses a button. One of Share is gone to: what it shares is made when that opens, and some browsers copy and open only
/// what somebody presses.
fn press(button: &HtmlElement) {
    let panel = button.closest("#share-panel");
    let panel = panel.ok().flatten();
    let opener = panel.as_ref().and_then(Element::previous_element_sibling);
    let opener: Option<HtmlElement> = opener.and_then(|opener| opener.dyn_into().ok());
    let Some(opener) = opener else {
        return button.click();
    };
    if panel.is_some_and(|panel| panel.has_attribute("hidden")) {
        opener.click();
    }
    let button = button.clone();
    Timeout::new(DRAWN_MS, move || focus(&button)).forget();
}

/// Shows the view that an option is of.
fn show_view_of(option: &ViewOption, session: &Session) {
    if let Some(view) = named(option.view) {
        session.dispatch(ViewAction::Show(view.name));
    }
}

/// Puts the focus where an option is chosen, once that is drawn; where there is nothing to choose, on the view.
fn go_to_option(link: &'static str, tries: u32) {
    Timeout::new(DRAWN_MS, move || {
        // Who has opened the search anew meanwhile is not called away.
        if tries < TRIES && elements("[role=search]").next().is_some() {
            return;
        }
        let places = elements(&format!("[data-option=\"{link}\"]"));
        let inner = "[aria-pressed=true], input, select, button";
        let control = |place: Element| match place.matches(inner) {
            Ok(true) => place.dyn_into::<HtmlElement>().ok(),
            _ => place.query_selector(inner).ok()??.dyn_into().ok(),
        };
        // One that this width does not show cannot have the focus.
        let is_there = |of: &HtmlElement| of.offset_width() > 0;
        let found = places.filter_map(control).find(is_there);
        match (found, tries) {
            (Some(control), _) => focus(&control),
            (None, 0) => focus_on(PANEL),
            (None, _) => go_to_option(link, tries - 1),
        }
    })
    .forget();
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
    let is_in_rail = matches!(field.closest("#rail"), Ok(Some(_)));
    if is_in_rail && button.is_some_and(is_narrow) {
        session.dispatch(PanelsAction::Drawer(true));
    }
    let field = field.clone();
    // Once the search is gone, and the drawer there.
    Timeout::new(DRAWN_MS, move || focus(&field)).forget();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// All files of the views and of what is around them, as one text.
    fn sources(folder: &Path, all: &mut String) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, all);
            } else if path.extension().is_some_and(|of| of == "rs") {
                *all += &std::fs::read_to_string(&path).unwrap();
            }
        }
    }

    #[test]
    fn every_option_of_a_view_has_an_entry_and_its_values() {
        let all = options(&|_| true);
        for &option in OPTIONS {
            let places = all.iter().filter(|of| of.kind == Kind::Option(option));
            assert_eq!(places.count(), 1, "{}", option.link);
            assert!(
                option.view.is_empty() || named(option.view).is_some(),
                "{}: no view {}",
                option.link,
                option.view
            );
            if let ParamKind::OneOf(words) = option.kind {
                for word in words {
                    let set = Kind::Set(option, word);
                    assert!(
                        all.iter().any(|of| of.kind == set),
                        "{} {word}",
                        option.link
                    );
                }
            }
        }
        let mut names: Vec<&str> = all.iter().map(|of| of.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len(), "each has a name of its own");
        let offered = options(&|view| view == "jobs");
        assert_eq!(offered.len(), 3);
    }

    #[test]
    fn every_option_of_a_view_has_a_place_where_it_is_chosen() {
        let mut all = String::new();
        sources(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ui"),
            &mut all,
        );
        let table = include_str!("../state/view_options.rs");
        for &option in OPTIONS {
            let (_, behind) = table
                .split_once(&format!("\"{}\"", option.link))
                .expect("it is in the table");
            let before = &table[..table.len() - behind.len()];
            let name = before.rsplit("pub static ").next().unwrap();
            let name = name.split(':').next().unwrap();
            let is_there = [
                format!("data-option={{{name}.link}}"),
                format!("field_of(&{name},"),
                format!("option: &{name},"),
            ];
            assert!(is_there.iter().any(|of| all.contains(of)), "{name}");
        }
    }
}
