//! Days of a GPU trace, run by the engine itself on machines that are about as large as they need.

use crate::picker::environment::{Choice, read};
use anyhow::{Result, ensure};
use clap::Args;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use switchyard::cluster::ClusterSpec;
use switchyard::draw::{Rng, below, unit};
use switchyard::engine::{
    Cadence, News, Phase, Plan, Policy, Scheduler, SimOptions, Simulation, View,
};
use switchyard::explain::Explanation;
use switchyard::job::JobId;
use switchyard::placement::Strategy;
use switchyard::policies::picking::by_service::{JobFeatures, by_service};
use switchyard::policies::picking::network::Network;
use switchyard::policies::{self, BuildContext};
use switchyard::report::Summary;
use switchyard::trace::Trace;
use switchyard::workload::{Sequences, Workload, at_days};

/// Of the jobs before the cut, the part that training is validated by is one in so many, the last.
const VALIDATED: usize = 4;

/// GPUs of a node.
const NODE: u32 = 8;

/// By how much of itself the load of a piece to learn from differs from the one asked for, at most.
const VARIED: f64 = 0.25;

/// At how many of a run's decisions something is learned from a teacher, and among how many jobs.
const NOTED: f64 = 0.04;
const AMONG: usize = 2;

/// Jobs that follow one another, and a machine for them.
pub struct Days {
    pub workload: Arc<Workload>,
    pub cluster: ClusterSpec,
}

/// The jobs of a trace's first days.
pub struct Environment {
    all: Sequences,
    world: World,
}

/// What jobs run in.
#[derive(Args, Clone, Copy)]
pub struct World {
    /// GPU·s asked for by the second, for each GPU there is: machines are as large as that
    #[arg(long, default_value_t = 1.15)]
    pub load: f64,
    /// Seconds that a restart takes
    #[arg(long, default_value_t = 30.0)]
    pub restart_cost: f64,
    /// Seconds after which running jobs are compared anew with waiting ones
    #[arg(long, default_value_t = 300.0)]
    pub quantum: f64,
}

impl Environment {
    /// Those of a file.
    pub fn open(path: &Path, days: f64, world: World) -> Result<Self> {
        Self::of(read(path)?, days, world)
    }

    /// Those of a trace.
    pub fn of(trace: Trace, days: f64, world: World) -> Result<Self> {
        let (before, _) = at_days(trace, days);
        let all = Sequences::of(&before);
        ensure!(
            all.len() > 2 * VALIDATED,
            "{} jobs in the first {days} days are too few to train on: give more --days",
            all.len()
        );
        Ok(Self { all, world })
    }

    /// Jobs to learn from.
    pub fn draw(&self, length: usize, rng: &mut Rng) -> Result<Days> {
        let cut = self.cut();
        let length = length.min(cut);
        let start = below(rng, (cut - length) as u32 + 1) as usize;
        let varied = 1.0 + VARIED * (2.0 * unit(rng) - 1.0);
        self.days(start, length, self.world.load * varied)
    }

    /// All jobs that are to choose by, in so many pieces.
    pub fn validation(&self, pieces: usize) -> Result<Vec<Days>> {
        let cut = self.cut();
        let length = (self.all.len() - cut) / pieces;
        let starts = (0..pieces).map(|piece| cut + piece * length);
        starts
            .map(|start| self.days(start, length, self.world.load))
            .collect()
    }

    /// Where validation begins.
    fn cut(&self) -> usize {
        self.all.len() - self.all.len() / VALIDATED
    }

    fn days(&self, start: usize, length: usize, load: f64) -> Result<Days> {
        let workload = self.all.cut(start, length).workload;
        let jobs = &workload.jobs;
        let service = jobs
            .iter()
            .map(|job| job.work.seconds() * f64::from(job.gpus));
        let service: f64 = service.sum();
        let span = jobs.last().map_or(0.0, |job| job.submit.seconds()).max(1.0);
        let widest = jobs.iter().map(|job| job.gpus).max().unwrap_or(1);
        let nodes = (service / span / load / f64::from(NODE)).ceil();
        let nodes = (nodes as u32).max(widest.div_ceil(NODE));
        Ok(Days {
            cluster: format!("{nodes}x{NODE}").parse()?,
            workload,
        })
    }

    fn run(&self, days: &Days, policy: Box<dyn Policy>, oracle: bool) -> Result<f64> {
        let scheduler = Scheduler {
            spec: "training".to_owned(),
            given: Vec::new(),
            oracle,
            replays: false,
            packs: false,
            interleaves: false,
            looks_at_links: false,
            policy,
        };
        self.schedule(days, scheduler)
    }

    fn schedule(&self, days: &Days, scheduler: Scheduler) -> Result<f64> {
        let options = SimOptions {
            restart_cost: self.world.restart_cost,
            ..SimOptions::default()
        };
        let workload = Arc::clone(&days.workload);
        let mut run = Simulation::new(workload, &days.cluster, scheduler, options);
        run.run()?;
        Ok(Summary::of(&days.workload, &days.cluster, run.log())
            .jct
            .mean)
    }

    fn policy(&self, network: &Network) -> Box<dyn Policy> {
        by_service(network.clone(), self.world.quantum, Strategy::default())
    }

    /// Mean JCT by a policy of the engine's, seconds.
    pub fn by_policy(&self, days: &Days, spec: &str) -> Result<f64> {
        let context = BuildContext {
            placement: Strategy::default(),
            workload: &days.workload,
            history: None,
            picker: None,
            queues: None,
        };
        self.schedule(days, policies::build(&spec.parse()?, &context))
    }

    /// Mean JCT by a network, seconds.
    pub fn mean_jct(&self, days: &Days, network: &Network) -> Result<f64> {
        self.run(days, self.policy(network), false)
    }

    /// What a teacher who knows all durations would have run first, of some jobs each time, where a network
    /// decides.
    pub fn lesson(&self, days: &Days, network: &Network, rng: Rng) -> Result<Vec<Choice>> {
        let choices = Rc::new(RefCell::new(Vec::new()));
        let taught = Taught {
            policy: self.policy(network),
            job_features: JobFeatures::default(),
            active: Vec::new(),
            choices: Rc::clone(&choices),
            rng,
        };
        self.run(days, Box::new(taught), true)?;
        Ok(choices.take())
    }
}

/// Decides as another does, and notes which of some jobs has the least service left.
struct Taught {
    policy: Box<dyn Policy>,
    job_features: JobFeatures,
    active: Vec<JobId>,
    choices: Rc<RefCell<Vec<Choice>>>,
    rng: Rng,
}

impl Taught {
    fn note(&mut self, view: &View<'_>) {
        let count = self.active.len();
        let some: Vec<JobId> = (0..AMONG.min(count))
            .map(|at| {
                let other = at + below(&mut self.rng, (count - at) as u32) as usize;
                self.active.swap(at, other);
                self.active[at]
            })
            .collect();
        let left = some.iter().map(|&job| {
            let seconds = view.remaining(job).unwrap_or(f64::INFINITY);
            seconds * f64::from(view.gpus(job))
        });
        let least = left.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let seen = some.iter().map(|&job| {
            let runs = view.phase(job) == Phase::Running;
            self.job_features.features(view, job, runs)
        });
        self.choices.borrow_mut().push(Choice {
            seen: seen.collect(),
            picked: least.map_or(0, |(at, _)| at),
            log_probability: 0.0,
            now: view.now().seconds(),
        });
    }
}

impl Policy for Taught {
    fn cadence(&self) -> Cadence {
        self.policy.cadence()
    }

    fn plan(&mut self, view: &View<'_>, rng: &mut Rng, plan: &mut Plan) {
        self.job_features.learn(view);
        for &news in view.news() {
            match news {
                News::Arrived(job) => self.active.push(job),
                News::Finished(job) => self.active.retain(|&other| other != job),
                _ => {}
            }
        }
        if self.active.len() > 1 && unit(&mut self.rng) < NOTED {
            self.note(view);
        }
        self.policy.plan(view, rng, plan);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        self.policy.explain(view, job)
    }
}
