//! The replay of small traces: one worked by hand, and what holds for all.

use proptest::prelude::*;
use switchyard_shockwave::batches::{Mode, Model, Training};
use switchyard_shockwave::replay::{Failure, Outcome, Scheduler, Throughputs, files::Job, replay};

fn job(gpus: u32, mode: Mode, steps: u64, arrival: f64) -> Job {
    Job {
        training: Training {
            model: Model::Lm,
            mode,
            batch: 10,
            gpus,
        },
        steps,
        arrival,
    }
}

/// Two steps a second with batches of 10, fewer with larger ones.
fn throughputs() -> Throughputs {
    let mut all = Throughputs::default();
    for gpus in [1, 2, 4] {
        for (batch, speed) in [(10, 2.0), (20, 1.2), (40, 0.7), (80, 0.4)] {
            all = all.with(Model::Lm, batch, gpus, speed);
        }
    }
    all
}

fn run(jobs: &[Job], gpus: u32, scheduler: Scheduler) -> Outcome {
    replay(jobs, &throughputs(), gpus, scheduler, |_| ()).expect("it can be replayed")
}

#[test]
fn a_job_alone_takes_its_steps() {
    for scheduler in Scheduler::all(4) {
        let outcome = run(&[job(1, Mode::Static, 500, 30.0)], 4, scheduler);
        let name = scheduler.name();
        assert_eq!(outcome.rounds, 3, "{name}");
        assert!((outcome.jobs[0].jct - 250.0).abs() < 1e-9, "{name}");
        assert!((outcome.makespan - 280.0).abs() < 1e-9, "{name}");
    }
}

#[test]
fn a_lease_after_a_pause_costs_its_overhead() {
    // 360 s of work each, on one GPU. Whoever has had less time is next; a lease after a pause does 100 s of work in 120 s,
    // but for the first round and for leases that end early.
    let jobs = [job(1, Mode::Static, 720, 0.0); 2];
    let outcome = run(&jobs, 1, Scheduler::GandivaFair);
    let order: Vec<usize> = outcome.schedule.concat();
    assert_eq!(order, [0, 1, 1, 0, 0, 1, 1, 0]);
    let jcts = [outcome.jobs[0].jct, outcome.jobs[1].jct];
    assert_eq!(jcts, [780.0, 760.0]);
}

#[test]
fn who_comes_after_shares_were_computed_waits_for_the_next_time() {
    // The second is there when the first has ended, at 120 s, and shares are computed. The third comes at 300 s, when
    // nobody is there: it waits until 1,120 s. Then it has 100 s of work done in 120 s, and 20 s are left.
    let jobs = [0.0, 50.0, 300.0].map(|arrival| job(1, Mode::Static, 240, arrival));
    let outcome = run(&jobs, 4, Scheduler::GandivaFair);
    assert_eq!(outcome.jobs[2].jct, 960.0);
    assert_eq!(outcome.makespan, 1260.0);
}

#[test]
fn what_cannot_be_replayed_says_why() {
    for scheduler in Scheduler::all(4) {
        let refused = |jobs: &[Job]| replay(jobs, &throughputs(), 4, scheduler, |_| ()).err();
        assert_eq!(refused(&[]), Some(Failure::Empty));
        let wide = refused(&[job(8, Mode::Static, 9, 0.0)]);
        let expected = Failure::TooWide {
            job: 0,
            wanted: 8,
            gpus: 4,
        };
        assert_eq!(wide, Some(expected));
        let endless = refused(&[job(1, Mode::Static, 1 << 39, 0.0)]);
        assert_eq!(endless, Some(Failure::TooLong { job: 0 }));
        let unmeasured = refused(&[job(3, Mode::Static, 9, 0.0)]);
        assert!(matches!(
            unmeasured,
            Some(Failure::Unmeasured { gpus: 3, .. })
        ));
    }
}

fn any_jobs() -> impl Strategy<Value = Vec<Job>> {
    let modes = prop::sample::select(vec![Mode::Static, Mode::Accordion, Mode::Gns]);
    let one = (
        0..3u32,
        modes,
        prop_oneof![1..2000u64, 1..200_000u64],
        0..3000u32,
    );
    let one = one
        .prop_map(|(gpus, mode, steps, arrival)| job(1 << gpus, mode, steps, f64::from(arrival)));
    prop::collection::vec(one, 1..12).prop_map(|mut jobs| {
        jobs.sort_by(|a, b| a.arrival.partial_cmp(&b.arrival).expect("a number"));
        jobs
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn all_jobs_end_on_gpus_that_are_there(jobs in any_jobs(), gpus in 4..8u32) {
        for scheduler in Scheduler::all(gpus) {
            let outcome = run(&jobs, gpus, scheduler);
            prop_assert_eq!(outcome.jobs.len(), jobs.len());
            prop_assert_eq!(outcome.schedule.len(), outcome.rounds);
            for round in &outcome.schedule {
                let used: u32 = round.iter().map(|&job| jobs[job].training.gpus).sum();
                prop_assert!(used <= gpus, "{}: {used}", scheduler.name());
            }
            for (job, done) in jobs.iter().zip(&outcome.jobs) {
                prop_assert!(job.arrival + done.jct <= outcome.makespan + 1e-6);
                if job.training.mode == Mode::Static {
                    prop_assert!(done.jct >= job.steps as f64 / 2.0 - 1e-6);
                }
            }
            prop_assert!((0.0..=1.0).contains(&outcome.utilisation));
            prop_assert_eq!(&outcome, &run(&jobs, gpus, scheduler));
        }
    }
}
