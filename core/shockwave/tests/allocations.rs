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

    /// No ratio that is less by a little could be had.
    #[test]
    fn themis_has_the_least_largest_ratio(jobs in any_jobs(), gpus in 4..40u32) {
        let jobs: Vec<Job> = jobs.into_iter().filter(|job| job.gang <= gpus).collect();
        let mut themis = Themis::default();
        let shares = themis.allocate(&jobs, gpus);
        let alone = |job: &Job| themis.alone(job.id).expect("it was asked about");
        for job in &jobs {
            let part = f64::from(gpus) / jobs.len() as f64 / f64::from(job.gang);
            prop_assert!((alone(job) * part.min(1.0) / job.left() - 1.0).abs() < 1e-9);
        }
        let each = jobs.iter().zip(&shares);
        let largest = each.map(|(job, share)| (job.age + job.left() / share) / alone(job)).fold(0.0, f64::max);
        let less = largest * (1.0 - 1e-6);
        let least: Vec<f64> = jobs.iter().map(|job| job.left() / (less * alone(job) - job.age)).collect();
        let is_possible = least.iter().all(|share| (0.0..=1.0).contains(share))
            && used(&jobs, &least) <= f64::from(gpus);
        prop_assert!(!is_possible, "{largest}");
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

/// A job of a step per second.
fn waiting(id: usize, remaining: f64, age: f64) -> Job {
    Job {
        id,
        gang: 1,
        throughput: 1.0,
        remaining,
        age,
    }
}

#[test]
fn themis_remembers_what_is_done_until_it_is_told_to_forget() {
    let mut themis = Themis::default();
    // By itself the one has the whole GPU; beside another half of it.
    themis.allocate(&[waiting(0, 100.0, 0.0)], 1);
    let both = [waiting(0, 60.0, 100.0), waiting(1, 60.0, 0.0)];
    let shares = themis.allocate(&both, 1);
    assert_eq!(
        [0, 1].map(|id| themis.alone(id)),
        [Some(160.0), Some(120.0)]
    );
    // (100 + 60 ÷ 0.6) ÷ 160 = 60 ÷ 0.4 ÷ 120.
    assert!((shares[0] - 0.6).abs() < 1e-6, "{shares:?}");
    assert!((shares[1] - 0.4).abs() < 1e-6, "{shares:?}");
    // Who cannot run for a while has done no less.
    themis.allocate(&both[1..], 1);
    themis.allocate(&both, 1);
    assert_eq!(themis.alone(0), Some(160.0));
    themis.keep(|id| id == 1);
    themis.allocate(&both, 1);
    assert_eq!(
        [0, 1].map(|id| themis.alone(id)),
        [Some(120.0), Some(120.0)]
    );
}
