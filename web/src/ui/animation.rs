//! The one animation loop: moves the clock and repaints canvases that need it.

use crate::draw::space::{Css, Ratio, Size};
use crate::draw::{Canvas, Surface};
use crate::stage::{SharedStage, StageRun};
use crate::time_axis::AxisRequest;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, Window};

/// A canvas and what paints it, as the loop knows them.
pub(super) struct Hosted {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    painted_as: Rc<RefCell<Canvas>>,
    /// Called when it has been painted because the stage has changed.
    on_change: Rc<dyn Fn()>,
    /// The stage's revision last painted.
    painted: Option<u64>,
    moving: bool,
    /// The size last painted, and its ratio.
    size: (Size<Css>, Ratio),
}

/// What the browser calls at a frame, with its time in milliseconds.
type AtFrame = Closure<dyn FnMut(f64)>;

/// Frames whose paint time is remembered.
const FRAMES_MEASURED: usize = 300;

/// Script milliseconds after which the canvases that are left wait for the next frame.
const FRAME_BUDGET_MS: f64 = 7.0;

/// A longer gap between frames (a hidden tab, a breakpoint) does not move the clock.
const LONGEST_FRAME_MS: f64 = 250.0;

/// The loop, as the components hold it.
#[derive(Clone)]
pub(super) struct Animation(Rc<Inner>);

struct Inner {
    stage: SharedStage,
    window: Window,
    hosted: RefCell<Vec<(u32, Hosted)>>,
    next_id: Cell<u32>,
    /// The canvas that is painted first, by its place in the list: those that had to wait come first at the next frame.
    first: Cell<usize>,
    /// The canvas the pointer or the focus was last on: it gets the keys.
    active: Cell<Option<u32>>,
    /// Script milliseconds of the last frames that painted anything.
    frame_ms: RefCell<VecDeque<f64>>,
    last_ms: Cell<f64>,
    has_picture: Cell<bool>,
    /// Called after each frame.
    after_frame: RefCell<Option<Rc<dyn Fn()>>>,
    /// What is called at each frame: one for all, since of each that is made something stays in the page's memory.
    at_frame: RefCell<Option<AtFrame>>,
}

impl PartialEq for Animation {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Animation {
    /// Starts the loop; it runs as long as the page.
    pub(super) fn start(stage: SharedStage, window: Window) -> Self {
        let animation = Self(Rc::new(Inner {
            stage,
            window,
            hosted: RefCell::default(),
            next_id: Cell::default(),
            first: Cell::default(),
            active: Cell::default(),
            frame_ms: RefCell::default(),
            last_ms: Cell::default(),
            has_picture: Cell::default(),
            after_frame: RefCell::default(),
            at_frame: RefCell::default(),
        }));
        animation.publish_frame_times();
        let at_frame = {
            let animation = animation.clone();
            Closure::new(move |ms| {
                animation.frame(ms);
                animation.request();
            })
        };
        animation.0.at_frame.replace(Some(at_frame));
        animation.request();
        animation
    }

    /// Has a function called after each frame, in the place of the one before.
    pub(super) fn after_each_frame(&self, call: impl Fn() + 'static) {
        self.0.after_frame.replace(Some(Rc::new(call)));
    }

    fn request(&self) {
        if let Some(at_frame) = &*self.0.at_frame.borrow() {
            // A window that has no frames has nothing to paint.
            let _ = self
                .0
                .window
                .request_animation_frame(at_frame.as_ref().unchecked_ref());
        }
    }

    /// Takes a canvas in; the number is for [`release`](Self::release). `on_change` is called after
    /// each painting of another state of the stage.
    pub(super) fn host(
        &self,
        canvas: HtmlCanvasElement,
        painted_as: Rc<RefCell<Canvas>>,
        on_change: Rc<dyn Fn()>,
    ) -> Option<u32> {
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        let id = self.0.next_id.get() + 1;
        self.0.next_id.set(id);
        let hosted = Hosted {
            canvas,
            context,
            painted_as,
            on_change,
            painted: None,
            moving: false,
            size: Default::default(),
        };
        self.0.hosted.borrow_mut().push((id, hosted));
        Some(id)
    }

    /// Lets a canvas go.
    pub(super) fn release(&self, id: u32) {
        self.0.hosted.borrow_mut().retain(|(other, _)| *other != id);
    }

    /// Has a canvas painted at the next frame whether or not the stage changes.
    pub(super) fn repaint(&self, id: u32) {
        for (_, hosted) in self
            .0
            .hosted
            .borrow_mut()
            .iter_mut()
            .filter(|(other, _)| *other == id)
        {
            hosted.painted = None;
        }
    }

    /// The pointer or the focus is on this canvas.
    pub(super) fn activate(&self, id: u32) {
        self.0.active.set(Some(id));
    }

    /// Gives a key to the canvas the pointer or the focus was last on, or else to the first that
    /// has a use for it; says whether there was one.
    pub(super) fn key(&self, key: &str) -> bool {
        let mut hosted = self.0.hosted.borrow_mut();
        let is_active = |(id, _): &(u32, Hosted)| Some(*id) == self.0.active.get();
        let active = hosted.iter().position(is_active);
        for at in active.into_iter().chain(0..hosted.len()) {
            let canvas = &mut hosted[at].1;
            let mut painted_as = canvas.painted_as.borrow_mut();
            if painted_as.key(key, &self.0.stage.read()) {
                if let Some(look) = painted_as.wants() {
                    self.0.stage.write().look(look);
                }
                canvas.painted = None;
                return true;
            }
        }
        false
    }

    fn frame(&self, ms: f64) {
        let passed = ms - self.0.last_ms.replace(ms);
        if passed < LONGEST_FRAME_MS {
            self.move_clock(passed / 1000.0);
        }
        self.glide(ms);
        let begin = self.now();
        let mut painted = false;
        let mut changed = Vec::new();
        let mut hosted = self.0.hosted.borrow_mut();
        let mut sought = false;
        let count = hosted.len();
        let (first, mut waiting) = (self.0.first.get(), None);
        let paints_all = std::mem::take(&mut self.0.stage.write().paints_all);
        for at in (0..count).map(|i| (first + i) % count) {
            let canvas = &mut hosted[at].1;
            let size = canvas.measure(Ratio(self.0.window.device_pixel_ratio()));
            let revision = self.0.stage.read().revision;
            if canvas.painted == Some(revision) && !canvas.moving && canvas.size == size {
                continue;
            }
            // What somebody waits for is painted, and so is the first of each frame.
            let waits = canvas.painted.is_some() && canvas.size == size;
            if waits && painted && !paints_all && self.now() - begin > FRAME_BUDGET_MS {
                waiting.get_or_insert(at);
                continue;
            }
            if !sought {
                self.0.stage.write().seek();
                sought = true;
            }
            if let Some(look) = canvas.paint(size, &self.0.stage, ms) {
                self.0.stage.write().look(look);
            }
            if canvas
                .painted
                .replace(revision)
                .is_some_and(|before| before != revision)
            {
                changed.push(canvas.on_change.clone());
            }
            painted = true;
        }
        self.0.first.set(waiting.unwrap_or_default());
        // They may ask for canvases in their turn.
        drop(hosted);
        if painted {
            self.note_first_picture();
            let mut frames = self.0.frame_ms.borrow_mut();
            if frames.len() == FRAMES_MEASURED {
                frames.pop_front();
            }
            frames.push_back(self.now() - begin);
        }
        for on_change in changed {
            on_change();
        }
        let after_frame = self.0.after_frame.borrow().clone();
        if let Some(call) = after_frame {
            call();
        }
    }

    /// Has the views come nearer to the window that is to be seen.
    fn glide(&self, ms: f64) {
        let mut stage = self.0.stage.write();
        let (end, still) = (stage.whole(), stage.reduced_motion);
        if stage.axis.glide(ms, still, end) {
            stage.touch();
        }
    }

    /// Plays: not beyond what every run still under way has reached, nor beyond the end.
    fn move_clock(&self, seconds: f64) {
        let mut stage = self.0.stage.write();
        if !stage.clock.playing {
            return;
        }
        let under_way = stage
            .runs
            .iter()
            .filter(|run| run.is_under_way())
            .map(|run| run.reached());
        let limit = under_way.fold(stage.clock.end, f64::min);
        let now = (stage.clock.now + seconds * stage.pace()).min(limit);
        if now > stage.clock.now {
            let (before, end) = (stage.clock.now, stage.whole());
            stage.clock.now = stage.axis.follow(before, now, end);
            stage.touch();
        } else if stage.clock.end > 0.0
            && stage.clock.now >= stage.clock.end
            && !stage.runs.iter().any(StageRun::is_under_way)
        {
            stage.clock.playing = false;
            stage.touch();
        }
    }

    fn now(&self) -> f64 {
        self.0
            .window
            .performance()
            .map_or(0.0, |performance| performance.now())
    }

    /// `switchyardFirstPicture` in the page's console: milliseconds from navigation to the first
    /// frame that showed jobs.
    fn note_first_picture(&self) {
        if self.0.has_picture.get()
            || self
                .0
                .stage
                .read()
                .runs
                .iter()
                .all(|run| run.log.events() == 0)
        {
            return;
        }
        self.0.has_picture.set(true);
        // A name on the window: nothing else in the page depends on it.
        let _ = js_sys::Reflect::set(
            &self.0.window,
            &"switchyardFirstPicture".into(),
            &self.now().into(),
        );
    }

    /// `switchyardFrameTimes()` in the page's console: script milliseconds of the last painted
    /// frames, for whoever wants to measure.
    fn publish_frame_times(&self) {
        let inner = Rc::downgrade(&self.0);
        let times = Closure::<dyn Fn() -> js_sys::Array>::new(move || {
            let frames = inner
                .upgrade()
                .map(|inner| inner.frame_ms.borrow().clone())
                .unwrap_or_default();
            frames.into_iter().map(JsValue::from_f64).collect()
        });
        // A name on the window: nothing else in the page depends on it.
        let _ = js_sys::Reflect::set(
            &self.0.window,
            &"switchyardFrameTimes".into(),
            times.as_ref(),
        );
        times.forget();
    }
}

impl Hosted {
    fn measure(&self, ratio: Ratio) -> (Size<Css>, Ratio) {
        let (w, h) = (self.canvas.client_width(), self.canvas.client_height());
        (Size::new(f64::from(w), f64::from(h)), ratio)
    }

    fn paint(
        &mut self,
        size: (Size<Css>, Ratio),
        stage: &SharedStage,
        real_ms: f64,
    ) -> Option<AxisRequest> {
        let (css, ratio) = size;
        if css.w < 1.0 || css.h < 1.0 {
            return None;
        }
        if self.size != size {
            let device = ratio.size(css);
            self.canvas.set_width(device.w as u32);
            self.canvas.set_height(device.h as u32);
            self.size = size;
        }
        let surface = Surface {
            context: &self.context,
            size: css,
            ratio,
            real_ms,
        };
        let mut canvas = self.painted_as.borrow_mut();
        self.moving = canvas.paint(&surface, &stage.read());
        canvas.wants()
    }
}
