//! How nodes are laid out as tiles, and where tiles and their cells are seen. Everything is in whole
//! device pixels, so that edges are crisp and gaps are even.

use super::look::{self, Detail, Look};
use crate::draw::space::{Device, Point, Ratio, Rect, Size, World};
use crate::draw::viewport::Plane;
use switchyard::cluster::Gpus;

/// The part of the largest cell that a cell must be to show nearly as much.
const NEARLY: f64 = 0.84;

/// A grid of nodes that fits into an area.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tiling {
    nodes: u32,
    columns: u32,
    rows: u32,
    /// From one tile's corner to the next one's.
    pitch: Size<World>,
    largest_node: u32,
    ratio: Ratio,
    /// The look at scale 1.
    look: Look,
}

impl Tiling {
    /// The grid of `nodes` tiles in a room that shows the most of each. Of those that show nearly as
    /// much, the flattest: what is below has more room.
    pub(super) fn new(nodes: u32, largest_node: u32, room: Size<World>, ratio: Ratio) -> Self {
        let mut grids: Vec<Self> = Vec::new();
        let largest_cell = ratio.px(look::LARGEST_CELL);
        let mut columns = 1;
        loop {
            let rows = nodes.div_ceil(columns);
            let pitch = Size::new(
                (room.w / f64::from(columns)).floor(),
                (room.h / f64::from(rows)).floor(),
            );
            let look = Look::new(Plane::WHOLE.size(pitch), largest_node, ratio, largest_cell);
            grids.push(Self {
                nodes,
                largest_node,
                ratio,
                columns,
                rows,
                pitch,
                look,
            });
            if rows == 1 {
                break;
            }
            // The next width that saves a row: those between only waste room.
            columns = nodes.div_ceil(rows - 1);
        }
        let ranks = grids.iter().map(|grid| grid.look.rank());
        let (detail, cell) = ranks.fold((Detail::Density, 0.0), |best, rank| {
            if rank > best { rank } else { best }
        });
        let is_near = |grid: &Self| {
            let near = if detail == Detail::Density {
                cell
            } else {
                NEARLY * cell
            };
            grid.look.detail == detail && grid.look.rank().1 >= near
        };
        // Tall tiles make tall blocks, which leave gaps on the platform.
        let is_flat = |grid: &&Self| grid.look.across >= largest_node.div_ceil(grid.look.across);
        let near = || grids.iter().rev().filter(|grid| is_near(grid));
        let best = near().find(is_flat).or_else(|| near().next());
        let mut best = best.cloned().unwrap_or_default();
        best.close_up();
        best
    }

    /// Takes out what room the tiles leave between them beyond a gap that looks even.
    fn close_up(&mut self) {
        if self.look.detail == Detail::Density {
            return;
        }
        let gap = match self.look.detail {
            Detail::Labelled => self.ratio.px(14.0),
            _ => self.ratio.px(4.0),
        };
        self.pitch.w = self.pitch.w.min(self.look.size.w + gap);
        self.pitch.h = self.pitch.h.min(self.look.size.h + gap);
    }

    /// The grid as seen through `plane`, the window's upper left corner at `corner`.
    pub(super) fn seen(&self, plane: &Plane, corner: Point<Device>) -> Grid {
        let pitch = plane.size(self.pitch);
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
            origin: plane.origin(corner),
        }
    }

    /// Whether a node is one cell.
    pub(super) fn is_dense(&self) -> bool {
        self.look.detail == Detail::Density
    }

    /// How a tile looks at scale 1.
    pub(super) fn look(&self) -> &Look {
        &self.look
    }

    /// The size of the whole grid.
    pub(super) fn extent(&self) -> Size<World> {
        Size::new(
            self.pitch.w * f64::from(self.columns),
            self.pitch.h * f64::from(self.rows),
        )
    }

    /// From one tile's corner to the next one's.
    pub(super) fn pitch(&self) -> Size<World> {
        self.pitch
    }

    /// How far zooming makes sense: until a few nodes fill the area.
    pub(super) fn largest_scale(&self, area: &Rect) -> f64 {
        (area.w / (2.0 * self.pitch.w))
            .min(area.h / (1.5 * self.pitch.h))
            .max(1.0)
    }

    /// The scale next to `scale` at which tiles are whole pixels apart.
    pub(super) fn crisp(&self, scale: f64) -> f64 {
        ((scale * self.pitch.w).round() / self.pitch.w).max(1.0)
    }

    /// The middle of a node's tile.
    pub(super) fn middle(&self, node: u32) -> Point<World> {
        let (column, row) = (node % self.columns, node / self.columns);
        Point::new(
            (f64::from(column) + 0.5) * self.pitch.w,
            (f64::from(row) + 0.5) * self.pitch.h,
        )
    }
}

/// A [`Tiling`] on the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    nodes: u32,
    columns: u32,
    rows: u32,
    pitch: Size<Device>,
    pub(super) look: Look,
    /// The first tile's corner.
    origin: Point<Device>,
}

impl Grid {
    /// A node's tile, label and all.
    pub(super) fn tile(&self, node: u32) -> Rect {
        let (column, row) = (node % self.columns, node / self.columns);
        Rect::new(
            (self.origin.x + f64::from(column) * self.pitch.w + 0.5).floor(),
            (self.origin.y + f64::from(row) * self.pitch.h + 0.5).floor(),
            self.look.size.w,
            self.look.size.h,
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
            tile.x + f64::from(column) * (look.cell.w + look.gap),
            tile.y + look.label + f64::from(row) * (look.cell.h + look.gap),
            look.cell.w,
            look.cell.h,
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

    /// Calls `each` with the cells of all these GPUs whose node is seen in `area`.
    pub(super) fn cells_of(&self, gpus: &[Gpus], area: &Rect, mut each: impl FnMut(&Rect)) {
        for part in gpus.iter().filter(|part| self.is_seen(part.node, area)) {
            self.cells(part.node, part.mask, &mut each);
        }
    }

    /// Calls `each` with what lies between neighbouring cells of all these GPUs whose node is seen in
    /// `area`.
    pub(super) fn joints_of(&self, gpus: &[Gpus], area: &Rect, mut each: impl FnMut(&Rect)) {
        let look = &self.look;
        if look.detail == Detail::Density || look.gap < 1.0 {
            return;
        }
        for part in gpus.iter().filter(|part| self.is_seen(part.node, area)) {
            let tile = self.tile(part.node);
            let holds = |gpu: u32| gpu < 64 && part.mask >> gpu & 1 == 1;
            for gpu in (0..64).filter(|&gpu| holds(gpu)) {
                let cell = Self::cell_of(look, &tile, gpu);
                if (gpu + 1) % look.across != 0 && holds(gpu + 1) {
                    let (x, w) = (cell.right(), look.gap);
                    each(&Rect { x, w, ..cell });
                }
                if holds(gpu + look.across) {
                    let (y, h) = (cell.bottom(), look.gap);
                    each(&Rect { y, h, ..cell });
                }
            }
        }
    }

    /// Around the cells side by side that the first of the GPUs in `mask` begins.
    pub(super) fn first_row(&self, node: u32, mask: u64) -> Rect {
        let first = mask.trailing_zeros().min(63);
        let end = (first / self.look.across + 1) * self.look.across;
        let holds = |&gpu: &u32| gpu < 64 && mask >> gpu & 1 == 1;
        let last = (first..end).take_while(holds).last().unwrap_or(first);
        self.cell(node, first).union(&self.cell(node, last))
    }

    /// The smallest rectangle around the cells of the GPUs in `mask`.
    pub(super) fn bounds(&self, node: u32, mask: u64) -> Rect {
        let mut bounds: Option<Rect> = None;
        self.cells(node, mask, |cell| {
            bounds = Some(bounds.map_or(*cell, |all| all.union(cell)))
        });
        bounds.unwrap_or_default()
    }

    /// The node whose tile is at a place, and the GPU if its cell is.
    pub(super) fn at(&self, at: Point<Device>) -> Option<(u32, Option<u32>)> {
        let column = ((at.x - self.origin.x) / self.pitch.w).floor();
        let row = ((at.y - self.origin.y) / self.pitch.h).floor();
        if column < 0.0
            || row < 0.0
            || column >= f64::from(self.columns)
            || row >= f64::from(self.rows)
        {
            return None;
        }
        let node = row as u32 * self.columns + column as u32;
        if node >= self.nodes || !self.tile(node).contains(at) {
            return None;
        }
        let gpu = (0..64).take_while(|_| self.look.detail != Detail::Density);
        Some((
            node,
            gpu.into_iter()
                .find(|&gpu| self.cell(node, gpu).contains(at)),
        ))
    }

    /// The cells of a node's first `gpus` GPUs and the gaps between them, if they fill whole rows.
    pub(super) fn slab(&self, node: u32, gpus: u32) -> Option<Rect> {
        let is_full = gpus > 0 && gpus.is_multiple_of(self.look.across);
        is_full.then(|| self.cell(node, 0).union(&self.cell(node, gpus - 1)))
    }

    /// Whether any of a node's tile is inside `area`.
    pub(super) fn is_seen(&self, node: u32, area: &Rect) -> bool {
        self.tile(node).overlaps(area)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
                    next >= grid.nodes || !tile.overlaps(&grid.tile(next)),
                    "{grid:?}"
                );
            }
        }
        let tile = grid.tile(0);
        for gpu in 0..gpus {
            let cell = grid.cell(0, gpu);
            assert!(tile.contains(cell.corner()), "{grid:?}");
            assert!(
                cell.right() <= tile.right() && cell.bottom() <= tile.bottom(),
                "{grid:?}"
            );
            if grid.look.detail != Detail::Density && gpu > 0 {
                assert!(!cell.overlaps(&grid.cell(0, gpu - 1)));
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
                        let room = Size::new(w.floor(), h.floor());
                        let tiling = Tiling::new(nodes, gpus, room, Ratio(ratio));
                        let area = Rect::new(7.0, 9.0, w.floor(), h.floor());
                        check(
                            &tiling.seen(&Plane::WHOLE, area.corner()),
                            gpus,
                            Some(&area),
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn zooming_shows_more_and_keeps_tiles_apart() {
        let tiling = Tiling::new(2000, 4, Size::new(600.0, 300.0), Ratio(1.0));
        let mut detail = tiling.look.detail;
        for scale in [1.3, 2.0, 3.7, 9.0, 16.0] {
            let grid = tiling.seen(
                &Plane {
                    scale: tiling.crisp(scale),
                    x: 31.0,
                    y: 17.4,
                },
                Point::new(0.0, 40.0),
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
            let tiling = Tiling::new(nodes, gpus, Size::new(800.0, 500.0), Ratio(2.0));
            let (about, corner) = (Point::new(103.0, 140.0), Point::new(3.0, 40.0));
            let grid = tiling.seen(&Plane::WHOLE.zoomed(about, corner, 1.7), corner);
            for node in (0..nodes).step_by(7) {
                for gpu in 0..gpus {
                    let cell = grid.cell(node, gpu);
                    let found = grid.at(cell.middle());
                    let whole = grid.look.detail == Detail::Density;
                    assert_eq!(found, Some((node, (!whole).then_some(gpu))));
                }
            }
            assert_eq!(grid.at(Point::new(-500.0, 0.0)), None);
        }
    }
}
