//! Golden runs: the fingerprints that a run's log must have natively, in Node's wasm and in a
//! browser's worker.
//!
//! `golden/hashes.txt` has a line per run: case, policy, hash. `lab` and `cluster` are the embedded
//! samples of that name on their own clusters, run with the defaults. `tiny` is `golden/tiny.csv`,
//! which goes through the opener, on unlike nodes with a restart cost; `slow` is the same where spread
//! gangs are slow and large models restart slowly. `bound` is `lab` as training of applications, `linked` is `lab` where
//! jobs share the links of a tree.
//! `adaptive` is drawn as Pollux' evaluation draws, with
//! short searches and interference. `models` are [`models`]. `UPDATE_GOLDEN=1 cargo test
//! -p switchyard-tests` writes the file anew; a change that moves a hash must say why in its
//! commit.

#[cfg(not(target_arch = "wasm32"))]
pub mod artifact;
pub mod models;

use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::cluster::ClusterSpec;
use switchyard::job::Work;
use switchyard::policy::POLICIES;
use switchyard::sim::SimOptions;
use switchyard::trace::{OpenOptions, Opened, SourceFile, open};
use switchyard::workload::{
    Application, ApplicationSettings, GpuGeneration, PolluxGenerator, Sample, Workload,
};

/// Parameters worth a run besides every policy's defaults.
const VARIANTS: [&str; 13] = [
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
];

/// The expected lines, as committed.
pub const EXPECTED: &str = include_str!("../golden/hashes.txt");

/// Something to run under every policy.
pub struct Case {
    name: &'static str,
    workload: Arc<Workload>,
    cluster: ClusterSpec,
    options: SimOptions,
    /// What runs; empty: every policy with its defaults, and the variants.
    policies: &'static [&'static str],
}

/// The cases, in the order of `golden/hashes.txt`. The sample `fleet` is too large for every test.
pub fn cases() -> [Case; 7] {
    [
        sample("lab"),
        sample("cluster"),
        tiny(),
        slow(),
        bound(),
        adaptive(),
        linked(),
    ]
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
    let workload = ApplicationSettings::default().bind((*lab.workload).clone());
    Case {
        name: "bound",
        workload: Arc::new(workload.expect("the paper's rule")),
        policies: BOUND,
        ..lab
    }
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
        policies: &[],
    }
}

impl Case {
    /// The case's lines of `golden/hashes.txt`, computed here and now: every policy with its
    /// defaults, and the variants.
    ///
    /// # Panics
    ///
    /// If a policy makes an impossible plan.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let defaults = POLICIES.iter().map(|entry| entry.name).chain(VARIANTS);
        let all = defaults.filter(|_| self.policies.is_empty());
        all.chain(self.policies.iter().copied()).map(|policy| {
            let hash = self.log_hash(policy);
            format!("{} {policy} {hash:016x}", self.name)
        })
    }

    fn log_hash(&self, policy: &str) -> u64 {
        let spec = RunSpec {
            policy: policy.parse().expect("a policy"),
            cluster: self.cluster.clone(),
            placement: Default::default(),
            options: self.options,
            history: None,
            outages: Default::default(),
        };
        let mut run = spec.start(self.workload.clone());
        run.run().expect("a possible plan");
        run.log().hash()
    }
}
