//! What failures cost, computed by hand, and the checkpoint interval that costs least.

mod scripted;

use std::sync::Arc;
use switchyard::cluster::ClusterSpec;
use switchyard::engine::{EventKind, News, NodeState, PlanErrorKind, RunError, RunLog, SimOptions};
use switchyard::explain::{Fact, Said};
use switchyard::job::{Job, JobId, Work};
use switchyard::report::{Failures, Summary};
use switchyard::workload::application::Application;
use switchyard::workload::{Recorded, Workload};
use switchyard::{RunSpec, Time};

fn job(gpus: u32, duration: f64) -> Job {
    Job::plain(0.0, gpus, duration)
}

fn run(
    policy: &str,
    cluster: &str,
    jobs: Vec<Job>,
    outages: &str,
    options: SimOptions,
) -> (RunLog, Summary) {
    let workload = Arc::new(Workload {
        jobs,
        ..Workload::default()
    });
    let spec = RunSpec {
        options,
        outages: outages.parse().expect("outages"),
        ..RunSpec::new(
            policy.parse().expect("a policy"),
            cluster.parse().expect("a cluster"),
        )
    };
    spec.check().expect("its nodes are there");
    let mut run = spec.start(Arc::clone(&workload));
    run.run().expect("it ends");
    let log = run.into_log();
    let summary = Summary::of(&workload, &spec.cluster, &log);
    (log, summary)
}

/// 100 s on two GPUs; the node fails at 70 s for 30 s. Saved every 20 s, at a cost of 5 s: at 25 and
/// 50 s, so that 40 s of progress are kept and 16 s (four fifths of 20 s) are lost.
#[test]
fn a_failure_takes_what_was_not_saved() {
    let options = SimOptions {
        checkpoint_interval: 20.0,
        checkpoint_cost: 5.0,
        restart_cost: 10.0,
        ..SimOptions::default()
    };
    let (log, summary) = run("fifo", "1x2", vec![job(2, 100.0)], "0:70..100", options);
    assert_eq!(log.evictions(), 1);
    assert_eq!(log.eviction(0).lost, 16.0);
    // Back at 100 s, ready at 110 s, 60 s to go at four fifths of full speed.
    assert_eq!(summary.makespan, 110.0 + 60.0 / 0.8);
    let expected = Failures {
        node_failures: 1,
        evictions: 1,
        executed_gpu_hours: 2.0 * (70.0 + 85.0) / 3600.0,
        lost_gpu_hours: 32.0 / 3600.0,
        checkpoint_gpu_hours: 2.0 * (70.0 + 75.0) * 0.2 / 3600.0,
        restore_gpu_hours: 20.0 / 3600.0,
        availability: 1.0 - 30.0 / 185.0,
        ..Failures::default()
    };
    let failures = summary.failures;
    assert!((failures.checkpoint_gpu_hours - expected.checkpoint_gpu_hours).abs() < 1e-12);
    assert_eq!(
        Failures {
            checkpoint_gpu_hours: expected.checkpoint_gpu_hours,
            ..failures
        },
        expected
    );
    // What is not spent is the job's work, to the second.
    let work = failures.executed_gpu_hours * failures.goodput() * 3600.0;
    assert!((work - 200.0).abs() < 1e-9, "{work}");
}

/// Without checkpoints all is lost since the job last began, and nothing at a preemption.
#[test]
fn without_checkpoints_all_is_lost_since_the_last_start() {
    let (log, summary) = run(
        "fifo",
        "2x2",
        vec![job(2, 100.0), job(1, 50.0)],
        "0:60..",
        SimOptions::default(),
    );
    assert_eq!((log.eviction(0).lost, log.eviction(0).node), (60.0, 0));
    let kinds: Vec<EventKind> = (0..log.events()).map(|i| log.event(i).kind).collect();
    assert!(kinds.contains(&EventKind::Evict) && kinds.contains(&EventKind::Restart));
    assert_eq!(summary.makespan, 160.0);
    let absences = log.absences();
    assert_eq!(absences.len(), 1);
    assert_eq!(
        (absences[0].state, absences[0].until),
        (NodeState::Down, Time::NEVER)
    );
}

/// A drained node lets its job finish, and takes the next one only when it is back.
#[test]
fn a_drained_node_takes_nobody_new() {
    let (log, summary) = run(
        "fewest-gpus",
        "1x2",
        vec![job(2, 100.0), job(1, 10.0)],
        "0:15..500:drain",
        SimOptions::default(),
    );
    // The smaller runs first, to 10 s; then the other, to 110 s.
    assert_eq!((log.evictions(), summary.makespan), (0, 110.0));
    let (log, summary) = run(
        "fifo",
        "1x2",
        vec![job(2, 100.0), job(2, 10.0)],
        "0:15..500:drain",
        SimOptions::default(),
    );
    assert_eq!((log.evictions(), summary.makespan), (0, 510.0));
}

#[test]
fn nobody_is_placed_on_a_node_that_is_not_up() {
    use switchyard::cluster::{Part, Placement};
    use switchyard::engine::Simulation;
    let script: scripted::Script = |view, plan| {
        assert_eq!(view.free().per_node().len(), 2);
        if view.news().contains(&News::NodeDown(1)) {
            let parts = vec![Part::new(1, 1)];
            plan.place(switchyard::job::JobId(0), &Placement { parts });
        }
    };
    let workload = Arc::new(Workload {
        jobs: vec![job(1, 10.0)],
        ..Workload::default()
    });
    let cluster = ClusterSpec::uniform(2, 1).expect("a cluster");
    let policy = scripted::Scripted::scheduler(script, |_, _| None);
    let mut run = Simulation::new(workload, &cluster, policy, SimOptions::default())
        .with_outages(&"1:5..9:drain".parse().expect("sound"));
    let Err(RunError::Plan(error)) = run.run() else {
        panic!("it was placed");
    };
    let state = NodeState::Drained;
    assert_eq!(error.kind, PlanErrorKind::NodeNotUp { node: 1, state });
    assert!(
        error
            .to_string()
            .ends_with("node 1, which is being drained")
    );
}

/// Young (CACM'74) and Daly (FGCS'06): the interval that costs least is about √(2 · cost · MTBF).
#[test]
fn the_best_checkpoint_interval_is_youngs() {
    let (cost, mtbf) = (60.0, 10.0);
    let young = f64::sqrt(2.0 * cost * mtbf * 3600.0);
    let makespan = |interval: f64| {
        let options = SimOptions {
            mtbf,
            mttr: 0.1,
            checkpoint_interval: interval,
            checkpoint_cost: cost,
            seed: 3,
            ..SimOptions::default()
        };
        let (log, summary) = run("fifo", "1x1", vec![job(1, 3e7)], "", options);
        assert!(log.evictions() > 500);
        summary.makespan
    };
    let grid: Vec<f64> = (-3..=3).map(|by| young * f64::powi(2.0, by)).collect();
    let times: Vec<f64> = grid.iter().map(|&interval| makespan(interval)).collect();
    let best = (0..times.len())
        .min_by(|&a, &b| switchyard::order::by_value(&times[a], &times[b]))
        .expect("some");
    assert_eq!(best, 3, "{grid:?} {times:?}");
    // And it is worth something: an eighth or eight times of it costs a tenth more.
    assert!(
        times[0] > 1.1 * times[3] && times[6] > 1.1 * times[3],
        "{times:?}"
    );
}

/// The same run with one outage more, of its own.
#[test]
fn a_policy_may_have_an_outage_of_its_own() {
    let jobs = || vec![job(2, 100.0)];
    let of = |policy, outages| run(policy, "2x2", jobs(), outages, SimOptions::default()).0;
    assert_eq!(of("fifo if 0:60..90", ""), of("fifo", "0:60..90"));
    assert_eq!(
        of("fifo if 0:60..90", "1:5..7"),
        of("fifo", "1:5..7,0:60..90")
    );
}

/// A waiting job says that it lost its GPUs to a failure, and that enough of them are away.
#[test]
fn a_job_says_that_a_failure_makes_it_wait() {
    let workload = Arc::new(Workload {
        jobs: vec![job(2, 100.0)],
        ..Workload::default()
    });
    let spec = RunSpec::new(
        "fifo if 0:60..90".parse().expect("a policy"),
        ClusterSpec::uniform(1, 2).expect("a cluster"),
    );
    let mut run = spec.start(workload);
    run.run_until(Time(70.0)).expect("it goes on");
    let told = run.explain(switchyard::job::JobId(0), Time(70.0));
    let fact = |term: &str| {
        let fact = told.facts.iter().find(|fact| fact.term == term);
        fact.map(Fact::in_seconds)
    };
    assert_eq!(
        fact("lost its GPUs").as_deref(),
        Some("node 0 failed; 60 s of work are lost")
    );
    assert_eq!(
        fact("away").as_deref(),
        Some("2 GPUs, enough for it: node 0 is down until 90 s")
    );
    let lost = told.facts.iter().find(|fact| fact.term == "lost its GPUs");
    assert!(lost.expect("it is told").value.contains(&Said::Node(0)));
}

/// A gang takes the GPU that another job holds beside one that a draining node pins to its place: that one stays.
#[test]
fn who_is_on_a_draining_node_keeps_what_a_gang_might_take() {
    let definition = |epochs: u32| {
        format!(
            r#"{{
                "name": "small-{epochs}",
                "limits": {{ "m0": 16, "max_batch": 512, "min_local": 4, "max_local": 64 }},
                "learning_rate": "ada-scale",
                "epochs": {epochs},
                "samples_per_epoch": 5000,
                "throughput": {{
                    "alpha_c": 0.02, "beta_c": 0.002, "alpha_n": 0.05, "beta_n": 0.002,
                    "alpha_r": 0.01, "beta_r": 0.0005, "gamma": 1.5
                }},
                "noise_scale": [{{ "batch": 16, "phi": [20, 200, 4000] }}]
            }}"#
        )
    };
    let applications = [4, 1].map(|epochs| {
        let application = Application::from_json(&definition(epochs));
        Arc::new(application.expect("a sound definition"))
    });
    let trains = |submit, application, scale, duration| Job {
        work: Work::Adaptive {
            application,
            batch: 200,
            scale,
            duration,
        },
        ..Job::plain(submit, 1, duration)
    };
    let jobs = vec![
        Job::plain(0.0, 1, 1.0),
        Job::plain(10.0, 12, 1.0),
        Job::plain(13.5, 12, 1.0),
        trains(20.0, 1, 44.99999999999999, 1000.0),
        Job::plain(30.0, 12, 1.0),
        trains(30.0, 0, 7.386214196652323, 1000.0),
        Job::plain(36.5786819580327, 2, 1.0),
        trains(40.0, 1, 0.045, 1.0),
        Job::plain(70.0, 3, 1.0),
    ];
    for policy in [
        "pollux[interval=35,population=5,generations=3,avoidance=false,fit=oracle]",
        "optimus[round=35]",
        "sia[interval=35]",
    ] {
        let workload = Arc::new(Workload {
            jobs: jobs.clone(),
            applications: applications.to_vec(),
            recorded: Recorded {
                attempts: [(JobId(0), vec![0.016666666666666666, 0.016666666666666666])].into(),
                ..Default::default()
            },
            ..Workload::default()
        });
        let spec = RunSpec {
            placement: "consolidated".parse().expect("a placement"),
            options: SimOptions {
                seed: 908582905112690238,
                replay_failures: true,
                equal_types: true,
                ..SimOptions::default()
            },
            outages: "0:0..40,2:40..80:drain".parse().expect("outages"),
            ..RunSpec::new(
                policy.parse().expect("a policy"),
                "5x2+1x1".parse().expect("a cluster"),
            )
        };
        spec.start(workload).run().expect(policy);
    }
}
