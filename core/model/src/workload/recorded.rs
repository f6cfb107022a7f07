//! What the trace of a workload records of its jobs' lives: whose they were and how they were queued, when
//! they ran and where, how each ended, and the attempts that had failed before. Schedulers do not look at it:
//! reports do, runs that replay failures, and the run "as recorded".

use super::{Label, Labels, Workload};
use crate::job::{Demand, Job, JobId, Status, TypeSet, Work};
use crate::{Finite, Index, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How jobs ran and ended in the trace they come from. Each list is by job, and empty where the trace says it
/// of none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// How they ended.
    pub statuses: Vec<Status>,
    /// Of jobs that failed and were tried again: seconds of each attempt but the last, in order, all
    /// of them above 0 and together less than the job's duration, of which they are a part.
    pub attempts: BTreeMap<JobId, Vec<f64>>,
    /// When they ran.
    pub runs: Vec<Option<RecordedRun>>,
    /// Their priorities, as their scheduler counted them.
    pub priorities: Vec<Option<Finite>>,
    /// The combinations of labels that they have.
    pub label_sets: Vec<Option<Index>>,
    /// What these mean.
    pub labels: Labels,
    /// The nodes that they ran on, in the words of the log: indices into [`node_names`](Self::node_names).
    pub nodes: Vec<Option<Index>>,
    /// Those words.
    pub node_names: Vec<String>,
}

/// When a job ran.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedRun {
    /// When it began, not before its submission. Of a job that was tried again: so much before its end as it
    /// ran in all, so that its wait is all of its waiting.
    pub start: Time,
    /// Seconds that it ran; > 0 and finite.
    pub seconds: f64,
    /// The GPU types that it ran on; any: not told.
    pub types: TypeSet,
}

impl RecordedRun {
    /// When it ended.
    pub fn end(self) -> Time {
        Time(self.start.seconds() + self.seconds)
    }
}

impl Workload {
    /// The same jobs for a run as recorded: each takes as long as it took then, whatever it trains, and
    /// needs its GPUs alone, or its cores where it asks for no GPU, since it had all else.
    pub fn as_recorded(&self) -> Self {
        let mut workload = Self {
            applications: Vec::new(),
            ..self.clone()
        };
        for (id, job) in (0..).map(JobId).zip(&mut workload.jobs) {
            let ran = workload.recorded.run(id);
            job.work = Work::Fixed {
                duration: ran.map_or(job.work.seconds(), |ran| ran.seconds),
            };
            job.demand = Demand {
                types: match ran.map(|ran| ran.types) {
                    Some(types) if !types.is_any() => types,
                    _ => job.demand.types,
                },
                share: job.demand.share,
                time: job.demand.time,
                ..match job.is_on_cores() {
                    true => job.demand,
                    false => Demand::default(),
                }
            };
        }
        workload
    }
}

impl Recorded {
    /// How a job ended.
    pub fn status(&self, job: JobId) -> Status {
        let status = self.statuses.get(job.index());
        status.copied().unwrap_or_default()
    }

    /// When a job ran.
    pub fn run(&self, job: JobId) -> Option<RecordedRun> {
        *self.runs.get(job.index())?
    }

    /// All of a job's waiting, seconds.
    pub fn wait(&self, id: JobId, job: &Job) -> Option<f64> {
        self.run(id).map(|run| run.start - job.submit)
    }

    /// The name that a job has under a label.
    pub fn label(&self, job: JobId, label: Label) -> Option<&str> {
        let set = *self.label_sets.get(job.index())?;
        self.labels.name(set, label)
    }

    /// The nodes that a job ran on, in the words of the log.
    pub fn nodes(&self, job: JobId) -> Option<&str> {
        let at = (*self.nodes.get(job.index())?)?;
        self.node_names.get(at.get() as usize).map(String::as_str)
    }

    /// A job's priority, as its scheduler counted it.
    pub fn priority(&self, job: JobId) -> Option<f64> {
        (*self.priorities.get(job.index())?).map(Finite::get)
    }

    /// Whether it is told when jobs ran.
    pub fn tells_runs(&self) -> bool {
        !self.runs.is_empty()
    }

    /// Whether a run that replays failures is another than one that does not.
    pub fn tells_failures(&self) -> bool {
        let is_one = |status: &Status| {
            matches!(
                status,
                Status::Failed | Status::NodeFailed | Status::Cancelled
            )
        };
        !self.attempts.is_empty() || self.statuses.iter().any(is_one)
    }
}
