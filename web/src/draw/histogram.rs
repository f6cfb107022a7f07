//! How a trace's durations, GPUs and submissions are distributed, as three small bar charts: SVG
//! text without colours, which the style sheet gives. Made where traces are opened, from bins.
//!
//! Each bar says on hover what it counts.

use super::format;
use std::fmt::Write;
use switchyard::trace::{Bin, Distributions};

/// Sizes in CSS pixels, as wide as the rail.
const WIDTH: f64 = 246.0;
const HEIGHT: f64 = 64.0;
/// Below the bars, for the labels.
const FOOT: f64 = 14.0;
/// Labels are at least this far from each other.
const APART: f64 = 30.0;

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3600.0;
const DAY: f64 = 86_400.0;

/// Times worth a label on the axis of durations.
const TIMES: [(f64, &str); 9] = [
    (1.0, "1 s"),
    (10.0, "10 s"),
    (MINUTE, "1 min"),
    (10.0 * MINUTE, "10 min"),
    (HOUR, "1 h"),
    (10.0 * HOUR, "10 h"),
    (DAY, "1 d"),
    (10.0 * DAY, "10 d"),
    (100.0 * DAY, "100 d"),
];

/// A bar: what it stands for, and how many jobs.
type Bar = (String, u32);

/// The charts of durations, GPUs and hours; `utc`: whether hours are those of the day.
pub fn of(distributions: &Distributions, utc: bool) -> Vec<String> {
    let Distributions {
        duration,
        gpus,
        hour,
    } = distributions;
    let hours = if utc {
        "Submissions by hour of the day, UTC"
    } else {
        "Submissions by hour since the first"
    };
    let by_hour = hour.iter().enumerate();
    let by_hour = by_hour.map(|(hour, &jobs)| (format!("{hour} to {} h", hour + 1), jobs));
    vec![
        chart("Duration", &durations(duration), &times(duration)),
        chart(&format::units("GPUs"), &counts(gpus), &edges(gpus)),
        chart(
            hours,
            &by_hour.collect::<Vec<_>>(),
            &[0.0, 6.0, 12.0, 18.0, 24.0].map(|hour| (hour, format!("{hour}"))),
        ),
    ]
}

fn durations(bins: &[Bin]) -> Vec<Bar> {
    let bar = |bin: &Bin| {
        let [above, to] = [bin.above, bin.to].map(format::duration);
        (format!("{above} to {to}"), bin.jobs)
    };
    bins.iter().map(bar).collect()
}

fn counts(bins: &[Bin]) -> Vec<Bar> {
    let bar = |bin: &Bin| {
        let (least, most) = (bin.above + 1.0, bin.to);
        let name = if least >= most {
            format::counted(most as u64, "GPU", "GPUs")
        } else {
            format!("{least} to {most} {}", format::units("GPUs"))
        };
        (name, bin.jobs)
    };
    bins.iter().map(bar).collect()
}

/// Labels of durations, each at its place between two bounds of bars.
fn times(bins: &[Bin]) -> Vec<(f64, String)> {
    let place = |time: f64| {
        let at = bins.iter().position(|bin| time <= bin.to)?;
        let bin = bins.get(at)?;
        // The first bin begins at 0, which a logarithmic axis does not reach.
        let above = if bin.above > 0.0 {
            bin.above
        } else {
            bin.to / 2.0
        };
        let within = (time / above).ln() / (bin.to / above).ln();
        (within >= 0.0).then_some(at as f64 + within)
    };
    let labels = TIMES.iter();
    labels
        .filter_map(|&(time, name)| Some((place(time)?, name.to_string())))
        .collect()
}

/// Labels of GPUs: the most of each bar, in its middle.
fn edges(bins: &[Bin]) -> Vec<(f64, String)> {
    let label = |(at, bin): (usize, &Bin)| (at as f64 + 0.5, format::count(bin.to as u64));
    bins.iter().enumerate().map(label).collect()
}

/// A chart under its title; labels are at their distance from the left, in bars.
fn chart(title: &str, bars: &[Bar], labels: &[(f64, String)]) -> String {
    let most = bars.iter().map(|bar| bar.1).max().unwrap_or(0);
    let all: u32 = bars.iter().map(|bar| bar.1).sum();
    let peak = bars.iter().find(|bar| bar.1 == most);
    let peak = peak.map_or("", |bar| bar.0.as_str());
    let width = WIDTH / bars.len().max(1) as f64;
    let jobs = |jobs: u32| format::counted(u64::from(jobs), "job", "jobs");
    let mut svg = format!(
        "<svg viewBox='0 0 {WIDTH} {HEIGHT}' role='img' aria-label='{title}: {} in {} bars; most, {}, are of {peak}.'>",
        jobs(all),
        bars.len(),
        jobs(most)
    );
    let base = HEIGHT - FOOT;
    for (at, (name, count)) in bars.iter().enumerate() {
        let height = if most == 0 {
            0.0
        } else {
            base * f64::from(*count) / f64::from(most)
        };
        // What is there is to be seen, however little.
        let height = if *count > 0 && height < 1.0 {
            1.0
        } else {
            height
        };
        let x = at as f64 * width;
        // Writing into memory does not fail.
        let _ = write!(
            svg,
            "<g><title>{name}: {}</title><rect class='room' x='{x:.1}' y='0' width='{width:.1}' height='{base}'/><rect x='{:.1}' y='{:.1}' width='{:.1}' height='{height:.1}'/></g>",
            jobs(*count),
            x + 0.5,
            base - height,
            width - 1.0
        );
    }
    let mut last = f64::NEG_INFINITY;
    for (at, label) in labels {
        let x = at * width;
        if x - last < APART {
            continue;
        }
        last = x;
        let anchor = match x {
            x if x < 12.0 => "start",
            x if x > WIDTH - 12.0 => "end",
            _ => "middle",
        };
        let _ = write!(
            svg,
            "<text x='{x:.1}' y='{}' text-anchor='{anchor}'>{label}</text>",
            HEIGHT - 3.0
        );
    }
    format!("<figcaption>{title}</figcaption>{svg}</svg>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bin(above: f64, to: f64, jobs: u32) -> Bin {
        Bin { above, to, jobs }
    }

    #[test]
    fn a_bar_for_each_bin_and_a_label_where_its_value_is() {
        let distributions = Distributions {
            duration: vec![
                bin(20.0, 50.0, 3),
                bin(50.0, 100.0, 6),
                bin(100.0, 200.0, 1),
            ],
            gpus: vec![bin(0.0, 1.0, 7), bin(1.0, 2.0, 0), bin(2.0, 4.0, 3)],
            hour: (0..24).collect(),
        };
        let [durations, gpus, hours] = of(&distributions, true).try_into().expect("three charts");
        assert_eq!(durations.matches("<g>").count(), 3);
        assert!(
            durations.contains("<title>50 s to 100 s: 6 jobs</title>"),
            "{durations}"
        );
        assert!(
            durations.contains("Duration: 10 jobs in 3 bars; most, 6 jobs, are of 50 s to 100 s."),
            "{durations}"
        );
        // A minute is within the second bar: 82 + 82 × log(60 ÷ 50) ÷ log 2.
        assert!(
            durations.contains("<text x='103.6' y='61' text-anchor='middle'>1 min</text>"),
            "{durations}"
        );
        assert!(gpus.contains("3 to 4 GPUs: 3 jobs"), "{gpus}");
        assert!(hours.contains("hour of the day, UTC"), "{hours}");
        assert_eq!(hours.matches("<text").count(), 5);
    }

    #[test]
    fn the_smallest_bar_is_seen_and_none_is_higher_than_the_chart() {
        let bars = [("few".to_string(), 1), ("many".to_string(), 1_000_000)];
        let svg = chart("t", &bars, &[]);
        assert!(svg.contains("height='1.0'"), "{svg}");
        assert!(svg.contains("height='50.0'"), "{svg}");
        assert!(!chart("t", &[], &[]).contains("NaN"));
    }
}
