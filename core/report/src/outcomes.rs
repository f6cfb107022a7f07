//! What happened to each job.

use crate::application::{Application, packed};
use crate::cluster::ClusterSpec;
use crate::job::Job;
use crate::job::Work;
use crate::sim::{EventKind, Held, RunLog, StopCause};
use crate::workload::Workload;
use std::collections::BTreeMap;

/// Columns indexed by job; `NaN` where a job has not got so far. Times in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcomes {
    /// Job completion time: finish − submit.
    pub jct: Vec<f64>,
    /// Submission to first start.
    pub first_wait: Vec<f64>,
    /// All waiting: JCT − time on GPUs (the queueing delay).
    pub queueing: Vec<f64>,
    /// The longest single wait so far.
    pub longest_wait: Vec<f64>,
    /// Starts after the first one: resumes and moves.
    pub restarts: Vec<u32>,
    /// GPUs × time held so far, GPU·s.
    pub service: Vec<f64>,
    /// Finish-time fairness ρ of a finished job (Themis, NSDI'20): its JCT over the time the
    /// same work takes alone on an equal share of the cluster, GPUs / N, where N is the number
    /// of jobs in the system averaged over the job's life. On a share smaller than its gang a
    /// job is time-sliced; an adaptive one uses the share as well as it can, with the best batch
    /// of every epoch, on the GPUs that its application was measured on first (below one GPU, it is time-sliced). Unknown of a job without GPUs, which is none of
    /// the N either.
    pub rho: Vec<f64>,
    /// How often the job lost its GPUs to a failure.
    pub evictions: Vec<u32>,
    /// How many of its attempts failed, as its trace records.
    pub failed_attempts: Vec<u32>,
    /// What it had done in vain then and when it lost its GPUs to a failure, GPU·s at the requested
    /// GPUs.
    pub lost: Vec<f64>,
    /// How it ended otherwise than by being done: as its trace records, or at its time limit.
    pub ended: Vec<Option<StopCause>>,
    /// Whether the job wants more GPUs than the cluster has.
    pub rejected: Vec<bool>,
}

impl Outcomes {
    /// Of every job of `workload`, as far as `log` goes.
    pub fn of(workload: &Workload, cluster: &ClusterSpec, log: &RunLog) -> Self {
        let jobs = &workload.jobs;
        let nan = || vec![f64::NAN; jobs.len()];
        let mut out = Self {
            jct: nan(),
            first_wait: nan(),
            queueing: nan(),
            longest_wait: vec![0.0; jobs.len()],
            restarts: vec![0; jobs.len()],
            service: vec![0.0; jobs.len()],
            rho: nan(),
            evictions: vec![0; jobs.len()],
            failed_attempts: vec![0; jobs.len()],
            lost: vec![0.0; jobs.len()],
            ended: vec![None; jobs.len()],
            rejected: vec![false; jobs.len()],
        };
        let mut held = vec![Held::default(); jobs.len()];
        let mut waiting_since = nan();
        // ∫ jobs in the system dt, up to the last event and at each job's submission.
        let mut active = 0.0;
        let mut last_time = 0.0;
        let mut integral = 0.0;
        let mut integral_at_submit = nan();
        let total_gpus = f64::from(cluster.gpus());
        let mut isolation = Isolation::new(workload, cluster);

        for i in 0..log.events() {
            let event = log.event(i);
            let j = event.job.index();
            let job = &jobs[j];
            let now = event.time.seconds();
            integral += active * (now - last_time);
            last_time = now;
            match event.kind {
                EventKind::Submit => {
                    waiting_since[j] = now;
                    integral_at_submit[j] = integral;
                    active += f64::from(u8::from(!job.is_on_cores()));
                }
                EventKind::Start | EventKind::Restart => {
                    out.longest_wait[j] = out.longest_wait[j].max(now - waiting_since[j]);
                    if event.kind == EventKind::Start {
                        out.first_wait[j] = now - job.submit.seconds();
                    } else {
                        out.restarts[j] += 1;
                    }
                }
                EventKind::Pause | EventKind::Evict | EventKind::Fail | EventKind::Finish => {
                    let segment = log.segment(event.detail as usize);
                    held[j].stay(segment.gpu_count(), event.time - segment.start);
                    out.service[j] = held[j].service() * segment.part();
                    waiting_since[j] = now;
                    if event.kind == EventKind::Finish {
                        let jct = event.time - job.submit;
                        out.jct[j] = jct;
                        out.queueing[j] = (jct - held[j].seconds()).max(0.0);
                        if job.is_on_cores() {
                            continue;
                        }
                        active -= 1.0;
                        let contention = (integral - integral_at_submit[j]) / jct;
                        out.rho[j] = jct / isolation.seconds(job, total_gpus / contention);
                    }
                }
                EventKind::Reject => out.rejected[j] = true,
                EventKind::Demote | EventKind::Promote => {}
            }
        }
        for eviction in (0..log.evictions()).map(|i| log.eviction(i)) {
            let j = log.segment(eviction.segment as usize).job.index();
            out.evictions[j] += 1;
            out.lost[j] += eviction.lost * f64::from(jobs[j].gpus);
        }
        for stop in (0..log.stops()).map(|i| log.stop(i)) {
            let j = log.segment(stop.segment as usize).job.index();
            if stop.cause == StopCause::Retried {
                out.failed_attempts[j] += 1;
                out.lost[j] += stop.lost * f64::from(jobs[j].gpus);
            } else {
                out.ended[j] = Some(stop.cause);
            }
        }
        out
    }
}

/// How long jobs take alone.
struct Isolation<'a> {
    workload: &'a Workload,
    gpus_per_node: u32,
    most: u32,
    /// By application and GPUs: seconds of training with the best batches, before scaling.
    trained: BTreeMap<(u32, u32), f64>,
}

impl<'a> Isolation<'a> {
    fn new(workload: &'a Workload, cluster: &ClusterSpec) -> Self {
        Self {
            workload,
            gpus_per_node: cluster.largest_node(),
            most: cluster.gpus(),
            trained: BTreeMap::new(),
        }
    }

    /// Seconds on `share` GPUs (possibly a fraction).
    fn seconds(&mut self, job: &Job, share: f64) -> f64 {
        let sliced = job.work.seconds() * (f64::from(job.gpus) / share).max(1.0);
        let Work::Adaptive {
            application, scale, ..
        } = job.work
        else {
            return sliced;
        };
        let Some(known) = self.workload.applications.get(application as usize) else {
            return sliced;
        };
        let most = self.most.min(known.limits.max_replicas()).max(1);
        let gpus = (share as u32).clamp(1, most);
        let time = *self
            .trained
            .entry((application, gpus))
            .or_insert_with(|| trained(known, &packed(gpus, self.gpus_per_node)));
        // Between whole GPUs, and below one, progress is in proportion.
        let used = if share < f64::from(most) {
            share
        } else {
            f64::from(most)
        };
        time * scale * f64::from(gpus) / used
    }
}

/// Seconds of training with the best batch of every epoch.
fn trained(application: &Application, placement: &[u32]) -> f64 {
    let m0 = f64::from(application.limits.m0);
    (0..application.epochs())
        .map(|epoch| {
            let progress =
                application.progress_after(epoch + 1) - application.progress_after(epoch);
            let best = application.best_choice(placement, epoch);
            progress * m0 / best.map_or(f64::MIN_POSITIVE, |choice| choice.goodput)
        })
        .sum()
}
