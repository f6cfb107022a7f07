//! Invariants 1 to 3 of one run, and that no GPU idles in vain.

use crate::replay::{Life, Replay, nearly};
use crate::scenes::Scene;
use switchyard::Time;
use switchyard::engine::{Absence, NodeState, RunLog, StopCause};
use switchyard::outages::OutageKind;
use switchyard::placement::Strategy as Placing;
use switchyard::policies::PolicySpec;
use switchyard::report::{Outcomes, Summary};

/// Which waiting jobs a policy lets idle GPUs wait for, where its placement never makes a gang
/// wait.
#[derive(PartialEq)]
enum Idle {
    /// The head of the queue alone: what is behind it may fit.
    ForHead,
    /// None: no waiting job fits what is free.
    Never,
}

/// The claim a policy makes; `None`: it makes none.
fn idle(spec: &PolicySpec) -> Option<Idle> {
    let is_given = |name| spec.given().any(|(info, _)| info.name == name);
    match spec.name() {
        "fifo" | "fcfs" if !is_given("backfill") => Some(Idle::ForHead),
        // Without a text or a module they are fifo.
        "script" | "plugin" => Some(Idle::ForHead),
        // Whom they picked blocks all others, or those that would end too late.
        "fcfs" | "shortest-job" | "wfp3" | "unicep" | "f1" | "rl-picker" => None,
        // Those decide at rounds only.
        "tiresias-tuned" | "optimus" | "pollux" | "sia" => None,
        "gavel" if is_given("types") => None,
        // As in the simulator that they are from, what comes free within a round waits for the next one.
        "gandiva-fair" | "mst" | "ossp" | "allox" | "finish-time-fairness" => None,
        "gandiva" if is_given("packing") => None,
        // The first in line blocks those who would end too late.
        "slurm" => None,
        // What a gang that waits keeps, no other guaranteed job gets.
        "antman" => None,
        // Quotas hold GPUs idle.
        "yarn-cs" | "kueue" | "volcano" => None,
        _ if is_given("strict") || is_given("placement") => None,
        _ => Some(Idle::Never),
    }
}

/// Jobs are on rented nodes only, for as long as they are there.
fn check_rented(scene: &Scene, log: &RunLog) {
    for rental in (0..log.rentals()).map(|i| log.rental(i)) {
        assert!((1..=scene.cluster.nodes()).contains(&rental.nodes));
    }
    for segment in (0..log.segments()).map(|i| log.segment(i)) {
        let last = segment.gpus.iter().map(|part| part.node).max();
        for (i, rental) in (0..log.rentals()).map(|i| (i, log.rental(i))) {
            let until = if i + 1 < log.rentals() {
                log.rental(i + 1).time
            } else {
                Time::NEVER
            };
            if segment.start.max(rental.time) < segment.end.min(until) {
                assert!(last < Some(rental.nodes));
            }
        }
    }
}

/// Nobody is on a node that is down, and nobody comes to one that is not up; and nodes are away when
/// the list says so, if nothing fails by chance.
fn check_nodes(scene: &Scene, log: &RunLog) {
    let absences = log.absences();
    for segment in (0..log.segments()).map(|i| log.segment(i)) {
        for part in segment.gpus {
            for of in absences.iter().filter(|of| of.node == part.node) {
                let comes = of.from <= segment.start && segment.start < of.to;
                assert!(!comes, "a job comes to a node that is {}", of.state);
                let is_there = segment.start < of.to && segment.end > of.from;
                assert!(
                    of.state != NodeState::Down || !is_there,
                    "a job is on a dead node"
                );
            }
        }
    }
    if scene.options.mtbf > 0.0 {
        return;
    }
    let state = |node: u32, at: Time| {
        let there = scene.outages.iter().filter(|of| of.node == node);
        let kinds = there.filter(|of| of.from <= at && at < of.to);
        kinds.map(|of| of.kind).min()
    };
    let end = log.event_times().last().copied().unwrap_or(0.0);
    for outage in scene.outages.iter() {
        for at in [outage.from, outage.to] {
            if at.0 >= end {
                continue;
            }
            let is = |of: &&Absence| of.node == outage.node && of.from <= at && at < of.to;
            let told = absences.iter().find(is).map(|of| of.state);
            let expected = state(outage.node, at).map(|kind| match kind {
                OutageKind::Failure => NodeState::Down,
                OutageKind::Drain => NodeState::Drained,
            });
            assert_eq!(told, expected, "node {} at {} s", outage.node, at.0);
        }
    }
}

/// Invariants 1 to 3, and that no GPU idles in vain.
pub(crate) fn check(scene: &Scene, policy: &PolicySpec, log: &RunLog) {
    let jobs = &scene.workload.jobs;
    assert!(log.event_times().is_sorted() && log.sample_times().is_sorted());
    let mut given = policy.given();
    let given = given.find(|(info, _)| info.name == "placement");
    let placement: Placing = given.map_or(scene.placement, |(_, name)| {
        name.parse().expect("a placement")
    });
    let idle = idle(policy).filter(|_| !placement.may_wait());

    let replay = Replay::new(scene, log).until(f64::INFINITY, |replay, now| {
        let row = log.sample_times().partition_point(|&at| at <= now) - 1;
        let held = scene.gpus() - replay.free();
        assert_eq!(log.sample_waiting()[row], replay.waiting().count() as u32);
        assert_eq!(log.sample_gpus()[row], held);
        let may_idle = match idle {
            None => None,
            Some(Idle::ForHead) => replay.waiting().next(),
            Some(Idle::Never) => replay.waiting().min_by_key(|&j| jobs[j].gpus),
        };
        if let Some(j) = may_idle {
            let free = replay.open(now);
            assert!(
                jobs[j].gpus > free,
                "{policy}: at {now} s job {j} waits though {free} GPUs are free"
            );
        }
    });

    for (j, job) in jobs.iter().enumerate() {
        let expected = if job.gpus > scene.gpus() {
            Life::Rejected
        } else {
            Life::Finished
        };
        let is_stuck = replay.life[j] == Life::Waiting && !scene.ends();
        assert!(
            replay.life[j] == expected || is_stuck,
            "{policy}: job {j} is stuck"
        );
    }
    if !policy.adapts_jobs() {
        for segment in (0..log.segments()).map(|i| log.segment(i)) {
            assert_eq!(segment.gpu_count(), jobs[segment.job.index()].gpus);
        }
    }
    check_rented(scene, log);
    check_nodes(scene, log);
    assert_eq!(replay.evictions, log.evictions());
    let stops = (0..log.stops()).map(|i| log.stop(i));
    let retried = stops.filter(|stop| stop.cause == StopCause::Retried);
    assert_eq!(replay.stops, retried.count());
    let starts: u32 = replay.starts.iter().sum();
    assert_eq!(log.segments(), starts as usize);

    let outcomes = Outcomes::of(&scene.workload, &scene.cluster, log);
    let summary = Summary::of_outcomes(&outcomes, &scene.cluster, log);
    for j in replay.finished() {
        assert!(nearly(outcomes.service[j], replay.service[j]));
        assert!(outcomes.queueing[j] >= 0.0 && outcomes.longest_wait[j] <= outcomes.jct[j]);
    }
    let times = log.event_times();
    let span = times.last().unwrap_or(&0.0) - times.first().unwrap_or(&0.0);
    if span > 0.0 {
        let allocated = summary.gpu_allocation * span * f64::from(scene.gpus());
        assert!(nearly(allocated, replay.service.iter().sum()));
    }
    let stuck = replay.waiting().count() as u32;
    let is_over = stuck == 0 && summary.finished > 0;
    assert_eq!(summary.makespan == span, is_over);
    assert_eq!(summary.longest_wait.is_nan(), !is_over);
    assert_eq!(summary.finished + summary.rejected + stuck, summary.jobs);
    let started = replay.starts.iter().filter(|&&starts| starts > 0).count() as u32;
    assert_eq!(summary.restarts, starts - started);
}
