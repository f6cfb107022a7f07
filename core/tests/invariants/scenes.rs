//! Random workloads, clusters and options, and the policies to run on them.

use proptest::prelude::*;
use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, NodeGroup};
use switchyard::engine::{HaltReason, LogBudget, RunError, RunLog, SimOptions};
use switchyard::job::{Demand, Job, JobId, Status, Work};
use switchyard::outages::{Outage, OutageKind, Outages};
use switchyard::placement::Strategy as Placing;
use switchyard::policies::{POLICIES, PolicySpec};
use switchyard::workload::application::{Application, packed};
use switchyard::workload::{ApplicationSettings, GpuGeneration, ModelTraits, Recorded, Workload};
use switchyard::{RunSpec, Time};

/// Parameters worth testing besides every policy's defaults. Where jobs can be promoted again and
/// again, the first threshold leaves the largest gang more than the largest restart cost.
const VARIANTS: &[&str] = &[
    "fifo[backfill=true]",
    "fcfs[backfill=true]",
    "wfp3[backfill=true,placement=consolidated]",
    "tiresias-las[queues=1]",
    "tiresias-las[thresholds=40]",
    "tiresias-las[thresholds=300,knob=1]",
    "tiresias-las[thresholds=300:1000:5000,knob=3]",
    "tiresias-las[strict=true,measure=time]",
    "tiresias-las[placement=skew,refit=true]",
    "tiresias-las[quirks=true]",
    "tiresias-gittins[history=oracle,thresholds=300:1000,knob=2]",
    "tiresias-gittins[delta=simulator,quirks=true,history=oracle]",
    "tiresias-gittins[strict=true,delta=100,placement=skew]",
    "gittins[history=oracle,quantum=5]",
    "las[quantum=20]",
    "shortest-expected[history=oracle]",
    "yarn-cs[elastic=false,queues=one]",
    "kueue[fair_sharing=false]",
    "kueue[strategies=initial,strategy=strict-fifo]",
    "kueue[preemption=none]",
    "kai[consolidation=0]",
    "kai[window=200,half_life=50,fetch=20,k=2]",
    "kai[reclaim_min_runtime=15,preempt_min_runtime=15,resolve=queue,multiplier=1.5]",
    "slurm[backfill=easy,bf_interval=0,fair_share=classic]",
    "slurm[backfill=none,default_time=60,priority_decay_half_life=0]",
    "slurm[bf_max_job_test=3,bf_max_job_user=1,priority_calc_period=7,small_relative_to_time=true]",
    "kueue[within=tiresias-las,quantum=20]",
    "kueue[within=gittins]",
    "kueue[within=srtf,strategy=strict-fifo]",
    "volcano[plugin=capacity]",
    "volcano[reclaim=false,preempt=false,overcommit=3]",
    "rl-picker[weights=gpu]",
    "gandiva[quantum=15]",
    "themis[lease=30,f=0.2]",
    "gavel[round=40]",
    "gavel[types=true,round=40,reset=0]",
    "gavel[types=true,objective=makespan,round=45,reset=100]",
    "gavel[types=true,objective=ftf,round=45,reset=100]",
    "gavel[types=true,objective=throughput,blind=true,round=50]",
    "gavel[types=true,sharing=true,round=40,reset=0]",
    "gandiva[packing=true,quantum=40]",
    "gandiva-fair[round=40,reset=0]",
    "mst[round=40,reset=0]",
    "ossp[round=45,reset=100]",
    "allox[round=40,reset=0]",
    "finish-time-fairness[round=40,reset=0]",
    "finish-time-fairness[round=45,reset=100]",
    "shockwave[round=40,future_rounds=5,k=10,lambda=5]",
    "shockwave[round=35.5,future_rounds=1,k=0,lambda=0]",
    "las[quantum=20.731]",
    "gavel[round=40.1]",
    "tiresias-tuned[round=25,threshold=300]",
    "muri-l[interval=0]",
    "antman[limit=1,guaranteed=1]",
    "sia[interval=30,restart=5,branches=2]",
    "sia[p=1,lambda_n=2,interval=45]",
    "optimus[round=45]",
    "optimus[quirks=true]",
    "pollux[population=6,generations=4]",
    "pollux[population=6,generations=4,quirks=true,p=0.5]",
    "pollux[population=5,generations=3,fit=oracle,avoidance=false,interval=35]",
    "pollux[population=6,generations=4,autoscale=goodput]",
    "pollux[population=5,generations=3,autoscale=throughput,utility=0.5:0.8,min_nodes=2]",
];

/// The most jobs under Pollux, which fits their models and searches at every round.
const MOST_FITTED_JOBS: usize = 12;

const LARGEST_GANG: u32 = 30;
const LARGEST_RESTART_COST: f64 = 9.9;

/// Every policy with its defaults (but for Pollux' search, which takes long), and the variants.
pub(crate) fn specs() -> impl Iterator<Item = PolicySpec> {
    let defaults = POLICIES.iter().filter(|entry| !entry.replays);
    let defaults = defaults
        .map(|entry| entry.name)
        .filter(|name| *name != "pollux");
    defaults
        .chain(VARIANTS.iter().copied())
        .map(|spec| spec.parse().expect("a policy"))
}

/// One random run, but for its policy.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) workload: Arc<Workload>,
    pub(crate) cluster: ClusterSpec,
    pub(crate) placement: Placing,
    pub(crate) options: SimOptions,
    pub(crate) outages: Outages,
}

impl Scene {
    pub(crate) fn spec(&self, policy: PolicySpec) -> RunSpec {
        RunSpec {
            placement: self.placement,
            options: self.options,
            outages: self.outages.clone(),
            ..RunSpec::new(policy, self.cluster.clone())
        }
    }

    /// The scene as a policy gets it: no more than it can do in a test's time.
    pub(crate) fn under(&self, policy: &PolicySpec) -> Self {
        let mut scene = self.clone();
        if policy.name() == "pollux" {
            let workload = Arc::make_mut(&mut scene.workload);
            workload.jobs.truncate(MOST_FITTED_JOBS);
        }
        scene
    }

    /// Whether every node comes back.
    pub(crate) fn ends(&self) -> bool {
        self.outages.iter().all(|outage| outage.to < Time::NEVER)
    }

    /// Seconds from one checkpoint to the next; and the share of them in which jobs progress.
    pub(crate) fn checkpoints(&self) -> (f64, f64) {
        let (interval, cost) = (
            self.options.checkpoint_interval,
            self.options.checkpoint_cost,
        );
        if interval > 0.0 {
            (interval + cost, interval / (interval + cost))
        } else {
            (f64::INFINITY, 1.0)
        }
    }

    /// The log of a whole run; `None` where restarts take so long that jobs hardly get anywhere,
    /// which only those of large models do here, or where the nodes that jobs need never come back.
    pub(crate) fn run(&self, policy: &PolicySpec) -> Option<RunLog> {
        let mut run = self.spec(policy.clone()).start(Arc::clone(&self.workload));
        self.is_whole(run.run()).then(|| run.into_log())
    }

    /// Whether a run has come to its end.
    fn is_whole(&self, ended: Result<(), RunError>) -> bool {
        match ended {
            Ok(()) => true,
            Err(RunError::Halt(halt))
                if !self.ends() && matches!(halt.reason, HaltReason::NobodyRuns { .. }) =>
            {
                false
            }
            Err(RunError::Halt(halt))
                if self.options.restart_by_model
                    && matches!(
                        halt.reason,
                        HaltReason::NoProgress { .. } | HaltReason::LogFull { .. }
                    ) =>
            {
                false
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// What is known of a job's model; every job has one.
    fn model(&self, job: &Job) -> ModelTraits {
        let model = job.model.expect("it has one") as usize;
        ModelTraits::of_name(&self.workload.models[model])
    }

    /// Seconds of a start.
    pub(crate) fn start_cost(&self, job: &Job, first: bool) -> f64 {
        let options = &self.options;
        if first && !options.first_start_pays {
            0.0
        } else if options.restart_by_model {
            options.restart_cost + self.model(job).restart_seconds()
        } else {
            options.restart_cost
        }
    }

    /// Seconds of progress of a plain gang per second on these GPUs.
    pub(crate) fn rate(&self, job: &Job, nodes: usize) -> f64 {
        let fewest = job.gpus.div_ceil(self.cluster.largest_node()) as usize;
        let spread = match self.options.spread_slowdown {
            Some(generation) if nodes > fewest => self.model(job).spread_rate(generation),
            _ => 1.0,
        };
        spread * self.checkpoints().1
    }

    pub(crate) fn gpus(&self) -> u32 {
        self.cluster.gpus()
    }
}

/// Moments of submission with many ties.
fn submits() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => (0u32..12).prop_map(|slot| f64::from(slot) * 10.0),
        1 => 0.0..150.0,
    ]
}

/// From far below a restart's cost to far beyond every threshold, with ties. Few are long: rounds
/// and quanta go on as long as they do.
pub(crate) fn durations() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => (1u32..40).prop_map(f64::from),
        2 => 1e-6..1.0,
        1 => 1e3..1e4,
        2 => Just(10.0),
    ]
}

fn clusters() -> impl Strategy<Value = ClusterSpec> {
    let group = (1u32..4, 1u32..7).prop_map(|(nodes, gpus)| NodeGroup::plain(nodes, gpus));
    prop::collection::vec(group, 1..4)
        .prop_map(|groups| ClusterSpec::new(groups).expect("a cluster"))
}

/// Gangs up to a little more than a cluster of a few nodes has.
fn workloads(most_jobs: usize) -> impl Strategy<Value = Workload> {
    let shape = (
        submits(),
        prop_oneof![1u32..5, 1u32..=LARGEST_GANG],
        durations(),
    );
    prop::collection::vec(shape, 1..most_jobs).prop_map(|mut shapes| {
        shapes.sort_by(|a, b| switchyard::order::by_value(&a.0, &b.0));
        let job = |(i, (submit, gpus, duration))| Job {
            name: format!("job-{i}").into(),
            submit: Time(submit),
            gpus,
            // Every fourth job has none.
            tenant: Some(i as u32 % 4).filter(|tenant| *tenant < 3),
            model: Some(i as u32 % 3),
            demand: Demand {
                // None, too little, too much.
                time: [None, Some(duration / 3.0), Some(duration * 3.0)][i % 3],
                ..Demand::default()
            },
            work: Work::Fixed { duration },
        };
        Workload {
            tenants: ["a", "b", "c"].map(String::from).to_vec(),
            // Of the second the largest tensor is most of it.
            models: ["inception3", "alexnet", "resnet50"]
                .map(String::from)
                .to_vec(),
            jobs: shapes.into_iter().enumerate().map(job).collect(),
            ..Default::default()
        }
    })
}

/// The same, of which every job or none, or those with odd numbers, train an application; or all,
/// as a rule binds them.
fn mixed_workloads(most_jobs: usize) -> impl Strategy<Value = Workload> {
    (workloads(most_jobs), 0usize..4, any::<u64>()).prop_map(|(mut workload, mix, seed)| {
        if mix == 3 {
            let settings = ApplicationSettings {
                rule: "0.01: small-1; 0.5: small-4 small-1; small-4".to_owned(),
                seed,
                definitions: [definition(4), definition(1)].to_vec(),
                ..ApplicationSettings::default()
            };
            return settings.bind(workload).expect("a sound rule");
        }
        let applications = [application(4), application(1)];
        for (i, job) in workload.jobs.iter_mut().enumerate() {
            if mix == 0 || (mix == 1 && i % 2 == 0) {
                continue;
            }
            let which = i / 2 % 2;
            let batch = [32, 200][i % 2].max(job.gpus);
            let time = applications[which].training_time(&packed(job.gpus, 4), batch);
            let duration = job.work.seconds();
            job.work = Work::Adaptive {
                application: which as u32,
                batch,
                scale: duration / time,
                duration,
            };
        }
        workload.applications = applications.into_iter().map(Arc::new).collect();
        workload
    })
}

/// A small application of so many epochs.
fn application(epochs: u32) -> Application {
    Application::from_json(&definition(epochs)).expect("a sound definition")
}

fn definition(epochs: u32) -> String {
    format!(
        r#"{{
            "name": "small-{epochs}",
            "limits": {{ "m0": 16, "max_batch": 512, "min_local": 4, "max_local": 64 }},
            "learning_rate": "ada-scale",
            "epochs": {epochs},
            "samples_per_epoch": 5000,
            "throughput": {{
                "alpha_c": 0.02, "beta_c": 0.002, "alpha_n": 0.05, "beta_n": 0.002,
                "alpha_r": 0.01, "beta_r": 0.0005, "gamma": 1.5
            }},
            "noise_scale": [{{ "batch": 16, "phi": [20, 200, 4000] }}]
        }}"#
    )
}

pub(crate) fn scenes(most_jobs: usize) -> impl Strategy<Value = Scene> {
    let placements = prop::sample::select(&Placing::ALL[..]);
    (
        mixed_workloads(most_jobs),
        clusters(),
        placements,
        all_options(),
        prop_oneof![1 => Just(Vec::new()), 1 => outages()],
        prop::collection::vec(prop::collection::vec(0.05..1.0, 0..4), 0..12),
    )
        .prop_map(
            |(mut workload, cluster, placement, options, mut outages, failed)| {
                workload.recorded = recorded(&workload, &failed);
                for outage in &mut outages {
                    outage.node %= cluster.nodes();
                }
                Scene {
                    workload: Arc::new(workload),
                    cluster,
                    placement,
                    options,
                    outages: Outages::new(outages),
                }
            },
        )
}

/// A few jobs have failed before: after these parts of their time, less than all of it together.
fn recorded(workload: &Workload, failed: &[Vec<f64>]) -> Recorded {
    let seconds = |(job, shares): (&Job, &Vec<f64>)| -> Vec<f64> {
        let part = job.work.seconds() / (shares.len() + 1) as f64;
        shares.iter().map(|share| share * part).collect()
    };
    let attempts = workload.jobs.iter().zip(failed).map(seconds);
    let attempts = (0..).map(JobId).zip(attempts);
    Recorded {
        statuses: (0..workload.jobs.len())
            .map(|i| Status::ALL[i % 6].1)
            .collect(),
        attempts: attempts.filter(|(_, of)| !of.is_empty()).collect(),
        ..Recorded::default()
    }
}

/// Nodes that go and come back, with many ties, among themselves and with jobs.
pub(crate) fn outages() -> impl Strategy<Value = Vec<Outage>> {
    let from = prop_oneof![
        (0u32..30).prop_map(|slot| f64::from(slot) * 10.0),
        0.0..300.0
    ];
    let length = prop_oneof![(1u32..20).prop_map(|slot| f64::from(slot) * 10.0), 0.1..2e3];
    let kind = prop::sample::select(&[OutageKind::Failure, OutageKind::Drain][..]);
    let outage = (0u32..12, from, length, kind).prop_map(|(node, from, length, kind)| Outage {
        node,
        from: Time(from),
        to: Time(from + length),
        kind,
    });
    prop::collection::vec(outage, 1..10)
}

/// Every option of a run.
fn all_options() -> impl Strategy<Value = SimOptions> {
    let restart_costs = prop_oneof![Just(0.0), Just(7.5), 0.0..LARGEST_RESTART_COST];
    let generations = prop::option::of(prop::sample::select(&GENERATIONS[..]));
    let interferences = prop_oneof![Just(0.0), Just(0.25), 0.0..0.95];
    let budgets = (24u32..40).prop_map(|log2| LogBudget::of_bytes(1 << log2));
    let intervals = prop_oneof![Just(0.0), Just(20.0), 1.0..60.0];
    // What fails by chance must leave time for a checkpoint, and a restart before it.
    let failing = prop::bool::weighted(0.2);
    let failures = (failing, 0.4..2.0, 0.0..0.05, 0.7..1.5)
        .prop_map(|(failing, mtbf, mttr, shape)| (if failing { mtbf } else { 0.0 }, mttr, shape));
    (
        restart_costs,
        prop::bool::weighted(0.25),
        generations,
        any::<bool>(),
        interferences,
        prop::bool::weighted(0.25),
        any::<u64>(),
        budgets,
        (intervals, prop_oneof![Just(0.0), 0.0..5.0], failures),
    )
        .prop_map(
            |(
                restart_cost,
                restart_by_model,
                spread_slowdown,
                first_start_pays,
                interference,
                whole_second_epochs,
                seed,
                log_budget,
                (interval, checkpoint_cost, (mtbf, mttr, failure_shape)),
            )| SimOptions {
                weights: Default::default(),
                mtbf,
                mttr,
                failure_shape,
                checkpoint_interval: if mtbf > 0.0 && interval == 0.0 {
                    10.0
                } else {
                    interval
                },
                checkpoint_cost,
                restart_cost,
                restart_by_model,
                spread_slowdown,
                first_start_pays,
                interference,
                // The replay knows no links; `tests/contention.rs` has worlds with them.
                contention: false,
                servers: 0.0,
                // Nor shares: `tests/sharing.rs` has them.
                sharing: false,
                whole_second_epochs,
                equal_types: seed % 2 == 0,
                seed,
                log_budget: if restart_by_model {
                    LogBudget::of_bytes(1 << 20)
                } else {
                    log_budget
                },
                replay_failures: seed % 3 == 0,
            },
        )
}

const GENERATIONS: [GpuGeneration; 3] =
    [GpuGeneration::K80, GpuGeneration::P100, GpuGeneration::V100];
