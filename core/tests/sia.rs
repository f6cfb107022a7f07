//! Sia in the engine: jobs that adapt, and gangs, on GPUs of three types.

mod jobs;

use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, NodeGroup, NodeKind, Part};
use switchyard::engine::{RunLog, Simulation};
use switchyard::job::{Demand, Job, JobId, Work};
use switchyard::policies::Choices;
use switchyard::workload::{Application, ApplicationSettings, Sample, Workload};
use switchyard::{RunSpec, Time};

const CLUSTER: &str = "6x4:t4+2x8:a100+3x8:rtx2080ti";

fn spec(policy: &str, cluster: &str) -> RunSpec {
    RunSpec::new(
        policy.parse().expect("a policy"),
        cluster.parse().expect("a cluster"),
    )
}

/// The sample's jobs, each bound to an application by the paper's rule.
fn workload() -> Arc<Workload> {
    let sample = Sample::named("three-types").expect("a sample of this name");
    let bound = ApplicationSettings::default().bind(sample.workload());
    Arc::new(bound.expect("the paper's rule"))
}

/// The first node of each type, and one past the last.
const TYPES: [(u32, u32); 3] = [(0, 6), (6, 8), (8, 11)];

/// The type of all these nodes; none: they are of several.
fn kind(nodes: impl Iterator<Item = u32>) -> Option<usize> {
    let of = |node: u32| {
        TYPES
            .iter()
            .position(|(from, to)| (*from..*to).contains(&node))
    };
    let mut kinds = nodes.map(of);
    let first = kinds.next()??;
    kinds.all(|of| of == Some(first)).then_some(first)
}

fn whole(mut run: Simulation) -> RunLog {
    run.run().expect("it ends");
    run.into_log()
}

#[test]
fn a_job_is_on_one_type_at_a_time_and_grows_at_most_twofold() {
    let workload = workload();
    let log = whole(spec("sia", CLUSTER).start(Arc::clone(&workload)));
    let mut most = vec![0; workload.jobs.len()];
    let mut types = vec![[false; 3]; workload.jobs.len()];
    for segment in (0..log.segments()).map(|at| log.segment(at)) {
        let job = segment.job.index();
        let kind = kind(segment.gpus.iter().map(|of| of.node)).expect("one type");
        types[job][kind] = true;
        let gpus = segment.gpu_count();
        assert!(
            gpus <= (2 * most[job]).max(1),
            "job {job} from {} to {gpus}",
            most[job]
        );
        // Whole nodes, or a power of two on one.
        let size = [4, 8, 8][kind];
        assert!(gpus.is_power_of_two() || gpus % size == 0);
        // Who has not moved yet has seen nothing.
        if segment.end > segment.ready {
            most[job] = gpus.max(most[job]);
        }
    }
    assert!(most.iter().any(|&gpus| gpus >= 8));
    let moved = types
        .iter()
        .filter(|on| on.iter().filter(|on| **on).count() > 1)
        .count();
    assert!(moved > 20, "{moved} jobs have been on several types");
}

/// Where the memory is larger, so is the batch.
#[test]
fn an_a100_trains_batches_that_fit_nowhere_else() {
    let workload = workload();
    let log = whole(spec("sia", CLUSTER).start(Arc::clone(&workload)));
    let mut larger = 0;
    for tuning in (0..log.tunings()).map(|at| log.tuning(at)) {
        let stay = log.segment(tuning.segment as usize);
        let Work::Adaptive { application, .. } = workload.jobs[stay.job.index()].work else {
            panic!("all train");
        };
        let of = &workload.applications[application as usize];
        let kind = kind(stay.gpus.iter().map(|of| of.node)).expect("one type");
        let on = of.on(["t4", "a100", "2080ti"][kind]).expect("measured");
        assert!(tuning.batch().m <= on.limits.max_local);
        larger += u32::from(kind == 1 && tuning.batch().m > of.limits.max_local);
    }
    assert!(larger > 20, "{larger}");
}

/// What the last round chose from, and what it chose, fit the cluster.
#[test]
fn a_round_gives_what_there_is_and_what_each_job_can_use() {
    let workload = workload();
    let mut run = spec("sia", CLUSTER).start(Arc::clone(&workload));
    for hour in 1..8 {
        run.run_until(Time(f64::from(hour) * 3600.0))
            .expect("a possible plan");
        let report = run.round().expect("rounds");
        let Choices { columns, rows } = report.choices.expect("a matrix");
        assert_eq!(rows.len(), report.rows.len());
        let mut given = [0; 3];
        for (row, of) in rows.iter().zip(&report.rows) {
            assert_eq!(row.worth.len(), columns.len());
            let Some(at) = row.chosen.map(|at| at as usize) else {
                assert!(of.after.is_empty());
                continue;
            };
            assert!(row.worth[at].is_some_and(|worth| worth >= 1.0));
            assert_eq!(Part::gpus_of(&of.after), columns[at].gpus);
            let kind = kind(of.after.iter().map(|part| part.node)).expect("one type");
            assert_eq!(["t4", "a100", "2080ti"][kind], columns[at].gpu);
            given[kind] += columns[at].gpus;
            // The least that it can use is worth 1.
            let least = row
                .worth
                .iter()
                .flatten()
                .fold(f32::INFINITY, |a, &b| a.min(b));
            assert!((least - 1.0).abs() < 1e-5);
        }
        assert!(given[0] <= 24 && given[1] <= 16 && given[2] <= 24);
    }
}

/// Two gangs and one fast node: who is on it stays, and who came later follows once it is free, if that is worth a
/// restart.
#[test]
fn a_gang_has_its_number_on_the_fastest_type_that_is_free() {
    let gangs = vec![Job::plain(0.0, 4, 1000.0), Job::plain(0.0, 4, 5000.0)];
    let workload = Arc::new(Workload {
        jobs: gangs,
        ..Workload::default()
    });
    let log = whole(spec("sia", "1x4:t4+1x4:a100").start(workload));
    let stays = |job: u32| {
        let all = (0..log.segments()).map(|at| log.segment(at));
        let mine = all.filter(|of| of.job == JobId(job));
        mine.map(|of| (of.gpus[0].node, of.gpu_count()))
            .collect::<Vec<_>>()
    };
    assert_eq!(stays(0), [(1, 4)]);
    assert_eq!(stays(1), [(0, 4), (1, 4)]);
}

/// A gang for which nodes of one size do not do goes first, over nodes of several.
#[test]
fn a_gang_that_no_kind_of_node_holds_is_laid_over_several() {
    let mut workload = Workload {
        jobs: vec![Job::plain(0.0, 2, 300.0), Job::plain(10.0, 6, 100.0)],
        ..Workload::default()
    };
    workload.jobs.push(Job {
        work: jobs::training(64, 1.0, 600.0),
        ..Job::plain(20.0, 1, 600.0)
    });
    let limits = [64, 512, 8, 128];
    let application: Application = jobs::application(limits, 50_000, &[100, 1000]);
    workload.applications = vec![Arc::new(application)];
    let log = whole(spec("sia", "1x4+1x2").start(Arc::new(workload)));
    let wide = (0..log.segments()).map(|at| log.segment(at));
    let wide: Vec<_> = wide.filter(|of| of.job == JobId(1)).collect();
    assert_eq!(wide.len(), 1, "nobody takes its GPUs");
    assert_eq!(wide[0].gpus.len(), 2);
}

/// A gang on a node that drains keeps its memory on its other node, too: who comes first there waits for that.
#[test]
fn a_gang_that_is_pinned_keeps_its_memory_on_nodes_that_are_open() {
    let node = NodeKind {
        memory: Some(8192),
        ..NodeKind::default()
    };
    let groups = vec![NodeGroup {
        nodes: 2,
        gpus: 4,
        kind: node,
    }];
    let job = |submit: f64, gpus: u32, duration: f64, memory: u32| Job {
        demand: Demand {
            memory,
            ..Demand::default()
        },
        ..Job::plain(submit, gpus, duration)
    };
    // The first has at least 4,000 MiB of either node, the second needs 8,000 of one.
    let jobs = vec![job(0.0, 6, 1000.0, 12_000), job(70.0, 2, 10.0, 8_000)];
    for node in 0..2 {
        let spec = RunSpec {
            cluster: ClusterSpec::with_types::<&str>(groups.clone(), &[]).expect("a cluster"),
            outages: format!("{node}:65..5000:drain").parse().expect("a drain"),
            ..spec("sia", "1x1")
        };
        let workload = Workload {
            jobs: jobs.clone(),
            ..Workload::default()
        };
        let log = whole(spec.start(workload.into()));
        let ends = [0, 1].map(|job| {
            let own = (0..log.segments()).map(|at| log.segment(at));
            let own = own.filter(|of| of.job == JobId(job));
            own.map(|of| (of.start.seconds(), of.end.seconds()))
                .next_back()
        });
        let (first, second) = (ends[0].expect("it runs"), ends[1].expect("it runs"));
        assert!(
            second.0 >= first.1,
            "node {node}: {second:?} beside {first:?}"
        );
    }
}
