//! Picking among all jobs, those that run too, by a network: for GPU traces, whose jobs ask for no time.
//!
//! It has the shape of the [`network`](super::network) that picks from a batch queue, and sees other numbers
//! of a job, which every real scheduler has ([`JobFeatures`]): the service it has had (GPUs × time, as Tiresias,
//! NSDI'19 §3.2), and how long those like it took that have ended (as Helios' QSSF, SC'21 §4.2, expects it).
//! The greatest scores run, all others wait: [`Continuous`] around it.

use super::features::FEATURES;
use super::network::Network;
use crate::attained_service::attained_service;
use crate::continuous::{Continuous, Rule};
use crate::history::History;
use crate::job::JobId;
use crate::{Fact, Plot, Policy};
use std::cell::RefCell;
use std::collections::BTreeMap;
use switchyard_engine::{News, Phase, View};
use switchyard_explain::Unit;
use switchyard_placement::Strategy;

/// The policy by a network, which compares jobs anew at every event and every `quantum` seconds.
pub fn by_service(network: Network, quantum: f64, strategy: Strategy) -> Box<dyn Policy> {
    let job_features = JobFeatures::default();
    Box::new(Continuous::new(
        quantum,
        strategy,
        ByService {
            network,
            job_features,
            running: RefCell::default(),
        },
    ))
}

/// What there is to see of jobs: the numbers of one, and what is remembered of those that have ended.
#[derive(Default)]
pub struct JobFeatures {
    history: History,
    /// The longest that anybody who has ended took, seconds.
    longest: f64,
    all: Memory,
    /// By tenant and gang.
    alike: BTreeMap<(Option<u32>, u32), Memory>,
}

impl JobFeatures {
    /// Remembers who has just finished; says whether it sees all others differently since.
    pub fn learn(&mut self, view: &View<'_>) -> bool {
        for &news in view.news() {
            if let News::Finished(job) = news {
                let took = view.held_seconds(job);
                self.longest = self.longest.max(took);
                let took = logarithm(took);
                self.all.note(took);
                let new = self.all.hint();
                let alike = self.alike.entry(kind(view, job)).or_insert(new);
                alike.note(took);
            }
        }
        self.history.learn(view)
    }

    /// Eight numbers of a job, each about from 0 to 1, as if it had its GPUs or had not: the service it has
    /// attained, its GPUs, the time it has run (as a part of the longest that anybody took), whether it runs;
    /// how long those of its tenant and gang took (the mean of many, their spread, the mean of the last few);
    /// and its Gittins index by all services. All but the third and fourth are of logarithms.
    pub fn features(&self, view: &View<'_>, job: JobId, runs: bool) -> [f32; FEATURES] {
        let held = view.held(job);
        let alike = self.alike.get(&kind(view, job)).unwrap_or(&self.all);
        let index = self.history.distribution.index(view.attained(job));
        [
            logarithm(held.service()) / 20.0,
            logarithm(f64::from(view.gpus(job)) - 1.0) / 8.0,
            (held.seconds() / self.longest.max(1.0)).min(1.0),
            f64::from(u8::from(runs)),
            alike.mean / 16.0,
            libm::sqrt(alike.variance) / 4.0,
            alike.recent / 16.0,
            // One of 0 is that of a job that has had more than any other.
            logarithm(1.0 / index.max(LEAST_INDEX)) / 20.0,
        ]
        .map(|value| value as f32)
    }
}

/// Gittins indices below are one, per GPU·s.
const LEAST_INDEX: f64 = 2e-9;

/// Whose times are like a job's: those of its tenant and gang.
fn kind(view: &View<'_>, job: JobId) -> (Option<u32>, u32) {
    (view.tenant(job), view.gpus(job))
}

fn logarithm(value: f64) -> f64 {
    libm::log1p(value)
}

/// How long some jobs took, by the logarithms of seconds.
#[derive(Clone, Copy)]
struct Memory {
    /// How many weigh in.
    count: f64,
    mean: f64,
    variance: f64,
    /// The mean of the last few.
    recent: f64,
}

impl Default for Memory {
    /// Before anybody has ended: some minutes, more or less.
    fn default() -> Self {
        Self {
            count: 0.0,
            mean: 6.0,
            variance: 6.0,
            recent: 6.0,
        }
    }
}

impl Memory {
    /// As many of the last weigh in, and of the last few.
    const LONG: f64 = 64.0;
    const SHORT: f64 = 4.0;

    fn note(&mut self, took: f64) {
        self.count = (self.count + 1.0).min(Self::LONG);
        let by = took - self.mean;
        self.mean += by / self.count;
        self.variance += (by * by - self.variance) / self.count;
        self.recent += (took - self.recent) / self.count.min(Self::SHORT);
    }

    /// What is expected of jobs of which none has ended: as all others, until a few have.
    fn hint(self) -> Self {
        Self {
            count: self.count.min(Self::SHORT),
            ..self
        }
    }
}

struct ByService {
    network: Network,
    job_features: JobFeatures,
    /// By job: until it has run for how long its score holds, and the score. What is seen are logarithms, and
    /// a job that has run for hours is the same a minute later.
    running: RefCell<Vec<(f64, f64)>>,
}

/// A running job's score holds until it has run for so much of its time more, and so many seconds.
const HOLDS: (f64, f64) = (1.0 / 32.0, 10.0);

impl ByService {
    fn score(&self, view: &View<'_>, job: JobId, runs: bool) -> f64 {
        f64::from(
            self.network
                .score(&self.job_features.features(view, job, runs)),
        )
    }
}

impl Rule for ByService {
    fn key(&self, view: &View<'_>, job: JobId) -> f64 {
        if view.phase(job) != Phase::Running {
            return -self.score(view, job, false);
        }
        let mut running = self.running.borrow_mut();
        if running.len() <= job.index() {
            running.resize(job.index() + 1, (0.0, 0.0));
        }
        let (until, score) = &mut running[job.index()];
        let ran = view.held_seconds(job);
        if ran >= *until {
            *until = ran + HOLDS.0 * ran + HOLDS.1;
            *score = self.score(view, job, true);
        }
        -*score
    }

    fn key_once_preempted(&self, view: &View<'_>, job: JobId, _running: f64) -> f64 {
        -self.score(view, job, false)
    }

    fn learn(&mut self, view: &View<'_>) -> bool {
        self.job_features.learn(view)
    }

    fn facts(&self, view: &View<'_>, job: JobId) -> Vec<Fact> {
        let alike = self.job_features.alike.get(&kind(view, job));
        let (whom, alike) = match alike {
            Some(alike) => ("its tenant and gang", alike),
            None => ("all", &self.job_features.all),
        };
        let took = |term: &str, logarithm: f64| Fact::span(term, libm::expm1(logarithm));
        let score = self.score(view, job, view.phase(job) == Phase::Running);
        vec![
            attained_service(view, job),
            took("those that ended took", alike.mean),
            took("the last few of them", alike.recent),
            Fact::new("they are of", whom),
            Fact::number("score", score, 3, Unit::None).then(", the greatest run"),
        ]
    }

    fn plots(&self, _view: &View<'_>, _job: JobId) -> Vec<Plot> {
        Vec::new()
    }
}
