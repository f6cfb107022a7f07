//! One chart: its picture, what it says under the pointer, the clock in it, and its files. Charts over time show the
//! window of all views, and move it; in distributions a drag, and among sizes of gangs a click, selects jobs.

use crate::draw::space::{Css, Rect, Size};
use crate::draw::svg::{ChartStyle, Paper};
use crate::draw::viewport::wheel_zoom;
use crate::selected_jobs::conditions;
use crate::time_axis::{AxisRequest, Window};
use crate::ui::clock::{Clocked, use_axis};
use crate::ui::controls::swatch;
use crate::ui::drawing::drawing;
use crate::ui::export::file_name;
use crate::ui::picture_saver::{PictureSaver, caption};
use crate::ui::services::StateProps;
use crate::ui::theme::is_dark;
use std::rc::Rc;
use switchyard_app::figures::{Chart, Figure, Series, gang_class};
use switchyard_charts::Stroke;
use switchyard_charts::figure::{self as painter, across};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// Plots narrower than this have no room for a readout beside the pointer, CSS pixels.
const NARROW: f64 = 320.0;

/// What a chart needs.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// For the clock, the axis of time and the caption.
    pub(super) given: StateProps,
    /// What it shows of the runs.
    pub(super) chart: Chart,
    /// Changes when the runs or the selection have.
    pub(super) version: (u32, u32),
}

/// What the pointer holds.
struct HeldPointer {
    /// Where it went down, and the window then.
    x: f64,
    window: Window,
    selects: bool,
    moved: bool,
}

/// A drag of fewer pixels is a click.
pub(super) const CLICK_PIXELS: f64 = 4.0;

/// One chart.
#[component]
pub(super) fn ChartCard(props: &Props) -> Html {
    let StateProps { state, services } = &props.given;
    let (session, dark) = (&services.session, is_dark(state.view.theme));
    let stage = session.stage();
    let frame = use_node_ref();
    let size = use_size(&frame);
    let hovered = use_state_eq(|| None::<f64>);
    // The run that stands out: for as long as its name is pointed at, or until it is clicked again.
    let (pointed, pinned) = (
        use_state_eq(|| None::<usize>),
        use_state_eq(|| None::<usize>),
    );
    let held = use_mut_ref(|| None::<HeldPointer>);
    let dragged = use_state_eq(|| None::<[f64; 2]>);
    let axis = use_axis(stage);
    let chart = props.chart;
    let over_time = chart.is_over_time();
    let field = chart.field();
    let seen = axis.seen.filter(|_| over_time);
    let figure = use_memo((chart, props.version, seen), |_| {
        let stage = stage.read();
        let runs = stage.shown_comparison();
        match seen {
            Some(window) => Figure::within(chart, &runs, window),
            None => Figure::of(chart, &runs),
        }
    });
    let look = ChartStyle::on_page(dark, pointed.or(*pinned));
    let picture = use_memo((figure.clone(), size, look), |(figure, size, look)| {
        let is_there = size.w > 0.0;
        is_there.then(|| drawing(&painter::svg(figure, *size, *look)))
    });

    let plot = painter::plot(&figure, size, look);
    let place = {
        let frame = frame.clone();
        move |event: &MouseEvent| -> Option<f64> {
            let bounds = frame.cast::<Element>()?.get_bounding_client_rect();
            Some(f64::from(event.client_x()) - bounds.left())
        }
    };
    let value_at = {
        let (figure, place) = (figure.clone(), place.clone());
        move |event: &MouseEvent| {
            let x = place(event)?;
            let within = (plot.x..=plot.right()).contains(&x);
            within.then(|| figure.x.value(plot.part(x)))
        }
    };
    let onpointerdown = {
        let (held, place, stage) = (held.clone(), place.clone(), stage.clone());
        Callback::from(move |event: PointerEvent| {
            // A finger scrolls the page where there is no time to be moved.
            let drags = over_time || field.is_some() && event.pointer_type() != "touch";
            let x = place(&event).filter(|_| drags && event.button() == 0);
            let stage = stage.read();
            *held.borrow_mut() = x.map(|x| HeldPointer {
                x,
                window: stage.axis.target(stage.whole()),
                selects: event.shift_key() || stage.ranging,
                moved: false,
            });
        })
    };
    let onpointermove = {
        let (hovered, value_at, held) = (hovered.clone(), value_at.clone(), held.clone());
        let (place, stage, frame) = (place.clone(), stage.clone(), frame.clone());
        let dragged = dragged.setter();
        Callback::from(move |event: PointerEvent| {
            hovered.set(value_at(&event));
            let mut held = held.borrow_mut();
            let is_held = event.buttons() & 1 == 1;
            let (Some(held), Some(x)) = (held.as_mut().filter(|_| is_held), place(&event)) else {
                return;
            };
            if !held.moved && (x - held.x).abs() < CLICK_PIXELS {
                return;
            }
            if !held.moved
                && let Some(frame) = frame.cast::<Element>()
            {
                // Without capture a drag merely ends at the chart's edge.
                let _ = frame.set_pointer_capture(event.pointer_id());
            }
            held.moved = true;
            if !over_time {
                let [from, to] = [held.x, x].map(|x| x.clamp(plot.x, plot.right()));
                return dragged.set(Some([from, to]));
            }
            let time = |x: f64| {
                let part = plot.part(x).clamp(0.0, 1.0);
                held.window.time(part)
            };
            let mut stage = stage.write();
            if held.selects {
                let (a, b) = (time(held.x), time(x));
                stage.look(AxisRequest::Select(Some(Window::new(a.min(b), a.max(b)))));
            } else {
                let seconds = (held.x - x) / plot.w * held.window.span();
                let whole = stage.whole();
                stage.look(AxisRequest::Held(held.window.slid(seconds, whole)));
            }
        })
    };
    let onpointerleave = {
        let hovered = hovered.clone();
        Callback::from(move |_: PointerEvent| hovered.set(None))
    };
    // Of the run that stands out, else of the one that others are compared with.
    let of_run = (*pinned).or_else(|| {
        stage
            .read()
            .runs
            .iter()
            .position(|run| run.id == state.runs.baseline)
    });
    let onclick = {
        let (session, held) = (session.clone(), held.clone());
        let (value_at, figure, dragged) = (value_at.clone(), figure.clone(), dragged.clone());
        Callback::from(move |event: MouseEvent| {
            let moved = held.borrow_mut().take().is_some_and(|held| held.moved);
            if let (Some(drag), Some(field)) = (*dragged, field) {
                dragged.set(None);
                let run = figure.series.get(of_run.unwrap_or(0));
                let [from, to] = drag.map(|x| figure.x.value(plot.part(x)));
                if let Some(run) = run {
                    session.select_jobs(&conditions::between(&run.name, field, from, to));
                }
                return;
            }
            let Some(value) = value_at(&event).filter(|_| !moved) else {
                return;
            };
            if over_time {
                session.seek(value);
            } else if chart == Chart::JctByGang
                && let Some((from, below)) = gang_class(value.round().max(0.0) as usize)
            {
                session.press_condition(&conditions::gang(from, below), event.shift_key());
            }
        })
    };
    let onpointercancel = {
        let (held, dragged) = (held.clone(), dragged.setter());
        Callback::from(move |_: PointerEvent| {
            held.take();
            dragged.set(None);
        })
    };
    let ondblclick = {
        let stage = stage.clone();
        Callback::from(move |_: MouseEvent| {
            if over_time {
                stage.write().look(AxisRequest::Whole);
            }
        })
    };
    let onwheel = {
        let (stage, value_at) = (stage.clone(), value_at.clone());
        Callback::from(move |event: WheelEvent| {
            let about = value_at(&event).filter(|_| over_time && event.ctrl_key());
            let Some(about) = about else {
                return;
            };
            event.prevent_default();
            let mut stage = stage.write();
            let window = stage.axis.target(stage.whole());
            stage.look(AxisRequest::At(
                window.zoomed(about, wheel_zoom(event.delta_y())),
            ));
        })
    };
    let title: AttrValue = figure.title().into();
    let is_ranges = figure.x.is_names();
    let names = (!painter::names_lines(&figure)).then(|| {
        let button = |(at, of): (usize, &Series)| {
            let point = |to: Option<usize>| {
                let pointed = pointed.clone();
                Callback::from(move |_: PointerEvent| pointed.set(to))
            };
            let is_pinned = *pinned == Some(at);
            let onclick = {
                let pinned = pinned.clone();
                Callback::from(move |_: MouseEvent| pinned.set((!is_pinned).then_some(at)))
            };
            let line = Stroke::of_run(of.hue, of.complete, look).attributes();
            let line = format!("<svg width='22' height='8' aria-hidden='true'><line x2='22' y1='4' y2='4' {line}/></svg>");
            html! {
                <button type="button" aria-pressed={is_pinned.to_string()} title="Point at it, or click, to make it stand out"
                    onpointerenter={point(Some(at))} onpointerleave={point(None)} {onclick}>
                    { if is_ranges { swatch(of.hue, dark) } else { drawing(&line) } }{ &of.name }
                </button>
            }
        };
        let buttons = figure.series.iter().enumerate().map(button);
        let marks = Some(chart.marks()).filter(|_| is_ranges);
        html! { <div class="legend" role="group" aria-label={format!("Runs in “{title}”")}>{ for buttons }<span class="hint">{ marks }</span></div> }
    });
    let draw = {
        let figure = figure.clone();
        Callback::from(move |paper: Paper| painter::on_paper(&figure, paper))
    };
    let csv = {
        let figure = figure.clone();
        Callback::from(move |()| figure.csv())
    };
    let of_all = {
        let (state, stage, title) = (state.clone(), stage.clone(), title.clone());
        Callback::from(move |()| {
            let marks = Some(chart.marks()).filter(|marks| !marks.is_empty());
            let marks = marks.map_or_else(String::new, |marks| format!(" ({marks})"));
            caption(&format!("{title}{marks}"), &state, &stage.read())
        })
    };
    html! {
        <figure class="chart">
            <h2 class="visually-hidden">{ title.clone() }</h2>
            <div class={classes!("chart-frame", over_time.then_some("seekable"))} ref={frame}
                {onpointerdown} {onpointermove} {onpointerleave} {onpointercancel} {onclick} {ondblclick} {onwheel}>
                { (*picture).clone().unwrap_or_default() }
                if figure.is_empty() {
                    <p class="empty">{ if seen.is_some() { "Nothing is known of this time." } else { "No job has finished yet." } }</p>
                }
                if let Some(range) = axis.selected.filter(|_| over_time) {
                    { range_tint(&figure, range, plot) }
                }
                if let Some([from, to]) = *dragged {
                    <i class="chart-range" ~style={format!("left: {:.0}px; width: {:.0}px; top: {:.0}px; height: {:.0}px", from.min(to), (to - from).abs(), plot.y, plot.h)}></i>
                }
                if over_time {
                    <Clocked stage={stage.clone()} render={clock_line(&figure, plot)} />
                }
                if let Some(value) = *hovered {
                    { readout(&figure, plot, value, dark) }
                }
            </div>
            // Always a node, if an empty one: else the frame before it would be made anew.
            { names.unwrap_or_default() }
            <div class="chart-files">
                <PictureSaver what={title} name={file_name(state, chart.slug())} {draw} {csv} caption={of_all} />
            </div>
        </figure>
    }
}

/// The range that is selected, in a chart over time.
fn range_tint(figure: &Figure, range: Window, plot: Rect<Css>) -> Html {
    let (left, right) = (
        across(&figure.x, &plot, range.from),
        across(&figure.x, &plot, range.to),
    );
    let style = format!(
        "left: {left:.1}px; width: {:.1}px; top: {:.0}px; height: {:.0}px",
        right - left,
        plot.y,
        plot.h
    );
    html! { <div class="chart-range" ~style={style} aria-hidden="true"></div> }
}

/// What every run says at one x: a line through the plot and the values beside it.
fn readout(figure: &Figure, plot: Rect<Css>, value: f64, dark: bool) -> Html {
    let position = figure.x.position(value);
    let (head, rows) = figure.readout(value);
    let x = across(&figure.x, &plot, value);
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
                { swatch(figure.series[run].hue, dark) }
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
        if !figure.x.holds(now) {
            return Html::default();
        }
        let x = across(&figure.x, &plot, now);
        html! { <div class="chart-line clock" ~style={vertical(x, plot)} aria-hidden="true"></div> }
    })
}

fn vertical(x: f64, plot: Rect<Css>) -> String {
    format!(
        "left: {x:.1}px; top: {:.0}px; height: {:.0}px",
        plot.y, plot.h
    )
}

/// An element's size, as it changes; 0 × 0 until it is known. It is that of whichever element the reference
/// stands for now: siblings that come and go may have an element made anew.
#[hook]
pub(super) fn use_size(node: &NodeRef) -> Size<Css> {
    let size = use_state_eq(Size::default);
    let measured = use_mut_ref(|| None::<Measured>);
    use_effect({
        let (node, size) = (node.clone(), size.setter());
        move || {
            let element = node.cast::<Element>();
            let mut measured = measured.borrow_mut();
            if measured.as_ref().map(|now| &now.element) != element.as_ref() {
                *measured = element.map(|element| Measured::new(element, size));
            }
        }
    });
    *size
}

/// An element whose size is told whenever it changes, for as long as this lives.
struct Measured {
    element: Element,
    observer: Option<ResizeObserver>,
    _measure: Closure<dyn Fn()>,
}

impl Measured {
    fn new(element: Element, size: UseStateSetter<Size<Css>>) -> Self {
        // By hand: gloo has no observers.
        let measure = Closure::<dyn Fn()>::new({
            let element = element.clone();
            move || {
                let (w, h) = (element.client_width(), element.client_height());
                size.set(Size::new(f64::from(w), f64::from(h)));
            }
        });
        let observer = ResizeObserver::new(measure.as_ref().unchecked_ref()).ok();
        if let Some(observer) = &observer {
            observer.observe(&element);
        }
        Self {
            element,
            observer,
            _measure: measure,
        }
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}
