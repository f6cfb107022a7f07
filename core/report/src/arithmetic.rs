//! How a number of a run comes about: what its formula takes, of which jobs, so that a reader can check it by hand. In: a
//! [`Metric`], and the jobs that it is over; out: [`Arithmetic`], whose [`Arithmetic::result`] is the metric's value.

use super::summary::allocated_gpu_seconds;
use super::{Metric, MetricUnit, Outcomes, Summary};
use crate::cluster::ClusterSpec;
use crate::job::JobId;
use crate::order;
use crate::sim::RunLog;
use crate::workload::Workload;

/// So many jobs are named of those that make most of a number.
const MOST: usize = 5;

/// A value that a formula takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operand {
    /// What it is, in words.
    pub name: &'static str,
    /// How much: seconds, hours or a number, as its unit says.
    pub value: f64,
    /// What it is in.
    pub unit: MetricUnit,
    /// The job that it is of, if it is of one.
    pub job: Option<JobId>,
}

/// A formula with its values.
#[derive(Clone, Debug)]
pub struct Arithmetic {
    /// The formula; `{0}` is the first value.
    pub formula: &'static str,
    /// What it takes.
    pub operands: Vec<Operand>,
    /// What comes out is in.
    pub unit: MetricUnit,
    /// What the formula does with the values.
    how: fn(&[f64]) -> f64,
    /// The jobs with the greatest shares of it, 0 to 1, the greatest first; empty where it is no sum over jobs.
    pub most: Vec<(JobId, f64)>,
}

/// What numbers of a run are over.
#[derive(Clone, Copy, Debug)]
pub struct Over<'a> {
    /// The jobs.
    pub workload: &'a Workload,
    /// What became of them.
    pub outcomes: &'a Outcomes,
    /// The numbers.
    pub summary: &'a Summary,
    /// Some of the jobs; or all, and then the cluster and the log that the numbers are of.
    pub of: Result<&'a [JobId], (&'a ClusterSpec, &'a RunLog)>,
}

/// How the numbers of a metric come about.
enum How {
    /// A statistic of a number that each job has: `mean`, `median`, `max` or a percentile.
    Column(fn(&Outcomes) -> &[f64], &'static str),
    Jain,
    Makespan,
    Restarts,
    GpuAllocation,
    MeanNodes,
    Goodput,
}

impl How {
    /// None where it is counted.
    fn of(metric: &Metric) -> Option<Self> {
        Some(match (metric.path.split_once('.'), metric.id) {
            (Some(("jct", which)), _) => Self::Column(|of| &of.jct, which),
            (Some(("queueing", which)), _) => Self::Column(|of| &of.queueing, which),
            (Some(("fairness", "jain")), _) => Self::Jain,
            (Some(("fairness", which)), _) => {
                Self::Column(|of| &of.rho, which.trim_start_matches("rho_"))
            }
            (_, "longest_wait") => Self::Column(|of| &of.longest_wait, "max"),
            (_, "makespan") => Self::Makespan,
            (_, "restarts") => Self::Restarts,
            (_, "gpu_allocation") => Self::GpuAllocation,
            (_, "mean_nodes") => Self::MeanNodes,
            (_, "goodput") => Self::Goodput,
            _ => return None,
        })
    }

    /// Whether it is of a whole run alone, with its cluster and its log.
    fn is_of_run(&self) -> bool {
        matches!(self, Self::GpuAllocation | Self::MeanNodes | Self::Goodput)
    }
}

impl Arithmetic {
    fn new(
        formula: &'static str,
        operands: impl Into<Vec<Operand>>,
        how: fn(&[f64]) -> f64,
    ) -> Self {
        Self {
            formula,
            operands: operands.into(),
            unit: MetricUnit::Seconds,
            how,
            most: Vec::new(),
        }
    }

    /// What comes out.
    pub fn result(&self) -> f64 {
        let values: Vec<f64> = self.operands.iter().map(|of| of.value).collect();
        (self.how)(&values)
    }

    /// Whether it is told how a known number of a metric comes about, of a whole run or of some jobs.
    pub fn explains(metric: &Metric, of_whole: bool) -> bool {
        How::of(metric).is_some_and(|how| of_whole || !how.is_of_run())
    }

    /// How the number of a metric comes about; none where it is counted, is known to nobody, or is not told of some jobs.
    pub fn of(metric: &Metric, over: &Over) -> Option<Self> {
        if !(metric.of)(over.summary).is_finite() {
            return None;
        }
        let arithmetic = match How::of(metric)? {
            How::Column(column, which) => over.of_column(column(over.outcomes), metric.unit, which),
            How::Jain => over.jain(),
            How::Makespan => over.makespan(),
            How::Restarts => over.restarts(),
            How::GpuAllocation => over.gpu_allocation(),
            How::MeanNodes => over.mean_nodes(),
            How::Goodput => over.goodput(),
        };
        Some(Self {
            unit: metric.unit,
            ..arithmetic?
        })
    }

    /// A job's completion time: its end less its submission.
    pub fn of_jct(workload: &Workload, outcomes: &Outcomes, job: JobId) -> Option<Self> {
        let submit = workload.jobs.get(job.index())?.submit.seconds();
        let jct = known(&outcomes.jct, job)?;
        let operands = [
            seconds("its end", submit + jct),
            seconds("its submission", submit),
        ];
        Some(Self::new("{0} − {1}", operands, |of| of[0] - of[1]))
    }

    /// A job's queueing delay: its completion time less its time on GPUs.
    pub fn of_wait(outcomes: &Outcomes, job: JobId) -> Option<Self> {
        let (jct, wait) = (known(&outcomes.jct, job)?, known(&outcomes.queueing, job)?);
        let operands = [
            seconds("its JCT", jct),
            seconds("its time on GPUs", jct - wait),
        ];
        Some(Self::new("{0} − {1}", operands, |of| of[0] - of[1]))
    }

    /// A job's finish-time fairness: its completion time over that alone on an equal share.
    pub fn of_rho(outcomes: &Outcomes, job: JobId) -> Option<Self> {
        let (jct, rho) = (known(&outcomes.jct, job)?, known(&outcomes.rho, job)?);
        let operands = [
            seconds("its JCT", jct),
            seconds("alone on an equal share of the cluster", jct / rho),
        ];
        Some(Self {
            unit: MetricUnit::Number,
            ..Self::new("{0} ∕ {1}", operands, |of| of[0] / of[1])
        })
    }
}

impl Over<'_> {
    fn jobs(&self) -> Vec<JobId> {
        match self.of {
            Ok(some) => some.to_vec(),
            Err(_) => (0..self.outcomes.jct.len() as u32).map(JobId).collect(),
        }
    }

    /// The known values of a column, ascending, with their jobs.
    fn sorted(&self, column: &[f64]) -> Vec<(JobId, f64)> {
        let jobs = self.jobs().into_iter();
        let values = jobs.filter_map(|job| Some((job, known(column, job)?)));
        let mut values: Vec<(JobId, f64)> = values.collect();
        order::sort_by(&mut values, |a, b| order::by_value(&a.1, &b.1));
        values
    }

    fn of_column(&self, column: &[f64], unit: MetricUnit, which: &str) -> Option<Arithmetic> {
        let sorted = self.sorted(column);
        let &greatest = sorted.last()?;
        let of = |name, value, job| Operand {
            name,
            value,
            unit,
            job,
        };
        Some(match which {
            "mean" => {
                let sum: f64 = sorted.iter().map(|(_, value)| value).sum();
                let most = sorted.iter().rev().take(MOST);
                let operands = [
                    of("their sum", sum, None),
                    count("jobs", sorted.len() as u32),
                ];
                Arithmetic {
                    most: most.map(|&(job, value)| (job, value / sum)).collect(),
                    ..Arithmetic::new("{0} ∕ {1}", operands, |of| of[0] / of[1])
                }
            }
            "max" => {
                let operands = [of("the greatest of all jobs", greatest.1, Some(greatest.0))];
                Arithmetic::new("{0}", operands, |of| of[0])
            }
            percentile => {
                let percent: f64 = match percentile {
                    "median" => 50.0,
                    other => other.strip_prefix('p')?.parse().ok()?,
                };
                let last = sorted.len() - 1;
                let rank = percent / 100.0 * last as f64;
                let below = (rank as usize).min(last);
                let (below, above) = (sorted[below], sorted[(below + 1).min(last)]);
                let part = Operand {
                    unit: MetricUnit::Number,
                    ..of("how far it is between them", rank.fract(), None)
                };
                let operands = [
                    of("the job below, of all in order", below.1, Some(below.0)),
                    of("the job above", above.1, Some(above.0)),
                    part,
                    count("jobs", sorted.len() as u32),
                ];
                Arithmetic::new("{0} + {2} × ({1} − {0})", operands, |of| {
                    of[0] + of[2] * (of[1] - of[0])
                })
            }
        })
    }

    fn jain(&self) -> Option<Arithmetic> {
        let speeds = self.sorted(&self.outcomes.rho).into_iter();
        let speeds: Vec<f64> = speeds.map(|(_, rho)| 1.0 / rho).collect();
        let number = |name, value| Operand {
            name,
            value,
            unit: MetricUnit::Number,
            job: None,
        };
        let operands = [
            number("Σx", speeds.iter().sum()),
            count("n, the jobs", speeds.len() as u32),
            number("Σx²", speeds.iter().map(|x| x * x).sum()),
        ];
        Some(Arithmetic::new("{0}² ∕ ({1} × {2})", operands, |of| {
            of[0] * of[0] / (of[1] * of[2])
        }))
    }

    /// The first submission and the last end, seconds, and whose they are.
    fn ends(&self) -> Option<[(f64, JobId); 2]> {
        if let Err((_, log)) = self.of {
            let of = |at: usize| {
                let event = log.event(at);
                (event.time.seconds(), event.job)
            };
            return Some([of(0), of(log.events().checked_sub(1)?)]);
        }
        let ended = self.sorted(&self.outcomes.jct).into_iter();
        let stays = ended.map(|(job, jct)| {
            let submit = self.workload.jobs[job.index()].submit.seconds();
            (submit, submit + jct, job)
        });
        stays.fold(None, |found, (from, to, job)| {
            let [first, last] = found.unwrap_or([(from, job), (to, job)]);
            Some([
                if from < first.0 { (from, job) } else { first },
                if to > last.0 { (to, job) } else { last },
            ])
        })
    }

    fn makespan(&self) -> Option<Arithmetic> {
        let [first, last] = self.ends()?;
        let of = |name, (value, job)| Operand {
            job: Some(job),
            ..seconds(name, value)
        };
        let operands = [of("the last end", last), of("the first submission", first)];
        Some(Arithmetic::new("{0} − {1}", operands, |of| of[0] - of[1]))
    }

    fn restarts(&self) -> Option<Arithmetic> {
        let jobs = self.jobs();
        let restarts = |job: JobId| self.outcomes.restarts[job.index()];
        let has_started = |job: &&JobId| !self.outcomes.first_wait[job.index()].is_nan();
        let started = jobs.iter().filter(has_started).count() as u32;
        let all: u32 = jobs.iter().map(|&job| restarts(job)).sum();
        let share = |job| f64::from(restarts(job)) / f64::from(all);
        let mut most: Vec<JobId> = jobs.into_iter().filter(|&job| restarts(job) > 0).collect();
        order::sort_by(&mut most, |a, b| restarts(*b).cmp(&restarts(*a)));
        most.truncate(MOST);
        let operands = [
            count("starts", started + all),
            count("jobs started", started),
        ];
        Some(Arithmetic {
            most: most.into_iter().map(|job| (job, share(job))).collect(),
            ..Arithmetic::new("{0} − {1}", operands, |of| of[0] - of[1])
        })
    }

    fn gpu_allocation(&self) -> Option<Arithmetic> {
        let (cluster, log) = self.of.err()?;
        let [first, last] = self.ends()?;
        let operands = [
            hours(
                "held by jobs",
                allocated_gpu_seconds(log, last.0) / 3600.0,
                MetricUnit::GpuHours,
            ),
            count("GPUs of the cluster", cluster.gpus()),
            Operand {
                unit: MetricUnit::Number,
                ..seconds("makespan, hours", (last.0 - first.0) / 3600.0)
            },
        ];
        Some(Arithmetic::new("{0} ∕ ({1} × {2})", operands, |of| {
            of[0] / (of[1] * of[2])
        }))
    }

    fn mean_nodes(&self) -> Option<Arithmetic> {
        self.of.err()?;
        let [first, last] = self.ends()?;
        let operands = [
            hours("rented", self.summary.node_hours, MetricUnit::NodeHours),
            Operand {
                unit: MetricUnit::Number,
                ..seconds("makespan, hours", (last.0 - first.0) / 3600.0)
            },
        ];
        Some(Arithmetic::new("{0} ∕ {1}", operands, |of| of[0] / of[1]))
    }

    fn goodput(&self) -> Option<Arithmetic> {
        self.of.err()?;
        let of = &self.summary.failures;
        if of.executed_gpu_hours == 0.0 {
            return None;
        }
        let hours = |name, value| hours(name, value, MetricUnit::GpuHours);
        let operands = [
            hours("lost", of.lost_gpu_hours),
            hours("checkpoints", of.checkpoint_gpu_hours),
            hours("restoring", of.restore_gpu_hours),
            hours("held by jobs", of.executed_gpu_hours),
        ];
        Some(Arithmetic::new(
            "1 − ({0} + {1} + {2}) ∕ {3}",
            operands,
            |of| (1.0 - (of[0] + of[1] + of[2]) / of[3]).max(0.0),
        ))
    }
}

/// A job's value in a column, where it is known.
fn known(column: &[f64], job: JobId) -> Option<f64> {
    let value = column.get(job.index()).copied();
    value.filter(|value| !value.is_nan())
}

const fn seconds(name: &'static str, value: f64) -> Operand {
    Operand {
        name,
        value,
        unit: MetricUnit::Seconds,
        job: None,
    }
}

const fn hours(name: &'static str, value: f64, unit: MetricUnit) -> Operand {
    Operand {
        unit,
        ..seconds(name, value)
    }
}

fn count(name: &'static str, of: u32) -> Operand {
    Operand {
        unit: MetricUnit::Count,
        ..seconds(name, f64::from(of))
    }
}
