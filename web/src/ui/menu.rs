//! A button and the panel that it opens below: Escape, leaving it with Tab and a click elsewhere close it.

use gloo_events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget, HtmlElement, Node};
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

/// Whether something lies within an element.
fn is_within(root: &NodeRef, target: EventTarget) -> bool {
    let node = target.dyn_into::<Node>().ok();
    let root = root.cast::<Element>();
    root.is_some_and(|root| root.contains(node.as_ref()))
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
            // What has the focus may have gone by itself, with what it stood in.
            if event
                .related_target()
                .is_some_and(|to| !is_within(&root, to))
            {
                open.set(false);
            }
        })
    };
    use_effect_with((*open, root.clone()), {
        let open = open.setter();
        move |(is_open, root): &(bool, NodeRef)| {
            let document = web_sys::window().and_then(|window| window.document());
            let document = document.filter(|_| *is_open);
            let root = root.clone();
            let listener = document.map(|document| {
                EventListener::new(&document, "pointerdown", move |event| {
                    if event.target().is_some_and(|to| !is_within(&root, to)) {
                        open.set(false);
                    }
                })
            });
            move || drop(listener)
        }
    });
    html! {
        <div class="export" ref={root} {onkeydown} {onfocusout}>
            <button type="button" ref={button} aria-expanded={open.to_string()} aria-controls={props.id}
                title={props.title} onclick={toggle}>{ props.name }</button>
            // Focus stays in the menu when empty space in it is clicked.
            <div id={props.id} class="export-panel" tabindex="-1" hidden={!*open}>{ props.children.clone() }</div>
        </div>
    }
}
