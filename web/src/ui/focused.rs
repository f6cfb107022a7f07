//! Whoever opens something with the keyboard goes on inside of it, and is back where they were when it
//! closes.

use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlDialogElement, HtmlElement};
use yew::prelude::*;

/// Where the view is shown.
pub(super) const PANEL: &str = "view";

/// What has been opened.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// The element that gets the focus.
    pub(super) target: NodeRef,
    /// What has been opened, with the element in it.
    pub(super) children: Html,
}

/// Puts the focus on an element when it appears, and back when it goes; a dialog becomes modal.
#[component]
pub(super) fn Focused(props: &Props) -> Html {
    use_focus_return(&props.target);
    let target = props.target.clone();
    use_effect_with((), move |()| {
        let dialog = target.get().and_then(|node| node.dyn_into().ok());
        let dialog: Option<HtmlDialogElement> = dialog;
        if let Some(dialog) = dialog {
            // A dialog that has just appeared is closed.
            let _ = dialog.show_modal();
        } else if let Some(target) = target.cast::<HtmlElement>() {
            focus(&target);
        }
    });
    props.children.clone()
}

/// Gives the focus back to what had it before this was there, where it would be lost with what goes:
/// `within` is the element that goes, or one in it.
#[hook]
pub(super) fn use_focus_return(within: &NodeRef) {
    let within = within.clone();
    use_effect_with((), move |()| {
        let opener = document().and_then(|document| document.active_element());
        let place = within.cast::<Element>().and_then(|within| {
            let place = within.closest("dialog, [role=dialog], [role=search], section, aside");
            place.ok().flatten()
        });
        move || {
            let Some(document) = document() else { return };
            let is_lost = match document.active_element() {
                None => true,
                Some(now) if now.tag_name() == "BODY" => true,
                Some(now) => place.is_some_and(|place| place.contains(Some(&now))),
            };
            let opener = opener.and_then(|opener| opener.dyn_into::<HtmlElement>().ok());
            // What has opened it may have gone meanwhile.
            let view = || element(PANEL)?.dyn_into().ok();
            let opener = opener.filter(|opener| opener.is_connected()).or_else(view);
            if let Some(opener) = opener.filter(|_| is_lost) {
                focus(&opener);
            }
        }
    });
}

fn document() -> Option<Document> {
    web_sys::window()?.document()
}

/// The element of this id, if there is one.
pub(super) fn element(id: &str) -> Option<Element> {
    document()?.get_element_by_id(id)
}

/// Puts the focus on the element of this id, if there is one.
pub(super) fn focus_on(id: &str) {
    if let Some(element) = element(id).and_then(|of| of.dyn_into().ok()) {
        focus(&element);
    }
}

/// Puts the focus on an element; one that cannot take it merely does not get it.
pub(super) fn focus(element: &HtmlElement) {
    let _ = element.focus();
}
