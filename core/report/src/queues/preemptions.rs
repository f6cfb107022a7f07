//! Who was preempted by whom, where the log tells it, and who over and over by the same.

use super::run_queues::RunQueues;
use crate::job::JobId;
use crate::sim::RunLog;
use crate::workload::Workload;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use switchyard_queues::tree::QueueId;

/// From how many preemptions of a job by one other job on they are a loop.
const BY_ONE_JOB: u32 = 2;

/// The same of a job by jobs of one queue.
const BY_ONE_QUEUE: u32 = 3;

/// How often jobs of a leaf lost their GPUs for jobs of another, or the same.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PreemptionsBetween {
    /// Whose jobs lost GPUs.
    pub queue: String,
    /// For whose.
    pub by: String,
    /// How often.
    pub times: u32,
}

/// A job that lost its GPUs over and over for the same job, or for jobs of the same queue.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Loop {
    /// The job's name.
    pub job: String,
    /// Its leaf.
    pub queue: String,
    /// For whose jobs.
    pub by_queue: String,
    /// For which job, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_job: Option<String>,
    /// How often.
    pub times: u32,
}

/// All preemptions of a run, of which it is told for whom.
#[derive(Clone, Debug, Default)]
pub(super) struct Preemptions {
    /// By leaf: how often its jobs lost GPUs, and how often others for them.
    pub(super) suffered: BTreeMap<QueueId, u32>,
    pub(super) caused: BTreeMap<QueueId, u32>,
    pub(super) between: Vec<PreemptionsBetween>,
    /// The most frequent ones first.
    pub(super) loops: Vec<Loop>,
}

impl Preemptions {
    pub(super) fn of(queues: &RunQueues, workload: &Workload, log: &RunLog) -> Self {
        let leaf = |job: JobId| queues.leaf_of.get(job.index()).copied();
        let mut by_job: BTreeMap<(JobId, JobId), u32> = BTreeMap::new();
        for at in 0..log.preemptions() {
            let told = log.preemption(at);
            let job = log.segment(told.segment as usize).job;
            *by_job.entry((job, told.by)).or_default() += 1;
        }
        let mut found = Self::default();
        let mut by_queue: BTreeMap<(JobId, QueueId), (u32, u32)> = BTreeMap::new();
        let mut between: BTreeMap<(QueueId, QueueId), u32> = BTreeMap::new();
        let mut loops: Vec<(Reverse<u32>, JobId, QueueId, Option<JobId>)> = Vec::new();
        for (&(job, by), &times) in &by_job {
            let (Some(of), Some(for_whom)) = (leaf(job), leaf(by)) else {
                continue;
            };
            *found.suffered.entry(of).or_default() += times;
            *found.caused.entry(for_whom).or_default() += times;
            *between.entry((of, for_whom)).or_default() += times;
            let (all, most) = by_queue.entry((job, for_whom)).or_default();
            *all += times;
            *most = times.max(*most);
            if times >= BY_ONE_JOB {
                loops.push((Reverse(times), job, for_whom, Some(by)));
            }
        }
        // Where one job did it all, that is said already.
        let several = by_queue
            .iter()
            .filter(|(_, of)| of.0 >= BY_ONE_QUEUE && of.0 > of.1);
        loops.extend(several.map(|(&(job, by), of)| (Reverse(of.0), job, by, None)));
        loops.sort();
        let queue = |id: QueueId| queues.tree.queue(id).name.clone();
        let name = |job: JobId| {
            let job = workload.jobs.get(job.index());
            job.map_or_else(String::new, |job| job.name.to_string())
        };
        let between = between
            .into_iter()
            .map(|((of, by), times)| PreemptionsBetween {
                queue: queue(of),
                by: queue(by),
                times,
            });
        found.between = between.collect();
        let loops = loops
            .into_iter()
            .filter_map(|(Reverse(times), job, by, by_job)| {
                Some(Loop {
                    job: name(job),
                    queue: queue(leaf(job)?),
                    by_queue: queue(by),
                    by_job: by_job.map(name),
                    times,
                })
            });
        found.loops = loops.collect();
        found
    }
}
