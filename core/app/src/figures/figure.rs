//! What a chart of runs shows, worked out once per change of data.

use super::axis::Axis;
use super::names;
use super::series::{self, Band, Points};
use super::{Chart, Compared, Comparison};
use crate::format::{self, quoted};
use crate::moments::ELAPSED;
use crate::window::Window;
use std::borrow::Cow;
use switchyard::engine::{EventKind, RunLog};
use switchyard::report::{Outcomes, percentile};
use switchyard::{Resource, order};

/// Sizes of gangs that are charted apart, and their upper ends.
const GANGS: [&str; 5] = ["1", "2", "3–4", "5–8", "> 8"];
const GANG_ENDS: [u32; 4] = [1, 2, 4, 8];

/// The sizes of a class of [`Chart::JctByGang`]: from the first on, below the second; `None` where there is no such class.
pub fn gang_class(at: usize) -> Option<(u32, Option<u32>)> {
    let from = match at.checked_sub(1) {
        None => 0,
        Some(before) => GANG_ENDS.get(before)? + 1,
    };
    Some((from, GANG_ENDS.get(at).map(|end| end + 1)))
}

/// A chart's axes and marks, free of any size or theme.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Which chart.
    pub chart: Chart,
    /// What jobs occupy.
    pub unit: Resource,
    /// Across.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// One per run, in the order of the page's list.
    pub series: Vec<Series>,
}

/// One run in a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name, as short as it can be and still be told from the others.
    pub name: String,
    /// Its hue: the colour and the dashes that it has everywhere.
    pub hue: usize,
    /// Whether the run has ended; if not, this is what is known so far.
    pub complete: bool,
    /// Its marks.
    pub marks: Marks,
}

/// What is drawn of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Marks {
    /// A line, with the least and most around it where it is a mean.
    Line(Points, Band),
    /// One range per category that has jobs.
    Ranges(Vec<RangeMark>),
}

impl Marks {
    /// The points of its line.
    pub fn points(&self) -> &[(f64, f64)] {
        match self {
            Self::Line(points, _) => points,
            Self::Ranges(_) => &[],
        }
    }

    /// The least and the most around them.
    pub fn band(&self) -> &[(f64, f64, f64)] {
        match self {
            Self::Line(_, band) => band,
            Self::Ranges(_) => &[],
        }
    }

    /// Its ranges.
    pub fn ranges(&self) -> &[RangeMark] {
        match self {
            Self::Line(..) => &[],
            Self::Ranges(ranges) => ranges,
        }
    }
}

/// Percentiles of one category.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RangeMark {
    /// The category.
    pub x: f64,
    /// 25th percentile.
    pub p25: f64,
    /// 50th percentile.
    pub median: f64,
    /// 75th percentile.
    pub p75: f64,
    /// 95th percentile.
    pub p95: f64,
}

impl Figure {
    /// The chart of all runs, of all of time.
    pub fn of(chart: Chart, of: &Comparison<'_>) -> Self {
        Self::within(chart, of, Window::new(0.0, of.end))
    }

    /// The chart of all runs, over time within a window.
    pub fn within(chart: Chart, of: &Comparison<'_>, window: Window) -> Self {
        let marks = |run: &Compared<'_>| match chart {
            Chart::JctCdf => line(series::cdf(of.known(&run.outcomes(of).jct))),
            Chart::WaitCdf => line(series::cdf(of.known(&run.outcomes(of).queueing))),
            Chart::RhoCdf => line(series::cdf(of.known(&run.outcomes(of).rho))),
            Chart::JctByGang => Marks::Ranges(by_gang(of, &run.outcomes(of))),
            Chart::JctByType => Marks::Ranges(ranges(run.types(of).into_iter().map(|of| of.jct))),
            Chart::Lost => lost(of, run, window),
            Chart::Queue => match of.only {
                Some(_) => some_over_time(of, run, window, |of| f64::from(of.waiting)),
                None => over_time(run, window, |log, i| f64::from(log.sample_waiting()[i])),
            },
            Chart::Allocation => {
                let gpus = f64::from(of.cluster.gpus());
                match of.only {
                    Some(_) => some_over_time(of, run, window, |of| of.gpus / gpus),
                    None => over_time(run, window, |log, i| f64::from(log.sample_gpus()[i]) / gpus),
                }
            }
        };
        let series: Vec<Series> = of
            .runs
            .iter()
            .map(|run| Series {
                name: run.name.to_owned(),
                hue: run.hue,
                complete: run.results.is_some(),
                marks: marks(run),
            })
            .collect();
        let (mut x, mut y) = axes(chart, &series, of, window);
        for axis in [&mut x, &mut y] {
            axis.title = of.unit.words(&axis.title).into_owned().into();
        }
        Self {
            chart,
            unit: of.unit,
            x,
            y,
            series,
        }
    }

    /// What it shows.
    pub fn title(&self) -> Cow<'static, str> {
        self.chart.title(self.unit)
    }

    /// Whether there is nothing to see yet.
    pub fn is_empty(&self) -> bool {
        let marks = |series: &Series| series.marks.points().len() + series.marks.ranges().len();
        self.series.iter().all(|series| marks(series) == 0)
    }

    /// What every run says at `x`: its position in the list and the words; and `x` in words.
    pub fn readout(&self, x: f64) -> (String, Vec<(usize, String)>) {
        let head = match self.chart {
            Chart::JctByGang => format!("{} {}", self.x.label(x), self.unit.words("GPUs")),
            Chart::JctByType => self.x.label(x),
            Chart::JctCdf | Chart::WaitCdf | Chart::RhoCdf => format!("≤ {}", self.x.label(x)),
            Chart::Queue | Chart::Allocation | Chart::Lost => self.x.moment(x),
        };
        let words = |series: &Series| match &series.marks {
            Marks::Line(points, _) => {
                let beyond = || {
                    (!self.chart.is_over_time())
                        .then(|| f64::from(points.first().is_some_and(|p| p.0 <= x)))
                };
                let value = (!points.is_empty())
                    .then(|| series::at(points, x).or_else(beyond))
                    .flatten();
                value.map(|value| self.y.label(value))
            }
            Marks::Ranges(ranges) => {
                ranges
                    .iter()
                    .find(|range| range.x == x.round())
                    .map(|range| {
                        let [median, p25, p75] =
                            [range.median, range.p25, range.p75].map(format::duration);
                        format!("{median} ({p25} – {p75})")
                    })
            }
        };
        let rows = self.series.iter().enumerate();
        (
            head,
            rows.map(|(i, series)| (i, words(series).unwrap_or_else(|| "–".into())))
                .collect(),
        )
    }

    /// Exactly what is drawn, as a table: a row a point of a line or a range.
    pub fn csv(&self) -> String {
        let ranges = matches!(
            self.series.first().map(|of| &of.marks),
            Some(Marks::Ranges(_))
        );
        let mut csv = if ranges {
            format!("series,{},p25,median,p75,p95\n", quoted(&self.x.title))
        } else {
            // Its numbers are seconds, whatever the axis says of them.
            let x = match self.chart.is_over_time() {
                true => ELAPSED,
                false => &self.x.title,
            };
            let [x, y] = [x, &self.y.title].map(quoted);
            format!("series,{x},{y},least,most\n")
        };
        for series in &self.series {
            let name = quoted(&series.name);
            match &series.marks {
                Marks::Line(points, band) => {
                    for (at, (x, y)) in points.iter().enumerate() {
                        let band = band.get(at).map(|of| format!("{},{}", of.1, of.2));
                        let band = band.unwrap_or_else(|| ",".to_owned());
                        csv += &format!("{name},{x},{y},{band}\n");
                    }
                }
                Marks::Ranges(ranges) => {
                    for of in ranges {
                        let class = quoted(&self.x.label(of.x));
                        let RangeMark {
                            p25,
                            median,
                            p75,
                            p95,
                            ..
                        } = of;
                        csv += &format!("{name},{class},{p25},{median},{p75},{p95}\n");
                    }
                }
            }
        }
        csv
    }

    /// The chart in words, for those who cannot see it.
    pub fn describe(&self) -> String {
        let mut text = format!("{}. ", self.title());
        for series in &self.series {
            let gist = match &series.marks {
                Marks::Line(points, _) if points.is_empty() => "nothing yet".into(),
                Marks::Line(points, _) if self.chart.is_over_time() => {
                    let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
                    format!("at most {}", self.y.label(most))
                }
                Marks::Line(points, _) => {
                    let median = series::median(points).unwrap_or_default();
                    format!("median {}", self.x.label(median))
                }
                Marks::Ranges(ranges) => {
                    let class = |range: &RangeMark| {
                        let (class, _) = self.readout(range.x);
                        format!("{class} {}", format::duration(range.median))
                    };
                    format!(
                        "median {}",
                        ranges.iter().map(class).collect::<Vec<_>>().join(", ")
                    )
                }
            };
            let so_far = if series.complete { "" } else { " so far" };
            text.push_str(&format!("{}: {gist}{so_far}. ", series.name));
        }
        text
    }
}

fn line(points: Points) -> Marks {
    Marks::Line(points, Vec::new())
}

fn over_time(run: &Compared<'_>, window: Window, value: impl Fn(&RunLog, usize) -> f64) -> Marks {
    let (log, known) = (run.log, until(run, window));
    let (points, band) = series::steps(log.sample_times(), |i| value(log, i), known);
    Marks::Line(points, band)
}

/// What some jobs do at a time.
#[derive(Clone, Copy, Default)]
struct SomeJobs {
    /// How many wait.
    waiting: u32,
    /// The GPUs that the others hold.
    gpus: f64,
}

/// The same as [`over_time`] of the jobs that charts are of: it changes with events of theirs.
fn some_over_time(
    of: &Comparison<'_>,
    run: &Compared<'_>,
    window: Window,
    value: impl Fn(SomeJobs) -> f64,
) -> Marks {
    let log = run.log;
    let gpus = |segment: u32| {
        let segment = log.segment(segment as usize);
        f64::from(segment.gpu_count()) * segment.part()
    };
    let (mut times, mut some) = (vec![0.0], vec![SomeJobs::default()]);
    let mut now = SomeJobs::default();
    for event in (0..log.events()).map(|at| log.event(at)) {
        if !of.is_of(event.job.index()) {
            continue;
        }
        match event.kind {
            EventKind::Submit => now.waiting += 1,
            EventKind::Start | EventKind::Restart => {
                now.waiting = now.waiting.saturating_sub(1);
                now.gpus += gpus(event.detail);
            }
            EventKind::Pause | EventKind::Evict | EventKind::Fail => {
                now.waiting += 1;
                now.gpus -= gpus(event.detail);
            }
            EventKind::Finish => now.gpus -= gpus(event.detail),
            EventKind::Demote | EventKind::Promote | EventKind::Reject => continue,
        }
        let time = event.time.seconds();
        // Of several at one time the last stands for it.
        if times.last() == Some(&time) {
            some.pop();
        } else {
            times.push(time);
        }
        some.push(now);
    }
    let (points, band) = series::steps(&times, |i| value(some[i]), until(run, window));
    Marks::Line(points, band)
}

/// A window as far as a run has come.
fn until(run: &Compared<'_>, window: Window) -> Window {
    Window::new(window.from, window.to.min(run.reached))
}

/// Work that failures have undone, GPU-hours since the beginning.
fn lost(of: &Comparison<'_>, run: &Compared<'_>, window: Window) -> Marks {
    let (mut times, mut sums) = (vec![0.0], vec![0.0]);
    let mut sum = 0.0;
    for eviction in (0..run.log.evictions()).map(|i| run.log.eviction(i)) {
        let segment = run.log.segment(eviction.segment as usize);
        let job = of.workload.jobs.get(segment.job.index());
        sum += eviction.lost * job.map_or(0.0, |job| f64::from(job.gpus)) / 3600.0;
        times.push(segment.end.seconds());
        sums.push(sum);
    }
    let (points, band) = series::steps(&times, |i| sums[i], until(run, window));
    Marks::Line(points, band)
}

/// Percentiles of JCT by size of gang.
fn by_gang(of: &Comparison<'_>, outcomes: &Outcomes) -> Vec<RangeMark> {
    let mut by_gang: [Vec<f64>; GANGS.len()] = Default::default();
    for (at, (job, &jct)) in of.workload.jobs.iter().zip(&outcomes.jct).enumerate() {
        if !jct.is_nan() && of.is_of(at) {
            by_gang[GANG_ENDS.partition_point(|&end| end < job.gpus)].push(jct);
        }
    }
    ranges(by_gang)
}

/// Percentiles of the JCTs of every class that has jobs.
fn ranges(classes: impl IntoIterator<Item = Vec<f64>>) -> Vec<RangeMark> {
    let range = |(class, mut jcts): (usize, Vec<f64>)| {
        jcts.sort_unstable_by(order::by_value);
        let [p25, median, p75, p95] =
            [25.0, 50.0, 75.0, 95.0].map(|percent| percentile(&jcts, percent));
        (!jcts.is_empty()).then_some(RangeMark {
            x: class as f64,
            p25,
            median,
            p75,
            p95,
        })
    };
    let classes = classes.into_iter().enumerate();
    classes.filter_map(range).collect()
}

fn axes(chart: Chart, series: &[Series], of: &Comparison<'_>, window: Window) -> (Axis, Axis) {
    let over_time = || Axis::over_time(window, of.moments);
    let points = || series.iter().flat_map(|series| series.marks.points());
    let extent = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v), high.max(v))
        })
    };
    let across = || extent(&mut points().map(|point| point.0));
    match chart {
        Chart::JctCdf => (
            Axis::durations("job completion time", across()),
            Axis::share("share of finished jobs"),
        ),
        Chart::WaitCdf => {
            let waits = points().map(|point| point.0);
            let (low, high) = extent(&mut waits.filter(|&wait| wait > 0.0));
            let title = "time without GPUs, over a job's life";
            let x = match across() {
                (least, _) if least <= 0.0 => Axis::durations_or_none(title, (low, high)),
                _ => Axis::durations(title, (low, high)),
            };
            (x, Axis::share("share of finished jobs"))
        }
        Chart::RhoCdf => (
            Axis::ratios("finish-time fairness ρ (lower is fairer)", across()),
            Axis::share("share of finished jobs"),
        ),
        Chart::JctByGang | Chart::JctByType => {
            let (title, names) = if chart == Chart::JctByGang {
                ("GPUs per job", GANGS.map(str::to_owned).into())
            } else {
                (
                    "GPUs on which a job ran longest",
                    names::of_types(of.cluster, of.unit),
                )
            };
            let ranges = series.iter().flat_map(|series| series.marks.ranges());
            let extent = extent(&mut ranges.flat_map(|range| [range.p25, range.p95]));
            (
                Axis::names(title, names),
                Axis::durations("job completion time", extent),
            )
        }
        Chart::Queue => {
            let bands = series.iter().flat_map(|series| series.marks.band());
            let most = points()
                .map(|point| point.1)
                .chain(bands.map(|band| band.2))
                .fold(0.0, f64::max);
            (over_time(), Axis::count("jobs waiting", most))
        }
        Chart::Lost => {
            let most = points().map(|point| point.1).fold(0.0, f64::max);
            (
                over_time(),
                Axis::amount("GPU-hours to be done again", most),
            )
        }
        Chart::Allocation => (over_time(), Axis::share("share of GPUs held")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_gangs_follow_upon_one_another() {
        let classes: Vec<_> = (0..).map_while(gang_class).collect();
        assert_eq!(classes.len(), GANGS.len());
        for (class, next) in classes.iter().zip(&classes[1..]) {
            assert_eq!(class.1, Some(next.0));
        }
        assert_eq!((classes[0].0, classes[4]), (0, (9, None)));
    }

    #[test]
    fn what_is_drawn_is_a_table() {
        let series = |run: usize| Series {
            name: format!("run <{run}>"),
            hue: run,
            complete: true,
            marks: Marks::Line(vec![(0.0, 0.0), (50.0, 0.5), (90.0, 1.0)], Vec::new()),
        };
        let figure = Figure {
            chart: Chart::WaitCdf,
            unit: Resource::Cores,
            x: Axis::durations_or_none("time waited", (1.0, 100.0)),
            y: Axis::share("share"),
            series: (0..2).map(series).collect(),
        };
        let csv = figure.csv();
        assert_eq!(
            csv.lines().next(),
            Some("series,\"time waited\",\"share\",least,most")
        );
        assert_eq!(csv.lines().nth(4), Some("\"run <1>\",0,0,,"));
        assert_eq!(csv.lines().count(), 7);
        assert!(
            figure
                .describe()
                .starts_with("Queueing delay of jobs. run <0>: median ")
        );
    }
}
