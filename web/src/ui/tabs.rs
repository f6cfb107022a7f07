//! The views to choose from, as a list of tabs that the keyboard walks: arrows, Home and End show the next
//! one; and the way past all that stands before the view.

use super::focused::{PANEL, element, focus_on};
use super::services::{StateProps, dispatch};
use super::view::View;
use super::views::{self, VIEWS};
use crate::draw::format;
use crate::state::{AppState, ViewAction};
use web_sys::Element;
use yew::prelude::*;

/// What a view's tab is called in the document.
pub(super) fn tab_id(view: &View) -> String {
    format!("tab-{}", view.name)
}

/// Those that have something to show, and the one that is shown.
fn offered(state: &AppState) -> Vec<&'static View> {
    let shown = views::shown(state).name;
    let is_offered = |view: &&'static View| view.name == shown || (view.is_offered)(state);
    VIEWS.iter().filter(is_offered).collect()
}

/// Which of so many tabs a key leads to from the one at a place.
fn led_to(key: &str, at: usize, tabs: usize) -> Option<usize> {
    match key {
        "ArrowRight" => Some((at + 1) % tabs),
        "ArrowLeft" => Some((at + tabs - 1) % tabs),
        "Home" => Some(0),
        "End" => Some(tabs - 1),
        _ => None,
    }
}

/// On a phone the strip is longer than the screen. (`scrollIntoView` would have the Tab key go on from there.)
fn bring_into_sight(tab: &Element) {
    let Some(strip) = tab.parent_element() else {
        return;
    };
    let (of, all) = (
        tab.get_bounding_client_rect(),
        strip.get_bounding_client_rect(),
    );
    let (before, behind) = (all.left() - of.left(), of.right() - all.right());
    let by = if before > 0.0 {
        -before
    } else {
        behind.max(0.0)
    };
    strip.set_scroll_left(strip.scroll_left() + by.round() as i32);
}

/// The list.
#[component]
pub(super) fn Tabs(props: &StateProps) -> Html {
    let session = &props.services.session;
    let offered = offered(&props.state);
    let shown = views::shown(&props.state);
    use_effect_with(tab_id(shown), |id| {
        if let Some(tab) = element(id) {
            bring_into_sight(&tab);
        }
    });
    let onkeydown = {
        let (session, offered) = (session.clone(), offered.clone());
        Callback::from(move |event: KeyboardEvent| {
            let at = offered.iter().position(|view| view.name == shown.name);
            let chord = event.ctrl_key() || event.meta_key() || event.alt_key();
            let to = led_to(&event.key(), at.unwrap_or_default(), offered.len());
            let Some(view) = to.filter(|_| !chord).map(|to| offered[to]) else {
                return;
            };
            event.prevent_default();
            event.stop_propagation();
            session.dispatch(ViewAction::Show(view.name));
            focus_on(&tab_id(view));
        })
    };
    let tabs = offered.iter().map(|&view| {
        let onclick = dispatch(session, |_: MouseEvent| ViewAction::Show(view.name));
        let is_shown = view.name == shown.name;
        // The list is one stop of the Tab key.
        let tabindex = if is_shown { "0" } else { "-1" };
        html! {
            <button type="button" role="tab" id={tab_id(view)} title={format::units(view.about)} {tabindex} aria-controls={is_shown.then_some(PANEL)}
                aria-selected={is_shown.to_string()} {onclick}>{ view.title }</button>
        }
    });
    html! { <div class="tabs" role="tablist" aria-label="Views" {onkeydown}>{ for tabs }</div> }
}

/// The first thing that the Tab key finds: the way past header, rail and tabs. (A link's address would take
/// the place of the page's own.)
pub(super) fn skip_link() -> Html {
    html! { <button type="button" class="skip" onclick={|_: MouseEvent| focus_on(PANEL)}>{ "Skip to the view" }</button> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_go_round_and_home_and_end_to_the_ends() {
        let keys = ["ArrowRight", "ArrowLeft", "Home", "End", "x"];
        let from = |at: usize| keys.map(|key| led_to(key, at, 5));
        assert_eq!(from(4), [Some(0), Some(3), Some(0), Some(4), None]);
        assert_eq!(from(0), [Some(1), Some(4), Some(0), Some(4), None]);
    }
}
