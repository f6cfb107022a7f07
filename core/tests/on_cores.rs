//! Jobs that ask for no GPU run beside what schedulers decide: random ones under every scheduler, checked from the
//! log alone.

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::cluster::{ClusterSpec, CorePart};
use switchyard::engine::{EventKind, RunLog};
use switchyard::explain::Verdict;
use switchyard::job::{Demand, Job, JobId};
use switchyard::policies::{POLICIES, PolicySpec};
use switchyard::report::{Outcomes, Summary};
use switchyard::workload::{RecordedRun, Workload};

fn specs() -> impl Iterator<Item = PolicySpec> {
    let all = POLICIES.iter().filter(|entry| !entry.replays);
    let all = all
        .map(|entry| entry.name)
        .chain(["fifo[backfill=true]", "gavel[types=true,round=40]"]);
    all.map(|spec| spec.parse().expect("a policy"))
}

fn job(submit: f64, gpus: u32, seconds: f64, cores: u32, memory: u32) -> Job {
    Job {
        demand: Demand {
            cores: cores * 1000,
            memory: memory * 1024,
            ..Demand::default()
        },
        ..Job::plain(submit, gpus, seconds)
    }
}

fn workload(jobs: Vec<Job>) -> Arc<Workload> {
    Arc::new(Workload {
        jobs,
        ..Workload::default()
    })
}

fn run(policy: &PolicySpec, cluster: &str, outages: &str, workload: &Arc<Workload>) -> RunLog {
    let spec = RunSpec {
        outages: outages.parse().expect("outages"),
        ..RunSpec::new(policy.clone(), cluster.parse().expect("a cluster"))
    };
    let mut run = spec.start(Arc::clone(workload));
    run.run()
        .unwrap_or_else(|error| panic!("{policy}: {error}"));
    run.into_log()
}

fn fifo() -> PolicySpec {
    "fifo".parse().expect("a policy")
}

/// Jobs by slot, GPUs, seconds, cores and memory; a third of them without GPUs.
fn jobs() -> impl Strategy<Value = Vec<Job>> {
    let one = (
        0u32..12,
        prop_oneof![1 => Just(0u32), 2 => 1u32..9],
        1u32..60,
        0u32..12,
        0u32..12,
    );
    prop::collection::vec(one, 1..40).prop_map(|mut jobs| {
        jobs.sort_by_key(|job| job.0);
        let job = |(slot, gpus, seconds, cores, memory)| {
            job(
                f64::from(slot) * 10.0,
                gpus,
                f64::from(seconds),
                cores,
                memory,
            )
        };
        jobs.into_iter().map(job).collect()
    })
}

/// Cores and memory of every node, those without GPUs last.
fn capacity(cluster: &ClusterSpec) -> Vec<[u64; 2]> {
    let of = |value: Option<u32>| value.map_or(u64::MAX, u64::from);
    let groups = cluster.groups().iter();
    let groups = groups.flat_map(|group| {
        let each = [of(group.kind.cores), of(group.kind.memory)];
        std::iter::repeat_n(each, group.nodes as usize)
    });
    let core_nodes = cluster.core_nodes().iter();
    let core_nodes = core_nodes.flat_map(|group| {
        let each = [u64::from(group.cores), of(group.memory)];
        std::iter::repeat_n(each, group.nodes as usize)
    });
    groups.chain(core_nodes).collect()
}

/// No node gives more than it has; whoever asks for no GPU has its cores and all of its memory, and runs through.
fn check(policy: &PolicySpec, workload: &Workload, cluster: &ClusterSpec, log: &RunLog) {
    let capacity = capacity(cluster);
    let mut held: BTreeMap<JobId, Vec<(u32, [u64; 2])>> = BTreeMap::new();
    let mut done = 0;
    for event in (0..log.events()).map(|i| log.event(i)) {
        let job = &workload.jobs[event.job.index()];
        match event.kind {
            EventKind::Start | EventKind::Restart => {
                let segment = log.segment(event.detail as usize);
                let share = |all: u32, gpus: u32| {
                    (u64::from(all) * u64::from(gpus)).div_ceil(u64::from(job.gpus))
                };
                let gpus = segment.gpus.iter().map(|part| {
                    let of = |all| share(all, part.count());
                    (part.node, [of(job.demand.cores), of(job.demand.memory)])
                });
                let cores: Vec<CorePart> = log.cores(event.detail as usize).collect();
                if job.is_on_cores() {
                    assert_eq!(segment.gpu_count(), 0);
                    let sum: u32 = cores.iter().map(|part| part.cores).sum();
                    assert_eq!(sum, job.demand.cores.max(1000), "{policy}");
                    let memory: u32 = cores.iter().map(|part| part.memory).sum();
                    assert!(memory >= job.demand.memory, "{policy}");
                } else {
                    assert_eq!(
                        (cores.len(), segment.gpu_count() > 0),
                        (0, true),
                        "{policy}"
                    );
                }
                let cores = cores
                    .iter()
                    .map(|part| (part.node, [part.cores.into(), part.memory.into()]));
                let parts = gpus.chain(cores).collect();
                held.insert(event.job, parts);
            }
            EventKind::Pause | EventKind::Evict | EventKind::Fail => {
                assert!(
                    !job.is_on_cores() || event.kind == EventKind::Evict,
                    "{policy}"
                );
                held.remove(&event.job);
            }
            EventKind::Finish => {
                held.remove(&event.job);
                done += 1;
            }
            EventKind::Reject => done += 1,
            _ => {}
        }
        let mut sums = vec![[0; 2]; capacity.len()];
        for &(node, [cores, memory]) in held.values().flatten() {
            sums[node as usize][0] += cores;
            sums[node as usize][1] += memory;
        }
        for (node, (sum, all)) in sums.iter().zip(&capacity).enumerate() {
            assert!(
                sum[0] <= all[0] && sum[1] <= all[1],
                "{policy}: node {node}"
            );
        }
    }
    assert_eq!(done, workload.jobs.len(), "{policy}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn nodes_give_no_more_than_they_have(jobs in jobs(), at in 0usize..3) {
        let cluster = ["4x4/cores=16/memory=16", "2x8/cores=8/memory=8+2x0/cores=6", "3x2+1x4/cores=12/memory=4"][at];
        let workload = workload(jobs);
        for policy in specs() {
            let log = run(&policy, cluster, "", &workload);
            check(&policy, &workload, &cluster.parse().expect("a cluster"), &log);
        }
    }

    /// A node fails and comes back.
    #[test]
    fn who_loses_its_node_starts_again(jobs in jobs()) {
        let cluster = "4x4/cores=16/memory=16";
        let workload = workload(jobs);
        for policy in specs() {
            let log = run(&policy, cluster, "0:35s..80s", &workload);
            check(&policy, &workload, &cluster.parse().expect("a cluster"), &log);
        }
    }

    /// Where there are nodes enough for all of them, schedulers decide about gangs as if they were alone.
    #[test]
    fn gangs_do_not_notice_those_that_run_elsewhere(jobs in jobs()) {
        let cluster = "4x4/cores=16/memory=16+40x0/cores=16/memory=16";
        let gangs: Vec<Job> = jobs.iter().filter(|job| !job.is_on_cores()).cloned().collect();
        let (all, alone) = (workload(jobs), workload(gangs));
        let spec: ClusterSpec = cluster.parse().expect("a cluster");
        for policy in specs() {
            // It draws random numbers whenever it is asked.
            if policy.name() == "pollux" {
                continue;
            }
            let jct = |workload: &Arc<Workload>| {
                let log = run(&policy, cluster, "", workload);
                Outcomes::of(workload, &spec, &log)
            };
            let (of_all, of_alone) = (jct(&all), jct(&alone));
            let gangs = (0..all.jobs.len()).filter(|&at| !all.jobs[at].is_on_cores());
            let (mut jcts, mut rhos) = (Vec::new(), Vec::new());
            for at in gangs {
                jcts.push(of_all.jct[at]);
                rhos.push(of_all.rho[at]);
            }
            let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits());
            prop_assert!(same(&jcts, &of_alone.jct), "{}: {:?} {:?}", policy, jcts, of_alone.jct);
            prop_assert!(same(&rhos, &of_alone.rho), "{}", policy);
            for (at, job) in all.jobs.iter().enumerate().filter(|(_, job)| job.is_on_cores()) {
                prop_assert_eq!(of_all.queueing[at], 0.0);
                prop_assert!((of_all.jct[at] - job.work.seconds()).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn they_start_in_order_and_those_that_fit_overtake() {
    let workload = workload(vec![
        job(0.0, 0, 100.0, 12, 0),
        job(1.0, 0, 10.0, 8, 0),
        job(2.0, 0, 10.0, 4, 0),
        job(3.0, 0, 10.0, 17, 0),
    ]);
    let log = run(&fifo(), "1x4/cores=16", "", &workload);
    let cluster = "1x4/cores=16".parse().expect("a cluster");
    let outcomes = Outcomes::of(&workload, &cluster, &log);
    assert_eq!(outcomes.jct[..3], [100.0, 109.0, 10.0]);
    assert_eq!(outcomes.rejected, [false, false, false, true]);
    assert!(outcomes.rho.iter().all(|rho| rho.is_nan()));
    assert_eq!(outcomes.service, [0.0; 4]);
    let summary = Summary::of(&workload, &cluster, &log);
    assert_eq!(
        (summary.jobs, summary.finished, summary.gpu_allocation),
        (4, 3, 0.0)
    );
}

/// A stream of jobs on cores does not keep a gang from its cores for longer than who holds them runs.
#[test]
fn a_waiting_gang_gets_the_cores_that_its_free_gpus_have() {
    // Their cores come free one after the other, and others want them at once.
    let mut jobs: Vec<Job> = (1..=8)
        .map(|at| job(0.0, 0, 10.0 * f64::from(at), 2, 0))
        .collect();
    jobs.push(job(1.0, 4, 10.0, 16, 0));
    jobs.extend((2..2000).map(|at| job(f64::from(at), 0, 50.0, 2, 0)));
    let workload = workload(jobs);
    for policy in specs() {
        let log = run(&policy, "1x4/cores=16", "", &workload);
        let cluster = "1x4/cores=16".parse().expect("a cluster");
        let outcomes = Outcomes::of(&workload, &cluster, &log);
        // Policies of rounds start it at their next one.
        assert!(outcomes.jct[8] < 500.0, "{policy}: {}", outcomes.jct[8]);
    }
}

#[test]
fn as_recorded_they_start_when_they_did() {
    let mut workload = Workload::clone(&workload(vec![
        job(0.0, 0, 100.0, 12, 0),
        job(0.0, 0, 10.0, 12, 0),
        job(5.0, 4, 10.0, 12, 0),
    ]));
    let starts = [0.0, 20.0, 7.0];
    let runs = starts.iter().zip(&workload.jobs).map(|(&start, job)| {
        Some(RecordedRun {
            start: switchyard::Time(start),
            seconds: job.work.seconds(),
            types: Default::default(),
        })
    });
    workload.recorded.runs = runs.collect();
    let workload = Arc::new(workload.as_recorded());
    let log = run(
        &"recorded".parse().expect("a policy"),
        "1x4/cores=16",
        "",
        &workload,
    );
    let cluster = "1x4/cores=16".parse().expect("a cluster");
    assert_eq!(
        Outcomes::of(&workload, &cluster, &log).queueing,
        [0.0, 20.0, 2.0]
    );
}

#[test]
fn who_waits_for_cores_is_told_so() {
    let workload = workload(vec![job(0.0, 0, 100.0, 12, 0), job(1.0, 0, 10.0, 8, 0)]);
    let spec = RunSpec::new(fifo(), "1x4/cores=16".parse().expect("a cluster"));
    let mut run = spec.start(Arc::clone(&workload));
    run.run_until(switchyard::Time(5.0))
        .expect("possible plans");
    let told = run.explain(JobId(1), switchyard::Time(5.0));
    assert_eq!(
        told.verdict,
        Verdict::TooFewCores {
            wants: 8000,
            left: 4000
        }
    );
    let told = run.explain(JobId(0), switchyard::Time(5.0));
    assert_eq!(told.verdict, Verdict::Runs);
    assert!(
        told.facts
            .iter()
            .any(|fact| fact.in_seconds() == "12 on node 0"),
        "{:?}",
        told.facts
    );
}
