//! Adaptive jobs on the engine, by hand: progress through epochs, re-tuning without a restart,
//! restarts, interference, whole-second epochs, and plans that cannot be.

mod jobs;
mod scripted;

use jobs::training;
use scripted::{Script, Scripted, Tune, alarmed, arrived, plan_error};
use std::sync::Arc;
use switchyard::Time;
use switchyard::cluster::{ClusterSpec, Part, Placement};
use switchyard::engine::{PlanError, PlanErrorKind, RunLog, SimOptions, Simulation, View};
use switchyard::goodput::LocalBatch;
use switchyard::job::{Job, JobId};
use switchyard::report::Outcomes;
use switchyard::workload::{Application, Workload};

/// A pass takes 0.01 s a sample and nothing else, synchronising 0.1 s on one node and 0.3 s across
/// nodes, without overlap; φ = M0 = 10, so a batch M is worth 2M/(M + 10) steps at M0. Two epochs
/// of 100 steps at M0 each.
fn application() -> Application {
    Application::from_json(
        r#"{
            "name": "by-hand",
            "limits": { "m0": 10, "max_batch": 40, "min_local": 5, "max_local": 20 },
            "learning_rate": "ada-scale",
            "epochs": 2,
            "samples_per_epoch": 1000,
            "throughput": {
                "alpha_c": 0.0, "beta_c": 0.01, "alpha_n": 0.3, "beta_n": 0.0,
                "alpha_r": 0.1, "beta_r": 0.0, "gamma": 1.0
            },
            "noise_scale": [{ "batch": 10, "phi": [10] }]
        }"#,
    )
    .expect("a sound definition")
}

/// Jobs that ask for two GPUs and a batch of 20: 0.2 s a step of 4/3, so 150 steps of 0.2 s.
fn workload(submits: &[f64]) -> Arc<Workload> {
    let job = |&submit: &f64| Job {
        work: training(20, 1.0, 30.0),
        ..Job::plain(submit, 2, 30.0)
    };
    Arc::new(Workload {
        jobs: submits.iter().map(job).collect(),
        applications: vec![Arc::new(application())],
        ..Default::default()
    })
}

fn keep(_: &View<'_>, _: JobId) -> Option<LocalBatch> {
    None
}

fn run_of(
    submits: &[f64],
    options: SimOptions,
    script: Script,
    tune: Tune,
) -> Result<(RunLog, Vec<f64>), PlanError> {
    let cluster = ClusterSpec::uniform(2, 2).expect("a cluster");
    let workload = workload(submits);
    let policy = Scripted::scheduler(script, tune);
    let mut run = Simulation::new(workload.clone(), &cluster, policy, options);
    run.run().map_err(plan_error)?;
    let log = run.into_log();
    let outcomes = Outcomes::of(&workload, &cluster, &log);
    Ok((log, outcomes.jct))
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9 * b.abs().max(1.0)
}

const FIRST: JobId = JobId(0);

/// A GPU of each node.
const ACROSS: [Part; 2] = [Part::new(0, 1), Part::new(1, 1)];

#[test]
fn a_gang_takes_what_its_epochs_take() {
    let start: Script = |view, plan| {
        for job in arrived(view) {
            plan.place(
                job,
                &Placement {
                    parts: vec![Part::new(0, 2)],
                },
            );
        }
    };
    let (log, jct) = run_of(&[0.0], SimOptions::default(), start, keep).expect("possible");
    // On one node: 150 steps of 0.1 + 0.1 s.
    assert!(near(jct[0], 30.0), "{jct:?}");
    let tuning = log.tuning(0);
    assert_eq!((log.tunings(), tuning.batch()), (1, LocalBatch::new(10, 0)));
}

#[test]
fn a_batch_can_change_between_epochs_and_within() {
    let start: Script = |view, plan| {
        for job in arrived(view) {
            plan.train(job, &ACROSS, LocalBatch::new(5, 0));
            plan.alarm(job, Time(7.0));
        }
        for job in alarmed(view) {
            let training = view.training(job).expect("an adaptive job");
            assert!((training.epochs_done() - 0.2).abs() < 1e-12);
            plan.tune(job, LocalBatch::new(10, 0));
        }
    };
    let tune: Tune = |view, job| {
        let training = view.training(job)?;
        let (seen, stats) = training.observed()?;
        assert_eq!((seen.nodes, seen.replicas, seen.m), (2, 2, 10));
        assert!((seen.step - 0.4).abs() < 1e-12 && (seen.sync - 0.3).abs() < 1e-12);
        assert!((stats.noise_scale(10) - 10.0).abs() < 1e-9);
        Some(LocalBatch::new(20, 0))
    };
    let (log, jct) = run_of(&[0.0], SimOptions::default(), start, tune).expect("possible");
    // M = 10 across nodes: 0.35 s a step, so 20 steps in 7 s. M = 20: 0.4 s for 4/3 steps, the
    // 80 left of the epoch in 24 s. M = 40: 0.5 s for 8/5 steps, 100 in 31.25 s.
    assert!(near(jct[0], 7.0 + 24.0 + 31.25), "{jct:?}");
    let batches: Vec<_> = (0..log.tunings()).map(|i| log.tuning(i)).collect();
    let seen: Vec<_> = batches.iter().map(|tuning| tuning.batch()).collect();
    assert_eq!(seen, [5, 10, 20].map(|m| LocalBatch::new(m, 0)));
    let at = [(0.0, 0.0), (7.0, 0.2), (31.0, 1.0)];
    for (tuning, (time, epochs)) in batches.iter().zip(at) {
        assert!(near(tuning.time.seconds(), time) && near(tuning.epochs, epochs));
    }
    assert_eq!(log.segments(), 1);
}

#[test]
fn fewer_gpus_after_a_restart() {
    let script: Script = |view, plan| {
        for job in arrived(view) {
            plan.train(job, &[Part::new(0, 2)], LocalBatch::new(10, 0));
            plan.alarm(job, Time(13.0));
        }
        for job in alarmed(view) {
            // 10 s of progress after 3 s of start: two thirds of an epoch.
            let training = view.training(job).expect("an adaptive job");
            assert!((training.epochs_done() - 2.0 / 3.0).abs() < 1e-12);
            assert_eq!(view.attained(job), 26.0);
            plan.train(job, &[Part::new(1, 1)], LocalBatch::new(10, 0));
        }
    };
    let options = SimOptions {
        restart_cost: 3.0,
        first_start_pays: true,
        ..SimOptions::default()
    };
    let (_, jct) = run_of(&[0.0], options, script, keep).expect("possible");
    // M0 on one GPU: 0.1 s a step, 400/3 steps left.
    assert!(near(jct[0], 13.0 + 3.0 + 40.0 / 3.0), "{jct:?}");
}

#[test]
fn epochs_of_whole_seconds() {
    let start: Script = |view, plan| {
        for job in arrived(view) {
            plan.train(job, &ACROSS, LocalBatch::new(20, 0));
        }
    };
    let options = SimOptions {
        whole_second_epochs: true,
        ..SimOptions::default()
    };
    let (_, jct) = run_of(&[0.0], options, start, keep).expect("possible");
    // Each epoch's 31.25 s count as 31.
    assert_eq!(jct[0], 62.0);
}

#[test]
fn neighbours_across_nodes_slow_one_another() {
    let start: Script = |view, plan| {
        for job in arrived(view) {
            plan.train(job, &ACROSS, LocalBatch::new(20, 0));
        }
    };
    let options = SimOptions {
        interference: 0.5,
        ..SimOptions::default()
    };
    let (_, jct) = run_of(&[0.0, 10.0], options, start, keep).expect("possible");
    // 62.5 s alone. The first is alone for 10 s, then half as fast for 105 s; the second has done
    // 52.5 s of its work by then, and does the rest alone.
    assert!(near(jct[0], 115.0) && near(jct[1], 115.0), "{jct:?}");
}

#[test]
fn plans_that_cannot_be() {
    let kind = |script: Script, tune: Tune| {
        run_of(&[0.0], SimOptions::default(), script, tune)
            .expect_err("an impossible plan")
            .kind
    };
    let bad = |m, s| PlanErrorKind::BadBatch { m, s };
    let train: [(Script, PlanErrorKind); 5] = [
        (
            |_, plan| plan.train(FIRST, &[Part::new(0, 2)], LocalBatch::new(0, 0)),
            bad(0, 0),
        ),
        (
            |_, plan| plan.train(FIRST, &[Part::new(0, 1)], LocalBatch::new(21, 0)),
            bad(21, 0),
        ),
        (
            |_, plan| plan.train(FIRST, &[Part::new(0, 2)], LocalBatch::new(20, 1)),
            bad(20, 1),
        ),
        (
            |_, plan| plan.train(FIRST, &[], LocalBatch::new(10, 0)),
            PlanErrorKind::TooManyGpus { most: 8, given: 0 },
        ),
        (
            |_, plan| plan.tune(FIRST, LocalBatch::new(10, 0)),
            PlanErrorKind::NotRunning,
        ),
    ];
    for (script, expected) in train {
        assert_eq!(kind(script, keep), expected);
    }
    let start: Script = |view, plan| {
        for job in arrived(view) {
            plan.train(job, &[Part::new(0, 2)], LocalBatch::new(10, 0));
        }
    };
    assert_eq!(kind(start, |_, _| Some(LocalBatch::new(50, 0))), bad(50, 0));
    // A gang is placed whole unless its batch says how it trains.
    let gang: Script = |_, plan| {
        plan.place(
            FIRST,
            &Placement {
                parts: vec![Part::new(0, 1)],
            },
        )
    };
    let broken = PlanErrorKind::GangBroken {
        requested: 2,
        given: 1,
    };
    assert_eq!(kind(gang, keep), broken);
}
