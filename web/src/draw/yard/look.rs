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
    /// Above the cells.
    pub(super) label: f64,
    /// The whole tile without the gap to the next one.
    pub(super) size: Size<Device>,
}

/// CSS pixels that a cell has at most at scale 1: beyond, size says nothing.
pub(super) const LARGEST_CELL: f64 = 72.0;
/// CSS pixels: what a node's number needs.
const LABEL_WIDTH: f64 = 30.0;
const LABEL_HEIGHT: f64 = 16.0;

impl Look {
    /// The best that fits into `pitch` with room between tiles.
    pub(super) fn new(pitch: Size<Device>, gpus: u32, ratio: Ratio, largest_cell: f64) -> Self {
        let css = |length: f64| ratio.px(length);
        let labelled = Self::cells(
            pitch,
            gpus,
            css(10.0),
            css(LABEL_HEIGHT),
            css(1.5),
            largest_cell,
        );
        if labelled.cell.w >= css(8.0) && pitch.w >= css(10.0 + LABEL_WIDTH) {
            return Self {
                detail: Detail::Labelled,
                ..labelled
            };
        }
        let gap = css((pitch.w.min(pitch.h) / ratio.exact(4.0))
            .clamp(2.0, 4.0)
            .floor());
        let bare = Self::cells(pitch, gpus, gap, 0.0, 1.0, largest_cell);
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
            gap: 0.0,
            label: 0.0,
            size,
        }
    }

    /// Square cells as large as can be, in full rows where there can be more than one of them. Of
    /// equals, the flattest tile: it reads as a row.
    fn cells(
        pitch: Size<Device>,
        gpus: u32,
        between: f64,
        label: f64,
        gap: f64,
        largest: f64,
    ) -> Self {
        let (w, h) = (pitch.w.floor() - between, pitch.h.floor() - between - label);
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
                    gap,
                    label,
                    size: Size::new(extent(across), extent(down) + label),
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
