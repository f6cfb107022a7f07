//! Jobs of tenants on a tree of queues.

use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::job::Job;
use switchyard::queues::membership::QueueSettings;
use switchyard::queues::rules::By;
use switchyard::queues::text;
use switchyard::workload::Workload;

/// Jobs of tenants: (tenant, submitted at, GPUs, seconds), in order of submission.
pub(crate) fn workload(jobs: &[(&str, f64, u32, f64)]) -> Workload {
    let mut workload = Workload::default();
    for &(tenant, submit, gpus, seconds) in jobs {
        let known = workload.tenants.iter().position(|name| name == tenant);
        let tenant = known.unwrap_or_else(|| {
            workload.tenants.push(tenant.to_owned());
            workload.tenants.len() - 1
        });
        workload.jobs.push(Job {
            name: format!("job {}", workload.jobs.len()).into(),
            tenant: Some(tenant as u32),
            ..Job::plain(submit, gpus, seconds)
        });
    }
    workload
}

/// A run of jobs on queues as text; none: without a tree.
pub(crate) fn spec(policy: &str, cluster: &str, queues: &str) -> RunSpec {
    RunSpec {
        queues: QueueSettings {
            tree: (!queues.is_empty()).then(|| Arc::new(text::read(queues).expect("a tree"))),
            by: By::Tenant,
        },
        ..RunSpec::new(
            policy.parse().expect("a policy"),
            cluster.parse().expect("a cluster"),
        )
    }
}
