//! The placer that learned, in the engine: whoever chooses, it is never led where a job cannot go.

use proptest::prelude::*;
use std::sync::{Arc, Mutex};
use switchyard::contention::Profile;
use switchyard::engine::{SimOptions, Simulation};
use switchyard::explain::{Choice, PlacingStep};
use switchyard::job::{Demand, Job, JobId, Servers, TypeSet, Work};
use switchyard::placement::Strategy as Placing;
use switchyard::placement::graph_rl::network::Network;
use switchyard::placement::graph_rl::scene::JOB;
use switchyard::placement::graph_rl::{Chooser, Decision, Placer};
use switchyard::weights::Weights;
use switchyard::workload::Workload;
use switchyard::{RunSpec, RunSpecError, Time};

fn network(placement: Placing, seed: u64) -> Network {
    Network::random(placement, seed)
}

fn spec(policy: &str, cluster: &str) -> RunSpec {
    RunSpec {
        options: SimOptions {
            contention: true,
            ..SimOptions::default()
        },
        ..RunSpec::new(
            policy.parse().expect("a policy"),
            cluster.parse().expect("a cluster"),
        )
    }
}

fn job(gpus: u32, submit: f64, servers: u32) -> Job {
    Job {
        demand: Demand {
            servers: Servers {
                count: servers,
                cores: 1000,
                memory: 0,
            },
            ..Demand::default()
        },
        ..Job::plain(submit, gpus, 100.0)
    }
}

fn workload(jobs: Vec<Job>) -> Arc<Workload> {
    Arc::new(Workload {
        jobs,
        ..Workload::default()
    })
}

/// Chooses anything, in turn by a few numbers, and counts.
struct Anything {
    draws: Vec<usize>,
    decisions: usize,
    waits: usize,
    /// What was seen of the first job.
    first: Option<[f32; JOB]>,
}

impl Chooser for Anything {
    fn choose(&mut self, decision: &Decision<'_>) -> usize {
        self.first.get_or_insert(decision.seen.job);
        let draw = self.draws[self.decisions % self.draws.len()];
        self.decisions += 1;
        let chosen = draw % decision.choices.len();
        assert_eq!(decision.choices.len(), decision.scores.len());
        assert!(decision.scores.iter().all(|score| score.is_finite()));
        self.waits += usize::from(decision.choices[chosen] == Choice::Wait);
        chosen
    }
}

fn run_with(run: Simulation, draws: Vec<usize>) -> (Simulation, Arc<Mutex<Anything>>) {
    let anything = Arc::new(Mutex::new(Anything {
        draws,
        decisions: 0,
        waits: 0,
        first: None,
    }));
    let placer = Placer::new(Arc::new(network(Placing::GRAPH_RL, 1)));
    (
        run.with_learned(placer.chosen_by(anything.clone())),
        anything,
    )
}

const CLUSTERS: [&str; 6] = [
    "8x8/cores=12/partitions=2/racks=4",
    "3x4:v100/cores=9+4x8:t4/cores=9/partitions=2",
    "16x4",
    "6x8/cores=6/memory=64/partitions=3/sockets=4",
    "1x1",
    "5x8:a100+2x3:t4/racks=3/sockets=1",
];

fn jobs() -> impl Strategy<Value = Vec<Job>> {
    let one = (1u32..20, 0.0..400.0, 0u32..5, 0u32..4, 0u32..4, 1.0..300.0);
    let one = one.prop_map(|(gpus, submit, servers, cores, kind, duration)| {
        let mut job = job(gpus, submit, servers);
        job.demand.cores = cores * 500 * gpus;
        job.demand.servers.cores = cores * 700;
        job.demand.types = match kind {
            0 => TypeSet::ANY.with(0),
            _ => TypeSet::ANY,
        };
        job.work = Work::Fixed { duration };
        job
    });
    prop::collection::vec(one, 1..25).prop_map(|mut jobs| {
        jobs.sort_by(|a, b| switchyard::order::by_value(&a.submit.0, &b.submit.0));
        jobs
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases / 8,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Whatever is chosen of what is offered can be carried out, and every job that fits an idle cluster
    /// comes to its end, on nodes of unlike types, with servers, and while nodes are away. (A partition
    /// that had nothing to offer for a part would fail in debug builds.)
    #[test]
    fn no_choice_is_infeasible(
        jobs in jobs(),
        which in 0..CLUSTERS.len(),
        policy in prop::sample::select(&["graph-rl", "graph-rl[backfill=false]", "srtf[placement=graph-rl]",
            "tiresias-las[placement=graph-rl]", "graph-rl[placement=graph-rl-one-agent]"][..]),
        draws in prop::collection::vec(any::<usize>(), 1..40),
        outages in prop::sample::select(&["", "0:50..300", "0:10..90,0:200..300:drain", "0:0..500:drain"][..]),
    ) {
        let mut spec = spec(policy, CLUSTERS[which]);
        spec.outages = outages.parse().expect("outages");
        let mut workload = Arc::unwrap_or_clone(workload(jobs));
        workload.gpu_types = vec!["t4".to_owned()];
        let (mut run, chooser) = run_with(spec.start(Arc::new(workload)), draws);
        run.run().expect("a possible plan, and an end");
        prop_assert_eq!(run.progress().jobs, run.progress().done);
        prop_assert!(chooser.lock().is_ok());
    }
}

#[test]
fn where_all_is_full_jobs_wait() {
    let jobs: Vec<Job> = (0..6).map(|at| job(8, f64::from(at), 0)).collect();
    for policy in [
        "graph-rl",
        "fifo[placement=graph-rl]",
        "graph-rl[placement=graph-rl-no-graph]",
    ] {
        let spec = spec(policy, "2x8/partitions=2");
        let mut weights = Weights::default();
        for placement in [Placing::GRAPH_RL, Placing::GRAPH_RL_NO_GRAPH] {
            let file = network(placement, 3).to_safetensors();
            weights.add_shipped(&file).expect("weights");
        }
        let mut run = spec
            .start_with(workload(jobs.clone()), &weights)
            .expect("at hand");
        run.run_until(Time(50.0)).expect("a possible plan");
        assert_eq!(run.progress().done, 0);
        run.run().expect("an end");
        assert_eq!(run.progress().done, 6);
    }
}

/// Training knows no longer queues than those of small data centres.
#[test]
fn a_queue_of_hundreds_looks_like_one_of_a_hundred() {
    let first = |count: u32| {
        let jobs = (0..count).map(|_| job(1, 0.0, 0)).collect();
        let run = spec("graph-rl", "2x1").start(workload(jobs));
        let (mut run, chooser) = run_with(run, vec![0]);
        run.run_until(Time(50.0)).expect("a possible plan");
        let first = chooser.lock().expect("nobody else").first;
        first.expect("a decision")
    };
    assert_eq!(first(100), first(800));
    assert_ne!(first(100), first(20));
}

/// Lays gangs on these servers, one each, and notes what each saw of racks and of the partition before.
struct OneByOne {
    nodes: Vec<u32>,
    laid: usize,
    together: Vec<[f32; 3]>,
}

impl Chooser for OneByOne {
    fn choose(&mut self, decision: &Decision<'_>) -> usize {
        let (Some(_), seen) = (decision.partition, decision.seen) else {
            return 0;
        };
        // The first of its parts.
        if seen.job[11] > 0.0 {
            let [racks, all] = [&seen.racks[..], &seen.partitions[..]];
            self.together.push([racks[0][4], racks[1][4], all[0][4]]);
            self.laid += 1;
        }
        let node = self.nodes[self.laid - 1];
        let there =
            |choice: &Choice| matches!(choice, Choice::Group { node: at, .. } if *at == node);
        decision.choices.iter().position(there).unwrap_or(0)
    }
}

/// Of a rack with two servers that are half free, no more than one of these holds.
#[test]
fn a_rack_says_how_much_of_a_gang_fits_together() {
    let jobs = [2, 2, 4, 3].into_iter().enumerate();
    let jobs = jobs.map(|(at, gpus)| job(gpus, at as f64, 0)).collect();
    let chooser = Arc::new(Mutex::new(OneByOne {
        nodes: vec![0, 1, 2, 0],
        laid: 0,
        together: Vec::new(),
    }));
    let placer = Placer::new(Arc::new(network(Placing::GRAPH_RL, 1))).chosen_by(chooser.clone());
    let run = spec("graph-rl[backfill=false]", "4x4/partitions=1/racks=2").start(workload(jobs));
    let mut run = run.with_learned(placer);
    run.run_until(Time(3.5)).expect("a possible plan");
    let third = 2.0f32 / 3.0;
    assert_eq!(
        chooser.lock().expect("nobody else").together,
        [
            [1.0, 1.0, 1.0],
            [1.0, 1.0, 1.0],
            [0.5, 1.0, 1.0],
            [third, 1.0, 1.0],
        ]
    );
}

#[test]
fn a_gang_larger_than_a_partition_is_laid_all_the_same() {
    let (mut run, _) = run_with(
        spec("graph-rl", "4x4/partitions=4").start(workload(vec![job(9, 0.0, 0)])),
        vec![0],
    );
    run.run().expect("an end");
    assert_eq!(run.progress().done, 1);
    assert_eq!(run.log().segments(), 1);
}

/// It is nobody's, and does not wait for a partition of its own.
#[test]
fn a_gang_that_the_cluster_holds_and_no_partition_does_is_laid_as_by_the_rule() {
    let laid = |model: u32| {
        // Who has one GPU sends nothing.
        let jobs = [1, 1, 1, 1, 4].into_iter().enumerate();
        let jobs = jobs.map(|(at, gpus)| Job {
            model: Some(model),
            ..job(gpus, at as f64, 0)
        });
        let models = Profile::all();
        let workload = Workload {
            jobs: jobs.collect(),
            models: models.iter().map(|of| of.name.to_owned()).collect(),
            ..Workload::default()
        };
        let run = spec("graph-rl", "4x2/partitions=2/oversubscription=1").start(Arc::new(workload));
        // Two in one partition, two in the other, each on its first node.
        let (mut run, _) = run_with(run, vec![0, 0, 0, 0, 1, 0, 1, 0]);
        run.watch(JobId(4));
        run.run_until(Time(4.5)).expect("a possible plan");
        let placing = run.explain(JobId(4), Time(4.5)).placing;
        let placing = placing.expect("it is told all the same");
        assert!(placing.steps.is_empty());
        let by_rule = placing.by_rule.expect("it is told beside it");
        assert_eq!(by_rule.own, by_rule.rule, "{model}");
        by_rule.own
    };
    let mut laid = (0..8).filter_map(laid).peekable();
    assert!(laid.peek().is_some(), "each is slowed too much");
    assert!(laid.all(|place| place.nodes == [(1, 2), (3, 2)]));
}

#[test]
fn weights_that_are_not_at_hand_are_told() {
    let spec = spec("graph-rl", "4x4");
    let mut weights = Weights::default();
    let jobs = || workload(vec![job(1, 0.0, 0)]);
    let refusal = spec
        .start_with(jobs(), &weights)
        .err()
        .expect("none at hand");
    assert!(matches!(refusal, RunSpecError::MissingWeights { .. }));
    assert!(refusal.to_string().contains("(shipped)"), "{refusal}");
    let own = weights.add_own(&network(Placing::GRAPH_RL, 5).to_safetensors());
    let own = own.expect("weights");
    assert!(
        spec.start_with(jobs(), &weights).is_err(),
        "they are not the shipped ones"
    );
    let mut asked = spec.clone();
    asked.options.weights = own.to_string().parse().expect("as it is written");
    assert!(asked.start_with(jobs(), &weights).is_ok());
    assert_eq!(spec.learned(), Some(Placing::GRAPH_RL));
}

#[test]
fn decisions_are_told() {
    let spec = spec("graph-rl", "8x8/partitions=2/racks=4");
    let mut weights = Weights::default();
    let file = network(Placing::GRAPH_RL, 3).to_safetensors();
    weights.add_shipped(&file).expect("weights");
    let run = spec.start_with(workload(vec![job(2, 0.0, 1)]), &weights);
    let mut run = run.expect("at hand");
    run.watch(JobId(0));
    run.run_until(Time(1.0)).expect("a possible plan");
    let placing = run
        .explain(JobId(0), Time(1.0))
        .placing
        .expect("it was asked");
    let placed = |step: &&PlacingStep| matches!(step.chosen, Choice::Group { .. });
    assert_eq!(placing.steps.iter().filter(placed).count(), 3);
    for step in &placing.steps {
        assert_eq!((step.values.len(), step.told.len()), (2, 2));
        let all: f32 = step.choices.iter().map(|(_, chance)| chance).sum();
        assert!((all - 1.0).abs() < 1e-5);
        assert!(
            step.choices
                .iter()
                .any(|(choice, _)| *choice == step.chosen)
        );
    }
    let by_rule = placing.by_rule.as_ref().expect("it is told beside it");
    let rule = by_rule.rule.as_ref().expect("nobody runs");
    assert_eq!(rule.nodes.iter().map(|of| of.1).sum::<u32>(), 2);
    assert!(by_rule.own.as_ref().is_some_and(|own| own.slower >= 0.0));
    // On the sockets of its choice, of four GPUs each.
    let log = run.log();
    for step in placing.steps.iter().filter(placed).take(2) {
        let Choice::Group { node, group } = step.chosen else {
            continue;
        };
        let mut gpus = log.segment(0).gpus.iter();
        let there = gpus.find(|of| of.node == node).expect("where it chose");
        assert_ne!(there.mask & (0b1111 << (4 * group)), 0);
    }
    let first = &placing.steps[0].choices;
    assert!(
        first
            .iter()
            .any(|(choice, _)| matches!(choice, Choice::Forward { .. }))
    );
    assert!(
        !first.iter().any(|(choice, _)| *choice == Choice::Wait),
        "nobody runs"
    );
}

/// When the last of these jobs starts, where it is left waiting by an agent or not.
fn last_starts(jobs: &[Job], seed: u64) -> Time {
    let mut weights = Weights::default();
    let file = network(Placing::GRAPH_RL, seed).to_safetensors();
    weights.add_shipped(&file).expect("weights");
    let run = spec("graph-rl", "2x8/partitions=2").start_with(workload(jobs.to_vec()), &weights);
    let mut run = run.expect("at hand");
    run.run().expect("an end");
    let log = run.log();
    let last = JobId(jobs.len() as u32 - 1);
    let mut segments = (0..log.segments()).map(|at| log.segment(at));
    let own = segments.find(|of| of.job == last);
    own.expect("it runs").start
}

#[test]
fn while_a_wide_gang_waits_no_agent_has_a_narrow_one_wait_without_need() {
    let with_wide = |seed| {
        let jobs = [job(8, 0.0, 0), job(16, 1.0, 0), job(2, 2.0, 0)];
        last_starts(&jobs, seed)
    };
    let waiting =
        (0..32).filter(|&seed| last_starts(&[job(8, 0.0, 0), job(2, 2.0, 0)], seed) > Time(2.0));
    let waiting: Vec<u64> = waiting.collect();
    assert!(!waiting.is_empty(), "no network lets it wait");
    assert!(waiting.iter().all(|&seed| with_wide(seed) == Time(2.0)));
}
