//! What is told of runs in numbers: of each, of what failures cost it, and of its GPU types.

use super::term::Definition;
use super::wording::Direction;
use crate::draw::format;
use switchyard::report::{Calibration, Failures, GroupFigure, GroupFigures, Summary, TypeFigures};

/// One row: a number of every run, or of what is told of every run.
pub(super) struct Metric<T = Summary> {
    pub(super) definition: Definition,
    pub(super) value: fn(&T) -> f64,
    pub(super) look: Look,
}

/// How a metric's values are shown.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub(super) format: fn(f64) -> String,
    /// How two values compare in words.
    pub(super) direction: Direction,
    pub(super) better: Better,
}

const LESS_TIME: Look = Look {
    format: format::duration,
    direction: Direction::Time,
    better: Better::Lower,
};
/// No run is the best: each has other jobs there.
const OTHER_JOBS: Look = Look {
    better: Better::Neither,
    ..LESS_TIME
};
const MORE_OF_ALL: Look = Look {
    format: percent,
    direction: Direction::Level,
    better: Better::Higher,
};
const LOWER: Look = Look {
    format: format::figures,
    direction: Direction::Level,
    better: Better::Lower,
};
const FEWER: Look = Look {
    format: whole,
    direction: Direction::Count,
    better: Better::Lower,
};
const COUNT: Look = Look {
    better: Better::Neither,
    ..FEWER
};
const LESS_SERVICE: Look = Look {
    format: gpu_hours,
    direction: Direction::Count,
    better: Better::Lower,
};

/// Which value is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Better {
    Lower,
    Higher,
    Neither,
}

const JCT_SOURCE: &str =
    "The figure most papers report: Tiresias (NSDI'19), Themis (NSDI'20), Pollux (OSDI'21).";
const THEMIS: &str = "Themis (NSDI'20). Here the equal share follows the number of jobs in the system, averaged over the job's life.";

pub(super) static METRICS: [Metric; 17] = [
    Metric {
        definition: Definition {
            id: "jct-mean",
            name: "Mean JCT",
            meaning: "Job completion time: from submission to finish, averaged over finished jobs.",
            formula: "mean of finish − submit",
            source: JCT_SOURCE,
        },
        value: |summary| summary.jct.mean,
        look: LESS_TIME,
    },
    Metric {
        definition: Definition {
            id: "jct-median",
            name: "Median JCT",
            meaning: "Half of the finished jobs took no longer than this from submission to finish.",
            formula: "50th percentile of finish − submit",
            source: JCT_SOURCE,
        },
        value: |summary| summary.jct.median,
        look: LESS_TIME,
    },
    Metric {
        definition: Definition {
            id: "jct-p90",
            name: "p90 JCT",
            meaning: "Nine of ten finished jobs took no longer than this.",
            formula: "90th percentile of finish − submit, linear between neighbours",
            source: "",
        },
        value: |summary| summary.jct.p90,
        look: LESS_TIME,
    },
    Metric {
        definition: Definition {
            id: "jct-p95",
            name: "p95 JCT",
            meaning: "19 of 20 finished jobs took no longer than this.",
            formula: "95th percentile of finish − submit, linear between neighbours",
            source: "",
        },
        value: |summary| summary.jct.p95,
        look: LESS_TIME,
    },
    Metric {
        definition: Definition {
            id: "jct-p99",
            name: "p99 JCT",
            meaning: "The tail: 99 of 100 finished jobs took no longer than this.",
            formula: "99th percentile of finish − submit, linear between neighbours",
            source: "",
        },
        value: |summary| summary.jct.p99,
        look: LESS_TIME,
    },
    Metric {
        definition: Definition {
            id: "jct-max",
            name: "Longest JCT",
            meaning: "The job that took longest from submission to finish.",
            formula: "max of finish − submit",
            source: "",
        },
        value: |summary| summary.jct.max,
        look: LESS_TIME,
    },
    Metric {
        definition: Definition {
            id: "queueing",
            name: "Mean queueing delay",
            meaning: "Time without GPUs over a job's whole life, also after preemptions, averaged over finished jobs.",
            formula: "mean of JCT − time on GPUs",
            source: "",
        },
        value: |summary| summary.queueing.mean,
        look: LESS_TIME,
    },
    Metric {
        definition: Definition {
            id: "longest-wait",
            name: "Longest wait",
            meaning: "The longest single wait of any job that then got GPUs: a sign of starvation.",
            formula: "max over waits of start − (submission or preemption)",
            source: "",
        },
        value: |summary| summary.longest_wait,
        look: LESS_TIME,
    },
    Metric {
        definition: Definition {
            id: "makespan",
            name: "Makespan",
            meaning: "How long the whole trace takes.",
            formula: "last finish − first submission",
            source: "",
        },
        value: |summary| summary.makespan,
        look: LESS_TIME,
    },
    Metric {
        definition: Definition {
            id: "allocation",
            name: "GPU allocation",
            meaning: "The share of the cluster's GPUs that jobs held, on average over the makespan. Held is not the same as used well.",
            formula: "Σ GPUs × time held ∕ (GPUs of the cluster × makespan)",
            source: "",
        },
        value: |summary| summary.gpu_allocation,
        look: MORE_OF_ALL,
    },
    Metric {
        definition: Definition {
            id: "restarts",
            name: "Restarts",
            meaning: "Starts after a job's first one: resumes and moves. Each costs a checkpoint and a restore.",
            formula: "Σ starts − jobs started",
            source: "",
        },
        value: |summary| f64::from(summary.restarts),
        look: FEWER,
    },
    Metric {
        definition: Definition {
            id: "rho-mean",
            name: "Mean fairness ρ",
            meaning: "Finish-time fairness: a job's completion time over what it would be on an equal share of the cluster. Below 1: better than an equal share.",
            formula: "mean of JCT shared ∕ JCT alone on a 1∕N share",
            source: THEMIS,
        },
        value: |summary| summary.fairness.rho_mean,
        look: LOWER,
    },
    Metric {
        definition: Definition {
            id: "rho-p99",
            name: "p99 fairness ρ",
            meaning: "Finish-time fairness of the worst-treated hundredth of jobs.",
            formula: "99th percentile of JCT shared ∕ JCT alone on a 1∕N share",
            source: THEMIS,
        },
        value: |summary| summary.fairness.rho_p99,
        look: LOWER,
    },
    Metric {
        definition: Definition {
            id: "rho-max",
            name: "Worst fairness ρ",
            meaning: "Finish-time fairness of the job treated worst.",
            formula: "max of JCT shared ∕ JCT alone on a 1∕N share",
            source: THEMIS,
        },
        value: |summary| summary.fairness.rho_max,
        look: LOWER,
    },
    Metric {
        definition: Definition {
            id: "jain",
            name: "Jain's index",
            meaning: "How alike jobs were treated: 1 if all alike, 1∕n if one has everything.",
            formula: "(Σx)² ∕ (n·Σx²), x = 1∕ρ",
            source: "Jain, Chiu and Hawe, DEC-TR-301 (1984).",
        },
        value: |summary| summary.fairness.jain,
        look: Look {
            better: Better::Higher,
            ..LOWER
        },
    },
    Metric {
        definition: Definition {
            id: "finished",
            name: "Finished jobs",
            meaning: "Jobs that ran to their end.",
            formula: "",
            source: "",
        },
        value: |summary| f64::from(summary.finished),
        look: COUNT,
    },
    Metric {
        definition: Definition {
            id: "rejected",
            name: "Rejected jobs",
            meaning: "Jobs that want more GPUs than the cluster has; they never enter the queue.",
            formula: "",
            source: "",
        },
        value: |summary| f64::from(summary.rejected),
        look: COUNT,
    },
];

/// What failures and saving cost: told where there are any.
pub(super) static FAILURES: [Metric<Failures>; 13] = [
    Metric {
        definition: Definition {
            id: "goodput",
            name: "Goodput",
            meaning: "Of the GPU-hours that jobs held, the share that moved them forward: neither lost to failures nor spent on checkpoints and restoring.",
            formula: "1 − (lost + checkpoints + restoring) ∕ GPU-hours held",
            source: "",
        },
        value: Failures::goodput,
        look: MORE_OF_ALL,
    },
    Metric {
        definition: Definition {
            id: "executed",
            name: "GPU-hours held",
            meaning: "What jobs were given, useful or not.",
            formula: "Σ GPUs × time held",
            source: "",
        },
        value: |failures| failures.executed_gpu_hours,
        look: Look {
            better: Better::Neither,
            ..LESS_SERVICE
        },
    },
    Metric {
        definition: Definition {
            id: "lost",
            name: "Lost to failures",
            meaning: "Work since the last checkpoint, which had to be done again. Without checkpoints: since the job last got its GPUs.",
            formula: "Σ GPUs asked for × work undone, at full speed",
            source: "",
        },
        value: |failures| failures.lost_gpu_hours,
        look: LESS_SERVICE,
    },
    Metric {
        definition: Definition {
            id: "checkpointing",
            name: "Spent on checkpoints",
            meaning: "Time in which jobs saved their work instead of going on. Saving seldom costs less here, and more is lost to failures: best is about √(2 · cost · mean time between failures).",
            formula: "GPU-hours run × cost ∕ (interval + cost)",
            source: "Young (CACM'74), Daly (FGCS'06).",
        },
        value: |failures| failures.checkpoint_gpu_hours,
        look: LESS_SERVICE,
    },
    Metric {
        definition: Definition {
            id: "restoring",
            name: "Spent on restoring",
            meaning: "GPUs held while jobs were restored, after failures and after preemptions.",
            formula: "Σ GPUs × restart cost",
            source: "",
        },
        value: |failures| failures.restore_gpu_hours,
        look: LESS_SERVICE,
    },
    Metric {
        definition: Definition {
            id: "evictions",
            name: "Evictions",
            meaning: "How often a job lost its GPUs to a failure.",
            formula: "",
            source: "",
        },
        value: |failures| f64::from(failures.evictions),
        look: FEWER,
    },
    Metric {
        definition: Definition {
            id: "failed-attempts",
            name: "Failed attempts",
            meaning: "How often a job failed and tried again, as its trace records.",
            formula: "",
            source: "",
        },
        value: |failures| f64::from(failures.failed_attempts),
        look: COUNT,
    },
    Metric {
        definition: Definition {
            id: "failed",
            name: "Ended as failed",
            meaning: "Jobs that ended as failed, or with their node, as their trace records. They count as finished too.",
            formula: "",
            source: "",
        },
        value: |failures| f64::from(failures.failed_jobs),
        look: COUNT,
    },
    Metric {
        definition: Definition {
            id: "failed-held",
            name: "Held by failed jobs",
            meaning: "GPU-hours held by jobs that ended as failed.",
            formula: "",
            source: "",
        },
        value: |failures| failures.failed_gpu_hours,
        look: LESS_SERVICE,
    },
    Metric {
        definition: Definition {
            id: "cancelled",
            name: "Cancelled",
            meaning: "Jobs that their owners ended, as their trace records. They count as finished too.",
            formula: "",
            source: "",
        },
        value: |failures| f64::from(failures.cancelled_jobs),
        look: COUNT,
    },
    Metric {
        definition: Definition {
            id: "cancelled-held",
            name: "Held by cancelled jobs",
            meaning: "GPU-hours held by jobs that were cancelled.",
            formula: "",
            source: "",
        },
        value: |failures| failures.cancelled_gpu_hours,
        look: LESS_SERVICE,
    },
    Metric {
        definition: Definition {
            id: "node-failures",
            name: "Node failures",
            meaning: "How often a node went down while the run lasted.",
            formula: "",
            source: "",
        },
        value: |failures| f64::from(failures.node_failures),
        look: COUNT,
    },
    Metric {
        definition: Definition {
            id: "availability",
            name: "GPUs available",
            meaning: "The share of the cluster's GPUs on nodes that were neither down nor drained.",
            formula: "",
            source: "",
        },
        value: |failures| failures.availability,
        look: Look {
            better: Better::Neither,
            ..MORE_OF_ALL
        },
    },
];

/// What is told of every GPU type.
pub(super) static OF_TYPE: [Metric<TypeFigures>; 4] = [
    Metric {
        definition: Definition {
            id: "type-allocation",
            name: "GPU allocation",
            meaning: "The share of the GPUs of this type that jobs held, on average over the makespan.",
            formula: "Σ GPUs × time held ∕ (GPUs of the type × makespan)",
            source: "",
        },
        value: |of| of.allocation,
        look: Look {
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
        value: |of| of.mean_jct,
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
        value: |of| of.mean_queueing,
        look: OTHER_JOBS,
    },
];

/// What is told of every group of jobs, in the order of [`GroupFigure::ALL`].
pub(super) static OF_GROUP: [Metric<GroupFigures>; GroupFigure::ALL.len()] = [
    Metric {
        definition: Definition {
            id: GroupFigure::Wait.word(),
            name: "mean wait",
            meaning: "Time without GPUs over the whole life of a finished job of the group, on average.",
            formula: "mean of JCT − time on GPUs",
            source: "",
        },
        value: |of| GroupFigure::Wait.of(of),
        look: LESS_TIME,
    },
    Metric {
        definition: Definition {
            id: GroupFigure::WaitP95.word(),
            name: "p95 wait",
            meaning: "19 of 20 finished jobs of the group waited no longer than this.",
            formula: "95th percentile of JCT − time on GPUs",
            source: "",
        },
        value: |of| GroupFigure::WaitP95.of(of),
        look: LESS_TIME,
    },
    Metric {
        definition: Definition {
            id: GroupFigure::Jct.word(),
            name: "mean JCT",
            meaning: "From submission to finish, averaged over the group's finished jobs.",
            formula: "mean of finish − submit",
            source: "",
        },
        value: |of| GroupFigure::Jct.of(of),
        look: LESS_TIME,
    },
    Metric {
        definition: Definition {
            id: GroupFigure::JctP95.word(),
            name: "p95 JCT",
            meaning: "19 of 20 finished jobs of the group took no longer than this.",
            formula: "95th percentile of finish − submit",
            source: "",
        },
        value: |of| GroupFigure::JctP95.of(of),
        look: LESS_TIME,
    },
    Metric {
        definition: Definition {
            id: GroupFigure::Rho.word(),
            name: "mean ρ",
            meaning: "Finish-time fairness, averaged over the group's finished jobs: below 1 they did better than with an equal share of the cluster.",
            formula: "",
            source: "Themis, NSDI'20",
        },
        value: |of| GroupFigure::Rho.of(of),
        look: LOWER,
    },
    Metric {
        definition: Definition {
            id: GroupFigure::GpuHours.word(),
            name: "GPU·h held",
            meaning: "GPU-hours that the group's jobs held.",
            formula: "Σ GPUs × time held",
            source: "",
        },
        value: |of| GroupFigure::GpuHours.of(of),
        look: Look {
            better: Better::Neither,
            ..LESS_SERVICE
        },
    },
    Metric {
        definition: Definition {
            id: GroupFigure::Share.word(),
            name: "share of all GPU·h",
            meaning: "The part of all GPU-hours held that the group's jobs held.",
            formula: "",
            source: "",
        },
        value: |of| GroupFigure::Share.of(of),
        look: Look {
            better: Better::Neither,
            ..MORE_OF_ALL
        },
    },
];

/// How close a run comes to what the trace records.
pub(super) static CALIBRATION: [Metric<Calibration>; 5] = [
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
        look: Look {
            better: Better::Neither,
            ..MORE_OF_ALL
        },
    },
];

fn percent(share: f64) -> String {
    format!("{} %", format::figures(100.0 * share))
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
    fn every_figure_of_groups_can_be_shown() {
        let shown = OF_GROUP.each_ref().map(|metric| metric.definition.id);
        assert_eq!(shown, GroupFigure::WORDS);
    }

    #[test]
    fn metrics_have_different_ids() {
        let of_runs = METRICS.iter().map(|metric| metric.definition.id);
        let failures = FAILURES.iter().map(|metric| metric.definition.id);
        let of_type = OF_TYPE.iter().map(|metric| metric.definition.id);
        let calibration = CALIBRATION.iter().map(|metric| metric.definition.id);
        let of_runs = of_runs.chain(failures).chain(of_type);
        let mut ids: Vec<&str> = of_runs.chain(calibration).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }
}
