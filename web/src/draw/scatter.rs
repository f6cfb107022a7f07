//! What became of each job under two schedulers: a dot a job, its completion time in one run across and
//! in the other up, both axes alike and logarithmic, so that the diagonal is where nothing changed. In:
//! two columns of completion times and each job's colour class. Out: the dots, which of them is under
//! the pointer, and the picture.
//!
//! More than [`MANY`] dots would hide one another: of them it is shown how many there are in each cell of a
//! grid, and of which class most of them are. A trace of a hundred thousand jobs costs about as much as what
//! can be seen of it. [`drawing`] has the same for paper.

mod drawing;

use super::format::duration;
use super::palette;
use super::space::{Css, Point, Ratio, Rect, Size};
use super::text::TYPEFACE;
use switchyard::job::JobId;
use web_sys::CanvasRenderingContext2d;

/// A job that has finished in both runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dot {
    /// The job.
    pub(crate) job: JobId,
    /// Its completion time in the run that others are compared with, seconds.
    pub(crate) there: f64,
    /// Its completion time in the other one.
    pub(crate) here: f64,
    /// Its colour class: see [`palette::job_class`].
    pub(crate) class: u32,
}

impl Dot {
    /// How many times as long it takes here.
    pub(crate) fn ratio(&self) -> f64 {
        self.here / self.there
    }
}

/// All dots, and what both axes reach from and to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scatter {
    /// The dots, in order of jobs.
    pub(crate) dots: Vec<Dot>,
    low: f64,
    high: f64,
}

/// More dots than these are shown as how densely they lie.
pub(crate) const MANY: usize = 2_000;

/// A place where dots lie.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    at: Rect<Css>,
    /// The [category](palette::category) of most of them.
    category: u32,
    /// How much of it is seen: the more, the more dots there are, on a logarithm.
    alpha: f64,
}

/// Room for the labels of the axes, CSS pixels.
const LEFT: f64 = 56.0;
const BELOW: f64 = 24.0;
const EDGE: f64 = 10.0;
/// The side of a dot.
const SIDE: f64 = 4.0;
/// The side of a cell where there are many.
const CELL: f64 = 3.0;
/// How much is seen of a cell with one job.
const LEAST: f64 = 0.25;
/// How near the pointer must be to a dot.
const NEAR: f64 = 12.0;
/// Labels of an axis are at least so far apart.
const APART: f64 = 52.0;

/// Spans that an axis may be labelled with, seconds.
const TICKS: [f64; 29] = [
    1e-3, 1e-2, 0.1, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 3600.0, 7200.0,
    18e3, 36e3, 86400.0, 172_800.0, 432e3, 864e3, 1_728e3, 432e4, 864e4, 1_728e4, 432e5, 864e5,
    864e6, 864e7,
];

impl Scatter {
    /// The jobs that have finished in both runs; `None` if there is none.
    pub(crate) fn of(there: &[f64], here: &[f64], class: &dyn Fn(JobId) -> u32) -> Option<Self> {
        let mut dots = Vec::new();
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for (job, (&there, &here)) in (0u32..).zip(there.iter().zip(here)) {
            // Neither what has not finished nor what took no time has a place on these axes.
            if there > 0.0 && here > 0.0 {
                let job = JobId(job);
                low = low.min(there).min(here);
                high = high.max(there).max(here);
                let class = class(job);
                dots.push(Dot {
                    job,
                    there,
                    here,
                    class,
                });
            }
        }
        let (low, high) = (low / 1.25, high * 1.25);
        (!dots.is_empty()).then_some(Self { dots, low, high })
    }

    /// Where the dots are, on a canvas of this size.
    pub(crate) fn plot(size: Size<Css>) -> Rect<Css> {
        let (w, h) = (size.w - LEFT - EDGE, size.h - BELOW - EDGE);
        Rect::new(LEFT, EDGE, w.max(1.0), h.max(1.0))
    }

    /// A span's place along an axis, from 0 to 1.
    fn share(&self, seconds: f64) -> f64 {
        (seconds / self.low).ln() / (self.high / self.low).ln()
    }

    /// A dot's middle.
    pub(crate) fn place(&self, plot: &Rect<Css>, dot: &Dot) -> Point<Css> {
        let (x, y) = (self.share(dot.there), self.share(dot.here));
        Point::new(plot.x + x * plot.w, plot.bottom() - y * plot.h)
    }

    /// The labels of an axis so long, and their places along it from 0 to 1.
    fn ticks(&self, length: f64) -> Vec<(f64, String)> {
        let mut ticks: Vec<(f64, String)> = Vec::new();
        for tick in TICKS {
            let at = self.share(tick);
            let is_free = |(last, _): &(f64, String)| (at - last) * length >= APART;
            if (0.0..=1.0).contains(&at) && ticks.last().is_none_or(is_free) {
                let label = match tick {
                    60.0 => "1 min".to_owned(),
                    3600.0 => "1 h".to_owned(),
                    86400.0 => "1 d".to_owned(),
                    _ => duration(tick),
                };
                ticks.push((at, label));
            }
        }
        ticks
    }

    /// Paints everything; jobs of other classes than the one that stands out are faint.
    pub(crate) fn paint(
        &self,
        context: &CanvasRenderingContext2d,
        (size, ratio): (Size<Css>, Ratio),
        dark: bool,
        lit: Option<u32>,
    ) {
        let chrome = palette::chrome(dark);
        let plot = Self::plot(size);
        context.save();
        // Cannot fail: the numbers are finite, here and below.
        let _ = context.set_transform(ratio.0, 0.0, 0.0, ratio.0, 0.0, 0.0);
        context.clear_rect(0.0, 0.0, size.w, size.h);
        context.set_font(&format!("11px {TYPEFACE}"));
        context.set_fill_style_str(chrome.line);
        context.fill_rect(plot.x, plot.bottom(), plot.w, 1.0);
        context.fill_rect(plot.x, plot.y, 1.0, plot.h);
        let (across, up) = (self.ticks(plot.w), self.ticks(plot.h));
        context.set_global_alpha(0.5);
        for (at, _) in &across {
            context.fill_rect(plot.x + at * plot.w, plot.y, 1.0, plot.h);
        }
        for (at, _) in &up {
            context.fill_rect(plot.x, plot.bottom() - at * plot.h, plot.w, 1.0);
        }
        context.set_global_alpha(1.0);
        context.set_fill_style_str(chrome.faint);
        context.set_text_align("center");
        for (at, label) in &across {
            let _ = context.fill_text(label, plot.x + at * plot.w, plot.bottom() + 15.0);
        }
        context.set_text_align("right");
        for (at, label) in &up {
            let _ = context.fill_text(label, plot.x - 6.0, plot.bottom() - at * plot.h + 4.0);
        }
        context.set_stroke_style_str(chrome.faint);
        context.begin_path();
        context.move_to(plot.x, plot.bottom());
        context.line_to(plot.right(), plot.y);
        context.stroke();
        for faint in [true, false] {
            context.set_global_alpha(if faint { 0.18 } else { 0.8 });
            let is_shown = |dot: &&Dot| lit.is_some_and(|lit| lit != dot.class) == faint;
            let mut dots = self.dots.iter().filter(is_shown);
            if self.dots.len() <= MANY {
                self.paint_dots(context, &plot, dark, &mut dots);
                continue;
            }
            for cell in self.cells(&plot, CELL, &mut dots) {
                context.set_fill_style_str(palette::category(cell.category, dark));
                context.set_global_alpha(if faint { 0.18 } else { 1.0 } * cell.alpha);
                context.fill_rect(cell.at.x, cell.at.y, cell.at.w, cell.at.h);
            }
        }
        context.restore();
    }

    /// How densely dots lie, by cells of a grid with this side: those in which there are some.
    fn cells(
        &self,
        plot: &Rect<Css>,
        side: f64,
        dots: &mut dyn Iterator<Item = &Dot>,
    ) -> Vec<Cell> {
        let columns = (plot.w / side) as usize + 1;
        let rows = (plot.h / side) as usize + 1;
        let mut counts = vec![[0u32; palette::CATEGORIES]; columns * rows];
        for dot in dots {
            let at = self.place(plot, dot);
            let (column, row) = ((at.x - plot.x) / side, (at.y - plot.y) / side);
            let category = palette::class_category(dot.class) as usize;
            if let Some(counts) = counts.get_mut(row as usize * columns + column as usize) {
                counts[category] += 1;
            }
        }
        let all = |counts: &[u32; palette::CATEGORIES]| counts.iter().sum::<u32>();
        let most = counts.iter().map(all).max().unwrap_or(0);
        let full = f64::from(most).ln_1p();
        let cells = counts.iter().enumerate();
        let cells = cells.filter(|(_, counts)| all(counts) > 0);
        let cell = |(index, counts): (usize, &[u32; palette::CATEGORIES])| {
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

    /// Paints dots, but none where the last of the same class was.
    fn paint_dots(
        &self,
        context: &CanvasRenderingContext2d,
        plot: &Rect<Css>,
        dark: bool,
        dots: &mut dyn Iterator<Item = &Dot>,
    ) {
        /// CSS pixels within which two dots are one.
        const STEP: f64 = 1.5;
        let columns = (plot.w / STEP) as usize + 1;
        let rows = (plot.h / STEP) as usize + 1;
        let mut painted = vec![u32::MAX; columns * rows];
        let mut colour = u32::MAX;
        for dot in dots {
            let at = self.place(plot, dot);
            let category = palette::class_category(dot.class);
            let column = ((at.x - plot.x) / STEP) as usize;
            let row = ((at.y - plot.y) / STEP) as usize;
            let Some(cell) = painted.get_mut(row * columns + column) else {
                continue;
            };
            if *cell == category {
                continue;
            }
            *cell = category;
            if colour != category {
                colour = category;
                context.set_fill_style_str(palette::category(category, dark));
            }
            context.fill_rect(at.x - SIDE / 2.0, at.y - SIDE / 2.0, SIDE, SIDE);
        }
    }
}

/// The dots by where they are, to find the one under the pointer.
#[derive(Debug, PartialEq)]
pub(crate) struct Places {
    plot: Rect<Css>,
    columns: usize,
    /// The first dot of each cell, and after each dot the next in its cell; `NONE` where there is none.
    first: Vec<u32>,
    next: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Places {
    /// Where the dots are on a canvas of this size.
    pub(crate) fn of(scatter: &Scatter, size: Size<Css>) -> Self {
        let plot = Scatter::plot(size);
        let columns = (plot.w / NEAR) as usize + 1;
        let rows = (plot.h / NEAR) as usize + 1;
        let mut places = Self {
            plot,
            columns,
            first: vec![NONE; columns * rows],
            next: vec![NONE; scatter.dots.len()],
        };
        for (index, dot) in scatter.dots.iter().enumerate() {
            let at = scatter.place(&plot, dot);
            let cell =
                ((at.y - plot.y) / NEAR) as usize * columns + ((at.x - plot.x) / NEAR) as usize;
            if let Some(first) = places.first.get_mut(cell) {
                places.next[index] = std::mem::replace(first, index as u32);
            }
        }
        places
    }

    /// The dot nearest to a place, if any is near.
    pub(crate) fn at(&self, scatter: &Scatter, at: Point<Css>) -> Option<Dot> {
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
                while let Some(found) = scatter.dots.get(dot as usize) {
                    let distance = scatter.place(&self.plot, found).distance(&at);
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

    fn scatter() -> Scatter {
        let there = [10.0, 100.0, f64::NAN, 1000.0, 50.0];
        let here = [100.0, 10.0, 5.0, 1000.0, 0.0];
        Scatter::of(&there, &here, &|job| job.0).expect("three have finished in both")
    }

    #[test]
    fn only_jobs_that_finished_in_both_have_dots() {
        let jobs: Vec<u32> = scatter().dots.iter().map(|dot| dot.job.0).collect();
        assert_eq!(jobs, [0, 1, 3]);
        assert_eq!(scatter().dots[0].ratio(), 10.0);
        assert!(Scatter::of(&[f64::NAN], &[1.0], &|_| 0).is_none());
    }

    #[test]
    fn what_did_not_change_is_on_the_diagonal_and_what_took_longer_above() {
        let (scatter, size) = (scatter(), Size::new(466.0, 434.0));
        let plot = Scatter::plot(size);
        let from_diagonal = |dot: &Dot| {
            let at = scatter.place(&plot, dot);
            (plot.bottom() - at.y) / plot.h - (at.x - plot.x) / plot.w
        };
        let shares: Vec<f64> = scatter.dots.iter().map(from_diagonal).collect();
        assert!(shares[0] > 0.1 && shares[1] < -0.1, "{shares:?}");
        assert!(shares[2].abs() < 1e-9, "{shares:?}");
    }

    #[test]
    fn the_grid_finds_the_nearest_dot_and_nothing_far_from_all() {
        let (scatter, size) = (scatter(), Size::new(466.0, 434.0));
        let places = Places::of(&scatter, size);
        let plot = Scatter::plot(size);
        for dot in &scatter.dots {
            let at = scatter.place(&plot, dot);
            let beside = Point::new(at.x + 7.0, at.y - 7.0);
            assert_eq!(places.at(&scatter, beside), Some(*dot));
        }
        assert_eq!(places.at(&scatter, Point::new(plot.x, plot.y)), None);
        assert_eq!(places.at(&scatter, Point::new(-1e9, 1e9)), None);
    }

    #[test]
    fn many_dots_are_told_by_how_densely_they_lie_and_of_which_class_most_are() {
        // A thousand of class 0 and one of class 1 in one place, one of class 2 in another.
        let mut times = vec![100.0; 1001];
        times.push(10.0);
        let class = |job: JobId| [0, 1, 2][(job.0 as usize).saturating_sub(999).min(2)];
        let scatter = Scatter::of(&times, &times, &class).expect("all have finished");
        let plot = Scatter::plot(Size::new(466.0, 434.0));
        let cells = scatter.cells(&plot, CELL, &mut scatter.dots.iter());
        let seen: Vec<(u32, bool)> = cells
            .iter()
            .map(|cell| (cell.category, cell.alpha > 0.99))
            .collect();
        assert_eq!(seen, [(0, true), (2, false)]);
        assert!(cells[1].alpha >= LEAST);
        for (cell, dot) in cells.iter().zip([&scatter.dots[0], &scatter.dots[1001]]) {
            let at = scatter.place(&plot, dot);
            assert!((0.0..=CELL).contains(&(at.x - cell.at.x)));
            assert!((0.0..=CELL).contains(&(at.y - cell.at.y)));
        }
    }

    #[test]
    fn labels_of_an_axis_stand_apart() {
        let ticks = scatter().ticks(400.0);
        assert!(ticks.len() >= 3, "{ticks:?}");
        for pair in ticks.windows(2) {
            assert!((pair[1].0 - pair[0].0) * 400.0 >= APART);
        }
    }
}
