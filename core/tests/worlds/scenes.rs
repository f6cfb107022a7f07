//! Random worlds: clusters of unlike nodes in trees, jobs that ask for types, cores, memory, shares of
//! GPUs and parameter servers, nodes that fail, and every law of speed, each there or not.

use proptest::prelude::*;
use proptest::sample::select;
use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, NodeGroup, NodeKind, Thousandths, Tree, TypeId};
use switchyard::engine::{SimOptions, Simulation};
use switchyard::job::{Demand, Job, Servers, TypeSet, Work};
use switchyard::outages::{Outage, OutageKind, Outages};
use switchyard::placement::Strategy as Placing;
use switchyard::placement::graph_rl::network::Network;
use switchyard::policies::{POLICIES, PolicySpec};
use switchyard::weights::Weights;
use switchyard::workload::{ApplicationSettings, GpuGeneration, Workload};
use switchyard::{RunSpec, Time};

pub(crate) const TYPES: [&str; 3] = ["a100", "v100", "t4"];

/// Of Gavel's measurements (which know what two on a GPU cost), of the profiles of contention, and of
/// neither.
const MODELS: [&str; 5] = [
    "ResNet-50 (batch size 64)",
    "LM (batch size 10)",
    "vgg16",
    "ctc",
    "mine",
];

/// What is not every policy's default. Where jobs can be promoted again and again, the first threshold
/// leaves the largest gang more than the largest restart cost.
const VARIANTS: [&str; 15] = [
    "graph-rl[placement=graph-rl-one-agent]",
    "srtf[placement=graph-rl]",
    "fifo[backfill=true]",
    "fcfs[backfill=true]",
    "fifo[placement=consolidated]",
    "srtf[placement=yarn]",
    "srsf[placement=spread]",
    "las[placement=skew]",
    "tiresias-las[thresholds=300:900,knob=2]",
    "tiresias-tuned[placement=consolidated]",
    "yarn-cs[queues=tenants,elastic=true]",
    "gandiva[quantum=15]",
    "gavel[types=true,round=60]",
    "gavel[types=true,objective=makespan,round=90,reset=100]",
    "pollux[population=5,generations=3,interval=20]",
];

/// Every policy with its defaults (but for Pollux' search, which takes long), and the variants.
pub(crate) fn specs() -> impl Iterator<Item = PolicySpec> {
    let defaults = POLICIES.iter().filter(|entry| !entry.replays);
    let defaults = defaults
        .map(|entry| entry.name)
        .filter(|name| *name != "pollux");
    let all = defaults.chain(VARIANTS);
    all.map(|spec| spec.parse().expect("a policy"))
}

/// One random run, but for its policy.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) workload: Arc<Workload>,
    pub(crate) cluster: ClusterSpec,
    pub(crate) placement: Placing,
    pub(crate) options: SimOptions,
    pub(crate) outages: Outages,
}

impl World {
    pub(crate) fn start(&self, policy: &PolicySpec) -> Simulation {
        let spec = RunSpec {
            placement: self.placement,
            options: self.options,
            outages: self.outages.clone(),
            ..RunSpec::new(policy.clone(), self.cluster.clone())
        };
        let run = spec.start_with(Arc::clone(&self.workload), &weights());
        run.expect("there are weights for all")
    }
}

/// Of nothing learned.
pub(crate) fn weights() -> Weights {
    let mut weights = Weights::default();
    for placement in Placing::ALL.into_iter().filter(|of| of.is_learned()) {
        let network = Network::random(placement, 7);
        let added = weights.add_shipped(&network.to_safetensors());
        added.expect("they are written as they are read");
    }
    weights
}

fn kinds() -> impl Strategy<Value = NodeKind> {
    (
        prop::option::weighted(0.8, 0u8..3),
        prop::option::weighted(0.4, 2u32..24),
        prop::option::weighted(0.3, 2u32..24),
    )
        .prop_map(|(gpu, cores, memory)| NodeKind {
            gpu: gpu.map(TypeId),
            cores: cores.map(|cores| cores * 1000),
            memory: memory.map(|memory| memory * 1024),
            ..NodeKind::default()
        })
}

fn clusters() -> impl Strategy<Value = ClusterSpec> {
    let group = (1u32..4, 1u32..9, kinds());
    let group = group.prop_map(|(nodes, gpus, kind)| NodeGroup { nodes, gpus, kind });
    let switches = (1u32..3, 1u32..3, 1u32..5);
    let links = select(&["", "/nic=0.4", "/nic=1/oversubscription=6", "/pcie=4/qpi=2"][..]);
    (prop::collection::vec(group, 1..4), switches, links).prop_map(
        |(groups, (partitions, racks, sockets), links)| {
            let cluster = ClusterSpec::with_types(groups, &TYPES).expect("a cluster");
            let partitions = partitions.min(cluster.nodes());
            let racks = (partitions * racks).min(cluster.nodes());
            let words = format!("partitions={partitions}/racks={racks}/sockets={sockets}{links}");
            let tree = Tree::of_words(&words).expect("a tree");
            cluster.with_tree(tree).expect("over these nodes")
        },
    )
}

fn demands() -> impl Strategy<Value = Demand> {
    (
        prop_oneof![2 => Just(0u32), 1 => 0u32..16],
        prop_oneof![3 => Just(0u32), 1 => 1u32..20],
        prop_oneof![3 => Just(0u32), 1 => 1u32..20],
        select(&[0, 0, 0, 4, 9, 20][..]),
        select(&[0u16, 0, 100, 250, 333, 500, 700, 999][..]),
        (select(&[0u32, 0, 0, 1, 2, 5][..]), 0u32..4, 0u32..4),
    )
        .prop_map(
            |(types, cores, memory, gpu_memory, share, servers)| Demand {
                types: (0..4)
                    .filter(|at| types >> at & 1 == 1)
                    .fold(TypeSet::ANY, TypeSet::with),
                cores: cores * 700,
                memory: memory * 700,
                gpu_memory: gpu_memory * 1024,
                share: Thousandths::new(share),
                servers: Servers {
                    count: servers.0,
                    cores: servers.1 * 900,
                    memory: servers.2 * 900,
                },
                // Often less than it takes.
                time: (cores > 0).then(|| f64::from(cores * 40)),
            },
        )
}

/// Submission in steps of 10 s, GPUs, duration, what else it asks for, and model.
type Row = (u32, u32, f64, Demand, u32);

fn workloads() -> impl Strategy<Value = Workload> {
    let gpus = prop_oneof![2 => Just(1u32), 3 => 1u32..12];
    let duration = prop_oneof![4 => (1u32..60).prop_map(f64::from), 1 => 60.0..300.0f64];
    let job = (0u32..20, gpus, duration, demands(), 0..MODELS.len() as u32);
    (prop::collection::vec(job, 1..16), 0u32..4).prop_map(|(mut jobs, mix)| {
        jobs.sort_by_key(|job| job.0);
        let job = |(i, (slot, gpus, duration, demand, model)): (usize, Row)| Job {
            name: format!("j{i}").into(),
            submit: Time(f64::from(slot) * 10.0),
            gpus,
            tenant: Some(i as u32 % 3),
            model: Some(model),
            demand: Demand {
                share: demand.share.filter(|_| gpus == 1),
                ..demand
            },
            work: Work::Fixed { duration },
        };
        let workload = Workload {
            jobs: jobs.into_iter().enumerate().map(job).collect(),
            tenants: ["a", "b", "c"].map(String::from).to_vec(),
            models: MODELS.map(String::from).to_vec(),
            // None of the cluster's is called h100.
            gpu_types: ["a100", "v100", "t4", "h100"].map(String::from).to_vec(),
            ..Workload::default()
        };
        // All, every other job or none of them train.
        if mix < 2 {
            return workload;
        }
        let settings = ApplicationSettings {
            rule: "cifar10 ncf".to_owned(),
            ..ApplicationSettings::default()
        };
        let plain = workload.jobs.clone();
        let mut bound = settings.bind(workload).expect("a sound rule");
        for (job, plain) in bound.jobs.iter_mut().zip(plain).skip(1).step_by(2) {
            if mix == 3 {
                *job = plain;
            }
        }
        bound
    })
}

fn outages() -> impl Strategy<Value = Vec<Outage>> {
    let from = (0u32..30).prop_map(|slot| f64::from(slot) * 10.0);
    let length = prop_oneof![
        (1u32..20).prop_map(|slot| f64::from(slot) * 10.0),
        0.1..300.0f64
    ];
    let kind = select(&[OutageKind::Failure, OutageKind::Drain][..]);
    let outage = (0u32..12, from, length, kind).prop_map(|(node, from, length, kind)| Outage {
        node,
        from: Time(from),
        to: Time(from + length),
        kind,
    });
    prop::collection::vec(outage, 0..8)
}

fn options() -> impl Strategy<Value = SimOptions> {
    let generation = select(&[None, Some(GpuGeneration::V100), Some(GpuGeneration::K80)][..]);
    let failing = prop::bool::weighted(0.3);
    (
        (select(&[0.0, 3.5, 12.0][..]), any::<bool>(), generation),
        (select(&[0.0, 0.25][..]), any::<bool>(), any::<bool>()),
        (failing, 0.5..2.0f64, 0.0..0.05f64, 0.7..1.5f64),
        (select(&[0.0, 10.0, 37.5][..]), select(&[0.0, 1.5][..])),
        (select(&[0.0, 0.0, 0.4][..]), any::<u64>()),
    )
        .prop_map(
            |(
                (restart_cost, first_start_pays, spread_slowdown),
                (interference, contention, sharing),
                (failing, mtbf, mttr, failure_shape),
                (interval, checkpoint_cost),
                (servers, seed),
            )| SimOptions {
                restart_cost,
                first_start_pays,
                spread_slowdown,
                interference,
                contention,
                sharing,
                servers,
                mtbf: if failing { mtbf } else { 0.0 },
                mttr,
                failure_shape,
                // What fails by chance must leave time for a checkpoint.
                checkpoint_interval: if failing && interval == 0.0 {
                    10.0
                } else {
                    interval
                },
                checkpoint_cost,
                equal_types: seed.is_multiple_of(4),
                seed,
                ..SimOptions::default()
            },
        )
}

pub(crate) fn worlds() -> impl Strategy<Value = World> {
    (
        workloads(),
        clusters(),
        select(&Placing::ALL[..]),
        options(),
        outages(),
    )
        .prop_map(|(workload, cluster, placement, options, mut outages)| {
            for outage in &mut outages {
                outage.node %= cluster.nodes();
            }
            World {
                workload: Arc::new(workload),
                cluster,
                placement,
                options,
                outages: Outages::new(outages),
            }
        })
}
