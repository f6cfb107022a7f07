//! A figure's opening moment as SVG: who had which GPU until then, a panel for each run; of the goodput
//! model, what it says of its applications. It stands where the figure does until that has loaded, without
//! scripts, and on paper.

use crate::colours::COLOURS;
use crate::run::Run;
use pulldown_cmark_escape::escape_html;
use std::fmt::Write;
use std::rc::Rc;
use switchyard::workload::Application;
use switchyard::workload::application::packed;
use switchyard_app::format;
use switchyard_charts::colours::{category, ink_on, job_category};
use switchyard_charts::lines::{self, Lines};

const WIDTH: f64 = 720.0;
const LEFT: f64 = 8.0;
const TITLE: f64 = 20.0;
const AXIS: f64 = 20.0;
/// The least and the greatest height of a panel's bars.
const BARS: (f64, f64) = (64.0, 140.0);

/// More stays than these are no longer told apart.
const MOST: usize = 4_000;

/// The still of these runs at a moment, or at their end; none of runs too large to be seen in one.
pub(crate) fn of(runs: &[Rc<Run>], moment: Option<f64>) -> Option<String> {
    if runs.is_empty() || runs.iter().any(|run| run.log.segments() > MOST) {
        return None;
    }
    // A run that leaves jobs behind has an end, too, if no makespan.
    let ends = runs.iter().filter_map(|run| {
        let times = run.log.event_times();
        Some(times.last()? - times.first()?)
    });
    let until = moment.filter(|moment| *moment > 0.0);
    let until = until
        .unwrap_or(ends.fold(0.0, f64::max))
        .max(f64::MIN_POSITIVE);
    let mut svg = String::new();
    let mut top = 0.0;
    for run in runs {
        top = panel(&mut svg, run, top, until).ok()?;
    }
    Some(whole(&svg, top))
}

/// What the goodput model says of Pollux' applications: how much faster than on one GPU they make progress
/// on more, each with the best batch halfway through its training; and how that batch grows on 16 GPUs.
pub(crate) fn of_models() -> Option<String> {
    const GPUS: u32 = 16;
    let best = |of: &Application, gpus, epoch| of.best_choice(&packed(gpus, 4), epoch);
    let (mut faster, mut larger) = (Vec::new(), Vec::new());
    for of in Application::embedded() {
        let half = of.epochs() / 2;
        let alone = best(&of, 1, half)?.goodput;
        let on = |gpus| Some((f64::from(gpus), best(&of, gpus, half)?.goodput / alone));
        faster.push((
            of.name.to_string(),
            (1..=GPUS).map(on).collect::<Option<Vec<_>>>()?,
        ));
        let last = of.epochs().saturating_sub(1).max(1);
        let batch = |epoch| Some(best(&of, GPUS, epoch)?.batch.total(GPUS));
        let first = batch(0)?;
        let then = |at: u32| {
            let percent = f64::from(at) * 5.0;
            let epoch = f64::from(last) * percent / 100.0;
            Some((percent, batch(epoch as u32)? / first))
        };
        larger.push((
            of.name.to_string(),
            (0..=20).map(then).collect::<Option<Vec<_>>>()?,
        ));
    }
    let charts = [
        Lines {
            title: "Progress, times that on one GPU (4 GPUs a node)",
            x: "GPUs",
            lines: faster,
        },
        Lines {
            title: "Best batch on 16 GPUs, times that at the beginning",
            x: "% of the training",
            lines: larger,
        },
    ];
    Some(lines::svg(&charts, &COLOURS))
}

fn whole(svg: &str, height: f64) -> String {
    // The page's colours of text, by day and night.
    let style = "<style>text{font:12px system-ui,sans-serif;fill:#1a1d21}.on{fill:#101215}.over{fill:#fff}\
         .f{fill:#eceef0}.a{fill:#5c6570}\
         @media(prefers-color-scheme:dark){text{fill:#e6e8eb}\
         .on{fill:#101215}.over{fill:#fff}.f{fill:#23272d}.a{fill:#9aa3af}}</style>";
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\">{style}{svg}</svg>\n"
    )
}

/// One run; where the next panel begins.
fn panel(svg: &mut String, run: &Run, top: f64, until: f64) -> Result<f64, std::fmt::Error> {
    let cluster = &run.prepared.cluster;
    let sizes: Vec<u32> = cluster.gpus_per_node().collect();
    let rows = f64::from(cluster.gpus());
    let row = (BARS.1 / rows).clamp(BARS.0 / 64.0, 24.0);
    let bars = top + TITLE;
    let width = WIDTH - 2.0 * LEFT;
    let x = |seconds: f64| LEFT + width * (seconds / until).min(1.0);

    let mut title = String::new();
    escape_html(&mut title, &run.result.policy)?;
    write!(
        svg,
        "<text x=\"{LEFT}\" y=\"{}\">{title}</text>",
        bars - 6.0
    )?;
    let height = rows * row;
    write!(
        svg,
        "<rect class=\"f\" x=\"{LEFT}\" y=\"{bars:.1}\" width=\"{width}\" height=\"{height:.1}\"/>"
    )?;
    let jobs = &run.prepared.workload.jobs;
    for stay in (0..run.log.segments()).map(|i| run.log.segment(i)) {
        let (start, end) = (stay.start.seconds(), stay.end.seconds());
        if start >= until {
            continue;
        }
        // As the figure has it once it lives.
        let colour = category(job_category(stay.job.0), false);
        let ink = match ink_on(colour) {
            "#000000" => "on",
            _ => "over",
        };
        let mut is_named = false;
        for part in stay.gpus {
            let above: u32 = sizes[..part.node as usize].iter().sum();
            for (first, count) in stretches(part.mask) {
                let y = bars + f64::from(above + first) * row;
                let wide = (x(end) - x(start)).max(0.3);
                let high = f64::from(count) * row;
                write!(
                    svg,
                    "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" fill=\"{colour}\"/>",
                    x(start)
                )?;
                let name = &jobs[stay.job.index()].name;
                if !is_named && high >= 12.0 && wide > 8.0 * name.len() as f64 {
                    is_named = true;
                    let mut text = String::new();
                    escape_html(&mut text, name)?;
                    let (x, y) = (x(start) + 4.0, y + high / 2.0 + 4.0);
                    write!(
                        svg,
                        "<text class=\"{ink}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
                    )?;
                }
            }
        }
    }
    let unit = format::span_unit(until);
    for fifth in 0..=4 {
        let at = until * f64::from(fifth) / 4.0;
        let anchor = ["start", "middle", "middle", "middle", "end"][fifth as usize];
        write!(
            svg,
            "<text class=\"a\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            x(at),
            bars + height + 14.0,
            format::with_unit(at / unit.seconds, unit.name),
        )?;
    }
    Ok((bars + height + AXIS).ceil())
}

/// GPUs that lie side by side: the first, and how many.
fn stretches(mask: u64) -> Vec<(u32, u32)> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    for gpu in (0..64).filter(|gpu| mask >> gpu & 1 == 1) {
        match found.last_mut() {
            Some((first, count)) if *first + *count == gpu => *count += 1,
            _ => found.push((gpu, 1)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{of_models, stretches};

    #[test]
    fn the_model_is_drawn_with_all_its_applications() {
        let svg = of_models().unwrap_or_default();
        for name in ["cifar10", "ncf", "bert"] {
            assert_eq!(svg.matches(&format!(">{name}</text>")).count(), 2, "{name}");
        }
        assert!(!svg.contains("NaN"), "{svg}");
    }

    #[test]
    fn neighbours_are_one_bar() {
        assert_eq!(stretches(0b1011), [(0, 2), (3, 1)]);
        assert_eq!(stretches(u64::MAX), [(0, 64)]);
    }
}
