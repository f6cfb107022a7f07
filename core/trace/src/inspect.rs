//! A trace in a few figures.

use super::Trace;
use crate::{Resource, order, percentile};
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
    /// What all figures of GPUs count.
    pub unit: Resource,
    /// Jobs of the trace: its rows but for those that are a part of a job listed elsewhere.
    pub jobs: u32,
    /// Jobs that can be replayed: at least one GPU, a submission and a positive duration.
    pub gpu_jobs: u32,
    /// Jobs that can be replayed on cores, beside schedulers: they ask for no GPU. Kept where the cluster says its
    /// cores.
    #[serde(skip_serializing_if = "is_none")]
    pub core_jobs: u32,
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

fn is_none(jobs: &u32) -> bool {
    *jobs == 0
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
        let mut durations = Vec::with_capacity(self.records.len());
        let (mut gpus, mut most, mut service) = (0.0, 0, 0.0);
        let start = self.records.first().map_or(0.0, |record| record.submit);
        let (mut first, mut last) = (start, start);
        // In one go: millions of records are too many for a processor's cache.
        for record in &self.records {
            if record.gpus > 0 {
                durations.push(record.duration);
            }
            gpus += f64::from(record.gpus);
            most = most.max(record.gpus);
            service += f64::from(record.gpus) * record.duration;
            if record.submit < first {
                first = record.submit;
            }
            if record.submit > last {
                last = record.submit;
            }
        }
        let gpu_jobs = durations.len() as u32;
        durations.sort_unstable_by(order::by_value);
        let mut dropped = BTreeMap::new();
        for entry in &self.report.dropped {
            dropped.insert(entry.reason.id().to_owned(), entry.count);
        }
        Inspection {
            format: self.format.clone(),
            unit: self.unit,
            jobs: self.report.jobs(),
            gpu_jobs,
            core_jobs: self.records.len() as u32 - gpu_jobs,
            dropped,
            gpu_hours: service / 3600.0,
            duration: Durations {
                median: percentile(&durations, 50.0),
                mean: mean(durations.iter().sum(), durations.len()),
                p99: percentile(&durations, 99.0),
            },
            gpus: GpuCounts {
                mean: mean(gpus, durations.len()),
                max: most,
            },
            span_days: (last - first) / 86_400.0,
        }
    }
}

fn mean(sum: f64, count: usize) -> f64 {
    if count == 0 {
        return 0.0;
    }
    sum / count as f64
}
