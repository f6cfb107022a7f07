//! A group of alike nodes as it will be drawn: a column a node, a square a GPU. Its right edge is dragged
//! for more or fewer nodes, its lower edge for more or fewer GPUs on each; arrow keys do the same.

use super::controls::Take;
use crate::draw::format::{counted, units};
use switchyard::cluster::MAX_GPUS_PER_NODE;
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

/// CSS pixels that the drawing may be wide and high, and a square at most.
const ROOM: [f64; 2] = [240.0, 96.0];
const SQUARE: f64 = 14.0;
/// Room to the right and below to drag into: the drawing takes so much of what there is.
const FILLED: f64 = 0.7;
/// Dragging makes at most so many nodes.
const MOST_NODES: u32 = 4096;

/// Which edge.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Edge {
    Nodes,
    Gpus,
}

/// An edge that is being dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
struct NodesDrag {
    edge: Edge,
    /// Where it began, CSS pixels, and with how many.
    from: f64,
    began: u32,
    now: u32,
    /// CSS pixels a node or a GPU.
    pitch: f64,
}

/// A group, and what takes its new numbers.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// What tells it from other groups, for people.
    pub(super) name: AttrValue,
    pub(super) nodes: u32,
    pub(super) gpus: u32,
    pub(super) take_nodes: Take,
    pub(super) take_gpus: Take,
}

/// CSS pixels of a square with its gap, across and down.
fn pitches(nodes: u32, gpus: u32) -> [f64; 2] {
    [(ROOM[0], nodes), (ROOM[1], gpus)]
        .map(|(room, number)| (room * FILLED / f64::from(number)).min(SQUARE))
}

/// How many there are after a drag by so many pixels.
fn dragged(began: u32, by: f64, pitch: f64, most: u32) -> u32 {
    let number = f64::from(began) + (by / pitch).round();
    number.clamp(1.0, f64::from(most)) as u32
}

/// The group, drawn.
#[component]
pub(super) fn NodesDrawn(props: &Props) -> Html {
    let drag = use_state_eq(|| None::<NodesDrag>);
    let numbers = |edge: Edge| match edge {
        Edge::Nodes => (props.nodes, MOST_NODES.max(props.nodes)),
        Edge::Gpus => (props.gpus, MAX_GPUS_PER_NODE),
    };
    let take = {
        let (nodes, gpus) = (props.take_nodes.clone(), props.take_gpus.clone());
        move |edge: Edge, number: u32| {
            let take = match edge {
                Edge::Nodes => &nodes,
                Edge::Gpus => &gpus,
            };
            // The numbers are within their limits; where the racks want others, the field says so.
            let _ = take.emit(number.to_string());
        }
    };
    let along = |edge: Edge, event: &PointerEvent| match edge {
        Edge::Nodes => f64::from(event.client_x()),
        Edge::Gpus => f64::from(event.client_y()),
    };
    let pitch = match *drag {
        Some(of) => {
            let mut pitch = pitches(props.nodes, props.gpus);
            pitch[of.edge as usize] = of.pitch;
            pitch
        }
        None => pitches(props.nodes, props.gpus),
    };
    let now = |edge: Edge| match *drag {
        Some(of) if of.edge == edge => of.now,
        _ => numbers(edge).0,
    };
    let (nodes, gpus) = (now(Edge::Nodes), now(Edge::Gpus));
    let edge = |edge: Edge, class: &'static str, what: &str, one: &str, more: &str| {
        let (number, most) = numbers(edge);
        let onpointerdown = {
            let drag = drag.setter();
            Callback::from(move |event: PointerEvent| {
                let target = event.target().and_then(|of| of.dyn_into::<Element>().ok());
                if let Some(target) = target {
                    // Without capture a drag merely ends at the edge.
                    let _ = target.set_pointer_capture(event.pointer_id());
                }
                drag.set(Some(NodesDrag {
                    edge,
                    from: along(edge, &event),
                    began: number,
                    now: number,
                    pitch: pitch[edge as usize],
                }));
            })
        };
        let onpointermove = {
            let drag = drag.clone();
            Callback::from(move |event: PointerEvent| {
                if let Some(of) = *drag {
                    let by = along(of.edge, &event) - of.from;
                    let now = dragged(of.began, by, of.pitch, most);
                    drag.set(Some(NodesDrag { now, ..of }));
                }
            })
        };
        let onpointerup = {
            let (drag, take) = (drag.clone(), take.clone());
            Callback::from(move |_: PointerEvent| {
                if let Some(of) = *drag {
                    drag.set(None);
                    if of.now != of.began {
                        take(of.edge, of.now);
                    }
                }
            })
        };
        let onpointercancel = {
            let drag = drag.setter();
            Callback::from(move |_: PointerEvent| drag.set(None))
        };
        let onkeydown = {
            let take = take.clone();
            Callback::from(move |event: KeyboardEvent| {
                let next = match event.key().as_str() {
                    "ArrowRight" | "ArrowDown" => number + 1,
                    "ArrowLeft" | "ArrowUp" => number - 1,
                    _ => return,
                };
                event.prevent_default();
                event.stop_propagation();
                if (1..=most).contains(&next) {
                    take(edge, next);
                }
            })
        };
        let shown = now(edge);
        html! {
            <div {class} role="slider" tabindex="0" aria-label={format!("{what} of {}", props.name)}
                aria-valuemin="1" aria-valuemax={most.to_string()} aria-valuenow={shown.to_string()} aria-valuetext={counted(shown.into(), one, more)}
                title={format!("{what}: drag, or use the arrow keys")}
                {onpointerdown} {onpointermove} {onpointerup} {onpointercancel} {onkeydown}></div>
        }
    };
    let size = format!(
        "--across: {:.2}px; --down: {:.2}px; width: {:.1}px; height: {:.1}px",
        pitch[0],
        pitch[1],
        (pitch[0] * f64::from(nodes)).min(ROOM[0]),
        (pitch[1] * f64::from(gpus)).min(ROOM[1]),
    );
    html! {
        <div class="nodes-drawn" role="group" aria-label={format!("{}, drawn", props.name)}>
            <div class="squares" ~style={size}>
                { edge(Edge::Nodes, "edge right", "Nodes", "node", "nodes") }
                { edge(Edge::Gpus, "edge low", &units("GPUs per node"), "GPU a node", "GPUs a node") }
            </div>
            <output class="hint">{ format!("{} × {}", counted(nodes.into(), "node", "nodes"), counted(gpus.into(), "GPU", "GPUs")) }</output>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_move_by_whole_nodes_and_leave_at_least_one() {
        let [across, down] = pitches(8, 4);
        assert_eq!((across, down), (SQUARE, SQUARE));
        assert_eq!(dragged(8, 3.0 * across + 2.0, across, MOST_NODES), 11);
        assert_eq!(dragged(8, -1000.0, across, MOST_NODES), 1);
        assert_eq!(dragged(4, 1e6, down, MAX_GPUS_PER_NODE), MAX_GPUS_PER_NODE);
        // A large group is drawn finer: a pixel is more than a node.
        let [across, _] = pitches(1000, 8);
        assert!(dragged(1000, 10.0, across, MOST_NODES) > 1010);
    }
}
