//! A curve ([`Plot`]) as a picture for a paper, and as the numbers that are drawn.

use super::charts::{CHARACTER, LINE, SWATCH, axes_of, dashed, drawn, height_at, rows};
use super::format::{cut, quoted};
use super::palette;
use super::space::{Css, Point, Rect};
use super::svg::{Anchor, Paper, Svg};
use switchyard::tell::Plot;

/// The picture's height to its width.
const ASPECT: f64 = 0.66;
/// The gaps before a name and behind it, heights of the text.
const GAPS: f64 = 1.6;
/// Dashes of lines in their order, widths of the stroke on and off.
const DASHES: [&[f64]; 3] = [&[], &[4.5, 2.5], &[1.2, 1.8]];

/// The picture, as SVG; `words` say what it shows.
pub fn svg(plot: &Plot, paper: &Paper, words: &str) -> String {
    let size = paper.size(ASPECT);
    let mut svg = Svg::new(size, paper.look(), words);
    let chrome = svg.chrome;
    let lines = drawn(plot);
    let marks = || plot.marks.iter().filter(|mark| mark.x.is_finite());
    let job = plot.job_at.filter(|x| x.is_finite());
    let (mut x, mut y) = axes_of(plot, &lines);

    let em = |heights: f64| heights * paper.look().text;
    let left = em(2.3 + CHARACTER * y.widest_label() as f64);
    let title = if paper.titled { 2.0 } else { 0.0 };
    let (labels, names) = names(plot, size.w / em(1.0) - 2.0);
    // Each mark's label has a row of its own, so that none covers another.
    let above = title + LINE * (names.len() + marks().count()) as f64;
    let top = em(0.8 + above);
    let bottom = size.h - em(3.4);
    let area = Rect::new(
        left,
        top,
        (size.w - left - em(1.2)).max(1.0),
        (bottom - top).max(1.0),
    );
    x.thin_out((area.w / em(4.5)) as usize);
    y.thin_out((area.h / em(2.0)) as usize);
    let place = |at: f64, value: f64| Point::new(x.across(&area, at), y.upwards(&area, value));

    if paper.titled {
        let at = Point::new(em(1.0), em(1.7));
        svg.text(
            &plot.title,
            at,
            Anchor::Start,
            chrome.text,
            "font-weight='600'",
        );
    }
    for (row, members) in names.iter().enumerate() {
        let mut from = em(1.0);
        for &i in members {
            let middle = em(1.1 + title + LINE * row as f64);
            let end = Point::new(from + em(SWATCH), middle);
            if plot.lines[i].dots {
                let colour = palette::run_colour(i, paper.dark);
                let dot = Point::new(from + em(SWATCH / 2.0), middle);
                svg.dot(dot, em(0.25), &format!("fill='{colour}'"));
            } else {
                svg.path(&[Point::new(from, middle), end], &stroke(i, paper));
            }
            let foot = Point::new(end.x + em(0.4), middle + em(0.35));
            svg.text(&labels[i], foot, Anchor::Start, chrome.text, "");
            from += em(name_width(&labels[i]));
        }
    }
    for &tick in y.ticks() {
        let at = y.upwards(&area, tick);
        svg.line(
            Point::new(area.x, at),
            Point::new(area.right(), at),
            chrome.free,
            0.6,
        );
        let foot = Point::new(area.x - em(0.5), at + em(0.35));
        svg.text(&y.tick_label(tick), foot, Anchor::End, chrome.faint, "");
    }
    for &tick in x.ticks() {
        let at = x.across(&area, tick);
        svg.line(
            Point::new(at, area.y),
            Point::new(at, bottom),
            chrome.free,
            0.6,
        );
        let foot = Point::new(at, bottom + em(1.4));
        svg.text(&x.tick_label(tick), foot, Anchor::Middle, chrome.faint, "");
    }
    let corner = Point::new(area.x, bottom);
    svg.line(Point::new(area.x, area.y), corner, chrome.line, 0.8);
    svg.line(corner, Point::new(area.right(), bottom), chrome.line, 0.8);
    for (row, mark) in marks().enumerate() {
        let at = x.across(&area, mark.x);
        let foot = em(1.5 + title + LINE * (names.len() + row) as f64);
        let dashed = format!(
            "stroke='{}' stroke-width='0.8' stroke-dasharray='3 3'",
            chrome.faint
        );
        svg.path(&[Point::new(at, foot), Point::new(at, bottom)], &dashed);
        let fits = at + em(0.3 + CHARACTER * mark.label.chars().count() as f64) < size.w;
        let (anchor, aside) = match fits {
            true => (Anchor::Start, em(0.3)),
            false => (Anchor::End, -em(0.3)),
        };
        svg.text(
            &mark.label,
            Point::new(at + aside, foot),
            anchor,
            chrome.faint,
            "",
        );
    }
    for (i, (line, points)) in plot.lines.iter().zip(&lines).enumerate() {
        let points: Vec<Point<Css>> = points.iter().map(|&(x, y)| place(x, y)).collect();
        if line.dots {
            let colour = palette::run_colour(i, paper.dark);
            for &point in &points {
                svg.dot(point, em(0.25), &format!("fill='{colour}'"));
            }
        } else {
            svg.path(&points, &stroke(i, paper));
        }
    }
    if let Some(job) = job {
        let at = x.across(&area, job);
        svg.line(
            Point::new(at, area.y),
            Point::new(at, bottom),
            chrome.text,
            0.8,
        );
        if let Some(height) = lines.iter().find_map(|line| height_at(line, job)) {
            let fill = format!("fill='{}'", chrome.text);
            svg.dot(place(job, height), em(0.35), &fill);
        }
    }
    let below = Point::new(area.middle().x, bottom + em(2.9));
    svg.text(&plot.x, below, Anchor::Middle, chrome.text, "");
    svg.upright(&plot.y, Point::new(em(1.2), area.middle().y), chrome.text);
    svg.finish()
}

/// The numbers that are drawn: a row a point.
pub fn csv(plot: &Plot) -> String {
    let mut csv = format!("line,{},{}\n", quoted(&plot.x), quoted(&plot.y));
    for (line, points) in plot.lines.iter().zip(drawn(plot)) {
        for (x, y) in points {
            csv += &format!("{},{x},{y}\n", quoted(&line.name));
        }
    }
    csv
}

/// The names of lines, cut to the room of a row, and their rows above the plot, where there are several.
fn names(plot: &Plot, room: f64) -> (Vec<String>, Vec<Vec<usize>>) {
    let most = ((room - SWATCH - GAPS) / CHARACTER).max(3.0) as usize;
    let names = plot.lines.iter().filter(|_| plot.lines.len() > 1);
    let names: Vec<String> = names.map(|line| cut(&line.name, most)).collect();
    let rows = rows(names.iter().map(|name| name_width(name)), room);
    (names, rows)
}

/// The width of a name with the stroke before it and the gaps, heights of the text.
fn name_width(name: &str) -> f64 {
    SWATCH + GAPS + CHARACTER * name.chars().count() as f64
}

fn stroke(i: usize, paper: &Paper) -> String {
    let colour = palette::run_colour(i, paper.dark);
    dashed(colour, paper.look().text / 6.5, DASHES[i % DASHES.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::tell::{Line, Mark};

    fn plot() -> Plot {
        let line = |name: &str| Line::new(name, vec![(0.0, 1.0), (8.0, f64::NAN), (16.0, 3.0)]);
        Plot {
            marks: vec![Mark {
                x: 8.0,
                label: "M0".to_owned(),
            }],
            job_at: Some(4.0),
            ..Plot::new("A < B", "batch", "goodput", vec![line("one"), line("two")])
        }
    }

    #[test]
    fn a_picture_says_what_is_drawn() {
        let svg = svg(&plot(), &Paper::COLUMN, "in words");
        for part in [
            "width='3.5in'",
            ">batch<",
            ">goodput<",
            ">one<",
            ">two<",
            ">M0<",
        ] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("A &lt; B"), "{svg}");
        // The job stands on the first line.
        assert_eq!(svg.matches("<circle").count(), 1);
        let titled = Paper {
            titled: true,
            ..Paper::COLUMN
        };
        assert!(super::svg(&plot(), &titled, "").contains(">A &lt; B<"));
    }

    #[test]
    fn a_long_name_is_cut_in_the_picture_alone() {
        let mut plot = plot();
        plot.lines[0].name = "a name that no column has room for ".repeat(4);
        let name = &plot.lines[0].name;
        let svg = svg(&plot, &Paper::COLUMN, "");
        assert!(!svg.contains(name.as_str()) && svg.contains('…'), "{svg}");
        let room = Paper::COLUMN.size(ASPECT).w / Paper::COLUMN.look().text;
        let cut = svg
            .split('…')
            .next()
            .and_then(|part| part.rsplit('>').next());
        let cut = cut.expect("it is a text").chars().count() + 1;
        assert!(SWATCH + CHARACTER * cut as f64 <= room, "{cut} letters");
        assert!(csv(&plot).contains(name.as_str()));
    }

    #[test]
    fn a_plot_without_points_is_a_picture_too() {
        let nothing = Plot::new("", "x", "y", Vec::new());
        assert!(svg(&nothing, &Paper::COLUMN, "").ends_with("</svg>"));
        assert_eq!(csv(&nothing), "line,\"x\",\"y\"\n");
    }

    #[test]
    fn every_point_is_in_the_table() {
        assert_eq!(csv(&plot()).lines().count(), 5, "NaN is not drawn");
        assert_eq!(csv(&plot()).lines().nth(1), Some("\"one\",0,1"));
    }
}
