//! Gavel by GPU type: the paper's example as a run, and what its parameters say.

use std::sync::Arc;
use switchyard::engine::{EventKind, Simulation};
use switchyard::job::{Job, JobId};
use switchyard::policies::PolicySpec;
use switchyard::workload::Workload;
use switchyard::{RunSpec, Time};

/// Long jobs of these models, all at once, on a V100 and a K80.
fn run(policy: &str, models: &[&str], seconds: f64) -> Simulation {
    let job = |model: u32| Job {
        name: model.to_string().into(),
        model: Some(model),
        ..Job::plain(0.0, 1, seconds)
    };
    let workload = Workload {
        jobs: (0..models.len() as u32).map(job).collect(),
        models: models.iter().map(|model| (*model).to_owned()).collect(),
        ..Workload::default()
    };
    let spec = RunSpec::new(
        policy.parse().expect("a policy"),
        "1x1:v100+1x1:k80".parse().expect("a cluster"),
    );
    spec.start(Arc::new(workload))
}

/// A fact's percentage.
fn percent(run: &Simulation, job: u32, at: f64, term: &str) -> f64 {
    let facts = run.explain(JobId(job), Time(at)).facts;
    let fact = facts.iter().find(|fact| fact.term == term);
    let value = fact.unwrap_or_else(|| panic!("no {term}")).in_seconds();
    let number = value.strip_suffix(" %").expect("a percentage");
    number.parse().expect("a number")
}

#[test]
fn shares_become_rounds() {
    // They are 4.3, 8.8 and 2.1 times as fast on the V100.
    let models = ["LM (batch size 5)", "CycleGAN", "A3C"];
    let mut run = run("gavel[types=true]", &models, 1e7);
    let until = 400.0 * 360.0;
    run.run_until(Time(until)).expect("a possible plan");
    let mut there = 0.0;
    for job in 0..3 {
        for gpu in ["v100", "k80"] {
            let share = percent(&run, job, until, &format!("share of time on {gpu}"));
            let received = percent(&run, job, until, &format!("received on {gpu}"));
            assert!(
                (share - received).abs() <= 2.0,
                "{job} on {gpu}: {received} of {share} %"
            );
            there += share;
        }
    }
    assert!((there - 200.0).abs() < 3.0, "both GPUs are in use: {there}");
    // Who gains least from the V100 has the K80.
    let on_k80 = |job| percent(&run, job, until, "share of time on k80");
    assert!(on_k80(2) > on_k80(0) && on_k80(2) > on_k80(1));
}

#[test]
fn the_makespan_is_shorter_than_with_equal_shares() {
    let models = [
        "Transformer (batch size 16)",
        "CycleGAN",
        "A3C",
        "LM (batch size 5)",
    ];
    let makespan = |policy: &str| {
        let mut run = run(policy, &models, 40_000.0);
        run.run().expect("a possible plan");
        let log = run.log();
        let finished = (0..log.events()).map(|at| log.event(at));
        let finished = finished.filter(|event| event.kind == EventKind::Finish);
        let times: Vec<f64> = finished.map(|event| event.time.seconds()).collect();
        assert_eq!(times.len(), models.len());
        times.into_iter().fold(0.0, f64::max)
    };
    let equal = makespan("gavel[types=true,blind=true,reset=360]");
    let least = makespan("gavel[types=true,objective=makespan,reset=360]");
    let fair = makespan("gavel[types=true,objective=ftf,reset=360]");
    let sum = makespan("gavel[types=true,objective=throughput,reset=360]");
    assert!(least < 0.95 * equal, "{least} {equal}");
    assert!(
        least < 1.05 * fair && least < 1.05 * sum,
        "{least} {fair} {sum}"
    );
}

/// A job of four GPUs, and single ones that come and go, on V100s and K80s, which are a quarter as fast. Who is blind to
/// types gives it as much time on either. (A corner of the program gave it the K80s alone.)
#[test]
fn who_is_blind_to_types_leaves_nobody_on_the_slow_one() {
    let gang = Job::plain(0.0, 4, 40_000.0);
    let others = (0..100).map(|at| Job::plain(f64::from(at) * 1200.0, 1, 7200.0));
    let workload = Workload {
        jobs: std::iter::once(gang).chain(others).collect(),
        ..Workload::default()
    };
    let spec = RunSpec::new(
        "gavel[types=true,blind=true]".parse().expect("a policy"),
        "8x1:v100+8x1:k80".parse().expect("a cluster"),
    );
    let mut run = spec.start(Arc::new(workload));
    run.run().expect("a possible plan");
    let log = run.log();
    let end = (0..log.events())
        .map(|at| log.event(at))
        .find(|event| event.kind == EventKind::Finish && event.job == JobId(0))
        .expect("it ends");
    // Half of the time on each would be 64,000 s.
    let end = end.time.seconds();
    assert!((60_000.0..75_000.0).contains(&end), "{end}");
}

#[test]
fn what_is_left_is_asked_for_by_two_objectives() {
    let oracle = |spec: &str| spec.parse::<PolicySpec>().expect("a policy").is_oracle();
    assert!(oracle("gavel[objective=makespan]") && oracle("gavel[types=true,objective=ftf]"));
    assert!(!oracle("gavel[types=true]") && !oracle("gavel") && !oracle("gavel[blind=true]"));
}
