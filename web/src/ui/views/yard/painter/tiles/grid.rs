//! A tiling on the screen: where tiles, cells and frames are seen.

use super::super::look::{Detail, TileLook};
use super::{LEAST_TILE, Tiling, Trim};
use crate::bands::Band;
use crate::draw::space::{Device, Point, Rect, World};
use crate::draw::viewport::Plane;
use crate::stage::StageRun;
use switchyard::cluster::Gpus;

const LEAST_RACK: f64 = 6.0;
/// More cells than these nobody tells apart, and no frame has the time to paint.
pub(super) const MOST_CELLS: usize = 6_000;

/// What is one cell where GPUs have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Node,
    /// So many nodes by so many, side by side.
    Patch(u32),
    Section,
    Hall,
}

/// A [`Tiling`] on the screen.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Grid<'t> {
    pub(super) tiling: &'t Tiling,
    pub(super) scale: f64,
    pub(in super::super) look: TileLook,
    pub(super) unit: Unit,
    /// The first tile's corner.
    pub(super) origin: Point<Device>,
}

impl Tiling {
    /// The grid as seen through `plane`, the window's upper left corner at `corner`.
    pub(in super::super) fn seen(&self, plane: &Plane, corner: Point<Device>) -> Grid<'_> {
        let look = if plane.scale == 1.0 {
            self.look
        } else {
            let pitch = plane.size(self.pitch);
            let largest = f64::INFINITY;
            TileLook::new(pitch, self.inside, self.ratio, largest)
        };
        let mut grid = Grid {
            tiling: self,
            scale: plane.scale,
            look,
            unit: Unit::Node,
            origin: plane.origin(corner),
        };
        let least = |css: f64| self.ratio.exact(css);
        let is_less = |area: Rect, css: f64| area.w.min(area.h) < least(css);
        let size = look.size;
        if self.sections.len() > 1 && is_less(Rect::new(0.0, 0.0, size.w, size.h), LEAST_TILE) {
            let rack = grid.section(0);
            grid.unit = if self.halls.len() > 1 && is_less(rack, LEAST_RACK) {
                Unit::Hall
            } else {
                Unit::Section
            };
        }
        let nodes = self.corners.len();
        if self.sections.len() == 1 && look.detail == Detail::Density && nodes > MOST_CELLS {
            // As many as are seen of them: zooming in shows them one by one.
            let seen = nodes as f64 / (plane.scale * plane.scale);
            let side = (seen / MOST_CELLS as f64).sqrt().ceil() as u32;
            grid.unit = match side {
                0 | 1 => Unit::Node,
                _ => Unit::Patch(side),
            };
        }
        grid
    }
}

impl Grid<'_> {
    /// A node's tile, label and all.
    pub(in super::super) fn tile(&self, node: u32) -> Rect {
        let corner = self.tiling.corners.get(node as usize);
        let Point { x, y, .. } = corner.copied().unwrap_or_default();
        Rect::new(
            (self.origin.x + x * self.scale + 0.5).floor(),
            (self.origin.y + y * self.scale + 0.5).floor(),
            self.look.size.w,
            self.look.size.h,
        )
    }

    fn on_screen(&self, area: &Rect<World>) -> Rect {
        let left = (self.origin.x + area.x * self.scale + 0.5).floor();
        let top = (self.origin.y + area.y * self.scale + 0.5).floor();
        let right = (self.origin.x + area.right() * self.scale + 0.5).floor();
        let bottom = (self.origin.y + area.bottom() * self.scale + 0.5).floor();
        Rect::new(left, top, right - left, bottom - top)
    }

    /// Around a section's tiles.
    pub(in super::super) fn section(&self, section: usize) -> Rect {
        let area = self.tiling.sections.get(section).copied();
        self.on_screen(&area.unwrap_or_default())
    }

    /// Around a hall's sections, name and all.
    pub(in super::super) fn hall(&self, hall: usize) -> Rect {
        let area = self.tiling.halls.get(hall).copied();
        self.on_screen(&area.unwrap_or_default())
    }

    /// The room for names.
    pub(in super::super) fn trim(&self) -> Trim {
        self.tiling.trim
    }

    /// Whether GPUs have no cells of their own.
    pub(in super::super) fn is_one_cell(&self) -> bool {
        self.look.detail == Detail::Density
    }

    /// Whether sections, or halls, are one cell each, because nodes are too small to be seen.
    pub(in super::super) fn is_merged(&self) -> bool {
        self.unit != Unit::Node
    }

    /// How many things there are that are one cell.
    pub(in super::super) fn units(&self) -> usize {
        match self.unit {
            Unit::Node => self.tiling.corners.len(),
            Unit::Patch(side) => {
                let rows = self.nodes().div_ceil(self.tiling.across.max(1));
                (self.patches_across(side) * rows.div_ceil(side)) as usize
            }
            Unit::Section => self.tiling.sections.len(),
            Unit::Hall => self.tiling.halls.len(),
        }
    }

    fn nodes(&self) -> u32 {
        self.tiling.corners.len() as u32
    }

    fn patches_across(&self, side: u32) -> u32 {
        self.tiling.across.min(self.nodes()).div_ceil(side)
    }

    /// What a node belongs to that is one cell.
    pub(in super::super) fn unit_of(&self, node: u32) -> u32 {
        let of = |table: &[u32], at: u32| table.get(at as usize).copied().unwrap_or(0);
        let section = || of(&self.tiling.section_of, node);
        match self.unit {
            Unit::Node => node,
            Unit::Patch(side) => {
                let across = self.tiling.across.max(1);
                let (column, row) = (node % across, node / across);
                row / side * self.patches_across(side) + column / side
            }
            Unit::Section => section(),
            Unit::Hall => of(&self.tiling.hall_of, section()),
        }
    }

    /// Where that is.
    pub(in super::super) fn unit(&self, unit: u32) -> Rect {
        match self.unit {
            Unit::Node => self.tile(unit),
            Unit::Patch(side) => {
                let patches = self.patches_across(side).max(1);
                let across = self.tiling.across.max(1);
                let (column, row) = (unit % patches * side, unit / patches * side);
                let (right, below) = ((column + side).min(across) - 1, row + side - 1);
                let rows = self.nodes().div_ceil(across);
                let first = self.tile(row * across + column);
                // The last row need not be full.
                let last = self.tile(below.min(rows.saturating_sub(1)) * across);
                let right = self.tile(right).right();
                let (w, h) = (right - first.x, last.bottom() - first.y);
                Rect { w, h, ..first }
            }
            Unit::Section => self.section(unit as usize),
            Unit::Hall => self.hall(unit as usize),
        }
    }

    /// The cell of a GPU; of the node, if GPUs have none.
    pub(in super::super) fn cell(&self, node: u32, gpu: u32) -> Rect {
        Self::cell_of(&self.look, &self.tile(node), gpu)
    }

    fn cell_of(look: &TileLook, tile: &Rect, gpu: u32) -> Rect {
        if look.detail == Detail::Density {
            return *tile;
        }
        let (column, row, group) = look.place(gpu);
        Rect::new(
            tile.x + f64::from(column) * (look.cell.w + look.gap) + f64::from(group) * look.split,
            tile.y + look.label + f64::from(row) * (look.cell.h + look.gap),
            look.cell.w,
            look.cell.h,
        )
    }

    /// Calls `each` with the cell of every GPU in `mask`.
    pub(in super::super) fn cells(&self, node: u32, mask: u64, mut each: impl FnMut(&Rect)) {
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
    pub(in super::super) fn cells_of(
        &self,
        gpus: &[Gpus],
        area: &Rect,
        mut each: impl FnMut(&Rect),
    ) {
        if self.is_merged() {
            let mut are = vec![false; self.units()];
            for part in gpus {
                if let Some(is) = are.get_mut(self.unit_of(part.node) as usize) {
                    *is = true;
                }
            }
            let units = (0..).zip(are).filter(|(_, is)| *is);
            return units.for_each(|(unit, _)| each(&self.unit(unit)));
        }
        for part in gpus.iter().filter(|part| self.is_seen(part.node, area)) {
            self.cells(part.node, part.mask, &mut each);
        }
    }

    /// Calls `each` with what a segment has of the cells of its GPUs seen in `area`.
    pub(in super::super) fn pieces(
        &self,
        run: &StageRun,
        segment: usize,
        area: &Rect,
        mut each: impl FnMut(&Rect),
    ) {
        let gpus = run.log.segment(segment).gpus;
        match run.bands.of(segment) {
            Some(bands) if self.look.detail != Detail::Density => {
                self.cells_of(gpus, area, |cell| {
                    bands.iter().for_each(|band| each(&piece(cell, band)));
                })
            }
            _ => self.cells_of(gpus, area, each),
        }
    }

    /// Calls `each` with what lies between neighbouring cells of all these GPUs whose node is seen in
    /// `area`.
    pub(in super::super) fn joints_of(
        &self,
        gpus: &[Gpus],
        area: &Rect,
        mut each: impl FnMut(&Rect),
    ) {
        let look = &self.look;
        if look.detail == Detail::Density || look.gap < 1.0 {
            return;
        }
        for part in gpus.iter().filter(|part| self.is_seen(part.node, area)) {
            let tile = self.tile(part.node);
            let holds = |gpu: u32| gpu < 64 && part.mask >> gpu & 1 == 1;
            for gpu in (0..64).filter(|&gpu| holds(gpu)) {
                let cell = Self::cell_of(look, &tile, gpu);
                let (column, row, group) = look.place(gpu);
                let (next, below) = (look.place(gpu + 1), look.place(gpu + look.row));
                if next.0 == column + 1 && next.1 == row && holds(gpu + 1) {
                    let x = cell.right();
                    let w = look.gap + f64::from(next.2 - group) * look.split;
                    each(&Rect { x, w, ..cell });
                }
                if below.2 == group && holds(gpu + look.row) {
                    let (y, h) = (cell.bottom(), look.gap);
                    each(&Rect { y, h, ..cell });
                }
            }
        }
    }

    /// Around the cells side by side that the first of the GPUs in `mask` begins.
    pub(in super::super) fn first_row(&self, node: u32, mask: u64) -> Rect {
        let first = mask.trailing_zeros().min(63);
        let row = self.look.place(first).1;
        let holds = |&gpu: &u32| gpu < 64 && mask >> gpu & 1 == 1 && self.look.place(gpu).1 == row;
        let last = (first..64).take_while(holds).last().unwrap_or(first);
        self.cell(node, first).union(&self.cell(node, last))
    }

    /// The smallest rectangle around the cells of the GPUs in `mask`.
    pub(in super::super) fn bounds(&self, node: u32, mask: u64) -> Rect {
        let mut bounds: Option<Rect> = None;
        self.cells(node, mask, |cell| {
            bounds = Some(bounds.map_or(*cell, |all| all.union(cell)))
        });
        bounds.unwrap_or_default()
    }

    /// The node whose tile is at a place, and the GPU if its cell is.
    pub(in super::super) fn at(&self, at: Point<Device>) -> Option<(u32, Option<u32>)> {
        let is_at = |&node: &u32| self.tile(node).contains(at);
        let node = (0..self.tiling.corners.len() as u32).find(is_at)?;
        let gpu = (0..64).take_while(|_| self.look.detail != Detail::Density);
        Some((
            node,
            gpu.into_iter()
                .find(|&gpu| self.cell(node, gpu).contains(at)),
        ))
    }

    /// Calls `each` with the cells of each group of a node's first `gpus` GPUs and the gaps between
    /// them, if they fill whole rows; says whether they do.
    pub(in super::super) fn slabs(
        &self,
        node: u32,
        gpus: u32,
        mut each: impl FnMut(&Rect),
    ) -> bool {
        let TileLook { group, row, .. } = self.look;
        let size = group.min(gpus).max(1);
        let is_full = gpus > 0 && gpus.is_multiple_of(size) && size.is_multiple_of(row.max(1));
        if is_full {
            for first in (0..gpus).step_by(size as usize) {
                each(
                    &self
                        .cell(node, first)
                        .union(&self.cell(node, first + size - 1)),
                );
            }
        }
        is_full
    }

    /// Whether any of a node's tile is inside `area`.
    pub(in super::super) fn is_seen(&self, node: u32, area: &Rect) -> bool {
        self.tile(node).overlaps(area)
    }
}

/// A band of a cell, with a line between it and the one below where there is room for one.
fn piece(cell: &Rect, band: &Band) -> Rect {
    let above = |place: u32| (cell.h * f64::from(place) / 1000.0).round();
    let (bottom, top) = (above(band.from), above(band.to));
    let line = f64::from(u8::from(bottom > 0.0 && top - bottom >= 4.0));
    Rect {
        y: cell.bottom() - top,
        h: (top - bottom - line).max(1.0),
        ..*cell
    }
}
