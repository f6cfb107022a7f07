//! Challenges: five fixed workloads, each hard by something else ([`CHALLENGES`](crate::workload::CHALLENGES)),
//! and what a scheduler makes of them beside SRTF, which knows the future, and Tiresias, which does not.
//! Everything is drawn from seeds and nothing is measured by a clock: the same scheduler has the same
//! score wherever it is worked out.
//!
//! Of each challenge, by mean JCT and p95 of JCT (Tiresias' ÷ the scheduler's, both alike):
//! 100 × √(mean ratio × p95 ratio). 100 is as good as Tiresias; in all, the geometric mean.

use crate::placement::Strategy;
use crate::policy::PolicySpec;
use crate::report::{Outcomes, RunResult};
use crate::sim::{RunError, SimOptions};
use crate::workload::{CHALLENGES, Sample};
use crate::{RunSpec, RunSpecError};
use serde::Serialize;
use std::sync::Arc;

/// What a scheduler makes of all challenges.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The scheduler's spec, in full.
    pub policy: String,
    /// 100: as good as Tiresias; more is better.
    pub score: f64,
    /// One after the other.
    pub challenges: Vec<Scored>,
}

/// What a scheduler makes of one challenge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scored {
    /// The challenge's name.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// 100: as good as Tiresias.
    pub score: f64,
    /// The scheduler's.
    pub own: Times,
    /// SRTF's, which knows the future.
    pub srtf: Times,
    /// Tiresias', which does not.
    pub tiresias: Times,
    /// SRTF's score, to be compared with the scheduler's.
    pub srtf_score: f64,
    /// The link, from its #: who opens it on a page of Switchyard sees all three run.
    pub link: String,
    /// The log's fingerprint: what the same run has everywhere.
    pub log_hash: String,
}

/// Job completion times, seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Times {
    /// The mean.
    pub mean_jct: f64,
    /// What 95 % of jobs do not exceed.
    pub p95_jct: f64,
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
    #[error("{challenge}: {error}")]
    Run {
        /// The challenge.
        challenge: &'static str,
        /// Why.
        error: RunError,
    },
    /// It leaves jobs waiting for ever.
    #[error("{challenge}: {policy} leaves {left} of {jobs} jobs waiting for ever")]
    Unfinished {
        /// The challenge.
        challenge: &'static str,
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

/// The score of a scheduler.
///
/// # Errors
///
/// It is an oracle, or does not run all jobs to their end.
pub fn score(policy: &PolicySpec) -> Result<Score, ScoreError> {
    if policy.is_oracle() {
        return Err(ScoreError::Oracle(policy.label()));
    }
    let scored = CHALLENGES.iter().map(|challenge| one(challenge, policy));
    let challenges = scored.collect::<Result<Vec<Scored>, _>>()?;
    let sum: f64 = challenges.iter().map(|of| libm::log(of.score)).sum();
    Ok(Score {
        policy: policy.to_string(),
        score: tenths(libm::exp(sum / challenges.len() as f64)),
        challenges,
    })
}

fn one(challenge: &'static Sample, policy: &PolicySpec) -> Result<Scored, ScoreError> {
    let workload = Arc::new(challenge.workload());
    let run = |policy: &PolicySpec| {
        let spec = RunSpec {
            policy: policy.without_outages(),
            cluster: challenge.cluster_spec(),
            placement: Strategy::default(),
            options: SimOptions::default(),
            history: None,
            outages: Default::default(),
        };
        spec.check()?;
        let mut run = spec.start(Arc::clone(&workload));
        run.run().map_err(|error| ScoreError::Run {
            challenge: challenge.name,
            error,
        })?;
        let log = run.into_log();
        let outcomes = Outcomes::of(&workload, &spec.cluster, &log);
        let summary = RunResult::of(&spec, &log, &outcomes, 0.0).summary;
        if summary.finished < summary.jobs {
            return Err(ScoreError::Unfinished {
                challenge: challenge.name,
                policy: policy.label(),
                left: summary.jobs - summary.finished,
                jobs: summary.jobs,
            });
        }
        let times = Times {
            mean_jct: summary.jct.mean,
            p95_jct: summary.jct.p95,
        };
        Ok((times, log.hash()))
    };
    let (own, hash) = run(policy)?;
    let beside = BESIDE.map(|name| name.parse().map(|policy| run(&policy)));
    let [Ok(srtf), Ok(tiresias)] = beside else {
        unreachable!("both are policies");
    };
    let ((srtf, _), (tiresias, _)) = (srtf?, tiresias?);
    let against = |of: Times| {
        let ratios = tiresias.mean_jct / of.mean_jct * (tiresias.p95_jct / of.p95_jct);
        tenths(100.0 * libm::sqrt(ratios))
    };
    Ok(Scored {
        name: challenge.name,
        title: challenge.title,
        score: against(own),
        own,
        srtf,
        tiresias,
        srtf_score: against(srtf),
        link: link(challenge, policy),
        log_hash: format!("{hash:016x}"),
    })
}

/// With one decimal: who is told apart by less is equal.
fn tenths(score: f64) -> f64 {
    libm::round(score * 10.0) / 10.0
}

/// The page's address of a challenge under a scheduler beside the two others, from its #.
fn link(challenge: &Sample, policy: &PolicySpec) -> String {
    let mut link = format!("#v=1&sample={}", challenge.name);
    let runs = [policy.without_outages().to_string()];
    for run in runs.iter().map(String::as_str).chain(BESIDE) {
        link.push_str("&run=");
        for byte in run.bytes() {
            match byte {
                b'-' | b'_' | b'.' | b'~' => link.push(byte.into()),
                byte if byte.is_ascii_alphanumeric() => link.push(byte.into()),
                byte => link.push_str(&format!("%{byte:02X}")),
            }
        }
    }
    link
}
