//! Jobs in the order of a number, numbers in any order. (One function for all who sort: each sort of its own makes the
//! page 1 to 2 KB larger, compressed.)

use std::cmp::Ordering;
use switchyard::job::JobId;

/// By number, equals by job.
pub(super) fn by_number(a: &(f64, JobId), b: &(f64, JobId)) -> Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// Sorts by number, equals by job.
pub(super) fn sort(jobs: &mut [(f64, JobId)]) {
    jobs.sort_unstable_by(by_number);
}

/// Sorts numbers, say positions of jobs; those that `order` holds equal in no particular order.
pub(crate) fn sort_numbers(numbers: &mut [u32], order: &dyn Fn(u32, u32) -> Ordering) {
    numbers.sort_unstable_by(|&a, &b| order(a, b));
}
