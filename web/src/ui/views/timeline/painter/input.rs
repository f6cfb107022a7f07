//! The timeline under pointer, wheel and keys.

use super::Timeline;
use super::drag::Drag;
use super::overview::Grip;
use super::rows::Target;
use crate::draw::format;
use crate::draw::on_stage::OnStage;
use crate::draw::space::{Device, Point};
use crate::draw::viewport::{KEY_PAN, KEY_ZOOM, Ruler, Window, wheel_zoom};
use crate::draw::{Pointer, PointerKind, Response, describe};
use crate::time_axis::AxisRequest;

/// CSS pixels: the heights that rows can have.
const ROW_HEIGHTS: (f64, f64) = (1.0, 28.0);

impl Timeline {
    pub(super) fn take_pointer(
        &mut self,
        pointer: &Pointer<Device>,
        shown: OnStage<'_>,
    ) -> Response {
        let at = pointer.at;
        self.pointer = Some(at);
        let mut response = Response::over_nothing();
        match pointer.kind {
            PointerKind::Down => {
                self.press(at, pointer.shift, shown);
            }
            PointerKind::Move if pointer.down && self.drag.is_some() => {
                self.drag_to(at, shown, &mut response);
                return response;
            }
            PointerKind::Move | PointerKind::Leave => {}
            PointerKind::Release => self.drag = None,
            PointerKind::Click => self.click(at, shown, &mut response),
            PointerKind::Double => {
                if !self.place.axis.contains(at) {
                    self.wants = Some(AxisRequest::Whole);
                }
            }
            PointerKind::Wheel { dx, dy } => {
                response.passes = !self.wheel(pointer, dx, dy, shown);
                if pointer.ctrl || dx != 0.0 {
                    self.reveal(shown);
                }
                response.repaint = true;
            }
            PointerKind::Pinch { factor } => {
                self.zoom(at.x, factor);
                self.reveal(shown);
                response.repaint = true;
            }
        }
        self.hover(at, shown, &mut response);
        response
    }

    pub(super) fn take_key(&mut self, key: &str, shown: OnStage<'_>) -> bool {
        let plot = self.place.plot;
        let over_plot = |at: &Point<Device>| plot.contains(Point::new(at.x, plot.y));
        let x = self.pointer.filter(over_plot).unwrap_or(plot.middle()).x;
        match key.to_ascii_lowercase().as_str() {
            "w" => self.zoom(x, KEY_ZOOM),
            "s" => self.zoom(x, 1.0 / KEY_ZOOM),
            "a" => self.pan(-KEY_PAN * self.target.span(), false),
            "d" => self.pan(KEY_PAN * self.target.span(), false),
            "f" => {
                self.focus(shown);
                return true;
            }
            _ => return false,
        }
        self.reveal(shown);
        true
    }

    /// What is under the pointer.
    /// Whether the rows are those of this run: not from when it starts anew until it is painted.
    pub(super) fn is_of(&self, shown: OnStage<'_>) -> bool {
        let of_cluster = self.cluster.as_ref() == Some(&shown.stage.cluster);
        of_cluster && self.rows.are_of(&shown.run.log)
    }

    fn at(&self, at: Point<Device>, shown: OnStage<'_>) -> Target {
        if !self.place.plot.contains(at) || !self.is_of(shown) {
            return Target::Nothing;
        }
        let view = self.seen(shown);
        self.rows
            .at(view.ruler.time(at.x), view.top(at.y), &view, shown)
    }

    /// Whether a place on the axis is the clock's.
    fn on_clock(&self, at: Point<Device>, shown: OnStage<'_>) -> bool {
        let ruler = Ruler::across(&self.place.plot, self.window);
        (ruler.x(shown.stage.clock.now) - at.x).abs() < self.place.ratio.px(14.0)
    }

    fn time_at(&self, x: f64) -> f64 {
        Ruler::across(&self.place.plot, self.window).time(x)
    }

    fn zoom(&mut self, x: f64, factor: f64) {
        let target = self.target;
        let about = Ruler::across(&self.place.plot, target).time_within(x);
        self.go(target.zoomed(about, factor), false);
    }

    fn pan(&mut self, seconds: f64, at_once: bool) {
        self.go(self.target.slid(seconds, self.place.overview.end), at_once);
    }

    /// Does what the wheel says; `false`: there is nothing to scroll that way.
    fn wheel(&mut self, pointer: &Pointer<Device>, dx: f64, dy: f64, shown: OnStage<'_>) -> bool {
        let ratio = self.place.ratio;
        if pointer.ctrl && pointer.shift {
            let before = self.seen(shown);
            let height = before.rows.height;
            let wanted = height * wheel_zoom(dy);
            // At least a pixel, or slow wheels would do nothing.
            let step = if dy < 0.0 {
                wanted.max(height + 1.0)
            } else {
                wanted.min(height - 1.0)
            };
            let (least, most) = ROW_HEIGHTS;
            let new = step.round().clamp(ratio.px(least), ratio.px(most));
            self.height = Some(new);
            let below = pointer.at.y - before.plot.y;
            self.scroll_to((self.scroll + below) * new / height - below, shown);
        } else if pointer.ctrl {
            self.zoom(pointer.at.x, wheel_zoom(dy));
        } else {
            let sideways = if pointer.shift { dx + dy } else { dx };
            if sideways != 0.0 {
                let ruler = Ruler::across(&self.place.plot, self.target);
                self.pan(ruler.seconds(ratio.exact(sideways)), true);
            }
            if !pointer.shift {
                let before = self.scroll;
                self.scroll_to(self.scroll + ratio.exact(dy), shown);
                return sideways != 0.0 || self.scroll != before;
            }
        }
        true
    }

    fn press(&mut self, at: Point<Device>, shift: bool, shown: OnStage<'_>) {
        let place = &self.place;
        let window = self.target;
        let near = place.ratio.px(4.0);
        self.drag = if place.overview.area.grown(near).contains(at) {
            let reach = place.ratio.px(6.0);
            Some(if shift {
                Drag::Select(place.overview.time_at(at.x))
            } else {
                Drag::Overview(place.overview.grip(at.x, window, reach))
            })
        } else if place.axis.contains(at) && !shift && self.on_clock(at, shown) {
            Some(Drag::Clock)
        } else if place.axis.contains(at) || (shift && place.plot.contains(at)) {
            Some(Drag::Select(self.time_at(at.x)))
        } else if place.plot.contains(at) {
            Some(Drag::Pan {
                window,
                scroll: self.scroll,
                from: at,
            })
        } else {
            None
        };
    }

    fn drag_to(&mut self, at: Point<Device>, shown: OnStage<'_>, response: &mut Response) {
        match self.drag {
            Some(Drag::Pan {
                window,
                scroll,
                from,
            }) => {
                let seconds = Ruler::across(&self.place.plot, window).seconds(from.x - at.x);
                self.go(window.slid(seconds, self.place.overview.end), true);
                self.scroll_to(scroll + from.y - at.y, shown);
                response.cursor = "grabbing";
            }
            Some(Drag::Clock) => {
                let end = shown.stage.clock.end;
                response.seek = Some(self.time_at(at.x).clamp(0.0, end));
            }
            Some(Drag::Select(from)) => {
                let over_all = self.place.overview.area.contains(at);
                let to = if over_all {
                    self.place.overview.time_at(at.x)
                } else {
                    Ruler::across(&self.place.plot, self.window).time_within(at.x)
                };
                self.wants = Some(AxisRequest::Select(Some(Window::new(
                    from.min(to),
                    from.max(to),
                ))));
                response.cursor = "ew-resize";
            }
            Some(Drag::Overview(grip)) => {
                let window = self.place.overview.dragged(grip, at.x, self.target);
                if window.span() > 0.0 {
                    self.go(window, true);
                    self.reveal(shown);
                }
            }
            None => {}
        }
        response.repaint = true;
    }

    fn click(&mut self, at: Point<Device>, shown: OnStage<'_>, response: &mut Response) {
        match self.drag.take() {
            Some(Drag::Overview(Grip::New { from })) => {
                let target = self.target;
                let middle = (target.from + target.to) / 2.0;
                self.go(target.moved(from - middle), shown.stage.reduced_motion);
                self.reveal(shown);
                response.repaint = true;
            }
            _ if self.place.axis.contains(at) => {
                response.seek = Some(self.time_at(at.x).clamp(0.0, shown.stage.clock.end));
            }
            Some(Drag::Pan { .. } | Drag::Select(_)) | None if self.place.plot.contains(at) => {
                response.select = Some(match self.at(at, shown) {
                    Target::Segment(segment) => Some(shown.run.log.segment(segment).job),
                    Target::Wait { job, .. } => Some(job),
                    Target::Gpu { .. } | Target::Nothing => None,
                });
            }
            _ => {}
        }
    }

    fn hover(&self, at: Point<Device>, shown: OnStage<'_>, response: &mut Response) {
        let OnStage { stage, run } = shown;
        let place = &self.place;
        if place.overview.area.contains(at) {
            let reach = place.ratio.px(6.0);
            response.cursor = match place.overview.grip(at.x, self.target, reach) {
                Grip::Middle { .. } => "grab",
                Grip::Start | Grip::End => "ew-resize",
                Grip::New { .. } => "crosshair",
            };
            response.tooltip = Some(vec![stage.moments().exact(place.overview.time_at(at.x))]);
            return;
        }
        if place.axis.contains(at) {
            let on_clock = self.on_clock(at, shown);
            response.cursor = if on_clock { "grab" } else { "col-resize" };
            let what = if on_clock {
                "drag: move the clock"
            } else {
                "click: move the clock here · drag: select a range"
            };
            response.tooltip = Some(vec![
                stage.moments().exact(self.time_at(at.x)),
                what.to_owned(),
            ]);
            return;
        }
        response.tooltip = match self.at(at, shown) {
            Target::Segment(segment) => {
                response.hover = Some(Some(run.log.segment(segment).job));
                response.cursor = "pointer";
                Some(describe::segment(segment, stage, run))
            }
            Target::Wait { job, from, to } => {
                response.hover = Some(Some(job));
                response.cursor = "pointer";
                Some(describe::wait(job, from, to, stage))
            }
            Target::Gpu { node, gpu } => {
                let time = self.time_at(at.x);
                let here = vec![
                    format!("node {node}, {} {gpu}", format::units("GPU")),
                    stage.moments().exact(time),
                ];
                let absent = describe::absence_at(run, node, time);
                Some(here.into_iter().chain(absent).collect())
            }
            Target::Nothing => None,
        };
    }

    /// Shows the whole life of the chosen job and its rows; all of time if there is none, or if it
    /// is shown already.
    fn focus(&mut self, shown: OnStage<'_>) {
        let OnStage { stage, run } = shown;
        let end = self.place.overview.end;
        let chosen = stage.marked();
        let Some((job, record)) =
            chosen.and_then(|job| Some((job, stage.workload.jobs.get(job.index())?)))
        else {
            self.wants = Some(AxisRequest::Whole);
            return;
        };
        let from = record.submit.seconds();
        let last = run
            .segments(job)
            .last()
            .map(|&i| run.log.segment(i as usize).end.seconds());
        let to = last.unwrap_or(f64::INFINITY).min(run.reached()).max(from);
        let margin = ((to - from) * 0.08).max(1.0);
        let life = Window::new(from - margin, to + margin).within(end, 1.0);
        if (life.from - self.target.from).abs() + (life.to - self.target.to).abs() < 0.1 {
            self.wants = Some(AxisRequest::Whole);
            return;
        }
        self.go(life, false);
        let view = self.seen(shown);
        let top = self.rows.top_of(job, &view, shown);
        if top < view.scroll || top + view.rows.height > view.bottom() {
            self.scroll_to(top - view.plot.h / 3.0, shown);
        }
    }
}
