//! What happened to each job.

use crate::cluster::ClusterSpec;
use crate::job::Work;
use crate::sim::{EventKind, RunLog};
use crate::workload::Workload;

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
    /// job is time-sliced.
    pub rho: Vec<f64>,
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
            rejected: vec![false; jobs.len()],
        };
        let mut held = vec![0.0; jobs.len()];
        let mut waiting_since = nan();
        // ∫ jobs in the system dt, up to the last event and at each job's submission.
        let mut active = 0.0;
        let mut last_time = 0.0;
        let mut integral = 0.0;
        let mut integral_at_submit = nan();
        let total_gpus = f64::from(cluster.gpus());

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
                    active += 1.0;
                }
                EventKind::Start | EventKind::Restart => {
                    out.longest_wait[j] = out.longest_wait[j].max(now - waiting_since[j]);
                    if event.kind == EventKind::Start {
                        out.first_wait[j] = now - job.submit.seconds();
                    } else {
                        out.restarts[j] += 1;
                    }
                }
                EventKind::Pause | EventKind::Finish => {
                    held[j] += now - log.segment(event.detail as usize).start.seconds();
                    out.service[j] = held[j] * f64::from(job.gpus);
                    waiting_since[j] = now;
                    if event.kind == EventKind::Finish {
                        active -= 1.0;
                        let jct = event.time - job.submit;
                        out.jct[j] = jct;
                        out.queueing[j] = (jct - held[j]).max(0.0);
                        let contention = (integral - integral_at_submit[j]) / jct;
                        out.rho[j] =
                            jct / isolated_seconds(job.work, job.gpus, total_gpus / contention);
                    }
                }
                EventKind::Reject => out.rejected[j] = true,
                EventKind::Demote | EventKind::Promote => {}
            }
        }
        out
    }
}

/// How long the work takes alone on `share` GPUs (possibly a fraction).
fn isolated_seconds(work: Work, gpus: u32, share: f64) -> f64 {
    work.seconds() * (f64::from(gpus) / share).max(1.0)
}
