//! How nodes are laid out: as tiles of GPUs, as bare cells, or as one cell a node, whatever has
//! room. Everything is in whole device pixels, so that edges are crisp and gaps are even.

use crate::draw::pen::px;
use crate::draw::rect::Rect;
use crate::draw::viewport::Plane;

/// A grid of nodes that fits into an area.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tiling {
    nodes: u32,
    columns: u32,
    rows: u32,
    /// From one tile's corner to the next one's.
    pitch: (f64, f64),
    largest_node: u32,
    ratio: f64,
    /// The look at scale 1.
    look: Look,
}

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
    across: u32,
    /// The sides of a cell.
    pub(super) cell: (f64, f64),
    /// Between cells.
    gap: f64,
    /// Above the cells.
    pub(super) label: f64,
    /// The whole tile without the gap to the next one.
    size: (f64, f64),
}

/// CSS pixels that a cell has at most at scale 1: beyond, size says nothing.
const LARGEST_CELL: f64 = 72.0;
/// CSS pixels: what a node's number needs.
const LABEL_WIDTH: f64 = 30.0;
const LABEL_HEIGHT: f64 = 16.0;

impl Look {
    /// The best that fits into `pitch` with room between tiles.
    fn new(pitch: (f64, f64), gpus: u32, ratio: f64, largest_cell: f64) -> Self {
        let css = |length: f64| px(length, ratio);
        let labelled = Self::cells(
            pitch,
            gpus,
            css(10.0),
            css(LABEL_HEIGHT),
            css(1.5),
            largest_cell,
        );
        if labelled.cell.0 >= css(8.0) && pitch.0 >= css(10.0 + LABEL_WIDTH) {
            return Self {
                detail: Detail::Labelled,
                ..labelled
            };
        }
        let gap = css((pitch.0.min(pitch.1) / (4.0 * ratio))
            .clamp(2.0, 4.0)
            .floor());
        let bare = Self::cells(pitch, gpus, gap, 0.0, 1.0, largest_cell);
        if bare.cell.0 >= css(3.0) {
            return Self {
                detail: Detail::Cells,
                ..bare
            };
        }
        let gap = if pitch.0.min(pitch.1) >= 3.0 {
            1.0
        } else {
            0.0
        };
        let size = (pitch.0.floor() - gap, pitch.1.floor() - gap);
        Self {
            detail: Detail::Density,
            across: 1,
            cell: size,
            gap: 0.0,
            label: 0.0,
            size,
        }
    }

    /// Square cells as large as can be. Of equals, the flattest tile: it reads as a row.
    fn cells(
        pitch: (f64, f64),
        gpus: u32,
        between: f64,
        label: f64,
        gap: f64,
        largest: f64,
    ) -> Self {
        let room = (pitch.0.floor() - between, pitch.1.floor() - between - label);
        let mut best = Self::default();
        for down in 1..=gpus {
            let across = gpus.div_ceil(down);
            let side = |room: f64, cells: u32| ((room + gap) / f64::from(cells) - gap).floor();
            let cell = side(room.0, across).min(side(room.1, down)).min(largest);
            if cell > best.cell.0 {
                let extent = |cells: u32| f64::from(cells) * (cell + gap) - gap;
                best = Self {
                    detail: Detail::Cells,
                    across,
                    cell: (cell, cell),
                    gap,
                    label,
                    size: (extent(across), extent(down) + label),
                };
            }
        }
        best
    }

    /// Larger is better.
    fn rank(&self) -> (Detail, f64) {
        (self.detail, self.cell.0.min(self.cell.1))
    }
}

impl Tiling {
    /// The grid of `nodes` tiles in `width` × `height` that shows the most of each.
    pub(super) fn new(nodes: u32, largest_node: u32, width: f64, height: f64, ratio: f64) -> Self {
        let mut best = Self {
            nodes,
            largest_node,
            ratio,
            ..Self::default()
        };
        let largest_cell = px(LARGEST_CELL, ratio);
        let mut columns = 1;
        loop {
            let rows = nodes.div_ceil(columns);
            let pitch = (
                (width / f64::from(columns)).floor(),
                (height / f64::from(rows)).floor(),
            );
            let look = Look::new(pitch, largest_node, ratio, largest_cell);
            if best.columns == 0 || look.rank() > best.look.rank() {
                best = Self {
                    columns,
                    rows,
                    pitch,
                    look,
                    ..best
                };
            }
            if rows == 1 {
                break;
            }
            // The next width that saves a row: those between only waste room.
            columns = nodes.div_ceil(rows - 1);
        }
        best.close_up();
        best
    }

    /// Takes out what room the tiles leave between them beyond a gap that looks even.
    fn close_up(&mut self) {
        if self.look.detail == Detail::Density {
            return;
        }
        let gap = match self.look.detail {
            Detail::Labelled => px(14.0, self.ratio),
            _ => px(4.0, self.ratio),
        };
        self.pitch.0 = self.pitch.0.min(self.look.size.0 + gap);
        self.pitch.1 = self.pitch.1.min(self.look.size.1 + gap);
    }

    /// The grid as seen through `plane`, its upper left corner at `(x, y)`.
    pub(super) fn seen(&self, plane: &Plane, x: f64, y: f64) -> Grid {
        let pitch = (self.pitch.0 * plane.scale, self.pitch.1 * plane.scale);
        let look = if plane.scale == 1.0 {
            self.look
        } else {
            Look::new(pitch, self.largest_node, self.ratio, f64::INFINITY)
        };
        Grid {
            nodes: self.nodes,
            columns: self.columns,
            rows: self.rows,
            pitch,
            look,
            x: x - plane.x,
            y: y - plane.y,
        }
    }

    /// The size of the whole grid.
    pub(super) fn extent(&self) -> (f64, f64) {
        (
            self.pitch.0 * f64::from(self.columns),
            self.pitch.1 * f64::from(self.rows),
        )
    }

    /// From one tile's corner to the next one's, at scale 1.
    pub(super) fn pitch(&self) -> (f64, f64) {
        self.pitch
    }

    /// How far zooming makes sense: until a few nodes fill the view.
    pub(super) fn largest_scale(&self, width: f64, height: f64) -> f64 {
        (width / (2.0 * self.pitch.0))
            .min(height / (1.5 * self.pitch.1))
            .max(1.0)
    }

    /// The scale next to `scale` at which tiles are whole pixels apart.
    pub(super) fn crisp(&self, scale: f64) -> f64 {
        ((scale * self.pitch.0).round() / self.pitch.0).max(1.0)
    }

    /// The middle of a node's tile at scale 1.
    pub(super) fn middle(&self, node: u32) -> (f64, f64) {
        let (column, row) = (node % self.columns, node / self.columns);
        (
            (f64::from(column) + 0.5) * self.pitch.0,
            (f64::from(row) + 0.5) * self.pitch.1,
        )
    }
}

/// A [`Tiling`] on the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    nodes: u32,
    columns: u32,
    rows: u32,
    pitch: (f64, f64),
    pub(super) look: Look,
    x: f64,
    y: f64,
}

impl Grid {
    /// A node's tile, label and all.
    pub(super) fn tile(&self, node: u32) -> Rect {
        let (column, row) = (node % self.columns, node / self.columns);
        Rect::new(
            (self.x + f64::from(column) * self.pitch.0 + 0.5).floor(),
            (self.y + f64::from(row) * self.pitch.1 + 0.5).floor(),
            self.look.size.0,
            self.look.size.1,
        )
    }

    /// The cell of a GPU; of the node, if GPUs have none.
    pub(super) fn cell(&self, node: u32, gpu: u32) -> Rect {
        Self::cell_of(&self.look, &self.tile(node), gpu)
    }

    fn cell_of(look: &Look, tile: &Rect, gpu: u32) -> Rect {
        if look.detail == Detail::Density {
            return *tile;
        }
        let (column, row) = (gpu % look.across, gpu / look.across);
        Rect::new(
            tile.x + f64::from(column) * (look.cell.0 + look.gap),
            tile.y + look.label + f64::from(row) * (look.cell.1 + look.gap),
            look.cell.0,
            look.cell.1,
        )
    }

    /// Calls `each` with the cell of every GPU in `mask`.
    pub(super) fn cells(&self, node: u32, mask: u64, mut each: impl FnMut(&Rect)) {
        let tile = self.tile(node);
        if self.look.detail == Detail::Density {
            each(&tile);
            return;
        }
        let mut rest = mask;
        while rest != 0 {
            each(&Self::cell_of(&self.look, &tile, rest.trailing_zeros()));
            rest &= rest - 1;
        }
    }

    /// The smallest rectangle around the cells of the GPUs in `mask`.
    pub(super) fn bounds(&self, node: u32, mask: u64) -> Rect {
        let mut bounds: Option<Rect> = None;
        self.cells(node, mask, |cell| {
            bounds = Some(bounds.map_or(*cell, |all| all.union(cell)))
        });
        bounds.unwrap_or_default()
    }

    /// The node whose tile is at a point, and the GPU if its cell is.
    pub(super) fn at(&self, x: f64, y: f64) -> Option<(u32, Option<u32>)> {
        let column = ((x - self.x) / self.pitch.0).floor();
        let row = ((y - self.y) / self.pitch.1).floor();
        if column < 0.0
            || row < 0.0
            || column >= f64::from(self.columns)
            || row >= f64::from(self.rows)
        {
            return None;
        }
        let node = row as u32 * self.columns + column as u32;
        if node >= self.nodes || !self.tile(node).contains(x, y) {
            return None;
        }
        let gpu = (0..64).take_while(|_| self.look.detail != Detail::Density);
        Some((
            node,
            gpu.into_iter()
                .find(|&gpu| self.cell(node, gpu).contains(x, y)),
        ))
    }

    /// The cells of a node's first `gpus` GPUs and the gaps between them, if they fill whole rows.
    pub(super) fn slab(&self, node: u32, gpus: u32) -> Option<Rect> {
        let is_full = gpus > 0 && gpus.is_multiple_of(self.look.across);
        is_full.then(|| self.cell(node, 0).union(&self.cell(node, gpus - 1)))
    }

    /// Whether any of a node's tile is inside `area`.
    pub(super) fn is_seen(&self, node: u32, area: &Rect) -> bool {
        let tile = self.tile(node);
        tile.right() > area.x
            && tile.x < area.right()
            && tile.bottom() > area.y
            && tile.y < area.bottom()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(a: &Rect, b: &Rect) -> bool {
        a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom()
    }

    /// Tiles of rows and columns next to each other do not overlap, cells lie inside their tile.
    fn check(grid: &Grid, gpus: u32, area: Option<&Rect>) {
        for node in 0..grid.nodes {
            let tile = grid.tile(node);
            assert!(tile.w >= 1.0 && tile.h >= 1.0, "{grid:?}");
            if let Some(area) = area {
                assert!(tile.x >= area.x && tile.y >= area.y, "{tile:?} {grid:?}");
                assert!(
                    tile.right() <= area.right() && tile.bottom() <= area.bottom(),
                    "{tile:?} {grid:?}"
                );
            }
            for next in [node + 1, node + grid.columns] {
                assert!(
                    next >= grid.nodes || !overlap(&tile, &grid.tile(next)),
                    "{grid:?}"
                );
            }
        }
        let tile = grid.tile(0);
        for gpu in 0..gpus {
            let cell = grid.cell(0, gpu);
            assert!(tile.contains(cell.x, cell.y), "{grid:?}");
            assert!(
                cell.right() <= tile.right() && cell.bottom() <= tile.bottom(),
                "{grid:?}"
            );
            if grid.look.detail != Detail::Density && gpu > 0 {
                assert!(!overlap(&cell, &grid.cell(0, gpu - 1)));
            }
        }
    }

    #[test]
    fn any_cluster_fits_any_canvas() {
        for (width, height) in [
            (200.0, 110.0),
            (390.0, 300.0),
            (640.0, 480.0),
            (1280.0, 90.0),
            (1900.0, 900.0),
        ] {
            for ratio in [1.0, 1.25, 2.0] {
                for nodes in (1..=64).chain((65..=4000).step_by(131)).chain([4000]) {
                    for gpus in [1, 4, 8, 16, 64] {
                        let (w, h): (f64, f64) = (width * ratio, height * ratio);
                        let tiling = Tiling::new(nodes, gpus, w.floor(), h.floor(), ratio);
                        let area = Rect::new(7.0, 9.0, w.floor(), h.floor());
                        check(&tiling.seen(&Plane::WHOLE, 7.0, 9.0), gpus, Some(&area));
                    }
                }
            }
        }
    }

    #[test]
    fn zooming_shows_more_and_keeps_tiles_apart() {
        let tiling = Tiling::new(2000, 4, 600.0, 300.0, 1.0);
        let mut detail = tiling.look.detail;
        for scale in [1.3, 2.0, 3.7, 9.0, 16.0] {
            let grid = tiling.seen(
                &Plane {
                    scale: tiling.crisp(scale),
                    x: 31.0,
                    y: 17.4,
                },
                0.0,
                40.0,
            );
            check(&grid, 4, None);
            assert!(grid.look.detail >= detail);
            detail = grid.look.detail;
        }
        assert_eq!(detail, Detail::Labelled);
    }

    #[test]
    fn points_find_the_cell_that_is_drawn_there() {
        for (nodes, gpus) in [(8, 4), (144, 8), (700, 3)] {
            let tiling = Tiling::new(nodes, gpus, 800.0, 500.0, 2.0);
            let grid = tiling.seen(&Plane::WHOLE.zoomed(100.0, 100.0, 1.7), 3.0, 40.0);
            for node in (0..nodes).step_by(7) {
                for gpu in 0..gpus {
                    let cell = grid.cell(node, gpu);
                    let found = grid.at(cell.x + cell.w / 2.0, cell.y + cell.h / 2.0);
                    let whole = grid.look.detail == Detail::Density;
                    assert_eq!(found, Some((node, (!whole).then_some(gpu))));
                }
            }
            assert_eq!(grid.at(-500.0, 0.0), None);
        }
    }
}
