//! A scheduler that asks for the impossible is told so, by policy, moment and job: the engine
//! neither panics nor quietly mends the plan.

mod scripted;

use scripted::{Script, Scripted, arrived, plan_error};
use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, Part, PlaceError, Placement};
use switchyard::engine::{News, PlanError, PlanErrorKind, SimOptions, Simulation};
use switchyard::job::{Job, JobId};
use switchyard::workload::Workload;
use switchyard::{Resource, Time};

/// Jobs of two GPUs for 10 s.
fn workload(submits: &[f64]) -> Arc<Workload> {
    Arc::new(Workload {
        jobs: submits
            .iter()
            .map(|&submit| Job::plain(submit, 2, 10.0))
            .collect(),
        ..Default::default()
    })
}

/// What becomes of three jobs, submitted at 0, 0 and 50 s, on two nodes of two GPUs.
fn error_of(script: Script) -> PlanError {
    let cluster = ClusterSpec::uniform(2, 2).expect("a cluster");
    Simulation::new(
        workload(&[0.0, 0.0, 50.0]),
        &cluster,
        Scripted::scheduler(script, |_, _| None),
        SimOptions::default(),
    )
    .run()
    .map_err(plan_error)
    .expect_err("an impossible plan")
}

fn kind_of(script: Script) -> PlanErrorKind {
    error_of(script).kind
}

fn on(parts: &[(u32, u32)]) -> Placement {
    let part = |&(node, gpus): &(u32, u32)| Part::new(node, gpus);
    Placement {
        parts: parts.iter().map(part).collect(),
    }
}

const FIRST: JobId = JobId(0);
const SECOND: JobId = JobId(1);
const THIRD: JobId = JobId(2);
const NOBODY: JobId = JobId(3);

#[test]
fn an_error_is_in_words_for_what_is_counted() {
    let told = |unit| {
        let error = PlanError {
            policy: "mine".to_owned(),
            time: Time(5.0),
            job: FIRST,
            kind: PlanErrorKind::GangBroken {
                requested: 2,
                given: 1,
            },
            unit,
        };
        error.to_string()
    };
    let begin = "policy mine made an impossible plan at 5 s for job 0: it asks for 2";
    assert_eq!(told(Resource::Gpus), format!("{begin} GPUs but is given 1"));
    assert_eq!(
        told(Resource::Cores),
        format!("{begin} cores but is given 1")
    );
    let run = |unit| {
        let mut jobs = Workload::clone(&workload(&[0.0]));
        jobs.unit = unit;
        let cluster = ClusterSpec::uniform(2, 2).expect("a cluster");
        let script: Script = |_, plan| plan.place(FIRST, &on(&[(0, 1)]));
        let scheduler = Scripted::scheduler(script, |_, _| None);
        Simulation::new(jobs.into(), &cluster, scheduler, SimOptions::default())
            .run()
            .map_err(plan_error)
            .expect_err("an impossible plan")
    };
    assert_eq!(run(Resource::Cores).unit, Resource::Cores);
}

#[test]
fn an_error_names_policy_moment_and_job() {
    let error = error_of(|view, plan| {
        if arrived(view).any(|job| job == THIRD) {
            plan.preempt(SECOND);
        }
    });
    assert_eq!(error.time, Time(50.0));
    assert_eq!(
        error.to_string(),
        "policy scripted made an impossible plan at 50 s for job 1: it is preempted but does not run"
    );
}

#[test]
fn a_job_that_does_not_exist() {
    assert_eq!(
        kind_of(|_, plan| plan.preempt(NOBODY)),
        PlanErrorKind::UnknownJob
    );
    assert_eq!(
        kind_of(|_, plan| plan.place(NOBODY, &on(&[(0, 2)]))),
        PlanErrorKind::UnknownJob
    );
    assert_eq!(
        kind_of(|_, plan| plan.alarm(NOBODY, Time(1.0))),
        PlanErrorKind::UnknownJob
    );
    assert_eq!(
        kind_of(|_, plan| plan.demote(NOBODY, 1)),
        PlanErrorKind::UnknownJob
    );
}

#[test]
fn a_job_that_has_not_come_or_is_gone() {
    assert_eq!(
        kind_of(|_, plan| plan.place(THIRD, &on(&[(0, 2)]))),
        PlanErrorKind::NotActive
    );
    let finished = kind_of(|view, plan| match view.news() {
        [News::Finished(finished), ..] => plan.promote(*finished, 0),
        _ => plan.place(FIRST, &on(&[(0, 2)])),
    });
    assert_eq!(finished, PlanErrorKind::NotActive);
}

#[test]
fn a_job_preempted_or_placed_twice() {
    let preempted = kind_of(|view, plan| match view.now().seconds() {
        0.0 => {
            plan.place(FIRST, &on(&[(0, 2)]));
            plan.alarm(FIRST, Time(5.0));
        }
        _ => {
            plan.preempt(FIRST);
            plan.preempt(FIRST);
        }
    });
    assert_eq!(preempted, PlanErrorKind::NotRunning);
    let placed = kind_of(|_, plan| {
        plan.place(FIRST, &on(&[(0, 2)]));
        plan.place(FIRST, &on(&[(1, 2)]));
    });
    assert_eq!(placed, PlanErrorKind::NamedTwice);
}

#[test]
fn a_gang_in_part() {
    let broken = |requested, given| PlanErrorKind::GangBroken { requested, given };
    assert_eq!(
        kind_of(|_, plan| plan.place(FIRST, &on(&[(0, 1)]))),
        broken(2, 1)
    );
    assert_eq!(kind_of(|_, plan| plan.place(FIRST, &on(&[]))), broken(2, 0));
    assert_eq!(
        kind_of(|_, plan| plan.place(FIRST, &on(&[(0, u32::MAX), (1, 3)]))),
        broken(2, u32::MAX)
    );
}

#[test]
fn gpus_that_are_not_there() {
    assert_eq!(
        kind_of(|_, plan| plan.place(FIRST, &on(&[(2, 2)]))),
        PlanErrorKind::Place(PlaceError::NoSuchNode(2))
    );
    let taken = kind_of(|_, plan| {
        plan.place(FIRST, &on(&[(0, 2)]));
        plan.place(SECOND, &on(&[(0, 1), (1, 1)]));
    });
    let full = PlaceError::NodeFull {
        node: 0,
        free: 0,
        wanted: 1,
    };
    assert_eq!(taken, PlanErrorKind::Place(full));
}

#[test]
fn an_alarm_at_no_time() {
    assert_eq!(
        kind_of(|_, plan| plan.alarm(FIRST, Time(f64::NAN))),
        PlanErrorKind::AlarmAtNoTime
    );
}
