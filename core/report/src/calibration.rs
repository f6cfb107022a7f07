//! How close a run comes to what its trace records: the waits of the same jobs, there and here.

use super::{Distribution, Outcomes};
use crate::job::JobId;
use crate::workload::Workload;
use serde::Serialize;

/// Waits under a minute are alike, whatever their ratio.
const NOTHING: f64 = 60.0;

/// How far a run's waits are from those that the trace records, over the jobs with GPUs that finished and of which it
/// tells when they ran. A wait is all of a job's waiting: its completion time without the time that it ran.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// How many jobs these are.
    pub jobs: u32,
    /// Their waits as recorded, seconds.
    pub recorded: Distribution,
    /// Their waits in the run, seconds.
    pub wait: Distribution,
    /// Their distances |wait − recorded wait|, seconds.
    pub error: Distribution,
    /// The share of them whose waits are both under a minute, or neither more than twice the other.
    pub within_two: f64,
    /// Jobs whose waits differ by more than a second.
    pub off: u32,
}

impl Calibration {
    /// Of a run; `None` where the trace records no start, or all jobs began when they came, as where
    /// traces tell the start alone.
    pub fn of(workload: &Workload, outcomes: &Outcomes) -> Option<Self> {
        let recorded = &workload.recorded;
        let waits = (0..)
            .map(JobId)
            .zip(&workload.jobs)
            .filter(|(_, job)| !job.is_on_cores())
            .filter_map(|(id, job)| {
                let wait = recorded.wait(id, job)?;
                let here = outcomes.queueing[id.index()];
                (!here.is_nan()).then_some((wait, here))
            });
        let waits: Vec<(f64, f64)> = waits.collect();
        if waits.iter().all(|(wait, _)| *wait == 0.0) {
            return None;
        }
        let alike = |(recorded, here): &&(f64, f64)| {
            let (less, more) = if recorded < here {
                (recorded, here)
            } else {
                (here, recorded)
            };
            *more < NOTHING || *more <= 2.0 * less
        };
        let of =
            |value: fn(&(f64, f64)) -> f64| Distribution::of(waits.iter().map(value).collect());
        Some(Self {
            jobs: waits.len() as u32,
            recorded: of(|waits| waits.0),
            wait: of(|waits| waits.1),
            error: of(|waits| (waits.1 - waits.0).abs()),
            off: waits.iter().filter(|(a, b)| (a - b).abs() > 1.0).count() as u32,
            within_two: waits.iter().filter(alike).count() as f64 / waits.len() as f64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::workload::{Recorded, RecordedRun};
    use switchyard_model::Time;

    #[test]
    fn errors_and_the_share_within_a_factor_of_two() {
        let run = |start| {
            Some(RecordedRun {
                start: Time(start),
                seconds: 10.0,
                types: Default::default(),
            })
        };
        let mut workload = Workload {
            jobs: (0..5).map(|_| Job::plain(100.0, 1, 10.0)).collect(),
            recorded: Recorded {
                runs: vec![run(100.0), run(200.0), run(400.0), None, run(150.0)],
                ..Recorded::default()
            },
            ..Workload::default()
        };
        let outcomes = Outcomes {
            queueing: vec![59.0, 200.0, 100.0, 7.0, f64::NAN],
            ..Outcomes::default()
        };
        let found = Calibration::of(&workload, &outcomes).expect("starts are told");
        assert_eq!(found.jobs, 3);
        assert_eq!((found.error.median, found.error.max), (100.0, 200.0));
        assert_eq!(found.recorded.mean, (0.0 + 100.0 + 300.0) / 3.0);
        // The first waits under a minute both times, the second twice as long here.
        assert_eq!(found.within_two, 2.0 / 3.0);
        workload.recorded.runs = vec![run(100.0); 5];
        assert_eq!(Calibration::of(&workload, &outcomes), None);
        workload.recorded.runs.clear();
        assert_eq!(Calibration::of(&workload, &outcomes), None);
    }
}
