//! Whoever opens something with the keyboard goes on inside of it.

use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;
use yew::prelude::*;

/// What has been opened.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// The element that gets the focus.
    pub(super) target: NodeRef,
    /// What has been opened, with the element in it.
    pub(super) children: Html,
}

/// Puts the focus on an element when it appears; a dialog becomes modal.
#[component]
pub(super) fn Focused(props: &Props) -> Html {
    let target = props.target.clone();
    use_effect_with((), move |()| {
        let dialog = target.get().and_then(|node| node.dyn_into().ok());
        let dialog: Option<HtmlDialogElement> = dialog;
        if let Some(dialog) = dialog {
            // A dialog that has just appeared is closed.
            let _ = dialog.show_modal();
        } else if let Some(target) = target.cast::<web_sys::HtmlElement>() {
            // An element that cannot take the focus merely does not get it.
            let _ = target.focus();
        }
    });
    props.children.clone()
}
