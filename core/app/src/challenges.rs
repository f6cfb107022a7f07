//! Challenges: five kinds of workloads, each hard by something else ([`CHALLENGES`]), and what a scheduler makes
//! of them beside SRTF, which knows the future, and Tiresias, which does not.
//!
//! The workloads that open by these names are there to try a scheduler on. The score is over others, drawn from
//! a number that is given with it: who scores, draws it, so that nobody can have written durations down before.
//! With the same number the same scheduler has the same score, wherever it is worked out; nothing is measured
//! by a clock.
//!
//! Of each workload, by mean JCT and p95 of JCT (Tiresias' ÷ the scheduler's, both alike):
//! 100 × √(mean ratio × p95 ratio). 100 is as good as Tiresias. A score is the geometric mean of these; its
//! 95 % interval is Student's ("The probable error of a mean", Biometrika 6, 1908), of their logarithms.

use crate::Permalink;
use crate::driver::{Budget, Driver};
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
use serde::Serialize;
use std::array;
use std::sync::Arc;
use switchyard::draw::Rng;
use switchyard::engine::{RunError, RunLog, SimOptions};
use switchyard::placement::Strategy;
use switchyard::policies::PolicySpec;
use switchyard::report::Summary;
use switchyard::workload::{CHALLENGES, Sample, Workload};
use switchyard::{RunSpec, RunSpecError};

/// How many workloads of each challenge are drawn.
pub const WORKLOADS: usize = 8;

/// Student's t for 95 %, of [`WORKLOADS`] values.
const STUDENT: f64 = 2.364_624;

/// The greatest number to draw from: people read it out, and JavaScript holds it.
pub const MOST_DRAW: u64 = 999_999_999_999;

/// What a scheduler makes of all challenges.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The scheduler's spec, in full.
    pub policy: String,
    /// The number from which the workloads are drawn.
    pub draw: u64,
    /// How many of each challenge.
    pub workloads: usize,
    /// Over all of them.
    #[serde(flatten)]
    pub of_all: Estimate,
    /// SRTF's score on the same workloads.
    pub srtf_score: f64,
    /// One after the other.
    pub challenges: Vec<Scored>,
}

/// A score and its 95 % confidence interval. 100: as good as Tiresias; more is better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The geometric mean.
    pub score: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What a scheduler makes of one challenge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scored {
    /// The challenge's name.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Over its workloads.
    #[serde(flatten)]
    pub of_all: Estimate,
    /// The scheduler's, on the mean of its workloads.
    pub own: Times,
    /// SRTF's, which knows the future.
    pub srtf: Times,
    /// Tiresias', which does not.
    pub tiresias: Times,
    /// SRTF's score, to be compared with the scheduler's.
    pub srtf_score: f64,
    /// The link, from its #: a page of Switchyard shows all three run the challenge's open workload.
    pub link: String,
    /// The logs' fingerprints, one of each workload: what the same runs have everywhere.
    pub log_hashes: Vec<String>,
}

/// Job completion times, seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Times {
    /// The mean.
    pub jct_mean: f64,
    /// What 95 % of jobs do not exceed.
    pub jct_p95: f64,
}

/// Why a scheduler has no score.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScoreError {
    /// It sees the future.
    #[error("{0} is an oracle: challenges are for schedulers that do not know durations")]
    Oracle(String),
    /// It cannot begin.
    #[error(transparent)]
    Spec(#[from] RunSpecError),
    /// It did not come to its end.
    #[error("{challenge} (draw {draw}): {error}")]
    Run {
        /// The challenge.
        challenge: &'static str,
        /// The number that it was drawn from.
        draw: u64,
        /// Why.
        error: RunError,
    },
    /// It leaves jobs waiting for ever.
    #[error(
        "{challenge} (draw {draw}): {policy} leaves {left} of {jobs} jobs unfinished. A mean over the others is \
         not a mean over the same jobs as Tiresias'"
    )]
    Unfinished {
        /// The challenge.
        challenge: &'static str,
        /// The number that it was drawn from.
        draw: u64,
        /// The scheduler.
        policy: String,
        /// Jobs that never ran to their end.
        left: u32,
        /// All of them.
        jobs: u32,
    },
}

/// What those are compared with: the first knows the future, the second does not.
const BESIDE: [&str; 2] = ["srtf", "tiresias-las"];

/// The score of a scheduler over the workloads that this number draws.
///
/// # Errors
///
/// It is an oracle, or does not run all jobs to their end.
pub fn score(policy: &PolicySpec, draw: u64) -> Result<Score, ScoreError> {
    score_watched(policy, draw, &mut |run| {
        run.step_for(Budget::unlimited()).map(drop)
    })
}

/// How many runs a score takes.
pub const RUNS: usize = CHALLENGES.len() * WORKLOADS * (1 + BESIDE.len());

/// Carries a run of a workload to its end.
pub type Carry<'a> = dyn FnMut(&mut Driver) -> Result<(), RunError> + 'a;

/// The same, where somebody else carries each of the [`RUNS`] to its end, and may tell how far it is.
///
/// # Errors
///
/// As of [`score`].
pub fn score_watched(
    policy: &PolicySpec,
    draw: u64,
    carry: &mut Carry<'_>,
) -> Result<Score, ScoreError> {
    if policy.is_oracle() {
        return Err(ScoreError::Oracle(policy.label()));
    }
    let mut challenges = Vec::new();
    // Of each draw, over all challenges: the scheduler's and SRTF's.
    let (mut own, mut srtf) = ([0.0; WORKLOADS], [0.0; WORKLOADS]);
    for (challenge, workloads) in drawn(draw) {
        let tried = Tried::of(challenge, &workloads, policy, draw, carry)?;
        for (mean, logs) in [(&mut own, tried.own_logs()), (&mut srtf, tried.srtf_logs())] {
            for (mean, log) in mean.iter_mut().zip(logs) {
                *mean += log / CHALLENGES.len() as f64;
            }
        }
        challenges.push(tried.scored(policy));
    }
    Ok(Score {
        policy: policy.to_string(),
        draw,
        workloads: WORKLOADS,
        of_all: Estimate::of(&own),
        srtf_score: Estimate::of(&srtf).score,
        challenges,
    })
}

/// The workloads of each challenge that a number draws.
fn drawn(draw: u64) -> impl Iterator<Item = (&'static Sample, [Arc<Workload>; WORKLOADS])> {
    let mut seeds = Rng::seed_from_u64(draw);
    CHALLENGES.iter().map(move |challenge| {
        let workload = |_| Arc::new(challenge.workload_of(seeds.next_u64()));
        (challenge, array::from_fn(workload))
    })
}

/// A challenge's runs, one of each workload.
struct Tried {
    challenge: &'static Sample,
    own: [Times; WORKLOADS],
    srtf: [Times; WORKLOADS],
    tiresias: [Times; WORKLOADS],
    log_hashes: Vec<String>,
}

impl Tried {
    fn of(
        challenge: &'static Sample,
        workloads: &[Arc<Workload>; WORKLOADS],
        policy: &PolicySpec,
        draw: u64,
        carry: &mut Carry<'_>,
    ) -> Result<Self, ScoreError> {
        let none = [Times {
            jct_mean: 0.0,
            jct_p95: 0.0,
        }; WORKLOADS];
        let mut tried = Self {
            challenge,
            own: none,
            srtf: none,
            tiresias: none,
            log_hashes: Vec::new(),
        };
        let beside = BESIDE.map(|name| name.parse::<PolicySpec>());
        let [Ok(srtf), Ok(tiresias)] = beside else {
            unreachable!("both are policies");
        };
        for (at, workload) in workloads.iter().enumerate() {
            let mut run = |policy: &PolicySpec| run(challenge, workload, policy, draw, carry);
            let log;
            (tried.own[at], log) = run(policy)?;
            (tried.srtf[at], _) = run(&srtf)?;
            (tried.tiresias[at], _) = run(&tiresias)?;
            tried.log_hashes.push(format!("{:016x}", log.hash()));
        }
        Ok(tried)
    }

    fn own_logs(&self) -> [f64; WORKLOADS] {
        self.logs(&self.own)
    }

    fn srtf_logs(&self) -> [f64; WORKLOADS] {
        self.logs(&self.srtf)
    }

    /// The logarithms of the scores of each workload, over 100.
    fn logs(&self, of: &[Times; WORKLOADS]) -> [f64; WORKLOADS] {
        array::from_fn(|at| {
            let (of, tiresias) = (of[at], self.tiresias[at]);
            let ratios = tiresias.jct_mean / of.jct_mean * (tiresias.jct_p95 / of.jct_p95);
            libm::log(ratios) / 2.0
        })
    }

    fn scored(self, policy: &PolicySpec) -> Scored {
        Scored {
            name: self.challenge.name,
            title: self.challenge.title,
            of_all: Estimate::of(&self.own_logs()),
            own: Times::mean(&self.own),
            srtf: Times::mean(&self.srtf),
            tiresias: Times::mean(&self.tiresias),
            srtf_score: Estimate::of(&self.srtf_logs()).score,
            link: format!("#{}", link(self.challenge, policy)),
            log_hashes: self.log_hashes,
        }
    }
}

/// One run's times, and its log's fingerprint.
fn run(
    challenge: &'static Sample,
    workload: &Arc<Workload>,
    policy: &PolicySpec,
    draw: u64,
    carry: &mut Carry<'_>,
) -> Result<(Times, RunLog), ScoreError> {
    let spec = RunSpec {
        policy: policy.without_outages(),
        cluster: challenge.cluster_spec(),
        placement: Strategy::default(),
        options: SimOptions::default(),
        history: None,
        outages: Default::default(),
        queues: Default::default(),
    };
    spec.check()?;
    let mut run = Driver::new(spec.start(Arc::clone(workload)), Arc::clone(workload));
    carry(&mut run).map_err(|error| ScoreError::Run {
        challenge: challenge.name,
        draw,
        error,
    })?;
    let log = run.into_log();
    let summary = Summary::of(workload, &spec.cluster, &log);
    if !summary.is_whole() {
        return Err(ScoreError::Unfinished {
            challenge: challenge.name,
            draw,
            policy: policy.label(),
            left: summary.jobs - summary.finished,
            jobs: summary.jobs,
        });
    }
    let times = Times {
        jct_mean: summary.jct.mean,
        jct_p95: summary.jct.p95,
    };
    Ok((times, log))
}

impl Estimate {
    /// Of the logarithms of scores over 100.
    fn of(logs: &[f64; WORKLOADS]) -> Self {
        let count = WORKLOADS as f64;
        let mean = logs.iter().sum::<f64>() / count;
        let squares: f64 = logs.iter().map(|log| (log - mean) * (log - mean)).sum();
        let half = STUDENT * libm::sqrt(squares / (count - 1.0) / count);
        let score = |log| tenths(100.0 * libm::exp(log));
        Self {
            score: score(mean),
            low: score(mean - half),
            high: score(mean + half),
        }
    }
}

impl Times {
    fn mean(of: &[Self; WORKLOADS]) -> Self {
        let mean = |what: fn(&Self) -> f64| of.iter().map(what).sum::<f64>() / WORKLOADS as f64;
        Self {
            jct_mean: mean(|times| times.jct_mean),
            jct_p95: mean(|times| times.jct_p95),
        }
    }
}

/// With one decimal: less is no difference.
fn tenths(score: f64) -> f64 {
    libm::round(score * 10.0) / 10.0
}

/// A challenge's open workload under a scheduler beside the two others.
pub fn link(challenge: &Sample, policy: &PolicySpec) -> Permalink {
    let mut link = Permalink::versioned();
    link.add("sample", challenge.name);
    link.add("run", &policy.without_outages().to_string());
    for beside in BESIDE {
        link.add("run", beside);
    }
    link
}
