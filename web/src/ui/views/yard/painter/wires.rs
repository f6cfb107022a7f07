//! The links of the cluster's tree as lines that fill up as they are loaded, each at the upper end of
//! what it connects: a node's above its GPUs, a rack's along the top of its frame, a partition's above
//! its racks; below a node those of its sockets. What wants more than a link carries fills the line, and
//! a notch in it says how much of that the link carries. Who is zoomed out sees racks and partitions.

use super::floor::Floor;
use super::look::Detail;
use super::tiles::Grid;
use crate::draw::on_stage::OnStage;
use crate::draw::palette;
use crate::draw::pen::Pen;
use crate::draw::space::{Device, Point, Ratio, Rect};
use crate::links::Links;
use switchyard::cluster::Topology;

/// CSS pixels by which a line is missed and yet meant.
const NEAR: f64 = 2.0;

/// Calls `each` with every link that is seen in `area`, and its line.
fn lines(
    tree: &Topology,
    grid: &Grid<'_>,
    floor: &Floor,
    area: &Rect,
    ratio: Ratio,
    mut each: impl FnMut(u32, Rect),
) {
    let trim = grid.trim();
    let thick =
        |room: f64| (room - ratio.px(if room > ratio.px(3.0) { 2.0 } else { 1.0 })).max(1.0);
    let mut seen = |link: u32, line: Rect| {
        if line.overlaps(area) {
            each(link, line);
        }
    };
    if floor.is_of_racks {
        let h = thick(trim.link);
        for hall in (0..floor.halls.len()).filter(|_| floor.halls.len() > 1) {
            let frame = grid.hall(hall);
            seen(tree.partition_edge(hall as u32), Rect { h, ..frame });
        }
        for (at, section) in (0..).zip(&floor.sections) {
            if !grid.is_merged() {
                let frame = grid.section(at);
                seen(tree.rack_edge(section.rack), Rect { h, ..frame });
            }
        }
    }
    let look = &grid.look;
    if look.detail == Detail::Density || look.link <= 0.0 {
        return;
    }
    for node in 0..tree.nodes() {
        let tile = grid.tile(node);
        let (y, h) = (tile.y + look.label - look.link, thick(look.link));
        seen(tree.node_edge(node), Rect { y, h, ..tile });
        if look.foot <= 0.0 {
            continue;
        }
        let h = thick(look.foot);
        let (sockets, y) = (tree.sockets(node), tile.bottom() - h);
        let gap = ratio.px(2.0);
        let w = ((tile.w + gap) / f64::from(sockets) - gap).floor();
        for socket in 0..sockets {
            let x = tile.x + f64::from(socket) * (w + gap);
            let mut line = Rect::new(x, y, w, h);
            if look.row < look.across {
                // Below its GPUs.
                let Rect { x, w, .. } = grid.bounds(node, tree.socket_mask(node, socket));
                line = Rect { x, w, ..line };
            }
            seen(tree.pcie_edge(node, socket), line);
        }
    }
}

/// Paints the links that are seen in `area`.
pub(super) fn paint(
    pen: &Pen<'_>,
    grid: &Grid<'_>,
    floor: &Floor,
    area: &Rect,
    links: &Links,
    shown: OnStage<'_>,
) {
    let tree = links.topology();
    let mut found: Vec<(u32, f64, Rect)> = Vec::new();
    lines(tree, grid, floor, area, pen.ratio, |link, line| {
        found.push((link, links.load(link), line));
    });
    let running = shown.run.moment.running();
    let outlined = shown.outlined().filter(|job| running.contains(job));
    let theirs = outlined.flat_map(|job| links.of_segment(shown.run.moment.segment(job)));
    let theirs: Vec<u32> = theirs.collect();
    let rim = pen.px(1.0);
    pen.fill(pen.chrome.accent);
    for (link, _, line) in &found {
        if theirs.contains(link) {
            pen.rect(&line.grown(rim));
        }
    }
    pen.fill(pen.chrome.line);
    found.iter().for_each(|(_, _, line)| pen.rect(line));
    let mut colours: Vec<&str> = Vec::new();
    for &(_, load, _) in found.iter().filter(|(_, load, _)| *load > 0.0) {
        let colour = palette::load(load, shown.stage.dark);
        if !colours.contains(&colour) {
            colours.push(colour);
        }
    }
    for colour in colours {
        pen.fill(colour);
        for &(_, load, line) in &found {
            if load > 0.0 && palette::load(load, shown.stage.dark) == colour {
                let w = (line.w * load.min(1.0)).round().max(1.0);
                pen.rect(&Rect { w, ..line });
            }
        }
    }
    pen.fill(pen.chrome.background);
    let notch = pen.px(2.0);
    for &(_, load, line) in found.iter().filter(|(_, load, _)| *load > 1.0) {
        let x = (line.x + line.w / load).round();
        pen.rect(&Rect {
            x,
            w: notch,
            ..line
        });
    }
}

/// The link whose line is at a place.
pub(super) fn at(
    at: Point<Device>,
    grid: &Grid<'_>,
    floor: &Floor,
    area: &Rect,
    ratio: Ratio,
    links: &Links,
) -> Option<u32> {
    let mut found: Option<(f64, u32)> = None;
    lines(links.topology(), grid, floor, area, ratio, |link, line| {
        if line.grown(ratio.px(NEAR)).contains(at) {
            let off = (line.middle().y - at.y).abs();
            if found.is_none_or(|(best, _)| off < best) {
                found = Some((off, link));
            }
        }
    });
    found.map(|(_, link)| link)
}
