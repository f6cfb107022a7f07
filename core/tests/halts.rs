//! No run goes on for ever or beyond its log's budget: one that gets nowhere is ended with an error
//! that names the policy, the moment and what to change, and its log is whole up to there.

mod scripted;

use scripted::{Script, Scripted, arrived};
use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, Part, Placement};
use switchyard::engine::{
    Halt, HaltReason, LogBudget, Phase, Plan, Remedy, RunError, RunLog, SimOptions, Simulation,
};
use switchyard::job::{Job, JobId};
use switchyard::policies::POLICIES;
use switchyard::report::{Outcomes, Summary};
use switchyard::workload::{ApplicationSettings, Workload};
use switchyard::{Resource, RunSpec, Time};

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
        options,
        ..RunSpec::new(
            policy.parse().expect("a policy"),
            ClusterSpec::uniform(1, 2).expect("a cluster"),
        )
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
    assert!(
        halted.to_string().contains("loses its GPUs before"),
        "{halted}"
    );
    let mut jobs = Workload::clone(&jobs);
    jobs.unit = Resource::Cores;
    let halted = halt(&mut start("gandiva[quantum=2]", &jobs.into(), options));
    assert!(
        halted.to_string().contains("loses its cores before"),
        "{halted}"
    );
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
    let spec: Result<switchyard::policies::PolicySpec, _> = "pollux[generations=1]".parse();
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
        let spec = RunSpec::new(
            format!("pollux[population=8,generations=6,p={p}]")
                .parse()
                .expect("a policy"),
            sample.cluster_spec(),
        );
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
        let mut streamed = RunLog::default();
        let halt = halt(&mut run);
        let HaltReason::LogFull { events, bytes } = halt.reason else {
            panic!("{halt}");
        };
        assert_eq!(halt.remedy, Remedy::Greater(parameter));
        let told = halt.to_string();
        assert!(
            told.ends_with(&format!("MB; set a greater '{parameter}'")),
            "{told}"
        );
        let told = RunError::Halt(halt.clone()).with_ways("raise --log-budget");
        assert!(told.ends_with("', or raise --log-budget"), "{told}");
        assert_eq!(events, run.log().events() as u64);
        assert!((1_000_001..1_000_500).contains(&bytes), "{bytes}");
        streamed.append(&run.log().since(streamed.rows()));
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

/// Where jobs that each run once do not fit, no other policy helps, and none is asked for; nor where the
/// policy repeats itself besides.
#[test]
fn a_log_that_jobs_fill_asks_for_fewer_of_them() {
    let options = |log_budget| SimOptions {
        log_budget,
        ..SimOptions::default()
    };
    let bytes = LogBudget::of_bytes(50_000);
    let events = LogBudget {
        events: 1_000,
        ..LogBudget::default()
    };
    let mut apart = Workload::clone(&workload(1_000, 10.0));
    for (at, job) in apart.jobs.iter_mut().enumerate() {
        job.submit = Time(7.0 * at as f64);
    }
    let (together, apart) = (workload(1_000, 10.0), Arc::new(apart));
    for policy in ["fifo", "srtf", "tiresias-las", "las[quantum=1]", "gandiva"] {
        for (jobs, budget) in [(&together, bytes), (&apart, bytes), (&apart, events)] {
            let halt = halt(&mut start(policy, jobs, options(budget)));
            assert!(halt.lacks_room(), "{halt}");
            assert_eq!(halt.remedy, Remedy::FewerJobs, "{halt}");
            let told = halt.to_string();
            assert!(
                told.ends_with("MB; take fewer jobs, such as a window of the trace")
                    && !told.contains("policy"),
                "{told}"
            );
        }
    }
    // A little less than FIFO needs: still nothing that another policy would change.
    let mut whole = start("fifo", &apart, SimOptions::default());
    whole.run().expect("it ends");
    let budget = LogBudget::of_bytes(whole.log().bytes() - 100);
    let halt = halt(&mut start("fifo", &apart, options(budget)));
    assert_eq!(halt.remedy, Remedy::FewerJobs, "{halt}");
    assert!(RunLog::least_bytes(1_000) <= whole.log().bytes());
}

/// Whoever runs several may give one more or less room while it is under way.
#[test]
fn a_budget_may_change_meanwhile() {
    let jobs = workload(2, 1e9);
    let budget = |bytes| SimOptions {
        log_budget: LogBudget::of_bytes(bytes),
        ..SimOptions::default()
    };
    let mut run = start("las[quantum=1]", &jobs, budget(100_000));
    for _ in 0..10 {
        run.step().expect("there is room");
    }
    run.set_log_budget(LogBudget::of_bytes(300_000));
    let HaltReason::LogFull { bytes, .. } = halt(&mut run).reason else {
        panic!("another reason");
    };
    assert!((300_001..300_500).contains(&bytes), "{bytes}");
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
            options: SimOptions {
                log_budget,
                ..SimOptions::default()
            },
            ..RunSpec::new("gandiva".parse().expect("a policy"), sample.cluster_spec())
        };
        let mut run = spec.start(Arc::clone(&jobs));
        run.run().expect("within its budget");
        run.into_log()
    };
    let whole = log(LogBudget::default());
    assert_eq!(whole, log(LogBudget::of_bytes(whole.bytes())));
}

/// A run of what a test says.
fn start_scripted(script: Script, jobs: Arc<Workload>, options: SimOptions) -> Simulation {
    let cluster = ClusterSpec::uniform(1, 2).expect("a cluster");
    let scheduler = Scripted::scheduler(script, |_, _| None);
    Simulation::new(jobs, &cluster, scheduler, options)
}

/// Gives the first job the GPUs, anew if it has them.
fn give_to_the_first(plan: &mut Plan) {
    let parts = vec![Part::new(0, 2)];
    plan.place(JobId(0), &Placement { parts });
}

/// Time goes on, and nobody will see the end of it.
#[test]
fn alarms_next_to_nothing_apart() {
    let idle: Script = |view, plan| {
        if arrived(view).next().is_some() {
            give_to_the_first(plan);
        }
        plan.alarm(JobId(0), view.now() + 1e-9);
    };
    // What the policy changes is nothing that happens by itself.
    let restless: Script = |view, plan| {
        give_to_the_first(plan);
        plan.alarm(JobId(0), view.now() + 1e-9);
    };
    for script in [idle, restless] {
        let mut run = start_scripted(script, workload(1, 10.0), SimOptions::default());
        let halt = halt(&mut run);
        let HaltReason::AskedTooOften { asked, until, .. } = halt.reason else {
            panic!("{halt}");
        };
        assert!(asked == 1000 && until > Time(9.9), "{halt}");
        let text = halt.to_string();
        assert!(text.contains("let its alarms be farther apart"), "{text}");
    }
}

/// Alarms of a second for a month change nothing either, but the month ends.
#[test]
fn alarms_as_far_apart_as_rounds_go_on() {
    let script: Script = |view, plan| {
        if arrived(view).next().is_some() {
            give_to_the_first(plan);
        }
        if view.phase(JobId(0)) == Phase::Running {
            plan.alarm(JobId(0), view.now() + 1.0);
        }
    };
    let mut run = start_scripted(script, workload(1, 30.0 * DAY), SimOptions::default());
    run.run().expect("it ends");
    assert_eq!(run.progress().done, 1);
}

/// Nobody is moved, nothing fails, and nobody will ever work.
#[test]
fn restarts_that_nobody_lives_to_see() {
    let script: Script = |view, plan| {
        if arrived(view).next().is_some() {
            give_to_the_first(plan);
        }
        if view.phase(JobId(0)) != Phase::Finished {
            plan.alarm(JobId(0), view.now() + 60.0);
        }
    };
    let of_cost = |restart_cost| {
        let options = SimOptions {
            restart_cost,
            first_start_pays: true,
            ..SimOptions::default()
        };
        start_scripted(script, workload(1, 10.0), options)
    };
    let halted = halt(&mut of_cost(1e9));
    assert!(
        matches!(halted.reason, HaltReason::StillRestarting { .. }),
        "{halted}"
    );
    assert_eq!(
        halted.to_string(),
        "scripted was ended at 59940 s, with 0 of 1 jobs done: it was asked 1000 times while all who run restart, and none of them works before 1000000000 s; lower the restart cost, or choose another policy"
    );
    of_cost(30.0 * DAY).run().expect("it ends");
}

/// As above, of a policy that searches in each of its rounds and moves jobs.
#[test]
fn pollux_does_not_search_for_ever() {
    let mut jobs = Workload::clone(&workload(20, 600.0));
    for (i, job) in jobs.jobs.iter_mut().enumerate() {
        job.submit = Time(20.0 * i as f64);
        job.gpus = 1 + i as u32 % 2;
    }
    let jobs = ApplicationSettings::default()
        .bind(jobs)
        .expect("the paper's rule");
    let spec = RunSpec {
        options: SimOptions {
            restart_cost: 1e9,
            ..SimOptions::default()
        },
        ..RunSpec::new(
            "pollux[population=8,generations=4]"
                .parse()
                .expect("a policy"),
            ClusterSpec::uniform(2, 4).expect("a cluster"),
        )
    };
    let halt = halt(&mut spec.start(Arc::new(jobs)));
    assert!(
        matches!(halt.reason, HaltReason::StillRestarting { .. }),
        "{halt}"
    );
}

const DAY: f64 = 86_400.0;

/// A run of every policy, and of those with the shortest rounds.
fn with_outages(cluster: &str, outages: &str, jobs: &Arc<Workload>) {
    let shortest = ["las[quantum=1]", "gandiva[quantum=1]", "gavel[round=1]"];
    let all = POLICIES.iter().map(|entry| entry.name).chain(shortest);
    for policy in all {
        let spec = RunSpec {
            outages: outages.parse().expect("outages"),
            ..RunSpec::new(
                policy.parse().expect("a policy"),
                cluster.parse().expect("a cluster"),
            )
        };
        let mut run = spec.start(Arc::clone(jobs));
        run.run()
            .unwrap_or_else(|why| panic!("{policy} {outages}: {why}"));
        assert_eq!(
            run.progress().done as usize,
            jobs.jobs.len(),
            "{policy} {outages}"
        );
    }
}

/// So many jobs of half an hour that come a minute after one another.
fn half_hours(gpus: &[u32]) -> Arc<Workload> {
    let jobs = gpus.iter().enumerate();
    let jobs = jobs.map(|(i, &gpus)| Job::plain(60.0 * i as f64, gpus, 1800.0));
    Arc::new(Workload {
        jobs: jobs.collect(),
        ..Default::default()
    })
}

/// Maintenance of the whole cluster: nobody can run, and that is no policy's fault.
#[test]
fn everything_is_down_for_a_while() {
    let jobs = half_hours(&[8, 4, 16, 1, 32, 2]);
    for outages in ["0-3:600..1d", "0-3:600..30d", "0-3:600..30d:drain"] {
        with_outages("4x8", outages, &jobs);
    }
}

/// One job waits for nodes that will be back, however many others idle.
#[test]
fn a_gang_waits_for_nodes_that_are_down() {
    with_outages("4x8", "0:600..30d,2:600..20d", &half_hours(&[32]));
}

/// A job that no node will ever hold again does not end a run to which others come.
#[test]
fn others_come_after_a_long_time() {
    let mut jobs = Workload::clone(&half_hours(&[16, 8]));
    jobs.jobs[1].submit = Time(10.0 * DAY);
    let spec = RunSpec {
        outages: "0:0..:drain".parse().expect("outages"),
        ..RunSpec::new(
            "las".parse().expect("a policy"),
            "2x8".parse().expect("a cluster"),
        )
    };
    let mut run = spec.start(Arc::new(jobs));
    let halt = halt(&mut run);
    assert!(
        matches!(halt.reason, HaltReason::NobodyRuns { waiting: 1, .. }),
        "{halt}"
    );
    assert_eq!(halt.done, 1);
}
