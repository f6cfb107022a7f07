//! Worlds in which jobs share GPUs: under every policy and placement no GPU is given beyond one
//! whole, nor beyond its memory, everybody ends, and a run can be cut.

use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;
use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, Thousandths};
use switchyard::engine::{RunLog, SimOptions};
use switchyard::job::{Demand, Job, TypeSet};
use switchyard::placement::Strategy as Placing;
use switchyard::policies::POLICIES;
use switchyard::report::Outcomes;
use switchyard::workload::Workload;
use switchyard::{RunSpec, Time};

/// Submission, GPUs, thousandths of the one asked for, MiB of it, and duration.
type Row = (f64, u32, u16, u32, f64);

const GIB: u32 = 1024;

fn workload(rows: &[Row]) -> Arc<Workload> {
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| switchyard::order::by_value(&a.0, &b.0));
    let job = |(i, &(submit, gpus, share, memory, duration)): (usize, &Row)| Job {
        name: format!("j{i}").into(),
        demand: Demand {
            share: Thousandths::new(share).filter(|_| gpus == 1),
            gpu_memory: memory,
            // A core for each GPU, whole or not; some jobs ask for none.
            cores: if i % 3 == 0 { 0 } else { 1000 * gpus },
            types: if i % 5 == 0 {
                TypeSet::ANY.with(i as u32 % 2)
            } else {
                TypeSet::ANY
            },
            ..Demand::default()
        },
        ..Job::plain(submit - rows[0].0, gpus, duration)
    };
    Arc::new(Workload {
        jobs: rows.iter().enumerate().map(job).collect(),
        gpu_types: ["v100", "t4"].map(String::from).to_vec(),
        ..Workload::default()
    })
}

fn spec(policy: &str, cluster: &str, placement: Placing, sharing: bool) -> RunSpec {
    RunSpec {
        placement,
        options: SimOptions {
            sharing,
            restart_cost: 5.0,
            ..SimOptions::default()
        },
        ..RunSpec::new(
            policy.parse().expect("a policy"),
            cluster.parse().expect("a cluster"),
        )
    }
}

fn run(spec: &RunSpec, workload: &Arc<Workload>) -> RunLog {
    let mut run = spec.start(workload.clone());
    run.run().expect("a possible plan");
    run.into_log()
}

/// When thousandths and MiB of a GPU are taken, or given back.
type Change = (f64, i64, i64);

/// Thousandths and memory of every GPU, over time.
fn check(workload: &Workload, cluster: &ClusterSpec, log: &RunLog) {
    let memory: Vec<u32> = cluster
        .kinds_per_node()
        .map(|kind| cluster.gpu_memory(kind).unwrap_or(u32::MAX))
        .collect();
    // By GPU: changes of what is taken, those that give back first.
    let mut changes: BTreeMap<(u32, u32), Vec<Change>> = BTreeMap::new();
    for segment in (0..log.segments()).map(|i| log.segment(i)) {
        let job = &workload.jobs[segment.job.index()];
        let (part, memory) = match segment.share {
            None => (1000, 0),
            Some(share) => {
                // Whose asking does not count has half of a GPU beside another.
                let asked = job.demand.share.map(Thousandths::get);
                assert!(share == 500 || Some(share) == asked.map(u32::from));
                assert_eq!(segment.gpu_count(), 1);
                (i64::from(share), i64::from(job.demand.gpu_memory))
            }
        };
        assert_eq!(segment.gpu_count(), job.gpus);
        for gpus in segment.gpus {
            for gpu in gpus.numbers() {
                let of_gpu = changes.entry((gpus.node, gpu)).or_default();
                of_gpu.push((segment.start.seconds(), part, memory));
                of_gpu.push((segment.end.seconds(), -part, -memory));
            }
        }
    }
    for ((node, gpu), mut changes) in changes {
        assert!(gpu < cluster.gpus_per_node().nth(node as usize).expect("a node"));
        changes.sort_by(|a, b| switchyard::order::by_value(&a.0, &b.0).then(a.1.cmp(&b.1)));
        let (mut taken, mut used) = (0, 0);
        for (_, part, bytes) in changes {
            taken += part;
            used += bytes;
            assert!(taken <= 1000, "GPU {gpu} of node {node} is given twice");
            assert!(used <= i64::from(memory[node as usize]));
        }
    }
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let gpus = select(&[1u32, 1, 1, 1, 2, 3, 4, 7][..]);
    let share = select(&[0u16, 1, 100, 250, 333, 500, 501, 700, 999, 1000][..]);
    let memory = select(&[0, GIB, 5 * GIB, 9 * GIB, 16 * GIB][..]);
    let row = (0.0..500.0f64, gpus, share, memory, 1.0..300.0f64);
    prop::collection::vec(row, 1..40)
}

const CLUSTERS: [&str; 6] = [
    "1x7",
    "3x4",
    "2x8+3x2",
    "4x4/gpu-memory=16",
    "2x8:v100+3x2:t4",
    "2x4:v100/cores=3+4x2:t4/cores=2",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_gpu_is_given_beyond_one_whole(
        rows in rows(),
        cluster in select(&CLUSTERS[..]),
        cut in 1.0..400.0f64,
    ) {
        let workload = workload(&rows);
        let placements = Placing::ALL.iter().copied().cycle();
        let policies = POLICIES.iter().filter(|entry| !entry.replays);
        for (policy, placement) in policies.zip(placements) {
            let spec = spec(policy.name, cluster, placement, true);
            let log = run(&spec, &workload);
            check(&workload, &spec.cluster, &log);
            let outcomes = Outcomes::of(&workload, &spec.cluster, &log);
            for (j, job) in workload.jobs.iter().enumerate() {
                let is_rejected = outcomes.rejected[j];
                prop_assert!(!is_rejected || job.gpus > 1 || job.demand.gpu_memory > 0 || !job.demand.types.is_any());
                if !is_rejected && !placement.may_wait() {
                    prop_assert!(outcomes.jct[j].is_finite(), "{} {placement}: job {j}", policy.name);
                }
            }
            let mut sliced = spec.start(workload.clone());
            for slice in 1..200 {
                sliced.run_until(Time(cut * f64::from(slice))).expect("a possible plan");
            }
            sliced.run().expect("a possible plan");
            prop_assert_eq!(sliced.log().hash(), log.hash());
        }
    }

    /// Every placement under a policy that preempts and one that does not, while nodes fail.
    #[test]
    fn every_placement_keeps_to_it(rows in rows(), cluster in select(&CLUSTERS[..])) {
        let workload = workload(&rows);
        for placement in Placing::ALL {
            for policy in ["fifo[backfill=true]", "srtf"] {
                let mut spec = spec(policy, cluster, placement, true);
                spec.options.mtbf = 0.1;
                spec.options.mttr = 0.01;
                check(&workload, &spec.cluster, &run(&spec, &workload));
            }
        }
    }

    /// Without sharing, what jobs ask for of a GPU changes nothing.
    #[test]
    fn without_sharing_everybody_has_a_gpu_of_its_own(rows in rows()) {
        let asking = workload(&rows);
        let whole: Vec<Row> = rows.iter().map(|row| (row.0, row.1, 1000, row.3, row.4)).collect();
        let log = run(&spec("las", "3x4", Placing::default(), false), &asking);
        let plain = run(&spec("las", "3x4", Placing::default(), true), &workload(&whole));
        prop_assert_eq!(log.hash(), plain.hash());
        prop_assert!((0..log.segments()).all(|i| log.segment(i).share.is_none()));
    }
}

/// Schedulers that put two jobs on one GPU.
const PACKING: [&str; 3] = [
    "gavel[sharing=true,round=40,reset=0]",
    "gavel[sharing=true,objective=throughput,round=30,reset=90]",
    "gandiva[packing=true,quantum=40]",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// While nodes fail, and others share by what they ask for: no GPU beyond one whole or its memory,
    /// everybody ends, and a run can be cut.
    #[test]
    fn two_on_one_gpu_are_no_more_than_it(
        rows in rows(),
        models in prop::collection::vec(0u32..4, 40),
        cluster in select(&CLUSTERS[..]),
        sharing in any::<bool>(),
        cut in 1.0..400.0f64,
    ) {
        let mut jobs = Workload::clone(&workload(&rows));
        jobs.models = MEASURED.map(String::from).to_vec();
        for (job, model) in jobs.jobs.iter_mut().zip(models) {
            job.model = Some(model);
        }
        let jobs = Arc::new(jobs);
        for policy in PACKING {
            let mut spec = spec(policy, cluster, Placing::default(), sharing);
            (spec.options.mtbf, spec.options.mttr) = (0.5, 0.01);
            let log = run(&spec, &jobs);
            check(&jobs, &spec.cluster, &log);
            let outcomes = Outcomes::of(&jobs, &spec.cluster, &log);
            for j in 0..jobs.jobs.len() {
                prop_assert!(outcomes.rejected[j] || outcomes.jct[j].is_finite(), "{policy}: job {j}");
            }
            let mut sliced = spec.start(jobs.clone());
            for slice in 1..100 {
                sliced.run_until(Time(cut * f64::from(slice))).expect("a possible plan");
            }
            sliced.run().expect("a possible plan");
            prop_assert_eq!(sliced.log().hash(), log.hash());
        }
    }
}

/// On a V100 the first keeps all of its speed beside its like; the third and the fourth do not fit.
const MEASURED: [&str; 4] = [
    "ResNet-18 (batch size 16)",
    "LM (batch size 80)",
    "ResNet-50 (batch size 128)",
    "Transformer (batch size 256)",
];

#[test]
fn two_are_put_on_one_gpu_where_that_gets_more_done() {
    let whole = (0.0, 1, 1000, 0, 1000.0);
    let ends = |policy: &str, models: [u32; 2]| {
        let mut jobs = Workload::clone(&workload(&[whole, whole]));
        jobs.models = MEASURED.map(String::from).to_vec();
        for (job, model) in jobs.jobs.iter_mut().zip(models) {
            (job.model, job.demand) = (Some(model), Demand::default());
        }
        let spec = spec(policy, "1x1:v100", Placing::default(), false);
        let jobs = Arc::new(jobs);
        let log = run(&spec, &jobs);
        check(&jobs, &spec.cluster, &log);
        let shared = (0..log.segments()).any(|i| log.segment(i).share == Some(500));
        (Outcomes::of(&jobs, &spec.cluster, &log).jct, shared)
    };
    for policy in PACKING {
        // They begin with the first round, and neither slows the other.
        let (jct, shared) = ends(policy, [0, 0]);
        assert!(
            shared && jct.iter().all(|&jct| jct <= 1040.0),
            "{policy}: {jct:?}"
        );
        let (jct, shared) = ends(policy, [2, 3]);
        assert!(!shared && jct[0].max(jct[1]) >= 2000.0, "{policy}: {jct:?}");
    }
    assert!(!ends("gavel[types=true]", [0, 0]).1);
}

#[test]
fn two_halves_run_side_by_side_and_a_third_waits() {
    let half = (0.0, 1, 500, 0, 100.0);
    let workload = workload(&[half, half, half]);
    for placement in Placing::ALL {
        let log = run(&spec("fifo", "1x1", placement, true), &workload);
        let starts: Vec<f64> = (0..3).map(|i| log.segment(i).start.seconds()).collect();
        assert_eq!(starts, [0.0, 0.0, 100.0], "{placement}");
        assert_eq!(log.segment(1).share, Some(500));
        let outcomes = Outcomes::of(&workload, &"1x1".parse().expect("a cluster"), &log);
        assert_eq!(outcomes.service[0], 50.0);
    }
}

/// Gavel measured that the first keeps 0.581 of its throughput beside its like on a P100.
#[test]
fn models_that_were_measured_slow_one_another() {
    let half = (0.0, 1, 500, 0, 100.0);
    let jct = |cluster: &str, models: &[&str], by: [u32; 2]| {
        let mut workload = Workload::clone(&workload(&[half, half]));
        workload.models = models.iter().map(|&name| name.to_owned()).collect();
        for (job, model) in workload.jobs.iter_mut().zip(by) {
            job.model = Some(model);
            job.demand.types = TypeSet::ANY;
        }
        let spec = spec("fifo", cluster, Placing::default(), true);
        let workload = Arc::new(workload);
        let log = run(&spec, &workload);
        Outcomes::of(&workload, &spec.cluster, &log).jct
    };
    let models = ["ResNet-18 (batch size 32)", "bert"];
    let slow = jct("1x1:p100", &models, [0, 0]);
    assert!((slow[0] - 100.0 / 0.581).abs() < 1e-9, "{slow:?}");
    assert_eq!(jct("1x1:p100", &models, [0, 1]), [100.0, 100.0]);
    assert_eq!(jct("2x1:p100", &models, [0, 0]), slow);
}

#[test]
fn memory_keeps_shares_apart() {
    let large = (0.0, 1, 100, 9 * GIB, 100.0);
    let workload = workload(&[large, large]);
    let starts = |cluster: &str| {
        let log = run(&spec("fifo", cluster, Placing::default(), true), &workload);
        log.segment(1).start.seconds()
    };
    assert_eq!(starts("1x1/gpu-memory=16"), 100.0);
    assert_eq!(starts("1x1/gpu-memory=18"), 0.0);
    assert_eq!(starts("1x1"), 0.0);
}
