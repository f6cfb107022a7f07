//! No run goes on for ever or beyond its log's budget: one that gets nowhere is ended with an error
//! that names the policy, the moment and what to change, and its log is whole up to there.

mod scripted;

use scripted::{Script, Scripted, arrived};
use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, Part, Placement};
use switchyard::job::{Job, JobId};
use switchyard::report::{Outcomes, Summary};
use switchyard::sim::{
    Halt, HaltReason, LogBudget, LogMark, Remedy, RunError, RunLog, SimOptions, Simulation,
};
use switchyard::workload::{ApplicationSettings, Workload};
use switchyard::{RunSpec, Time};

/// Jobs of so many seconds on two GPUs, all submitted at once.
fn workload(jobs: usize, duration: f64) -> Arc<Workload> {
    Arc::new(Workload {
        jobs: vec![Job::plain(0.0, 2, duration); jobs],
        ..Default::default()
    })
}

/// A run on one node of two GPUs.
fn start(policy: &str, workload: &Arc<Workload>, options: SimOptions) -> Simulation {
    let spec = RunSpec {
        policy: policy.parse().expect("a policy"),
        cluster: ClusterSpec::uniform(1, 2).expect("a cluster"),
        placement: Default::default(),
        options,
        history: None,
        outages: Default::default(),
    };
    spec.start(Arc::clone(workload))
}

fn halt(run: &mut Simulation) -> Halt {
    match run.run() {
        Err(RunError::Halt(halt)) => halt,
        other => panic!("not ended: {other:?}"),
    }
}

#[test]
fn a_moment_that_never_ends() {
    let script: Script = |view, plan| {
        for job in arrived(view) {
            let parts = vec![Part::new(0, 2)];
            plan.place(job, &Placement { parts });
        }
        plan.alarm(JobId(0), view.now());
    };
    let mut run = Simulation::new(
        workload(1, 10.0),
        &ClusterSpec::uniform(1, 2).expect("a cluster"),
        Scripted::scheduler(script, |_, _| None),
        SimOptions::default(),
    );
    let halt = halt(&mut run);
    assert!(matches!(halt.reason, HaltReason::TimeStandsStill { .. }));
    assert_eq!(
        halt.to_string(),
        "scripted was ended at 0 s, with 0 of 1 jobs done: it was asked 10001 times for this moment; choose another policy"
    );
}

/// Two jobs change places before the restart is over, for ever.
#[test]
fn restarts_that_lead_nowhere() {
    let options = SimOptions {
        restart_cost: 5.0,
        ..SimOptions::default()
    };
    let jobs = workload(2, 10.0);
    let halt_of = |policy| halt(&mut start(policy, &jobs, options));
    let halted = halt_of("tiresias-las[thresholds=4,knob=1]");
    assert!(matches!(halted.reason, HaltReason::NoProgress { .. }));
    let given = Remedy::Other(vec!["thresholds".to_owned(), "knob".to_owned()]);
    assert_eq!(halted.remedy, given);
    let halted = halt_of("gandiva[quantum=2]");
    assert!(matches!(halted.reason, HaltReason::NoProgress { .. }));
    assert_eq!(halted.remedy, Remedy::Greater("quantum"));
}

/// A round's length whose multiples do not divide back to whole numbers: time goes on all the same.
#[test]
fn rounds_of_an_odd_length_end() {
    let jobs = workload(2, 1e7);
    let mut run = start("las[quantum=2982.731]", &jobs, SimOptions::default());
    let mut steps = 0;
    while run.step().expect("a possible plan") {
        steps += 1;
        let now = run.progress().now.seconds();
        assert!(steps < 20_000, "stuck at {now} s");
    }
}

/// Where a second more is no later number, rounds of a second come at the same moment for ever.
#[test]
fn rounds_too_short_for_the_time_reached() {
    let mut jobs = Workload::clone(&workload(2, 1e17));
    for job in &mut jobs.jobs {
        job.submit = Time(1e17);
    }
    let jobs = Arc::new(jobs);
    for (policy, parameter) in [
        ("gandiva[quantum=1]", "quantum"),
        ("gavel[round=1]", "round"),
        ("las[quantum=1]", "quantum"),
    ] {
        let halt = halt(&mut start(policy, &jobs, SimOptions::default()));
        assert!(
            matches!(halt.reason, HaltReason::TimeStandsStill { .. }),
            "{halt}"
        );
        assert_eq!(halt.remedy, Remedy::Greater(parameter));
    }
}

/// A search of one generation only keeps what is there: nothing. It is no value any more, and
/// where other values start nobody, the run says so.
#[test]
fn a_scheduler_that_starts_nobody() {
    let spec: Result<switchyard::policy::PolicySpec, _> = "pollux[generations=1]".parse();
    let error = spec.expect_err("below the least").to_string();
    assert!(error.contains("a whole number from 2"), "{error}");
    let script: Script = |view, plan| {
        // Alive, but without a job for anyone.
        plan.alarm(JobId(0), view.now() + 60.0);
    };
    let mut run = Simulation::new(
        workload(3, 10.0),
        &ClusterSpec::uniform(1, 2).expect("a cluster"),
        Scripted::scheduler(script, |_, _| None),
        SimOptions::default(),
    );
    let halt = halt(&mut run);
    let reason = HaltReason::NobodyRuns {
        waiting: 3,
        asked: 1000,
        closed: 0,
    };
    assert_eq!(halt.reason, reason);
    assert_eq!(halt.remedy, Remedy::Other(Vec::new()));
}

/// Exponents next to nothing are the geometric mean, not a power of infinity.
#[test]
fn pollux_ends_with_any_exponent() {
    let sample = switchyard::workload::Sample::named("lab").expect("a sample");
    let mut bound = ApplicationSettings::default()
        .bind(sample.workload())
        .expect("the paper's rule");
    bound.jobs.truncate(6);
    let jobs = Arc::new(bound);
    let log = |p: &str| {
        let spec = RunSpec {
            policy: format!("pollux[population=8,generations=6,p={p}]")
                .parse()
                .expect("a policy"),
            cluster: sample.cluster_spec(),
            placement: Default::default(),
            options: SimOptions::default(),
            history: None,
            outages: Default::default(),
        };
        let mut run = spec.start(Arc::clone(&jobs));
        run.run().expect("it ends");
        assert_eq!(run.progress().done, 6);
        run.into_log()
    };
    for p in ["1e-308", "-1e-308", "1e-12", "0.001", "-40", "40"] {
        log(p);
    }
    assert_eq!(log("1e-308").hash(), log("0").hash());
}

/// A job that runs alone for thirty thousand million years has no rounds to go through.
#[test]
fn rounds_that_cannot_matter_are_left_out() {
    for policy in [
        "gandiva[quantum=1]",
        "gavel[round=1]",
        "las[quantum=1]",
        "themis[lease=1]",
    ] {
        let mut run = start(policy, &workload(1, 1e18), SimOptions::default());
        let mut steps = 0;
        while run.step().expect("a possible plan") {
            steps += 1;
        }
        assert!(steps < 5, "{policy} took {steps} steps");
        assert_eq!(run.progress().done, 1);
    }
}

/// Two jobs of thirty years that change places every second.
#[test]
fn a_log_over_its_budget_ends_the_run() {
    let options = SimOptions {
        log_budget: LogBudget::of_bytes(1_000_000),
        ..SimOptions::default()
    };
    for (policy, parameter) in [
        ("gandiva[quantum=1]", "quantum"),
        ("las[quantum=1]", "quantum"),
        ("gavel[round=1]", "round"),
        ("themis[lease=1]", "lease"),
    ] {
        let jobs = workload(2, 1e9);
        let mut run = start(policy, &jobs, options);
        let mut mark = LogMark::default();
        let mut streamed = RunLog::default();
        let halt = halt(&mut run);
        let HaltReason::LogFull { events, bytes } = halt.reason else {
            panic!("{halt}");
        };
        assert_eq!(halt.remedy, Remedy::Greater(parameter));
        assert!(halt.to_string().contains("raise the log budget"));
        assert_eq!(events, run.log().events() as u64);
        assert!((1_000_001..1_000_500).contains(&bytes), "{bytes}");
        streamed.apply(run.take_delta(&mut mark));
        assert_eq!(&streamed, run.log());
        // What is written is right as far as it goes: somebody had the GPUs all the time.
        let cluster = ClusterSpec::uniform(1, 2).expect("a cluster");
        let outcomes = Outcomes::of(&jobs, &cluster, run.log());
        let open: f64 = (0..run.log().segments())
            .map(|i| run.log().segment(i))
            .filter(|segment| segment.end == Time::NEVER)
            .map(|segment| 2.0 * (halt.time - segment.start))
            .sum();
        let given = outcomes.service.iter().sum::<f64>() + open;
        assert!((given - 2.0 * halt.time.seconds()).abs() < 1e-3 * given);
        let summary = Summary::of_outcomes(&outcomes, &cluster, run.log());
        assert_eq!(summary.finished, 0);
    }
}

#[test]
fn events_are_counted_too() {
    let options = SimOptions {
        log_budget: LogBudget {
            events: 500,
            ..LogBudget::default()
        },
        ..SimOptions::default()
    };
    let mut run = start("gandiva[quantum=1]", &workload(2, 1e9), options);
    let HaltReason::LogFull { events, .. } = halt(&mut run).reason else {
        panic!("another reason");
    };
    assert!((501..510).contains(&events), "{events}");
}

/// A budget that is not reached leaves no trace.
#[test]
fn a_budget_that_holds_changes_nothing() {
    let sample = switchyard::workload::Sample::named("lab").expect("a sample");
    let jobs = Arc::new(sample.workload());
    let log = |log_budget: LogBudget| {
        let spec = RunSpec {
            policy: "gandiva".parse().expect("a policy"),
            cluster: sample.cluster_spec(),
            placement: Default::default(),
            options: SimOptions {
                log_budget,
                ..SimOptions::default()
            },
            history: None,
            outages: Default::default(),
        };
        let mut run = spec.start(Arc::clone(&jobs));
        run.run().expect("within its budget");
        run.into_log()
    };
    let whole = log(LogBudget::default());
    assert_eq!(whole, log(LogBudget::of_bytes(whole.bytes())));
}
