//! Clusters of unlike nodes, jobs that may run on some of them only: random ones under every
//! scheduler, checked from the log alone.

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, NodeGroup, NodeKind, Part, Placement, TypeId};
use switchyard::engine::{EventKind, RunLog, SimOptions, Simulation};
use switchyard::job::{Demand, Job, JobId, TypeSet, Work};
use switchyard::policies::{POLICIES, PolicySpec};
use switchyard::workload::{ApplicationSettings, Workload};
use switchyard::{RunSpec, Time};

const TYPES: [&str; 3] = ["a100", "v100", "t4"];

/// What is not every scheduler's default.
const VARIANTS: [&str; 10] = [
    "fifo[backfill=true]",
    "fifo[placement=consolidated]",
    "srtf[placement=yarn]",
    "srsf[placement=spread]",
    "las[placement=skew]",
    "tiresias-tuned[placement=consolidated]",
    "yarn-cs[queues=tenants,elastic=true]",
    "gavel[types=true,sharing=true,round=40,reset=0]",
    "gandiva[packing=true,quantum=40]",
    "pollux[population=5,generations=3,interval=20]",
];

fn specs() -> impl Iterator<Item = PolicySpec> {
    let defaults = POLICIES.iter().filter(|entry| !entry.replays);
    let defaults = defaults
        .map(|entry| entry.name)
        .filter(|name| *name != "pollux");
    let all = defaults.chain(VARIANTS);
    all.map(|spec| spec.parse().expect("a policy"))
}

fn kinds() -> impl Strategy<Value = NodeKind> {
    (
        prop::option::weighted(0.9, 0u8..3),
        prop::option::weighted(0.3, 1u32..12),
        prop::option::weighted(0.3, 1u32..12),
    )
        .prop_map(|(gpu, cores, memory)| NodeKind {
            gpu: gpu.map(TypeId),
            cores: cores.map(|cores| cores * 1000),
            memory: memory.map(|memory| memory * 1024),
            ..NodeKind::default()
        })
}

fn clusters() -> impl Strategy<Value = ClusterSpec> {
    let group = (1u32..4, 1u32..7, kinds());
    let group = group.prop_map(|(nodes, gpus, kind)| NodeGroup { nodes, gpus, kind });
    prop::collection::vec(group, 1..5)
        .prop_map(|groups| ClusterSpec::with_types(groups, &TYPES).expect("a cluster"))
}

fn demands() -> impl Strategy<Value = Demand> {
    (
        prop_oneof![2 => Just(0u32), 3 => 0u32..16],
        prop_oneof![3 => Just(0u32), 1 => 1u32..20],
        prop_oneof![3 => Just(0u32), 1 => 1u32..20],
        prop_oneof![4 => Just(0u32), 1 => 1u32..40],
    )
        .prop_map(|(types, cores, memory, gpu_memory)| Demand {
            types: (0..4)
                .filter(|at| types >> at & 1 == 1)
                .fold(TypeSet::ANY, TypeSet::with),
            cores: cores * 700,
            memory: memory * 700,
            gpu_memory: gpu_memory * 1024,
            ..Demand::default()
        })
}

fn workloads() -> impl Strategy<Value = Workload> {
    let job = (0u32..12, 1u32..9, 1u32..40, demands());
    (prop::collection::vec(job, 1..30), any::<bool>()).prop_map(|(mut jobs, adaptive)| {
        jobs.sort_by_key(|job| job.0);
        let job = |(slot, gpus, seconds, demand)| Job {
            tenant: Some(seconds % 3),
            demand,
            ..Job::plain(f64::from(slot) * 10.0, gpus, f64::from(seconds))
        };
        let workload = Workload {
            jobs: jobs.into_iter().map(job).collect(),
            tenants: ["a", "b", "c"].map(String::from).to_vec(),
            // None of the cluster's is called h100.
            gpu_types: ["a100", "v100", "t4", "h100"].map(String::from).to_vec(),
            ..Workload::default()
        };
        if adaptive {
            let settings = ApplicationSettings {
                rule: "cifar10 ncf".to_owned(),
                ..ApplicationSettings::default()
            };
            return settings.bind(workload).expect("a sound rule");
        }
        workload
    })
}

/// Whether a job may run on a node, by what is said of both.
fn allows(workload: &Workload, cluster: &ClusterSpec, job: &Job, node: u32) -> bool {
    let kind = cluster.group_of(node).expect("a node").kind;
    let typed = kind.gpu.is_none_or(|gpu| {
        let name = cluster.type_name(gpu);
        let at = workload.gpu_types.iter().position(|of| of == name);
        job.demand.types.allows(at.expect("a known type") as u32)
    });
    let memory = cluster.gpu_memory(kind);
    typed && memory.is_none_or(|memory| memory >= job.demand.gpu_memory)
}

/// What a job takes of a node besides GPUs: cores and memory.
fn taken(job: &Job, gpus: u32) -> [u64; 2] {
    let share = |all: u32| (u64::from(all) * u64::from(gpus)).div_ceil(u64::from(job.gpus));
    [share(job.demand.cores), share(job.demand.memory)]
}

/// GPUs of a node that a gang like the job's can use when nobody else is there.
fn usable(cluster: &ClusterSpec, job: &Job, node: u32) -> u32 {
    let group = cluster.group_of(node).expect("a node");
    let fits = |&gpus: &u32| {
        let [cores, memory] = taken(job, gpus);
        let within = |taken: u64, of: Option<u32>| of.is_none_or(|of| taken <= u64::from(of));
        within(cores, group.kind.cores) && within(memory, group.kind.memory)
    };
    (0..=group.gpus).rev().find(fits).unwrap_or(0)
}

/// Nodes of one type, memory and speed, by node.
fn pool(cluster: &ClusterSpec, node: u32) -> (Option<TypeId>, Option<u32>) {
    let kind = cluster.group_of(node).expect("a node").kind;
    (kind.gpu, cluster.gpu_memory(kind))
}

/// The largest gang like the job's that the idle cluster holds on one type.
fn largest(workload: &Workload, cluster: &ClusterSpec, job: &Job) -> u32 {
    let mut largest: BTreeMap<_, u32> = BTreeMap::new();
    for node in (0..cluster.nodes()).filter(|&node| allows(workload, cluster, job, node)) {
        *largest.entry(pool(cluster, node)).or_default() += usable(cluster, job, node);
    }
    largest.into_values().max().unwrap_or(0)
}

fn check(policy: &PolicySpec, workload: &Workload, cluster: &ClusterSpec, log: &RunLog) {
    let mut held: BTreeMap<JobId, Vec<Part>> = BTreeMap::new();
    let (mut finished, mut rejected) = (0, 0);
    for event in (0..log.events()).map(|i| log.event(i)) {
        let job = &workload.jobs[event.job.index()];
        match event.kind {
            EventKind::Start | EventKind::Restart => {
                let segment = log.segment(event.detail as usize);
                let parts = segment.gpus.iter().map(|g| Part::new(g.node, g.count()));
                let parts: Vec<Part> = parts.collect();
                for part in &parts {
                    let fine = allows(workload, cluster, job, part.node);
                    assert!(fine, "{policy}: {} on node {}", event.job.0, part.node);
                }
                let one = parts
                    .iter()
                    .all(|part| pool(cluster, part.node) == pool(cluster, parts[0].node));
                let resizes = matches!(policy.name(), "pollux" | "optimus");
                assert!(
                    one || (resizes && matches!(job.work, Work::Adaptive { .. })),
                    "{policy}: types mixed"
                );
                held.insert(event.job, parts);
            }
            EventKind::Pause | EventKind::Evict | EventKind::Fail => {
                held.remove(&event.job);
            }
            EventKind::Finish => {
                held.remove(&event.job);
                finished += 1;
            }
            EventKind::Reject => {
                assert!(job.gpus > largest(workload, cluster, job), "{policy}");
                rejected += 1;
            }
            EventKind::Submit => {
                assert!(job.gpus <= largest(workload, cluster, job), "{policy}");
            }
            EventKind::Demote | EventKind::Promote => {}
        }
        for node in 0..cluster.nodes() {
            let kind = cluster.group_of(node).expect("a node").kind;
            let mut sum = [0, 0];
            for (job, parts) in &held {
                for part in parts.iter().filter(|part| part.node == node) {
                    let job = &workload.jobs[job.index()];
                    let [cores, memory] = taken(job, part.gpus);
                    sum = [sum[0] + cores, sum[1] + memory];
                }
            }
            assert!(
                kind.cores.is_none_or(|all| sum[0] <= u64::from(all)),
                "{policy}: cores"
            );
            assert!(
                kind.memory.is_none_or(|all| sum[1] <= u64::from(all)),
                "{policy}: memory"
            );
        }
    }
    assert_eq!(finished + rejected, workload.jobs.len(), "{policy}");
}

fn run(policy: &PolicySpec, workload: &Arc<Workload>, cluster: &ClusterSpec, seed: u64) -> RunLog {
    let spec = RunSpec {
        options: SimOptions {
            restart_cost: 1.0,
            equal_types: seed.is_multiple_of(3),
            seed,
            ..SimOptions::default()
        },
        ..RunSpec::new(policy.clone(), cluster.clone())
    };
    let mut run = spec.start(Arc::clone(workload));
    if let Err(error) = run.run() {
        panic!("{policy}: {error}");
    }
    run.into_log()
}

/// Whether somebody waits for whose gang enough GPUs are free on nodes of one type that it allows.
fn idles(workload: &Workload, cluster: &ClusterSpec, log: &RunLog) -> Option<(Time, JobId)> {
    let mut free: Vec<u32> = cluster.gpus_per_node().collect();
    let mut waiting: Vec<JobId> = Vec::new();
    for i in 0..log.events() {
        let event = log.event(i);
        let mut give = |sign: bool| {
            for gpus in log.segment(event.detail as usize).gpus {
                let free = &mut free[gpus.node as usize];
                *free = if sign {
                    *free + gpus.count()
                } else {
                    *free - gpus.count()
                };
            }
        };
        match event.kind {
            EventKind::Submit => waiting.push(event.job),
            EventKind::Start | EventKind::Restart => {
                give(false);
                waiting.retain(|&job| job != event.job);
            }
            EventKind::Pause | EventKind::Evict | EventKind::Fail => {
                give(true);
                waiting.push(event.job);
            }
            EventKind::Finish => give(true),
            _ => {}
        }
        if i + 1 < log.events() && log.event(i + 1).time == event.time {
            continue;
        }
        for &id in &waiting {
            let job = &workload.jobs[id.index()];
            let mut there: BTreeMap<_, u32> = BTreeMap::new();
            for (node, &free) in (0u32..).zip(&free) {
                if allows(workload, cluster, job, node) {
                    *there.entry(pool(cluster, node)).or_default() += free;
                }
            }
            if there.into_values().any(|free| free >= job.gpus) {
                return Some((event.time, id));
            }
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases / 4,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// No GPU of a type not allowed, no gang on several types, no node above its cores or memory;
    /// every job that fits the idle cluster finishes, exactly the others are rejected.
    #[test]
    fn every_scheduler_keeps_to_what_jobs_and_nodes_say(
        workload in workloads(),
        cluster in clusters(),
        seed in any::<u64>(),
    ) {
        let workload = Arc::new(workload);
        for policy in specs() {
            let log = run(&policy, &workload, &cluster, seed);
            check(&policy, &workload, &cluster, &log);
        }
    }

    /// No GPU idles while somebody waits who may use it, where placement and policy make nobody wait.
    #[test]
    fn no_gang_is_skipped_that_fits(workload in workloads(), cluster in clusters()) {
        let mut workload = workload;
        for job in &mut workload.jobs {
            (job.demand.cores, job.demand.memory) = (0, 0);
        }
        let workload = Arc::new(workload);
        for policy in ["fifo[backfill=true]", "fewest-gpus", "srtf", "srsf", "las", "gittins", "tiresias-las"] {
            let policy = policy.parse().expect("a policy");
            let log = run(&policy, &workload, &cluster, 1);
            let idle = idles(&workload, &cluster, &log);
            prop_assert_eq!(idle, None, "{} {}", policy, cluster);
        }
    }
}

/// Jobs of 100 s on a GPU of each type, submitted at once; gangs as given.
fn plain(gangs: &[(u32, TypeSet, Option<u32>)]) -> Arc<Workload> {
    let job = |&(gpus, types, model)| Job {
        model,
        demand: Demand {
            types,
            ..Demand::default()
        },
        ..Job::plain(0.0, gpus, 100.0)
    };
    Arc::new(Workload {
        jobs: gangs.iter().map(job).collect(),
        models: vec!["ResNet-50 (batch size 64)".to_owned()],
        gpu_types: TYPES.map(String::from).to_vec(),
        ..Workload::default()
    })
}

fn ends(workload: &Arc<Workload>, cluster: &str, options: SimOptions) -> Vec<f64> {
    let cluster: ClusterSpec = cluster.parse().expect("a cluster");
    let scheduler = switchyard::policies::build(
        &"fifo".parse().expect("a policy"),
        &switchyard::policies::BuildContext {
            placement: Default::default(),
            workload,
            history: None,
            picker: None,
            queues: None,
        },
    );
    let mut run = Simulation::new(Arc::clone(workload), &cluster, scheduler, options);
    run.run().expect("possible plans");
    let log = run.into_log();
    let events = (0..log.events()).map(|i| log.event(i));
    let mut ends = vec![0.0; workload.jobs.len()];
    for event in events.filter(|event| event.kind == EventKind::Finish) {
        ends[event.job.index()] = event.time.seconds();
    }
    ends
}

#[test]
fn the_fastest_type_is_filled_first_and_is_the_reference() {
    let any = TypeSet::ANY;
    let t4 = any.with(2);
    // The first gets the A100, the second the V100; the third allows a T4 alone, where it was
    // measured.
    let jobs = plain(&[(1, any, None), (1, any, None), (1, t4, None)]);
    let cluster = "1x1:t4+1x1:v100+1x1:a100";
    let slow = ends(&jobs, cluster, SimOptions::default());
    assert_eq!((slow[0], slow[2]), (100.0, 100.0));
    assert!((slow[1] - 100.0 * 2.145).abs() < 1e-9, "{slow:?}");
    let options = SimOptions {
        equal_types: true,
        ..SimOptions::default()
    };
    assert_eq!(ends(&jobs, cluster, options), [100.0; 3]);
}

/// The newcomer goes before who runs on the faster GPU, but the other is free.
#[test]
fn nobody_gives_way_while_all_fit() {
    let mut jobs = plain(&[(1, TypeSet::ANY, None), (1, TypeSet::ANY, None)]);
    Arc::make_mut(&mut jobs).jobs[1].submit = Time(50.0);
    let cluster: ClusterSpec = "1x1:t4+1x1:v100".parse().expect("a cluster");
    for policy in ["las", "tiresias-las", "srtf", "srsf", "gittins"] {
        let log = run(&policy.parse().expect("a policy"), &jobs, &cluster, 1);
        let pauses = (0..log.events()).filter(|&i| log.event(i).kind == EventKind::Pause);
        assert_eq!(pauses.count(), 0, "{policy}");
    }
}

#[test]
fn a_measured_model_goes_by_its_measurements() {
    let jobs = plain(&[(1, TypeSet::ANY, Some(0)), (1, TypeSet::ANY, Some(0))]);
    let ends = ends(&jobs, "1x1:k80+1x1:v100", SimOptions::default());
    // 0.1408555 of its V100 throughput, as Gavel's table has it.
    assert_eq!(ends[0], 100.0);
    assert!(
        (ends[1] - 100.0 / 0.140_855_503_435_460_3).abs() < 1e-6,
        "{ends:?}"
    );
}

#[test]
fn a_plan_across_types_is_refused() {
    use scripted::{Script, Scripted, arrived};
    use switchyard::engine::{PlanErrorKind, RunError};
    let script: Script = |view, plan| {
        for job in arrived(view) {
            let parts = vec![Part::new(0, 1), Part::new(1, 1)];
            plan.place(job, &Placement { parts });
        }
    };
    let refused = |types: TypeSet| {
        let cluster: ClusterSpec = "1x2:t4+1x2:v100".parse().expect("a cluster");
        let scheduler = Scripted::scheduler(script, |_, _| None);
        let jobs = plain(&[(2, types, None)]);
        let mut run = Simulation::new(jobs, &cluster, scheduler, SimOptions::default());
        match run.run() {
            Err(RunError::Plan(error)) => error.kind,
            other => panic!("not refused: {other:?}"),
        }
    };
    assert_eq!(refused(TypeSet::ANY), PlanErrorKind::TypesMixed);
    let t4 = TypeSet::ANY.with(2);
    assert_eq!(refused(t4), PlanErrorKind::NotAllowedOn { node: 1 });
}

mod scripted;
