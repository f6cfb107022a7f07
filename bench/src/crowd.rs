//! Many jobs that wait, and a policy that decides about them: what `switchyard-bench scripts` and `bench/wasm`
//! both measure.

use std::error::Error;
use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::job::Job;
use switchyard::workload::Workload;

/// GPUs, and so jobs that run.
const CLUSTER: &str = "8x4";
const RUNNING: u32 = 32;

/// So many decisions are timed, the first of which see the jobs come.
const DECISIONS: usize = 2_000;

/// So many jobs that wait, beside those that run, without an end.
pub(crate) fn crowd(waiting: u32) -> Workload {
    let jobs = (0..RUNNING + waiting).map(|i| Job {
        name: format!("{i}").into(),
        ..Job::plain(f64::from(i) / 64.0, 1, 1e9)
    });
    Workload {
        jobs: jobs.collect(),
        ..Workload::default()
    }
}

/// A run on default settings.
pub(crate) fn spec(policy: &str, cluster: &str) -> Result<RunSpec, Box<dyn Error + Send + Sync>> {
    Ok(RunSpec::new(policy.parse()?, cluster.parse()?))
}

/// Decides so often, or until nobody changes places any more; how often.
pub(crate) fn decide(
    policy: &str,
    crowd: &Arc<Workload>,
) -> Result<usize, Box<dyn Error + Send + Sync>> {
    let mut run = spec(policy, CLUSTER)?.start(Arc::clone(crowd));
    let mut decisions = 0;
    while decisions < DECISIONS && run.step()? {
        decisions += 1;
    }
    Ok(decisions)
}
