//! Invariant 8 of one run: what jobs spent their lives on, as it was noted step by step, against what the log tells.

use crate::replay::nearly;
use crate::scenes::Scene;
use switchyard::engine::{EventKind, Simulation};
use switchyard::explain::{Life, Slowness, Spent};
use switchyard::job::JobId;
use switchyard::policies::PolicySpec;
use switchyard::report::{Lives, Outcomes, life_parts};

/// What was noted of each job, and of all.
struct Noted {
    lives: Vec<Life>,
    slowness: Vec<Slowness>,
    all: Lives,
    /// Every second job, and the others.
    halves: [Lives; 2],
}

pub(crate) fn check_lives(scene: &Scene, policy: &PolicySpec) {
    let spec = scene.spec(policy.clone());
    let (_, leaf_of) = spec.leaves(&scene.workload);
    let mut run = spec.start(scene.workload.clone());
    let jobs = scene.workload.jobs.len();
    let mut noted = Noted {
        lives: vec![Life::default(); jobs],
        slowness: vec![Slowness::default(); jobs],
        all: Lives::of_all(leaf_of.clone()),
        halves: [0, 1]
            .map(|half| Lives::of_all(leaf_of.clone()).among(|job: JobId| job.0 % 2 == half)),
    };
    loop {
        match run.step() {
            Ok(goes_on) => {
                for at in 0..jobs {
                    let job = JobId(at as u32);
                    run.note_life(job, &mut noted.lives[at]);
                    run.note_speed(job, &mut noted.slowness[at]);
                }
                noted.all.note(&run, &scene.workload);
                for half in &mut noted.halves {
                    half.note(&run, &scene.workload);
                }
                if !goes_on {
                    break;
                }
            }
            // Why is another test's.
            Err(_) => return,
        }
    }
    check_each(scene, policy, &run, &noted, &leaf_of);
    check_halves(scene, policy, &run, &noted);
    check_all(scene, policy, &run, noted.all);
}

/// Two halves of the jobs spent together what all did.
fn check_halves(scene: &Scene, policy: &PolicySpec, run: &Simulation, noted: &Noted) {
    let close = |lives: &Lives| {
        lives
            .clone()
            .close(&scene.workload, run.log(), run.progress().now)
    };
    let all = &close(&noted.all)[0];
    let halves = noted.halves.each_ref().map(|half| close(half).remove(0));
    let [first, second] = &halves;
    assert_eq!(first.jobs + second.jobs, all.jobs, "{policy}");
    for (of, what) in [
        (first.gpu_hours + second.gpu_hours, all.gpu_hours),
        (first.waited() + second.waited(), all.waited()),
    ] {
        assert!(nearly(of, what), "{policy}: {of} of {what}");
    }
}

fn check_each(
    scene: &Scene,
    policy: &PolicySpec,
    run: &Simulation,
    noted: &Noted,
    leaf_of: &[switchyard::queues::tree::QueueId],
) {
    let log = run.log();
    let outcomes = Outcomes::of(&scene.workload, &scene.cluster, log);
    for (at, life) in noted.lives.iter().enumerate() {
        let job = JobId(at as u32);
        let parts = life_parts(life, &noted.slowness[at], job, leaf_of, log);
        let total: f64 = parts.iter().map(|part| part.seconds).sum();
        let of = |waiting: bool| -> f64 {
            let these = parts
                .iter()
                .filter(|part| part.spent.is_waiting() == waiting);
            these.map(|part| part.seconds).sum()
        };
        let jct = outcomes.jct[at];
        if outcomes.rejected[at] {
            assert!(parts.is_empty(), "{policy}: {parts:?}");
            continue;
        }
        assert!(nearly(total, jct), "{policy}: {job:?} {total} of {jct}");
        let waited = outcomes.queueing[at];
        assert!(
            nearly(of(true), waited),
            "{policy}: {job:?} {} of {waited}",
            of(true)
        );
        let segments = (0..log.segments()).map(|i| log.segment(i));
        let restarted: f64 = segments
            .filter(|of| of.job == job)
            .map(|of| of.ready.min(of.end) - of.start)
            .sum();
        let told = parts.iter().filter(|part| part.spent == Spent::Restarting);
        let told: f64 = told.map(|part| part.seconds).sum();
        assert!(
            nearly(told, restarted),
            "{policy}: {job:?} {told} of {restarted}"
        );
        for part in &parts {
            assert!(part.seconds >= 0.0 && part.by_later <= part.seconds * (1.0 + 1e-9));
            let charged: f64 = part.by.iter().map(|(_, seconds)| seconds).sum();
            let all = part.by.is_empty() || nearly(charged, part.seconds);
            assert!(all, "{policy}: {job:?} {charged} of {part:?}");
            assert!(
                part.by.iter().all(|(other, _)| *other != job),
                "{policy}: {part:?}"
            );
            // Somebody is the cause, where the cause is somebody.
            if part.spent == Spent::BehindHead {
                assert!(!part.by.is_empty(), "{policy}: {part:?}");
            }
        }
    }
}

/// What all spent is exact in all; by cause it is of some who were asked.
fn check_all(scene: &Scene, policy: &PolicySpec, run: &Simulation, all: Lives) {
    let log = run.log();
    let [all] = &all.close(&scene.workload, log, run.progress().now)[..] else {
        panic!("one group");
    };
    let outcomes = Outcomes::of(&scene.workload, &scene.cluster, log);
    let jobs = scene.workload.jobs.iter().enumerate();
    let waited: f64 = jobs
        .filter(|(at, _)| !outcomes.rejected[*at])
        .map(|(at, job)| f64::from(job.gpus) * outcomes.queueing[at])
        .sum();
    let held: f64 = outcomes.service.iter().sum();
    let [waited, held] = [waited, held].map(|of| of / 3600.0);
    assert!(nearly(all.waited(), waited), "{policy}: {all:?} {waited}");
    assert!(
        nearly(all.gpu_hours, waited + held),
        "{policy}: {all:?} {held}"
    );
    let parts: f64 = all.parts.iter().map(|part| part.gpu_hours).sum();
    assert!(nearly(parts, all.gpu_hours), "{policy}: {all:?}");
    let submits = (0..log.events()).filter(|i| log.event(*i).kind == EventKind::Submit);
    let rejects = outcomes.rejected.iter().filter(|of| **of).count();
    assert!(all.jobs as usize <= submits.count(), "{policy}");
    assert_eq!(
        all.jobs as usize,
        scene.workload.jobs.len() - rejects,
        "{policy}"
    );
}
