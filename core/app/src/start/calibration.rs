//! How often such answers are right: questions about jobs of which it is known when they started under the policy, each
//! asked at the job's submission by what was known then.

use super::answer::Answer;
use rand_xoshiro::rand_core::SeedableRng;
use serde::Serialize;
use switchyard::Time;
use switchyard::draw::{Rng, below};
use switchyard::engine::{EventKind, RunLog};
use switchyard::job::JobId;
use switchyard::order::by_value;
use switchyard::report::percentile;
use switchyard::workload::Workload;

/// Jobs of the held-out part of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOut {
    /// How many there are that start in the end.
    pub jobs: usize,
    /// How many of them start at their submission: whoever asks is told so, and rightly.
    pub at_once: usize,
    /// Some that wait, with their starts, to be asked about.
    pub questions: Vec<(JobId, Time)>,
}

/// One question with its answers, and what happened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Asking {
    /// The job.
    pub job: JobId,
    /// Seconds that it waited.
    pub waited: f64,
    /// Between these waits nine of ten answers lie.
    pub from: f64,
    /// The wait that half of the answers are below.
    pub half: f64,
    /// The end of the interval.
    pub to: f64,
    /// The wait by the plain method: all run to their limits.
    pub plain: f64,
}

/// How often answers were right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// Jobs of the held-out part.
    pub jobs: usize,
    /// How many of them started at once.
    pub at_once: usize,
    /// Questions about jobs that waited.
    pub questions: usize,
    /// The share of these whose start lay in the interval of nine in ten.
    pub covered: f64,
    /// The same over all jobs, where those that start at once count as told rightly.
    pub covered_of_all: f64,
    /// The share that started before the interval, and after it.
    pub before: f64,
    /// See [`before`](Self::before).
    pub after: f64,
    /// The share that started no later than the time before which it was to be in nine of ten cases (the interval's end
    /// is exceeded in one of twenty).
    pub by_the_end: f64,
    /// Half of the intervals are no longer, seconds.
    pub width: f64,
    /// Half of the medians are off by no more, seconds.
    pub error: f64,
    /// Half of the jobs waited no longer, seconds.
    pub waited: f64,
    /// By the plain method: the share that started no later than told.
    pub plain_covered: f64,
    /// By the plain method: half of the starts are off by no more, seconds.
    pub plain_error: f64,
}

/// When each job first started.
fn starts(workload: &Workload, log: &RunLog) -> Vec<Option<Time>> {
    let mut starts = vec![None; workload.jobs.len()];
    for event in (0..log.events()).map(|at| log.event(at)) {
        if event.kind == EventKind::Start {
            starts[event.job.index()] = Some(event.time);
        }
    }
    starts
}

impl HeldOut {
    /// Jobs after this part of all, in order, of a run that has ended; so many of those that wait are asked about.
    pub fn of(workload: &Workload, log: &RunLog, from: f64, questions: usize, seed: u64) -> Self {
        let starts = starts(workload, log);
        let first = (workload.jobs.len() as f64 * from.clamp(0.0, 1.0)) as usize;
        let jobs = workload.jobs.iter().zip(&starts).enumerate().skip(first);
        let started = jobs.filter(|(_, (job, _))| !job.is_on_cores());
        let started: Vec<(JobId, Time, bool)> = started
            .filter_map(|(at, (job, start))| {
                let start = (*start)?;
                Some((JobId(at as u32), start, start > job.submit))
            })
            .collect();
        let mut waiting: Vec<(JobId, Time)> = (started.iter().filter(|of| of.2))
            .map(|&(job, start, _)| (job, start))
            .collect();
        let (jobs, at_once) = (started.len(), started.len() - waiting.len());
        let mut rng = Rng::seed_from_u64(seed);
        let many = questions.min(waiting.len());
        for at in 0..many {
            let other = at + below(&mut rng, (waiting.len() - at) as u32) as usize;
            waiting.swap(at, other);
        }
        waiting.truncate(many);
        waiting.sort();
        Self {
            jobs,
            at_once,
            questions: waiting,
        }
    }
}

impl Asking {
    /// Of a job that started then, and was told so.
    pub fn of(
        workload: &Workload,
        (job, start): (JobId, Time),
        answer: &Answer,
        plain: Time,
    ) -> Self {
        let submit = workload.jobs[job.index()].submit;
        let wait = |chance| answer.quantile(chance) - submit.seconds();
        Self {
            job,
            waited: start - submit,
            from: wait(0.05),
            half: wait(0.5),
            to: wait(0.95),
            plain: plain - submit,
        }
    }
}

impl Calibration {
    /// Of these askings of so many held-out jobs, of which so many started at once.
    pub fn of(held_out: &HeldOut, askings: &[Asking]) -> Self {
        let share = |is_such: &dyn Fn(&Asking) -> bool| {
            let such = askings.iter().filter(|of| is_such(of)).count();
            such as f64 / askings.len() as f64
        };
        let median = |value: &dyn Fn(&Asking) -> f64| {
            let mut values: Vec<f64> = askings.iter().map(value).collect();
            values.sort_by(by_value);
            percentile(&values, 50.0)
        };
        // To the microsecond: what is told goes through a subtraction.
        let slack = 1e-6;
        let before = share(&|of| of.waited < of.from - slack);
        let after = share(&|of| of.waited > of.to + slack);
        let covered = 1.0 - before - after;
        let at_once = held_out.at_once as f64 / held_out.jobs as f64;
        Self {
            jobs: held_out.jobs,
            at_once: held_out.at_once,
            questions: askings.len(),
            covered,
            covered_of_all: at_once + (1.0 - at_once) * covered,
            before,
            after,
            by_the_end: 1.0 - after,
            width: median(&|of| of.to - of.from),
            error: median(&|of| (of.half - of.waited).abs()),
            waited: median(&|of| of.waited),
            plain_covered: share(&|of| of.waited <= of.plain + slack),
            plain_error: median(&|of| (of.plain - of.waited).abs()),
        }
    }
}
