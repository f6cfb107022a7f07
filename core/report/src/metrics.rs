//! The metrics of a run: the one table that names them. Command line, page, sweeps, lessons, Python and scripts take
//! ids, titles, units and directions from here; scripts read `metrics.json`, which is this table written down.
//!
//! A new metric is one entry of [`METRICS`], and a line in `docs/metrics.md`.

use super::Summary;
use serde::Serialize;

/// A metric of a run.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Metric {
    /// The name in tables of sweeps, formulas, scripts and files.
    pub id: &'static str,
    /// The name for people, with a capital.
    pub title: &'static str,
    /// What it means, in a sentence or two.
    pub meaning: &'static str,
    /// As a formula; empty if the meaning says it all.
    pub formula: &'static str,
    /// Where it comes from; empty if it is common knowledge.
    pub source: &'static str,
    /// What its values are.
    pub unit: MetricUnit,
    /// Which way is better.
    pub better: Better,
    /// What it is of a run that leaves jobs unfinished.
    pub unfinished: Unfinished,
    /// Where it stands.
    pub group: MetricGroup,
    /// Its place in the JSON of a run; empty if that has it not.
    pub path: &'static str,
    /// Former names, which are read but not written.
    pub aliases: &'static [&'static str],
    /// Whether the table of a sweep has it as a column.
    pub column: bool,
    /// Its value; NaN where it cannot be known.
    #[serde(skip)]
    pub of: fn(&Summary) -> f64,
}

/// What values of a metric are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricUnit {
    /// Seconds.
    Seconds,
    /// A part of a whole, 0 to 1.
    Share,
    /// GPU-hours.
    GpuHours,
    /// Node-hours.
    NodeHours,
    /// So many things, a whole number.
    Count,
    /// A number without a unit.
    Number,
}

impl MetricUnit {
    /// What stands behind a number of it; "" behind what is no amount of anything.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::GpuHours => "GPU-hours",
            Self::NodeHours => "node-hours",
            Self::Share | Self::Count | Self::Number => "",
        }
    }
}

/// Which value is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// The lower one.
    Lower,
    /// The higher one.
    Higher,
    /// Neither: it describes a run and does not rate it.
    Neither,
}

/// What a metric is of a run that leaves jobs unfinished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unfinished {
    /// That of the jobs that finished; unknown without any.
    OfFinished,
    /// Unknown.
    Unknown,
    /// What is counted so far.
    SoFar,
}

/// Where a metric stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricGroup {
    /// Of a run: in every table of runs.
    Run,
    /// How many jobs: in tables that do not say so beside a run's name.
    Jobs,
    /// What failures and checkpoints cost: in tables of runs that have any.
    Failures,
    /// More of a distribution: in tables of sweeps alone.
    Detail,
}

/// What papers compare: the columns of their tables, of the page's headline and of its sweeps.
pub const HEADLINE: [&str; 6] = [
    "jct_mean",
    "jct_median",
    "jct_p95",
    "makespan",
    "rho_mean",
    "restarts",
];

const JCT_SOURCE: &str =
    "The figure most papers report: Tiresias (NSDI'19), Themis (NSDI'20), Pollux (OSDI'21).";
const THEMIS: &str = "Themis (NSDI'20). Here the equal share follows the number of jobs in the system, averaged over the job's life.";

/// A time of a run; most metrics say what differs from this.
const TIME: Metric = Metric {
    id: "",
    title: "",
    meaning: "",
    formula: "",
    source: "",
    unit: MetricUnit::Seconds,
    better: Better::Lower,
    unfinished: Unfinished::OfFinished,
    group: MetricGroup::Run,
    path: "",
    aliases: &[],
    column: true,
    of: |_| f64::NAN,
};

/// A number of jobs.
const JOBS: Metric = Metric {
    unit: MetricUnit::Count,
    better: Better::Neither,
    unfinished: Unfinished::SoFar,
    group: MetricGroup::Jobs,
    ..TIME
};

/// One of finish-time fairness.
const FAIRNESS: Metric = Metric {
    unit: MetricUnit::Number,
    source: THEMIS,
    ..TIME
};

/// A number of failures.
const FAILURES: Metric = Metric {
    group: MetricGroup::Failures,
    ..JOBS
};

/// GPU-hours that failures cost.
const FAILURE_HOURS: Metric = Metric {
    unit: MetricUnit::GpuHours,
    better: Better::Lower,
    ..FAILURES
};

/// One statistic of queueing that sweeps alone tell.
const fn queueing(
    id: &'static str,
    path: &'static str,
    title: &'static str,
    meaning: &'static str,
    formula: &'static str,
    of: fn(&Summary) -> f64,
) -> Metric {
    Metric {
        id,
        title,
        meaning,
        formula,
        group: MetricGroup::Detail,
        path,
        of,
        ..TIME
    }
}

/// All metrics, in the order in which they are shown. Columns of sweeps have this order too: another one is
/// another version of their table.
pub static METRICS: &[Metric] = &[
    Metric {
        id: "jobs",
        title: "Jobs",
        meaning: "Jobs of the workload.",
        group: MetricGroup::Detail,
        path: "jobs",
        of: |of| f64::from(of.jobs),
        ..JOBS
    },
    Metric {
        id: "finished",
        title: "Finished jobs",
        meaning: "Jobs that ran to their end.",
        path: "finished",
        of: |of| f64::from(of.finished),
        ..JOBS
    },
    Metric {
        id: "rejected",
        title: "Rejected jobs",
        meaning: "Jobs that want more GPUs than the cluster has; they never enter the queue.",
        path: "rejected",
        of: |of| f64::from(of.rejected),
        ..JOBS
    },
    Metric {
        id: "jct_mean",
        title: "Mean JCT",
        meaning: "Job completion time: from submission to finish, averaged over finished jobs.",
        formula: "mean of finish − submit",
        source: JCT_SOURCE,
        path: "jct.mean",
        aliases: &["mean_jct"],
        of: |of| of.jct.mean,
        ..TIME
    },
    Metric {
        id: "jct_median",
        title: "Median JCT",
        meaning: "Half of the finished jobs took no longer than this from submission to finish.",
        formula: "50th percentile of finish − submit",
        source: JCT_SOURCE,
        path: "jct.median",
        aliases: &["median_jct"],
        of: |of| of.jct.median,
        ..TIME
    },
    Metric {
        id: "jct_p90",
        title: "p90 JCT",
        meaning: "Nine of ten finished jobs took no longer than this.",
        formula: "90th percentile of finish − submit, linear between neighbours",
        path: "jct.p90",
        aliases: &["p90_jct"],
        of: |of| of.jct.p90,
        ..TIME
    },
    Metric {
        id: "jct_p95",
        title: "p95 JCT",
        meaning: "19 of 20 finished jobs took no longer than this.",
        formula: "95th percentile of finish − submit, linear between neighbours",
        path: "jct.p95",
        aliases: &["p95_jct"],
        of: |of| of.jct.p95,
        ..TIME
    },
    Metric {
        id: "jct_p99",
        title: "p99 JCT",
        meaning: "The tail: 99 of 100 finished jobs took no longer than this.",
        formula: "99th percentile of finish − submit, linear between neighbours",
        path: "jct.p99",
        aliases: &["p99_jct"],
        of: |of| of.jct.p99,
        ..TIME
    },
    Metric {
        id: "jct_max",
        title: "Longest JCT",
        meaning: "The job that took longest from submission to finish.",
        formula: "max of finish − submit",
        path: "jct.max",
        aliases: &["max_jct"],
        of: |of| of.jct.max,
        ..TIME
    },
    Metric {
        id: "queueing_mean",
        title: "Mean queueing delay",
        meaning: "Time without GPUs over a job's whole life, also after preemptions, averaged over finished jobs.",
        formula: "mean of JCT − time on GPUs",
        path: "queueing.mean",
        aliases: &["queueing", "mean_wait", "mean_queueing"],
        of: |of| of.queueing.mean,
        ..TIME
    },
    queueing(
        "queueing_median",
        "queueing.median",
        "Median queueing delay",
        "Half of the finished jobs were without GPUs no longer than this.",
        "50th percentile of JCT − time on GPUs",
        |of| of.queueing.median,
    ),
    queueing(
        "queueing_p90",
        "queueing.p90",
        "p90 queueing delay",
        "Nine of ten finished jobs were without GPUs no longer than this.",
        "90th percentile of JCT − time on GPUs",
        |of| of.queueing.p90,
    ),
    Metric {
        aliases: &["p95_wait"],
        ..queueing(
            "queueing_p95",
            "queueing.p95",
            "p95 queueing delay",
            "19 of 20 finished jobs were without GPUs no longer than this.",
            "95th percentile of JCT − time on GPUs",
            |of| of.queueing.p95,
        )
    },
    queueing(
        "queueing_p99",
        "queueing.p99",
        "p99 queueing delay",
        "99 of 100 finished jobs were without GPUs no longer than this.",
        "99th percentile of JCT − time on GPUs",
        |of| of.queueing.p99,
    ),
    queueing(
        "queueing_max",
        "queueing.max",
        "Longest queueing delay",
        "The finished job that was longest without GPUs.",
        "max of JCT − time on GPUs",
        |of| of.queueing.max,
    ),
    Metric {
        id: "longest_wait",
        title: "Longest wait",
        meaning: "The longest single wait of any job that then got GPUs: a sign of starvation.",
        formula: "max over waits of start − (submission or preemption)",
        unfinished: Unfinished::Unknown,
        path: "longest_wait",
        of: |of| of.longest_wait,
        ..TIME
    },
    Metric {
        id: "makespan",
        title: "Makespan",
        meaning: "How long the whole trace takes.",
        formula: "last finish − first submission",
        unfinished: Unfinished::Unknown,
        path: "makespan",
        of: |of| of.makespan,
        ..TIME
    },
    Metric {
        id: "restarts",
        title: "Restarts",
        meaning: "Starts after a job's first one: resumes and moves. Each costs a checkpoint and a restore.",
        formula: "Σ starts − jobs started",
        unit: MetricUnit::Count,
        unfinished: Unfinished::SoFar,
        path: "restarts",
        of: |of| f64::from(of.restarts),
        ..TIME
    },
    Metric {
        id: "gpu_allocation",
        title: "GPU allocation",
        meaning: "The share of the cluster's GPUs that jobs held, on average over the makespan. Held is not the same as used well.",
        formula: "Σ GPUs × time held ∕ (GPUs of the cluster × makespan)",
        unit: MetricUnit::Share,
        better: Better::Higher,
        unfinished: Unfinished::SoFar,
        path: "gpu_allocation",
        aliases: &["allocation"],
        of: |of| of.gpu_allocation,
        ..TIME
    },
    Metric {
        id: "node_hours",
        title: "Cost",
        meaning: "Nodes rented × hours, from the first submission to the last finish: all nodes, unless the policy rents fewer.",
        formula: "Σ nodes × time rented",
        unit: MetricUnit::NodeHours,
        unfinished: Unfinished::SoFar,
        path: "node_hours",
        aliases: &["cost"],
        of: |of| of.node_hours,
        ..TIME
    },
    Metric {
        id: "mean_nodes",
        title: "Mean nodes rented",
        meaning: "Nodes rented, on average over the makespan.",
        formula: "Σ nodes × time rented ∕ makespan",
        unit: MetricUnit::Number,
        unfinished: Unfinished::SoFar,
        path: "mean_nodes",
        of: |of| of.mean_nodes,
        ..TIME
    },
    Metric {
        id: "rho_mean",
        title: "Mean fairness ρ",
        meaning: "Finish-time fairness: a job's completion time over what it would be on an equal share of the cluster. Below 1: better than an equal share.",
        formula: "mean of JCT shared ∕ JCT alone on a 1∕N share",
        path: "fairness.rho_mean",
        aliases: &["mean_rho"],
        of: |of| of.fairness.rho_mean,
        ..FAIRNESS
    },
    Metric {
        id: "rho_p99",
        title: "p99 fairness ρ",
        meaning: "Finish-time fairness of the worst-treated hundredth of jobs.",
        formula: "99th percentile of JCT shared ∕ JCT alone on a 1∕N share",
        path: "fairness.rho_p99",
        of: |of| of.fairness.rho_p99,
        ..FAIRNESS
    },
    Metric {
        id: "rho_max",
        title: "Worst fairness ρ",
        meaning: "Finish-time fairness of the job treated worst.",
        formula: "max of JCT shared ∕ JCT alone on a 1∕N share",
        path: "fairness.rho_max",
        of: |of| of.fairness.rho_max,
        ..FAIRNESS
    },
    Metric {
        id: "jain",
        title: "Jain's index",
        meaning: "How alike jobs were treated: 1 if all alike, 1∕n if one has everything.",
        formula: "(Σx)² ∕ (n·Σx²), x = 1∕ρ",
        source: "Jain, Chiu and Hawe, DEC-TR-301 (1984).",
        better: Better::Higher,
        path: "fairness.jain",
        of: |of| of.fairness.jain,
        ..FAIRNESS
    },
    Metric {
        id: "goodput",
        title: "Goodput",
        meaning: "Of the GPU-hours that jobs held, the share that moved them forward: neither lost to failures nor spent on checkpoints and restoring.",
        formula: "1 − (lost + checkpoints + restoring) ∕ GPU-hours held",
        unit: MetricUnit::Share,
        better: Better::Higher,
        column: false,
        of: |of| of.failures.goodput(),
        ..FAILURES
    },
    Metric {
        id: "node_failures",
        title: "Node failures",
        meaning: "How often a node went down while the run lasted.",
        path: "failures.node_failures",
        of: |of| f64::from(of.failures.node_failures),
        ..FAILURES
    },
    Metric {
        id: "evictions",
        title: "Evictions",
        meaning: "How often a job lost its GPUs to a failure.",
        better: Better::Lower,
        path: "failures.evictions",
        of: |of| f64::from(of.failures.evictions),
        ..FAILURES
    },
    Metric {
        id: "failed_attempts",
        title: "Failed attempts",
        meaning: "How often a job failed and tried again, as its trace records.",
        path: "failures.failed_attempts",
        of: |of| f64::from(of.failures.failed_attempts),
        ..FAILURES
    },
    Metric {
        id: "failed_jobs",
        title: "Ended as failed",
        meaning: "Jobs that ended as failed, or with their node, as their trace records. They count as finished too.",
        path: "failures.failed_jobs",
        aliases: &["failed"],
        of: |of| f64::from(of.failures.failed_jobs),
        ..FAILURES
    },
    Metric {
        id: "cancelled_jobs",
        title: "Cancelled",
        meaning: "Jobs that their owners ended, as their trace records. They count as finished too.",
        path: "failures.cancelled_jobs",
        aliases: &["cancelled"],
        of: |of| f64::from(of.failures.cancelled_jobs),
        ..FAILURES
    },
    Metric {
        id: "executed_gpu_hours",
        title: "GPU-hours held",
        meaning: "What jobs were given, useful or not.",
        formula: "Σ GPUs × time held",
        better: Better::Neither,
        path: "failures.executed_gpu_hours",
        aliases: &["executed"],
        of: |of| of.failures.executed_gpu_hours,
        ..FAILURE_HOURS
    },
    Metric {
        id: "lost_gpu_hours",
        title: "Lost to failures",
        meaning: "Work since the last checkpoint, which had to be done again. Without checkpoints: since the job last got its GPUs.",
        formula: "Σ GPUs asked for × work undone, at full speed",
        path: "failures.lost_gpu_hours",
        aliases: &["lost"],
        of: |of| of.failures.lost_gpu_hours,
        ..FAILURE_HOURS
    },
    Metric {
        id: "failed_gpu_hours",
        title: "Held by failed jobs",
        meaning: "GPU-hours held by jobs that ended as failed.",
        path: "failures.failed_gpu_hours",
        aliases: &["failed_held"],
        column: false,
        of: |of| of.failures.failed_gpu_hours,
        ..FAILURE_HOURS
    },
    Metric {
        id: "cancelled_gpu_hours",
        title: "Held by cancelled jobs",
        meaning: "GPU-hours held by jobs that were cancelled.",
        path: "failures.cancelled_gpu_hours",
        aliases: &["cancelled_held"],
        column: false,
        of: |of| of.failures.cancelled_gpu_hours,
        ..FAILURE_HOURS
    },
    Metric {
        id: "timed_out_jobs",
        title: "Ended at their limit",
        meaning: "Jobs that the scheduler ended at their time limit, with work undone. They count as finished too.",
        path: "failures.timed_out_jobs",
        aliases: &["timed_out"],
        column: false,
        of: |of| f64::from(of.failures.timed_out_jobs),
        ..FAILURES
    },
    Metric {
        id: "timed_out_gpu_hours",
        title: "Held by jobs ended at their limit",
        meaning: "GPU-hours held by jobs that were ended at their time limit.",
        path: "failures.timed_out_gpu_hours",
        aliases: &["timed_out_held"],
        column: false,
        of: |of| of.failures.timed_out_gpu_hours,
        ..FAILURE_HOURS
    },
    Metric {
        id: "checkpoint_gpu_hours",
        title: "Spent on checkpoints",
        meaning: "Time in which jobs saved their work instead of going on. Saving seldom costs less here, and more is lost to failures: best is about √(2 · cost · mean time between failures).",
        formula: "GPU-hours run × cost ∕ (interval + cost)",
        source: "Young (CACM'74), Daly (FGCS'06).",
        path: "failures.checkpoint_gpu_hours",
        aliases: &["checkpointing"],
        of: |of| of.failures.checkpoint_gpu_hours,
        ..FAILURE_HOURS
    },
    Metric {
        id: "restore_gpu_hours",
        title: "Spent on restoring",
        meaning: "GPUs held while jobs were restored, after failures and after preemptions.",
        formula: "Σ GPUs × restart cost",
        path: "failures.restore_gpu_hours",
        aliases: &["restoring"],
        of: |of| of.failures.restore_gpu_hours,
        ..FAILURE_HOURS
    },
    Metric {
        id: "availability",
        title: "GPUs available",
        meaning: "The share of the cluster's GPUs on nodes that were neither down nor drained.",
        unit: MetricUnit::Share,
        path: "failures.availability",
        of: |of| of.failures.availability,
        ..FAILURES
    },
];

impl Metric {
    /// The metric of this id, for tables that are constants: one that is missing is found when they are compiled.
    pub(super) const fn of_id(id: &str) -> &'static Self {
        let mut at = 0;
        while at < METRICS.len() {
            if is_same(METRICS[at].id, id) {
                return &METRICS[at];
            }
            at += 1;
        }
        panic!("no metric has this id")
    }

    /// The metric of this name: its id, its place in the JSON of a run, or a former name; `-` is `_`.
    pub fn named(name: &str) -> Option<&'static Self> {
        let id = name.replace('-', "_");
        let find = |is: &dyn Fn(&Self) -> bool| METRICS.iter().find(|metric| is(metric));
        find(&|metric| metric.id == id)
            .or_else(|| find(&|metric| !name.is_empty() && metric.path == name))
            .or_else(|| find(&|metric| metric.aliases.contains(&id.as_str())))
    }

    /// Those of [`HEADLINE`].
    pub fn headline() -> impl Iterator<Item = &'static Self> {
        HEADLINE.into_iter().filter_map(Self::named)
    }

    /// Those of a group, in their order.
    pub fn of_group(group: MetricGroup) -> impl Iterator<Item = &'static Self> {
        METRICS.iter().filter(move |metric| metric.group == group)
    }

    /// The columns of a sweep's table.
    pub fn columns() -> impl Iterator<Item = &'static Self> {
        METRICS.iter().filter(|metric| metric.column)
    }

    /// The title within a sentence: `mean JCT`. Abbreviations and people keep their capitals.
    pub fn words(&self) -> String {
        let first = self.title.split(' ').next().unwrap_or_default();
        let is_word = first.chars().skip(1).all(char::is_lowercase);
        let mut letters = self.title.chars();
        match letters.next() {
            Some(letter) if is_word => letter.to_lowercase().chain(letters).collect(),
            _ => self.title.to_owned(),
        }
    }
}

/// Whether two texts are the same, for constants.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// How many columns a sweep's table has of metrics.
pub const COLUMNS: usize = {
    let (mut at, mut columns) = (0, 0);
    while at < METRICS.len() {
        columns += METRICS[at].column as usize;
        at += 1;
    }
    columns
};

/// A metric as other programs are told of it.
#[derive(Clone, Debug, Serialize)]
pub struct DescribedMetric {
    /// What the table says.
    #[serde(flatten)]
    pub metric: &'static Metric,
    /// The title within a sentence.
    pub words: String,
}

/// All metrics, as other programs are told of them.
pub fn described_metrics() -> Vec<DescribedMetric> {
    let described = |metric: &'static Metric| DescribedMetric {
        metric,
        words: metric.words(),
    };
    METRICS.iter().map(described).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Distribution, Failures, Fairness};
    use serde_json::Value;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Every field another number.
    fn summary() -> Summary {
        let distribution = |from: f64| Distribution {
            mean: from,
            median: from + 1.0,
            p90: from + 2.0,
            p95: from + 3.0,
            p99: from + 4.0,
            max: from + 5.0,
        };
        Summary {
            jobs: 1,
            finished: 2,
            rejected: 3,
            jct: distribution(10.0),
            queueing: distribution(20.0),
            makespan: 30.0,
            restarts: 31,
            gpu_allocation: 32.0,
            node_hours: 33.0,
            mean_nodes: 34.0,
            fairness: Fairness {
                rho_mean: 40.0,
                rho_p99: 41.0,
                rho_max: 42.0,
                jain: 43.0,
            },
            longest_wait: 35.0,
            failures: Failures {
                node_failures: 50,
                evictions: 51,
                executed_gpu_hours: 52.0,
                failed_attempts: 53,
                lost_gpu_hours: 54.0,
                failed_jobs: 55,
                failed_gpu_hours: 56.0,
                cancelled_jobs: 57,
                cancelled_gpu_hours: 58.0,
                timed_out_jobs: 62,
                timed_out_gpu_hours: 63.0,
                checkpoint_gpu_hours: 59.0,
                restore_gpu_hours: 60.0,
                availability: 61.0,
            },
        }
    }

    /// Numbers of an object, by their places.
    fn numbers(of: &Value, before: &str, found: &mut Vec<(String, f64)>) {
        for (key, value) in of.as_object().unwrap() {
            let path = format!("{before}{key}");
            match value.as_f64() {
                Some(number) => found.push((path, number)),
                None => numbers(value, &format!("{path}."), found),
            }
        }
    }

    #[test]
    fn every_number_of_a_summary_is_a_metric_at_its_place() {
        let summary = summary();
        let mut found = Vec::new();
        numbers(&serde_json::to_value(summary).unwrap(), "", &mut found);
        assert!(found.len() > 30);
        for (path, number) in &found {
            let metric = Metric::named(path).unwrap_or_else(|| panic!("no metric for {path}"));
            assert_eq!((metric.of)(&summary), *number, "{path}");
        }
        let without = METRICS.iter().filter(|metric| metric.path.is_empty());
        let without: Vec<&str> = without.map(|metric| metric.id).collect();
        assert_eq!(without, ["goodput"]);
    }

    #[test]
    fn a_name_is_of_one_metric() {
        let names = METRICS.iter().flat_map(|metric| {
            [metric.id]
                .into_iter()
                .chain(metric.aliases.iter().copied())
        });
        let mut known = BTreeSet::new();
        for name in names {
            assert!(known.insert(name), "{name} is there twice");
        }
        assert_eq!(Metric::headline().count(), HEADLINE.len());
    }

    #[test]
    fn former_names_are_read() {
        let id = |name| Metric::named(name).map(|metric| metric.id);
        for name in ["jct_mean", "jct-mean", "mean_jct", "mean-jct", "jct.mean"] {
            assert_eq!(id(name), Some("jct_mean"), "{name}");
        }
        assert_eq!(id("queueing"), Some("queueing_mean"));
        assert_eq!(id("failures.lost_gpu_hours"), Some("lost_gpu_hours"));
        assert_eq!((id(""), id("jct"), id("speed")), (None, None, None));
    }

    #[test]
    fn titles_within_sentences_keep_abbreviations_and_people() {
        let words = |name| Metric::named(name).unwrap().words();
        assert_eq!(words("jct_mean"), "mean JCT");
        assert_eq!(words("gpu_allocation"), "GPU allocation");
        assert_eq!(words("jct_p99"), "p99 JCT");
        assert_eq!(words("jain"), "Jain's index");
        assert_eq!(words("executed_gpu_hours"), "GPU-hours held");
        assert_eq!(words("availability"), "GPUs available");
    }

    /// Means over no jobs are unknown, and so is what is told of the end while jobs never end.
    #[test]
    fn what_is_unknown_of_unfinished_runs_is_not_a_number() {
        let none = Summary {
            jobs: 2,
            ..Summary::default()
        };
        for metric in METRICS {
            let value = (metric.of)(&none);
            match metric.unfinished {
                Unfinished::OfFinished | Unfinished::Unknown => {
                    assert!(value.is_nan(), "{}", metric.id);
                }
                Unfinished::SoFar => {}
            }
        }
    }

    #[test]
    fn the_docs_list_every_metric() {
        let docs = include_str!("../../../docs/metrics.md");
        for metric in METRICS {
            let line = format!("| `{}` | {} |", metric.id, metric.title);
            assert!(docs.contains(&line), "docs/metrics.md lacks: {line}");
        }
    }

    /// `UPDATE_METRICS=1 cargo test -p switchyard-report metrics` writes it anew.
    #[test]
    fn the_file_for_scripts_is_fresh() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("metrics.json");
        let fresh = serde_json::to_string_pretty(&described_metrics()).unwrap() + "\n";
        if std::env::var_os("UPDATE_METRICS").is_some() {
            std::fs::write(&file, &fresh).unwrap();
        }
        let there = std::fs::read_to_string(&file).unwrap_or_default();
        let how = "stale: UPDATE_METRICS=1 cargo test -p switchyard-report metrics";
        assert!(there == fresh, "{}: {how}", file.display());
    }
}
