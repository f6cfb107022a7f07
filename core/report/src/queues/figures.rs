//! The figures of a run's queues.

use super::preemptions::{Loop, Preemptions, PreemptionsBetween};
use super::run_queues::RunQueues;
use super::walk::{Loan, QueueMoment, Totals, Walk};
use crate::sim::RunLog;
use crate::workload::Workload;
use crate::{Distribution, Outcomes};
use serde::Serialize;
use std::borrow::Cow;
use switchyard_queues::tree::QueueId;

/// What happened in a queue and those below it. Means and percentiles are over the jobs that finished; NaN without any.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueueFigures {
    /// Its name.
    pub name: String,
    /// The queue above.
    pub parent: Option<String>,
    /// How many are above.
    pub depth: u32,
    /// Whether jobs belong to it.
    pub is_leaf: bool,
    /// Its nominal quota with those below, GPUs. All there is counts as what the cluster has.
    pub quota: f64,
    /// Its jobs.
    pub jobs: u32,
    /// Those that ran to their end.
    pub finished: u32,
    /// GPU-hours that they held.
    pub executed_gpu_hours: f64,
    /// Those of them beyond what the queue is entitled to.
    pub borrowed_gpu_hours: f64,
    /// Idle GPU-hours of its quota that others used.
    pub lent_gpu_hours: f64,
    /// GPU-hours of its own quota that were used, where it is an inner queue: by those below it, or others.
    pub own_gpu_hours: f64,
    /// The part of all GPU-hours held.
    pub share: f64,
    /// The same of those held while some job of the run waited: then queues compete.
    pub share_while_waiting: f64,
    /// Waiting over the jobs' whole life, seconds.
    pub queueing: Distribution,
    /// Job completion time, seconds.
    pub jct: Distribution,
    /// How often its jobs lost their GPUs for others, as far as the policy tells.
    pub preempted: u32,
    /// How often others did for its jobs.
    pub preempts: u32,
}

/// A queue over time: the mean of each part, GPUs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SeriesOfQueue {
    /// What its jobs used.
    pub used: Vec<f64>,
    /// What of that was borrowed.
    pub borrowed: Vec<f64>,
    /// What of its quota was used by others.
    pub lent: Vec<f64>,
    /// What its jobs used, and what those that waited asked for.
    pub asked: Vec<f64>,
}

/// Queues over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QueuesOverTime {
    /// When the first part begins, seconds.
    pub begin: f64,
    /// How long each part is, seconds.
    pub width: f64,
    /// In the order of [`QueueReport::queues`].
    pub queues: Vec<SeriesOfQueue>,
}

/// What a tree of queues did in a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueueReport {
    /// Each queue below the one above it.
    pub queues: Vec<QueueFigures>,
    /// GPU-hours beyond the quotas of whole trees: of GPUs of which there is no quota, or under policies that do not
    /// go by quotas.
    pub beyond_quotas_gpu_hours: f64,
    /// Who was preempted by whom, where the policy tells it.
    pub preemptions: Vec<PreemptionsBetween>,
    /// Who was so over and over by the same, the most frequent first.
    pub loops: Vec<Loop>,
    /// The queues over time.
    pub over_time: QueuesOverTime,
}

impl QueueReport {
    /// Of a run; over time in so many equal parts.
    pub fn of(
        queues: &RunQueues,
        workload: &Workload,
        log: &RunLog,
        outcomes: &Outcomes,
        parts: usize,
    ) -> Self {
        let preemptions = Preemptions::of(queues, workload, log);
        let order = queues.in_order();
        let begin = log.event_times().first().copied().unwrap_or(0.0);
        let end = log.event_times().last().copied().unwrap_or(0.0);
        let (over_time, totals) = queues.walked(workload, log, (begin, end), parts);
        let hours = |gpu_seconds: f64| gpu_seconds / 3600.0;
        let roots = || queues.tree.roots().map(|id| &totals[id.index()]);
        let all = |of: fn(&Totals) -> f64| roots().fold(0.0, |all, root| all + of(root));
        let (used, contended) = (all(|of| of.lending.used), all(|of| of.used_while_waiting));
        let part = |of: f64, all: f64| if all > 0.0 { of / all } else { f64::NAN };
        let mut jobs = JobsBelow::of(queues, outcomes);
        let mut figures: Vec<Option<QueueFigures>> = vec![None; totals.len()];
        for &id in queues.tree.upwards() {
            let (queue, total) = (queues.tree.queue(id), &totals[id.index()]);
            let below = jobs.take(queues, id);
            let count = |jobs: &[usize]| jobs.len() as u32;
            let of = |values: &[f64]| {
                let values = below.finished.iter().map(|&job| values[job]);
                Distribution::of(values.collect())
            };
            figures[id.index()] = Some(QueueFigures {
                name: queue.name.clone(),
                parent: queue.parent.map(|id| queues.tree.queue(id).name.clone()),
                depth: 0,
                is_leaf: queues.tree.is_leaf(id),
                quota: 0.0,
                jobs: below.jobs,
                finished: count(&below.finished),
                executed_gpu_hours: hours(total.lending.used),
                borrowed_gpu_hours: hours(total.lending.borrowed),
                lent_gpu_hours: hours(total.lending.lent),
                own_gpu_hours: hours(total.lending.own_in_use),
                share: part(total.lending.used, used),
                share_while_waiting: part(total.used_while_waiting, contended),
                queueing: of(&outcomes.queueing),
                jct: of(&outcomes.jct),
                preempted: 0,
                preempts: 0,
            });
            jobs.put(id, below);
        }
        let empty = Walk::new(queues, workload, log);
        let in_order = order.iter().filter_map(|&(id, depth)| {
            let mut of = figures[id.index()].take()?;
            (of.depth, of.quota) = (depth, empty.standing(id).quota);
            Some(of)
        });
        let mut figures: Vec<QueueFigures> = in_order.collect();
        let mut place = vec![0; totals.len()];
        for (at, (id, _)) in order.iter().enumerate() {
            place[id.index()] = at;
        }
        for (leaf, times) in &preemptions.suffered {
            for id in queues.tree.path(*leaf) {
                figures[place[id.index()]].preempted += times;
            }
        }
        for (leaf, times) in &preemptions.caused {
            for id in queues.tree.path(*leaf) {
                figures[place[id.index()]].preempts += times;
            }
        }
        Self {
            beyond_quotas_gpu_hours: hours(all(|of| of.lending.borrowed)),
            queues: figures,
            preemptions: preemptions.between,
            loops: preemptions.loops,
            over_time,
        }
    }

    /// The queue of a name.
    pub fn queue(&self, name: &str) -> Option<&QueueFigures> {
        self.queues.iter().find(|of| of.name == name)
    }
}

/// Jobs of a queue and those below it.
#[derive(Clone, Debug, Default)]
struct Below {
    jobs: u32,
    finished: Vec<usize>,
}

/// By queue: its jobs, until the queue above has taken them.
struct JobsBelow(Vec<Below>);

impl JobsBelow {
    fn of(queues: &RunQueues, outcomes: &Outcomes) -> Self {
        let mut all = vec![Below::default(); queues.tree.queues().len()];
        for (job, leaf) in queues.leaf_of.iter().enumerate() {
            let of = &mut all[leaf.index()];
            of.jobs += 1;
            if outcomes.jct.get(job).is_some_and(|jct| !jct.is_nan()) {
                of.finished.push(job);
            }
        }
        Self(all)
    }

    fn take(&mut self, queues: &RunQueues, id: QueueId) -> Below {
        let mut all = std::mem::take(&mut self.0[id.index()]);
        for child in queues.tree.children(id) {
            let below = std::mem::take(&mut self.0[child.index()]);
            all.jobs += below.jobs;
            all.finished.extend(below.finished);
        }
        all
    }

    fn put(&mut self, id: QueueId, below: Below) {
        self.0[id.index()] = below;
    }
}

impl RunQueues {
    /// The queues at a moment, after all that happens at it; by [`QueueId`].
    pub fn at(&self, workload: &Workload, log: &RunLog, moment: f64) -> Vec<QueueMoment> {
        let mut walk = Walk::new(self, workload, log);
        walk.go_to(moment);
        walk.standings()
    }

    /// What is used beyond the quotas of whole trees at a moment, GPUs.
    pub fn beyond_quotas_at(&self, workload: &Workload, log: &RunLog, moment: f64) -> f64 {
        let mut walk = Walk::new(self, workload, log);
        walk.go_to(moment);
        walk.beyond_quotas()
    }

    /// From whom each leaf borrows at a moment.
    pub fn borrowed_at(&self, workload: &Workload, log: &RunLog, moment: f64) -> Vec<Loan> {
        let mut walk = Walk::new(self, workload, log);
        walk.go_to(moment);
        walk.loans()
    }

    /// A queue in steps: each holds until the next.
    pub fn steps(&self, workload: &Workload, log: &RunLog, id: QueueId) -> Vec<(f64, QueueMoment)> {
        let mut walk = Walk::new(self, workload, log);
        let mut steps: Vec<(f64, QueueMoment)> = Vec::new();
        while let Some(time) = walk.next() {
            walk.go_to(time);
            let now = walk.standing(id);
            if steps.last().is_none_or(|(_, before)| *before != now) {
                steps.push((time, now));
            }
        }
        steps
    }

    /// The queues on the mean of each of so many equal parts of some time, in the order of
    /// [`in_order`](Self::in_order).
    pub fn over_time(
        &self,
        workload: &Workload,
        log: &RunLog,
        until: f64,
        parts: usize,
    ) -> QueuesOverTime {
        let begin = log.event_times().first().copied().unwrap_or(0.0);
        self.walked(workload, log, (begin, until), parts).0
    }

    fn walked(
        &self,
        workload: &Workload,
        log: &RunLog,
        (begin, end): (f64, f64),
        parts: usize,
    ) -> (QueuesOverTime, Vec<Totals>) {
        let order = self.in_order();
        let parts = if end > begin { parts.max(1) } else { 0 };
        let width = if parts > 0 {
            (end - begin) / parts as f64
        } else {
            0.0
        };
        let mut walk = Walk::new(self, workload, log);
        let mut series = vec![SeriesOfQueue::default(); order.len()];
        let mut before = walk.totals();
        for part in 1..=parts {
            let until = if part == parts {
                end
            } else {
                begin + width * part as f64
            };
            walk.go_to(until);
            let now = walk.totals();
            for (series, (id, _)) in series.iter_mut().zip(&order) {
                let (now, before) = (&now[id.index()], &before[id.index()]);
                let mean = |of: fn(&Totals) -> f64| ((of(now) - of(before)) / width).max(0.0);
                series.used.push(mean(|of| of.lending.used));
                series.borrowed.push(mean(|of| of.lending.borrowed));
                series.lent.push(mean(|of| of.lending.lent));
                series.asked.push(mean(|of| of.asked));
            }
            before = now;
        }
        let over_time = QueuesOverTime {
            begin,
            width,
            queues: series,
        };
        (over_time, before)
    }
}

/// The queues of several runs as CSV: a row for each run and queue. No text is a formula in a spreadsheet.
pub fn queues_csv<'a>(runs: impl IntoIterator<Item = (&'a str, &'a QueueReport)>) -> String {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let number = |value: f64| match value.is_nan() {
        true => String::new(),
        false => value.to_string(),
    };
    // Writing to memory cannot fail.
    let _ = csv.write_record(COLUMNS);
    for (run, report) in runs {
        for of in &report.queues {
            let parent = of.parent.as_deref().unwrap_or_default();
            let texts = [run, &of.name, parent].map(crate::spreadsheet::guarded);
            let counts = [of.jobs, of.finished, of.preempted, of.preempts].map(|n| n.to_string());
            let figures = [
                of.quota,
                of.queueing.mean,
                of.queueing.median,
                of.queueing.p95,
                of.jct.mean,
                of.executed_gpu_hours,
                of.borrowed_gpu_hours,
                of.lent_gpu_hours,
                of.share,
                of.share_while_waiting,
            ];
            let texts = texts.into_iter().map(Cow::into_owned);
            let cells = texts.chain(counts).chain(figures.into_iter().map(number));
            let _ = csv.write_record(cells);
        }
    }
    let bytes = csv.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

const COLUMNS: &[&str] = &[
    "policy",
    "queue",
    "parent",
    "jobs",
    "finished",
    "preempted",
    "preempts",
    "quota",
    "queueing_mean",
    "queueing_median",
    "queueing_p95",
    "jct_mean",
    "executed_gpu_hours",
    "borrowed_gpu_hours",
    "lent_gpu_hours",
    "share",
    "share_while_waiting",
];
