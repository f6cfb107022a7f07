//! How long jobs take, learnt from those that had ended: by user and size, by user, by queue and size, by size, by all,
//! the first of these of which enough is known. Jobs that have not ended count as longer than they have run.
//!
//! Jobs are not independent. What one user submits within an hour often is one work many times over, and a week in
//! which jobs are long is long for all. So each draw has a factor that all share, one for each batch and one for each
//! job (a Gaussian copula); their weights are the correlations among jobs that had ended.

use super::chance::below_normal;
use super::past::{Kind, Past, Stage};
use super::survival::Survival;
use std::collections::BTreeMap;
use switchyard::draw::{Rng, normal};
use switchyard::report::percentile;
use switchyard::workload::Workload;

/// So many jobs of a group must have ended for it to be told apart.
const LEAST_ENDED: u32 = 20;

/// So many must have ended after a longer time than a job has run.
const LEAST_BEYOND: u32 = 5;

/// Of a group the last so many jobs that started count: what users do changes.
const WINDOW: usize = 2000;

/// Over so many of the last jobs correlations are taken.
const COMPARED: usize = 5000;

/// Of pairs of jobs further apart in order than this none is taken.
const LAGS: usize = 20;

/// Without so many pairs a correlation is not known, and taken as [`UNKNOWN`].
const LEAST_PAIRS: u32 = 50;
const UNKNOWN: f64 = 0.1;

/// Most that jobs share.
const MOST_SHARED: f64 = 0.9;

/// The least share of jobs that end within what they ask for, where that is taken as a limit.
const KEPT: f64 = 0.95;

/// By what a group of jobs is told from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    UserAndSize(u32, u32),
    User(u32),
    QueueAndSize(u32, u32),
    Size(u32),
    SizeEver(u32),
    All,
}

impl Group {
    /// Those that a job is of, the narrowest first.
    fn of(kind: Kind) -> impl Iterator<Item = Self> {
        let Kind { user, queue, size } = kind;
        let own = user.map(|user| [Self::UserAndSize(user, size), Self::User(user)]);
        let queue = queue.map(|queue| Self::QueueAndSize(queue, size));
        let wide = [Self::Size(size), Self::SizeEver(size), Self::All];
        own.into_iter().flatten().chain(queue).chain(wide)
    }

    /// What it has in common, for people.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::UserAndSize(..) => "this user's jobs of this size",
            Self::User(_) => "this user's jobs",
            Self::QueueAndSize(..) => "this queue's jobs of this size",
            Self::Size(_) | Self::SizeEver(_) => "all jobs of this size",
            Self::All => "all jobs",
        }
    }

    /// How many of its last jobs count.
    fn window(self) -> usize {
        match self {
            Self::SizeEver(_) | Self::All => usize::MAX,
            _ => WINDOW,
        }
    }
}

/// What jobs took before, as far as it was known.
pub(super) struct Durations {
    survivals: BTreeMap<Group, Survival>,
    shared: Shared,
    /// Whether jobs keep to the time that they ask for.
    pub(super) limits_hold: bool,
    /// In place of a limit, where a job asks for no time: what one of a hundred jobs exceeded.
    pub(super) usual_limit: f64,
}

/// How much jobs have in common: parts of the variance of a job's place among its group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shared {
    /// All that come about the same time.
    pub(super) all: f64,
    /// Those of a batch, besides.
    pub(super) batch: f64,
}

/// What is shared in one draw.
pub(super) struct Factors {
    all: f64,
    batches: BTreeMap<u32, f64>,
    groups: BTreeMap<Group, f64>,
}

impl Durations {
    /// Learnt from the past of these jobs, but for one, the one that is asked about.
    pub(super) fn of(workload: &Workload, past: &Past, asked: usize) -> Self {
        let mut groups: BTreeMap<Group, Vec<(f64, bool)>> = BTreeMap::new();
        let known: Vec<(usize, f64, bool)> = (0..past.stages.len())
            .filter(|&job| job != asked && past.starts[job].is_some())
            .filter_map(|job| match past.stages[job] {
                Stage::Ended(seconds) => Some((job, seconds, true)),
                Stage::Runs(_) | Stage::Waits(_) => Some((job, past.at_least(job)?, false)),
                Stage::Rejected => None,
            })
            .collect();
        // The latest first, of which each group has as many as it wants.
        for &(job, seconds, ended) in known.iter().rev() {
            for group in Group::of(past.kinds[job]) {
                let of = groups.entry(group).or_default();
                if of.len() < group.window() {
                    of.push((seconds, ended));
                }
            }
        }
        let survivals = groups.into_iter();
        let survivals: BTreeMap<Group, Survival> = survivals
            .map(|(group, jobs)| (group, Survival::of(jobs)))
            .collect();
        let mut ended: Vec<f64> = known.iter().filter(|of| of.2).map(|of| of.1).collect();
        ended.sort_by(switchyard::order::by_value);
        let limits = known
            .iter()
            .filter(|of| of.2)
            .filter_map(|&(job, took, _)| {
                let limit = workload.jobs[job].demand.time?;
                Some(took <= limit)
            });
        let (kept, limited) = limits.fold((0, 0), |(kept, all), keeps| {
            (kept + u32::from(keeps), all + 1)
        });
        let mut of = Self {
            survivals,
            shared: Shared {
                all: UNKNOWN,
                batch: UNKNOWN,
            },
            limits_hold: f64::from(kept) >= KEPT * f64::from(limited),
            usual_limit: percentile(&ended, 99.0),
        };
        of.shared = of.shared_by(workload, past, &known);
        of
    }

    /// The group by which a job of this kind is judged, once it has run for so many seconds.
    pub(super) fn group(&self, kind: Kind, ran: f64) -> (Group, Option<&Survival>) {
        let groups = Group::of(kind).map(|group| (group, self.survivals.get(&group)));
        let mut groups = groups.filter(|(group, of)| {
            let enough = |of: &Survival| {
                of.ended() >= LEAST_ENDED && (ran <= 0.0 || of.ended_beyond(ran) >= LEAST_BEYOND)
            };
            *group == Group::All || of.is_some_and(enough)
        });
        groups.next().unwrap_or((Group::All, None))
    }

    /// How much places among groups have in common: the mean products of neighbours' places, by their GPUs.
    fn shared_by(&self, workload: &Workload, past: &Past, known: &[(usize, f64, bool)]) -> Shared {
        let ended = known.iter().filter(|of| of.2).rev().take(COMPARED);
        // Uniform, of mean 0 and variance 1.
        let places: Vec<(usize, f64)> = ended
            .map(|&(job, took, _)| {
                let (_, of) = self.group(past.kinds[job], 0.0);
                let rank = of.map_or(0.5, |of| of.rank(took));
                (job, (rank - 0.5) * libm::sqrt(12.0))
            })
            .collect();
        let day = |job: usize| libm::floor(workload.jobs[job].submit.seconds() / 86_400.0);
        // Large jobs count more: they keep others waiting.
        let weight = |a: usize, b: usize| {
            let gpus = |job: usize| f64::from(workload.jobs[job].gpus);
            libm::sqrt(gpus(a) * gpus(b))
        };
        let (mut near, mut far) = (Mean::default(), Mean::default());
        let mut batches: BTreeMap<u32, Vec<(usize, f64)>> = BTreeMap::new();
        for (at, &(job, place)) in places.iter().enumerate() {
            let batch = batches.entry(past.batches[job]).or_default();
            for &(other, its) in batch.iter().rev().take(LAGS) {
                near.add(place * its, weight(job, other));
            }
            batch.push((job, place));
            for &(other, its) in places[at + 1..].iter().take(LAGS) {
                if past.batches[job] != past.batches[other] && day(job) == day(other) {
                    far.add(place * its, weight(job, other));
                }
            }
        }
        let all = far.get().unwrap_or(UNKNOWN).clamp(0.0, MOST_SHARED);
        let near = near.get().unwrap_or(all + UNKNOWN).clamp(0.0, MOST_SHARED);
        Shared {
            all: all.min(near),
            batch: (near - all).max(0.0),
        }
    }

    /// Seconds that a job takes in a draw, of this kind and batch, which has run for so many and asks for so many.
    pub(super) fn draw(
        &self,
        (kind, batch): (Kind, u32),
        ran: f64,
        limit: Option<f64>,
        factors: &mut Factors,
        rng: &mut Rng,
    ) -> f64 {
        let (group, survival) = self.group(kind, ran);
        let jobs = survival.map_or(0, Survival::jobs);
        let own = normal(rng);
        let of_batch = *factors.batches.entry(batch).or_insert_with(|| normal(rng));
        // What is not known of a group of which so few are known is shared, too.
        let doubt = factors.groups.entry(group).or_insert_with(|| normal(rng));
        let doubt = *doubt / libm::sqrt(f64::from(jobs.max(1)));
        let Shared { all, batch } = self.shared;
        let z = libm::sqrt(all) * factors.all
            + libm::sqrt(batch) * of_batch
            + libm::sqrt((1.0 - all - batch).max(0.0)) * own
            + doubt;
        let took = match survival.filter(|of| of.ended() > 0) {
            Some(survival) => survival.quantile(ran, below_normal(z)),
            None => Survival::default().quantile(ran.max(NOTHING_KNOWN), below_normal(z)),
        };
        match limit {
            Some(limit) if self.limits_hold => took.min(limit.max(ran)),
            _ => took,
        }
    }
}

/// Seconds that a job takes at least, where nothing at all is known.
const NOTHING_KNOWN: f64 = 60.0;

impl Factors {
    /// Of one draw.
    pub(super) fn draw(rng: &mut Rng) -> Self {
        Self {
            all: normal(rng),
            batches: BTreeMap::new(),
            groups: BTreeMap::new(),
        }
    }
}

/// The weighted mean of so many.
#[derive(Default)]
struct Mean {
    sum: f64,
    weights: f64,
    count: u32,
}

impl Mean {
    fn add(&mut self, value: f64, weight: f64) {
        self.sum += value * weight;
        self.weights += weight;
        self.count += 1;
    }

    fn get(&self) -> Option<f64> {
        (self.count >= LEAST_PAIRS && self.weights > 0.0).then(|| self.sum / self.weights)
    }
}
