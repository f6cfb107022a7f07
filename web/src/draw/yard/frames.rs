//! Frames around racks, partitions and groups of alike nodes, and their names.

use super::floor::Floor;
use super::tiles::Grid;
use crate::draw::pen::{Align, Pen};
use crate::draw::space::Rect;
use crate::draw::text::{SMALL, TEXT_ROW};
use crate::links::Links;

/// Paints the frames that are seen in `area`.
pub(super) fn paint(
    pen: &mut Pen<'_>,
    grid: &Grid<'_>,
    floor: &Floor,
    area: &Rect,
    links: Option<&Links>,
) {
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
    // How far beyond what it carries a link is loaded.
    let over = |link: u32| {
        let load = links.map_or(0.0, |links| links.load(link));
        (load > 1.0).then(|| format!("uplink {:.0} %", 100.0 * load))
    };
    let tree = links.map(Links::topology).filter(|_| floor.is_of_racks);
    pen.fill(pen.chrome.faint);
    if trim.head >= least {
        for (at, section) in floor.sections.iter().enumerate() {
            let frame = grid.section(at);
            if seen(&frame) {
                let y = frame.y + trim.link + pad + least / 2.0;
                let room = frame.w - 2.0 * pad;
                let used = pen.label(&section.name, frame.x + pad, y, Align::Left, room);
                let load = tree.and_then(|tree| over(tree.rack_edge(section.rack)));
                if let Some(load) = load.filter(|load| used + pad + pen.width(load, SMALL) <= room)
                {
                    pen.label(&load, frame.right() - pad, y, Align::Right, room);
                }
            }
        }
    }
    if trim.hall - trim.link >= least {
        pen.fill(pen.chrome.text);
        for (at, name) in floor.halls.iter().enumerate() {
            let around = grid.hall(at);
            let y = around.y - trim.link - least / 2.0;
            let used = pen.label(name, around.x, y, Align::Left, around.w);
            let link = tree.filter(|_| floor.halls.len() > 1);
            let load = link.and_then(|tree| over(tree.partition_edge(at as u32)));
            if let Some(load) = load.filter(|load| used + pad + pen.width(load, SMALL) <= around.w)
            {
                pen.label(&load, around.right(), y, Align::Right, around.w);
            }
        }
    }
}
