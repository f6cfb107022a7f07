//! The multilevel queues that Tiresias' two policies share (NSDI'19 §4.2): K queues by attained
//! service, demotion when a job's service crosses its queue's threshold, and PROMOTEKNOB: a job
//! that has waited `knob` × its executed time goes back to the highest queue, and both counts
//! start anew. What order holds within a queue is the policy's own.

use super::attained_service::with_product;
use super::entry::Levels;
use super::parameters::{Given, param};
use super::priority_walk::PriorityWalk;
use super::{Fact, Mark, ParamInfo, ParamKind};
use crate::Time;
use crate::job::JobId;
use switchyard_engine::{Held, Measure, News, Phase, Plan, View};
use switchyard_explain::{Said, Unit};

pub(super) const QUEUES: ParamInfo = param(
    ParamKind::Int { min: 1, max: 16 },
    "3",
    "How many queues (K); one more than there are thresholds.",
)
.or_called(&["k"]);

pub(super) const THRESHOLDS: ParamInfo = param(
    ParamKind::Ascending,
    "3250:7200",
    "Attained service, in GPU·s, at which a job sinks to the next queue.",
)
.or_called(&["threshold"]);

pub(super) const KNOB: ParamInfo = param(
    ParamKind::Float { min: 0.0, max: 1e9 },
    "0",
    "PROMOTEKNOB: a job that waited knob × its executed time returns to the highest queue; 0: never.",
)
.or_called(&["promoteknob"]);

pub(super) const STRICT: ParamInfo = param(
    ParamKind::Bool,
    "false",
    "Strict: nothing overtakes a waiting job that does not fit. Otherwise work-conserving: what does not fit is skipped.",
);

pub(super) const PACKLIMIT: ParamInfo = param(
    ParamKind::Float { min: 0.0, max: 1.0 },
    "0.3",
    "Of placement=skew: a model whose largest tensor is a larger share than this is consolidated.",
)
.for_experts();

pub(super) const REFIT: ParamInfo = param(
    ParamKind::Bool,
    "false",
    "Of placement=skew: learn the pack limit anew from the progress that finished jobs made where they were placed.",
)
.for_experts();

pub(super) const QUIRKS: ParamInfo = param(
    ParamKind::Bool,
    "false",
    "With the released simulator's bugs, to compare with its original figures.",
)
.for_experts();

/// Whether so many queues have these thresholds between them, where both are given.
pub(super) fn check(queues: &Given<u32>, thresholds: &Given<Vec<f64>>) -> Result<(), String> {
    let wanted = **queues as usize - 1;
    let there = between(queues, thresholds).len();
    let is_free = thresholds.is_given && !queues.is_given;
    match is_free || there == wanted {
        true => Ok(()),
        false => Err(format!(
            "{} queues need {wanted} thresholds, not {there}",
            **queues
        )),
    }
}

/// The K−1 thresholds. `queues` alone keeps the first defaults; thresholds alone set the queues.
fn between(queues: &Given<u32>, thresholds: &Given<Vec<f64>>) -> Vec<f64> {
    let mut all = thresholds.to_vec();
    if !thresholds.is_given {
        all.truncate(**queues as usize - 1);
    }
    all
}

/// The queues that parameters ask for.
pub(super) fn levels(
    queues: &Given<u32>,
    thresholds: &Given<Vec<f64>>,
    measure: Measure,
) -> Levels {
    Levels {
        thresholds: between(queues, thresholds),
        measure,
    }
}

/// One job's place in the queues.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    queue: u32,
    /// Its stays on GPUs until the last promotion: counted from there.
    promoted: Held,
    /// Seconds waited since then, after having run, before the present wait.
    waited: f64,
}

/// Queue membership of every job, and when it changes.
pub(super) struct Multilevel {
    thresholds: Vec<f64>,
    knob: f64,
    measure: Measure,
    /// The released simulator's bug: the next demotion is looked for at (threshold − executed
    /// seconds) ÷ GPUs from now, which is too late.
    late_demotion: bool,
    /// By job.
    standing: Vec<Standing>,
}

impl Multilevel {
    pub(super) fn new(levels: Levels, knob: f64, late_demotion: bool) -> Self {
        Self {
            thresholds: levels.thresholds,
            knob,
            measure: levels.measure,
            late_demotion,
            standing: Vec::new(),
        }
    }

    pub(super) fn admit(&mut self, job: JobId) {
        if self.standing.len() <= job.index() {
            self.standing.resize(job.index() + 1, Standing::default());
        }
        self.standing[job.index()] = Standing::default();
    }

    /// The job's queue, 0 the highest.
    pub(super) fn queue(&self, job: JobId) -> u32 {
        self.standing[job.index()].queue
    }

    /// Where the job's queue ends; infinite for the lowest.
    pub(super) fn upper_limit(&self, queue: u32) -> f64 {
        self.thresholds
            .get(queue as usize)
            .copied()
            .unwrap_or(f64::INFINITY)
    }

    /// The queue for this much attained service.
    pub(super) fn queue_of(&self, attained: f64) -> u32 {
        self.thresholds
            .partition_point(|&threshold| threshold <= attained) as u32
    }

    /// Attained service since the last promotion.
    pub(super) fn attained(&self, view: &View<'_>, job: JobId) -> f64 {
        let promoted = &self.standing[job.index()].promoted;
        view.held(job).attained_since(promoted, self.measure)
    }

    /// Whether demotions are looked for at every event, as the released simulator does.
    pub(super) fn looks_at_every_event(&self) -> bool {
        self.late_demotion
    }

    /// The jobs in this phase whose alarm is due.
    pub(super) fn alarmed(view: &View<'_>, phase: Phase) -> impl Iterator<Item = JobId> {
        view.news().iter().filter_map(move |&news| match news {
            News::Alarm(job) if view.phase(job) == phase => Some(job),
            _ => None,
        })
    }

    /// The jobs that have lost their GPUs to failures, and wait again.
    pub(super) fn evicted(view: &View<'_>) -> impl Iterator<Item = JobId> {
        view.news().iter().filter_map(|&news| match news {
            News::Evicted(job) => Some(job),
            _ => None,
        })
    }

    /// The running jobs that are to sink now: whose alarm is due, or any that has crossed its
    /// threshold where they are looked for at every event.
    pub(super) fn crossing<K>(
        &self,
        view: &View<'_>,
        walk: &PriorityWalk<K>,
        jobs: &mut Vec<JobId>,
    ) {
        jobs.clear();
        if self.late_demotion {
            let running = walk.running.iter().map(|running| running.job);
            jobs.extend(running.filter(|&job| self.has_crossed(view, job)));
        } else {
            jobs.extend(Self::alarmed(view, Phase::Running));
        }
    }

    /// Asks to be called when queues change next, after a walk; `demoted`: who sank before it.
    pub(super) fn watch<K>(
        &self,
        view: &View<'_>,
        plan: &mut Plan,
        walk: &PriorityWalk<K>,
        demoted: &[JobId],
    ) {
        let mut demotion = |job: JobId| {
            if let Some(at) = self.demotion(view, job) {
                plan.alarm(job, at);
            }
        };
        if self.late_demotion {
            walk.running
                .iter()
                .for_each(|running| demotion(running.job));
        } else {
            for &job in demoted {
                if !walk.preempted.iter().any(|lost| lost.job == job) {
                    demotion(job);
                }
            }
            walk.started
                .iter()
                .for_each(|started| demotion(started.job));
        }
        let starts = |job: &JobId| walk.started.iter().any(|started| started.job == *job);
        let preempted = walk.preempted.iter().map(|preempted| preempted.job);
        let evicted = Self::evicted(view).filter(|job| !starts(job));
        for job in preempted.chain(evicted) {
            if let Some(at) = self.promotion(view, job) {
                plan.alarm(job, at);
            }
        }
    }

    /// Whether the job's service has crossed its queue's threshold.
    fn has_crossed(&self, view: &View<'_>, job: JobId) -> bool {
        self.attained(view, job) >= self.upper_limit(self.queue(job))
    }

    /// Sinks the job by one queue and returns it.
    pub(super) fn demote(&mut self, job: JobId) -> u32 {
        let standing = &mut self.standing[job.index()];
        standing.queue += 1;
        standing.queue
    }

    /// Lifts the waiting job to the highest queue; its counts start anew.
    pub(super) fn promote(&mut self, view: &View<'_>, job: JobId) {
        self.standing[job.index()] = Standing {
            queue: 0,
            promoted: view.held(job),
            waited: 0.0,
        };
    }

    /// Counts the wait of a job that is about to run, or has been promoted while it waited.
    pub(super) fn resumes(&mut self, view: &View<'_>, job: JobId) {
        let executed = self.executed(view, job);
        let waited = view.phase(job) == Phase::Waiting;
        let standing = &mut self.standing[job.index()];
        if executed > 0.0 && waited {
            standing.waited += view.now() - view.since(job);
        }
    }

    fn executed(&self, view: &View<'_>, job: JobId) -> f64 {
        let promoted = &self.standing[job.index()].promoted;
        view.held(job).attained_since(promoted, Measure::Time)
    }

    /// When a running job will cross its queue's threshold.
    fn demotion(&self, view: &View<'_>, job: JobId) -> Option<Time> {
        let threshold = *self.thresholds.get(self.queue(job) as usize)?;
        let speed = self.measure.of(1.0, view.gpus(job));
        if self.late_demotion {
            let executed = self.executed(view, job);
            // Whole numbers there: divided without a remainder.
            let whole = libm::floor((threshold - executed) / speed);
            return Some(view.now() + if whole > 1.0 { whole } else { 1.0 });
        }
        let left = threshold - self.attained(view, job);
        Some(view.now() + left.max(0.0) / speed)
    }

    /// When a job that has just lost its GPUs will have waited long enough.
    fn promotion(&self, view: &View<'_>, job: JobId) -> Option<Time> {
        let standing = &self.standing[job.index()];
        (self.knob > 0.0 && standing.queue > 0).then(|| {
            let left = self.knob * self.executed(view, job) - standing.waited;
            view.now() + left.max(0.0)
        })
    }

    /// Queue, service and limits of an active job; none of one that was never admitted.
    pub(super) fn facts(&self, view: &View<'_>, job: JobId) -> Vec<Fact> {
        let Some(standing) = self.standing.get(job.index()) else {
            return Vec::new();
        };
        let queue = standing.queue;
        let attained = |term: &str, value: f64| match self.measure {
            Measure::Time => Fact::span(term, value),
            Measure::Service => Fact::of(term, vec![Said::Exact(value, Unit::GpuSeconds)]),
        };
        let value = self.attained(view, job);
        let mut service = attained("attained service", libm::rint(value));
        if self.measure == Measure::Service {
            let seconds = self.executed(view, job);
            let time = match seconds < view.held_seconds(job) {
                true => "its time on them since it was promoted",
                false => "its time on them",
            };
            service = with_product(service, view, job, (value, seconds), time);
        }
        let mut facts = vec![
            Fact::level("queue", queue, self.thresholds.len() + 1),
            service,
        ];
        if let Some(&threshold) = self.thresholds.get(queue as usize) {
            facts.push(attained("demoted at", threshold));
        }
        if self.knob > 0.0 && view.phase(job) == Phase::Waiting && queue > 0 {
            let wait = self.knob * self.executed(view, job) - standing.waited;
            facts.push(Fact::span("promoted after waiting", wait));
        }
        facts
    }

    /// The thresholds, for a plot over attained service.
    pub(super) fn marks(&self) -> Vec<Mark> {
        let mark = |(queue, &x): (usize, &f64)| Mark {
            x,
            label: format!("Q{}", queue + 2),
        };
        self.thresholds.iter().enumerate().map(mark).collect()
    }
}
