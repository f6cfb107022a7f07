//! The smallest sample under the policies of Tiresias: completion times as published (NSDI'19).

use switchyard::RunSpec;
use switchyard::engine::EventKind;
use switchyard::workload::Sample;

/// Sums of the three completion times as published; LAS in the paper's slices of one unit.
#[test]
fn three_jobs_have_the_published_completion_times() {
    let sample = Sample::named("three-jobs").expect("a sample of this name");
    let sum = |policy: &str| -> f64 {
        let spec = RunSpec::new(policy.parse().expect("a policy"), sample.cluster_spec());
        let mut run = spec.start(sample.workload().into());
        run.run().expect("plans are right");
        let log = run.into_log();
        let ends = (0..log.events()).map(|i| log.event(i));
        ends.filter(|event| event.kind == EventKind::Finish)
            .map(|event| event.time.seconds())
            .sum()
    };
    assert_eq!(sum("srsf"), 28.0);
    assert_eq!(sum("tiresias-las[thresholds=4]"), 30.0);
    assert_eq!(sum("tiresias-las[thresholds=3:5]"), 35.0);
    assert_eq!(in_slices(sample), 35.0);
}

/// Continuous 2D-LAS in slices of one second: who has attained least goes next.
fn in_slices(sample: &Sample) -> f64 {
    let jobs = sample.workload().jobs;
    let mut left: Vec<f64> = jobs.iter().map(|job| job.work.seconds()).collect();
    let mut attained: Vec<f64> = vec![0.0; jobs.len()];
    let (mut now, mut sum) = (0.0, 0.0);
    while left.iter().any(|&left| left > 0.0) {
        let mut order: Vec<usize> = (0..jobs.len()).filter(|&i| left[i] > 0.0).collect();
        order.sort_by(|&a, &b| switchyard::order::by_value(&attained[a], &attained[b]));
        let mut free = sample.cluster_spec().gpus();
        now += 1.0;
        for i in order {
            if jobs[i].gpus <= free {
                free -= jobs[i].gpus;
                attained[i] += f64::from(jobs[i].gpus);
                left[i] -= 1.0;
                sum += if left[i] > 0.0 { 0.0 } else { now };
            }
        }
    }
    sum
}
