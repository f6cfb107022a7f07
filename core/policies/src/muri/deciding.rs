//! The rounds. In: a rank for each job. Out: who takes turns with whom.

use super::explaining::{self, Grounds};
use super::layout::Layout;
use super::same_groups;
use crate::job::JobId;
use crate::order;
use crate::{Cadence, Explanation, Policy, Rng, Verdict, rounds};
use std::cmp::Reverse;
use switchyard_engine::{News, Phase, Plan, View};
use switchyard_interleaving::grouping::{Candidate, Group, Grouping, Kind, Options};
use switchyard_placement::Strategy;

/// How groups are made, with these parameters.
pub(crate) fn options(packing: u32, unpack: bool) -> Options {
    Options {
        packing: packing as usize,
        unpack,
        ..Options::default()
    }
}

/// By what jobs are served: less first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rank {
    /// True remaining time × GPUs.
    RemainingService,
    /// Time on GPUs × GPUs.
    AttainedService,
}

impl Rank {
    /// What it is called where decisions are told, and what of it is not GPUs.
    fn names(self) -> [&'static str; 2] {
        match self {
            Self::RemainingService => [
                "remaining service at the last round",
                "its remaining time then",
            ],
            Self::AttainedService => [
                "attained service at the last round",
                "its time on them until then",
            ],
        }
    }

    fn of(self, view: &View<'_>, job: JobId) -> f64 {
        match self {
            Self::RemainingService => self.seconds(view, job) * f64::from(view.gpus(job)),
            Self::AttainedService => view.attained(job),
        }
    }

    /// What of it is not GPUs.
    fn seconds(self, view: &View<'_>, job: JobId) -> f64 {
        match self {
            Self::RemainingService => view.remaining(job).unwrap_or_default(),
            Self::AttainedService => view.held_seconds(job),
        }
    }
}

/// What was measured of jobs: those that are alike are of one kind.
#[derive(Default)]
struct Kinds(Vec<Kind>);

impl Kinds {
    /// A job's kind, by its place among them; none: it takes turns with no other.
    fn of(&mut self, view: &View<'_>, job: JobId) -> Option<usize> {
        let kind = explaining::kind(view, job)?;
        let known = self.0.iter().position(|other| *other == kind);
        Some(known.unwrap_or_else(|| {
            self.0.push(kind);
            self.0.len() - 1
        }))
    }
}

/// Least first, then in order of submission.
fn sort(ranked: &mut [(f64, JobId)]) {
    order::sort_by_key(ranked, |&(rank, job)| (order::ByValue::of(rank), job));
}

pub(crate) struct Muri {
    rank: Rank,
    interval: f64,
    options: Options,
    strategy: Strategy,
    /// In order of submission.
    active: Vec<JobId>,
    kinds: Kinds,
    grouping: Grouping,
    layout: Layout,
    /// At the last round: the jobs by rank, with it.
    ranked: Vec<(f64, JobId)>,
    /// Of each of these what of its rank is not GPUs.
    seconds: Vec<f64>,
}

impl Muri {
    pub(crate) fn new(rank: Rank, interval: f64, options: Options, strategy: Strategy) -> Self {
        Self {
            rank,
            interval,
            options,
            strategy,
            active: Vec::new(),
            kinds: Kinds::default(),
            grouping: Grouping::new(Vec::new(), options),
            layout: Layout::default(),
            ranked: Vec::new(),
            seconds: Vec::new(),
        }
    }

    fn follow(&mut self, view: &View<'_>) {
        for &news in view.news() {
            match news {
                News::Arrived(job) => self.active.push(job),
                News::Finished(job) => {
                    if let Ok(at) = self.active.binary_search(&job) {
                        self.active.remove(at);
                    }
                }
                _ => {}
            }
        }
    }

    /// Those that wait, first the one that comes first; none where nothing is free.
    fn waiting(&self, view: &View<'_>) -> Vec<JobId> {
        if view.free().total() == 0 {
            return Vec::new();
        }
        let waits = |job: &JobId| view.phase(*job) == Phase::Waiting;
        let waiting = self.active.iter().copied().filter(waits);
        let mut ranked: Vec<(f64, JobId)> =
            waiting.map(|job| (self.rank.of(view, job), job)).collect();
        sort(&mut ranked);
        ranked.into_iter().map(|(_, job)| job).collect()
    }

    /// The active jobs, as they are considered.
    fn candidates(&mut self, view: &View<'_>) -> Vec<Candidate> {
        let rank = |&job: &JobId| (self.rank.of(view, job), job);
        self.ranked = self.active.iter().map(rank).collect();
        sort(&mut self.ranked);
        let seconds = |&(_, job): &(f64, JobId)| self.rank.seconds(view, job);
        self.seconds = self.ranked.iter().map(seconds).collect();
        let before = self.kinds.0.len();
        let mut classes = Vec::new();
        let mut candidates = Vec::with_capacity(self.ranked.len());
        for &(rank, job) in &self.ranked {
            let kind = self.kinds.of(view, job);
            // Jobs share only with jobs that need the same of nodes.
            let class = kind.map(|_| {
                let needs = view.needs(job);
                let known = classes.iter().position(|&other| other == needs);
                known.unwrap_or_else(|| {
                    classes.push(needs);
                    classes.len() - 1
                }) as u32
            });
            candidates.push(Candidate {
                gpus: view.gpus(job),
                class,
                kind: kind.unwrap_or_default(),
                rank,
            });
        }
        if self.kinds.0.len() > before {
            self.grouping = Grouping::new(self.kinds.0.clone(), self.options);
        }
        candidates
    }
}

impl Policy for Muri {
    fn cadence(&self) -> Cadence {
        let rounds = rounds::over_all(self.interval, "interval");
        Cadence {
            on_change: true,
            every: rounds.every.filter(|every| every.seconds > 0.0),
        }
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        self.follow(view);
        if self.interval > 0.0 && !view.is_round() {
            let waiting = self.waiting(view);
            self.layout.fill(view, plan, self.strategy, &waiting);
            return;
        }
        let candidates = self.candidates(view);
        let runs_alone =
            |job: &JobId| view.phase(*job) == Phase::Running && view.together(*job).is_empty();
        if self.active.iter().all(runs_alone) {
            return;
        }
        let ranked = &self.ranked;
        let mut room = self.layout.begin(view, self.strategy, ranked);
        let gpus = room.total();
        let mut groups: Vec<Group> = self.grouping.groups(&candidates, &mut room, gpus);
        order::sort_by_key(&mut groups, |group| Reverse(group.gpus));
        let jobs = |group: &Group| group.jobs.iter().map(|&at| ranked[at].1).collect();
        let mut groups: Vec<Vec<JobId>> = groups.iter().map(jobs).collect();
        let kinds = &mut self.kinds;
        let mut known = Vec::new();
        let alike = |job| {
            let of = (kinds.of(view, job), view.gpus(job), view.needs(job));
            let at = known.iter().position(|other| *other == of);
            at.unwrap_or_else(|| {
                known.push(of);
                known.len() - 1
            })
        };
        same_groups::as_before(view, &mut groups, alike);
        let ranked = ranked.iter().map(|&(_, job)| job);
        self.layout.lay(view, plan, self.strategy, &groups, ranked);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let verdict = match view.phase(job) {
            Phase::Running => Verdict::Runs,
            Phase::Waiting => Verdict::TooFewGpus {
                wants: view.gpus(job),
                left: self.layout.left.most(view.needs(job).pools()),
            },
            _ => return Explanation::new(Verdict::NotActive, Vec::new()),
        };
        let grounds = Grounds {
            verdict,
            rank: self.rank.names(),
            ranked: &self.ranked,
            seconds: &self.seconds,
            slowdowns: &self.options.slowdowns,
        };
        explaining::explain(&grounds, view, job)
    }
}
