//! Frames around racks, partitions and groups of alike nodes, and their names.

use super::floor::Floor;
use super::tiles::Grid;
use crate::draw::pen::{Align, Pen};
use crate::draw::space::Rect;
use crate::draw::text::TEXT_ROW;

/// Paints the frames that are seen in `area`.
pub(super) fn paint(pen: &mut Pen<'_>, grid: &Grid<'_>, floor: &Floor, area: &Rect) {
    if !floor.is_framed() || grid.is_merged() {
        return;
    }
    let trim = grid.trim();
    let seen = |frame: &Rect| frame.overlaps(area);
    let line = pen.px(1.0);
    pen.fill(pen.chrome.line);
    for section in 0..floor.sections.len() {
        let frame = grid.section(section);
        if seen(&frame) {
            pen.frame(&frame, line);
        }
    }
    let least = pen.px(TEXT_ROW);
    let pad = pen.px(5.0);
    pen.fill(pen.chrome.faint);
    if trim.head >= least {
        for (at, section) in floor.sections.iter().enumerate() {
            let frame = grid.section(at);
            if seen(&frame) {
                let y = frame.y + pad + least / 2.0;
                pen.label(
                    &section.name,
                    frame.x + pad,
                    y,
                    Align::Left,
                    frame.w - 2.0 * pad,
                );
            }
        }
    }
    if trim.hall >= least {
        pen.fill(pen.chrome.text);
        for (at, name) in floor.halls.iter().enumerate() {
            let around = grid.hall(at);
            let y = around.y - least / 2.0;
            pen.label(name, around.x, y, Align::Left, around.w);
        }
    }
}
