//! Shockwave from round to round: it plans a window when jobs come or go, and after eight rounds.
//!
//! First all jobs are to be done as early as an equal part of the cluster would have them done. Where that is not
//! possible, jobs that are late weigh more, and have their rounds earlier.

use super::prediction::{Expected, Predicted, Profile};
use super::settings::Settings;
use super::window::{Candidate, Window};
use std::cmp::Ordering;

/// A plan holds for so many rounds at most.
const HOLDS: usize = 8;

/// How much the mean of estimates counts beside the last one.
const MOMENTUM: f64 = 0.9;

/// The power of a late job's weight where less than a round of it is left.
const NEARLY_DONE: f64 = 100.0;

/// No weight is larger: sums of them have to be numbers.
const HEAVIEST: f64 = 1e200;

/// A job, and when an equal part of the cluster would have it done: estimates by the round of each.
#[derive(Clone, Debug)]
struct Member {
    job: Predicted,
    fair: Vec<(usize, f64)>,
}

impl Member {
    /// The estimate: mostly their mean by how long each was the last one.
    fn fair_finish(&self, round: usize) -> f64 {
        let (Some(&(first, earliest)), Some(&(_, last))) = (self.fair.first(), self.fair.last())
        else {
            return f64::INFINITY;
        };
        let until = self.fair.iter().skip(1).map(|(at, _)| *at).chain([round]);
        let weighted = self
            .fair
            .iter()
            .zip(until)
            .map(|((at, fair), until)| (until - at) as f64 * fair);
        let mean = match round - first {
            0 => earliest,
            span => weighted.sum::<f64>() / span as f64,
        };
        MOMENTUM * mean + (1.0 - MOMENTUM) * last
    }
}

/// What is thought of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Seconds that it still runs, as predicted.
    pub remaining: f64,
    /// Epochs that are left.
    pub epochs_left: usize,
    /// How many of them are expected with each batch size.
    pub expected: Vec<Expected>,
    /// The finish-time fairness that it is heading for, if it has an equal part of the cluster from now on.
    pub rho: f64,
    /// When this round begins, seconds.
    pub now: f64,
    /// The part of the cluster that is each job's.
    pub share: f64,
    /// When that part would have it done, seconds.
    pub fair_finish: f64,
    /// In how many of the rounds ahead it has GPUs, and how many these are.
    pub planned: usize,
    /// How many rounds are planned.
    pub of: usize,
}

/// What it knows and has planned.
#[derive(Clone, Debug)]
pub struct Planner {
    settings: Settings,
    gpus: u32,
    members: Vec<Member>,
    round: usize,
    /// Rounds until it plans anew in any case.
    wait: usize,
    is_stale: bool,
    is_other: bool,
    /// Jobs by round, and the first of these rounds.
    plan: Vec<Vec<usize>>,
    planned_at: usize,
}

impl Planner {
    /// With settings, on so many GPUs.
    pub fn of(settings: Settings, gpus: u32) -> Self {
        Self {
            settings,
            gpus,
            members: Vec::new(),
            round: 0,
            wait: HOLDS,
            is_stale: true,
            is_other: true,
            plan: Vec::new(),
            planned_at: 0,
        }
    }

    fn member(&mut self, id: usize) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| member.job.id == id)
    }

    /// A job comes, at a time in seconds.
    pub fn come(&mut self, id: usize, profile: &Profile, now: f64) {
        self.members.push(Member {
            job: Predicted::of(id, profile, now),
            fair: Vec::new(),
        });
        (self.is_stale, self.is_other) = (true, true);
    }

    /// A job goes.
    pub fn gone(&mut self, id: usize) {
        self.members.retain(|member| member.job.id != id);
        (self.is_stale, self.is_other) = (true, true);
    }

    /// A job has so many epochs behind it.
    pub fn progress(&mut self, id: usize, epochs: u64) {
        if let Some(member) = self.member(id) {
            member.job.reach(epochs);
        }
    }

    /// How fast a job was in a round, samples per second.
    pub fn measured(&mut self, id: usize, round: usize, samples_per_second: f64) {
        if let Some(member) = self.member(id) {
            member.job.measure(round, samples_per_second);
        }
    }

    /// A round is over.
    pub fn next_round(&mut self) {
        self.advance(self.round + 1);
    }

    /// It is this round, counted from the first; some may have been left out, as nobody was there.
    pub fn advance(&mut self, round: usize) {
        let passed = round.saturating_sub(self.round);
        self.round += passed;
        self.wait = self.wait.saturating_sub(passed);
        if self.wait == 0 {
            (self.wait, self.is_stale) = (HOLDS, true);
        }
    }

    /// What is thought of a job now.
    pub fn standing(&self, id: usize) -> Option<Standing> {
        let member = self.members.iter().find(|member| member.job.id == id)?;
        let (job, share) = (&member.job, self.share());
        let (now, fair) = (self.now(), member.fair_finish(self.round));
        let from = self.round.saturating_sub(self.planned_at);
        let ahead = self.plan.get(from..).unwrap_or(&[]);
        Some(Standing {
            remaining: job.remaining(),
            epochs_left: job.epochs().saturating_sub(job.progress),
            expected: job.expected(),
            rho: (now + job.remaining() / share) / fair,
            now,
            share,
            fair_finish: fair,
            planned: ahead.iter().filter(|round| round.contains(&id)).count(),
            of: ahead.len(),
        })
    }

    /// Jobs, the longest predicted remaining run time first.
    pub fn longest(&self) -> Vec<usize> {
        let mut longest: Vec<(f64, usize)> = Vec::with_capacity(self.members.len());
        longest.extend(
            self.members
                .iter()
                .map(|of| (of.job.remaining(), of.job.id)),
        );
        longest.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal));
        longest.into_iter().map(|(_, id)| id).collect()
    }

    /// The part of the cluster that is each job's.
    fn share(&self) -> f64 {
        (f64::from(self.gpus) / self.members.len() as f64).min(1.0)
    }

    fn now(&self) -> f64 {
        self.settings.round * self.round as f64
    }

    /// The jobs of this round.
    pub fn round(&mut self) -> &[usize] {
        let has = |planner: &Self| planner.round - planner.planned_at < planner.plan.len();
        if self.is_stale || !has(self) {
            self.plan = self.planned();
            (self.planned_at, self.is_stale) = (self.round, false);
        }
        let at = self.round - self.planned_at;
        self.plan.get(at).map_or(&[], Vec::as_slice)
    }

    /// Plans a window from this round on.
    fn planned(&mut self) -> Vec<Vec<usize>> {
        let (share, seconds) = (self.share(), self.settings.round);
        for member in &mut self.members {
            member.job.calibrate(seconds);
            if self.is_other {
                let finish = member.job.submit + member.job.total() / share;
                member.fair.push((self.round, finish));
            }
        }
        self.is_other = false;
        let window = Window {
            gpus: self.gpus,
            rounds: self.settings.rounds,
            round: seconds,
            makespan_weight: self.settings.makespan_weight,
        };
        let now = self.now();
        let end = now + window.round * window.rounds as f64;
        let mut jobs: Vec<Candidate> = Vec::with_capacity(self.members.len());
        for Member { job, .. } in &self.members {
            jobs.push(Candidate {
                gang: job.gang,
                epochs: job.epochs() as f64,
                progress: job.progress as f64,
                epoch: job.epoch(),
                remaining: job.remaining(),
                weight: 1.0,
                may_remain: f64::INFINITY,
            });
        }
        let fair: Vec<f64> = self
            .members
            .iter()
            .map(|member| member.fair_finish(self.round))
            .collect();
        let mut fair_jobs = jobs.clone();
        for (job, fair) in fair_jobs.iter_mut().zip(&fair) {
            job.may_remain = share * (fair - end);
        }
        let counts = match window.counts(&fair_jobs) {
            Some(counts) => counts,
            None => {
                for (job, fair) in jobs.iter_mut().zip(&fair) {
                    job.weight = self.weight((now + job.remaining / share) / fair, job.remaining);
                }
                window.counts(&jobs).unwrap_or_else(|| vec![0; jobs.len()])
            }
        };
        let mut rounds = window.lay(&jobs, &counts);
        let mut longest: Vec<usize> = (0..jobs.len()).collect();
        longest.sort_by(|&a, &b| {
            let (a, b) = (jobs[a].remaining, jobs[b].remaining);
            b.partial_cmp(&a).unwrap_or(Ordering::Equal)
        });
        for round in &mut rounds {
            let mut free = self.gpus - round.iter().map(|&job| jobs[job].gang).sum::<u32>();
            for &job in &longest {
                if jobs[job].gang <= free && !round.contains(&job) {
                    free -= jobs[job].gang;
                    round.push(job);
                }
            }
        }
        let ids = |round: Vec<usize>| {
            round
                .into_iter()
                .map(|at| self.members[at].job.id)
                .collect()
        };
        rounds.into_iter().map(ids).collect()
    }

    /// What the utility of a job with a projected finish-time fairness counts.
    fn weight(&self, ratio: f64, remaining: f64) -> f64 {
        let weight = match ratio > 1.0 {
            true if remaining < self.settings.round => libm::pow(ratio, NEARLY_DONE),
            true => libm::pow(ratio, self.settings.power),
            false => 1.0,
        };
        weight.min(HEAVIEST)
    }
}
