//! Runs of tenants' jobs on a tree of queues: how they begin and are looked at.

use crate::tenants::spec;
use switchyard::Time;
use switchyard::engine::{EventKind, Simulation};
use switchyard::job::JobId;
use switchyard::workload::Workload;

/// A run, begun, on queues as text; none: without a tree.
pub(crate) fn run(policy: &str, cluster: &str, queues: &str, workload: Workload) -> Simulation {
    spec(policy, cluster, queues).start(workload.into())
}

/// GPUs that each tenant's jobs hold after all that happens up to a moment.
pub(crate) fn held(run: &mut Simulation, workload: &Workload, until: f64) -> Vec<u32> {
    run.run_until(Time(until)).expect("possible plans");
    let log = run.log();
    let mut held = vec![0; workload.tenants.len()];
    for event in (0..log.events()).map(|at| log.event(at)) {
        let job = &workload.jobs[event.job.index()];
        let tenant = job.tenant.expect("all have one") as usize;
        match event.kind {
            EventKind::Start | EventKind::Restart => held[tenant] += job.gpus,
            EventKind::Pause | EventKind::Finish => held[tenant] -= job.gpus,
            _ => {}
        }
    }
    held
}

/// What is told of a job under a term.
pub(crate) fn fact(run: &Simulation, job: JobId, at: f64, term: &str) -> Option<String> {
    let explanation = run.explain(job, Time(at));
    let mut facts = explanation.facts.iter();
    let found = facts.find(|fact| fact.term == term);
    found.map(|fact| fact.in_seconds())
}
