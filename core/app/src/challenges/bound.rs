//! What no scheduler gets below, whatever it knows, as long as it gives a GPU to one job at a time. In: a challenge's
//! workload. Out: a lower bound of each figure of its goal.
//!
//! **The relaxation.** Take all G GPUs of the cluster for one machine, and let jobs be divided at will: no gangs, no nodes,
//! nothing fails or is slow, a restart costs nothing. Job j came at r, and needs g GPUs for d seconds: the machine does it in
//! p = g·d / G seconds. Whatever a scheduler does on the cluster, this machine can do, since jobs never use more than
//! G GPUs: at each moment it gives each job the part of itself that the job's GPUs are of G. Only work that is not lost
//! counts. So each figure is at least what is best on this machine. Three bounds follow; the greatest is taken.
//!
//! 1. *Alone.* No job is done before r + d, so each JCT is at least d, and so are means, and percentiles of the same jobs.
//! 2. *SRPT.* The mean completion time on one machine is least if the job with the least left goes first (Schrage, Operations
//!    Research 16, 1968).
//! 3. *Mean busy dates* (Goemans and others, SIAM J. Discrete Math. 15, 2002), for any weights w of jobs. Let M be the mean of
//!    the moments at which the machine works at a job. On the cluster a job is at most g GPUs wide, so that its work takes up at
//!    least d seconds before its end C, and C ≥ M + d/2. And Σ w·M = Σ (w/p)·∫ t·x(t) dt, where x is the part of the machine
//!    that the job has: each unit of work has the price w/p, and what is done at t costs t times that. The sum is least if
//!    at each moment the dearest work that is there is done: if cheaper work were done before dearer work that is there already,
//!    to exchange the two would lower it. So Σ w·C ≥ Σ w·(M* + d/2), with M* of the schedule that does the dearest first.
//!
//! **Jobs that train** may use more GPUs than they ask for, and other batches. A batch of M samples is worth at most
//! M / M0 steps at M0 (the gain is at most the scale, as M ≥ M0), and no GPU takes less time for a sample than with the largest
//! batch that it holds and none to wait for: the time of a step is linear in its samples, with a part that is there always.
//! So training takes at least (progress · M0 · time of that step / its samples) GPU·s, and on all GPUs at once 1/G of it.
//!
//! **Deadlines.** From any moment s on, the jobs that come after it have on the machine at best all of it, and all of them at
//! s. Then the fewest are late if they go in order of when they are due, and each time one would be late the longest so far
//! is left out (Moore, Management Science 15, 1968). The greatest number over all s is a lower bound of how many are late.

use super::challenge::Challenge;
use super::goal::{Goal, by_tenant, due_after, per_timely};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use switchyard::job::Work;
use switchyard::order::{self, ByValue};
use switchyard::report::Distribution;
use switchyard::workload::Workload;

/// A job on the machine.
#[derive(Clone, Copy)]
struct Relaxed {
    /// When it comes.
    submit: f64,
    /// Seconds of all of the machine.
    whole: f64,
    /// The least seconds from its start to its end.
    alone: f64,
    /// What a second of its completion counts.
    weight: f64,
}

/// Lower bounds of the figures of a challenge's goal.
pub fn bound(challenge: &Challenge, workload: &Workload) -> [f64; 2] {
    let gpus = f64::from(challenge.sample().cluster_spec().gpus());
    let mut jobs = relaxed(workload, gpus);
    let alone: Vec<f64> = jobs.iter().map(|job| job.alone).collect();
    match challenge.goal {
        Goal::Jct => {
            let [mean, p95] = challenge.goal.figures(workload, &alone);
            let mean = mean.max(by_shortest(&jobs)).max(by_busy_dates(&jobs));
            [mean, p95]
        }
        Goal::Tenants => {
            let tenants = by_tenant(workload);
            let mut p95 = 0.0;
            for of in &tenants {
                let share = tenants.len() as f64;
                for &job in of {
                    jobs[job].weight = 1.0 / share / of.len() as f64;
                }
                let alone = of.iter().map(|&job| alone[job]).collect();
                p95 += Distribution::of(alone).p95 / share;
            }
            let [mean, _] = challenge.goal.figures(workload, &alone);
            [mean.max(by_busy_dates(&jobs)), p95]
        }
        Goal::Deadlines => per_timely(jobs.len(), late(workload, &jobs)),
    }
}

fn relaxed(workload: &Workload, gpus: f64) -> Vec<Relaxed> {
    let weight = 1.0 / workload.jobs.len() as f64;
    let jobs = workload.jobs.iter().map(|job| {
        let (work, alone) = match job.work {
            Work::Fixed { duration } => (f64::from(job.gpus) * duration, duration),
            Work::Adaptive {
                application, scale, ..
            } => {
                let of = &workload.applications[application as usize];
                let most = of.limits.max_local;
                let sample = of.step_times(&[1], most).step / f64::from(most);
                let work = scale * of.total_progress() * f64::from(of.limits.m0) * sample;
                (work, work / gpus)
            }
        };
        Relaxed {
            submit: job.submit.seconds(),
            whole: work / gpus,
            alone,
            weight,
        }
    });
    jobs.collect()
}

/// The least mean of completion times less submissions on one machine: the job with the least left goes first.
fn by_shortest(jobs: &[Relaxed]) -> f64 {
    let mut sum = 0.0;
    let mut now = 0.0;
    // Who is there, by what is left.
    let mut there: BinaryHeap<Reverse<(ByValue, usize)>> = BinaryHeap::new();
    let mut left: Vec<f64> = jobs.iter().map(|job| job.whole).collect();
    for next in 0..=jobs.len() {
        let until = jobs.get(next).map_or(f64::INFINITY, |job| job.submit);
        while let Some(Reverse((_, job))) = there.pop() {
            if now + left[job] <= until {
                now += left[job];
                sum += now - jobs[job].submit;
            } else {
                left[job] -= until - now;
                there.push(Reverse((ByValue::of(left[job]), job)));
                break;
            }
        }
        now = until;
        if next < jobs.len() {
            there.push(Reverse((ByValue::of(left[next]), next)));
        }
    }
    sum / jobs.len() as f64
}

/// A lower bound of the weighted sum of completion times less submissions, by mean busy dates.
fn by_busy_dates(jobs: &[Relaxed]) -> f64 {
    let mut now = 0.0;
    let mut there: BinaryHeap<(ByValue, usize)> = BinaryHeap::new();
    let mut left: Vec<f64> = jobs.iter().map(|job| job.whole).collect();
    // ∫ t·x(t) dt of each.
    let mut dates = vec![0.0; jobs.len()];
    for next in 0..=jobs.len() {
        let until = jobs.get(next).map_or(f64::INFINITY, |job| job.submit);
        while let Some(&(_, job)) = there.peek() {
            let end = until.min(now + left[job]);
            dates[job] += (end - now) * (end + now) / 2.0;
            left[job] -= end - now;
            if end < until {
                left[job] = 0.0;
                there.pop();
            }
            now = end;
            if now >= until {
                break;
            }
        }
        now = until;
        if let Some(job) = jobs.get(next) {
            there.push((ByValue::of(job.weight / job.whole), next));
        }
    }
    let each = jobs
        .iter()
        .zip(dates)
        .map(|(job, date)| job.weight * (date / job.whole + job.alone / 2.0 - job.submit));
    each.sum()
}

/// How many jobs are late at least.
fn late(workload: &Workload, jobs: &[Relaxed]) -> usize {
    // Seconds of the machine and when it is due, in that order.
    let due = workload.jobs.iter().zip(jobs).map(|(job, of)| {
        let due = of.submit + due_after(job.work.seconds());
        (due, of.whole, of.submit)
    });
    let mut due: Vec<(f64, f64, f64)> = due.collect();
    due.sort_by(|a, b| order::by_value(&a.0, &b.0));
    let from = |begin: f64| {
        let mut now = begin;
        let mut kept: BinaryHeap<ByValue> = BinaryHeap::new();
        let mut late = 0;
        for &(due, whole, _) in due.iter().filter(|&&(_, _, submit)| submit >= begin) {
            now += whole;
            kept.push(ByValue::of(whole));
            if now > due
                && let Some(longest) = kept.pop()
            {
                now -= longest.value();
                late += 1;
            }
        }
        late
    };
    jobs.iter().map(|job| from(job.submit)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(submit: f64, whole: f64) -> Relaxed {
        Relaxed {
            submit,
            whole,
            alone: whole,
            weight: 0.5,
        }
    }

    /// By hand: the long one begins, the short one overtakes it.
    #[test]
    fn the_shortest_goes_first() {
        let jobs = [job(0.0, 10.0), job(2.0, 1.0)];
        assert_eq!(by_shortest(&jobs), (11.0 + 1.0) / 2.0);
        // The dearest work goes first: 2..3 the second, 0..2 and 3..11 the first.
        let first = (2.0 * 1.0 + 8.0 * 7.0) / 10.0 + 5.0;
        let second = 2.5 + 0.5 - 2.0;
        assert!((by_busy_dates(&jobs) - 0.5 * (first + second)).abs() < 1e-12);
    }

    /// Where one machine does one job after the other, the bounds are what it does.
    #[test]
    fn jobs_that_do_not_meet_take_as_long_as_they_take() {
        let jobs = [job(0.0, 4.0), job(10.0, 6.0)];
        assert_eq!(by_shortest(&jobs), 5.0);
        assert!((by_busy_dates(&jobs) - 5.0).abs() < 1e-12);
    }
}
