//! A button and the panel that it opens below: Escape, leaving it with Tab and a click elsewhere close it.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Node};
use yew::prelude::*;

/// What a menu needs.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// The button's name.
    pub(super) name: &'static str,
    /// The panel's `id`.
    pub(super) id: &'static str,
    /// What it is for.
    pub(super) title: &'static str,
    /// Hears when it opens.
    #[prop_or_default]
    pub(super) on_open: Callback<()>,
    /// What is in it.
    pub(super) children: Html,
}

/// The button and its panel.
#[component]
pub(super) fn Menu(props: &Props) -> Html {
    let open = use_state_eq(|| false);
    let root = use_node_ref();
    let button = use_node_ref();
    let toggle = {
        let (open, on_open) = (open.clone(), props.on_open.clone());
        Callback::from(move |_: MouseEvent| {
            if !*open {
                on_open.emit(());
            }
            open.set(!*open);
        })
    };
    let onkeydown = {
        let (open, button) = (open.clone(), button.clone());
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && *open {
                open.set(false);
                event.stop_propagation();
                if let Some(button) = button.cast::<HtmlElement>() {
                    // A button on the page can be focused.
                    let _ = button.focus();
                }
            }
        })
    };
    // Leaving the menu, with Tab or a click elsewhere, closes it.
    let onfocusout = {
        let (open, root) = (open.clone(), root.clone());
        Callback::from(move |event: FocusEvent| {
            let to = event
                .related_target()
                .and_then(|target| target.dyn_into::<Node>().ok());
            let inside = root
                .cast::<Element>()
                .is_some_and(|root| root.contains(to.as_ref()));
            if !inside {
                open.set(false);
            }
        })
    };
    html! {
        <div class="export" ref={root} {onkeydown} {onfocusout}>
            <button type="button" ref={button} aria-expanded={open.to_string()} aria-controls={props.id}
                title={props.title} onclick={toggle}>{ props.name }</button>
            // Focus stays in the menu when empty space in it is clicked.
            <div id={props.id} class="export-panel" tabindex="-1" hidden={!*open}>{ props.children.clone() }</div>
        </div>
    }
}
