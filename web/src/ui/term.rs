//! A term with its meaning: shown on hover and on focus, closed with Escape.

use crate::draw::format;
use switchyard::Resource;
use wasm_bindgen::JsValue;
use web_sys::{Element, Window};
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

/// Where the meaning is, on the side of the term that has more room: its distance from the window's edge.
#[derive(Clone, Copy, PartialEq)]
enum MeaningPlace {
    Below(f64),
    Above(f64),
}

/// A term with its meaning.
#[component]
pub(super) fn Term(props: &Props) -> Html {
    let place = use_state_eq(|| None::<(f64, MeaningPlace)>);
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
            let Some(bounds) = button
                .cast::<Element>()
                .map(|button| button.get_bounding_client_rect())
            else {
                return;
            };
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
            let vertical = if bounds.bottom() <= height / 2.0 {
                MeaningPlace::Below(bounds.bottom() + GAP)
            } else {
                MeaningPlace::Above(height - bounds.top() + GAP)
            };
            place.set(Some((left, vertical)));
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
    let described_by = format!("term-{id}-{}", props.place);
    let style = place.map_or_else(String::new, |(left, vertical)| match vertical {
        MeaningPlace::Below(top) => format!("left: {left:.0}px; top: {top:.0}px"),
        MeaningPlace::Above(bottom) => format!("left: {left:.0}px; bottom: {bottom:.0}px"),
    });
    html! {
        <>
            <button type="button" class="term" ref={button} aria-describedby={described_by.clone()}
                {onmouseenter} {onmouseleave} {onclick} {onfocus} {onblur} {onkeydown}>{ unit.words(name) }</button>
            <span class="meaning" id={described_by} role="tooltip" hidden={place.is_none()} ~style={style}>
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
