//! Jobs on their way, painted over the nodes: one token a gang, and behind it a trail.

use super::motion::{Flight, FlightKind};
use super::platform::Platform;
use super::tiles::Grid;
use crate::draw::on_stage::{DIMMED, OnStage};
use crate::draw::pen::Pen;
use crate::draw::space::Rect;
use switchyard::cluster::Gpus;

/// The part of its way that a trail is long.
const TRAIL: f64 = 0.35;
/// How opaque it is.
const FAINT: f64 = 0.3;
/// How much smaller a token is half-way, and how small at least, in CSS pixels.
const SHRINKS: f64 = 0.7;
const LEAST: f64 = 9.0;
/// More parts of a gang than these say no more of where it goes.
const MOST_PARTS: usize = 256;

/// Paints what is on its way; what it goes to shows nothing of it yet. Over a job that all others stand
/// back from nothing flies but itself.
pub(super) fn paint(
    pen: &Pen<'_>,
    flights: &[Flight],
    platform: &Platform,
    grid: &Grid<'_>,
    area: &Rect,
    shown: OnStage<'_>,
) {
    let marked = shown.stage.marked();
    let seen = |flight: &&Flight| marked.is_none_or(|job| job == flight.job);
    for flight in flights.iter().filter(seen) {
        match flight.kind {
            FlightKind::Placed { .. } | FlightKind::Moved { .. } => {
                pen.fill(pen.chrome.free);
                grid.pieces(shown.run, flight.segment, area, |piece| pen.rect(piece));
            }
            FlightKind::Preempted => {
                if let Some(block) = platform.area_of(flight.job) {
                    pen.fill(pen.chrome.background);
                    pen.rect(block);
                }
            }
            FlightKind::Finished => {}
        }
    }
    for flight in flights.iter().filter(seen) {
        let full = if shown.is_dimmed(flight.job) {
            DIMMED
        } else {
            1.0
        };
        paint_one(pen, flight, full, platform, grid, shown);
    }
    pen.alpha(1.0);
}

fn paint_one(
    pen: &Pen<'_>,
    flight: &Flight,
    full: f64,
    platform: &Platform,
    grid: &Grid<'_>,
    shown: OnStage<'_>,
) {
    let at = flight.part(pen.real_ms);
    let gpus = shown.run.log.segment(flight.segment).gpus;
    let colour = shown.colour(flight.job);
    pen.fill(colour);
    let (from, to) = match flight.kind {
        FlightKind::Placed { from } => (from, gang(grid, gpus)),
        FlightKind::Moved { from } => {
            let sources = shown.run.log.segment(from).gpus;
            (gang(grid, sources), gang(grid, gpus))
        }
        FlightKind::Preempted => (gang(grid, gpus), platform.place(flight.job)),
        FlightKind::Finished => {
            pen.alpha(full * (1.0 - at));
            for part in gpus.iter().take(MOST_PARTS) {
                let cells = grid.bounds(part.node, part.mask);
                let sunk = pen.px(10.0) * at;
                let (y, h) = ((cells.y + sunk).round(), (cells.h - sunk).max(1.0));
                pen.rect(&Rect { y, h, ..cells });
            }
            return;
        }
    };
    // Small on its way, since it passes over others; as large as it is where it comes from and goes to.
    let whole = from.towards(&to, at);
    let left = 1.0 - SHRINKS * 4.0 * at * (1.0 - at);
    let side = |whole: f64| (whole * left).max(whole.min(pen.px(LEAST)));
    let (w, h) = (side(whole.w), side(whole.h));
    let middle = whole.middle();
    let token = Rect::new(middle.x - w / 2.0, middle.y - h / 2.0, w, h);
    let tail = from.towards(&to, at - TRAIL.min(at)).middle();
    pen.alpha(full * FAINT);
    let context = pen.context;
    context.set_stroke_style_str(colour);
    context.set_line_width(w.min(h).min(pen.px(LEAST)));
    context.begin_path();
    context.move_to(tail.x, tail.y);
    context.line_to(middle.x, middle.y);
    context.stroke();
    pen.alpha(full);
    pen.rect(&token);
    // A rim keeps it apart from what it passes.
    context.set_stroke_style_str(pen.chrome.background);
    context.set_line_width(pen.ratio.exact(1.0));
    context.stroke_rect(token.x, token.y, token.w, token.h);
}

/// A gang as one token: its cells, or as many in the middle of them where it lies on several nodes.
fn gang(grid: &Grid<'_>, gpus: &[Gpus]) -> Rect {
    let some = gpus.iter().step_by(gpus.len() / MOST_PARTS + 1);
    let mut parts = some.map(|part| grid.bounds(part.node, part.mask));
    let Some(first) = parts.next() else {
        return Rect::default();
    };
    if gpus.len() == 1 {
        return first;
    }
    let middle = parts.fold(first, |all, part| all.union(&part)).middle();
    let grown = (gpus.len() as f64).sqrt().min(3.0);
    let (w, h) = (first.w * grown, first.h * grown);
    Rect::new(middle.x - w / 2.0, middle.y - h / 2.0, w, h)
}
