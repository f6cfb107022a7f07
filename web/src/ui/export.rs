//! Export: results, timelines and charts as files. Nothing goes over the network.

use super::download::{self, Picture};
use crate::draw::charts::{Chart, Figure};
use crate::stage::SharedStage;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Node};
use yew::prelude::*;

/// What the menu needs.
#[derive(Properties, PartialEq)]
pub struct Props {
    /// The runs.
    pub stage: SharedStage,
    /// Changes when the runs' data has changed.
    pub revision: u32,
    /// The trace's name, for file names.
    pub trace_name: String,
}

/// Size of an exported chart, CSS pixels.
const CHART_SIZE: (f64, f64) = (560.0, 340.0);

/// The menu and its button.
#[component]
pub fn ExportMenu(props: &Props) -> Html {
    let open = use_state_eq(|| false);
    let root = use_node_ref();
    let button = use_node_ref();
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
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
            let to = event.related_target().and_then(|target| target.dyn_into::<Node>().ok());
            let inside = root.cast::<Element>().is_some_and(|root| root.contains(to.as_ref()));
            if !inside {
                open.set(false);
            }
        })
    };
    let stage = props.stage.read();
    let something = stage.runs.iter().any(|run| run.log.events() > 0);
    let dark = stage.dark;
    let charts = Chart::ALL.into_iter().map(|chart| {
        let save = |kind: Picture| {
            let stage = props.stage.clone();
            Callback::from(move |_: MouseEvent| {
                let figure = Figure::of(chart, &stage.read());
                download::picture(&figure, kind, CHART_SIZE, dark);
            })
        };
        let title = chart.title();
        html! {
            <li>
                <span>{ title }</span>
                <button type="button" class="quiet" aria-label={format!("{title} as PNG")} onclick={save(Picture::Png)}>{ "PNG" }</button>
                <button type="button" class="quiet" aria-label={format!("{title} as SVG")} onclick={save(Picture::Svg)}>{ "SVG" }</button>
            </li>
        }
    });
    html! {
        <div class="export" ref={root} {onkeydown} {onfocusout}>
            <button type="button" ref={button} aria-expanded={open.to_string()} aria-controls="export-panel"
                title="Save results, timelines and charts" onclick={toggle}>{ "Export" }</button>
            // Focus stays in the menu when empty space in it is clicked.
            <div id="export-panel" class="export-panel" tabindex="-1" hidden={!*open}>
                if something {
                    <h2>{ "Charts" }</h2>
                    <ul>{ for charts }</ul>
                } else {
                    <p class="hint">{ "Nothing to export yet: run a scheduler first." }</p>
                }
            </div>
        </div>
    }
}
