//! Golden runs: the fingerprints that a run's log must have natively, in Node's wasm and in a
//! browser's worker.
//!
//! `golden/hashes.txt` has a line per run: case, policy, hash. `lab` and `cluster` are the embedded
//! samples of that name on their own clusters, run with the defaults. `tiny` is `golden/tiny.csv`,
//! which goes through the opener, on unlike nodes with a restart cost; `slow` is the same where spread
//! gangs are slow and large models restart slowly. `bound` is `lab` as training of applications. In `linked` its
//! jobs share the links of a tree, in `typed` and `profiled` some may run on some types of GPU only, in `failing`
//! nodes come and go, in `sharing` some jobs share GPUs, in `paired` schedulers put two on one, in `in-turns` up to four gangs,
//! in `changing` jobs change their batch size; in
//! `everything` and `trained` all of that happens at once, to plain jobs and to training ones, and in
//! `served` to jobs with parameter servers.
//! `three-types` is `adaptive` on GPUs of three types, and `adaptive` is drawn as Pollux' evaluation draws, with
//! short searches and interference. `six` are six jobs of which some come to links that others have left, `grid-…`
//! is [`grid`]. `models` are [`models`], `scripts` [`scripts`]. `UPDATE_GOLDEN=1 cargo test
//! -p switchyard-tests` writes the file anew; a change that moves a hash must say why in its
//! commit.

#[cfg(not(target_arch = "wasm32"))]
pub mod artifact;
pub mod grid;
pub mod models;
pub mod plugins;
pub mod scripts;

use std::sync::Arc;
use switchyard::cluster::{ClusterSpec, Thousandths};
use switchyard::engine::SimOptions;
use switchyard::job::{Demand, Job, Servers, TypeSet, Work};
use switchyard::outages::Outages;
use switchyard::placement::Strategy as Placing;
use switchyard::placement::graph_rl::network::Network;
use switchyard::policies::{POLICIES, PolicySpec};
use switchyard::throughputs::JobType;
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::weights::Weights;
use switchyard::workload::{
    Application, ApplicationSettings, GpuGeneration, PolluxGenerator, RecordedRun, Sample, Workload,
};
use switchyard::{RunSpec, Time};

/// Parameters worth a run besides every policy's defaults.
const VARIANTS: [&str; 15] = [
    "fifo[backfill=true]",
    "fifo[placement=consolidated]",
    "srsf[placement=spread]",
    "tiresias-las[queues=2,thresholds=57600]",
    "tiresias-las[knob=2]",
    "tiresias-las[placement=consolidated]",
    "tiresias-las[strict=true,measure=time]",
    "tiresias-las[placement=skew,refit=true]",
    "tiresias-las[quirks=true]",
    "tiresias-gittins[history=oracle,knob=1]",
    "tiresias-gittins[history=oracle,delta=simulator,quirks=true]",
    "gittins[history=oracle]",
    "yarn-cs[elastic=false]",
    "rl-picker[weights=gpu]",
    "fcfs[backfill=true]",
];

/// The expected lines, as committed.
pub const EXPECTED: &str = include_str!("../golden/hashes.txt");

/// Something to run under every policy.
pub struct Case {
    name: &'static str,
    workload: Arc<Workload>,
    cluster: ClusterSpec,
    options: SimOptions,
    outages: Outages,
    /// What runs; empty: every policy with its defaults, and the variants.
    policies: &'static [&'static str],
}

/// The cases, in the order of `golden/hashes.txt`. The sample `fleet` is too large for every test.
pub fn cases() -> [Case; 19] {
    [
        sample("lab"),
        sample("cluster"),
        tiny(),
        slow(),
        bound(),
        adaptive(),
        three_types(),
        linked(),
        typed(),
        profiled(),
        paired(),
        in_turns(),
        changing(),
        failing(),
        sharing(),
        everything("everything", demanding().workload, WORLD),
        everything("served", served(), WORLD),
        everything("trained", training(demanding().workload), TRAINED),
        six(),
    ]
}

/// Policies that treat worlds differently.
const WORLD: &[&str] = &[
    "graph-rl",
    "tiresias-las[placement=graph-rl]",
    "fifo[backfill=true]",
    "srtf[placement=spread]",
    "tiresias-las",
    "las",
    "gandiva",
    "gavel",
    "yarn-cs",
];

/// What plans for many jobs at once: on the larger sample a debug build of wasm takes minutes.
const NOT_ON_CLUSTER: &[&str] = &["shockwave", "sia"];

/// Programs, which take long in debug builds.
const PROGRAMS: &[&str] = &["gavel[types=true]", "gavel[objective=makespan]"];

/// What runs on training jobs there.
const TRAINED: &[&str] = &[
    "fifo",
    "tiresias-las",
    "optimus",
    "pollux[population=12,generations=8]",
];

/// `lab` with jobs that ask for types, cores and shares.
fn demanding() -> Case {
    let lab = sample("lab");
    let mut workload = (*lab.workload).clone();
    workload.gpu_types = ["t4", "v100"].map(String::from).to_vec();
    for (i, job) in (0u32..).zip(&mut workload.jobs) {
        let types = match i % 7 {
            0 => TypeSet::ANY.with(0),
            1 => TypeSet::ANY.with(1),
            _ => TypeSet::ANY,
        };
        job.demand = Demand {
            types,
            cores: i % 3 * 1000 * job.gpus,
            share: (job.gpus == 1 && i % 2 == 0)
                .then(|| Thousandths::new(250))
                .flatten(),
            ..Demand::default()
        };
    }
    Case {
        workload: Arc::new(workload),
        ..lab
    }
}

/// The same, most of them with parameter servers.
fn served() -> Arc<Workload> {
    let mut workload = (*demanding().workload).clone();
    for (i, job) in (0u32..).zip(&mut workload.jobs) {
        job.demand.servers = Servers {
            count: i % 4 * job.gpus.div_ceil(4),
            cores: i % 3 * 1000,
            memory: 0,
        };
    }
    Arc::new(workload)
}

const TYPED: &str = "3x4:a100/cores=16+4x4:v100/cores=12+3x4:t4/cores=8";

fn typed() -> Case {
    Case {
        name: "typed",
        cluster: TYPED.parse().expect("a cluster"),
        policies: WORLD,
        ..demanding()
    }
}

fn profiled() -> Case {
    let typed = typed();
    let mut workload = (*typed.workload).clone();
    workload.jobs.truncate(40);
    Case {
        name: "profiled",
        workload: Arc::new(workload),
        policies: PROGRAMS,
        ..typed
    }
}

/// Jobs of models that were measured two by two on one GPU.
fn paired() -> Case {
    let profiled = profiled();
    let mut workload = (*profiled.workload).clone();
    workload.models = JobType::all().map(|of| of.name().to_owned()).collect();
    for (i, job) in (0u32..).zip(&mut workload.jobs) {
        job.model = Some(i * 7 % JobType::COUNT as u32);
    }
    Case {
        name: "paired",
        workload: Arc::new(workload),
        cluster: "2x2:v100+3x2:k80".parse().expect("a cluster"),
        policies: &["gavel[sharing=true]", "gandiva[packing=true,quantum=360]"],
        ..profiled
    }
}

/// `lab` with models that Muri's authors measured, on nodes of which one fails.
fn in_turns() -> Case {
    let mut lab = sample("lab");
    let models = ["vgg16", "resnet18", "bert", "gpt2", "dqn", "of-ones-own"];
    let workload = Arc::make_mut(&mut lab.workload);
    workload.models = models.map(String::from).to_vec();
    for (i, job) in (0u32..).zip(&mut workload.jobs) {
        job.model = Some(i * 7 % models.len() as u32);
    }
    Case {
        name: "in-turns",
        cluster: "2x8".parse().expect("a cluster"),
        options: SimOptions {
            restart_cost: 10.0,
            ..SimOptions::default()
        },
        outages: "0:1h..3h".parse().expect("outages"),
        policies: &[
            "muri-s",
            "muri-l",
            "muri-s[interval=0]",
            "muri-l[packing=3,placement=yarn,unpack=true]",
            "antman[limit=1]",
            "antman[placement=yarn]",
        ],
        ..lab
    }
}

/// The same with models and modes of Shockwave's traces.
fn changing() -> Case {
    let mut case = in_turns();
    let models = [
        "LM (batch size 10), gns",
        "ResNet-18 (batch size 32), accordion",
        "ResNet-50 (batch size 64), gns",
        "Recommendation (batch size 512), accordion",
        "Transformer (batch size 64)",
        "of-ones-own",
    ];
    Arc::make_mut(&mut case.workload).models = models.map(String::from).to_vec();
    Case {
        name: "changing",
        policies: &[
            "gandiva-fair",
            "mst",
            "ossp",
            "allox[reset=0]",
            "finish-time-fairness",
            "finish-time-fairness[reset=0]",
            "shockwave",
            "shockwave[round=300,future_rounds=8,k=10,lambda=5]",
        ],
        ..case
    }
}

/// Chance, and a list of it.
fn failing() -> Case {
    Case {
        name: "failing",
        options: SimOptions {
            mtbf: 40.0,
            mttr: 0.5,
            failure_shape: 0.7,
            checkpoint_interval: 900.0,
            checkpoint_cost: 20.0,
            restart_cost: 30.0,
            seed: 5,
            ..SimOptions::default()
        },
        outages: "0:1h..3h,1-2:2h..5h:drain".parse().expect("outages"),
        policies: WORLD,
        ..sample("lab")
    }
}

fn sharing() -> Case {
    Case {
        name: "sharing",
        options: SimOptions {
            sharing: true,
            ..SimOptions::default()
        },
        policies: &[
            "fifo",
            "fifo[placement=fgd,backfill=true]",
            "srtf[placement=gpu-packing]",
            "tiresias-las",
        ],
        ..demanding()
    }
}

fn everything(
    name: &'static str,
    workload: Arc<Workload>,
    policies: &'static [&'static str],
) -> Case {
    Case {
        name,
        workload,
        cluster: format!("{TYPED}/partitions=2/racks=5/nic=1")
            .parse()
            .expect("a cluster"),
        options: SimOptions {
            contention: true,
            sharing: true,
            ..failing().options
        },
        policies,
        ..failing()
    }
}

/// Jobs that share links and cores, on a tree.
fn linked() -> Case {
    Case {
        name: "linked",
        cluster: "8x4/cores=12/partitions=2/racks=4/nic=1"
            .parse()
            .expect("a cluster"),
        options: SimOptions {
            contention: true,
            ..SimOptions::default()
        },
        policies: LINKED,
        ..sample("lab")
    }
}

/// What runs there.
const LINKED: &[&str] = &[
    "fifo",
    "fifo[placement=spread]",
    "fifo[placement=consolidated]",
    "srtf",
    "tiresias-las",
    "gandiva",
];

/// As the page runs plain jobs where a scheduler adapts them.
fn bound() -> Case {
    let lab = sample("lab");
    Case {
        name: "bound",
        workload: training(lab.workload),
        policies: BOUND,
        ..lab
    }
}

fn training(workload: Arc<Workload>) -> Arc<Workload> {
    let workload = ApplicationSettings::default().bind((*workload).clone());
    Arc::new(workload.expect("the paper's rule"))
}

/// What runs on them.
const BOUND: &[&str] = &["fifo", "tiresias-las", "optimus", "pollux"];

/// What runs on adaptive jobs: searches are short, for a debug build of wasm takes its time.
const ADAPTIVE: &[&str] = &[
    "fifo",
    "srtf",
    "tiresias-las",
    "tiresias-tuned",
    "optimus",
    "optimus[quirks=true]",
    "pollux[population=12,generations=8]",
    "pollux[population=12,generations=8,quirks=true]",
    "pollux[population=12,generations=8,fit=oracle,p=0.5,avoidance=false]",
    "pollux[population=12,generations=8,autoscale=goodput]",
];

/// `adaptive` on GPUs of three types, of which a node fails.
fn three_types() -> Case {
    Case {
        name: "three-types",
        cluster: "2x4:t4+1x8:a100+1x4:rtx2080ti".parse().expect("a cluster"),
        outages: "0:1h..2h,2:90m..2h:drain".parse().expect("outages"),
        policies: &[
            "sia",
            "sia[p=1,interval=120,restart=90]",
            "sia[p=-1,lambda_n=3,branches=1]",
            "pollux[population=12,generations=8]",
        ],
        ..adaptive()
    }
}

fn adaptive() -> Case {
    let generator = PolluxGenerator {
        jobs: 20,
        hours: 2,
        seed: 5,
        ..PolluxGenerator::default()
    };
    let applications = Application::embedded();
    let trace = generator
        .generate(&applications)
        .expect("the defaults are sound");
    let mut workload = trace.workload();
    // Nobody waits days for imagenet, and gangs fit the cluster.
    for job in &mut workload.jobs {
        job.gpus = job.gpus.min(8);
        if let Work::Adaptive {
            scale, duration, ..
        } = &mut job.work
        {
            let shorter = if *duration > 3600.0 { 0.05 } else { 1.0 };
            *scale *= shorter;
            *duration *= shorter;
        }
    }
    Case {
        name: "adaptive",
        workload: Arc::new(workload),
        cluster: "3x4".parse().expect("a cluster"),
        options: SimOptions {
            restart_cost: 30.0,
            interference: 0.25,
            seed: 3,
            ..SimOptions::default()
        },
        outages: Outages::default(),
        policies: ADAPTIVE,
    }
}

fn slow() -> Case {
    let tiny = tiny();
    Case {
        name: "slow",
        options: SimOptions {
            restart_by_model: true,
            spread_slowdown: Some(GpuGeneration::V100),
            ..tiny.options
        },
        ..tiny
    }
}

fn sample(name: &'static str) -> Case {
    let sample = Sample::named(name).expect("a sample of this name");
    Case {
        name,
        workload: Arc::new(sample.workload()),
        cluster: sample.cluster_spec(),
        options: SimOptions::default(),
        outages: Outages::default(),
        policies: &[],
    }
}

/// Jobs without tenants: the column of owners is none that is read.
fn tiny() -> Case {
    let file = SourceFile {
        name: "tiny.csv",
        bytes: include_bytes!("../golden/tiny.csv"),
    };
    let Ok(Opened::Trace(trace)) = open(&[file], &OpenOptions::default()) else {
        unreachable!("a plain table is a trace");
    };
    Case {
        name: "tiny",
        workload: Arc::new(trace.workload()),
        cluster: "1x8+2x4".parse().expect("a cluster"),
        options: SimOptions {
            restart_cost: 12.5,
            seed: 1,
            ..SimOptions::default()
        },
        outages: Outages::default(),
        policies: &[],
    }
}

/// Links that nobody is on any more are as those that nobody was on yet.
fn six() -> Case {
    let jobs = [
        (0.0, 35.0, 8),
        (10.0, 100.0, 1),
        (20.0, 35.0, 4),
        (30.0, 35.0, 1),
        (40.0, 100.0, 8),
        (50.0, 25.0, 8),
    ];
    let jobs = jobs.map(|(submit, seconds, gpus)| Job::plain(submit, gpus, seconds));
    Case {
        name: "six",
        workload: Arc::new(Workload {
            jobs: jobs.into(),
            ..Workload::default()
        }),
        cluster: "3x4/racks=3".parse().expect("a cluster"),
        options: SimOptions {
            contention: true,
            ..SimOptions::default()
        },
        outages: Outages::default(),
        policies: &["fifo[placement=congestion-aware]"],
    }
}

/// Of nothing learned: other weights than these are no other program.
fn weights() -> Weights {
    let mut weights = Weights::default();
    for placing in Placing::ALL.into_iter().filter(|of| of.is_learned()) {
        let network = Network::random(placing, 13);
        let added = weights.add_shipped(&network.to_safetensors());
        added.expect("they are written as they are read");
    }
    weights
}

/// The same jobs as if their trace recorded that they waited so many seconds, most of them less than an hour.
fn recorded(workload: &Workload) -> Arc<Workload> {
    let mut workload = workload.clone();
    let jobs = workload.jobs.iter().zip(0u32..);
    let runs = jobs.map(|(job, at)| {
        // Of every fifth it does not tell.
        (at % 5 != 4).then(|| RecordedRun {
            start: Time(job.submit.seconds() + f64::from(at * 37 % 3000)),
            seconds: job.work.seconds(),
            types: TypeSet::ANY,
        })
    });
    workload.recorded.runs = runs.collect();
    Arc::new(workload)
}

impl Case {
    /// The case's lines of `golden/hashes.txt`, each computed when its turn comes: every policy with its
    /// defaults, and the variants.
    ///
    /// # Panics
    ///
    /// If a policy makes an impossible plan.
    pub fn into_lines(self) -> impl Iterator<Item = String> {
        let defaults = POLICIES.iter().map(|entry| entry.name).chain(VARIANTS);
        let has_defaults = self.policies.is_empty();
        let policies = self.policies;
        let is_cluster = self.name == "cluster";
        let all = defaults
            .filter(move |policy| has_defaults && !(is_cluster && NOT_ON_CLUSTER.contains(policy)));
        all.chain(policies.iter().copied()).map(move |policy| {
            let hash = self.log_hash(policy);
            format!("{} {policy} {hash:016x}", self.name)
        })
    }

    /// What it is called.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The fingerprint of its run under a policy.
    ///
    /// # Panics
    ///
    /// If the policy makes an impossible plan.
    pub fn log_hash(&self, policy: &str) -> u64 {
        self.log_hash_with(policy, Placing::default())
    }

    /// The same, where gangs are laid so unless the policy says otherwise.
    fn log_hash_with(&self, policy: &str, placement: Placing) -> u64 {
        let policy: PolicySpec = policy.parse().expect("a policy");
        let workload = match policy.replays() {
            true => recorded(&self.workload),
            false => self.workload.clone(),
        };
        let spec = RunSpec {
            placement,
            options: self.options,
            outages: self.outages.clone(),
            ..RunSpec::new(policy, self.cluster.clone())
        };
        let run = spec.start_with(workload, &weights());
        let mut run = run.expect("there are weights");
        run.run().expect("a possible plan");
        run.log().hash()
    }
}
