//! A curve that a policy decides by, as a small chart in the inspector.
//!
//! The axis is that of the charts; the style sheet colours it.

use super::drawing::drawing;
use super::picture_saver::PictureSaver;
use crate::draw::charts::{Axis, Points, axes_of, drawn, height_at};
use crate::draw::svg::{Paper, escaped};
use crate::draw::{format, palette, plot_on_paper};
use switchyard::policy::Plot;
use yew::prelude::*;

/// Sizes in the picture's own units, which are CSS pixels at the inspector's usual width.
const WIDTH: f64 = 350.0;
const HEIGHT: f64 = 168.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 8.0;
const BOTTOM: f64 = 20.0;
const LINE_HEIGHT: f64 = 13.0;
/// A character of a label, on average.
const CHARACTER: f64 = 6.0;

/// Dashes of the lines, in order.
const DASHES: [&str; 3] = ["none", "7 4", "2 3"];

/// A plot with its axes worked out.
struct Drawing<'a> {
    plot: &'a Plot,
    lines: Vec<Points>,
    /// Marks with a place on the axis, and the row of each one's label.
    marks: Vec<(f64, &'a str, usize)>,
    x: Axis,
    y: Axis,
    /// Where the curves begin, below the marks' labels.
    top: f64,
}

/// A curve that a policy decides by; `dot`: what stands on it.
pub(super) fn chart(plot: &Plot, dark: bool, dot: &str) -> Html {
    let picture = Drawing::of(plot);
    let names = plot.lines.iter().enumerate().map(|(i, line)| {
        let mark = if line.dots {
            format!(
                "<circle cx='10' cy='4' r='3' fill='{}'/>",
                palette::run_colour(i, dark)
            )
        } else {
            format!("<line x2='20' y1='4' y2='4' {}/>", stroke(i, dark))
        };
        let swatch = format!("<svg width='20' height='8' aria-hidden='true'>{mark}</svg>");
        html! { <span>{ drawing(&swatch) }{ &line.name }</span> }
    });
    let dot = plot.job_at.map(|_| format!(" · dot: {dot}"));
    let dot = dot.unwrap_or_default();
    html! {
        <figure class="plot">
            <figcaption>{ &plot.title }</figcaption>
            <p class="hint">{ format!("up: {}", plot.y) }</p>
            { drawing(&picture.svg(dark)) }
            <p class="hint">{ format!("across: {}{dot}", plot.x) }</p>
            if plot.lines.len() > 1 {
                <p class="hint names">{ for names }</p>
            }
        </figure>
    }
}

/// A curve with the way to save it; `caption`: what stands below it in a paper, besides its title.
pub(super) fn saved_chart(plot: &Plot, dark: bool, dot: &str, caption: &str) -> Html {
    let name: String = plot
        .title
        .to_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-");
    let draw = {
        let plot = plot.clone();
        Callback::from(move |paper: Paper| {
            plot_on_paper::svg(&plot, &paper, &Drawing::of(&plot).describe())
        })
    };
    let csv = {
        let plot = plot.clone();
        Callback::from(move |()| plot_on_paper::csv(&plot))
    };
    let said = format!(
        "{}. {caption} Switchyard {}.",
        plot.title,
        env!("CARGO_PKG_VERSION")
    );
    html! {
        <div class="saved-plot">
            { chart(plot, dark, dot) }
            <PictureSaver what={plot.title.clone()} name={format!("switchyard-{name}")} {draw} {csv} caption={Callback::from(move |()| said.clone())} />
        </div>
    }
}

/// How the `i`-th line is drawn.
fn stroke(i: usize, dark: bool) -> String {
    let (colour, dashes) = (palette::run_colour(i, dark), DASHES[i % DASHES.len()]);
    format!("fill='none' stroke='{colour}' stroke-width='2' stroke-dasharray='{dashes}'")
}

impl<'a> Drawing<'a> {
    fn of(plot: &'a Plot) -> Self {
        let lines = drawn(plot);
        let (mut x, mut y) = axes_of(plot, &lines);
        x.thin_out(6);
        y.thin_out(5);
        let mut drawing = Self {
            plot,
            lines,
            marks: Vec::new(),
            x,
            y,
            top: 6.0,
        };
        drawing.place_marks();
        drawing
    }

    /// Gives the marks' labels rows in which they do not cover each other.
    fn place_marks(&mut self) {
        let marks = self.plot.marks.iter().filter(|mark| mark.x.is_finite());
        // Each row's taken stretches.
        let mut rows: Vec<Vec<(f64, f64)>> = Vec::new();
        for mark in marks {
            let (x, width) = (self.across(mark.x), label_width(&mark.label));
            let (from, to) = if self.ends_left(mark.x, &mark.label) {
                (x - 3.0 - width, x)
            } else {
                (x, x + 3.0 + width)
            };
            let is_free = |row: &Vec<(f64, f64)>| row.iter().all(|&(a, b)| to < a || b < from);
            let row = rows.iter().position(is_free).unwrap_or(rows.len());
            if row == rows.len() {
                rows.push(Vec::new());
            }
            rows[row].push((from, to));
            self.marks.push((mark.x, &mark.label, row));
        }
        self.top += LINE_HEIGHT * rows.len() as f64;
    }

    fn across(&self, value: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * self.x.position(value)
    }

    fn upwards(&self, value: f64) -> f64 {
        let height = HEIGHT - BOTTOM - self.top;
        HEIGHT - BOTTOM - height * self.y.position(value)
    }

    /// Whether a mark's label has no room to the right of its line.
    fn ends_left(&self, place: f64, label: &str) -> bool {
        self.across(place) + 3.0 + label_width(label) > WIDTH
    }

    /// Where the job stands: across, and on the first line that reaches there.
    fn job(&self) -> Option<(f64, Option<f64>)> {
        let x = self.plot.job_at.filter(|x| x.is_finite())?;
        let y = self.lines.iter().find_map(|line| height_at(line, x));
        Some((self.across(x), y.map(|y| self.upwards(y))))
    }

    /// The picture. (As one text: it is drawn anew as a whole, and elements one by one would make
    /// the page larger.)
    fn svg(&self, dark: bool) -> String {
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        let mut svg = format!(
            "<svg viewBox='0 0 {WIDTH} {HEIGHT}' role='img' aria-label='{}'>",
            escaped(&self.describe())
        );
        let line = |svg: &mut String, class: &str, from: (f64, f64), to: (f64, f64)| {
            let ends = [from.0, from.1, to.0, to.1].map(|v| format!("{v:.1}"));
            let [x1, y1, x2, y2] = &ends;
            *svg += &format!("<line class='{class}' x1='{x1}' y1='{y1}' x2='{x2}' y2='{y2}'/>");
        };
        let text = |svg: &mut String, anchor: &str, (x, y): (f64, f64), text: &str| {
            let text = escaped(text);
            *svg += &format!("<text x='{x:.1}' y='{y:.1}' text-anchor='{anchor}'>{text}</text>");
        };
        for &tick in self.x.ticks() {
            let x = self.across(tick);
            line(&mut svg, "grid", (x, self.top), (x, bottom));
            let label = self.x.tick_label(tick);
            text(&mut svg, "middle", (x, HEIGHT - 6.0), &label);
        }
        for &tick in self.y.ticks() {
            let y = self.upwards(tick);
            line(&mut svg, "grid", (LEFT, y), (right, y));
            text(
                &mut svg,
                "end",
                (LEFT - 5.0, y + 4.0),
                &self.y.tick_label(tick),
            );
        }
        for &(place, label, row) in &self.marks {
            let x = self.across(place);
            let y = LINE_HEIGHT * (row as f64 + 1.0) - 2.0;
            line(&mut svg, "mark", (x, y - 8.0), (x, bottom));
            if self.ends_left(place, label) {
                text(&mut svg, "end", (x - 3.0, y), label);
            } else {
                text(&mut svg, "start", (x + 3.0, y), label);
            }
        }
        for (i, (line, points)) in self.plot.lines.iter().zip(&self.lines).enumerate() {
            if line.dots {
                let colour = palette::run_colour(i, dark);
                for &(x, y) in points {
                    let (x, y) = (self.across(x), self.upwards(y));
                    svg += &format!("<circle cx='{x:.1}' cy='{y:.1}' r='3' fill='{colour}'/>");
                }
                continue;
            }
            svg += "<polyline points='";
            for &(x, y) in points {
                svg += &format!("{:.1},{:.1} ", self.across(x), self.upwards(y));
            }
            svg += &format!("' {}/>", stroke(i, dark));
        }
        if let Some((x, y)) = self.job() {
            line(&mut svg, "job", (x, self.top), (x, bottom));
            if let Some(y) = y {
                svg += &format!("<circle class='job' cx='{x:.1}' cy='{y:.1}' r='4.5'/>");
            }
        }
        svg + "</svg>"
    }

    /// The plot in words.
    fn describe(&self) -> String {
        let Plot {
            title, x, y, marks, ..
        } = self.plot;
        let mut text = format!("{title}. Across: {x}; up: {y}.");
        for (line, points) in self.plot.lines.iter().zip(&self.lines) {
            let (Some(first), Some(last)) = (points.first(), points.last()) else {
                continue;
            };
            let most = points
                .iter()
                .copied()
                .fold(*first, |most, p| if p.1 > most.1 { p } else { most });
            let name = if line.name.is_empty() {
                "The line"
            } else {
                &line.name
            };
            let [from, from_y, to, to_y, at, peak] =
                [first.0, first.1, last.0, last.1, most.0, most.1].map(format::significant);
            text.push_str(&format!(
                " {name}: from {from_y} at {from} to {to_y} at {to}, at most {peak} at {at}."
            ));
        }
        for mark in marks {
            text.push_str(&format!(
                " {} at {}.",
                mark.label,
                format::significant(mark.x)
            ));
        }
        if let Some(place) = self.plot.job_at {
            text.push_str(&format!(" The job is at {}", format::significant(place)));
            let height = self.lines.iter().find_map(|line| height_at(line, place));
            match height {
                Some(height) => text.push_str(&format!(", {} there.", format::significant(height))),
                None => text.push('.'),
            }
        }
        text
    }
}

fn label_width(label: &str) -> f64 {
    CHARACTER * label.chars().count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::policy::{Line, Mark};

    fn plot() -> Plot {
        let mark = |x: f64| Mark {
            x,
            label: "threshold of a queue".into(),
        };
        Plot {
            title: "Gittins index".into(),
            x: "attained service, GPU·s".into(),
            y: "index, 1 ∕ GPU·s".into(),
            lines: vec![Line {
                name: String::new(),
                points: vec![(0.0, 0.125), (4.0, 0.25), (f64::NAN, 1.0), (12.0, 0.05)],
                dots: false,
            }],
            marks: vec![mark(4.0), mark(5.0), mark(11.5)],
            job_at: Some(2.0),
        }
    }

    #[test]
    fn the_job_stands_on_the_line() {
        let plot = plot();
        let drawing = Drawing::of(&plot);
        let (x, y) = drawing.job().expect("it has a place");
        assert_eq!(x, drawing.across(2.0));
        let y = y.expect("the line reaches there");
        assert!((y - drawing.upwards(0.1875)).abs() < 1e-9);
        // Upwards is towards the top, and everything is inside.
        assert!(drawing.upwards(0.25) < drawing.upwards(0.05));
        assert!(drawing.upwards(0.25) >= drawing.top && drawing.upwards(0.0) <= HEIGHT - BOTTOM);
    }

    #[test]
    fn labels_of_marks_do_not_cover_each_other() {
        let plot = plot();
        let drawing = Drawing::of(&plot);
        let rows: Vec<usize> = drawing.marks.iter().map(|mark| mark.2).collect();
        assert_ne!(rows[0], rows[1]);
        let last = drawing.marks[2];
        assert!(drawing.ends_left(last.0, last.1));
    }

    #[test]
    fn what_a_policy_says_is_text_and_no_markup() {
        let mut plot = plot();
        plot.marks[0].label = "Q1 < Q2 & <b onclick='x'>".into();
        let svg = Drawing::of(&plot).svg(false);
        assert!(
            svg.contains("Q1 &lt; Q2 &amp; &lt;b onclick=&#39;x&#39;>"),
            "{svg}"
        );
        assert!(!svg.contains("<b "));
        assert_eq!(svg.matches("<polyline").count(), 1);
    }

    #[test]
    fn observations_are_not_joined() {
        let mut plot = plot();
        plot.lines[0].dots = true;
        let svg = Drawing::of(&plot).svg(false);
        assert_eq!(svg.matches("<polyline").count(), 0);
        // Three points and the job.
        assert_eq!(svg.matches("<circle").count(), 4);
    }

    #[test]
    fn it_says_in_words_what_it_shows() {
        let words = Drawing::of(&plot()).describe();
        assert!(
            words.contains("from 0.125 at 0 to 0.05 at 12, at most 0.25 at 4"),
            "{words}"
        );
        assert!(words.ends_with("The job is at 2, 0.188 there."), "{words}");
    }

    #[test]
    fn a_plot_without_points_is_an_empty_chart() {
        let plot = Plot {
            lines: Vec::new(),
            marks: Vec::new(),
            job_at: None,
            ..plot()
        };
        assert!(Drawing::of(&plot).job().is_none());
    }
}
