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
    let halls = (0..floor.halls.len()).filter(|_| floor.halls.len() > 1 && trim.hall > trim.link);
    for hall in halls.map(|at| grid.hall(at)).filter(seen) {
        pen.frame(&hall, line);
    }
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
    pen.fill(pen.chrome.text);
    if trim.aside > 0.0 {
        for (at, name) in floor.halls.iter().enumerate() {
            let middle = grid.hall(at).middle();
            let number = name.rsplit(' ').next().unwrap_or_default();
            let x = grid.hall(at).x + pen.px(1.0) + trim.aside / 2.0;
            pen.label(number, x, middle.y, Align::Centre, trim.aside);
        }
    }
    if trim.hall - trim.link >= least {
        for (at, name) in floor.halls.iter().enumerate() {
            let frame = grid.hall(at);
            let y = frame.y + trim.link + (trim.hall - trim.link) / 2.0;
            let (x, right) = (frame.x + pad, frame.right() - pad);
            let room = right - x;
            let used = pen.label(name, x, y, Align::Left, room);
            let link = tree.filter(|_| floor.halls.len() > 1);
            let load = link.and_then(|tree| over(tree.partition_edge(at as u32)));
            if let Some(load) = load.filter(|load| used + pad + pen.width(load, SMALL) <= room) {
                pen.label(&load, right, y, Align::Right, room);
            }
        }
    }
}
