//! Bounded slowdown (Feitelson et al., JSSPP'97): how many times as long as it runs a job is in the
//! system, where very short jobs count as ten seconds.

use crate::job::Job;
use crate::sim::{EventKind, RunLog};
use crate::workload::Workload;

/// The least time that counts, seconds.
const BOUND: f64 = 10.0;

/// Of a job with this completion time, seconds.
pub fn bounded_slowdown_of(job: &Job, jct: f64) -> f64 {
    (jct / job.work.seconds().max(BOUND)).max(1.0)
}

/// The mean over all jobs that have ended; `NaN` if none has.
pub fn bounded_slowdown(workload: &Workload, log: &RunLog) -> f64 {
    let mut sum = 0.0;
    let mut count = 0u32;
    for event in (0..log.events()).map(|i| log.event(i)) {
        if event.kind == EventKind::Finish {
            let job = &workload.jobs[event.job.index()];
            sum += bounded_slowdown_of(job, event.time - job.submit);
            count += 1;
        }
    }
    sum / f64::from(count)
}
