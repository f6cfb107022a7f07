//! How nodes are laid out as tiles, section by section of the [`Floor`]; [`Grid`]: where tiles and their
//! cells are seen. Everything is in whole device pixels, so that edges are crisp and gaps are even.

mod grid;

pub(super) use grid::Grid;

use super::floor::Floor;
use super::look::{self, Detail, Inside, LinkLines, TileLook};
use crate::draw::space::{Point, Ratio, Rect, Size, World};
use crate::draw::viewport::Plane;

/// The part of the largest cell that a cell must be to show nearly as much.
const NEARLY: f64 = 0.84;
/// CSS pixels below which a node, and below which a rack, says nothing of its own.
const LEAST_TILE: f64 = 4.0;

/// All nodes, laid out to fit into an area.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tiling {
    /// From one tile's corner to the next one's.
    pitch: Size<World>,
    inside: Inside,
    ratio: Ratio,
    /// The look at scale 1.
    look: TileLook,
    /// By node.
    corners: Vec<Point<World>>,
    /// By section and by hall: the frame around all of its tiles, name and all.
    sections: Vec<Rect<World>>,
    halls: Vec<Rect<World>>,
    /// By node and by section: what it is in.
    section_of: Vec<u32>,
    hall_of: Vec<u32>,
    trim: Trim,
    extent: Size<World>,
    /// Tiles side by side in a section.
    across: u32,
}

/// Room around sections.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Trim {
    /// Above a section's tiles, for its name, and above a hall's.
    pub(super) head: f64,
    pub(super) hall: f64,
    /// At the top of both, for the line of its link.
    pub(super) link: f64,
    /// Around a section's tiles, between sections, and around those of a hall.
    pad: f64,
    gap: f64,
    ring: f64,
    /// Left of a hall's sections, for its number where its name has no room.
    pub(super) aside: f64,
}

/// How sections stand: so many tiles across in each, so many of them side by side.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    across: u32,
    beside: u32,
}

/// Sections side by side.
struct Band {
    hall: u32,
    first: usize,
    sections: usize,
    rows: u32,
}

impl Shape {
    fn bands(&self, floor: &Floor) -> Vec<Band> {
        let mut bands: Vec<Band> = Vec::new();
        for (at, section) in floor.sections.iter().enumerate() {
            let rows = (section.nodes.len() as u32).div_ceil(self.across.max(1));
            match bands.last_mut() {
                Some(band) if band.hall == section.hall && band.sections < self.beside as usize => {
                    band.sections += 1;
                    band.rows = band.rows.max(rows);
                }
                _ => bands.push(Band {
                    hall: section.hall,
                    first: at,
                    sections: 1,
                    rows,
                }),
            }
        }
        bands
    }
}

/// Numbers of columns for `of` things: each saves a row, those between only waste room.
fn columns(of: u32) -> impl Iterator<Item = u32> {
    let next = move |&columns: &u32| {
        let rows = of.div_ceil(columns);
        (rows > 1).then(|| of.div_ceil(rows - 1))
    };
    std::iter::successors(Some(1), next)
}

impl Tiling {
    /// Tiles in a room that shows the most of each. Of those that show nearly as much, the flattest:
    /// what is below has more room.
    pub(super) fn new(floor: &Floor, inside: Inside, room: Size<World>, ratio: Ratio) -> Self {
        let css = |length: f64| ratio.px(length);
        let link = |height: f64| {
            let is_drawn = inside.lines != LinkLines::None && floor.is_of_racks;
            if is_drawn { css(height) } else { 0.0 }
        };
        let wide = Trim {
            head: css(15.0),
            hall: css(18.0),
            link: link(5.0),
            pad: css(5.0),
            gap: css(6.0),
            ring: css(6.0),
            aside: 0.0,
        };
        // Partitions are named where racks are too many for it.
        let middle = Trim {
            head: 0.0,
            link: link(3.0),
            pad: css(2.0),
            gap: css(3.0),
            ring: css(3.0),
            ..wide
        };
        let slim = Trim {
            hall: css(2.0),
            ring: css(2.0),
            aside: css(13.0),
            ..middle
        };
        let least = Trim {
            hall: 0.0,
            pad: 0.0,
            gap: css(1.0),
            ring: 0.0,
            ..slim
        };
        let trims: &[Trim] = if floor.is_framed() {
            &[wide, middle, slim, least]
        } else {
            &[Trim::default()]
        };
        let mut best = Self::default();
        for &trim in trims {
            let trim = if floor.halls.len() > 1 {
                let hall = trim.hall + trim.link;
                Trim { hall, ..trim }
            } else {
                let (hall, ring, aside) = (0.0, 0.0, 0.0);
                Trim {
                    hall,
                    ring,
                    aside,
                    ..trim
                }
            };
            best = Self::with(floor, inside, room, ratio, trim);
            if best.look.detail >= Detail::Cells || best.look.rank().1 >= css(LEAST_TILE) {
                break;
            }
        }
        best
    }

    fn with(floor: &Floor, inside: Inside, room: Size<World>, ratio: Ratio, trim: Trim) -> Self {
        let above_tiles = trim.link + trim.head + 2.0 * trim.pad;
        let largest_cell = ratio.px(look::LARGEST_CELL);
        let most = |counts: &mut dyn Iterator<Item = usize>| counts.max().unwrap_or(0) as u32;
        let nodes = most(&mut floor.sections.iter().map(|section| section.nodes.len()));
        let in_hall = |hall: u32| {
            floor
                .sections
                .iter()
                .filter(move |of| of.hall == hall)
                .count()
        };
        let sections = most(&mut (0..floor.halls.len() as u32).map(in_hall));
        let halls = floor.halls.len() as f64;
        let mut found: Vec<(Shape, Size<World>, TileLook, f64)> = Vec::new();
        for beside in columns(sections) {
            for across in columns(nodes) {
                let shape = Shape { across, beside };
                let bands = shape.bands(floor);
                let rows: u32 = bands.iter().map(|band| band.rows).sum();
                let sides = f64::from(beside) * (2.0 * trim.pad + trim.gap) - trim.gap
                    + 2.0 * trim.ring
                    + trim.aside;
                let above = bands.len() as f64 * (above_tiles + trim.gap) - trim.gap
                    + halls * (trim.hall + trim.ring);
                let pitch = Size::new(
                    ((room.w - sides) / f64::from(beside * across)).floor(),
                    ((room.h - above) / f64::from(rows)).floor(),
                );
                if pitch.w >= 1.0 && pitch.h >= 1.0 {
                    let look = TileLook::new(Plane::WHOLE.size(pitch), inside, ratio, largest_cell);
                    let pitch = closed_up(pitch, &look, ratio);
                    let height = above + f64::from(rows) * pitch.h;
                    found.push((shape, pitch, look, height));
                }
            }
        }
        let ranks = found.iter().map(|(_, _, look, _)| look.rank());
        let (detail, cell) = ranks.fold((Detail::Density, 0.0), |best, rank| {
            if rank > best { rank } else { best }
        });
        let near = if detail == Detail::Density {
            cell
        } else {
            NEARLY * cell
        };
        let is_near = |look: &TileLook| look.detail == detail && look.rank().1 >= near;
        // Tall tiles make tall blocks, which leave gaps on the platform.
        let is_tall = |look: &TileLook| look.across < inside.gpus.div_ceil(look.across.max(1));
        let found = found.into_iter().filter(|(_, _, look, _)| is_near(look));
        let best = found.min_by(|(_, _, a, high), (_, _, b, low)| {
            is_tall(a).cmp(&is_tall(b)).then(high.total_cmp(low))
        });
        let Some((shape, pitch, look, _)) = best else {
            return Self::default();
        };
        let tiling = Self {
            pitch,
            inside,
            ratio,
            look,
            trim,
            ..Self::default()
        };
        tiling.placed(floor, shape)
    }

    /// With every node and section in its place.
    fn placed(mut self, floor: &Floor, shape: Shape) -> Self {
        let Trim {
            head,
            hall,
            link,
            pad,
            gap,
            ring,
            aside,
        } = self.trim;
        let Size { w, h, .. } = self.pitch;
        self.across = shape.across;
        self.corners = vec![Point::default(); floor.of_node.len()];
        self.section_of = floor.of_node.iter().map(|&(section, _)| section).collect();
        self.hall_of = floor.sections.iter().map(|section| section.hall).collect();
        let mut halls: Vec<Option<Rect<World>>> = vec![None; floor.halls.len()];
        let box_w = f64::from(shape.across) * w + 2.0 * pad;
        let (mut y, mut last) = (0.0, None);
        for band in shape.bands(floor) {
            if last != Some(band.hall) {
                y += if last.is_some() { ring + hall } else { hall };
                last = Some(band.hall);
            }
            let box_h = link + head + 2.0 * pad + f64::from(band.rows) * h;
            let sections = &floor.sections[band.first..][..band.sections];
            for (at, section) in sections.iter().enumerate() {
                let x = ring + aside + at as f64 * (box_w + gap);
                let (left, top) = (x + pad, y + link + head + pad);
                for (place, &node) in (0..).zip(&section.nodes) {
                    let (column, row) = (place % shape.across, place / shape.across);
                    self.corners[node as usize] =
                        Point::new(left + f64::from(column) * w, top + f64::from(row) * h);
                }
                let area = Rect::new(x, y, box_w, box_h);
                self.sections.push(area);
                let around = &mut halls[band.hall as usize];
                *around = Some(around.map_or(area, |all| all.union(&area)));
                self.extent.w = self.extent.w.max(area.right() + ring);
            }
            y += box_h + gap;
        }
        self.extent.h = y - gap + ring;
        let framed = |of: Option<Rect<World>>| {
            let around = of.unwrap_or_default();
            Rect {
                x: around.x - ring - aside,
                y: around.y - hall,
                w: around.w + 2.0 * ring + aside,
                h: around.h + hall + ring,
                ..around
            }
        };
        self.halls = halls.into_iter().map(framed).collect();
        self
    }

    /// Whether a node is one cell.
    pub(super) fn is_dense(&self) -> bool {
        self.look.detail == Detail::Density
    }

    /// Whether there is room for nodes' numbers.
    pub(super) fn is_labelled(&self) -> bool {
        self.look.detail == Detail::Labelled
    }

    /// How a tile looks at scale 1.
    pub(super) fn look(&self) -> &TileLook {
        &self.look
    }

    /// The size of all of it.
    pub(super) fn extent(&self) -> Size<World> {
        self.extent
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
        let corner = self.corners.get(node as usize).copied().unwrap_or_default();
        Point::new(corner.x + self.pitch.w / 2.0, corner.y + self.pitch.h / 2.0)
    }
}

/// Without what room the tiles leave between them beyond a gap that looks even.
fn closed_up(pitch: Size<World>, look: &TileLook, ratio: Ratio) -> Size<World> {
    // Below, the next one's number is a gap of its own.
    let (beside, below) = match look.detail {
        Detail::Density => return pitch,
        Detail::Labelled => (ratio.px(14.0), ratio.px(8.0)),
        Detail::Cells => (ratio.px(4.0), ratio.px(4.0)),
    };
    Size::new(
        pitch.w.min(look.size.w + beside),
        pitch.h.min(look.size.h + below),
    )
}

#[cfg(test)]
mod tests;
