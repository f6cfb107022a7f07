//! Jobs that change their batch size, from a trace to what policies say of them.

use switchyard::job::JobId;
use switchyard::policies::{POLICIES, Verdict};
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::workload::Workload;
use switchyard::{RunSpec, Time};

/// In the columns of Shockwave's traces: a job whose batch doubles, one that Accordion changes, and one of a model that
/// nobody measured.
const TRACE: &str = "\
LM (batch size 10)\tpython3 main.py\tdir\t--steps\t1\t134583\t1\tgns\t1\t-1.0\t1418\t0
ResNet-18 (batch size 32)\tpython3 main.py\tdir\t--steps\t1\t143450\t1\taccordion\t1\t-1.0\t3338\t0
CycleGAN (batch size 1)\tpython3 main.py\tdir\t--steps\t1\t100\t1\tstatic\t1\t-1.0\t600\t0
";

fn workload() -> Workload {
    let file = SourceFile {
        name: "120.trace",
        bytes: TRACE.as_bytes(),
    };
    match open(&[file], &OpenOptions::default()) {
        Ok(Opened::Trace(trace)) => trace.workload(),
        _ => panic!("it is a trace of jobs"),
    }
}

fn spec(policy: &str, gpus: u32) -> RunSpec {
    RunSpec::new(
        policy.parse().expect("a policy"),
        format!("{gpus}x1").parse().expect("a cluster"),
    )
}

/// What is said of a job at a moment, in words.
fn told(policy: &str, gpus: u32, job: u32, at: f64, term: &str) -> Option<String> {
    let mut run = spec(policy, gpus).start(workload().into());
    run.run_until(Time(at)).expect("a possible plan");
    let explanation = run.explain(JobId(job), Time(at));
    let fact = explanation.facts.iter().find(|fact| fact.term == term);
    fact.map(switchyard::policies::Fact::in_seconds)
}

#[test]
fn a_batch_size_is_that_of_the_moment() {
    let batch = |job, at| told("mst", 3, job, at, "batch size").expect("it is told");
    let grows = "now; it grows with the gradient noise scale";
    assert_eq!(batch(0, 10.0), format!("10 samples {grows}"));
    assert_eq!(batch(0, 1300.0), format!("20 samples {grows}"));
    let changes = "now; Accordion changes it";
    assert_eq!(batch(1, 100.0), format!("32 samples {changes}"));
    assert_eq!(batch(1, 3200.0), format!("256 samples {changes}"));
    assert_eq!(
        batch(2, 10.0),
        "not known: nothing was measured of its model"
    );
}

#[test]
fn the_throughput_is_that_of_the_batch_size() {
    let speed = |at| {
        let told = told("ossp", 3, 0, at, "throughput now").expect("it is told");
        let number = told.strip_suffix(" steps/s").expect("its unit");
        number.parse::<f64>().expect("a number")
    };
    // Of the larger batch fewer steps are an epoch, and more samples are trained on.
    assert!(speed(1300.0) < speed(10.0) && 2.0 * speed(1300.0) > speed(10.0));
}

#[test]
fn shockwave_tells_what_it_predicts() {
    let policy = "shockwave[future_rounds=5]";
    let of = |job, term| told(policy, 2, job, 0.0, term).expect("it is told");
    assert_eq!(
        of(0, "epochs left"),
        "23, by prediction 7.3 of batch size 10, 7.3 of batch size 20, 7.3 of batch size 40"
    );
    assert_eq!(of(2, "epochs left"), "10");
    let planned = |job| of(job, "rounds planned with GPUs");
    let planned: Vec<String> = (0..3).map(planned).collect();
    assert!(
        planned.iter().all(|of| of.ends_with(" of 5")),
        "{planned:?}"
    );
    let rho: f64 = of(1, "projected finish-time fairness ρ")
        .parse()
        .expect("a number");
    assert!((0.5..1.5).contains(&rho), "{rho}");
}

#[test]
fn shares_tell_why_a_turn_comes() {
    let of = |policy, term| told(policy, 2, 1, 300.0, term).expect("it is told");
    for policy in [
        "gandiva-fair",
        "mst",
        "ossp",
        "allox",
        "finish-time-fairness",
    ] {
        assert!(of(policy, "place in the order").ends_with(" of 3"));
        let priority: f64 = of(policy, "priority: share ÷ fraction")
            .parse()
            .expect("a number");
        assert!(priority >= 0.0, "{policy}");
    }
    assert_eq!(of("gandiva-fair", "share of time on GPUs"), "67 %");
}

/// The number at the beginning of what is said.
fn number(told: &str) -> f64 {
    let first = told.split(' ').next().expect("a word");
    first.parse().expect("a number")
}

#[test]
fn finish_time_fairness_tells_how_fair_its_shares_are() {
    let of = |job, at, term| {
        let told = told("finish-time-fairness[reset=0]", 2, job, at, term).expect("it is told");
        number(&told)
    };
    let (mine, largest) = (
        "projected finish-time fairness ρ",
        "the largest projected ρ of all jobs",
    );
    // They all came at once: each has the share that its part of the cluster gives.
    for job in 0..3 {
        assert_eq!(of(job, 0.0, mine), 1.0);
        assert_eq!(of(job, 0.0, "share of time on GPUs"), 67.0);
    }
    let alone = "duration on its part of the cluster";
    assert_eq!(of(2, 0.0, alone), 900.0);
    assert_eq!(of(2, 300.0, "since it came"), 300.0);
    // The one of 600 s has gone, so that no job has to wait.
    assert!(of(1, 2000.0, largest) >= of(1, 2000.0, mine));
    assert_eq!(of(1, 2000.0, "share of time on GPUs"), 100.0);
}

#[test]
fn an_outage_does_not_make_finish_time_fairness_forget() {
    let mut spec = spec("finish-time-fairness[reset=0]", 2);
    spec.outages = "1:1000..2000".parse().expect("outages");
    let mut workload = workload();
    // It has both nodes or nothing, so that it waits while the one is away.
    workload.jobs[1].gpus = 2;
    let mut run = spec.start(workload.into());
    let mut alone = |at| {
        run.run_until(Time(at)).expect("a possible plan");
        let explanation = run.explain(JobId(1), Time(at));
        let told = explanation.facts.iter();
        let fact = told
            .clone()
            .find(|fact| fact.term == "duration on its part of the cluster");
        number(&fact.expect("it is told").in_seconds())
    };
    let before = alone(990.0);
    let after = alone(2300.0);
    assert!(before > 0.0 && after >= before, "{before} {after}");
}

#[test]
fn all_that_solve_end_and_say_why() {
    let mut count = 0;
    for entry in POLICIES.iter().filter(|entry| entry.solves) {
        count += 1;
        let mut run = spec(entry.name, 1).start(workload().into());
        run.run_until(Time(200.0)).expect("a possible plan");
        let waits =
            (0..3).filter(|&job| run.explain(JobId(job), Time(200.0)).verdict != Verdict::Runs);
        assert_eq!(waits.count(), 2, "{}", entry.name);
        run.run().expect("it ends");
    }
    assert!(count >= 5);
}
