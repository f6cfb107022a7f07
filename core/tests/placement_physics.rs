//! What a placement costs: spread gangs are slow by model and GPU generation, large models
//! restart slowly, and Tiresias' placement by skew waits or spreads accordingly.

use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::engine::SimOptions;
use switchyard::job::Job;
use switchyard::placement::Strategy;
use switchyard::policies::POLICIES;
use switchyard::report::Outcomes;
use switchyard::workload::{GpuGeneration, Workload};

/// Jobs (submit, GPUs, duration, model) on two nodes of 4 GPUs: when each completes.
fn completions(policy: &str, options: SimOptions, jobs: &[(f64, u32, f64, &str)]) -> Vec<f64> {
    let workload = Arc::new(Workload {
        jobs: (0u32..)
            .zip(jobs)
            .map(|(id, &(submit, gpus, duration, _))| Job {
                name: format!("{id}").into(),
                model: Some(id),
                ..Job::plain(submit, gpus, duration)
            })
            .collect(),
        models: jobs.iter().map(|job| job.3.to_string()).collect(),
        ..Workload::default()
    });
    let spec = RunSpec {
        options,
        ..RunSpec::new(
            policy.parse().expect("a policy"),
            "2x4".parse().expect("a cluster"),
        )
    };
    let mut run = spec.start(workload.clone());
    run.run().expect("a possible plan");
    let outcomes = Outcomes::of(&workload, &spec.cluster, run.log());
    (0..jobs.len())
        .map(|job| jobs[job].0 + outcomes.jct[job])
        .collect()
}

fn on(generation: GpuGeneration) -> SimOptions {
    SimOptions {
        spread_slowdown: Some(generation),
        ..SimOptions::default()
    }
}

#[test]
fn a_spread_gang_is_slow_by_model_and_gpu() {
    let alone = |policy: &str, generation, model| {
        completions(policy, on(generation), &[(0.0, 4, 1000.0, model)])[0]
    };
    let spread = "fifo[placement=spread]";
    assert!((alone(spread, GpuGeneration::V100, "vgg16") - 1000.0 / 0.234).abs() < 1e-6);
    assert!((alone(spread, GpuGeneration::P100, "resnet50") - 1000.0 / 0.901).abs() < 1e-6);
    assert_eq!(alone("fifo", GpuGeneration::V100, "vgg16"), 1000.0);
}

/// One GPU of each node is free for 500 s: a gang of 2 can be spread at once, or consolidated
/// then.
#[test]
fn skewed_models_wait_for_consolidation_and_others_spread() {
    let with = |policy: &str, model| {
        let jobs = [
            (0.0, 3, 500.0, "resnet50"),
            (0.0, 3, 500.0, "resnet50"),
            (1.0, 2, 1000.0, model),
        ];
        completions(policy, on(GpuGeneration::V100), &jobs)[2]
    };
    let skew = "tiresias-las[queues=1,placement=skew]";
    assert_eq!(with(skew, "vgg19"), 1500.0);
    assert!((with(skew, "resnet50") - (1.0 + 1000.0 / 0.968)).abs() < 1e-6);
    // Without the rule the skewed model loses far more than the wait.
    assert!((with("tiresias-las[queues=1]", "vgg19") - (1.0 + 1000.0 / 0.234)).abs() < 1e-6);
    // A limit above every skew spreads it, too.
    let all = "tiresias-las[queues=1,placement=skew,packlimit=0.9]";
    assert_eq!(with(all, "vgg19"), with("tiresias-las[queues=1]", "vgg19"));
}

/// The second job takes the first one's GPUs at its threshold; the first pays its restart.
#[test]
fn large_models_restart_slowly() {
    let restarted = |by_model, model| {
        let options = SimOptions {
            restart_by_model: by_model,
            ..SimOptions::default()
        };
        let jobs = [(0.0, 8, 200.0, model), (50.0, 8, 100.0, "resnet50")];
        completions("srtf", options, &jobs)[0]
    };
    assert_eq!(restarted(false, "vgg19"), 300.0);
    assert!((restarted(true, "vgg19") - 327.0).abs() < 1e-9);
    let small = restarted(true, "inception3") - 300.0;
    assert!(small > 1.0 && small < 5.0);
}

/// On how many nodes each policy lays a plain gang of two, under a placement of the run's.
fn nodes_of_a_pair(policy: &str, placement: Strategy) -> usize {
    let job = Job::plain(0.0, 2, 100.0);
    let workload = Workload {
        jobs: vec![job],
        ..Workload::default()
    };
    let spec = RunSpec {
        placement,
        ..RunSpec::new(
            policy.parse().expect("a policy"),
            "2x4".parse().expect("a cluster"),
        )
    };
    let mut run = spec.start(Arc::new(workload));
    run.run().expect("a possible plan");
    run.log().segment(0).gpus.len()
}

#[test]
fn every_policy_lays_gangs_as_it_is_told() {
    for name in POLICIES.iter().map(|entry| entry.name) {
        for (placement, nodes) in [(Strategy::SPREAD, 2), (Strategy::CONSOLIDATED, 1)] {
            let told = format!("{name}[placement={placement}]");
            assert_eq!(nodes_of_a_pair(&told, Strategy::YARN), nodes, "{told}");
            // These have a placement of their own, which they show as their default.
            let own = ["yarn-cs", "graph-rl"].contains(&name);
            let expected = if own { 1 } else { nodes };
            let of_run = nodes_of_a_pair(name, placement);
            assert_eq!(of_run, expected, "{name} where the run is {placement}");
        }
    }
}

/// Rented nodes do not keep a gang waiting for a node that can hold it.
#[test]
fn a_consolidated_gang_gets_its_node_rented() {
    let policy = "pollux[autoscale=goodput,placement=consolidated]";
    let job = Job::plain(0.0, 4, 100.0);
    let workload = Workload {
        jobs: vec![job],
        ..Workload::default()
    };
    let spec = RunSpec::new(
        policy.parse().expect("a policy"),
        "2x2+1x4".parse().expect("a cluster"),
    );
    let mut run = spec.start(Arc::new(workload));
    run.run().expect("a possible plan");
    assert_eq!(run.log().segment(0).gpus[0].node, 2);
}
