//! A term with its meaning: shown on hover and on focus, closed with Escape. Of a term that stands more than once on the
//! screen, the first is marked and the keyboard stops there.

use crate::draw::format;
use gloo_timers::callback::Timeout;
use std::cell::Cell;
use std::collections::BTreeSet;
use switchyard::Resource;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlElement, Window};
use yew::prelude::*;

/// What a term means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Definition {
    /// For identifiers.
    pub(super) id: &'static str,
    /// The term.
    pub(super) name: &'static str,
    /// In a sentence.
    pub(super) meaning: &'static str,
    /// As a formula; empty if the meaning says it all.
    pub(super) formula: &'static str,
    /// Where it comes from; empty if it is common knowledge.
    pub(super) source: &'static str,
}

/// What a term needs.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// Its meaning.
    pub(super) definition: Definition,
    /// Tells it from others of the same page, where a term stands more than once.
    #[prop_or_default]
    pub(super) place: u32,
    /// What is counted, which decides what it is called.
    #[prop_or_else(format::unit)]
    pub(super) unit: Resource,
}

/// Room the meaning takes up, and its distance from the term, CSS pixels.
const WIDTH: f64 = 300.0;
const GAP: f64 = 4.0;

/// The style of what stands beside an element, on the side of it that has more room.
pub(super) fn style_beside(element: &Element) -> String {
    let bounds = element.get_bounding_client_rect();
    let window = web_sys::window();
    let of = |side: fn(&Window) -> Result<JsValue, JsValue>, unknown: f64| {
        let side = window
            .as_ref()
            .and_then(|window| side(window).ok()?.as_f64());
        side.unwrap_or(unknown)
    };
    let (width, height) = (
        of(Window::inner_width, WIDTH),
        of(Window::inner_height, f64::INFINITY),
    );
    let left = bounds.left().min(width - WIDTH - 8.0).max(8.0);
    if bounds.bottom() <= height / 2.0 {
        format!("left: {left:.0}px; top: {:.0}px", bounds.bottom() + GAP)
    } else {
        format!(
            "left: {left:.0}px; bottom: {:.0}px",
            height - bounds.top() + GAP
        )
    }
}

/// Marks the first of each term on the screen, once what is being drawn is there. (Not by state: which is the first is
/// known to the document alone.)
fn mark_first() {
    thread_local!(static LATER: Cell<bool> = const { Cell::new(false) });
    if LATER.replace(true) {
        return;
    }
    Timeout::new(0, || {
        LATER.set(false);
        let document = web_sys::window().and_then(|window| window.document());
        let terms = document.and_then(|document| document.query_selector_all("[data-term]").ok());
        let Some(terms) = terms else { return };
        let mut known = BTreeSet::new();
        for at in 0..terms.length() {
            let Some(term) = terms
                .get(at)
                .and_then(|node| node.dyn_into::<HtmlElement>().ok())
            else {
                continue;
            };
            // What is folded away is not on the screen.
            let is_seen = term.offset_parent().is_some();
            let is_first = !is_seen || known.insert(term.get_attribute("data-term"));
            term.set_tab_index(if is_first { 0 } else { -1 });
        }
    })
    .forget();
}

/// A term with its meaning.
#[component]
pub(super) fn Term(props: &Props) -> Html {
    let place = use_state_eq(|| None::<String>);
    let button = use_node_ref();
    let Definition {
        id,
        name,
        meaning,
        formula,
        source,
    } = props.definition;
    let unit = props.unit;
    let open = {
        let (place, button) = (place.clone(), button.clone());
        move || {
            let button = button.cast::<Element>();
            place.set(button.map(|button| style_beside(&button)));
        }
    };
    let close = {
        let place = place.clone();
        move || place.set(None)
    };
    let onkeydown = {
        let (close, is_open) = (close.clone(), place.is_some());
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && is_open {
                event.stop_propagation();
                close();
            }
        })
    };
    let onmouseenter = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open())
    };
    let onclick = onmouseenter.clone();
    let onfocus = Callback::from(move |_: FocusEvent| open());
    let onmouseleave = {
        let close = close.clone();
        Callback::from(move |_: MouseEvent| close())
    };
    let onblur = Callback::from(move |_: FocusEvent| close());
    use_effect_with(name, |_| {
        mark_first();
        mark_first
    });
    let described_by = format!("term-{id}-{}", props.place);
    html! {
        <>
            <button type="button" class="term" ref={button} data-term={name} aria-describedby={described_by.clone()}
                {onmouseenter} {onmouseleave} {onclick} {onfocus} {onblur} {onkeydown}>{ unit.words(name) }</button>
            <span class="meaning" id={described_by} role="tooltip" hidden={place.is_none()} ~style={place.as_deref().unwrap_or_default().to_owned()}>
                <span>{ unit.words(meaning) }</span>
                if !formula.is_empty() {
                    <span class="formula">{ unit.words(formula) }</span>
                }
                if !source.is_empty() {
                    <span class="source">{ source }</span>
                }
            </span>
        </>
    }
}
