//! The branch and bound. In: the free jobs, prices, the cost to reach. Out: the best plan of at most that cost, and a
//! bound.
//!
//! Against the prices every option of a job has a loss: how much more it costs than the job's best, prices paid. A
//! plan costs the bound, plus the losses of its options, plus the price of the GPUs it leaves. So an option whose
//! loss alone exceeds what the cost to reach has above the bound is in no such plan, and most jobs are left with one.
//! The others are walked through in turn. A branch is the GPUs that it uses and the losses so far: of those that use
//! the same GPUs only the one of the least loss goes on.

use super::dual::Prices;
use super::free::{Free, Plan, round_up};
use super::problem::ProgramError;
use switchyard_model::order::by_value;

pub(super) struct Found {
    /// The best plan that costs no more than was to be reached, if there is one.
    pub(super) plan: Option<Plan>,
    /// No plan costs less.
    pub(super) bound: i64,
    /// Whether no branch was dropped for there being too many.
    pub(super) is_whole: bool,
}

/// One option of an open job.
#[derive(Clone, Copy)]
struct Move {
    column: Option<usize>,
    kind: usize,
    gpus: u32,
    /// Its place in the numbering of uses.
    key: u128,
    loss: f64,
}

#[derive(Clone, Copy)]
struct Branch {
    /// The GPUs used, all types in one number.
    key: u128,
    loss: f64,
    /// The branch before, and the move from it.
    from: u32,
    by: u32,
}

/// Looks for a plan that costs `aim` at most.
pub(super) fn search(
    free: &Free<'_>,
    prices: &Prices,
    aim: i64,
    step: i64,
    most: usize,
) -> Result<Found, ProgramError> {
    // What losses and idle GPUs may come to.
    let room = aim as f64 - prices.value + 1e-6;
    let none = Found {
        plan: None,
        bound: aim + step,
        is_whole: true,
    };
    if room < 0.0 {
        return Ok(none);
    }
    let weights = weights(&free.gpus)?;
    let (fixed, open, used) = moves(free, prices, &weights, room);
    let Some(start) = key_of(&used, &free.gpus, &weights) else {
        // The jobs without a choice do not fit.
        return Ok(none);
    };
    let after = most_after(&open, free.gpus.len());
    let walk = Walk {
        free,
        prices,
        weights: &weights,
        room,
    };
    let mut layers = vec![vec![Branch {
        key: start,
        loss: 0.0,
        from: 0,
        by: 0,
    }]];
    let mut dropped: Option<f64> = None;
    for (at, (_, moves)) in open.iter().enumerate() {
        let before = layers.last().map_or(&[][..], Vec::as_slice);
        let mut next = walk.grow(before, moves, &after[at + 1]);
        if next.len() > most {
            let score = |branch: &Branch| branch.loss + walk.idle(branch.key, &after[at + 1]);
            next.sort_by(|a, b| by_value(&score(a), &score(b)).then(a.key.cmp(&b.key)));
            for branch in next.drain(most..) {
                let score = score(&branch);
                dropped =
                    Some(dropped.map_or(score, |least| if score < least { score } else { least }));
            }
            next.sort_by_key(|branch| branch.key);
        }
        layers.push(next);
    }
    let no_more = vec![0; free.gpus.len()];
    let total = |branch: &Branch| branch.loss + walk.idle(branch.key, &no_more);
    let mut best: Option<(f64, usize)> = None;
    for (at, branch) in layers.last().into_iter().flatten().enumerate() {
        let total = total(branch);
        if best.is_none_or(|(least, _)| total < least) {
            best = Some((total, at));
        }
    }
    let plan = best.map(|(_, at)| trace(free, fixed, &open, &layers, at));
    let reached = plan.as_ref().map_or(none.bound, |plan| plan.cost);
    let bound = dropped.map_or(reached, |least| {
        round_up(prices.value + least, step).min(reached)
    });
    Ok(Found {
        plan,
        bound,
        is_whole: dropped.is_none(),
    })
}

/// What a GPU of each type adds to a key.
fn weights(gpus: &[u32]) -> Result<Vec<u128>, ProgramError> {
    let mut weight = 1_u128;
    let mut weights = Vec::with_capacity(gpus.len());
    for &gpus in gpus {
        weights.push(weight);
        weight = weight
            .checked_mul(u128::from(gpus) + 1)
            .ok_or(ProgramError::Size)?;
    }
    Ok(weights)
}

fn key_of(used: &[u32], gpus: &[u32], weights: &[u128]) -> Option<u128> {
    if used.iter().zip(gpus).any(|(used, gpus)| used > gpus) {
        return None;
    }
    let parts = used.iter().zip(weights);
    Some(parts.map(|(&used, weight)| u128::from(used) * weight).sum())
}

/// The GPUs of a type in a key, of which there are so many at most. Keys are short as a rule, and dividing long numbers is
/// slow in wasm.
fn part_of(key: u128, weight: u128, most: u32) -> u32 {
    let count = u64::from(most) + 1;
    let part = match (u64::try_from(key), u64::try_from(weight)) {
        (Ok(key), Ok(weight)) => key / weight % count,
        _ => (key / weight % u128::from(count)) as u64,
    };
    part as u32
}

type Open = Vec<(usize, Vec<Move>)>;

/// The jobs that are left one option, with it; the others and their moves, best first; what the former use.
fn moves(
    free: &Free<'_>,
    prices: &Prices,
    weights: &[u128],
    room: f64,
) -> (Vec<Option<usize>>, Open, Vec<u32>) {
    let mut fixed = vec![None; free.options.len()];
    let mut used = vec![0_u32; free.gpus.len()];
    let mut open = Vec::new();
    for (job, options) in free.options.iter().enumerate() {
        let paid = |&(column, cost): &(usize, i64)| {
            cost as f64 + prices.of[free.kind_of(column)] * f64::from(free.gpus_of(column))
        };
        let least = options
            .iter()
            .map(paid)
            .fold(0.0, |a, b| if b < a { b } else { a });
        let mut moves: Vec<Move> = Vec::new();
        let some = options.iter().map(|option| Move {
            column: Some(option.0),
            kind: free.kind_of(option.0),
            gpus: free.gpus_of(option.0),
            key: u128::from(free.gpus_of(option.0)) * weights[free.kind_of(option.0)],
            loss: paid(option) - least,
        });
        let none = Move {
            column: None,
            kind: 0,
            gpus: 0,
            key: 0,
            loss: 0.0 - least,
        };
        moves.extend(some.chain([none]).filter(|of| of.loss <= room));
        moves.sort_by(|a, b| by_value(&a.loss, &b.loss));
        match moves.as_slice() {
            [only] => {
                fixed[job] = only.column;
                used[only.kind] = used[only.kind].saturating_add(only.gpus);
            }
            _ => open.push((job, moves)),
        }
    }
    (fixed, open, used)
}

/// From each open job on, the most GPUs of each type that the jobs from there can use.
fn most_after(open: &Open, kinds: usize) -> Vec<Vec<u32>> {
    let mut after = vec![vec![0_u32; kinds]; open.len() + 1];
    for (at, (_, moves)) in open.iter().enumerate().rev() {
        let mut most = vec![0_u32; kinds];
        for of in moves {
            most[of.kind] = most[of.kind].max(of.gpus);
        }
        let later = after[at + 1].clone();
        let sums = most
            .iter()
            .zip(later)
            .map(|(most, later)| later.saturating_add(*most));
        after[at] = sums.collect();
    }
    after
}

struct Walk<'w, 'p> {
    free: &'w Free<'p>,
    prices: &'w Prices,
    weights: &'w [u128],
    room: f64,
}

impl Walk<'_, '_> {
    fn used(&self, key: u128, kind: usize) -> u32 {
        part_of(key, self.weights[kind], self.free.gpus[kind])
    }

    /// The price of the GPUs that stay idle, whatever the later jobs use.
    fn idle(&self, key: u128, later: &[u32]) -> f64 {
        let mut price = 0.0;
        for (kind, &later) in later.iter().enumerate() {
            let left = self.free.gpus[kind] - self.used(key, kind);
            price += self.prices.of[kind] * f64::from(left.saturating_sub(later));
        }
        price
    }

    /// The branches of the next job, by their key.
    fn grow(&self, before: &[Branch], moves: &[Move], later: &[u32]) -> Vec<Branch> {
        let mut next: Vec<Branch> = Vec::with_capacity(before.len() * moves.len());
        for (from, branch) in before.iter().enumerate() {
            for (by, of) in moves.iter().enumerate() {
                let loss = branch.loss + of.loss;
                if loss > self.room {
                    break;
                }
                if of.gpus > self.free.gpus[of.kind] - self.used(branch.key, of.kind) {
                    continue;
                }
                next.push(Branch {
                    key: branch.key + of.key,
                    loss,
                    from: from as u32,
                    by: by as u32,
                });
            }
        }
        // Stable: of equal losses the first stays.
        next.sort_by(|a, b| a.key.cmp(&b.key).then_with(|| by_value(&a.loss, &b.loss)));
        next.dedup_by_key(|branch| branch.key);
        next.retain(|branch| branch.loss + self.idle(branch.key, later) <= self.room);
        next
    }
}

/// The plan that ends in a branch.
fn trace(
    free: &Free<'_>,
    mut chosen: Vec<Option<usize>>,
    open: &Open,
    layers: &[Vec<Branch>],
    mut at: usize,
) -> Plan {
    for ((job, moves), layer) in open.iter().zip(layers.iter().skip(1)).rev() {
        let branch = layer[at];
        chosen[*job] = moves[branch.by as usize].column;
        at = branch.from as usize;
    }
    let costs = chosen.iter().zip(&free.options).map(|(&column, options)| {
        let of = options.iter().find(|(option, _)| Some(*option) == column);
        of.map_or(0, |(_, cost)| *cost)
    });
    let cost = costs.sum();
    Plan { chosen, cost }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_key_tells_the_gpus_of_each_type(
            of in prop::collection::vec((1..u32::MAX, 0.0..=1.0), 1..5), zeros in 0..3usize
        ) {
            let mut gpus: Vec<u32> = of.iter().map(|(gpus, _)| *gpus).collect();
            let mut used: Vec<u32> = of.iter().map(|(gpus, part)| (f64::from(*gpus) * part) as u32).collect();
            // The last types may have nothing used, so that long weights meet short keys.
            gpus.extend([7].repeat(zeros));
            used.extend([0].repeat(zeros));
            let Ok(weights) = weights(&gpus) else { return Ok(()) };
            let key = key_of(&used, &gpus, &weights).expect("no more than there are");
            let told = weights.iter().zip(&gpus).map(|(weight, gpus)| part_of(key, *weight, *gpus));
            prop_assert_eq!(told.collect::<Vec<_>>(), used);
        }
    }
}
