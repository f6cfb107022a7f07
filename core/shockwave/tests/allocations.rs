//! Shares of all schedulers: within their bounds, and no more GPUs than there are.

use proptest::prelude::*;
use switchyard_shockwave::allocations::allox::Allox;
use switchyard_shockwave::allocations::themis::Themis;
use switchyard_shockwave::allocations::{Job, gandiva_fair, gavel, mst, ossp};

fn any_jobs() -> impl Strategy<Value = Vec<Job>> {
    let one = (0..3u32, 1..2000u32, 1..1_000_000u32, 0..50_000u32);
    prop::collection::vec(one, 1..40).prop_map(|jobs| {
        let of = |(id, (gang, speed, remaining, age)): (usize, (u32, u32, u32, u32))| Job {
            id,
            gang: 1 << gang,
            throughput: f64::from(speed) / 10.0,
            remaining: f64::from(remaining),
            age: f64::from(age),
        };
        jobs.into_iter().enumerate().map(of).collect()
    })
}

fn used(jobs: &[Job], shares: &[f64]) -> f64 {
    let each = jobs.iter().zip(shares);
    each.map(|(job, share)| f64::from(job.gang) * share).sum()
}

fn least(jobs: &[Job], shares: &[f64]) -> f64 {
    let each = jobs.iter().zip(shares);
    each.map(|(job, share)| f64::from(job.gang) * share)
        .fold(f64::INFINITY, f64::min)
}

proptest! {
    #[test]
    fn shares_are_parts_of_gpus_that_are_there(jobs in any_jobs(), gpus in 4..40u32) {
        let all = [
            ("gavel", gavel::allocate(&jobs, gpus)),
            ("mst", mst::allocate(&jobs, gpus)),
            ("ossp", ossp::allocate(&jobs, gpus)),
            ("themis", Themis::default().allocate(&jobs, gpus)),
        ];
        for (name, shares) in all {
            prop_assert_eq!(shares.len(), jobs.len());
            let is_part = |share: &f64| (0.0..=1.0 + 1e-9).contains(share);
            prop_assert!(shares.iter().all(is_part), "{name}: {shares:?}");
            let used = used(&jobs, &shares);
            prop_assert!(used <= f64::from(gpus) * (1.0 + 1e-6), "{name}: {used}");
        }
    }

    #[test]
    fn gandiva_fair_gives_equal_shares(jobs in 1..100usize, gpus in 1..40u32) {
        let shares = gandiva_fair::allocate(jobs, gpus);
        prop_assert!(shares.iter().all(|share| *share == shares[0]));
        prop_assert!(shares.iter().sum::<f64>() <= f64::from(gpus) + 1e-9);
    }

    /// Nobody's part of GPUs could be larger without a smaller one for another.
    #[test]
    fn gavel_has_the_largest_least_part(jobs in any_jobs(), gpus in 4..40u32) {
        let found = least(&jobs, &gavel::allocate(&jobs, gpus));
        let narrowest = jobs.iter().map(|job| f64::from(job.gang)).fold(f64::INFINITY, f64::min);
        let best = narrowest.min(f64::from(gpus) / jobs.len() as f64);
        prop_assert!((found - best).abs() < 1e-6, "{found} {best}");
    }

    /// As early as can be, to 5 %: with all GPUs, or the longest job alone.
    #[test]
    fn ossp_ends_nearly_as_early_as_can_be(jobs in any_jobs(), gpus in 4..40u32) {
        let shares = ossp::allocate(&jobs, gpus);
        let left = |job: &Job| job.remaining / job.throughput;
        let work: f64 = jobs.iter().map(|job| left(job) * f64::from(job.gang)).sum();
        let longest = jobs.iter().map(left).fold(0.0, f64::max);
        let bound = (work / f64::from(gpus)).max(longest).max(100.0);
        let each = jobs.iter().zip(&shares).map(|(job, share)| left(job) / share);
        let end = each.fold(0.0, f64::max);
        prop_assert!(end <= bound * 1.05 * (1.0 + 1e-4), "{end} {bound}");
    }

    /// It knows gangs only as one GPU.
    #[test]
    fn allox_gives_whole_gpus(jobs in any_jobs(), gpus in 4..40u32) {
        let mut jobs = jobs;
        jobs.iter_mut().for_each(|job| job.gang = 1);
        let mut allox = Allox::default();
        for _ in 0..3 {
            let shares = allox.allocate(&jobs, gpus);
            prop_assert!(shares.iter().all(|&share| share == 0.0 || share == 1.0));
            let wanted = jobs.len().min(gpus as usize) as f64;
            prop_assert_eq!(used(&jobs, &shares), wanted);
            jobs.remove(0);
            if jobs.is_empty() {
                break;
            }
        }
    }
}
