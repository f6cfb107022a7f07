//! The timelines as one SVG picture, the schedulers above one another on one axis: what is saved. Rows of
//! GPUs are cut into columns as on the page, and neighbours of one colour are one shape; all GPUs are in it.

use super::By;
use super::gpus::{GpuRows, Pixel, PixelLine};
use super::jobs::JobRows;
use crate::draw::format;
use crate::draw::moments::Moments;
use crate::draw::on_stage::OnStage;
use crate::draw::palette;
use crate::draw::space::{Css, Point, Rect, Size};
use crate::draw::svg::{Anchor, ChartStyle, INCH, Paper, Svg};
use crate::stage::Stage;
use crate::time_axis::Window;
use std::fmt::Write;
use switchyard::job::JobId;
use switchyard_charts::CHARACTER;
use switchyard_charts::{LEAST_DAY, WEEKEND};

/// Columns to a CSS pixel.
const COLUMNS: f64 = 2.0;
/// Most rows of jobs.
const MOST_JOBS: usize = 120;
/// Heights of rows, in heights of the text.
const ROW: (f64, f64) = (0.08, 1.1);
/// The height that rows of jobs need to have names.
const NAMED: f64 = 0.9;
/// The widest mark on the axis of time, heights of the text.
const WIDEST: f64 = 6.2;
/// How high the rows of a scheduler are for the picture's width, if nothing speaks against it.
const ASPECT: f64 = 0.5;

/// What lies where.
struct Layout {
    look: ChartStyle,
    window: Window,
    /// Where rows begin and end, CSS pixels.
    left: f64,
    width: f64,
    row: f64,
}

impl Layout {
    fn x(&self, time: f64) -> f64 {
        self.left + self.width * self.window.part(time).clamp(0.0, 1.0)
    }
}

/// Between nodes, where rows are high enough to be told apart.
fn gap_of(row: f64, look: ChartStyle) -> f64 {
    if row < 0.3 * look.text {
        0.0
    } else {
        0.15 * look.text
    }
}

/// The jobs with something to show in a window, as far as there is room; and how many there are.
fn jobs_in(shown: OnStage<'_>, rows: &JobRows, window: Window) -> (Vec<JobId>, usize) {
    let jobs = shown.stage.workload.jobs.iter().enumerate();
    let reached = shown.run.reached().min(window.to);
    let lives = jobs.filter(|(at, job)| {
        job.submit.seconds() < reached && rows.over(JobId(*at as u32)) > window.from
    });
    let lives: Vec<JobId> = lives.map(|(at, _)| JobId(at as u32)).collect();
    let all = lives.len();
    (lives.into_iter().take(MOST_JOBS).collect(), all)
}

/// The picture of these runs.
pub(crate) fn svg(stage: &Stage, runs: &[u32], by: By, paper: Paper) -> String {
    let look = paper.look();
    let em = |heights: f64| heights * look.text;
    let width = paper.width * INCH;
    let shown: Vec<OnStage<'_>> = runs
        .iter()
        .filter_map(|&id| {
            Some(OnStage {
                stage,
                run: stage.run(id)?,
            })
        })
        .collect();
    let window = stage.window();
    let mut lists = Vec::new();
    for on in &shown {
        let mut rows = JobRows::default();
        rows.extend(&on.run.log, stage.workload.jobs.len());
        let (jobs, all) = jobs_in(*on, &rows, window);
        lists.push((rows, jobs, all));
    }
    let rows = match by {
        By::Gpu => stage.cluster.gpus() as usize,
        By::Job => lists
            .iter()
            .map(|(_, jobs, _)| jobs.len())
            .max()
            .unwrap_or(0),
    };
    let row = (width * ASPECT / rows.max(1) as f64).clamp(em(ROW.0), em(ROW.1));
    let left = em(match by {
        By::Gpu => 4.6,
        By::Job if row >= em(NAMED) => 7.0,
        By::Job => 1.0,
    });
    let layout = Layout {
        look,
        window,
        left,
        width: (width - left - em(1.0)).max(1.0),
        row,
    };
    let head = if paper.titled { em(2.0) } else { em(0.4) };
    let gaps = f64::from(stage.cluster.nodes()) * gap_of(row, look);
    let block = |rows: usize| em(1.8) + row * rows as f64;
    let high: f64 = match by {
        By::Gpu => (block(rows) + gaps) * shown.len() as f64,
        By::Job => lists.iter().map(|(_, jobs, _)| block(jobs.len())).sum(),
    };
    let size = Size::new(width, (head + high + em(3.6)).ceil());
    let label = &*format::units("Which job held which GPU when, under each scheduler");
    let mut svg = Svg::new(size, look, label);
    let ink = svg.chrome.text;
    if paper.titled {
        let at = Point::new(em(1.0), em(1.5));
        svg.text("Timeline", at, Anchor::Start, ink, "font-weight='600'");
    }
    for weekend in stage.moments().weekends(window, layout.width, LEAST_DAY) {
        let (from, to) = (layout.x(weekend.from), layout.x(weekend.to));
        svg.rect(&Rect::new(from, head, to - from, high), ink, WEEKEND);
    }
    let mut y = head;
    for (on, (rows, jobs, all)) in shown.iter().zip(&lists) {
        let mut name = on.run.name().to_owned();
        if by == By::Job && jobs.len() < *all {
            let _ = write!(name, " (the first {} of {all} jobs)", jobs.len());
        }
        svg.text(&name, Point::new(left, y + em(1.2)), Anchor::Start, ink, "");
        y += em(1.8);
        y += match by {
            By::Gpu => gpus(&mut svg, &layout, *on, y),
            By::Job => jobs_of(&mut svg, &layout, *on, (rows, jobs), y),
        };
    }
    time(&mut svg, &layout, stage.moments(), head, y);
    svg.finish()
}

/// The axis of time below the rows.
fn time(svg: &mut Svg, layout: &Layout, moments: &Moments, top: f64, y: f64) {
    let (faint, line) = (svg.chrome.faint, svg.chrome.line);
    let em = |heights: f64| heights * layout.look.text;
    let window = layout.window;
    let ticks = moments.ticks(window, (layout.width / em(WIDEST + 0.8)).max(1.0));
    svg.open("stroke-opacity='.5'");
    for (mark, _) in &ticks.marks {
        let x = layout.x(*mark);
        svg.line(
            Point::new(x, top),
            Point::new(x, y + em(0.4)),
            line,
            em(0.05),
        );
    }
    svg.close();
    for (mark, text) in &ticks.marks {
        let at = Point::new(layout.x(*mark), y + em(1.5));
        let half = em(CHARACTER * text.chars().count() as f64 / 2.0);
        if at.x + half <= layout.left + layout.width + em(1.0) {
            svg.text(text, at, Anchor::Middle, faint, "");
        }
    }
    let middle = Point::new(layout.left + layout.width / 2.0, y + em(3.0));
    svg.text(
        &moments.title(),
        middle,
        Anchor::Middle,
        svg.chrome.text,
        "",
    );
}

/// Rows of GPUs; returns how high they are.
fn gpus(svg: &mut Svg, layout: &Layout, shown: OnStage<'_>, top: f64) -> f64 {
    let OnStage { stage, run } = shown;
    let mut rows = GpuRows::new(&stage.cluster);
    rows.extend(&run.log, &run.bands, usize::MAX);
    let pixel = |hex: &str| {
        let [r, g, b] = palette::rgb(hex);
        [r, g, b, 255]
    };
    let line = PixelLine {
        log: &run.log,
        window: layout.window,
        reached: run.reached(),
        free: pixel(svg.chrome.free),
        unknown: pixel(svg.chrome.background),
        stripe: 2,
    };
    let dark = layout.look.dark;
    let colour = |job: JobId| pixel(palette::category(shown.category(job), dark));
    let columns = (layout.width * COLUMNS) as usize;
    let mut pixels = vec![line.unknown; columns];
    // Shapes by colour: from where, how wide, at which row, how many rows high.
    let mut shapes = Vec::new();
    let (first, em) = (rows.first().to_vec(), |h: f64| h * layout.look.text);
    let mut named_until = f64::NEG_INFINITY;
    for node in 0..first.len().saturating_sub(1) {
        let top = top + node as f64 * gap_of(layout.row, layout.look);
        let y = top + f64::from(first[node]) * layout.row;
        if y + em(1.0) > named_until {
            let at = Point::new(layout.left - em(0.4), y + em(0.9));
            svg.text(
                &format!("node {node}"),
                at,
                Anchor::End,
                svg.chrome.faint,
                "",
            );
            named_until = y + em(2.0);
        }
        let mut open: Option<(Vec<Pixel>, u32)> = None;
        let gpus = first[node + 1] - first[node];
        for gpu in 0..=gpus {
            let lane = rows.row(node as u32, gpu, 0).filter(|_| gpu < gpus);
            if let Some(lane) = lane {
                lane.paint(&line, colour, &mut pixels, |_, _, _| {});
            }
            let same = lane.is_some() && open.as_ref().is_some_and(|(of, _)| *of == pixels);
            if !same {
                if let Some((of, from)) = open.take() {
                    let y = top + f64::from(first[node] + from) * layout.row;
                    let h = f64::from(gpu - from) * layout.row;
                    put(&mut shapes, &of, &line, layout.left, y, h);
                }
                open = lane.map(|_| (pixels.clone(), gpu));
            }
        }
    }
    for ([r, g, b, _], d) in shapes {
        svg.fill(&d, &format!("#{r:02x}{g:02x}{b:02x}"));
    }
    let gaps = f64::from(stage.cluster.nodes()) * gap_of(layout.row, layout.look);
    layout.row * f64::from(stage.cluster.gpus()) + gaps
}

/// Puts a line of pixels among the shapes.
fn put(
    shapes: &mut Vec<(Pixel, String)>,
    pixels: &[Pixel],
    line: &PixelLine<'_>,
    left: f64,
    y: f64,
    h: f64,
) {
    let mut from = 0;
    for run in pixels.chunk_by(|a, b| a == b) {
        if run[0] != line.unknown {
            let (x, w) = (left + from as f64 / COLUMNS, run.len() as f64 / COLUMNS);
            let known = shapes.iter().position(|(colour, _)| *colour == run[0]);
            let at = known.unwrap_or(shapes.len());
            if at == shapes.len() {
                shapes.push((run[0], String::new()));
            }
            let d = &mut shapes[at].1;
            // Writing to a string does not fail.
            let _ = write!(d, "M{x:.1} {y:.2}h{w}v{h:.2}h-{w}z");
        }
        from += run.len();
    }
}

/// Rows of jobs; returns how high they are.
fn jobs_of(
    svg: &mut Svg,
    layout: &Layout,
    shown: OnStage<'_>,
    (rows, jobs): (&JobRows, &[JobId]),
    top: f64,
) -> f64 {
    let run = shown.run;
    let em = |heights: f64| heights * layout.look.text;
    let (row, faint) = (layout.row, svg.chrome.faint);
    for (at, &job) in jobs.iter().enumerate() {
        let y = top + at as f64 * row;
        if row >= em(NAMED) {
            let name: String = shown
                .name(job)
                .unwrap_or_default()
                .chars()
                .take(11)
                .collect();
            let foot = Point::new(layout.left - em(0.4), y + row * 0.8);
            svg.text(&name, foot, Anchor::End, faint, "");
        }
        let colour = palette::category(shown.category(job), layout.look.dark);
        let over = rows.over(job).min(run.reached());
        let record = &shown.stage.workload.jobs[job.index()];
        let bar = |from: f64, to: f64, h: f64| -> Option<Rect<Css>> {
            let (from, to) = (layout.x(from), layout.x(to));
            (to > from).then(|| Rect::new(from, y + (row - h) / 2.0, (to - from).max(0.3), h))
        };
        let mut waits_from = record.submit.seconds();
        for segment in run
            .segments(job)
            .iter()
            .map(|&at| run.log.segment(at as usize))
        {
            let (start, end) = (segment.start.seconds(), segment.end.seconds());
            if let Some(bar) = bar(waits_from, start, row * 0.2) {
                svg.rect(&bar, colour, 0.45);
            }
            if let Some(bar) = bar(start, end.min(run.reached()), row * 0.8) {
                svg.rect(&bar, colour, 1.0);
            }
            waits_from = end;
        }
        if let Some(bar) = bar(waits_from, over, row * 0.2) {
            svg.rect(&bar, colour, 0.45);
        }
    }
    row * jobs.len() as f64
}
