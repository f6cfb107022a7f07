//! Jobs that come after the moment: days of the weeks before, each day of one of them, hour by hour as it was. Where
//! less than a week is known, any earlier stretch as long as a day; where less than a day is, what there is, again.

use super::durations::{Durations, Factors};
use super::past::{Past, Stage};
use switchyard::Time;
use switchyard::draw::{Rng, below};
use switchyard::job::{Job, Work};
use switchyard::workload::Workload;

const DAY: f64 = 86_400.0;

/// Of so many weeks before a day may be.
const WEEKS: u32 = 8;

/// No more come in one draw.
const MOST: usize = 1_000_000;

/// A job that comes later: it is like that one.
pub(super) struct Arrival {
    pub(super) like: usize,
    pub(super) job: Job,
}

/// What comes in so many seconds after the moment, in order.
pub(super) fn draw(
    workload: &Workload,
    past: &Past,
    durations: &Durations,
    (asked, moment, horizon): (usize, f64, f64),
    factors: &mut Factors,
    rng: &mut Rng,
) -> Vec<Arrival> {
    let jobs = &workload.jobs;
    let mut arrivals: Vec<Arrival> = Vec::new();
    let mut from = moment;
    while from < moment + horizon && moment > 0.0 && arrivals.len() < MOST {
        let span = DAY.min(moment);
        let back = offset(from, moment, span, rng);
        let until = (from + span).min(moment + horizon);
        let first = jobs.partition_point(|job| job.submit.seconds() <= from - back);
        let came = jobs[first..].iter().enumerate();
        let came = came.take_while(|(_, job)| job.submit.seconds() <= (until - back).min(moment));
        for (at, job) in came {
            let like = first + at;
            if like == asked || past.stages[like] == Stage::Rejected {
                continue;
            }
            let seconds = match past.stages[like] {
                Stage::Ended(seconds) => seconds,
                _ => {
                    let what = (past.kinds[like], past.batches[like]);
                    durations.draw(what, 0.0, job.demand.time, factors, rng)
                }
            };
            let submit = (job.submit.seconds() + back).max(moment);
            arrivals.push(Arrival {
                like,
                job: Job {
                    submit: Time(submit),
                    work: Work::Fixed { duration: seconds },
                    ..job.clone()
                },
            });
        }
        from = until;
    }
    arrivals
}

/// How long before a stretch that begins at `from` the one lies that is taken for it: all of that before the moment.
fn offset(from: f64, moment: f64, span: f64, rng: &mut Rng) -> f64 {
    let ahead = from + span - moment;
    let week = 7.0 * DAY;
    let least = libm::ceil(ahead / week).max(1.0);
    let most = libm::floor(from / week).min(least + f64::from(WEEKS - 1));
    if most >= least {
        return week * (least + f64::from(below(rng, (most - least) as u32 + 1)));
    }
    let least = libm::ceil(ahead / span).max(1.0);
    let most = libm::floor(from / span);
    match most >= least {
        true => span * (least + f64::from(below(rng, (most - least) as u32 + 1))),
        false => ahead,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;

    #[test]
    fn what_is_taken_lies_before_the_moment_and_at_the_same_hour() {
        let mut rng = Rng::seed_from_u64(3);
        for moment in [
            5.0,
            0.4 * DAY,
            1.7 * DAY,
            6.9 * DAY,
            7.0 * DAY,
            15.3 * DAY,
            99.0 * DAY,
        ] {
            let span = DAY.min(moment);
            for ahead in 0..40 {
                let from = moment + f64::from(ahead) * span;
                let back = offset(from, moment, span, &mut rng);
                let (begin, end) = (from - back, from - back + span);
                assert!(
                    begin > -1e-6 && end < moment + 1e-6,
                    "{moment} {ahead} {back}"
                );
                if moment >= 15.0 * DAY && ahead < 8 {
                    assert_eq!(back % (7.0 * DAY), 0.0);
                }
            }
        }
    }
}
