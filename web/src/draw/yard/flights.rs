//! Jobs on their way, painted over the nodes.

use super::motion::{Flight, FlightKind};
use super::platform::Platform;
use super::tiles::Grid;
use crate::draw::on_stage::OnStage;
use crate::draw::pen::Pen;
use crate::draw::space::Rect;

/// Paints what is on its way; what it goes to shows nothing of it yet.
pub(super) fn paint(
    pen: &Pen<'_>,
    flights: &[Flight],
    platform: &Platform,
    grid: &Grid<'_>,
    area: &Rect,
    shown: OnStage<'_>,
) {
    for flight in flights {
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
    for flight in flights {
        paint_one(pen, flight, platform, grid, shown);
    }
    pen.alpha(1.0);
}

fn paint_one(
    pen: &Pen<'_>,
    flight: &Flight,
    platform: &Platform,
    grid: &Grid<'_>,
    shown: OnStage<'_>,
) {
    let at = flight.part(pen.real_ms);
    let gpus = shown.run.log.segment(flight.segment).gpus;
    pen.fill(shown.colour(flight.job));
    pen.alpha(1.0);
    match flight.kind {
        FlightKind::Placed { from } => {
            for part in gpus {
                let to = grid.bounds(part.node, part.mask);
                block(pen, &from.towards(&to, at));
            }
        }
        FlightKind::Moved { from } => {
            let sources = shown.run.log.segment(from).gpus;
            for (part, source) in gpus.iter().zip(sources.iter().cycle()) {
                let from = grid.bounds(source.node, source.mask);
                let to = grid.bounds(part.node, part.mask);
                block(pen, &from.towards(&to, at));
            }
        }
        FlightKind::Preempted => {
            let to = platform.place(flight.job);
            for part in gpus {
                let from = grid.bounds(part.node, part.mask);
                block(pen, &from.towards(&to, at));
            }
        }
        FlightKind::Finished => {
            pen.alpha(1.0 - at);
            for part in gpus {
                let cells = grid.bounds(part.node, part.mask);
                let sunk = pen.px(10.0) * at;
                let (y, h) = ((cells.y + sunk).round(), (cells.h - sunk).max(1.0));
                pen.rect(&Rect { y, h, ..cells });
            }
        }
    }
}

/// A job between two places: a plain block, with a rim that keeps it apart from what it passes.
fn block(pen: &Pen<'_>, at: &Rect) {
    pen.rect(at);
    pen.context.set_stroke_style_str(pen.chrome.background);
    pen.context.set_line_width(pen.ratio.exact(1.0));
    pen.context.stroke_rect(at.x, at.y, at.w, at.h);
}
