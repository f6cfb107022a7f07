//! Sequences of a trace's jobs, each a workload of its own, as RLScheduler (Zhang et al., SC'20;
//! DIR-LAB/deep-batch-scheduler, commit cd433e3) draws them to compare schedulers and to train one.

use crate::Time;
use crate::trace::Trace;
use rand_mt::Mt;
use std::sync::Arc;
use switchyard_model::Workload;

/// The first eight bytes of SHA-512 of "1", with which its generator is seeded when it is asked for
/// seed 1.
const SEED: u64 = 0x23a8_f040_a34e_ff4d;

/// The jobs submitted in a trace's first days, and those of later ones: what a scheduler learns from, and
/// what it is judged by. None is in both.
pub fn at_days(mut trace: Trace, days: f64) -> (Trace, Trace) {
    let submits = trace.records.iter().map(|record| record.submit);
    let last = submits.fold(f64::INFINITY, f64::min) + days * 86_400.0;
    let mut after = trace.clone();
    trace.records.retain(|record| record.submit < last);
    after.records.retain(|record| record.submit >= last);
    (trace, after)
}

/// A trace's jobs to cut sequences from.
pub struct Sequences {
    workload: Workload,
    /// What the trace's own clock shows when the first job arrives.
    zero: f64,
}

/// Jobs that follow one another in a trace.
#[derive(Clone)]
pub struct Sequence {
    /// They, the first at time 0.
    pub workload: Arc<Workload>,
    /// What the trace's own clock shows then, seconds.
    pub zero: f64,
}

impl Sequences {
    /// All jobs of a trace.
    pub fn of(trace: &Trace) -> Self {
        let submits = trace.records.iter().map(|record| record.submit);
        let zero = submits.reduce(f64::min).unwrap_or(0.0);
        Self {
            workload: trace.workload(),
            zero,
        }
    }

    /// All of these jobs, the first of which arrives at 0 on their trace's clock.
    pub fn of_workload(workload: Workload) -> Self {
        Self {
            workload,
            zero: 0.0,
        }
    }

    /// How many jobs there are.
    pub fn len(&self) -> usize {
        self.workload.jobs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.workload.jobs.is_empty()
    }

    /// The largest run time of all, seconds.
    pub fn longest(&self) -> f64 {
        let seconds = self.workload.jobs.iter().map(|job| job.work.seconds());
        seconds.fold(0.0, f64::max)
    }

    /// The most GPUs that one asks for.
    pub fn widest(&self) -> u32 {
        let gpus = self.workload.jobs.iter().map(|job| job.gpus);
        gpus.max().unwrap_or(0)
    }

    /// So many jobs from the `start`-th on, or as many as there are.
    pub fn cut(&self, start: usize, length: usize) -> Sequence {
        let jobs = self.workload.jobs.iter().skip(start).take(length);
        let mut jobs: Vec<_> = jobs.cloned().collect();
        let first = jobs.first().map_or(Time::ZERO, |job| job.submit);
        for job in &mut jobs {
            job.submit = Time(job.submit - first);
        }
        let workload = Workload {
            jobs,
            tenants: self.workload.tenants.clone(),
            models: self.workload.models.clone(),
            gpu_types: self.workload.gpu_types.clone(),
            unit: self.workload.unit,
            recorded: Default::default(),
            epoch: self.workload.epoch.map(|epoch| epoch + first.seconds()),
            applications: self.workload.applications.clone(),
        };
        Sequence {
            workload: Arc::new(workload),
            zero: self.zero + first.seconds(),
        }
    }

    /// Where sequences begin that are published figures: `count` of seed 1, of `length` jobs and with as
    /// many before them; `None` where the trace is too short.
    pub fn published(&self, count: usize, length: usize) -> Option<Vec<usize>> {
        // NumPy's `RandomState.randint(length, jobs - length - 1)`.
        let most = self.len().checked_sub(2 * length + 2)? as u32;
        let mask = u32::MAX.checked_shr(most.leading_zeros()).unwrap_or(0);
        let mut random = Mt::new_with_key([SEED as u32, (SEED >> 32) as u32]);
        let drawn = std::iter::repeat_with(|| random.next_u32() & mask);
        let starts = drawn.filter(|&at| at <= most).take(count);
        Some(starts.map(|at| length + at as usize).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;

    fn sequences(jobs: u32) -> Sequences {
        let job = |i: u32| Job {
            name: i.to_string().into(),
            ..Job::plain(f64::from(i) * 7.0, 1 + i % 3, 1.0 + f64::from(i))
        };
        let workload = Workload {
            jobs: (0..jobs).map(job).collect(),
            epoch: Some(1_710_252_300.0),
            ..Workload::default()
        };
        Sequences {
            workload,
            zero: 100.0,
        }
    }

    #[test]
    fn a_sequence_keeps_its_date() {
        let cut = sequences(20).cut(3, 5);
        assert_eq!(cut.workload.epoch, Some(1_710_252_321.0));
    }

    #[test]
    fn ten_windows_begin_where_the_published_ones_do() {
        let expected = [1981, 2756, 4299, 8850, 3316, 2714, 5228, 7762, 4022, 7085];
        let drawn = sequences(10_000).published(10, 1024);
        assert_eq!(drawn.expect("it is long enough"), expected);
        assert_eq!(sequences(2_050).published(3, 1024), Some(vec![1024; 3]));
        assert_eq!(sequences(2_049).published(3, 1024), None);
    }

    #[test]
    fn before_and_after_have_no_job_in_common_and_all_together() {
        let generator = crate::workload::LublinGenerator {
            jobs: 2_000,
            processors: 64,
            seed: 3,
        };
        let trace = generator.generate();
        let first = trace.records.iter().map(|record| record.submit);
        let cut = first.fold(f64::INFINITY, f64::min) + 2.5 * 86_400.0;
        let (before, after) = at_days(trace.clone(), 2.5);
        assert!(before.records.len() > 100 && after.records.len() > 100);
        assert!(before.records.iter().all(|record| record.submit < cut));
        assert!(after.records.iter().all(|record| record.submit >= cut));
        assert_eq!(before.records.len() + after.records.len(), 2_000);
        assert_eq!(at_days(trace.clone(), 0.0).1, trace);
    }

    #[test]
    fn a_sequence_begins_at_zero_and_knows_the_clock() {
        let all = sequences(20);
        assert_eq!((all.longest(), all.widest()), (20.0, 3));
        let cut = all.cut(4, 3);
        assert_eq!(cut.zero, 128.0);
        let submits = cut.workload.jobs.iter().map(|job| job.submit.seconds());
        assert_eq!(submits.collect::<Vec<_>>(), [0.0, 7.0, 14.0]);
        assert_eq!(&*cut.workload.jobs[0].name, "4");
        assert_eq!(all.cut(18, 5).workload.jobs.len(), 2);
        assert!(all.cut(30, 5).workload.jobs.is_empty());
    }
}
