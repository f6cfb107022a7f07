//! The queues of a policy that sorts jobs by attained service (Tiresias, NSDI'19 §3.2.3): queue i
//! holds jobs between one threshold and the next, the last queue all beyond.

use crate::stage::{Stage, StageRun};
use switchyard::engine::Measure;
use switchyard::job::JobId;
use switchyard::policies::{Levels, PolicySpec};
use switchyard::workload::Workload;

/// A policy's queues, from the highest (0) to the lowest.
#[derive(Clone, Debug, PartialEq)]
pub struct Queues {
    /// Ascending: one fewer than there are queues.
    thresholds: Vec<f64>,
    /// The last queue's far end on the page.
    most: f64,
    /// What the policy sorts by, and its thresholds are of.
    measure: Measure,
}

/// Where the last queue begins if it is the only one: a logarithmic scale has no 0.
const LEAST: f64 = 1.0;

/// Jobs of one queue at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crowd {
    /// Jobs on GPUs.
    pub running: usize,
    /// Jobs without.
    pub waiting: usize,
}

impl Queues {
    /// The queues of a policy for these jobs; `None`: it has none.
    pub fn of(policy: &PolicySpec, workload: &Workload) -> Option<Self> {
        let Levels {
            thresholds,
            measure,
        } = policy.levels()?;
        let largest = workload
            .jobs
            .iter()
            .map(|job| measure.of(job.work.seconds(), job.gpus))
            .fold(0.0, f64::max);
        Some(Self::new(thresholds, largest, measure))
    }

    fn new(thresholds: Vec<f64>, largest: f64, measure: Measure) -> Self {
        let last = thresholds.last().copied().unwrap_or(LEAST);
        Self {
            thresholds,
            most: largest.max(10.0 * last),
            measure,
        }
    }

    /// What the policy sorts by: all that is said of its queues is in this measure's unit.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.thresholds.len() + 1
    }

    /// From which service to which a queue holds jobs; the last one has no end.
    pub fn bounds(&self, queue: usize) -> (f64, Option<f64>) {
        let low = queue
            .checked_sub(1)
            .and_then(|i| self.thresholds.get(i))
            .copied()
            .unwrap_or(0.0);
        (low, self.thresholds.get(queue).copied())
    }

    /// Where a service lies between the queue's ends, 0 to 1: in proportion, and by its logarithm
    /// in the last queue, which has none.
    pub fn part(&self, queue: usize, service: f64) -> f64 {
        let part = match self.bounds(queue) {
            (low, Some(high)) => (service - low) / (high - low),
            (low, None) => {
                let low = low.max(LEAST);
                (service.max(low) / low).ln() / (self.most / low).ln()
            }
        };
        part.clamp(0.0, 1.0)
    }

    /// The service at a place between the queue's ends.
    pub fn service(&self, queue: usize, part: f64) -> f64 {
        match self.bounds(queue) {
            (low, Some(high)) => low + (high - low) * part,
            (low, None) => {
                let low = low.max(LEAST);
                low * (self.most / low).powf(part)
            }
        }
    }

    /// The queue a job stands in at the clock's time, and what counts of its service there.
    pub fn place(&self, job: JobId, stage: &Stage, run: &StageRun) -> (usize, f64) {
        let queue = (run.moment.level(job) as usize).min(self.count() - 1);
        let counted = run.attained_in_queue(job, stage.clock.now, self.measure);
        (queue, counted)
    }

    /// How many run and wait in each queue at the clock's time.
    pub fn crowds(&self, run: &StageRun) -> Vec<Crowd> {
        let mut crowds = vec![Crowd::default(); self.count()];
        let last = crowds.len() - 1;
        for &job in run.moment.running() {
            crowds[(run.moment.level(job) as usize).min(last)].running += 1;
        }
        for &job in run.moment.waiting() {
            crowds[(run.moment.level(job) as usize).min(last)].waiting += 1;
        }
        crowds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::job::Job;

    #[test]
    fn a_place_in_a_queue_and_its_service_are_inverse() {
        let queues = Queues::new(vec![100.0, 400.0], 400_000.0, Measure::Service);
        assert_eq!(queues.count(), 3);
        assert_eq!(queues.bounds(1), (100.0, Some(400.0)));
        assert_eq!(queues.bounds(2), (400.0, None));
        assert_eq!(queues.part(0, 50.0), 0.5);
        assert_eq!(queues.part(1, 175.0), 0.25);
        // Decades in the last one: 400 … 400,000.
        assert!((queues.part(2, 4_000.0) - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(queues.part(1, 50.0), 0.0);
        assert_eq!(queues.part(2, 1e12), 1.0);
        for (queue, part) in [(0, 0.2), (1, 0.9), (2, 0.5)] {
            assert!((queues.part(queue, queues.service(queue, part)) - part).abs() < 1e-12);
        }
    }

    #[test]
    fn queues_by_time_are_in_seconds() {
        let job = Job::plain(0.0, 4, 100_000.0);
        let workload = Workload {
            jobs: vec![job],
            ..Workload::default()
        };
        let far_end = |policy: &str| {
            let policy = policy.parse().expect("a policy");
            let queues = Queues::of(&policy, &workload).expect("queues");
            (queues.service(2, 1.0).round(), queues.measure().unit())
        };
        assert_eq!(far_end("tiresias-las"), (400_000.0, "GPU·s"));
        assert_eq!(far_end("tiresias-las[measure=time]"), (100_000.0, "s"));
    }

    #[test]
    fn a_single_queue_is_logarithmic_from_one_gpu_second() {
        let queues = Queues::new(vec![], 1000.0, Measure::Service);
        assert_eq!(queues.part(0, 0.0), 0.0);
        assert_eq!(queues.part(0, 1000.0), 1.0);
    }
}
