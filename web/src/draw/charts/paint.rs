//! A figure as SVG: what is saved is what is seen.

use super::figure::{Figure, Marks, RangeMark, Series};
use super::{ASPECT, labels};
use crate::draw::space::{Css, Point, Rect, Size};
use crate::draw::svg::{Anchor, Look, Paper, Svg};
use crate::draw::timeline::axis::{LEAST_DAY, WEEKEND};
use crate::draw::{format, palette};

/// The width of a character on average, heights of the text.
pub(in crate::draw) const CHARACTER: f64 = 0.55;
/// From one line of text to the next, heights of the text.
pub(in crate::draw) const LINE: f64 = 1.42;
/// The stroke in front of a name, heights of the text.
pub(in crate::draw) const SWATCH: f64 = 1.7;
/// More lines than these are not named beside themselves: there is no place where a name is clearly one's.
const MOST_BESIDE: usize = 3;
/// Between two names in a row, heights of the text.
const BETWEEN: f64 = 1.2;
/// How much of a plot's width a name within it may take.
const MOST_OF_PLOT: f64 = 0.6;
/// How much is seen of what stands back.
const FADED: f64 = 0.15;

/// Dashes of runs by their hues, widths of the stroke on and off; then it begins anew.
const DASHES: [&[f64]; 8] = [
    &[],
    &[4.5, 2.0],
    &[2.0, 1.5],
    &[7.5, 2.5],
    &[6.0, 1.5, 1.0, 1.5],
    &[1.0, 1.0],
    &[6.0, 1.5, 1.0, 1.5, 1.0, 1.5],
    &[3.0, 1.0],
];
/// Dots of runs that have not ended.
const DOTS: &[f64] = &[1.0, 1.5];

impl Figure {
    /// Whether its lines carry their names themselves.
    pub fn names_lines(&self) -> bool {
        let lines = |of: &Series| matches!(of.marks, Marks::Line(..));
        self.series.len() <= MOST_BESIDE && self.series.iter().all(lines)
    }

    /// Where the plot itself is on a figure of this size, without rows of names.
    pub fn plot(&self, size: Size<Css>, look: Look) -> Rect<Css> {
        self.below(0, size, look)
    }

    /// Where the plot is below so many rows of names.
    fn below(&self, rows: usize, size: Size<Css>, look: Look) -> Rect<Css> {
        let em = |heights: f64| heights * look.text;
        let left = em(2.3 + CHARACTER * self.y.widest_label() as f64);
        let title = if look.titled { 2.2 } else { 0.0 };
        let top = em(0.8 + title + LINE * rows as f64);
        let (w, h) = (size.w - left - em(1.2), size.h - top - em(3.4));
        Rect::new(left, top, w.max(1.0), h.max(1.0))
    }

    /// Where a value is.
    fn place(&self, plot: &Rect<Css>, x: f64, y: f64) -> Point<Css> {
        Point::new(self.x.across(plot, x), self.y.upwards(plot, y))
    }

    /// Where the names of runs stand: beside their lines; in a picture of its own, where a name would cover
    /// a line or another name, above the plot.
    fn names(&self, size: Size<Css>, look: Look) -> Names {
        if self.names_lines() {
            let plot = self.below(0, size, look);
            let lines: Vec<_> = self
                .series
                .iter()
                .map(|series| self.line(series.marks.points(), &plot))
                .collect();
            let labels = self.labels(MOST_OF_PLOT * plot.w, look);
            let size = |label: &String| Size::new(look.text * label_width(label), look.text * LINE);
            let sizes: Vec<_> = labels.iter().map(size).collect();
            let places = labels::place(&lines, &sizes, plot);
            if places.clear || !look.keyed {
                return Names::Beside(labels, places.at);
            }
        }
        if !look.keyed {
            return Names::Elsewhere;
        }
        let room = size.w - 2.0 * look.text;
        let labels = self.labels(room, look);
        let widths = labels.iter();
        let widths = widths.map(|label| look.text * (label_width(label) + BETWEEN));
        let rows = rows(widths, room + look.text * BETWEEN);
        Names::Above(labels, rows)
    }

    /// The names of all runs as [`label`](Self::label) has them.
    fn labels(&self, most: f64, look: Look) -> Vec<String> {
        let runs = self.series.iter();
        runs.map(|series| self.label(series, most, look)).collect()
    }

    /// A run's name with its stroke, cut to so many pixels.
    fn label(&self, series: &Series, most: f64, look: Look) -> String {
        let text = match series.complete {
            true => series.name.clone(),
            false => format!("{}, so far", series.name),
        };
        let room = (most / look.text - SWATCH - 0.6) / CHARACTER;
        format::cut(&text, room.max(3.0) as usize)
    }

    fn line(&self, points: &[(f64, f64)], plot: &Rect<Css>) -> Vec<Point<Css>> {
        let points = points.iter();
        points.map(|&(x, y)| self.place(plot, x, y)).collect()
    }

    /// The figure for paper. Rows of names make it higher, not its plot lower.
    pub fn on_paper(&self, paper: Paper) -> String {
        let (mut size, look) = (paper.size(ASPECT), paper.look());
        let names = self.names(size, look);
        size.h += look.text * LINE * names.rows() as f64;
        self.draw(size, look, &names)
    }

    /// The figure as an SVG text of this size.
    pub fn svg(&self, size: Size<Css>, look: Look) -> String {
        self.draw(size, look, &self.names(size, look))
    }

    fn draw(&self, size: Size<Css>, look: Look, names: &Names) -> String {
        let mut svg = Svg::new(size, look, &self.describe());
        let plot = self.below(names.rows(), size, look);
        let em = |heights: f64| heights * look.text;
        let chrome = svg.chrome;
        if look.titled {
            let at = Point::new(em(1.0), em(1.7));
            svg.text(
                &self.chart.title(),
                at,
                Anchor::Start,
                chrome.text,
                "font-weight='600'",
            );
        }
        self.paint_axes(&mut svg, plot);
        for (i, series) in self.series.iter().enumerate() {
            let faded = look.lit.is_some_and(|lit| lit != i);
            if faded {
                svg.open(&format!("opacity='{FADED}'"));
            }
            match &series.marks {
                Marks::Line(points, band) => {
                    let place = |x: f64, y: f64| self.place(&plot, x, y);
                    let most = band.iter().map(|&(x, _, most)| place(x, most));
                    let least = band.iter().rev().map(|&(x, least, _)| place(x, least));
                    let outline: Vec<_> = most.chain(least).collect();
                    let colour = palette::run_colour(series.hue, look.dark);
                    if !outline.is_empty() {
                        svg.shape(&outline, &format!("fill='{colour}' fill-opacity='.13'"));
                    }
                    let line = self.line(points, &plot);
                    svg.path(&line, &stroke(series.hue, series.complete, look));
                }
                Marks::Ranges(ranges) => self.paint_ranges(&mut svg, plot, i, ranges),
            }
            if faded {
                svg.close();
            }
        }
        self.paint_names(&mut svg, names);
        svg.finish()
    }

    fn paint_axes(&self, svg: &mut Svg, plot: Rect<Css>) {
        let (look, chrome) = (svg.look, svg.chrome);
        let em = |heights: f64| heights * look.text;
        let thin = (look.text / 12.0).max(0.5);
        let (mut x, mut y) = (self.x.clone(), self.y.clone());
        let widest = CHARACTER * x.widest_label().max(4) as f64 + 1.2;
        x.thin_out((plot.w / em(widest)) as usize);
        x.fit_names(plot.w / em(CHARACTER));
        y.thin_out((plot.h / em(2.0)) as usize);
        let (right, bottom) = (plot.right(), plot.bottom());
        for weekend in x.weekends(plot.w, LEAST_DAY) {
            let [from, to] = [weekend.from, weekend.to].map(|at| x.across(&plot, at));
            let area = Rect::new(from, plot.y, to - from, plot.h);
            svg.rect(&area, chrome.text, WEEKEND);
        }
        for &tick in y.ticks() {
            let at = y.upwards(&plot, tick);
            svg.line(
                Point::new(plot.x, at),
                Point::new(right, at),
                chrome.free,
                thin,
            );
            let at = Point::new(plot.x - em(0.5), at + em(0.35));
            svg.text(&y.tick_label(tick), at, Anchor::End, chrome.faint, "");
        }
        for &tick in x.ticks() {
            let at = x.across(&plot, tick);
            if !x.is_names() {
                svg.line(
                    Point::new(at, plot.y),
                    Point::new(at, bottom),
                    chrome.free,
                    thin,
                );
            }
            svg.line(
                Point::new(at, bottom),
                Point::new(at, bottom + em(0.3)),
                chrome.line,
                thin,
            );
            let at = Point::new(at, bottom + em(1.4));
            let label = x.tick_label(tick);
            // The last date may stand at the edge.
            let half = em(CHARACTER * label.chars().count() as f64 / 2.0);
            if !x.is_dates() || at.x + half <= right + em(1.2) {
                svg.text(&label, at, Anchor::Middle, chrome.faint, "");
            }
        }
        let corner = Point::new(plot.x, bottom);
        svg.line(Point::new(plot.x, plot.y), corner, chrome.line, thin);
        svg.line(corner, Point::new(right, bottom), chrome.line, thin);
        if let Some(gap) = x.gap() {
            // Where the axis is broken: 0 has no place on a logarithm.
            let middle = plot.x + plot.w * gap;
            let gap = Rect::new(middle - em(0.15), bottom - em(0.3), em(0.3), em(0.6));
            svg.rect(&gap, chrome.background, 1.0);
            for side in [gap.x, gap.right()] {
                let (low, high) = (side - em(0.15), side + em(0.15));
                let from = Point::new(low, bottom + em(0.35));
                svg.line(
                    from,
                    Point::new(high, bottom - em(0.35)),
                    chrome.faint,
                    thin,
                );
            }
        }
        let below = Point::new(plot.middle().x, bottom + em(2.9));
        svg.text(
            &format::units(&x.title),
            below,
            Anchor::Middle,
            chrome.text,
            "",
        );
        svg.upright(
            &format::units(&y.title),
            Point::new(em(1.2), plot.middle().y),
            chrome.text,
        );
    }

    /// Boxes and dots; runs stand side by side within a category.
    fn paint_ranges(&self, svg: &mut Svg, plot: Rect<Css>, run: usize, ranges: &[RangeMark]) {
        // The axis reaches half a category beyond the last one.
        let room = plot.w / (self.x.high() + 0.5) * 0.8;
        let step = (room / self.series.len() as f64).min(svg.em(1.8));
        let half = (step * 0.36).max(1.0);
        let shift = (run as f64 - (self.series.len() - 1) as f64 / 2.0) * step;
        let colour = palette::run_colour(self.series[run].hue, svg.look.dark);
        let background = svg.chrome.background;
        let thin = svg.em(0.11);
        for range in ranges {
            let at = |value: f64| {
                let place = self.place(&plot, range.x, value);
                Point::new(place.x + shift, place.y)
            };
            let (top, bottom, median) = (at(range.p75), at(range.p25), at(range.median));
            svg.line(top, at(range.p95), colour, thin);
            let tall = (bottom.y - top.y).max(0.5);
            let area = Rect::new(top.x - half, top.y, 2.0 * half, tall);
            svg.rect(&area, colour, 0.28);
            let radius = half.min(svg.em(0.3));
            svg.dot(
                median,
                radius,
                &format!(
                    "fill='{colour}' stroke='{background}' stroke-width='{:.1}'",
                    thin
                ),
            );
        }
    }

    /// Each run's name: beside its line, or in rows above the plot.
    fn paint_names(&self, svg: &mut Svg, names: &Names) {
        match names {
            Names::Elsewhere => {}
            Names::Beside(labels, places) => {
                for (i, (label, at)) in labels.iter().zip(places).enumerate() {
                    if let Some(at) = at {
                        svg.rect(at, svg.chrome.background, 0.8);
                        self.name(svg, i, label, at.corner());
                    }
                }
            }
            Names::Above(labels, rows) => {
                let title = if svg.look.titled { 2.0 } else { 0.0 };
                for (row, members) in rows.iter().enumerate() {
                    let mut x = svg.em(1.0);
                    for &i in members {
                        let y = svg.em(0.4 + title + LINE * row as f64);
                        self.name(svg, i, &labels[i], Point::new(x, y));
                        x += svg.em(label_width(&labels[i]) + BETWEEN);
                    }
                }
            }
        }
    }

    /// A run's name behind a piece of its line; text keeps the text's colour to be readable.
    fn name(&self, svg: &mut Svg, run: usize, label: &str, at: Point<Css>) {
        let series = &self.series[run];
        let middle = |x: f64| Point::new(at.x + x, at.y + svg.em(LINE / 2.0));
        let (from, half, to) = (
            middle(0.0),
            middle(svg.em(SWATCH / 2.0)),
            middle(svg.em(SWATCH)),
        );
        if matches!(series.marks, Marks::Ranges(_)) {
            let colour = palette::run_colour(series.hue, svg.look.dark);
            svg.dot(half, svg.em(0.33), &format!("fill='{colour}'"));
        } else {
            let stroke = stroke(series.hue, series.complete, svg.look);
            svg.path(&[from, to], &stroke);
        }
        let foot = Point::new(to.x + svg.em(0.4), at.y + svg.em(1.05));
        svg.text(label, foot, Anchor::Start, svg.chrome.text, "");
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

/// How the line of a run with this hue is drawn.
pub fn stroke(hue: usize, complete: bool, look: Look) -> String {
    let (colour, width) = (palette::run_colour(hue, look.dark), look.text / 6.5);
    let dashes = if complete {
        DASHES[hue % DASHES.len()]
    } else {
        DOTS
    };
    dashed(colour, width, dashes)
}

/// A stroke of this colour and width; `dashes`: widths of it on and off.
pub(in crate::draw) fn dashed(colour: &str, width: f64, dashes: &[f64]) -> String {
    let dashes = dashes.iter().map(|on| format!("{:.1}", on * width));
    let dashes: Vec<String> = dashes.collect();
    let dashes = match dashes.is_empty() {
        true => String::new(),
        false => format!(" stroke-dasharray='{}'", dashes.join(" ")),
    };
    format!("stroke='{colour}' stroke-width='{width:.1}'{dashes}")
}

/// Names of these widths in rows of so much room: the positions of those in each.
pub(in crate::draw) fn rows(widths: impl Iterator<Item = f64>, room: f64) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut used = f64::INFINITY;
    for (i, width) in widths.enumerate() {
        if used + width > room {
            rows.push(Vec::new());
            used = 0.0;
        }
        used += width;
        if let Some(row) = rows.last_mut() {
            row.push(i);
        }
    }
    rows
}

/// The width of a name and the stroke in front of it, heights of the text.
fn label_width(label: &str) -> f64 {
    SWATCH + 0.6 + CHARACTER * label.chars().count() as f64
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Chart};
    use super::*;
    use crate::stage::{Stage, StageRun};
    use std::rc::Rc;
    use switchyard::workload::Sample;

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
        let svg = figure(3).svg(paper.size(0.6), paper.look());
        assert!(
            svg.contains("width='3.25in'") && svg.contains("font-size='12'"),
            "{svg}"
        );
        assert!(svg.contains(">run &lt;0></text>") && !svg.contains("<image"));
        assert_eq!(
            svg.matches("<polyline").count() - svg.matches("stroke-linejoin").count(),
            0
        );
        // The solid one has none; each name repeats its line's.
        assert_eq!(svg.matches("stroke-dasharray").count(), 4);
        assert!(!svg.contains(&*Chart::WaitCdf.title()) || !svg.contains("font-weight"));
        let titled = Paper {
            titled: true,
            ..paper
        };
        assert!(
            figure(3)
                .svg(titled.size(0.6), titled.look())
                .contains("font-weight='600'")
        );
    }

    #[test]
    fn many_lines_are_named_above_and_one_can_stand_out() {
        let paper = Paper::COLUMN;
        assert!(figure(3).names_lines() && !figure(4).names_lines());
        let look = paper.look();
        let size = paper.size(0.6);
        let plot = |runs: usize| {
            let figure = figure(runs);
            figure.below(figure.names(size, look).rows(), size, look)
        };
        assert!(plot(4).y > plot(3).y);
        let on_page = Look::on_page(true, Some(2));
        let svg = figure(6).svg(size, on_page);
        assert_eq!(svg.matches("<g opacity").count(), 5);
        let names = Rc::new(svg.matches("<text").count());
        assert_eq!(
            *names,
            figure(7).svg(size, on_page).matches("<text").count()
        );
    }

    #[test]
    fn rows_of_names_make_a_picture_higher() {
        let paper = Paper::COLUMN;
        let look = paper.look();
        for runs in 1..=8 {
            let figure = figure(runs);
            let size = paper.size(ASPECT);
            let names = figure.names(size, look);
            assert_eq!(matches!(names, Names::Above(..)), runs > 3, "{runs}");
            let lines = figure.on_paper(paper);
            let high = (size.h + look.text * LINE * names.rows() as f64).round();
            let drawn: f64 = lines
                .split("viewBox='0 0 336 ")
                .nth(1)
                .and_then(|rest| rest.split('\'').next()?.parse().ok())
                .expect("a drawing says its size");
            assert!((drawn - high).abs() < 1.0, "{drawn} is not {high}");
        }
    }

    /// The lab's sample under eight schedulers.
    fn lab() -> Stage {
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
        let sample = Sample::named("lab").expect("a sample of this name");
        let run = |(id, policy)| {
            let mut run = StageRun::finished_of(sample, policy);
            Rc::make_mut(&mut run.record).id = id;
            run
        };
        Stage {
            workload: Rc::new(sample.workload()),
            cluster: sample.cluster_spec(),
            runs: (0..).zip(POLICIES).map(run).collect(),
            ..Stage::default()
        }
    }

    #[test]
    fn names_of_real_runs_cover_nothing_on_paper() {
        let paper = Paper::COLUMN;
        let (size, look) = (paper.size(ASPECT), paper.look());
        let (mut stage, mut beside) = (lab(), 0);
        for runs in (1..=8).rev() {
            stage.runs.truncate(runs);
            let reached = stage.runs.iter().map(StageRun::reached);
            stage.clock.end = reached.fold(0.0, f64::max);
            for chart in Chart::of(&stage) {
                let figure = Figure::of(chart, &stage);
                let places: Vec<Rect<Css>> = match figure.names(size, look) {
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
                let plot = figure.below(0, size, look);
                for series in &figure.series {
                    for pair in figure.line(series.marks.points(), &plot).windows(2) {
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
        let (size, look) = (paper.size(ASPECT), paper.look());
        assert_eq!(crowded.names(size, look).rows(), 2);
        let cut = crowded.label(&crowded.series[0], size.w - 2.0 * look.text, look);
        assert!(label_width(&cut) * look.text <= size.w && cut.ends_with('…'));
        // The page has no rows of names: there they stay where they cover least.
        let on_page = Look::on_page(false, None);
        let names = crowded.names(Size::new(600.0, 320.0), on_page);
        assert!(matches!(names, Names::Beside(_, at) if at.iter().all(Option::is_some)));
    }

    #[test]
    fn what_is_drawn_is_a_table() {
        let csv = figure(2).csv();
        assert_eq!(
            csv.lines().next(),
            Some("series,\"time waited\",\"share\",least,most")
        );
        assert_eq!(csv.lines().nth(4), Some("\"run <1>\",0,0,,"));
        assert_eq!(csv.lines().count(), 7);
    }
}
