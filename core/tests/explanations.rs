//! Why a job runs or waits, at any moment of a run.

use switchyard::job::JobId;
use switchyard::policy::Verdict;
use switchyard::sim::SimOptions;
use switchyard::workload::Sample;
use switchyard::{RunSpec, Time};

/// The value of a fact about a job of the three-jobs sample.
fn fact(policy: &str, job: u32, at: f64, term: &str) -> Option<String> {
    let sample = Sample::named("three-jobs").expect("a sample of this name");
    let spec = RunSpec {
        policy: policy.parse().expect("a policy"),
        cluster: sample.cluster_spec(),
        placement: Default::default(),
        options: SimOptions::default(),
        history: None,
    };
    let mut run = spec.start(sample.workload().into());
    run.run_until(Time(at)).expect("a possible plan");
    let explanation = run.explain(JobId(job), Time(at));
    let mut facts = explanation.facts.into_iter();
    facts.find(|fact| fact.term == term).map(|fact| fact.value)
}

#[test]
fn numbers_are_those_of_the_moment_asked_about() {
    // J2 runs from 2 s on; nothing happens between 2 and 10 s.
    let remaining = |at| fact("srsf", 1, at, "remaining service (true)");
    assert_eq!(remaining(3.0).as_deref(), Some("7 GPU·s"));
    assert_eq!(remaining(9.5).as_deref(), Some("0 GPU·s"));
}

#[test]
fn who_took_the_gpus_is_named() {
    let policy = "tiresias-las[thresholds=4]";
    let taken = |job, at| fact(policy, job, at, "its GPUs went to");
    assert_eq!(taken(1, 7.0).as_deref(), Some("J3"));
    assert_eq!(taken(1, 5.0), None, "it runs");
    assert_eq!(taken(2, 1.0), None, "it has never run");
}

#[test]
fn every_policy_explains_every_job_at_any_time() {
    let sample = Sample::named("lab").expect("a sample of this name");
    for entry in switchyard::policy::POLICIES {
        let spec = RunSpec {
            policy: entry.name.parse().expect("a policy"),
            cluster: sample.cluster_spec(),
            placement: Default::default(),
            options: SimOptions::default(),
            history: None,
        };
        let workload = std::sync::Arc::new(sample.workload());
        let mut run = spec.start(workload.clone());
        for hour in [0.0, 2.0, 6.0, 11.0] {
            let at = Time(hour * 3600.0);
            run.run_until(at).expect("a possible plan");
            for job in (0..workload.jobs.len() as u32).map(JobId) {
                let explanation = run.explain(job, at);
                let active = explanation.verdict != Verdict::NotActive;
                assert!(!active || !explanation.facts.is_empty(), "{}", entry.name);
                for plot in &explanation.plots {
                    let points = plot.lines.iter().flat_map(|line| &line.points);
                    assert!(
                        points.clone().all(|(x, y)| x.is_finite() && y.is_finite()),
                        "{}: {}",
                        entry.name,
                        plot.title
                    );
                }
            }
        }
    }
}
