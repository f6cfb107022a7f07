//! How a trace's durations, GPUs and submissions are distributed, as three small bar charts. Made where traces are
//! opened, from bins.

use crate::format;
use serde::{Deserialize, Serialize};
use switchyard::Resource;
use switchyard::trace::{Bin, Distributions};

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

/// A bar chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bars {
    /// What it shows.
    pub title: String,
    /// The bars from left to right: what each stands for, and how many jobs.
    pub bars: Vec<(String, u32)>,
    /// Labels of the axis across, each at its distance from the left, in bars.
    pub labels: Vec<(f64, String)>,
    /// What it is of each job, by the name that it has in filters; "" where filters have none.
    pub field: String,
    /// What each bar counts of that: what is above the first and up to the second.
    pub bounds: Vec<(f64, f64)>,
}

impl Bars {
    /// The charts of durations, GPUs and hours; `utc`: whether hours are those of the day.
    pub fn of(distributions: &Distributions, utc: bool, unit: Resource) -> Vec<Self> {
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
        let bounds = |bins: &[Bin]| bins.iter().map(|bin| (bin.above, bin.to)).collect();
        vec![
            Self {
                title: "Duration".to_owned(),
                bars: durations(duration),
                labels: times(duration),
                field: "duration".to_owned(),
                bounds: bounds(duration),
            },
            Self {
                title: unit.words("GPUs").into_owned(),
                bars: counts(gpus, unit),
                labels: edges(gpus),
                field: "gpus".to_owned(),
                bounds: bounds(gpus),
            },
            Self {
                title: hours.to_owned(),
                bars: by_hour.collect(),
                labels: [0.0, 6.0, 12.0, 18.0, 24.0]
                    .map(|hour| (hour, format!("{hour}")))
                    .to_vec(),
                ..Self::default()
            },
        ]
    }

    /// The most jobs of a bar.
    pub fn most(&self) -> u32 {
        self.bars.iter().map(|bar| bar.1).max().unwrap_or(0)
    }

    /// The chart in words, for those who cannot see it.
    pub fn describe(&self) -> String {
        let all: u32 = self.bars.iter().map(|bar| bar.1).sum();
        let peak = self.bars.iter().find(|bar| bar.1 == self.most());
        let peak = peak.map_or("", |bar| bar.0.as_str());
        format!(
            "{}: {} in {} bars; most, {}, are of {peak}.",
            self.title,
            jobs(all),
            self.bars.len(),
            jobs(self.most())
        )
    }

    /// A bar in words.
    pub fn of_bar((name, count): &(String, u32)) -> String {
        format!("{name}: {}", jobs(*count))
    }
}

fn jobs(jobs: u32) -> String {
    format::counted(u64::from(jobs), "job", "jobs")
}

fn durations(bins: &[Bin]) -> Vec<Bar> {
    let bar = |bin: &Bin| {
        let [above, to] = [bin.above, bin.to].map(format::duration);
        (format!("{above} to {to}"), bin.jobs)
    };
    bins.iter().map(bar).collect()
}

fn counts(bins: &[Bin], unit: Resource) -> Vec<Bar> {
    let bar = |bin: &Bin| {
        let (least, most) = (bin.above + 1.0, bin.to);
        let name = if least >= most {
            format::counted(most as u64, &unit.words("GPU"), &unit.words("GPUs"))
        } else {
            format!("{least} to {most} {}", unit.words("GPUs"))
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
        let within = libm::log(time / above) / libm::log(bin.to / above);
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
        let charts = Bars::of(&distributions, true, Resource::Gpus);
        let [durations, gpus, hours] = charts.try_into().expect("three charts");
        assert_eq!(Bars::of_bar(&durations.bars[1]), "50 s to 100 s: 6 jobs");
        assert_eq!(
            durations.describe(),
            "Duration: 10 jobs in 3 bars; most, 6 jobs, are of 50 s to 100 s."
        );
        // A minute is within the second bar: 1 + log(60 ÷ 50) ÷ log 2.
        let (at, label) = &durations.labels[0];
        assert_eq!(label, "1 min");
        assert!((at - 1.263).abs() < 1e-3, "{at}");
        assert_eq!(gpus.bars[2], ("3 to 4 GPUs".to_owned(), 3));
        assert_eq!((&*gpus.field, gpus.bounds[2]), ("gpus", (2.0, 4.0)));
        assert!(hours.title.ends_with("hour of the day, UTC"));
        assert_eq!(hours.labels.len(), 5);
        let of_cores = Bars::of(&distributions, true, Resource::Cores);
        assert_eq!(of_cores[1].title, "cores");
    }
}
