//! A canvas element for a [`Canvas`]: its size, its pointer and its keys.

use super::services::Services;
use crate::draw::space::{Css, Point};
use crate::draw::{Canvas, Painter, Pointer, PointerKind, Response};
use crate::session::Session;
use crate::state::RunsAction;
use std::cell::RefCell;
use std::fmt::Debug;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlCanvasElement, HtmlElement};
use yew::prelude::*;

/// What a canvas shows.
#[derive(Clone)]
pub(super) struct Scene {
    /// Tells it from others.
    name: String,
    make: Rc<dyn Fn() -> Canvas>,
}

impl Scene {
    /// What a painter paints that is made of `key`: a run's id, or what else tells it from others of
    /// its kind.
    pub(super) fn of<K, P>(key: K, make: fn(K) -> P) -> Self
    where
        K: Copy + Debug + 'static,
        P: Painter + 'static,
    {
        Self {
            name: format!("{} {key:?}", std::any::type_name::<P>()),
            make: Rc::new(move || Canvas::new(make(key))),
        }
    }
}

impl PartialEq for Scene {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// What a canvas is for.
#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// What it shows.
    pub(super) scene: Scene,
    /// Its class in the style sheets.
    #[prop_or("painted")]
    pub(super) class: &'static str,
    /// The same for those who do not see it.
    pub(super) label: AttrValue,
    /// What arrow keys and Enter do here, if anything.
    #[prop_or_default]
    pub(super) walked: Option<&'static str>,
    /// The session and the animation.
    pub(super) services: Services,
}

/// A drag of fewer pixels is a click.
const CLICK_PIXELS: f64 = 4.0;

/// A canvas element for a painter.
#[component]
pub(super) fn CanvasHost(props: &Props) -> Html {
    let canvas = use_node_ref();
    let painter = use_memo(props.scene.clone(), |scene| {
        Rc::new(RefCell::new((scene.make)()))
    });
    let hosted = use_mut_ref(|| None::<u32>);
    let pressed_at = use_mut_ref(|| None::<Point<Css>>);
    // Where the pointer rests, on the canvas and in the window.
    let resting = use_mut_ref(|| None::<(Pointer<Css>, Point<Css>)>);
    let fingers = use_mut_ref(Fingers::default);

    let react = {
        let (canvas, hosted, services) = (canvas.clone(), hosted.clone(), props.services.clone());
        let (painter, resting) = (painter.clone(), resting.clone());
        move |pointer: Pointer<Css>, client: Point<Css>| -> Response {
            let Services { session, animation } = &services;
            let rests = pointer.kind == PointerKind::Move && !pointer.down;
            *resting.borrow_mut() = rests.then_some((pointer, client));
            let mut painter = painter.borrow_mut();
            let response = painter.pointer(&pointer, &session.stage().read());
            let look = painter.wants();
            drop(painter);
            if let Some(look) = look {
                session.stage().write().look(look);
            }
            if let (Some(animation), Some(id)) = (animation, *hosted.borrow()) {
                animation.activate(id);
                if response.repaint {
                    animation.repaint(id);
                }
            }
            if let Some(canvas) = canvas.cast::<HtmlElement>() {
                // Setting a style on an element of ours cannot fail.
                let _ = canvas.style().set_property("cursor", response.cursor);
            }
            show_tooltip(response.tooltip.as_deref(), client);
            carry_out(session, &response);
            response
        }
    };

    use_effect_with((props.scene.clone(), props.services.clone()), {
        let (canvas, hosted, painter) = (canvas.clone(), hosted.clone(), painter.clone());
        let (react, resting) = (react.clone(), resting.clone());
        move |(_, services): &(Scene, Services)| {
            let animation = services.animation.clone();
            if let (Some(animation), Some(canvas)) =
                (&animation, canvas.cast::<HtmlCanvasElement>())
            {
                // What is under a pointer that rests changes with the stage.
                let resting = resting.clone();
                let on_change = Rc::new(move || {
                    let rests = *resting.borrow();
                    if let Some((pointer, client)) = rests {
                        react(pointer, client);
                    }
                });
                *hosted.borrow_mut() = animation.host(canvas, (*painter).clone(), on_change);
            }
            move || {
                // A tooltip does not outlive what it is about.
                resting.borrow_mut().take();
                show_tooltip(None, Point::default());
                if let (Some(animation), Some(id)) = (animation, hosted.borrow_mut().take()) {
                    animation.release(id);
                }
            }
        }
    });

    let pointer = {
        let (canvas, stage) = (canvas.clone(), props.services.session.stage().clone());
        move |kind, event: &MouseEvent| {
            let bounds = canvas
                .cast::<Element>()
                .map(|canvas| canvas.get_bounding_client_rect());
            let (left, top) = bounds.map_or((0.0, 0.0), |bounds| (bounds.left(), bounds.top()));
            let Point { x, y, .. } = client(event);
            Pointer {
                kind,
                at: Point::new(x - left, y - top),
                down: event.buttons() & 1 == 1,
                ctrl: event.ctrl_key() || event.meta_key(),
                shift: event.shift_key() || kind == PointerKind::Down && stage.read().ranging,
            }
        }
    };
    let onmove = {
        let (react, pointer, fingers) = (react.clone(), pointer.clone(), fingers.clone());
        Callback::from(move |event: PointerEvent| {
            let mut pointer = pointer(PointerKind::Move, &event);
            let mut fingers = fingers.borrow_mut();
            if let Some((factor, at)) = fingers.moved(event.pointer_id(), pointer.at) {
                let kind = PointerKind::Pinch { factor };
                pointer = Pointer {
                    kind,
                    at,
                    ..pointer
                };
            }
            react(pointer, client(&event));
        })
    };
    let onleave = {
        let (react, pointer, fingers) = (react.clone(), pointer.clone(), fingers.clone());
        Callback::from(move |event: PointerEvent| {
            fingers.borrow_mut().lifted(event.pointer_id());
            react(pointer(PointerKind::Leave, &event), client(&event));
        })
    };

    let onpointerdown = {
        let (react, pointer) = (react.clone(), pointer.clone());
        let (pressed_at, fingers) = (pressed_at.clone(), fingers.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some(canvas) = event
                .target()
                .and_then(|target| target.dyn_into::<Element>().ok())
            {
                // Without capture a drag merely ends at the canvas's edge.
                let _ = canvas.set_pointer_capture(event.pointer_id());
            }
            let mut pointer = pointer(PointerKind::Down, &event);
            if fingers.borrow_mut().touched(event.pointer_id(), pointer.at) {
                *pressed_at.borrow_mut() = Some(pointer.at);
            } else {
                // A second finger: no drag and no click any more.
                *pressed_at.borrow_mut() = None;
                pointer.kind = PointerKind::Release;
            }
            react(pointer, client(&event));
        })
    };
    let onpointerup = {
        let (react, pointer) = (react.clone(), pointer.clone());
        Callback::from(move |event: PointerEvent| {
            fingers.borrow_mut().lifted(event.pointer_id());
            let mut pointer = pointer(PointerKind::Release, &event);
            let still = pressed_at.borrow_mut().take().is_some_and(|at| {
                let (across, down) = (pointer.at.x - at.x, pointer.at.y - at.y);
                across.abs() < CLICK_PIXELS && down.abs() < CLICK_PIXELS
            });
            if still {
                pointer.kind = PointerKind::Click;
            }
            react(pointer, client(&event));
        })
    };
    let ondblclick = {
        let (react, pointer) = (react.clone(), pointer.clone());
        Callback::from(move |event: MouseEvent| {
            react(pointer(PointerKind::Double, &event), client(&event));
        })
    };
    let onwheel = Callback::from(move |event: WheelEvent| {
        let scale = if event.delta_mode() == WheelEvent::DOM_DELTA_LINE {
            16.0
        } else {
            1.0
        };
        let kind = PointerKind::Wheel {
            dx: event.delta_x() * scale,
            dy: event.delta_y() * scale,
        };
        if !react(pointer(kind, &event), client(&event)).passes {
            event.prevent_default();
        }
    });

    let onfocus = {
        let (hosted, animation) = (hosted.clone(), props.services.animation.clone());
        Callback::from(move |_: FocusEvent| {
            if let (Some(animation), Some(id)) = (&animation, *hosted.borrow()) {
                animation.activate(id);
            }
        })
    };

    let onkeydown = props.walked.map(|_| {
        let (canvas, painter, services) = (canvas.clone(), painter.clone(), props.services.clone());
        let (hosted, resting) = (hosted.clone(), resting.clone());
        Callback::from(move |event: KeyboardEvent| {
            let Services { session, animation } = &services;
            if event.ctrl_key() || event.meta_key() || event.alt_key() {
                return;
            }
            let walked = painter
                .borrow_mut()
                .walk(&event.key(), &session.stage().read());
            let Some((response, at)) = walked else {
                return;
            };
            event.prevent_default();
            event.stop_propagation();
            // From here on the keys say what is looked at.
            resting.borrow_mut().take();
            if let (Some(animation), Some(id)) = (animation, *hosted.borrow()) {
                animation.repaint(id);
            }
            let corner = canvas.cast::<Element>().map(|canvas| {
                let bounds = canvas.get_bounding_client_rect();
                Point::new(bounds.left() + at.x, bounds.top() + at.y)
            });
            show_tooltip(response.tooltip.as_deref(), corner.unwrap_or(at));
            say(&response.tooltip.as_deref().unwrap_or_default().join(", "));
            carry_out(session, &response);
        })
    });
    let onblur = {
        let session = props.services.session.clone();
        let is_walked = props.walked.is_some();
        Callback::from(move |_: FocusEvent| {
            if is_walked {
                show_tooltip(None, Point::default());
                carry_out(&session, &Response::over_nothing());
            }
        })
    };
    let (role, label) = match props.walked {
        Some(walked) => ("application", format!("{}. {walked}", props.label).into()),
        None => ("img", props.label.clone()),
    };

    html! {
        <canvas ref={canvas} class={props.class} {role} tabindex="0"
            aria-label={label} {onfocus} {onblur} {onkeydown}
            onpointermove={onmove} onpointerleave={onleave.clone()} onpointercancel={onleave} {onpointerdown} {onpointerup} {ondblclick} {onwheel} />
    }
}

/// The event's place in the window.
fn client(event: &MouseEvent) -> Point<Css> {
    Point::new(f64::from(event.client_x()), f64::from(event.client_y()))
}

/// The pointers that are down on the canvas, by id: two of them pinch.
#[derive(Default)]
struct Fingers(Vec<(i32, Point<Css>)>);

impl Fingers {
    /// A pointer has come down. Returns whether it is the only one.
    fn touched(&mut self, id: i32, place: Point<Css>) -> bool {
        self.lifted(id);
        self.0.push((id, place));
        self.0.len() == 1
    }

    fn lifted(&mut self, id: i32) {
        self.0.retain(|&(finger, _)| finger != id);
    }

    /// A pointer has moved: if two are down, how much further apart they are now, and the place
    /// between them.
    fn moved(&mut self, id: i32, place: Point<Css>) -> Option<(f64, Point<Css>)> {
        let apart = |fingers: &[(i32, Point<Css>)]| match fingers {
            [(_, a), (_, b)] => Some(a.distance(b).max(1.0)),
            _ => None,
        };
        let before = apart(&self.0);
        self.0.iter_mut().find(|(finger, _)| *finger == id)?.1 = place;
        let factor = apart(&self.0)? / before?;
        let [(_, a), (_, b)] = self.0[..] else {
            return None;
        };
        Some((factor, a.towards(&b, 0.5)))
    }
}

fn carry_out(session: &Session, response: &Response) {
    if let Some(hovered) = response.hover {
        session.light(hovered);
    }
    if let Some(job) = response.select {
        session.select(job);
    }
    if let Some(node) = response.node {
        session.set_playing(false);
        session.dispatch(RunsAction::AskToBreak(Some(node)));
    }
    if let Some(time) = response.seek {
        session.seek(time);
    }
}

/// Says words to those who do not see the canvas. Like the tooltip, outside the virtual DOM.
fn say(words: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    if let Some(said) = document.and_then(|document| document.get_element_by_id("said")) {
        said.set_text_content(Some(words));
    }
}

/// Shows lines beside the pointer, or nothing. The tooltip is one element outside the virtual
/// DOM: it follows the pointer without a rendering.
fn show_tooltip(lines: Option<&[String]>, Point { x, y, .. }: Point<Css>) {
    let Some(window) = web_sys::window() else {
        return;
    };
    let Some(tooltip) = window
        .document()
        .and_then(|document| document.get_element_by_id("tooltip"))
    else {
        return;
    };
    let Ok(tooltip) = tooltip.dyn_into::<HtmlElement>() else {
        return;
    };
    let Some(lines) = lines.filter(|lines| !lines.is_empty()) else {
        tooltip.set_hidden(true);
        return;
    };
    tooltip.set_text_content(Some(&lines.join("\n")));
    tooltip.set_hidden(false);
    let inside = |size: Result<wasm_bindgen::JsValue, _>| {
        size.ok().and_then(|size| size.as_f64()).unwrap_or(f64::MAX)
    };
    let (width, height) = (
        f64::from(tooltip.offset_width()),
        f64::from(tooltip.offset_height()),
    );
    let left = if x + 14.0 + width > inside(window.inner_width()) {
        x - 14.0 - width
    } else {
        x + 14.0
    };
    let top = if y + 14.0 + height > inside(window.inner_height()) {
        y - 14.0 - height
    } else {
        y + 14.0
    };
    // Setting a style on an element of ours cannot fail.
    let _ = tooltip.style().set_property(
        "transform",
        &format!("translate({:.0}px, {:.0}px)", left.max(4.0), top.max(4.0)),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_fingers_pinch_and_one_does_not() {
        let mut fingers = Fingers::default();
        assert!(fingers.touched(1, Point::new(0.0, 0.0)));
        assert_eq!(fingers.moved(1, Point::new(10.0, 0.0)), None);
        assert!(!fingers.touched(2, Point::new(20.0, 0.0)));
        assert_eq!(
            fingers.moved(2, Point::new(30.0, 0.0)),
            Some((2.0, Point::new(20.0, 0.0)))
        );
        fingers.lifted(1);
        assert_eq!(fingers.moved(2, Point::new(50.0, 0.0)), None);
    }
}
