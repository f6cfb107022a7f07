//! Numbers and their arithmetic: what a formula makes of the values told is the number told, of all jobs and of some.

use std::collections::BTreeSet;
use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::job::JobId;
use switchyard::report::{Arithmetic, METRICS, Outcomes, Over, Summary};
use switchyard::workload::Sample;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

#[test]
fn the_values_told_give_the_number_told() {
    let mut told = BTreeSet::new();
    for (sample, policy, outages) in [
        ("lab", "tiresias-las", ""),
        ("lab", "fifo", "0:3600..5400"),
        ("three-jobs", "las", ""),
    ] {
        let sample = Sample::named(sample).expect("it is there");
        let cluster = sample.cluster_spec();
        let spec = RunSpec {
            outages: outages.parse().expect("outages"),
            ..RunSpec::new(policy.parse().expect("a policy"), cluster.clone())
        };
        let workload = Arc::new(sample.workload());
        let mut run = spec.start(Arc::clone(&workload));
        run.run().expect("it ends");
        let log = run.into_log();
        let outcomes = Outcomes::of(&workload, &cluster, &log);
        let all = Summary::of(&workload, &cluster, &log);
        let chosen: Vec<JobId> = (0..workload.jobs.len() as u32)
            .step_by(2)
            .map(JobId)
            .collect();
        let some = Summary::over(&chosen, &workload, &outcomes);
        for metric in METRICS {
            for (summary, of) in [(&all, Err((&cluster, &log))), (&some, Ok(&chosen[..]))] {
                let over = Over {
                    workload: &workload,
                    outcomes: &outcomes,
                    summary,
                    of,
                };
                let is_known = (metric.of)(summary).is_finite();
                let Some(arithmetic) = Arithmetic::of(metric, &over) else {
                    let is_told = Arithmetic::explains(metric, of.is_err());
                    assert!(!is_known || !is_told, "{policy} {}", metric.id);
                    continue;
                };
                assert!(Arithmetic::explains(metric, of.is_err()), "{}", metric.id);
                let (said, result) = ((metric.of)(summary), arithmetic.result());
                assert!(
                    close(said, result),
                    "{policy} {}: {said}, {result}",
                    metric.id
                );
                told.insert(metric.id);
            }
        }
        for job in (0..workload.jobs.len() as u32).map(JobId) {
            let at = job.index();
            let of_job = [
                (
                    Arithmetic::of_jct(&workload, &outcomes, job),
                    outcomes.jct[at],
                ),
                (Arithmetic::of_wait(&outcomes, job), outcomes.queueing[at]),
                (Arithmetic::of_rho(&outcomes, job), outcomes.rho[at]),
            ];
            for (arithmetic, said) in of_job {
                let result = arithmetic.map_or(f64::NAN, |of| of.result());
                assert!(
                    (result - said).abs() <= 1e-6 * said.abs().max(1.0),
                    "{said}, {result}"
                );
            }
        }
    }
    // What is counted has none, nor has what a bill of nodes adds up.
    let without = METRICS.iter().filter(|metric| !told.contains(metric.id));
    let without: Vec<&str> = without.map(|metric| metric.id).collect();
    let of_failures = |id: &&str| {
        METRICS
            .iter()
            .any(|of| of.id == *id && of.path.starts_with("failures."))
    };
    let others: Vec<&str> = without.into_iter().filter(|id| !of_failures(id)).collect();
    assert_eq!(others, ["jobs", "finished", "rejected", "node_hours"]);
}
