//! What a scheduler makes of challenges beside SRTF, which knows the future, and Tiresias, which does not.
//!
//! The workloads that open by the challenges' names are there to try a scheduler on. The score is over others, drawn from
//! a number that is given with it: who scores, draws it, so that nobody can have written durations down before.
//! With the same number the same scheduler has the same score, wherever it is worked out; nothing is measured
//! by a clock.
//!
//! Of each workload, by the two figures of the challenge's goal (Tiresias' ÷ the scheduler's, both alike):
//! 100 × √(first ratio × second ratio). 100 is as good as Tiresias. A score is the geometric mean of these. No score is
//! above that of the [`bound`], were there a scheduler that reached it.

use super::bound::bound;
use super::challenge::{CHALLENGES, Challenge, Par};
use super::estimate::Estimate;
use super::goal::Goal;
use super::run::{Carry, Contender, Drawn, ScoreError};
use crate::driver::Budget;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
use serde::Serialize;
use switchyard::draw::Rng;
use switchyard::policies::PolicySpec;
use switchyard::report::Distribution;
use xxhash_rust::xxh3::xxh3_64;

/// How many workloads of each challenge are drawn, unless somebody says otherwise.
pub const WORKLOADS: usize = 8;

/// The greatest number to draw from: people read it out, and JavaScript holds it.
pub const MOST_DRAW: u64 = 999_999_999_999;

/// What is scored.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The number from which the workloads are drawn.
    pub draw: u64,
    /// How many of each challenge, 2 to [`MOST_WORKLOADS`](super::MOST_WORKLOADS).
    pub workloads: usize,
    /// On which challenges.
    pub challenges: Vec<&'static Challenge>,
}

impl Contest {
    /// All challenges, with workloads drawn from this number.
    pub fn all(draw: u64) -> Self {
        Self {
            draw,
            workloads: WORKLOADS,
            challenges: CHALLENGES.iter().collect(),
        }
    }

    /// How many runs a score takes.
    pub fn runs(&self) -> usize {
        self.challenges.len() * self.workloads * (1 + BESIDE.len())
    }

    /// The workloads of a challenge. They hang on the draw and the challenge, not on which others there are, and the first of
    /// many are those of few.
    fn drawn(&self, challenge: &'static Challenge) -> Vec<Drawn> {
        let mut seeds = Rng::seed_from_u64(self.draw ^ xxh3_64(challenge.name.as_bytes()));
        let workload = |_| Drawn::new(challenge, self.draw, seeds.next_u64());
        (0..self.workloads).map(workload).collect()
    }
}

/// What a scheduler makes of challenges.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Score {
    /// The scheduler's spec, in full. Of a function it is none: no other program can read it.
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

/// What a scheduler makes of one challenge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scored {
    /// The challenge's name.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What counts.
    pub goal: Goal,
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
    /// The best of the published policies.
    pub par: Par,
    /// The score that no scheduler gets above on these workloads.
    pub bound_score: f64,
    /// The link, from its #: a page of Switchyard shows all three run the challenge's open workload. No link carries a function;
    /// there it has the two others.
    pub link: String,
    /// The logs' fingerprints, one of each workload: what the same runs have everywhere.
    pub log_hashes: Vec<String>,
}

/// Of one workload, or on the mean of several. Less is better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Times {
    /// The mean job completion time, seconds.
    pub jct_mean: f64,
    /// What 95 % of jobs do not exceed.
    pub jct_p95: f64,
    /// The two figures of the challenge's goal.
    pub figures: [f64; 2],
}

/// Those are compared with: the first knows the future, the second does not.
const BESIDE: [&str; 2] = ["srtf", "tiresias-las"];

/// The two that stand beside every scheduler.
fn beside() -> [PolicySpec; 2] {
    BESIDE.map(|name| {
        let spec = name.parse();
        spec.unwrap_or_else(|_| unreachable!("both are policies"))
    })
}

/// A link to a challenge's open workload under a scheduler beside the two others, without its #.
pub fn link(challenge: &Challenge, policy: &PolicySpec) -> String {
    linked(challenge, policy.into())
}

fn linked(challenge: &Challenge, contender: Contender<'_>) -> String {
    let beside = beside();
    let own = Some(contender.policy).filter(|_| contender.deciding.is_none());
    let link = challenge.link(own.into_iter().chain(&beside));
    link.into_string()
}

/// The score of a scheduler over the workloads that this number draws.
///
/// # Errors
///
/// It is an oracle, or does not run all jobs to their end.
pub fn score(policy: &PolicySpec, draw: u64) -> Result<Score, ScoreError> {
    score_watched(policy.into(), &Contest::all(draw), &mut |run| {
        run.step_for(Budget::unlimited()).map(drop)
    })
}

/// The same, where somebody else carries each of the [runs](Contest::runs) to its end, and may tell how far it is.
///
/// # Errors
///
/// As of [`score`].
pub fn score_watched(
    contender: Contender<'_>,
    contest: &Contest,
    carry: &mut Carry<'_>,
) -> Result<Score, ScoreError> {
    if contender.policy.is_oracle() {
        return Err(ScoreError::Oracle(contender.label()));
    }
    let mut challenges = Vec::new();
    // Of each draw, over all challenges: the scheduler's and SRTF's.
    let (mut own, mut srtf) = (vec![0.0; contest.workloads], vec![0.0; contest.workloads]);
    for challenge in &contest.challenges {
        let tried = Tried::of(challenge, &contest.drawn(challenge), contender, carry)?;
        for (mean, of) in [(&mut own, &tried.own), (&mut srtf, &tried.srtf)] {
            for (mean, log) in mean.iter_mut().zip(tried.logs(of)) {
                *mean += log / contest.challenges.len() as f64;
            }
        }
        challenges.push(tried.scored(contender));
    }
    Ok(Score {
        policy: contender.policy(),
        draw: contest.draw,
        workloads: contest.workloads,
        of_all: Estimate::of(&own),
        srtf_score: Estimate::of(&srtf).score,
        challenges,
    })
}

/// A challenge's runs, one of each workload.
struct Tried {
    challenge: &'static Challenge,
    own: Vec<Times>,
    srtf: Vec<Times>,
    tiresias: Vec<Times>,
    /// Of which only the figures are known.
    bound: Vec<Times>,
    log_hashes: Vec<String>,
}

impl Tried {
    fn of(
        challenge: &'static Challenge,
        workloads: &[Drawn],
        contender: Contender<'_>,
        carry: &mut Carry<'_>,
    ) -> Result<Self, ScoreError> {
        let mut tried = Self {
            challenge,
            own: Vec::new(),
            srtf: Vec::new(),
            tiresias: Vec::new(),
            bound: Vec::new(),
            log_hashes: Vec::new(),
        };
        let [srtf, tiresias] = beside();
        for drawn in workloads {
            let mut run = |contender| {
                let (jct, log) = drawn.run(contender, carry)?;
                Ok::<_, ScoreError>((Times::of(drawn, &jct), log))
            };
            let (times, log) = run(contender)?;
            tried.own.push(times);
            tried.log_hashes.push(format!("{:016x}", log.hash()));
            tried.srtf.push(run((&srtf).into())?.0);
            tried.tiresias.push(run((&tiresias).into())?.0);
            tried.bound.push(Times {
                jct_mean: f64::NAN,
                jct_p95: f64::NAN,
                figures: bound(challenge, &drawn.workload),
            });
        }
        Ok(tried)
    }

    /// The logarithms of the scores of each workload, over 100.
    fn logs(&self, of: &[Times]) -> Vec<f64> {
        let both = of.iter().zip(&self.tiresias);
        let log = |(of, tiresias): (&Times, &Times)| {
            let [first, second] = of.figures;
            let ratios = tiresias.figures[0] / first * (tiresias.figures[1] / second);
            libm::log(ratios) / 2.0
        };
        both.map(log).collect()
    }

    fn scored(self, contender: Contender<'_>) -> Scored {
        let score = |of: &[Times]| Estimate::of(&self.logs(of));
        Scored {
            name: self.challenge.name,
            title: self.challenge.sample().title,
            goal: self.challenge.goal,
            of_all: score(&self.own),
            own: Times::mean(&self.own),
            srtf: Times::mean(&self.srtf),
            tiresias: Times::mean(&self.tiresias),
            srtf_score: score(&self.srtf).score,
            par: self.challenge.par,
            bound_score: score(&self.bound).score,
            link: format!("#{}", linked(self.challenge, contender)),
            log_hashes: self.log_hashes,
        }
    }
}

impl Times {
    fn of(drawn: &Drawn, jct: &[f64]) -> Self {
        let of = Distribution::of(jct.to_vec());
        Self {
            jct_mean: of.mean,
            jct_p95: of.p95,
            figures: drawn.challenge.goal.figures(&drawn.workload, jct),
        }
    }

    fn mean(of: &[Self]) -> Self {
        let mean = |what: fn(&Self) -> f64| of.iter().map(what).sum::<f64>() / of.len() as f64;
        Self {
            jct_mean: mean(|times| times.jct_mean),
            jct_p95: mean(|times| times.jct_p95),
            figures: [
                mean(|times| times.figures[0]),
                mean(|times| times.figures[1]),
            ],
        }
    }
}
