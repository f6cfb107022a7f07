//! What a network sees of the waiting jobs: eight numbers of each of at most 128, as in RLScheduler
//! (Zhang et al., SC'20 §III; DIR-LAB/deep-batch-scheduler, commit cd433e3).

use super::{Candidate, Moment, Waiting};

/// How many jobs are seen.
pub const VISIBLE: usize = 128;

/// How many numbers of each.
pub const FEATURES: usize = 8;

/// Waiting counts up to half a day, seconds.
const LONGEST_WAIT: f64 = 43_200.0;

/// Below one, and above none.
const HAIR: f64 = 1e-5;

/// What traces do not tell: memory, user, group and executable.
const UNKNOWN: f32 = 1.0;

/// The waiting jobs that are seen. Of more than [`VISIBLE`], by turns the one that asks for the least time and
/// the one with the fewest GPUs.
pub fn visible(waiting: &Waiting) -> Vec<Candidate> {
    if waiting.len() <= VISIBLE {
        return waiting.iter().copied().collect();
    }
    let mut visible: Vec<Candidate> = Vec::with_capacity(VISIBLE);
    for job in waiting.shortest_and_smallest() {
        if visible.len() == VISIBLE {
            break;
        }
        if !visible.iter().any(|other| other.job == job.job) {
            visible.push(*job);
        }
    }
    visible
}

/// The numbers of one job: waited, time asked for, GPUs, four that are not known, and whether it fits now.
/// `longest`: the largest run time of the trace, seconds.
pub fn features(job: &Candidate, moment: Moment, longest: f64) -> [f32; FEATURES] {
    let part = |value: f64, of: f64| (value / of).min(1.0 - HAIR) as f32;
    let fits = job.gpus <= moment.free;
    [
        part(moment.now - job.submit, LONGEST_WAIT),
        part(job.seconds, longest),
        part(f64::from(job.gpus), f64::from(moment.gpus)),
        UNKNOWN,
        UNKNOWN,
        UNKNOWN,
        UNKNOWN,
        if fits { 1.0 - HAIR } else { HAIR } as f32,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::JobId;

    fn job(id: u32, gpus: u32, seconds: f64) -> Candidate {
        Candidate {
            job: JobId(id),
            submit: 0.0,
            gpus,
            seconds,
        }
    }

    #[test]
    fn of_many_the_shortest_and_the_smallest_are_seen_by_turns() {
        let seen = |jobs: Vec<Candidate>| -> Vec<u32> {
            let seen = visible(&jobs.into_iter().collect());
            seen.iter().map(|of| of.job.0).collect()
        };
        // The later, the shorter and the larger.
        let many = |count: u32| {
            let jobs = (0..count).map(|i| job(i, 1 + i, f64::from(1_000 - i)));
            jobs.collect::<Vec<_>>()
        };
        assert!(seen(many(128)).into_iter().eq(0..128));
        let of_200 = seen(many(200));
        assert_eq!(of_200.len(), VISIBLE);
        assert_eq!(of_200[..4], [199, 0, 198, 1]);
        // The same job by both orders is seen once.
        let same = (0..130).map(|i| job(i, 1, 5.0)).collect();
        assert!(seen(same).into_iter().eq(0..128));
    }

    #[test]
    fn numbers_stay_below_one() {
        let moment = Moment {
            now: 21_600.0,
            free: 4,
            gpus: 8,
        };
        let seen = features(&job(0, 4, 50.0), moment, 100.0);
        assert_eq!(seen, [0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 0.999_99]);
        let late = Moment {
            now: 1e6,
            free: 3,
            ..moment
        };
        let seen = features(&job(0, 8, 100.0), late, 100.0);
        assert_eq!(seen[..3], [0.999_99; 3]);
        assert_eq!(seen[7], 1e-5);
    }
}
