//! What an episode looks like at its moment: who holds which GPUs, who waits, and whom the agent may pick. Nothing of this
//! is kept while one learns: whoever looks has the episode played again by a policy that is [watched](Watched).

use super::{Cost, locked};
use pyo3::IntoPyObject;
use std::sync::{Arc, Mutex};
use switchyard::draw::Rng;
use switchyard::engine::{Cadence, Phase, Plan, Policy, RunLog, View};
use switchyard::explain::{Explanation, RoundReport};
use switchyard::goodput::LocalBatch;
use switchyard::job::JobId;
use switchyard::workload::Workload;

/// A job's number, its name, and its gang.
type Told = (u32, String, u32);

/// The moment, for Python.
#[derive(Clone, Debug, Default, IntoPyObject)]
pub(super) struct Yard {
    /// Seconds since the first submission.
    pub(super) now: f64,
    /// GPUs of each node.
    pub(super) nodes: Vec<u32>,
    /// A job, a node, and which GPUs of it the job holds.
    pub(super) held: Vec<(u32, u32, Vec<u32>)>,
    /// Those that run.
    pub(super) running: Vec<Told>,
    /// Those that wait.
    pub(super) waiting: Vec<Told>,
    /// Whom the agent may pick, by its actions.
    pub(super) choices: Vec<u32>,
    /// Whom it has picked, as far as that has not come to anything.
    pub(super) picked: Vec<u32>,
    /// How many are done, and how many there are.
    pub(super) done: u32,
    pub(super) jobs: u32,
}

/// Somebody's yard, who looks.
pub(super) type Looking = Option<Arc<Mutex<Yard>>>;

/// A policy whose moments are written down before it decides.
pub(super) struct Watched {
    pub(super) policy: Box<dyn Policy>,
    pub(super) yard: Arc<Mutex<Yard>>,
    pub(super) workload: Arc<Workload>,
}

/// A policy, watched if somebody looks.
pub(super) fn watched(
    policy: Box<dyn Policy>,
    looking: &Looking,
    workload: &Arc<Workload>,
) -> Box<dyn Policy> {
    match looking {
        None => policy,
        Some(yard) => Box::new(Watched {
            policy,
            yard: Arc::clone(yard),
            workload: Arc::clone(workload),
        }),
    }
}

/// What there is to see once a run is over.
pub(super) fn at_the_end(looking: &Looking, log: &RunLog) {
    if let Some(yard) = looking {
        let mut yard = locked(yard);
        let now = log.event_times().last().copied().unwrap_or(0.0);
        *yard = Yard {
            now,
            nodes: std::mem::take(&mut yard.nodes),
            done: yard.jobs,
            jobs: yard.jobs,
            ..Yard::default()
        };
    }
}

/// Plays an episode again up to where it is, or was, and looks.
pub(super) fn looked<T: 'static>(
    mut run: super::Episode<T>,
    answers: impl Iterator<Item = usize>,
    cost: &Cost,
    yard: &Arc<Mutex<Yard>>,
) -> Yard {
    run.go_on(0);
    for answer in answers {
        run.go_on(answer);
    }
    cost.take();
    locked(yard).clone()
}

impl Watched {
    fn look(&self, view: &View<'_>) {
        let jobs = &self.workload.jobs;
        let told = |id: JobId| (id.0, view.name(id).to_owned(), view.gpus(id));
        let ids = || (0..jobs.len() as u32).map(JobId);
        let are = |phase: Phase| ids().filter(move |&id| view.phase(id) == phase);
        let held = are(Phase::Running).flat_map(|id| {
            let gpus = view.gpus_of(id).iter();
            gpus.map(move |on| (id.0, on.node, on.numbers().collect()))
        });
        *locked(&self.yard) = Yard {
            now: view.now().seconds(),
            nodes: view.node_sizes().to_vec(),
            held: held.collect(),
            running: are(Phase::Running).map(told).collect(),
            waiting: are(Phase::Waiting).map(told).collect(),
            choices: Vec::new(),
            picked: Vec::new(),
            done: are(Phase::Finished).count() as u32,
            jobs: jobs.len() as u32,
        };
    }
}

impl Policy for Watched {
    fn cadence(&self) -> Cadence {
        self.policy.cadence()
    }

    fn plan(&mut self, view: &View<'_>, rng: &mut Rng, plan: &mut Plan) {
        self.look(view);
        self.policy.plan(view, rng, plan);
    }

    fn tune(&mut self, view: &View<'_>, job: JobId) -> Option<LocalBatch> {
        self.policy.tune(view, job)
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        self.policy.explain(view, job)
    }

    fn round(&self) -> Option<RoundReport> {
        self.policy.round()
    }
}
