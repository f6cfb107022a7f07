//! What is replayed, and what comes of it.

use crate::cycle::ResourceTimes;

/// What AntMan promises a job. Other schedulers do not ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// It has its GPUs before others do.
    Guaranteed,
    /// It runs beside others.
    Opportunistic,
}

/// A job of a trace. Times are seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its name in the trace.
    pub id: String,
    /// The GPUs of its gang.
    pub gpus: u32,
    /// When it is submitted.
    pub submit: f64,
    /// How many iterations it has to do.
    pub iterations: f64,
    /// The network that it trains.
    pub model: String,
    /// How long it takes alone by the trace: only Muri-S asks, before the job has run.
    pub duration: f64,
    /// How long an iteration takes alone, with what profiling adds.
    pub iteration_time: f64,
    /// What a start costs, and each event while it runs.
    pub overhead: f64,
    /// What an iteration needs of each resource.
    pub times: ResourceTimes,
    /// What AntMan promises it.
    pub priority: Priority,
}

/// How it went for a job. Times are seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The job, by its place in the trace.
    pub job: usize,
    /// When it ran first.
    pub start: f64,
    /// When it ended.
    pub end: f64,
    /// From submission to end.
    pub jct: f64,
}

/// The published figures. All are seconds, and NaN of no jobs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// The mean job completion time.
    pub mean_jct: f64,
    /// When the last job ended.
    pub makespan: f64,
    /// Of n completion times in ascending order the one at ⌊0.99 n⌋, counted from 0.
    pub p99: f64,
}

/// A replay that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// In the order in which jobs ended.
    pub outcomes: Vec<Outcome>,
}

impl Replay {
    /// Mean, makespan and 99th percentile, as the authors count them (`calc.py`).
    pub fn figures(&self) -> Figures {
        let count = self.outcomes.len();
        let mut jcts: Vec<f64> = self.outcomes.iter().map(|of| of.jct).collect();
        let mean_jct = jcts.iter().sum::<f64>() / count as f64;
        let ends = self.outcomes.iter().map(|of| of.end);
        jcts.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        Figures {
            mean_jct,
            makespan: ends.fold(f64::NAN, f64::max),
            p99: jcts.get(count * 99 / 100).copied().unwrap_or(f64::NAN),
        }
    }
}
