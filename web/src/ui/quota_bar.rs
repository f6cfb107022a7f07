//! A queue's quota as a bar: its end is dragged to another amount, by pointer or with the arrow keys.

use crate::draw::format::{figures, units};
use web_sys::Element;
use yew::prelude::*;

/// A quota, and what takes another one.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// Of which queue it is, and of what.
    pub(super) name: AttrValue,
    /// In GPUs; infinite: all there is.
    pub(super) value: f64,
    /// How many GPUs there are.
    pub(super) most: f64,
    pub(super) take: Callback<f64>,
}

/// The amount at a place of the bar, from 0 to 1: whole GPUs.
fn at(place: f64, most: f64) -> f64 {
    (place.clamp(0.0, 1.0) * most).round()
}

/// Where a key leads from an amount; nothing: another key.
fn moved(key: &str, value: f64, most: f64) -> Option<f64> {
    let tenth = (most / 10.0).round().max(1.0);
    let to = match key {
        "ArrowRight" | "ArrowUp" => (value + 1.0).floor(),
        "ArrowLeft" | "ArrowDown" => (value - 1.0).ceil(),
        "PageUp" => value + tenth,
        "PageDown" => value - tenth,
        "Home" => 0.0,
        "End" => most,
        _ => return None,
    };
    Some(to.clamp(0.0, most))
}

/// The bar.
#[component]
pub(super) fn QuotaBar(props: &Props) -> Html {
    let drag = use_state_eq(|| None::<f64>);
    // A quota of more than there is fills the bar.
    let most = match props.value.is_finite() {
        true => props.most.max(props.value),
        false => props.most,
    };
    let value = props.value.min(most);
    let shown = drag.unwrap_or(value);
    // Events are heard at the root of the page, so that none knows the bar.
    let bar = use_node_ref();
    let bounds_of = bar.clone();
    let place = move |event: &PointerEvent| {
        let bounds = bounds_of.cast::<Element>()?.get_bounding_client_rect();
        let along = f64::from(event.client_x()) - bounds.left();
        Some(at(along / bounds.width().max(1.0), most))
    };
    let onpointerdown = {
        let (drag, place, bar) = (drag.setter(), place.clone(), bar.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some(bar) = bar.cast::<Element>() {
                // Without capture a drag merely ends at the bar's edge.
                let _ = bar.set_pointer_capture(event.pointer_id());
            }
            drag.set(place(&event));
        })
    };
    let onpointermove = {
        let drag = drag.clone();
        Callback::from(move |event: PointerEvent| {
            if drag.is_some() {
                drag.set(place(&event));
            }
        })
    };
    let onpointerup = {
        let (drag, take) = (drag.clone(), props.take.clone());
        Callback::from(move |_: PointerEvent| {
            if let Some(to) = *drag {
                drag.set(None);
                take.emit(to);
            }
        })
    };
    let onpointercancel = {
        let drag = drag.setter();
        Callback::from(move |_: PointerEvent| drag.set(None))
    };
    let onkeydown = {
        let take = props.take.clone();
        Callback::from(move |event: KeyboardEvent| {
            if let Some(to) = moved(&event.key(), value, most) {
                event.prevent_default();
                event.stop_propagation();
                take.emit(to);
            }
        })
    };
    let words = units(&format!("{} GPUs", figures(shown))).into_owned();
    html! {
        <div ref={bar} class="quota-bar" role="slider" tabindex="0" aria-label={props.name.clone()}
            aria-valuemin="0" aria-valuemax={most.to_string()} aria-valuenow={shown.to_string()} aria-valuetext={words}
            title={format!("{}: drag, or use the arrow keys", props.name)}
            {onpointerdown} {onpointermove} {onpointerup} {onpointercancel} {onkeydown}>
            <i ~style={format!("width: {:.2}%", 100.0 * shown / most.max(1.0))}></i>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_dragged_to_whole_gpus() {
        assert_eq!(at(0.26, 10.0), 3.0);
        assert_eq!((at(-1.0, 10.0), at(2.0, 10.0)), (0.0, 10.0));
    }

    #[test]
    fn keys_lead_to_whole_gpus_within_the_bar() {
        let keys = [
            "ArrowRight",
            "ArrowLeft",
            "PageUp",
            "PageDown",
            "Home",
            "End",
        ];
        let moved = keys.map(|key| moved(key, 2.5, 30.0));
        assert_eq!(moved, [3.0, 2.0, 5.5, 0.0, 0.0, 30.0].map(Some));
        assert_eq!(super::moved("Tab", 2.5, 30.0), None);
        assert_eq!(super::moved("ArrowRight", 30.0, 30.0), Some(30.0));
    }
}
