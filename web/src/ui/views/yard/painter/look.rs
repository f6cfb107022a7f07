//! How a node looks in the room it has: a tile of GPUs, bare cells, or one cell.

use crate::draw::space::{Device, Point, Ratio, Rect, Size};
use switchyard::cluster::{ClusterSpec, Topology};

/// How much of a node is shown, from little to much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Detail {
    /// One cell, filled by occupancy.
    #[default]
    Density,
    /// One cell a GPU.
    Cells,
    /// One cell a GPU, and the node's number.
    Labelled,
}

/// How one tile is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TileLook {
    pub(super) detail: Detail,
    /// Cells side by side: in all, and of one group of GPUs.
    pub(super) across: u32,
    pub(super) row: u32,
    /// GPUs of a group, and the room between two groups beyond that between cells.
    pub(super) group: u32,
    pub(super) split: f64,
    /// The sides of a cell.
    pub(super) cell: Size<Device>,
    /// Between cells.
    pub(super) gap: f64,
    /// Above the cells: the node's number, and at last the room for the line of its link.
    pub(super) label: f64,
    pub(super) link: f64,
    /// Below the cells: the room for the lines of its sockets.
    pub(super) foot: f64,
    /// The whole tile without the gap to the next one.
    pub(super) size: Size<Device>,
}

/// Which links have a line on a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LinkLines {
    #[default]
    None,
    /// Its own.
    Node,
    /// Its own, and its sockets'.
    Sockets,
}

/// What a node is drawn of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Inside {
    /// GPUs of the largest node.
    pub(super) gpus: u32,
    /// Groups that these stand in, of as many each: those on one socket.
    pub(super) groups: u32,
    pub(super) lines: LinkLines,
}

impl Inside {
    /// Of a cluster's nodes: sockets stand apart where the cluster tells of them, in nodes that are
    /// alike.
    pub(super) fn of(cluster: &ClusterSpec, lines: LinkLines) -> Self {
        let gpus = cluster.largest_node();
        let sockets = Topology::of(cluster).sockets(0);
        let alike = cluster.gpus_per_node().all(|of| of == gpus);
        let stands = tells_sockets(cluster) && alike && gpus.is_multiple_of(sockets);
        Self {
            gpus,
            groups: if stands { sockets } else { 1 },
            lines,
        }
    }
}

/// Whether a cluster tells of its nodes' sockets.
pub(super) fn tells_sockets(cluster: &ClusterSpec) -> bool {
    let tree = cluster.tree();
    tree.sockets.is_some() || tree.qpi.is_some() || tree.pcie.is_some()
}

/// CSS pixels that a cell has at most at scale 1: beyond, size says nothing.
pub(super) const LARGEST_CELL: f64 = 72.0;
/// CSS pixels: what a node's number needs.
const LABEL_WIDTH: f64 = 30.0;
const LABEL_HEIGHT: f64 = 16.0;

impl TileLook {
    /// The best that fits into `pitch` with room between tiles.
    pub(super) fn new(
        pitch: Size<Device>,
        inside: Inside,
        ratio: Ratio,
        largest_cell: f64,
    ) -> Self {
        let css = |length: f64| ratio.px(length);
        let lines = inside.lines;
        let room = |height: f64| match lines {
            LinkLines::None => 0.0,
            _ => css(height),
        };
        let (link, foot) = match lines {
            LinkLines::Sockets => (room(5.0), css(5.0)),
            _ => (room(5.0), 0.0),
        };
        let between = Self {
            gap: css(1.5),
            split: css(4.0),
            label: css(LABEL_HEIGHT) + link,
            link,
            foot,
            ..Self::default()
        };
        let labelled = Self::cells(pitch, inside, css(10.0), between, largest_cell);
        if labelled.cell.w >= css(8.0) && pitch.w >= css(10.0 + LABEL_WIDTH) {
            return Self {
                detail: Detail::Labelled,
                ..labelled
            };
        }
        let gap = css((pitch.w.min(pitch.h) / ratio.exact(4.0))
            .clamp(2.0, 4.0)
            .floor());
        let link = room(3.0);
        let between = Self {
            gap: 1.0,
            split: css(1.0),
            label: link,
            link,
            ..Self::default()
        };
        let bare = Self::cells(pitch, inside, gap, between, largest_cell);
        if bare.cell.w >= css(3.0) {
            return Self {
                detail: Detail::Cells,
                ..bare
            };
        }
        let gap = if pitch.w.min(pitch.h) >= 3.0 {
            1.0
        } else {
            0.0
        };
        let size = Size::new(pitch.w.floor() - gap, pitch.h.floor() - gap);
        Self {
            detail: Detail::Density,
            across: 1,
            cell: size,
            size,
            ..Self::default()
        }
    }

    /// Square cells as large as can be, in full rows where there can be more than one of them, groups
    /// side by side. Of equals, the flattest tile: it reads as a row. `with`: gaps, and what is above and
    /// below.
    fn cells(pitch: Size<Device>, inside: Inside, between: f64, with: Self, largest: f64) -> Self {
        let Self {
            gap, label, foot, ..
        } = with;
        let groups = inside.groups.max(1);
        let group = inside.gpus / groups;
        let aside = f64::from(groups - 1) * with.split;
        let (w, h) = (pitch.w.floor() - between, pitch.h.floor() - between);
        let (w, h) = (w - aside, h - label - foot);
        let mut best = Self::default();
        let is_full = |down: &u32| group.is_multiple_of(*down);
        let in_rows = (2..group).any(|down| is_full(&down));
        for down in (1..=group).filter(|down| is_full(down) || !in_rows) {
            let row = group.div_ceil(down);
            let across = row * groups;
            let side = |room: f64, cells: u32| ((room + gap) / f64::from(cells) - gap).floor();
            let cell = side(w, across).min(side(h, down)).min(largest);
            if cell > best.cell.w {
                let extent = |cells: u32| f64::from(cells) * (cell + gap) - gap;
                best = Self {
                    detail: Detail::Cells,
                    across,
                    row,
                    group,
                    cell: Size::new(cell, cell),
                    size: Size::new(extent(across) + aside, extent(down) + label + foot),
                    ..with
                };
            }
        }
        best
    }

    /// Where a GPU's cell is: its column and row, and how many groups stand left of its own.
    pub(super) fn place(&self, gpu: u32) -> (u32, u32, u32) {
        let (group, within) = (gpu / self.group.max(1), gpu % self.group.max(1));
        let row = self.row.max(1);
        (group * row + within % row, within / row, group)
    }

    /// Where a name of this size stands on cells that lie in an area: in the middle; where that is a line between two cells,
    /// and a cell has room for the name, in the one before.
    pub(super) fn name_at(&self, area: &Rect, name: Size<Device>) -> Point<Device> {
        let place = |middle: f64, extent: f64, cell: f64, name: f64| {
            let step = cell + self.gap;
            let cells = ((extent + self.gap) / step).round();
            let is_between = cells % 2.0 == 0.0 && name <= cell;
            middle - if is_between { step / 2.0 } else { 0.0 }
        };
        let (middle, cell) = (area.middle(), self.cell);
        Point::new(
            place(middle.x, area.w, cell.w, name.w),
            place(middle.y, area.h, cell.h, name.h),
        )
    }

    /// Larger is better.
    pub(super) fn rank(&self) -> (Detail, f64) {
        (self.detail, self.cell.w.min(self.cell.h))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_goes_through_a_name_that_a_cell_has_room_for() {
        let look = TileLook {
            cell: Size::new(50.0, 50.0),
            gap: 2.0,
            ..TileLook::default()
        };
        let at = |across: f64, down: f64, name: f64| {
            let extent = |cells: f64| cells * 52.0 - 2.0;
            let area = Rect::new(0.0, 0.0, extent(across), extent(down));
            let Point { x, y, .. } = look.name_at(&area, Size::new(name, 12.0));
            (x, y)
        };
        assert_eq!(at(2.0, 1.0, 40.0), (25.0, 25.0));
        assert_eq!(at(4.0, 2.0, 40.0), (77.0, 25.0));
        assert_eq!(at(3.0, 3.0, 40.0), (77.0, 77.0));
        // No cell has room for it.
        assert_eq!(at(2.0, 1.0, 60.0), (51.0, 25.0));
    }
}
