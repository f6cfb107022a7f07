//! A trace in a few figures.

use super::Trace;
use crate::percentile::percentile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What `switchyard inspect` prints.
///
/// Percentiles interpolate linearly between the two nearest ranks, so the median of an even
/// number of jobs is the mean of the middle two.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inspection {
    /// The format's stable name.
    pub format: String,
    /// Rows of the trace, each of which is a job: `gpu_jobs` and all that were dropped.
    pub jobs: u32,
    /// Jobs that can be replayed: at least one GPU, a submission and a positive duration.
    pub gpu_jobs: u32,
    /// Rows left out, by [`DropReason::id`](super::DropReason::id).
    pub dropped: BTreeMap<String, u32>,
    /// The sum of GPUs × duration over `gpu_jobs`, in hours.
    pub gpu_hours: f64,
    /// Durations of `gpu_jobs`, in seconds.
    pub duration: Durations,
    /// GPUs of `gpu_jobs`.
    pub gpus: GpuCounts,
    /// From the first to the last submission, in days of 86,400 s.
    pub span_days: f64,
}

/// Durations in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Durations {
    /// Half of the jobs are shorter.
    pub median: f64,
    /// The arithmetic mean.
    pub mean: f64,
    /// 99 % of the jobs are shorter.
    pub p99: f64,
}

/// GPUs per job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GpuCounts {
    /// The arithmetic mean.
    pub mean: f64,
    /// The largest.
    pub max: u32,
}

impl Trace {
    /// The trace in a few figures; all zero where there are no jobs.
    pub fn inspect(&self) -> Inspection {
        let mut durations: Vec<f64> = self.records.iter().map(|r| r.duration).collect();
        durations.sort_unstable_by(f64::total_cmp);
        let gpus = || self.records.iter().map(|r| r.gpus);
        let service = |r: &super::Record| f64::from(r.gpus) * r.duration;
        let submits = || self.records.iter().map(|r| r.submit);
        let first = submits().fold(f64::INFINITY, f64::min);
        let last = submits().fold(f64::NEG_INFINITY, f64::max);
        let mut dropped = BTreeMap::new();
        for entry in &self.report.dropped {
            dropped.insert(entry.reason.id().to_owned(), entry.count);
        }
        Inspection {
            format: self.format.clone(),
            jobs: self.report.rows_read,
            gpu_jobs: self.report.rows_kept,
            dropped,
            gpu_hours: self.records.iter().map(service).sum::<f64>() / 3600.0,
            duration: Durations {
                median: percentile(&durations, 50.0),
                mean: mean(durations.iter().copied()),
                p99: percentile(&durations, 99.0),
            },
            gpus: GpuCounts {
                mean: mean(gpus().map(f64::from)),
                max: gpus().max().unwrap_or(0),
            },
            span_days: (last - first).max(0.0) / 86_400.0,
        }
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len();
    if count == 0 {
        return 0.0;
    }
    values.sum::<f64>() / count as f64
}
