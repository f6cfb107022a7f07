//! What was known at a moment of a run: which jobs had ended and how long they had taken, and how long those that had
//! not ended had run. Nothing of what came later.

use super::asked::{queue_of, user_of};
use std::collections::BTreeMap;
use switchyard::engine::{EventKind, Simulation};
use switchyard::job::{JobId, Status};
use switchyard::policies::leaves_of;
use switchyard::queues::membership::QueueSettings;
use switchyard::workload::Workload;
use switchyard::{RunSpec, Time};

/// Jobs of one user and size that come within so many seconds are of a batch.
const BATCH: f64 = 3600.0;

/// Where a job is at the moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stage {
    /// It has ended, after so many seconds of execution.
    Ended(f64),
    /// It runs, and has run for so many.
    Runs(f64),
    /// It waits; it may have run for so many.
    Waits(f64),
    /// It wants more than the cluster has.
    Rejected,
}

/// By what jobs are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    /// Whose it is, as a number.
    pub(super) user: Option<u32>,
    /// Where it was submitted to, as a number.
    pub(super) queue: Option<u32>,
    /// Its GPUs in powers of two, rounded up.
    pub(super) size: u32,
}

/// What was known of the jobs that had come.
pub(super) struct Past {
    /// By job.
    pub(super) stages: Vec<Stage>,
    /// By job: when it first started.
    pub(super) starts: Vec<Option<Time>>,
    /// By job.
    pub(super) kinds: Vec<Kind>,
    /// By job: the first of its batch.
    pub(super) batches: Vec<u32>,
    /// By job that still ran when the trace was taken: how long it had run.
    seen: BTreeMap<usize, f64>,
}

/// The size of so many GPUs.
fn size(gpus: u32) -> u32 {
    match gpus {
        0 => 0,
        gpus => gpus.checked_next_power_of_two().unwrap_or(u32::MAX),
    }
}

/// Of each job: whose it is and where it was submitted to.
fn kinds(workload: &Workload, queues: &QueueSettings) -> Vec<Kind> {
    let recorded = &workload.recorded;
    let (user, queue) = (user_of(workload), queue_of(workload, queues));
    let tree = queues.tree.as_ref();
    let leaves = tree.filter(|tree| tree.queues().iter().any(|of| !of.jobs.is_empty()));
    let leaves = leaves.map(|_| leaves_of(queues, workload, 1).1);
    let ids = (0..).zip(&workload.jobs);
    let kinds = ids.map(|(id, job): (usize, _)| {
        let set = recorded.label_sets.get(id).copied().flatten();
        let word = |label| match label {
            Some(label) => recorded.labels.index(set, label),
            None => job.tenant,
        };
        Kind {
            user: word(user),
            queue: match &leaves {
                Some(leaves) => Some(leaves[id].0),
                // Where one word is both, it is told once.
                None => word(queue).filter(|_| user != queue),
            },
            size: size(job.gpus),
        }
    });
    kinds.collect()
}

impl Past {
    /// Of a run that has reached the moment.
    pub(super) fn of(
        spec: &RunSpec,
        workload: &Workload,
        simulation: &Simulation,
        seen: BTreeMap<usize, f64>,
        moment: Time,
    ) -> Self {
        let jobs = &workload.jobs;
        let log = simulation.log();
        let mut stages = vec![Stage::Waits(0.0); jobs.len()];
        let mut starts = vec![None; jobs.len()];
        for event in (0..log.events()).map(|i| log.event(i)) {
            let job = event.job.index();
            let so_far = |stage| match stage {
                Stage::Runs(seconds) | Stage::Waits(seconds) => seconds,
                Stage::Ended(_) | Stage::Rejected => 0.0,
            };
            stages[job] = match event.kind {
                EventKind::Start | EventKind::Restart => {
                    starts[job] = starts[job].or(Some(event.time));
                    Stage::Runs(so_far(stages[job]))
                }
                EventKind::Pause | EventKind::Evict | EventKind::Fail => {
                    Stage::Waits(so_far(stages[job]))
                }
                EventKind::Finish => Stage::Ended(jobs[job].work.seconds()),
                EventKind::Reject => Stage::Rejected,
                EventKind::Submit | EventKind::Demote | EventKind::Promote => stages[job],
            };
        }
        for (id, stage) in (0..).map(JobId).zip(&mut stages) {
            match stage {
                Stage::Runs(seconds) | Stage::Waits(seconds) => {
                    *seconds =
                        simulation.executed_share(id, moment) * jobs[id.index()].work.seconds();
                }
                Stage::Ended(_) | Stage::Rejected => {}
            }
        }
        let kinds = kinds(workload, &spec.queues);
        let batches = batches(workload, &kinds);
        Self {
            stages,
            starts,
            kinds,
            batches,
            seen,
        }
    }

    /// Whether a job is over.
    pub(super) fn has_ended(&self, job: usize) -> bool {
        matches!(self.stages[job], Stage::Ended(_) | Stage::Rejected)
    }

    /// Seconds that a job takes at least, as far as anybody knows; `None`: it is over.
    pub(super) fn at_least(&self, job: usize) -> Option<f64> {
        let ran = match self.stages[job] {
            Stage::Runs(seconds) | Stage::Waits(seconds) => seconds,
            Stage::Ended(_) | Stage::Rejected => return None,
        };
        Some(ran.max(self.seen.get(&job).copied().unwrap_or(0.0)))
    }
}

/// The jobs that still ran when their trace was taken, and how long they had run.
pub(super) fn seen_running(workload: &Workload) -> BTreeMap<usize, f64> {
    let runs = |at: usize| workload.recorded.status(JobId(at as u32)) == Status::Running;
    let jobs = workload.jobs.iter().enumerate();
    let seen = jobs.filter(|(at, _)| runs(*at));
    seen.map(|(at, job)| (at, job.work.seconds())).collect()
}

/// Of each job the first of its batch.
fn batches(workload: &Workload, kinds: &[Kind]) -> Vec<u32> {
    let mut last = BTreeMap::new();
    let jobs = (0_u32..).zip(workload.jobs.iter().zip(kinds));
    jobs.map(|(id, (job, kind))| {
        let submit = job.submit.seconds();
        let begun = last.entry(*kind).or_insert((id, submit));
        if submit - begun.1 > BATCH {
            *begun = (id, submit);
        }
        begun.0
    })
    .collect()
}
