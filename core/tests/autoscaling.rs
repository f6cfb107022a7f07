//! A cluster whose size a scheduler chooses: what runs where, and what it costs.

mod jobs;
mod registered;
mod scripted;

use jobs::{application, training};
use registered::log_of;
use scripted::{Script, Scripted, arrived, plan_error};
use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, Part, Placement};
use switchyard::engine::{News, Plan, PlanErrorKind, RunLog, SimOptions, Simulation, View};
use switchyard::job::Job;
use switchyard::report::Summary;
use switchyard::workload::Workload;

/// Two gangs of 100 s, at 10 and 60 s, on four nodes of two GPUs.
fn outcome_of(script: Script) -> (Result<(), PlanErrorKind>, Summary, RunLog) {
    let workload = Arc::new(Workload {
        jobs: vec![Job::plain(10.0, 2, 100.0), Job::plain(60.0, 2, 100.0)],
        ..Default::default()
    });
    let cluster = ClusterSpec::uniform(4, 2).expect("a cluster");
    let policy = Scripted::scheduler(script, |_, _| None);
    let mut run = Simulation::new(workload.clone(), &cluster, policy, SimOptions::default());
    let result = run.run().map_err(|error| plan_error(error).kind);
    let log = run.into_log();
    (result, Summary::of(&workload, &cluster, &log), log)
}

fn start_on(view: &View<'_>, plan: &mut Plan) {
    for job in arrived(view) {
        let parts = vec![Part::new(job.0, 2)];
        plan.place(job, &Placement { parts });
    }
}

#[test]
fn without_renting_every_node_is_paid_for() {
    let (result, summary, log) = outcome_of(start_on);
    assert_eq!(result, Ok(()));
    assert_eq!(log.rentals(), 0);
    assert_eq!(summary.makespan, 150.0);
    assert_eq!(summary.node_hours, 4.0 * 150.0 / 3600.0);
    assert_eq!(summary.mean_nodes, 4.0);
}

/// One node from 10 s, two from 60 s on; after 110 s the second must stay, for a job is on it.
#[test]
fn rented_nodes_are_paid_for_while_they_are_rented() {
    let (result, summary, log) = outcome_of(|view, plan| {
        if let Some(first) = arrived(view).next() {
            plan.rent(first.0 + 1);
        }
        start_on(view, plan);
    });
    assert_eq!(result, Ok(()));
    assert_eq!((log.rentals(), log.rental(1).nodes), (2, 2));
    assert_eq!(summary.node_hours, (50.0 + 2.0 * 100.0) / 3600.0);
    assert_eq!(summary.mean_nodes, 250.0 / 150.0);
}

#[test]
fn nothing_starts_on_a_node_that_is_not_rented() {
    let (result, ..) = outcome_of(|view, plan| {
        plan.rent(1);
        start_on(view, plan);
    });
    let not_rented = PlanErrorKind::NotRented { node: 1, rented: 1 };
    assert_eq!(result, Err(not_rented));
}

#[test]
fn a_node_is_not_given_back_under_a_job() {
    let (result, ..) = outcome_of(|view, plan| {
        if matches!(view.news(), [News::Finished(_), ..]) {
            plan.rent(1);
        }
        start_on(view, plan);
    });
    let not_rented = PlanErrorKind::NotRented { node: 1, rented: 1 };
    assert_eq!(result, Err(not_rented));
}

fn workload(submits: &[f64]) -> Arc<Workload> {
    // Small at first and large later: large batches become efficient.
    let noise = [60, 60, 60, 60, 20000, 20000, 20000, 20000];
    let application = application([32, 2048, 16, 64], 200_000, &noise);
    let duration = application.training_time(&[1], 32);
    let jobs = submits.iter().map(|&submit| Job {
        work: training(32, 1.0, duration),
        ..Job::plain(submit, 1, duration)
    });
    Arc::new(Workload {
        jobs: jobs.collect(),
        applications: vec![Arc::new(application)],
        ..Default::default()
    })
}

fn pollux(workload: &Arc<Workload>, parameters: &str) -> (RunLog, Summary) {
    let policy = format!("pollux[population=20,generations=20,{parameters}]");
    let cluster = ClusterSpec::uniform(8, 4).expect("a cluster");
    let log = log_of(&policy, workload, &cluster);
    let summary = Summary::of(workload, &cluster, &log);
    (log, summary)
}

fn rented(log: &RunLog) -> Vec<u32> {
    (0..log.rentals()).map(|i| log.rental(i).nodes).collect()
}

/// By goodput the cluster of one job waits for large batches to become efficient; by throughput it
/// is large from the beginning, and for as long.
#[test]
fn goodput_grows_through_training_and_throughput_does_not() {
    let workload = workload(&[0.0]);
    let (by_goodput, goodput) = pollux(&workload, "autoscale=goodput");
    let (by_throughput, throughput) = pollux(&workload, "autoscale=throughput");
    let (fixed, all) = pollux(&workload, "autoscale=off");
    assert_eq!(fixed.rentals(), 0);
    assert_eq!(all.mean_nodes, 8.0);

    // When φ changes, halfway, by goodput there are few nodes yet.
    let half = |log: &RunLog, summary: &Summary| {
        let earlier = (0..log.rentals()).map(|i| log.rental(i));
        let earlier = earlier.take_while(|rental| rental.time.seconds() < summary.makespan / 2.0);
        earlier.last().map_or(0, |rental| rental.nodes)
    };
    let (early, late) = (
        half(&by_goodput, &goodput),
        rented(&by_goodput).into_iter().max().unwrap_or(0),
    );
    assert!(early < late, "{:?}", rented(&by_goodput));
    assert!(early < half(&by_throughput, &throughput));
    assert!(goodput.node_hours < throughput.node_hours);
    assert!(goodput.node_hours < all.node_hours);
}

/// What jobs leave behind is given back: between two that are far apart one node is left.
#[test]
fn nodes_are_given_back() {
    let (log, _) = pollux(&workload(&[0.0, 0.0, 400_000.0]), "autoscale=goodput");
    let idle = (0..log.rentals()).map(|i| log.rental(i));
    let idle = idle.take_while(|rental| rental.time.seconds() < 400_000.0);
    let nodes: Vec<u32> = idle.map(|rental| rental.nodes).collect();
    assert!(nodes.iter().any(|&nodes| nodes > 1), "{nodes:?}");
    assert_eq!(nodes.last(), Some(&1));
    let (log, _) = pollux(&workload(&[0.0]), "autoscale=goodput,min_nodes=3");
    assert!(rented(&log).iter().all(|&nodes| nodes >= 3));
}
