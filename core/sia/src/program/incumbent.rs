//! Plans to begin with. In: the free jobs, prices, the former plan. Out: the better of two plans that fit.
//!
//! The former plan and the jobs' own choices under the prices are each made to fit, by the exchanges that cost the
//! least per GPU they free, and then improved while one job alone can do better. Of equals the former plan wins, so
//! that nothing moves for nothing.

use super::dual::Prices;
use super::free::{Free, Plan};

/// The better plan.
pub(super) fn best(free: &Free<'_>, prices: &Prices, former: &[Option<usize>]) -> Plan {
    let own = free.options.iter().map(|options| {
        let mut least = (0.0, None);
        for &(column, cost) in options {
            let paid =
                cost as f64 + prices.of[free.kind_of(column)] * f64::from(free.gpus_of(column));
            if paid < least.0 {
                least = (paid, Some(column));
            }
        }
        least.1
    });
    let had = free.options.iter().zip(former).map(|(options, &former)| {
        let still = |&column: &usize| options.iter().any(|&(option, _)| option == column);
        former.filter(still)
    });
    let had = improved(free, had.collect());
    let own = improved(free, own.collect());
    if own.cost < had.cost { own } else { had }
}

/// A plan that fits, from choices that may not.
fn improved(free: &Free<'_>, mut chosen: Vec<Option<usize>>) -> Plan {
    let mut left: Vec<i64> = free.gpus.iter().map(|&gpus| i64::from(gpus)).collect();
    for &column in chosen.iter().flatten() {
        left[free.kind_of(column)] -= i64::from(free.gpus_of(column));
    }
    while let Some(kind) = left.iter().position(|&left| left < 0) {
        let Some((job, to)) = cheapest_exchange(free, &chosen, &left, kind) else {
            break;
        };
        exchange(free, &mut chosen, &mut left, job, to);
    }
    while let Some((job, to)) = best_exchange(free, &chosen, &left) {
        exchange(free, &mut chosen, &mut left, job, to);
    }
    let cost = chosen
        .iter()
        .enumerate()
        .map(|(job, &at)| cost(free, job, at))
        .sum();
    Plan { chosen, cost }
}

fn cost(free: &Free<'_>, job: usize, column: Option<usize>) -> i64 {
    let options = free.options[job].iter();
    let mut of = options.filter(|(option, _)| Some(*option) == column);
    of.next().map_or(0, |(_, cost)| *cost)
}

fn exchange(
    free: &Free<'_>,
    chosen: &mut [Option<usize>],
    left: &mut [i64],
    job: usize,
    to: Option<usize>,
) {
    if let Some(from) = chosen[job] {
        left[free.kind_of(from)] += i64::from(free.gpus_of(from));
    }
    if let Some(to) = to {
        left[free.kind_of(to)] -= i64::from(free.gpus_of(to));
    }
    chosen[job] = to;
}

/// All that a job can have instead.
fn others<'f>(
    free: &'f Free<'_>,
    job: usize,
) -> impl Iterator<Item = (Option<usize>, i64)> + use<'f> {
    let options = free.options[job].iter();
    options
        .map(|&(column, cost)| (Some(column), cost))
        .chain([(None, 0)])
}

/// The exchange that costs the least per GPU of a type that it frees, and overdraws no other.
fn cheapest_exchange(
    free: &Free<'_>,
    chosen: &[Option<usize>],
    left: &[i64],
    kind: usize,
) -> Option<(usize, Option<usize>)> {
    let mut best: Option<(f64, usize, Option<usize>)> = None;
    for (job, &from) in chosen.iter().enumerate() {
        let Some(held) = from.filter(|&from| free.kind_of(from) == kind) else {
            continue;
        };
        let held = i64::from(free.gpus_of(held));
        let now = cost(free, job, from);
        for (to, cost) in others(free, job) {
            let freed = match to {
                Some(to) if free.kind_of(to) == kind => held - i64::from(free.gpus_of(to)),
                Some(to) if left[free.kind_of(to)] < i64::from(free.gpus_of(to)) => 0,
                _ => held,
            };
            // More than is missing counts for nothing.
            let useful = freed.min(-left[kind]);
            if useful <= 0 {
                continue;
            }
            let per_gpu = (cost - now) as f64 / useful as f64;
            if best.is_none_or(|(least, _, _)| per_gpu < least) {
                best = Some((per_gpu, job, to));
            }
        }
    }
    best.map(|(_, job, to)| (job, to))
}

/// The exchange of one job that gains the most and fits.
fn best_exchange(
    free: &Free<'_>,
    chosen: &[Option<usize>],
    left: &[i64],
) -> Option<(usize, Option<usize>)> {
    let mut best: Option<(i64, usize, Option<usize>)> = None;
    for (job, &from) in chosen.iter().enumerate() {
        let now = cost(free, job, from);
        for (to, cost) in others(free, job) {
            let Some(column) = to.filter(|_| cost < now) else {
                continue;
            };
            let kind = free.kind_of(column);
            let back = from.filter(|&from| free.kind_of(from) == kind);
            let back = back.map_or(0, |from| i64::from(free.gpus_of(from)));
            let fits = left[kind] + back >= i64::from(free.gpus_of(column));
            if fits && best.is_none_or(|(most, _, _)| now - cost > most) {
                best = Some((now - cost, job, to));
            }
        }
    }
    best.map(|(_, job, to)| (job, to))
}
