//! The placements on windows of real traces, where each of the other tables draws its workloads: a row a window, then
//! their means. In: traces, windows, clusters or loads. Out: mean JCT by window and placement.
//!
//! Intervals are bootstrap percentiles over windows: means of as many windows, drawn with replacement. What one window
//! says by chance, copies of it tell: the same jobs, each a little later.

use super::super::Section;
use super::running::{Compared, Figures, run};
use crate::progress::Progress;
use crate::table::Table;
use crate::{Failure, input, output, threads};
use anyhow::{Context, anyhow};
use rand_xoshiro::rand_core::SeedableRng;
use serde::Serialize;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use switchyard::Resource;
use switchyard::cluster::ClusterSpec;
use switchyard::draw::{Rng, below, unit};
use switchyard::trace::{Choices, OpenOptions, Opened, Oversized, Trace, Window};
use switchyard::weights::{Weights, WeightsChoice};
use switchyard::workload::Workload;

/// The placements of the table.
pub(super) const POLICIES: [&str; 7] = [
    "locality",
    "load-balancing",
    "congestion-aware",
    "least-interference",
    RULE,
    "graph-rl",
    "no-neighbours",
];

/// Whom the others are put beside.
const RULE: &str = "least-interference-waiting";

/// What neighbours cost is told by these two: the placement that looks at no neighbours, and the same where there are none.
const NEIGHBOURS: (&str, &str) = ("locality", "no-neighbours");

/// Where they cost less than this part of mean JCT, nothing is to be gained.
const NOTHING: f64 = 0.01;

/// In a copy of a window each job comes up to so many seconds later.
const LATER: f64 = 60.0;

/// How often windows are drawn for an interval.
const DRAWS: usize = 10_000;

/// GPUs of a server, and servers of a rack, where no cluster is given.
const SERVER: u32 = 8;
const RACK: u32 = 4;

/// Racks, and as how many partitions they are: of fewer it is one.
const PARTITIONS: [(u32, u32); 2] = [(16, 4), (4, 2)];

/// A trace; and the window of it, and that one's cluster, where they are said.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Source {
    file: PathBuf,
    window: Option<Window>,
    cluster: Option<String>,
}

impl FromStr for Source {
    type Err = std::convert::Infallible;

    /// Names of files may have an @ themselves.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let at = |text: &str| Some((text.rsplit_once('@')?.0.to_owned(), window_of(text)?));
        let with_cluster = text.rsplit_once('@').and_then(|(before, cluster)| {
            let (file, window) = at(before)?;
            Some((file, window, Some(cluster.to_owned())))
        });
        let found = with_cluster.or_else(|| at(text).map(|(file, window)| (file, window, None)));
        Ok(match found {
            Some((file, window, cluster)) => Self {
                file: file.into(),
                window: Some(window),
                cluster,
            },
            None => Self {
                file: text.into(),
                window: None,
                cluster: None,
            },
        })
    }
}

/// The window behind a text's last @.
fn window_of(text: &str) -> Option<Window> {
    text.rsplit_once('@')?.1.parse().ok()
}

/// What is asked for.
pub(super) struct WindowStudy<'a> {
    pub(super) sources: &'a [Source],
    /// Windows of each trace that names none.
    pub(super) count: u32,
    pub(super) cluster: Option<&'a str>,
    pub(super) loads: &'a [f64],
    /// How often each window is run: as it is, and then copies of it.
    pub(super) copies: u32,
    pub(super) policies: Vec<Compared>,
    pub(super) weights: &'a (Weights, WeightsChoice),
}

/// Jobs and what they run on.
struct Cut {
    trace: String,
    window: Window,
    cluster: ClusterSpec,
    load: f64,
    /// The jobs as they are, and then copies.
    workloads: Vec<Arc<Workload>>,
}

#[derive(Serialize)]
struct Row {
    trace: String,
    window: String,
    cluster: String,
    jobs: usize,
    /// GPU·s submitted ÷ GPU·s there were while they came, if nobody slows anybody.
    load: f64,
    placements: Vec<Came>,
}

/// Means over the copies of a window.
#[derive(Serialize)]
struct Came {
    policy: &'static str,
    /// Seconds.
    mean_jct: f64,
    p95_jct: f64,
    makespan: f64,
    /// The standard deviation of mean JCT over the copies ÷ their mean; none of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<f64>,
}

/// A mean over windows and its 95 % interval; none where there is one window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct Mean {
    mean: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct OverWindows {
    policy: &'static str,
    /// Seconds.
    mean_jct: Mean,
    /// The geometric mean of this one's mean JCT ÷ the rule's, less 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    against_rule: Option<Mean>,
}

#[derive(Serialize)]
struct Results {
    windows: Vec<Row>,
    means: Vec<OverWindows>,
}

pub(super) fn compare(
    asked: &WindowStudy<'_>,
    json: Option<&output::OutputFile>,
) -> Result<(), Failure> {
    let mut cuts = Vec::new();
    for source in asked.sources {
        cuts.extend(cut(asked, source)?);
    }
    let (count, copies) = (asked.policies.len(), asked.copies as usize);
    let runs = cuts.len() * count * copies;
    let progress = Progress::of("paper graph-rl", runs as u64, "runs");
    let came = threads::each(runs, |task| {
        let (of, copy) = (task / copies, task % copies);
        let (cut, compared) = (&cuts[of / count], asked.policies[of % count]);
        run(
            &cut.workloads[copy],
            &cut.cluster,
            asked.weights,
            compared,
            &progress,
        )
    });
    drop(progress);
    let came = came
        .into_iter()
        .collect::<Result<Vec<Figures>, Failure>>()?;
    let rows = cuts.iter().zip(came.chunks(count * copies));
    let windows: Vec<Row> = rows
        .map(|(of, came)| row(of, &asked.policies, came))
        .collect();
    let means = means(&windows, &asked.policies);
    let results = Results { windows, means };
    match json {
        Some(path) => output::json(path, &results),
        None => output::print(&text(results)),
    }
}

/// The windows of a trace.
fn cut(asked: &WindowStudy<'_>, source: &Source) -> Result<Vec<Cut>, Failure> {
    let name = input::called(&source.file);
    let opened = input::open_files(std::slice::from_ref(&source.file), &OpenOptions::default())?;
    let Opened::Trace(trace) = opened else {
        return Err(Failure::Input(anyhow!(
            "--trace {name}: no trace: give one of jobs"
        )));
    };
    let submits = trace.records.iter().map(|record| record.submit);
    let (first, last) = submits.fold((f64::INFINITY, 0.0f64), |(first, last), submit| {
        (first.min(submit), last.max(submit))
    });
    let span = last - first;
    let windows = match source.window {
        Some(window) => vec![window],
        None => {
            let end = |number: u32| span * f64::from(number) / f64::from(asked.count);
            let windows = (0..asked.count).map(|number| Window {
                from: end(number),
                // The last job is of the last window.
                to: match number + 1 == asked.count {
                    true => f64::INFINITY,
                    false => end(number + 1),
                },
            });
            windows.collect()
        }
    };
    let cluster = source.cluster.as_deref().or(asked.cluster);
    let cluster = cluster.map(|text| input::cluster(text, Resource::Gpus));
    let cluster = cluster.transpose()?;
    let mut cuts = Vec::new();
    for window in windows {
        let length = window.to.min(span) - window.from;
        let clusters = match &cluster {
            Some(cluster) => vec![cluster.clone()],
            None => {
                let all = jobs_of(&trace, window, None, &name)?.workload();
                let wanted = |load: &f64| sized(gpu_seconds(&all) / (length * load));
                asked.loads.iter().map(wanted).collect::<Result<_, _>>()?
            }
        };
        for cluster in clusters {
            let jobs = jobs_of(&trace, window, Some(&cluster), &name)?;
            let workload = jobs.workload();
            let load = gpu_seconds(&workload) / (f64::from(cluster.gpus()) * length);
            let copies = (1..asked.copies).map(|number| Arc::new(copy(&jobs, number)));
            cuts.push(Cut {
                trace: name.clone(),
                window,
                load,
                workloads: std::iter::once(Arc::new(workload)).chain(copies).collect(),
                cluster,
            });
        }
    }
    Ok(cuts)
}

/// The trace with the jobs of a window alone, but for those that the cluster cannot hold.
fn jobs_of(
    trace: &Trace,
    window: Window,
    cluster: Option<&ClusterSpec>,
    name: &str,
) -> Result<Trace, Failure> {
    let choices = Choices {
        window: Some(window),
        oversized: Oversized::Drop,
        ..Choices::default()
    };
    let mut trace = trace.clone();
    let chosen = trace.choose(&choices, cluster);
    let chosen = chosen.with_context(|| format!("--trace {name}, window {window}"));
    chosen.map_err(Failure::Input)?;
    Ok(trace)
}

/// The same jobs, each a little later. No scheduler can tell the one from the other, so what differs is chance.
fn copy(trace: &Trace, number: u32) -> Workload {
    let mut rng = Rng::seed_from_u64(number.into());
    let mut trace = trace.clone();
    for record in &mut trace.records {
        record.submit += LATER * unit(&mut rng);
    }
    trace.workload()
}

fn gpu_seconds(workload: &Workload) -> f64 {
    let jobs = workload.jobs.iter();
    jobs.map(|job| f64::from(job.gpus) * job.work.seconds())
        .sum()
}

/// The data centre of about so many GPUs: whole racks.
fn sized(gpus: f64) -> Result<ClusterSpec, Failure> {
    let racks = (gpus / f64::from(SERVER * RACK)).round().clamp(1.0, 1e5) as u32;
    let partitions = PARTITIONS.iter().find(|(least, _)| racks >= *least);
    let partitions = partitions.map_or(1, |of| of.1);
    let servers = racks * RACK;
    let text = format!("{servers}x{SERVER}/partitions={partitions}/racks={racks}");
    let cluster = text.parse().with_context(|| format!("a cluster of {text}"));
    cluster.map_err(Failure::Input)
}

fn row(of: &Cut, policies: &[Compared], came: &[Figures]) -> Row {
    let placements = policies.iter().zip(came.chunks(of.workloads.len()));
    Row {
        trace: of.trace.clone(),
        window: of.window.to_string(),
        cluster: of.cluster.to_string(),
        jobs: of.workloads[0].jobs.len(),
        load: of.load,
        placements: placements
            .map(|(compared, came)| Came::of(compared.name, came))
            .collect(),
    }
}

impl Came {
    /// What the copies of a window came to, at least one.
    fn of(policy: &'static str, copies: &[Figures]) -> Self {
        let count = copies.len() as f64;
        let mean = |of: fn(&Figures) -> f64| copies.iter().map(of).sum::<f64>() / count;
        let mean_jct = mean(|of| of.mean_jct);
        let squares = copies.iter().map(|of| (of.mean_jct - mean_jct).powi(2));
        let deviation = (squares.sum::<f64>() / (count - 1.0)).sqrt() / mean_jct;
        Self {
            policy,
            mean_jct,
            p95_jct: mean(|of| of.p95_jct),
            makespan: mean(|of| of.makespan),
            deviation: (copies.len() > 1).then_some(deviation),
        }
    }
}

fn means(windows: &[Row], policies: &[Compared]) -> Vec<OverWindows> {
    let rule = policies.iter().position(|of| of.name == RULE);
    let jct = |window: &Row, policy: usize| window.placements[policy].mean_jct;
    let of = |(policy, compared): (usize, &Compared)| {
        let own: Vec<f64> = windows.iter().map(|of| jct(of, policy)).collect();
        let rule = rule.filter(|&rule| rule != policy);
        OverWindows {
            policy: compared.name,
            mean_jct: Mean::of(&own),
            against_rule: rule.map(|rule| {
                let ratios = windows
                    .iter()
                    .map(|of| (jct(of, policy) / jct(of, rule)).ln());
                Mean::of(&ratios.collect::<Vec<_>>()).map(f64::exp_m1)
            }),
        }
    };
    policies.iter().enumerate().map(of).collect()
}

impl Mean {
    fn of(values: &[f64]) -> Self {
        let mean = |of: &mut dyn Iterator<Item = f64>| of.sum::<f64>() / values.len() as f64;
        let own = mean(&mut values.iter().copied());
        if values.len() < 2 {
            return Self {
                mean: own,
                low: f64::NAN,
                high: f64::NAN,
            };
        }
        let mut rng = Rng::seed_from_u64(0);
        let mut drawn: Vec<f64> = (0..DRAWS)
            .map(|_| {
                mean(
                    &mut values
                        .iter()
                        .map(|_| values[below(&mut rng, values.len() as u32) as usize]),
                )
            })
            .collect();
        drawn.sort_by(f64::total_cmp);
        Self {
            mean: own,
            low: drawn[DRAWS / 40],
            high: drawn[DRAWS - 1 - DRAWS / 40],
        }
    }

    fn map(self, make: impl Fn(f64) -> f64) -> Self {
        Self {
            mean: make(self.mean),
            low: make(self.low),
            high: make(self.high),
        }
    }

    fn interval(self, end: impl Fn(f64) -> String) -> String {
        match self.low.is_nan() {
            true => "–".to_owned(),
            false => format!("{} to {}", end(self.low), end(self.high)),
        }
    }
}

fn text(results: Results) -> String {
    let mut table = Table::default();
    let names = results.means.iter().map(|of| of.policy.to_owned());
    let head = ["trace, window, cluster", "jobs", "load"].map(String::from);
    table.row(head.into_iter().chain(names).collect());
    for row in &results.windows {
        let mut cells = vec![
            format!("{}, {}, {}", row.trace, row.window, row.cluster),
            row.jobs.to_string(),
            format!("{:.2}", row.load),
        ];
        cells.extend(row.placements.iter().map(|of| match of.deviation {
            Some(deviation) => format!("{:.0} ±{:.1} %", of.mean_jct, 100.0 * deviation),
            None => format!("{:.0}", of.mean_jct),
        }));
        table.row(cells);
    }
    let mut last = |what: &str, cell: &dyn Fn(&OverWindows) -> String| {
        let mut cells = vec![what.to_owned(), String::new(), String::new()];
        cells.extend(results.means.iter().map(cell));
        table.row(cells);
    };
    let seconds = |value: f64| format!("{value:.0}");
    let percent = |value: f64| format!("{:+.1} %", 100.0 * value);
    let against = |of: &OverWindows, write: &dyn Fn(Mean) -> String| {
        of.against_rule.map_or("–".to_owned(), write)
    };
    last("mean", &|of| seconds(of.mean_jct.mean));
    last("95 % interval over windows", &|of| {
        of.mean_jct.interval(seconds)
    });
    last("against the rule", &|of| {
        against(of, &|mean| percent(mean.mean))
    });
    last("95 % interval over windows", &|of| {
        against(of, &|mean| mean.interval(percent))
    });
    let section = Section {
        title: "Mean JCT in seconds by placement, on windows of real traces, behind FIFO with backfilling",
        published: "nothing of these traces; the rule is least-interference-waiting, against it are geometric means of ratios",
        rows: results.windows,
    };
    let nothing = nothing_to_gain(&section.rows);
    let mut came = section.rows.iter().flat_map(|row| &row.placements);
    let chance = match came.any(|of| of.deviation.is_some()) {
        true => format!(
            "±: the standard deviation over copies of the window, in which each job comes up to {LATER:.0} s later. What differs between these is chance.\n"
        ),
        false => String::new(),
    };
    [section.text(&table), chance, nothing].concat()
}

/// In words, on which windows neighbours cost nothing, if it was asked.
fn nothing_to_gain(windows: &[Row]) -> String {
    let cost = |row: &Row| {
        let jct = |name: &str| {
            let of = row.placements.iter().find(|of| of.policy == name);
            of.map(|of| of.mean_jct)
        };
        Some(jct(NEIGHBOURS.0)? / jct(NEIGHBOURS.1)? - 1.0)
    };
    let told: Vec<(&Row, f64)> = windows
        .iter()
        .flat_map(|row| Some((row, cost(row)?)))
        .collect();
    let nothing: Vec<String> = told
        .iter()
        .filter(|(_, cost)| *cost < NOTHING)
        .map(|(row, cost)| {
            let percent = 100.0 * cost;
            format!(
                "{}, {}, {}: {percent:.1} %",
                row.trace, row.window, row.cluster
            )
        })
        .collect();
    if nothing.is_empty() {
        return String::new();
    }
    format!(
        "Nothing is to be gained on {} of {} windows: under {} neighbours cost less than {:.0} % of mean JCT there ({}).\n",
        nothing.len(),
        told.len(),
        NEIGHBOURS.0,
        100.0 * NOTHING,
        nothing.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_may_name_its_window_and_its_cluster() {
        let of = |text: &str| text.parse::<Source>().expect("any text is one");
        let source = |file: &str, window: Option<&str>, cluster: Option<&str>| Source {
            file: file.into(),
            window: window.map(|text| text.parse().expect("a window")),
            cluster: cluster.map(String::from),
        };
        assert_eq!(of("a.csv"), source("a.csv", None, None));
        assert_eq!(of("a@b.csv"), source("a@b.csv", None, None));
        assert_eq!(of("a.csv@1d..2d"), source("a.csv", Some("1d..2d"), None));
        let whole = of("a@b.csv@1d..2d@8x8/racks=2");
        assert_eq!(
            whole,
            source("a@b.csv", Some("1d..2d"), Some("8x8/racks=2"))
        );
    }

    #[test]
    fn data_centres_are_of_whole_racks_and_as_large_as_asked() {
        let text = |gpus: f64| sized(gpus).ok().expect("a cluster").to_string();
        assert_eq!(text(1.0), "4x8");
        assert_eq!(text(260.0), "32x8/partitions=2/racks=8");
        assert_eq!(text(630.0), "80x8/partitions=4/racks=20");
    }

    #[test]
    fn intervals_hold_the_mean_and_are_of_windows() {
        let Mean { mean, low, high } = Mean::of(&[2.0, 4.0, 6.0, 8.0]);
        assert_eq!(mean, 5.0);
        // One of 256 draws is all of the least, and 5 in 256 are below 3: so the end lies between.
        assert!(
            (2.5..=3.0).contains(&low) && (7.0..=7.5).contains(&high),
            "{low} {high}"
        );
        assert!(Mean::of(&[2.0]).low.is_nan());
        assert_eq!(
            Mean::of(&[3.0, 3.0]).map(|of| of - 3.0),
            Mean {
                mean: 0.0,
                low: 0.0,
                high: 0.0
            }
        );
    }
}
