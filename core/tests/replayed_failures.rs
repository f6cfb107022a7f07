//! Job failures as a trace records them, replayed: computed by hand.

use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::engine::{EventKind, RunLog, SimOptions, StopCause};
use switchyard::job::{Job, JobId, Status};
use switchyard::report::{Outcomes, Summary};
use switchyard::workload::{Recorded, Workload};

/// Jobs of so many GPUs and seconds, with how they ended and the attempts that failed before.
fn workload(jobs: &[(u32, f64, Status, &[f64])]) -> Arc<Workload> {
    let attempts = (0..).map(JobId).zip(jobs);
    let attempts = attempts.map(|(id, of)| (id, of.3.to_vec()));
    Arc::new(Workload {
        jobs: jobs.iter().map(|of| Job::plain(0.0, of.0, of.1)).collect(),
        recorded: Recorded {
            statuses: jobs.iter().map(|of| of.2).collect(),
            attempts: attempts.filter(|(_, of)| !of.is_empty()).collect(),
            ..Recorded::default()
        },
        ..Workload::default()
    })
}

fn run(policy: &str, workload: &Arc<Workload>, options: SimOptions, outages: &str) -> RunLog {
    let spec = RunSpec {
        options,
        outages: outages.parse().expect("outages"),
        ..RunSpec::new(
            policy.parse().expect("a policy"),
            "1x2".parse().expect("a cluster"),
        )
    };
    let mut run = spec.start(Arc::clone(workload));
    run.run().expect("it ends");
    run.into_log()
}

fn replayed() -> SimOptions {
    SimOptions {
        replay_failures: true,
        ..SimOptions::default()
    }
}

fn summary(workload: &Workload, log: &RunLog) -> Summary {
    Summary::of(workload, &"1x2".parse().expect("a cluster"), log)
}

fn events(log: &RunLog) -> Vec<(f64, EventKind, u32)> {
    let events = (0..log.events()).map(|i| log.event(i));
    let events = events.filter(|of| of.kind != EventKind::Submit);
    events
        .map(|of| (of.time.seconds(), of.kind, of.job.0))
        .collect()
}

/// 100 s on two GPUs, of which attempts of 30 and 20 s failed; another job waits. Who fails stands
/// behind nobody under FIFO, and gives way where the fewest GPUs go first.
#[test]
fn an_attempt_fails_when_it_did_and_waits_again() {
    let jobs = workload(&[
        (2, 100.0, Status::Completed, &[30.0, 20.0]),
        (2, 10.0, Status::Unknown, &[]),
    ]);
    let log = run("fifo", &jobs, replayed(), "");
    use EventKind::{Fail, Finish, Restart, Start};
    assert_eq!(
        events(&log),
        [
            (0.0, Start, 0),
            (30.0, Fail, 0),
            (30.0, Restart, 0),
            (50.0, Fail, 0),
            (50.0, Restart, 0),
            (100.0, Finish, 0),
            (100.0, Start, 1),
            (110.0, Finish, 1),
        ]
    );
    let lost: Vec<f64> = (0..log.stops()).map(|i| log.stop(i).lost).collect();
    assert_eq!(lost, [30.0, 20.0]);
    let failures = summary(&jobs, &log).failures;
    assert_eq!((failures.failed_attempts, failures.evictions), (2, 0));
    assert_eq!(failures.lost_gpu_hours, 2.0 * 50.0 / 3600.0);
    assert_eq!((failures.failed_jobs, failures.cancelled_jobs), (0, 0));
    // Its turn is over with its attempt.
    let log = run("srtf", &jobs, replayed(), "");
    assert_eq!(events(&log)[..2], [(0.0, Start, 1), (10.0, Finish, 1)]);
}

/// Saved every 20 s: 20 of 30 s are kept, and all of the next 20; the job takes as long as recorded.
#[test]
fn checkpoints_say_what_an_attempt_loses() {
    let jobs = workload(&[(2, 100.0, Status::Completed, &[30.0, 20.0])]);
    let options = SimOptions {
        checkpoint_interval: 20.0,
        restart_cost: 5.0,
        ..replayed()
    };
    let log = run("fifo", &jobs, options, "");
    let lost: Vec<f64> = (0..log.stops()).map(|i| log.stop(i).lost).collect();
    assert_eq!(lost, [10.0, 0.0]);
    assert_eq!(summary(&jobs, &log).makespan, 110.0);
}

/// A node that fails within an attempt costs what it always does; the attempt still takes 30 s.
#[test]
fn beside_a_node_that_fails() {
    let jobs = workload(&[(2, 100.0, Status::Completed, &[30.0])]);
    let log = run("fifo", &jobs, replayed(), "0:10..15");
    use EventKind::{Evict, Fail, Finish, Restart, Start};
    assert_eq!(
        events(&log),
        [
            (0.0, Start, 0),
            (10.0, Evict, 0),
            (15.0, Restart, 0),
            (45.0, Fail, 0),
            (45.0, Restart, 0),
            (115.0, Finish, 0),
        ]
    );
    let failures = summary(&jobs, &log).failures;
    assert_eq!(failures.lost_gpu_hours, 2.0 * 40.0 / 3600.0);
}

#[test]
fn who_ended_as_failed_is_counted_apart() {
    let jobs = workload(&[
        (1, 3600.0, Status::Failed, &[]),
        (1, 7200.0, Status::NodeFailed, &[1800.0]),
        (2, 1800.0, Status::Cancelled, &[]),
        (2, 10.0, Status::Running, &[]),
    ]);
    let log = run("fifo", &jobs, replayed(), "");
    let cluster = "1x2".parse().expect("a cluster");
    let ended = Outcomes::of(&jobs, &cluster, &log).ended;
    assert_eq!(
        ended,
        [
            Some(StopCause::Failed),
            Some(StopCause::NodeFailed),
            Some(StopCause::Cancelled),
            None
        ]
    );
    let summary = summary(&jobs, &log);
    let failures = summary.failures;
    assert_eq!((summary.finished, failures.failed_jobs), (4, 2));
    assert_eq!(failures.failed_gpu_hours, 3.0);
    assert_eq!(
        (failures.cancelled_jobs, failures.cancelled_gpu_hours),
        (1, 1.0)
    );
    assert_eq!(failures.lost_gpu_hours, 0.5);
}

/// Unless it is asked for, nothing is as if nothing were recorded.
#[test]
fn not_by_default() {
    let jobs = workload(&[
        (2, 100.0, Status::Failed, &[30.0, 20.0]),
        (1, 10.0, Status::Cancelled, &[]),
    ]);
    let plain = Arc::new(Workload {
        recorded: Recorded::default(),
        ..Workload::clone(&jobs)
    });
    for options in [SimOptions::default(), replayed()] {
        let same = run("fifo", &jobs, options, "") == run("fifo", &plain, options, "");
        assert_eq!(same, !options.replay_failures);
    }
}
