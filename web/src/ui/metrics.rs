//! How the page shows what runs are told in numbers: the engine's metrics of runs, and numbers of GPU types and
//! calibration.

use super::term::Definition;
use super::wording::Direction;
use crate::draw::format;
use switchyard::report::{self as metrics, Better, Calibration, MetricUnit, TypeFigures};

/// A number of what is told of every run beside its [`metrics::Metric`]s.
pub(super) struct Metric<T> {
    pub(super) definition: Definition,
    pub(super) value: fn(&T) -> f64,
    pub(super) look: MetricStyle,
}

/// How a metric's values are shown.
#[derive(Clone, Copy)]
pub(super) struct MetricStyle {
    pub(super) format: fn(f64) -> String,
    /// How two values compare in words.
    pub(super) direction: Direction,
    pub(super) better: Better,
}

const LESS_TIME: MetricStyle = MetricStyle {
    format: format::duration,
    direction: Direction::Time,
    better: Better::Lower,
};
/// No run is the best: each has other jobs there.
const OTHER_JOBS: MetricStyle = MetricStyle {
    better: Better::Neither,
    ..LESS_TIME
};
const MORE_OF_ALL: MetricStyle = MetricStyle {
    format: format::percent,
    direction: Direction::Level,
    better: Better::Higher,
};
const LOWER: MetricStyle = MetricStyle {
    format: format::figures,
    direction: Direction::Level,
    better: Better::Lower,
};
const FEWER: MetricStyle = MetricStyle {
    format: whole,
    direction: Direction::Count,
    better: Better::Lower,
};
const COUNT: MetricStyle = MetricStyle {
    better: Better::Neither,
    ..FEWER
};
const LESS_SERVICE: MetricStyle = MetricStyle {
    format: gpu_hours,
    direction: Direction::Count,
    better: Better::Lower,
};

impl MetricStyle {
    /// As a metric of runs says.
    pub(super) fn of(metric: &metrics::Metric) -> Self {
        let look = match metric.unit {
            MetricUnit::Seconds => LESS_TIME,
            MetricUnit::Share => MORE_OF_ALL,
            MetricUnit::GpuHours => LESS_SERVICE,
            MetricUnit::Count => FEWER,
            MetricUnit::NodeHours => MetricStyle {
                format: node_hours,
                ..FEWER
            },
            MetricUnit::Number => LOWER,
        };
        Self {
            better: metric.better,
            ..look
        }
    }
}

/// What a metric of runs means.
pub(super) const fn definition(metric: &metrics::Metric) -> Definition {
    Definition {
        id: metric.id,
        name: metric.title,
        meaning: metric.meaning,
        formula: metric.formula,
        source: metric.source,
    }
}

/// What is told of every GPU type.
pub(super) static OF_TYPE: &[Metric<TypeFigures>] = &[
    Metric {
        definition: Definition {
            id: "type-allocation",
            name: "GPU allocation",
            meaning: "The share of the GPUs of this type that jobs held, on average over the makespan.",
            formula: "Σ GPUs × time held ∕ (GPUs of the type × makespan)",
            source: "",
        },
        value: |of| of.gpu_allocation,
        look: MetricStyle {
            better: Better::Neither,
            ..MORE_OF_ALL
        },
    },
    Metric {
        definition: Definition {
            id: "type-jobs",
            name: "Finished jobs",
            meaning: "Jobs that held more GPU-hours on this type than on any other.",
            formula: "",
            source: "",
        },
        value: |of| f64::from(of.jobs),
        look: COUNT,
    },
    Metric {
        definition: Definition {
            id: "type-jct",
            name: "Mean JCT",
            meaning: "Of those jobs: from submission to finish.",
            formula: "mean of finish − submit",
            source: "",
        },
        value: |of| of.jct_mean,
        look: OTHER_JOBS,
    },
    Metric {
        definition: Definition {
            id: "type-queueing",
            name: "Mean queueing delay",
            meaning: "Of those jobs: time without GPUs over their whole life.",
            formula: "mean of JCT − time on GPUs",
            source: "",
        },
        value: |of| of.queueing_mean,
        look: OTHER_JOBS,
    },
];

/// How close a run comes to what the trace records.
pub(super) static CALIBRATION: &[Metric<Calibration>] = &[
    Metric {
        definition: Definition {
            id: "calibration-mean",
            name: "mean wait",
            meaning: "How long these jobs waited in the run, on average.",
            formula: "mean of JCT − time on GPUs",
            source: "",
        },
        value: |of| of.wait.mean,
        look: OTHER_JOBS,
    },
    Metric {
        definition: Definition {
            id: "calibration-p95",
            name: "p95 wait",
            meaning: "19 of 20 of these jobs waited no longer than this in the run.",
            formula: "",
            source: "",
        },
        value: |of| of.wait.p95,
        look: OTHER_JOBS,
    },
    Metric {
        definition: Definition {
            id: "calibration-error",
            name: "median error",
            meaning: "Half of the jobs waited so much longer or shorter than recorded, or less.",
            formula: "median of |wait − recorded wait|",
            source: "",
        },
        value: |of| of.error.median,
        look: OTHER_JOBS,
    },
    Metric {
        definition: Definition {
            id: "calibration-error-p95",
            name: "p95 error",
            meaning: "19 of 20 jobs waited so much longer or shorter than recorded, or less.",
            formula: "95th percentile of |wait − recorded wait|",
            source: "",
        },
        value: |of| of.error.p95,
        look: OTHER_JOBS,
    },
    Metric {
        definition: Definition {
            id: "calibration-within",
            name: "within a factor of two",
            meaning: "The share of jobs whose wait is no more than twice, and no less than half, of the recorded one; waits under a minute are alike.",
            formula: "",
            source: "",
        },
        value: |of| of.within_two,
        look: MetricStyle {
            better: Better::Neither,
            ..MORE_OF_ALL
        },
    },
];

fn node_hours(hours: f64) -> String {
    format!("{} node-hours", format::figures(hours))
}

fn whole(number: f64) -> String {
    format::count(number as u64)
}

fn gpu_hours(hours: f64) -> String {
    format::gpu_hours(3600.0 * hours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_have_different_ids() {
        let of_runs = metrics::METRICS.iter().map(|metric| metric.id);
        let of_type = OF_TYPE.iter().map(|metric| metric.definition.id);
        let calibration = CALIBRATION.iter().map(|metric| metric.definition.id);
        let mut ids: Vec<&str> = of_runs.chain(of_type).chain(calibration).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }
}
