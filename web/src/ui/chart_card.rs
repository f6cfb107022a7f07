//! One chart: its canvas, what it says under the pointer, the clock in it, and its files.

use super::clock::Clocked;
use super::controls::{quiet_button, swatch};
use super::download;
use crate::draw::charts::Figure;
use crate::draw::space::{Css, Ratio, Rect, Size};
use crate::stage::SharedStage;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlCanvasElement, ResizeObserver};
use yew::prelude::*;

/// Plots narrower than this have no room for a readout beside the pointer, CSS pixels.
const NARROW: f64 = 320.0;

/// What a chart needs.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// For the clock.
    pub(super) stage: SharedStage,
    /// What it shows.
    pub(super) figure: Rc<Figure>,
    /// Whether the page is dark.
    pub(super) dark: bool,
    /// Moves the clock.
    pub(super) on_seek: Callback<f64>,
}

/// One chart.
#[component]
pub(super) fn ChartCard(props: &Props) -> Html {
    let frame = use_node_ref();
    let canvas = use_node_ref();
    let size = use_size(&frame);
    let hovered = use_state_eq(|| None::<f64>);
    let (figure, dark) = (&props.figure, props.dark);

    use_effect_with((figure.clone(), size, dark), {
        let canvas = canvas.clone();
        move |(figure, size, dark)| {
            if let Some(canvas) = canvas.cast::<HtmlCanvasElement>().filter(|_| size.w > 0.0) {
                let scale = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
                // A browser that gives no context shows no chart; the table says the same.
                let _ = figure.paint_canvas(&canvas, *size, Ratio(scale), *dark);
            }
        }
    });

    let plot = figure.plot(size);
    let value_at = {
        let (figure, frame) = (figure.clone(), frame.clone());
        move |event: &MouseEvent| {
            let bounds = frame.cast::<Element>()?.get_bounding_client_rect();
            let x = f64::from(event.client_x()) - bounds.left();
            let within = (plot.x..=plot.right()).contains(&x);
            within.then(|| figure.x.value_at(&plot, x))
        }
    };
    let onpointermove = {
        let (hovered, value_at) = (hovered.clone(), value_at.clone());
        Callback::from(move |event: PointerEvent| hovered.set(value_at(&event)))
    };
    let onpointerleave = {
        let hovered = hovered.clone();
        Callback::from(move |_: PointerEvent| hovered.set(None))
    };
    let over_time = figure.chart.is_over_time();
    let onclick = {
        let on_seek = props.on_seek.clone();
        Callback::from(move |event: MouseEvent| {
            if let Some(time) = value_at(&event).filter(|_| over_time) {
                on_seek.emit(time);
            }
        })
    };
    let title = figure.chart.title();
    let save = |kind: download::Picture, name: &str| {
        let figure = figure.clone();
        let onclick =
            Callback::from(move |_: MouseEvent| download::picture(&figure, kind, size, dark));
        let label = format!("Save “{title}” as {name}");
        quiet_button(&label, None, html! { name }, onclick)
    };
    html! {
        <figure class="chart">
            <h2 class="visually-hidden">{ title }</h2>
            <div class={classes!("chart-frame", over_time.then_some("seekable"))} ref={frame}
                {onpointermove} {onpointerleave} {onclick}>
                <canvas ref={canvas} role="img" aria-label={figure.describe()} />
                if figure.is_empty() {
                    <p class="empty">{ "No job has finished yet." }</p>
                }
                if over_time {
                    <Clocked stage={props.stage.clone()} render={clock_line(figure, plot)} />
                }
                if let Some(value) = *hovered {
                    { readout(figure, plot, value, dark) }
                }
            </div>
            <div class="chart-files">
                { save(download::Picture::Png, "PNG") }{ save(download::Picture::Svg, "SVG") }
            </div>
        </figure>
    }
}

/// What every run says at one x: a line through the plot and the values beside it.
fn readout(figure: &Figure, plot: Rect<Css>, value: f64, dark: bool) -> Html {
    let position = figure.x.position(value);
    let (head, rows) = figure.readout(value);
    let x = figure.x.across(&plot, value);
    // On the side that has more room; across the plot if neither has enough.
    let side = if plot.w < NARROW || figure.x.is_names() {
        format!("left: {:.0}px; right: 8px", plot.x)
    } else if position < 0.5 {
        format!("left: {:.0}px", x + 10.0)
    } else {
        format!("right: calc(100% - {:.0}px)", x - 10.0)
    };
    let rows = rows.into_iter().map(|(run, words)| {
        html! {
            <>
                { swatch(run, dark) }
                <span class="run">{ &figure.series[run].name }</span>
                <span class="value">{ words }</span>
            </>
        }
    });
    html! {
        <div aria-hidden="true">
            if !figure.x.is_names() {
                <div class="chart-line" ~style={vertical(x, plot)}></div>
            }
            <div class="chart-readout" ~style={format!("{side}; top: {:.0}px", plot.y + 6.0)}>
                <strong>{ head }</strong>
                { for rows }
            </div>
        </div>
    }
}

/// The clock's time in a chart over time.
fn clock_line(figure: &Rc<Figure>, plot: Rect<Css>) -> Callback<f64, Html> {
    let figure = figure.clone();
    Callback::from(move |now| {
        let x = figure.x.across(&plot, now);
        html! { <div class="chart-line clock" ~style={vertical(x, plot)} aria-hidden="true"></div> }
    })
}

fn vertical(x: f64, plot: Rect<Css>) -> String {
    format!(
        "left: {x:.1}px; top: {:.0}px; height: {:.0}px",
        plot.y, plot.h
    )
}

/// An element's size, as it changes.
#[hook]
fn use_size(node: &NodeRef) -> Size<Css> {
    let size = use_state_eq(Size::default);
    use_effect_with(node.clone(), {
        let size = size.setter();
        move |node| {
            let element = node.cast::<Element>();
            // By hand: gloo has no observers.
            let measure = Closure::<dyn Fn()>::new({
                let element = element.clone();
                move || {
                    if let Some(element) = &element {
                        let (w, h) = (element.client_width(), element.client_height());
                        size.set(Size::new(f64::from(w), f64::from(h)));
                    }
                }
            });
            let observer = ResizeObserver::new(measure.as_ref().unchecked_ref()).ok();
            if let (Some(observer), Some(element)) = (&observer, &element) {
                observer.observe(element);
            }
            move || {
                if let Some(observer) = observer {
                    observer.disconnect();
                }
                drop(measure);
            }
        }
    });
    *size
}
