//! What failures of nodes and jobs cost: work done in vain, and the time that saving it took.

use super::Outcomes;
use crate::cluster::ClusterSpec;
use crate::sim::{NodeState, RunLog, StopCause};
use serde::{Deserialize, Serialize};

/// What failures cost a run; all 0, and everything available, where nothing fails.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failures {
    /// How often a node failed.
    pub node_failures: u32,
    /// How often a job lost its GPUs to that.
    pub evictions: u32,
    /// GPU-hours that jobs held.
    #[serde(default)]
    pub executed_gpu_hours: f64,
    /// How many attempts of jobs failed, as their trace records.
    #[serde(default)]
    pub failed_attempts: u32,
    /// Work in vain, lost to nodes and failed attempts, GPU-hours at the requested GPUs.
    pub lost_gpu_hours: f64,
    /// How many jobs ended as failed, as their trace records.
    #[serde(default)]
    pub failed_jobs: u32,
    /// What they had held, GPU-hours.
    #[serde(default)]
    pub failed_gpu_hours: f64,
    /// How many were cancelled.
    #[serde(default)]
    pub cancelled_jobs: u32,
    /// What they had held, GPU-hours.
    #[serde(default)]
    pub cancelled_gpu_hours: f64,
    /// How many were ended at their time limit, undone.
    #[serde(default)]
    pub timed_out_jobs: u32,
    /// What they had held, GPU-hours.
    #[serde(default)]
    pub timed_out_gpu_hours: f64,
    /// GPU-hours held while checkpoints were written.
    pub checkpoint_gpu_hours: f64,
    /// GPU-hours held while jobs were restored, after failures and preemptions alike.
    #[serde(default)]
    pub restore_gpu_hours: f64,
    /// Share of the cluster's GPUs on nodes that were up, first submission to last finish.
    pub availability: f64,
}

impl Default for Failures {
    fn default() -> Self {
        Self {
            node_failures: 0,
            evictions: 0,
            executed_gpu_hours: 0.0,
            failed_attempts: 0,
            lost_gpu_hours: 0.0,
            failed_jobs: 0,
            failed_gpu_hours: 0.0,
            cancelled_jobs: 0,
            cancelled_gpu_hours: 0.0,
            timed_out_jobs: 0,
            timed_out_gpu_hours: 0.0,
            checkpoint_gpu_hours: 0.0,
            restore_gpu_hours: 0.0,
            availability: 1.0,
        }
    }
}

impl Failures {
    /// Whether anything fails, is drained or saves its work: else this says nothing of a run.
    pub fn is_something(&self) -> bool {
        let jobs =
            self.failed_attempts + self.failed_jobs + self.cancelled_jobs + self.timed_out_jobs;
        let nodes = self.node_failures > 0 || self.availability < 1.0;
        nodes || jobs > 0 || self.checkpoint_gpu_hours > 0.0
    }

    /// Of the GPU-hours that jobs held, the share that brought them on: not lost, not spent on
    /// checkpoints or on restoring. Work that was lost counts as long as it takes at full speed.
    pub fn goodput(&self) -> f64 {
        let spent = self.lost_gpu_hours + self.checkpoint_gpu_hours + self.restore_gpu_hours;
        if self.executed_gpu_hours > 0.0 {
            (1.0 - spent / self.executed_gpu_hours).max(0.0)
        } else {
            1.0
        }
    }

    /// Of a run from `begin` to `end`, seconds.
    pub(super) fn of(
        outcomes: &Outcomes,
        cluster: &ClusterSpec,
        log: &RunLog,
        (begin, end): (f64, f64),
    ) -> Self {
        let absences = log.absences();
        let sizes: Vec<u32> = if absences.is_empty() {
            Vec::new()
        } else {
            cluster.gpus_per_node().collect()
        };
        let mut away = 0.0;
        for of in &absences {
            let seconds = of.to.seconds().min(end) - of.from.seconds().max(begin);
            let gpus = sizes.get(of.node as usize).copied().unwrap_or(0);
            away += seconds.max(0.0) * f64::from(gpus);
        }
        let all = (end - begin) * f64::from(cluster.gpus());
        let (failed_jobs, failed_gpu_hours) = ended(outcomes, |cause| {
            matches!(cause, StopCause::Failed | StopCause::NodeFailed)
        });
        let (cancelled_jobs, cancelled_gpu_hours) =
            ended(outcomes, |cause| cause == StopCause::Cancelled);
        let (timed_out_jobs, timed_out_gpu_hours) =
            ended(outcomes, |cause| cause == StopCause::TimedOut);
        let failed = absences.iter().filter(|of| of.state == NodeState::Down);
        let held = Held::of(log, end);
        Self {
            node_failures: failed.count() as u32,
            evictions: log.evictions() as u32,
            executed_gpu_hours: (held.restoring + held.running) / 3600.0,
            failed_attempts: outcomes.failed_attempts.iter().sum(),
            failed_jobs,
            failed_gpu_hours,
            cancelled_jobs,
            cancelled_gpu_hours,
            timed_out_jobs,
            timed_out_gpu_hours,
            lost_gpu_hours: outcomes.lost.iter().sum::<f64>() / 3600.0,
            checkpoint_gpu_hours: held.running * saving(log) / 3600.0,
            restore_gpu_hours: held.restoring / 3600.0,
            availability: if all > 0.0 { 1.0 - away / all } else { 1.0 },
        }
    }
}

/// GPU·s that jobs held, up to a time.
#[derive(Default)]
struct Held {
    /// While they were restored.
    restoring: f64,
    /// While they ran.
    running: f64,
}

impl Held {
    fn of(log: &RunLog, end: f64) -> Self {
        let mut held = Self::default();
        for segment in (0..log.segments()).map(|i| log.segment(i)) {
            let gpus = f64::from(segment.gpu_count()) * segment.part();
            let (start, end) = (segment.start.seconds(), segment.end.seconds().min(end));
            let ready = segment.ready.seconds().min(end);
            held.restoring += gpus * (ready - start).max(0.0);
            held.running += gpus * (end - ready).max(0.0);
        }
        held
    }
}

/// The share of the time that a job runs in which its checkpoints are written.
fn saving(log: &RunLog) -> f64 {
    match log.checkpointing() {
        Some(how) if how.cost > 0.0 => how.cost / (how.interval + how.cost),
        _ => 0.0,
    }
}

/// How many jobs ended so, and the GPU-hours that they held.
fn ended(outcomes: &Outcomes, so: impl Fn(StopCause) -> bool) -> (u32, f64) {
    let ends = outcomes.ended.iter().zip(&outcomes.service);
    let ends = ends.filter(|(ended, _)| ended.is_some_and(&so));
    ends.fold((0, 0.0), |(jobs, hours), (_, service)| {
        (jobs + 1, hours + service / 3600.0)
    })
}
