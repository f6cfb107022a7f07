//! A figure that compares runs: what is saved is what is seen.

use crate::CHARACTER;
use crate::LINE;
use crate::board::{Area, Board};
use crate::colours::{self, ink};
use crate::frame::{Chart, Frame, title};
use crate::labels;
use crate::names::{self, Swatch, name_width, rows};
use crate::polyline::Polyline;
use crate::space::{Css, Point, Rect, Size};
use crate::stroke::{Stroke, width};
use crate::svg::{ChartStyle, Paper, Svg};
use crate::units::{Drawn, Failed, fine, place};
use plotters::element::{Drawable, PointCollection, Polygon, Rectangle};
use plotters::style::{Color, RGBAColor};
use plotters_backend::{BackendCoord, DrawingBackend, DrawingErrorKind};
use switchyard_app::figures::{Axis, Figure, Marks, RangeMark, Series};

/// How high saved charts are for their width, without rows of names.
const ASPECT: f64 = 0.62;
/// More lines than these are not named beside themselves: there is no place where a name is clearly one's.
const MOST_BESIDE: usize = 3;
/// Between two names in a row, heights of the text.
const BETWEEN: f64 = 1.2;
/// How much of a plot's width a name within it may take.
const MOST_OF_PLOT: f64 = 0.6;
/// How much is seen of what stands back.
const FADED: f64 = 0.15;
/// How much is seen of a band, and of a box.
const BAND: f64 = 0.13;
const BOX: f64 = 0.28;

/// The figure for paper. Rows of names make it higher, not its plot lower.
pub fn on_paper(figure: &Figure, paper: Paper) -> String {
    let picture = Picture {
        figure,
        size: paper.size(ASPECT),
        look: paper.look(),
    };
    let names = picture.names();
    let rows = paper.look().text * LINE * names.rows() as f64;
    let size = Size::new(picture.size.w, picture.size.h + rows);
    Picture { size, ..picture }.svg(&names)
}

/// The figure as an SVG text of this size.
pub fn svg(figure: &Figure, size: Size<Css>, look: ChartStyle) -> String {
    let picture = Picture { figure, size, look };
    picture.svg(&picture.names())
}

/// Where the plot itself is on a figure of this size, without rows of names.
pub fn plot(figure: &Figure, size: Size<Css>, look: ChartStyle) -> Rect<Css> {
    Picture { figure, size, look }.plot(0)
}

/// Whether the lines of a figure carry their names themselves.
pub fn names_lines(figure: &Figure) -> bool {
    let lines = |of: &Series| matches!(of.marks, Marks::Line(..));
    figure.series.len() <= MOST_BESIDE && figure.series.iter().all(lines)
}

/// Where a value is across a plot.
pub fn across(axis: &Axis, plot: &Rect<Css>, value: f64) -> f64 {
    plot.across(axis.position(value))
}

/// A figure of a size.
#[derive(Clone, Copy)]
struct Picture<'f> {
    figure: &'f Figure,
    size: Size<Css>,
    look: ChartStyle,
}

impl Picture<'_> {
    /// So many heights of the text.
    fn em(&self, heights: f64) -> f64 {
        heights * self.look.text
    }

    /// Where the plot is below so many rows of names.
    fn plot(&self, rows: usize) -> Rect<Css> {
        let (em, size) = (|heights| self.em(heights), self.size);
        let left = em(2.3 + CHARACTER * self.figure.y.widest_label() as f64);
        let title = if self.look.titled { 2.2 } else { 0.0 };
        let top = em(0.8 + title + LINE * rows as f64);
        let (w, h) = (size.w - left - em(1.2), size.h - top - em(3.4));
        Rect::new(left, top, w.max(1.0), h.max(1.0))
    }

    /// Where the names of runs stand: beside their lines; in a picture of its own, where a name would cover
    /// a line or another name, above the plot.
    fn names(&self) -> Names {
        let look = self.look;
        if names_lines(self.figure) {
            let plot = self.plot(0);
            let series = self.figure.series.iter();
            let lines: Vec<_> = series
                .map(|of| self.line(of.marks.points(), &plot))
                .collect();
            let names = self.cut(MOST_OF_PLOT * plot.w);
            let size = |name: &String| Size::new(self.em(name_width(name)), self.em(LINE));
            let sizes: Vec<_> = names.iter().map(size).collect();
            let places = labels::place(&lines, &sizes, plot);
            if places.clear || !look.keyed {
                return Names::Beside(names, places.at);
            }
        }
        if !look.keyed {
            return Names::Elsewhere;
        }
        let room = self.size.w - 2.0 * look.text;
        let names = self.cut(room);
        let widths = names.iter().map(|name| self.em(name_width(name) + BETWEEN));
        let rows = rows(widths, room + self.em(BETWEEN));
        Names::Above(names, rows)
    }

    /// The names of all runs, each with its stroke cut to so many pixels.
    fn cut(&self, most: f64) -> Vec<String> {
        let name = |of: &Series| {
            let name = match of.complete {
                true => of.name.clone(),
                false => format!("{}, so far", of.name),
            };
            names::cut(&name, most / self.look.text)
        };
        self.figure.series.iter().map(name).collect()
    }

    /// The places of points on a plot.
    fn line(&self, points: &[(f64, f64)], plot: &Rect<Css>) -> Vec<Point<Css>> {
        let Figure { x, y, .. } = self.figure;
        let place = |&(at, value): &(f64, f64)| {
            Point::new(plot.across(x.position(at)), plot.upwards(y.position(value)))
        };
        points.iter().map(place).collect()
    }

    fn svg(&self, names: &Names) -> String {
        let mut svg = Svg::new(self.size, self.look, &self.figure.describe());
        let drawn = self.draw(&Board::Svg(&mut svg).area(), names);
        debug_assert!(drawn.is_ok(), "text takes everything: {drawn:?}");
        svg.finish()
    }

    fn draw(&self, area: &Area<'_>, names: &Names) -> Drawn {
        let (figure, look) = (self.figure, self.look);
        let plot = self.plot(names.rows());
        if look.titled {
            title(area, look, &figure.title())?;
        }
        let frame = Frame {
            plot,
            size: self.size,
            look,
            axes: [&figure.x, &figure.y],
            titles: [&figure.x.title, &figure.y.title],
        };
        let mut chart = frame.draw(area)?;
        for (i, series) in figure.series.iter().enumerate() {
            let seen = match look.lit {
                Some(lit) if lit != i => FADED,
                _ => 1.0,
            };
            match &series.marks {
                Marks::Line(points, band) => {
                    let most = band.iter().map(|&(x, _, most)| (x, most));
                    let least = band.iter().rev().map(|&(x, least, _)| (x, least));
                    let outline: Vec<_> = most.chain(least).collect();
                    let stroke = Stroke::of_run(series.hue, series.complete, look).faded(seen);
                    if !outline.is_empty() {
                        let filled = stroke.colour.mix(BAND).filled();
                        chart.draw_series([Polygon::new(outline, filled)])?;
                    }
                    chart.draw_series([Polyline::new(points.clone(), stroke)])?;
                }
                Marks::Ranges(ranges) => self.ranges(&mut chart, plot, (i, seen), ranges)?,
            }
        }
        self.draw_names(area, names)
    }

    /// Boxes and dots; runs stand side by side within a category.
    fn ranges(
        &self,
        chart: &mut Chart<'_, '_>,
        plot: Rect<Css>,
        (run, seen): (usize, f64),
        ranges: &[RangeMark],
    ) -> Drawn {
        let series = &self.figure.series;
        // The axis reaches half a category beyond the last one.
        let room = plot.w / (self.figure.x.high() + 0.5) * 0.8;
        let step = (room / series.len() as f64).min(self.em(1.8));
        let half = (step * 0.36).max(1.0);
        let shift = (run as f64 - (series.len() - 1) as f64 / 2.0) * step;
        let dark = self.look.dark;
        let mark = |of: &RangeMark| Range {
            places: [of.p95, of.p75, of.median, of.p25].map(|value| (of.x, value)),
            shift: fine(shift),
            half: fine(half),
            radius: fine(half.min(self.em(0.3))),
            thin: width(self.em(0.11)),
            colour: ink(colours::run_colour(series[run].hue, dark)).mix(seen),
            ring: ink(colours::chrome(dark).background).mix(seen),
        };
        chart.draw_series(ranges.iter().map(mark))?;
        Ok(())
    }

    /// Each run's name: beside its line, or in rows above the plot.
    fn draw_names(&self, area: &Area<'_>, names: &Names) -> Drawn {
        match names {
            Names::Elsewhere => {}
            Names::Beside(names, places) => {
                let ground = ink(colours::chrome(self.look.dark).background).mix(0.8);
                for (i, (name, at)) in names.iter().zip(places).enumerate() {
                    if let Some(at) = at {
                        let end = Point::new(at.right(), at.bottom());
                        let corners = [place(at.corner()), place(end)];
                        area.draw(&Rectangle::new(corners, ground.filled()))?;
                        self.name(area, i, name, at.corner())?;
                    }
                }
            }
            Names::Above(names, rows) => {
                let title = if self.look.titled { 2.0 } else { 0.0 };
                for (row, members) in rows.iter().enumerate() {
                    let mut x = self.em(1.0);
                    for &i in members {
                        let y = self.em(0.4 + title + LINE * row as f64);
                        self.name(area, i, &names[i], Point::new(x, y))?;
                        x += self.em(name_width(&names[i]) + BETWEEN);
                    }
                }
            }
        }
        Ok(())
    }

    fn name(&self, area: &Area<'_>, run: usize, name: &str, at: Point<Css>) -> Drawn {
        let series = &self.figure.series[run];
        let stroke = Stroke::of_run(series.hue, series.complete, self.look);
        let swatch = match series.marks {
            Marks::Ranges(_) => Swatch::Dot(stroke),
            Marks::Line(..) => Swatch::Line(stroke),
        };
        names::draw(area, self.look, (swatch, name), at)
    }
}

/// The percentiles of a category: a box with a line up from it and a dot within.
struct Range {
    /// Of p95, p75, the median and p25.
    places: [(f64, f64); 4],
    /// How far to the right of its category.
    shift: i32,
    /// Half of its width.
    half: i32,
    /// The dot's radius.
    radius: i32,
    /// The width of its lines.
    thin: u32,
    colour: RGBAColor,
    /// Around the dot.
    ring: RGBAColor,
}

impl<'a> PointCollection<'a, (f64, f64)> for &'a Range {
    type Point = &'a (f64, f64);
    type IntoIter = &'a [(f64, f64)];

    fn point_iter(self) -> Self::IntoIter {
        &self.places
    }
}

impl Drawable<Board<'_>> for Range {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        places: I,
        board: &mut Board<'_>,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<Failed>> {
        let places: Vec<_> = places.map(|(x, y)| (x + self.shift, y)).collect();
        let &[most, top, median, foot] = places.as_slice() else {
            return Ok(());
        };
        let line = self.colour.stroke_width(self.thin);
        board.draw_line(top, most, &line)?;
        // What is there is to be seen, however little.
        let foot = (foot.0 + self.half, foot.1.max(top.1 + fine(0.5)));
        let area = self.colour.mix(BOX).filled();
        board.draw_rect((top.0 - self.half, top.1), foot, &area, true)?;
        let radius = self.radius.max(1).unsigned_abs();
        board.draw_circle(median, radius + self.thin / 2, &self.ring.filled(), true)?;
        board.draw_circle(median, radius, &self.colour.filled(), true)
    }
}

/// The names of runs, cut to their room, and where they stand.
enum Names {
    /// Beside the line of each that has one.
    Beside(Vec<String>, Vec<Option<Rect<Css>>>),
    /// In rows above the plot.
    Above(Vec<String>, Vec<Vec<usize>>),
    /// Not in the picture: the page has them.
    Elsewhere,
}

impl Names {
    /// How many rows they take above the plot.
    fn rows(&self) -> usize {
        match self {
            Self::Above(_, rows) => rows.len(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use switchyard::engine::RunLog;
    use switchyard::report::{Outcomes, Summary};
    use switchyard::workload::{Sample, Workload};
    use switchyard::{Resource, RunSpec};
    use switchyard_app::figures::{Chart, Compared, Comparison};
    use switchyard_app::moments::Moments;

    fn figure(runs: usize) -> Figure {
        let series = |run: usize| Series {
            name: format!("run <{run}>"),
            hue: run,
            complete: true,
            marks: Marks::Line(
                vec![(0.0, 0.0), (50.0, run as f64 / 9.0), (90.0, 1.0)],
                Vec::new(),
            ),
        };
        Figure {
            chart: Chart::WaitCdf,
            unit: Resource::Gpus,
            x: Axis::durations_or_none("time waited", (1.0, 100.0)),
            y: Axis::share("share"),
            series: (0..runs).map(series).collect(),
        }
    }

    #[test]
    fn a_figure_for_a_paper_has_its_width_its_text_and_its_dashes() {
        let paper = Paper {
            width: 3.25,
            font: 9.0,
            ..Paper::COLUMN
        };
        let drawn = svg(&figure(3), paper.size(0.6), paper.look());
        assert!(
            drawn.contains("width='3.25in'") && drawn.contains("font-size='12'"),
            "{drawn}"
        );
        assert!(drawn.contains(">run &lt;0></text>") && !drawn.contains("<image"));
        assert_eq!(
            drawn.matches("<polyline").count() - drawn.matches("stroke-linejoin").count(),
            0
        );
        // The solid one has none; each name repeats its line's.
        assert_eq!(drawn.matches("stroke-dasharray").count(), 4);
        assert!(!drawn.contains("font-weight"));
        let titled = Paper {
            titled: true,
            ..paper
        };
        assert!(
            svg(&figure(3), titled.size(0.6), titled.look())
                .contains("font-weight='600'>Queueing delay of jobs<")
        );
    }

    #[test]
    fn many_lines_are_named_above_and_one_can_stand_out() {
        let paper = Paper::COLUMN;
        assert!(names_lines(&figure(3)) && !names_lines(&figure(4)));
        let look = paper.look();
        let size = paper.size(0.6);
        let plot = |runs: usize| {
            let figure = &figure(runs);
            let picture = Picture { figure, size, look };
            picture.plot(picture.names().rows())
        };
        assert!(plot(4).y > plot(3).y);
        let on_page = ChartStyle::on_page(true, Some(2));
        let of = |runs| svg(&figure(runs), size, on_page);
        assert_eq!(of(6).matches("stroke-opacity='0.15'").count(), 5);
        let texts = |runs| of(runs).matches("<text").count();
        assert_eq!(texts(6), texts(7), "names stand elsewhere");
    }

    #[test]
    fn rows_of_names_make_a_picture_higher() {
        let paper = Paper::COLUMN;
        let look = paper.look();
        for runs in 1..=8 {
            let figure = &figure(runs);
            let size = paper.size(ASPECT);
            let names = Picture { figure, size, look }.names();
            assert_eq!(matches!(names, Names::Above(..)), runs > 3, "{runs}");
            let lines = on_paper(figure, paper);
            let high = (size.h + look.text * LINE * names.rows() as f64).round();
            let drawn: f64 = lines
                .split("viewBox='0 0 336 ")
                .nth(1)
                .and_then(|rest| rest.split('\'').next()?.parse().ok())
                .expect("a drawing says its size");
            assert!((drawn - high).abs() < 1.0, "{drawn} is not {high}");
        }
    }

    /// A workload under a policy, to its end.
    fn run(sample: &Sample, workload: &Arc<Workload>, policy: &str) -> (RunLog, Outcomes, Summary) {
        let spec = RunSpec::new(policy.parse().expect("a policy"), sample.cluster_spec());
        let mut simulation = spec.start(workload.clone());
        simulation.run().expect("plans are right");
        let log = simulation.log().clone();
        let outcomes = Outcomes::of(workload, &spec.cluster, &log);
        let summary = Summary::of(workload, &spec.cluster, &log);
        (log, outcomes, summary)
    }

    #[test]
    fn names_of_real_runs_cover_nothing_on_paper() {
        const POLICIES: [&str; 8] = [
            "fifo",
            "tiresias-las",
            "srtf",
            "las",
            "sjf",
            "gandiva",
            "yarn-cs",
            "themis",
        ];
        let paper = Paper::COLUMN;
        let (size, look) = (paper.size(ASPECT), paper.look());
        let sample = Sample::named("lab").expect("a sample of this name");
        let (workload, cluster) = (Arc::new(sample.workload()), sample.cluster_spec());
        let all = POLICIES.map(|policy| run(sample, &workload, policy));
        let moments = Moments::default();
        let mut beside = 0;
        for runs in (1..=8).rev() {
            let compared = |(at, (log, outcomes, summary))| Compared {
                name: POLICIES[at],
                hue: at,
                reached: RunLog::event_times(log).last().copied().unwrap_or(0.0),
                log,
                results: Some((outcomes, summary)),
                knows_rho: true,
            };
            let compared: Vec<Compared<'_>> = all[..runs]
                .iter()
                .map(|(log, outcomes, summary)| (log, outcomes, summary))
                .enumerate()
                .map(compared)
                .collect();
            let of = Comparison {
                workload: &workload,
                cluster: &cluster,
                moments: &moments,
                unit: Resource::Gpus,
                only: None,
                end: compared.iter().map(|run| run.reached).fold(1.0, f64::max),
                runs: compared,
            };
            for chart in Chart::of(&of) {
                let figure = &Figure::of(chart, &of);
                let picture = Picture { figure, size, look };
                let places: Vec<Rect<Css>> = match picture.names() {
                    Names::Beside(_, at) => at.into_iter().flatten().collect(),
                    Names::Above(_, rows) => {
                        assert_eq!(rows.concat().len(), runs);
                        continue;
                    }
                    Names::Elsewhere => panic!("{chart:?} of {runs} names nobody"),
                };
                beside += 1;
                assert!(places.len() == runs && runs <= 3, "{chart:?} of {runs}");
                for (at, place) in places.iter().enumerate() {
                    assert!(!places[..at].iter().any(|other| other.overlaps(place)));
                }
                let plot = picture.plot(0);
                for series in &figure.series {
                    for pair in picture.line(series.marks.points(), &plot).windows(2) {
                        let steps = pair[0].distance(&pair[1]).ceil().max(1.0);
                        let mut on_line = (0..=steps as u32)
                            .map(|i| pair[0].towards(&pair[1], f64::from(i) / steps));
                        let is_covered =
                            |at: Point<Css>| places.iter().any(|place| place.contains(at));
                        assert!(!on_line.any(is_covered), "{chart:?} of {runs}");
                    }
                }
            }
        }
        assert!(beside > 0, "all names stand above");
    }

    #[test]
    fn names_that_find_no_room_beside_their_lines_stand_above() {
        let mut crowded = figure(2);
        for (at, series) in crowded.series.iter_mut().enumerate() {
            // Up and down all over the plot.
            let step = |i: usize| (i as f64, f64::from(u8::from((i + at).is_multiple_of(2))));
            series.marks = Marks::Line((0..100).map(step).collect(), Vec::new());
            series.name = "a name that is by far too long for any figure".repeat(4);
        }
        let paper = Paper::COLUMN;
        let picture = Picture {
            figure: &crowded,
            size: paper.size(ASPECT),
            look: paper.look(),
        };
        assert_eq!(picture.names().rows(), 2);
        let cut = &picture.cut(picture.size.w - 2.0 * picture.look.text)[0];
        assert!(picture.em(name_width(cut)) <= picture.size.w && cut.ends_with('…'));
        // The page has no rows of names: there they stay where they cover least.
        let picture = Picture {
            look: ChartStyle::on_page(false, None),
            size: Size::new(600.0, 320.0),
            ..picture
        };
        assert!(matches!(picture.names(), Names::Beside(_, at) if at.iter().all(Option::is_some)));
    }
}
