//! How a node looks in the room it has: a tile of GPUs, bare cells, or one cell.

use crate::draw::space::{Device, Ratio, Size};

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
pub(super) struct Look {
    pub(super) detail: Detail,
    /// Cells side by side.
    pub(super) across: u32,
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
pub(super) enum Lines {
    #[default]
    None,
    /// Its own.
    Node,
    /// Its own, and its sockets'.
    Sockets,
}

/// CSS pixels that a cell has at most at scale 1: beyond, size says nothing.
pub(super) const LARGEST_CELL: f64 = 72.0;
/// CSS pixels: what a node's number needs.
const LABEL_WIDTH: f64 = 30.0;
const LABEL_HEIGHT: f64 = 16.0;

impl Look {
    /// The best that fits into `pitch` with room between tiles.
    pub(super) fn new(
        pitch: Size<Device>,
        gpus: u32,
        lines: Lines,
        ratio: Ratio,
        largest_cell: f64,
    ) -> Self {
        let css = |length: f64| ratio.px(length);
        let room = |height: f64| match lines {
            Lines::None => 0.0,
            _ => css(height),
        };
        let (link, foot) = match lines {
            Lines::Sockets => (room(5.0), css(5.0)),
            _ => (room(5.0), 0.0),
        };
        let between = Self {
            gap: css(1.5),
            label: css(LABEL_HEIGHT) + link,
            link,
            foot,
            ..Self::default()
        };
        let labelled = Self::cells(pitch, gpus, css(10.0), between, largest_cell);
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
            label: link,
            link,
            ..Self::default()
        };
        let bare = Self::cells(pitch, gpus, gap, between, largest_cell);
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

    /// Square cells as large as can be, in full rows where there can be more than one of them. Of
    /// equals, the flattest tile: it reads as a row. `with`: gaps, and what is above and below.
    fn cells(pitch: Size<Device>, gpus: u32, between: f64, with: Self, largest: f64) -> Self {
        let Self {
            gap, label, foot, ..
        } = with;
        let (w, h) = (pitch.w.floor() - between, pitch.h.floor() - between);
        let h = h - label - foot;
        let mut best = Self::default();
        let is_full = |down: &u32| gpus.is_multiple_of(*down);
        let in_rows = (2..gpus).any(|down| is_full(&down));
        for down in (1..=gpus).filter(|down| is_full(down) || !in_rows) {
            let across = gpus.div_ceil(down);
            let side = |room: f64, cells: u32| ((room + gap) / f64::from(cells) - gap).floor();
            let cell = side(w, across).min(side(h, down)).min(largest);
            if cell > best.cell.w {
                let extent = |cells: u32| f64::from(cells) * (cell + gap) - gap;
                best = Self {
                    detail: Detail::Cells,
                    across,
                    cell: Size::new(cell, cell),
                    size: Size::new(extent(across), extent(down) + label + foot),
                    ..with
                };
            }
        }
        best
    }

    /// Larger is better.
    pub(super) fn rank(&self) -> (Detail, f64) {
        (self.detail, self.cell.w.min(self.cell.h))
    }
}
