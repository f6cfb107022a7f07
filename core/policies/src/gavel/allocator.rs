//! Whom Gavel's mechanism is to give which share of time, by its linear programs. In: the active jobs, how fast they are where. Out: [`Combination`]s with their shares.

use super::allocation::{self, Finish, Goal, Group, Pair, Shares};
use super::centre::centre;
use super::combination::Combination;
use super::objective::Objective;
use crate::job::JobId;
use std::collections::BTreeMap;
use switchyard_engine::View;
use switchyard_explain::Fact;
use switchyard_model::draw::Rng;
use switchyard_model::throughputs::JobType;

/// What an allocation is found from.
pub(crate) struct Asking<'a> {
    pub(crate) view: &'a View<'a>,
    /// In order of submission.
    pub(crate) active: &'a [JobId],
    /// By type.
    pub(crate) gpus: &'a [u32],
}

impl Asking<'_> {
    /// How fast a job is alone, by type; 0 where its gang cannot run.
    pub(crate) fn speeds(&self, job: JobId) -> Vec<f64> {
        let gang = self.view.gpus(job);
        let speed = |(pool, &gpus): (usize, &u32)| {
            if gang <= gpus {
                self.view.speed_on(job, pool)
            } else {
                0.0
            }
        };
        self.gpus.iter().enumerate().map(speed).collect()
    }

    fn all_gpus(&self) -> f64 {
        self.gpus.iter().copied().map(f64::from).sum()
    }

    /// What an equal share of each type would give of speed.
    fn by_equal_shares(&self, speeds: &[f64]) -> f64 {
        let parts = speeds.iter().zip(self.gpus);
        let sum: f64 = parts.map(|(speed, &gpus)| speed * f64::from(gpus)).sum();
        sum / self.all_gpus()
    }
}

/// What says whom the mechanism is to give which share of time.
pub(crate) trait Allocate {
    /// Whether types are alike to it, so that none goes before another.
    fn is_blind(&self) -> bool;

    /// Everybody's shares, and those of pairs that have some.
    fn allocate(&mut self, asking: &Asking<'_>, rng: &mut Rng) -> Vec<Combination>;

    /// Whether shares are to be found anew though nobody has come or finished.
    fn has_changed(&self, _view: &View<'_>) -> bool {
        false
    }

    /// What it knows of a job; none: nothing that is to be told, nor places in the order.
    fn facts(&self, _view: &View<'_>, _job: JobId) -> Option<Vec<Fact>> {
        None
    }
}

/// What a job would have had by itself so far, for finish-time fairness.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Alone {
    /// Seconds that what it has done would have taken.
    seconds: f64,
    /// Its speed then, and what was left, when it was last asked.
    speed: f64,
    remaining: f64,
}

/// A job's group: its gang, its speeds and its needs, as bits.
type Key = (u32, Vec<u64>, [u64; 4], Option<JobType>);

/// Finds shares by a linear program.
pub(super) struct Allocator {
    objective: Objective,
    /// As if all types were equally fast.
    blind: bool,
    /// Two jobs may share a GPU.
    sharing: bool,
    /// Of equally good shares those in the middle.
    central: bool,
    /// By job, of finish-time fairness.
    alone: BTreeMap<JobId, Alone>,
}

impl Allocator {
    pub(super) fn new(objective: Objective, blind: bool, sharing: bool) -> Self {
        Self {
            objective,
            blind,
            sharing,
            central: false,
            alone: BTreeMap::new(),
        }
    }

    /// Whether it takes, of equally good shares, those in the middle.
    pub(super) fn in_the_middle(self, central: bool) -> Self {
        Self { central, ..self }
    }
}

impl Allocate for Allocator {
    fn is_blind(&self) -> bool {
        self.blind
    }

    fn allocate(&mut self, asking: &Asking<'_>, _rng: &mut Rng) -> Vec<Combination> {
        let Self {
            objective,
            blind,
            sharing,
            central,
            ref mut alone,
        } = *self;
        alone.retain(|job, _| asking.active.binary_search(job).is_ok());
        let mut index: BTreeMap<Key, usize> = BTreeMap::new();
        let mut groups: Vec<Group> = Vec::new();
        let mut finish: Vec<Finish> = Vec::new();
        let mut members: Vec<Vec<JobId>> = Vec::new();
        let mut nowhere: Vec<JobId> = Vec::new();
        for &job in asking.active {
            let mut speeds = asking.speeds(job);
            if speeds.iter().all(|&speed| speed <= 0.0) {
                nowhere.push(job);
                continue;
            }
            if blind {
                for speed in &mut speeds {
                    *speed = if *speed > 0.0 { 1.0 } else { 0.0 };
                }
            }
            let gpus = asking.view.gpus(job);
            let needs = match objective {
                Objective::MaxMin => asking.by_equal_shares(&speeds) / f64::from(gpus),
                Objective::Makespan => asking.view.remaining(job).unwrap_or(1.0).max(1.0),
                Objective::FinishTime | Objective::Throughput => 1.0,
            };
            let of = match objective {
                Objective::FinishTime => ends(asking, job, &speeds, alone.entry(job).or_default()),
                _ => Finish::default(),
            };
            let model = sharing.then(|| asking.view.measured(job)).flatten();
            let bits = [needs, of.elapsed, of.remaining, of.isolated].map(f64::to_bits);
            let key = (
                gpus,
                speeds.iter().map(|speed| speed.to_bits()).collect(),
                bits,
                model,
            );
            let at = *index.entry(key).or_insert(groups.len());
            if at == groups.len() {
                groups.push(Group {
                    jobs: 0,
                    gpus,
                    speeds,
                    needs,
                });
                finish.push(of);
                members.push(Vec::new());
            }
            groups[at].jobs += 1;
            members[at].push(job);
        }
        let pairs = if sharing {
            pairs(asking, &groups, &members)
        } else {
            Vec::new()
        };
        let found = match objective {
            Objective::MaxMin if blind && !sharing => {
                allocation::alike(&groups, asking.gpus).map(|shares| (shares, 1.0))
            }
            Objective::MaxMin if central && !sharing && !groups.is_empty() => {
                Some((centre(&groups, asking.gpus), 1.0))
            }
            Objective::MaxMin | Objective::Makespan => {
                allocation::best(Goal::LeastSpeed, &groups, &pairs, asking.gpus)
            }
            Objective::Throughput => allocation::best(Goal::Sum, &groups, &pairs, asking.gpus),
            Objective::FinishTime => allocation::fairest(&groups, &finish, &pairs, asking.gpus),
        };
        let shares = found.map_or_else(Shares::default, |(shares, _)| shares);
        let none = vec![0.0; asking.gpus.len()];
        let mut all: Vec<Combination> = Vec::new();
        for (at, jobs) in members.iter().enumerate() {
            let shares = shares.alone.get(at).unwrap_or(&none);
            all.extend(
                jobs.iter()
                    .map(|&job| Combination::new((job, None), shares.iter().copied())),
            );
        }
        all.extend(
            nowhere
                .iter()
                .map(|&job| Combination::new((job, None), none.iter().copied())),
        );
        let mut together: BTreeMap<(JobId, JobId), Vec<f64>> = BTreeMap::new();
        for (pair, &share) in pairs.iter().zip(&shares.paired) {
            if share <= 0.0 {
                continue;
            }
            let [a, b] = pair.groups.map(|of| &members[of]);
            for &one in a {
                for &other in b {
                    if pair.groups[0] == pair.groups[1] && one >= other {
                        continue;
                    }
                    let couple = (one.min(other), one.max(other));
                    together.entry(couple).or_insert_with(|| none.clone())[pair.pool] += share;
                }
            }
        }
        let together = together.into_iter();
        all.extend(
            together.map(|((a, b), shares)| Combination::new((a, Some(b)), shares.into_iter())),
        );
        all
    }
}

/// When a job ends, by itself on its n-th part of the cluster and so far.
fn ends(asking: &Asking<'_>, job: JobId, speeds: &[f64], alone: &mut Alone) -> Finish {
    let view = asking.view;
    let remaining = view.remaining(job).unwrap_or(1.0).max(1.0);
    if alone.speed > 0.0 {
        alone.seconds += (alone.remaining - remaining).max(0.0) / alone.speed;
    }
    let jobs = asking.active.len().max(1) as f64;
    let part = 1.0 / (jobs * f64::from(view.gpus(job)));
    let times = asking.gpus.iter().map(|&gpus| f64::from(gpus) * part);
    let sum: f64 = times.clone().sum();
    let speed: f64 = times
        .zip(speeds)
        .map(|(time, speed)| time * speed / sum.max(1.0))
        .sum();
    *alone = Alone {
        seconds: alone.seconds,
        speed,
        remaining,
    };
    Finish {
        elapsed: view.now() - view.submit(job),
        remaining,
        isolated: alone.seconds + remaining / speed,
    }
}

/// Pairs of groups that get more done together than in turns.
fn pairs(asking: &Asking<'_>, groups: &[Group], members: &[Vec<JobId>]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for b in 0..groups.len() {
        for a in 0..=b {
            if groups[a].gpus != groups[b].gpus || (a == b && groups[a].jobs < 2) {
                continue;
            }
            for pool in 0..asking.gpus.len() {
                if groups[a].speeds[pool] <= 0.0 || groups[b].speeds[pool] <= 0.0 {
                    continue;
                }
                let keeps = asking
                    .view
                    .rates_together(members[a][0], members[b][0], pool);
                if let Some(keeps) = keeps.filter(|keeps| keeps.iter().sum::<f64>() > 1.0) {
                    pairs.push(Pair {
                        groups: [a, b],
                        pool,
                        keeps,
                    });
                }
            }
        }
    }
    pairs
}
