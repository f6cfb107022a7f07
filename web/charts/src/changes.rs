//! What became of each job under two schedulers: a dot a job, its completion time in one run across and in the other
//! up, so that the diagonal is where nothing changed. On a canvas of the page, and as a picture for a paper.
//!
//! More than [`MANY`] dots would hide one another: of them it is shown how many there are in each cell of a
//! grid, and of which class most of them are. A trace of a hundred thousand jobs costs about as much as what
//! can be seen of it.

use crate::board::{Area, Board};
#[cfg(feature = "canvas")]
use crate::canvas::ChartCanvas;
use crate::colours::{self, ink};
use crate::frame::{Frame, title};
use crate::polyline::Polyline;
use crate::space::{Css, Point, Rect, Size};
use crate::stroke::Stroke;
use crate::svg::{ChartStyle, Paper, Svg};
use crate::units::{Drawn, fine, place};
use plotters::element::{Circle, Rectangle};
use plotters::style::Color;
use switchyard_app::figures::{Changes, Dot};

/// More dots than these are shown as how densely they lie.
pub const MANY: usize = 2_000;

/// A place where dots lie.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    at: Rect<Css>,
    /// The [category](colours::category) of most of them.
    category: u32,
    /// How much of it is seen: the more, the more dots there are, on a logarithm.
    alpha: f64,
}

/// The height of text on the page, CSS pixels.
const TEXT: f64 = 11.0;
/// Room for the labels of the axes on the page, CSS pixels. The last one across stands half beyond the plot.
const LEFT: f64 = 56.0;
const BELOW: f64 = 24.0;
const EDGE: f64 = 16.0;
/// The same in a picture for a paper, which has titles, too: heights of the text.
const LEFT_OF: f64 = 6.5;
const BELOW_OF: f64 = 3.4;
const EDGE_OF: f64 = 1.4;
const HEAD_OF: f64 = 1.8;
/// A dot's radius, CSS pixels and heights of the text.
#[cfg(any(test, feature = "canvas"))]
const RADIUS: f64 = 2.0;
const RADIUS_OF: f64 = 0.16;
/// The side of a cell where there are many, radii.
const CELL: f64 = 1.5;
/// How much is seen of a cell with one job, of a dot, and of what stands back.
const LEAST: f64 = 0.25;
const DOT: f64 = 0.8;
const FAINT: f64 = 0.18;
/// Dots of a class so near to one another are one, CSS pixels.
const SAME: f64 = 1.5;
/// How near the pointer must be to a dot.
const NEAR: f64 = 12.0;

/// Where the dots are, on a canvas of this size.
pub fn plot(size: Size<Css>) -> Rect<Css> {
    let (w, h) = (size.w - LEFT - EDGE, size.h - BELOW - EDGE);
    Rect::new(LEFT, EDGE, w.max(1.0), h.max(1.0))
}

/// A dot's middle.
pub fn middle(changes: &Changes, plot: &Rect<Css>, dot: &Dot) -> Point<Css> {
    place_of(changes, plot, [dot.there, dot.here])
}

/// Where two completion times meet: across and upwards.
pub fn place_of(changes: &Changes, plot: &Rect<Css>, times: [f64; 2]) -> Point<Css> {
    let [x, y] = times.map(|time| changes.axis.position(time));
    Point::new(plot.across(x), plot.upwards(y))
}

/// The completion times at a point of the plot: across and upwards.
pub fn times_at(changes: &Changes, plot: &Rect<Css>, at: Point<Css>) -> [f64; 2] {
    let parts = [(at.x - plot.x) / plot.w, (plot.bottom() - at.y) / plot.h];
    parts.map(|part| changes.axis.value(part.clamp(0.0, 1.0)))
}

/// How the dots look on the page, which has the titles of the axes beside them.
pub fn look(dark: bool) -> ChartStyle {
    ChartStyle {
        text: TEXT,
        titled: false,
        backed: false,
        ..ChartStyle::on_page(dark, None)
    }
}

/// Whether a dot is not faint.
pub type StandsOut<'a> = &'a dyn Fn(&Dot) -> bool;

/// Paints the dots; those that do not stand out are faint.
#[cfg(feature = "canvas")]
pub fn paint(changes: &Changes, canvas: &mut ChartCanvas, stands_out: StandsOut<'_>) {
    let (size, look) = (canvas.size, canvas.look);
    let picture = Picture {
        changes,
        size,
        look,
        plot: plot(size),
        radius: RADIUS,
        titles: [""; 2],
    };
    // A browser that refuses shows what it has drawn until then; the lists name the largest.
    let _ = picture.draw(&Board::Canvas(canvas).area(), stands_out);
}

/// The picture for a paper, as SVG text. `titles`: of the axis across and of the one upwards.
pub fn svg(
    changes: &Changes,
    paper: Paper,
    [across, up]: &[String; 2],
    stands_out: StandsOut<'_>,
) -> String {
    let (size, look) = (paper.size(1.0), paper.look());
    let em = |heights: f64| heights * look.text;
    let head = em(EDGE_OF + if look.titled { HEAD_OF } else { 0.0 });
    let (w, h) = (size.w - em(LEFT_OF + EDGE_OF), size.h - em(BELOW_OF) - head);
    let picture = Picture {
        changes,
        size,
        look,
        plot: Rect::new(em(LEFT_OF), head, w.max(1.0), h.max(1.0)),
        radius: em(RADIUS_OF),
        titles: [across, up],
    };
    let mut svg = Svg::new(size, look, &format!("{up} against {across}"));
    let drawn = picture.draw(&Board::Svg(&mut svg).area(), stands_out);
    debug_assert!(drawn.is_ok(), "text takes everything: {drawn:?}");
    svg.finish()
}

/// The dots at a size.
struct Picture<'a> {
    changes: &'a Changes,
    size: Size<Css>,
    look: ChartStyle,
    plot: Rect<Css>,
    /// Of a dot, CSS pixels.
    radius: f64,
    titles: [&'a str; 2],
}

impl Picture<'_> {
    fn draw(&self, area: &Area<'_>, stands_out: StandsOut<'_>) -> Drawn {
        let (changes, look) = (self.changes, self.look);
        if look.titled {
            title(area, look, "What changed, job by job")?;
        }
        let frame = Frame {
            plot: self.plot,
            size: self.size,
            look,
            axes: [&changes.axis; 2],
            titles: self.titles,
        };
        let mut chart = frame.draw(area)?;
        let ends = [0.0, 1.0].map(|part| changes.axis.value(part));
        let diagonal = Stroke::plain(ink(colours::chrome(look.dark).faint), look.text / 11.0);
        chart.draw_series([Polyline::new(ends.map(|time| (time, time)), diagonal)])?;
        for faint in [true, false] {
            let seen = if faint { FAINT } else { 1.0 };
            let is_shown = |dot: &&Dot| stands_out(dot) != faint;
            let mut dots = changes.dots.iter().filter(is_shown);
            if changes.dots.len() <= MANY {
                let radius = fine(self.radius).max(1);
                let alpha = if faint { FAINT } else { DOT };
                let circle = |dot: &Dot| {
                    let category = colours::class_category(dot.class);
                    let colour = ink(colours::category(category, look.dark)).mix(alpha);
                    Circle::new((dot.there, dot.here), radius, colour.filled())
                };
                chart.draw_series(self.apart(&mut dots).into_iter().map(circle))?;
                continue;
            }
            for cell in self.cells(CELL * self.radius, &mut dots) {
                let end = Point::new(cell.at.right(), cell.at.bottom());
                let colour = ink(colours::category(cell.category, look.dark));
                let alpha = (seen * cell.alpha * 20.0).round() / 20.0;
                let corners = [place(cell.at.corner()), place(end)];
                area.draw(&Rectangle::new(corners, colour.mix(alpha).filled()))?;
            }
        }
        Ok(())
    }

    /// Those dots that are not where the last of the same class was. A picture for a paper has all.
    fn apart<'d>(&self, dots: &mut dyn Iterator<Item = &'d Dot>) -> Vec<&'d Dot> {
        if self.look.keyed {
            return dots.collect();
        }
        let columns = (self.plot.w / SAME) as usize + 1;
        let rows = (self.plot.h / SAME) as usize + 1;
        let mut taken = vec![u32::MAX; columns * rows];
        let mut is_apart = |dot: &&Dot| {
            let at = middle(self.changes, &self.plot, dot);
            let column = ((at.x - self.plot.x) / SAME) as usize;
            let row = ((at.y - self.plot.y) / SAME) as usize;
            let category = colours::class_category(dot.class);
            let cell = taken.get_mut(row * columns + column);
            cell.is_some_and(|cell| std::mem::replace(cell, category) != category)
        };
        dots.filter(|dot| is_apart(dot)).collect()
    }

    /// How densely dots lie, by cells of a grid with this side: those in which there are some.
    fn cells(&self, side: f64, dots: &mut dyn Iterator<Item = &Dot>) -> Vec<Cell> {
        let plot = &self.plot;
        let columns = (plot.w / side) as usize + 1;
        let rows = (plot.h / side) as usize + 1;
        let mut counts = vec![[0u32; colours::CATEGORIES]; columns * rows];
        for dot in dots {
            let at = middle(self.changes, plot, dot);
            let (column, row) = ((at.x - plot.x) / side, (at.y - plot.y) / side);
            let category = colours::class_category(dot.class) as usize;
            if let Some(counts) = counts.get_mut(row as usize * columns + column as usize) {
                counts[category] += 1;
            }
        }
        let all = |counts: &[u32; colours::CATEGORIES]| counts.iter().sum::<u32>();
        let most = counts.iter().map(all).max().unwrap_or(0);
        let full = f64::from(most).ln_1p();
        let cells = counts.iter().enumerate();
        let cells = cells.filter(|(_, counts)| all(counts) > 0);
        let cell = |(index, counts): (usize, &[u32; colours::CATEGORIES])| {
            let (column, row) = ((index % columns) as f64, (index / columns) as f64);
            let largest = (0..)
                .zip(counts)
                .max_by_key(|&(category, jobs)| (jobs, std::cmp::Reverse::<u32>(category)));
            let (x, y) = (plot.x + column * side, plot.y + row * side);
            Cell {
                at: Rect::new(x, y, side, side),
                category: largest.map_or(0, |(category, _)| category),
                alpha: LEAST + (1.0 - LEAST) * f64::from(all(counts)).ln_1p() / full,
            }
        };
        cells.map(cell).collect()
    }
}

/// The dots by where they are, to find the one under the pointer.
#[derive(Debug, PartialEq)]
pub struct Places {
    plot: Rect<Css>,
    columns: usize,
    /// The first dot of each cell, and after each dot the next in its cell; `NONE` where there is none.
    first: Vec<u32>,
    next: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Places {
    /// Where the dots are on a canvas of this size.
    pub fn of(changes: &Changes, size: Size<Css>) -> Self {
        let plot = plot(size);
        let columns = (plot.w / NEAR) as usize + 1;
        let rows = (plot.h / NEAR) as usize + 1;
        let mut places = Self {
            plot,
            columns,
            first: vec![NONE; columns * rows],
            next: vec![NONE; changes.dots.len()],
        };
        for (index, dot) in changes.dots.iter().enumerate() {
            let at = middle(changes, &plot, dot);
            let cell =
                ((at.y - plot.y) / NEAR) as usize * columns + ((at.x - plot.x) / NEAR) as usize;
            if let Some(first) = places.first.get_mut(cell) {
                places.next[index] = std::mem::replace(first, index as u32);
            }
        }
        places
    }

    /// The dot nearest to a place, if any is near.
    pub fn at(&self, changes: &Changes, at: Point<Css>) -> Option<Dot> {
        let column = ((at.x - self.plot.x) / NEAR).floor() as i64;
        let row = ((at.y - self.plot.y) / NEAR).floor() as i64;
        let (mut best, mut least) = (None, NEAR);
        for y in row - 1..=row + 1 {
            for x in (column - 1).max(0)..=column + 1 {
                if y < 0 || x as usize >= self.columns {
                    continue;
                }
                let cell = y as usize * self.columns + x as usize;
                let mut dot = self.first.get(cell).copied().unwrap_or(NONE);
                while let Some(found) = changes.dots.get(dot as usize) {
                    let distance = middle(changes, &self.plot, found).distance(&at);
                    if distance < least {
                        (best, least) = (Some(*found), distance);
                    }
                    dot = self.next[dot as usize];
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::job::JobId;

    const SIZE: Size<Css> = Size::new(466.0, 434.0);

    fn changes() -> Changes {
        let there = [10.0, 100.0, f64::NAN, 1000.0, 50.0];
        let here = [100.0, 10.0, 5.0, 1000.0, 0.0];
        Changes::of(&there, &here, &|job| job.0).expect("three have finished in both")
    }

    #[test]
    fn what_did_not_change_is_on_the_diagonal_and_what_took_longer_above() {
        let (changes, plot) = (changes(), plot(SIZE));
        let from_diagonal = |dot: &Dot| {
            let at = middle(&changes, &plot, dot);
            (plot.bottom() - at.y) / plot.h - (at.x - plot.x) / plot.w
        };
        let shares: Vec<f64> = changes.dots.iter().map(from_diagonal).collect();
        assert!(shares[0] > 0.1 && shares[1] < -0.1, "{shares:?}");
        assert!(shares[2].abs() < 1e-9, "{shares:?}");
        for dot in &changes.dots {
            let [there, here] = times_at(&changes, &plot, middle(&changes, &plot, dot));
            assert!((there / dot.there - 1.0).abs() < 1e-9 && (here / dot.here - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn the_grid_finds_the_nearest_dot_and_nothing_far_from_all() {
        let (changes, plot) = (changes(), plot(SIZE));
        let places = Places::of(&changes, SIZE);
        for dot in &changes.dots {
            let at = middle(&changes, &plot, dot);
            let beside = Point::new(at.x + 7.0, at.y - 7.0);
            assert_eq!(places.at(&changes, beside), Some(*dot));
        }
        assert_eq!(places.at(&changes, Point::new(plot.x, plot.y)), None);
        assert_eq!(places.at(&changes, Point::new(-1e9, 1e9)), None);
    }

    #[test]
    fn many_dots_are_told_by_how_densely_they_lie_and_of_which_class_most_are() {
        // A thousand of class 0 and one of class 1 in one place, one of class 2 in another.
        let mut times = vec![100.0; 1001];
        times.push(10.0);
        let class = |job: JobId| [0, 1, 2][(job.0 as usize).saturating_sub(999).min(2)];
        let changes = &Changes::of(&times, &times, &class).expect("all have finished");
        let picture = Picture {
            changes,
            size: SIZE,
            look: look(false),
            plot: plot(SIZE),
            radius: RADIUS,
            titles: [""; 2],
        };
        let side = CELL * RADIUS;
        let cells = picture.cells(side, &mut changes.dots.iter());
        let seen: Vec<(u32, bool)> = cells
            .iter()
            .map(|cell| (cell.category, cell.alpha > 0.99))
            .collect();
        assert_eq!(seen, [(0, true), (2, false)]);
        assert!(cells[1].alpha >= LEAST);
        for (cell, dot) in cells.iter().zip([&changes.dots[0], &changes.dots[1001]]) {
            let at = middle(changes, &picture.plot, dot);
            assert!((0.0..=side).contains(&(at.x - cell.at.x)));
            assert!((0.0..=side).contains(&(at.y - cell.at.y)));
        }
        assert_eq!(picture.apart(&mut changes.dots.iter()).len(), 3);
    }

    #[test]
    fn many_dots_are_few_cells_in_the_picture_and_few_dots_are_all_there() {
        let titles = ["JCT under A".to_owned(), "JCT under <B>".to_owned()];
        let times: Vec<f64> = (0..50_000).map(|job| 60.0 + f64::from(job % 100)).collect();
        let many = Changes::of(&times, &times, &|_| 0).expect("all have finished");
        let picture = svg(&many, Paper::COLUMN, &titles, &|_| true);
        assert_eq!(picture.matches("<circle").count(), 0);
        assert!((10..=200).contains(&picture.matches("<rect").count()));
        let few = svg(&changes(), Paper::COLUMN, &titles, &|_| true);
        assert_eq!(few.matches("<circle").count(), 3, "{few}");
        assert!(few.contains("JCT under &lt;B>") && few.contains("width='3.5in'"));
    }
}
