//! How queues of one level divide an amount of one resource among themselves.
//!
//! In: the amount, and a claim per queue. Out: a share per queue, what is left, and every step with its numbers.
//! Source: `plugins/proportion/resource_division/resource_division.go`. First each gets what it deserves. What is left
//! goes by priority, weight and history, in whole units. What rounding left goes to the largest fractions.

use serde::Serialize;
use std::cmp::Ordering;

/// What one queue claims of one resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    /// What it is entitled to; infinite: all there is.
    pub deserved: f64,
    /// What it may have at most; infinite: no limit.
    pub limit: f64,
    /// Its part of what is over all quotas.
    pub weight: f64,
    /// What it uses and waits for.
    pub request: f64,
    /// What it had lately, as a part of the capacity: 0 to 1.
    pub usage: f64,
    /// Higher ones divide what is over quota first.
    pub priority: i64,
    /// When it was made; of equal fractions the older wins, then the one that comes first among the claims.
    pub created: f64,
}

impl Claim {
    /// What it can get at most: no more than it asks for or may have.
    pub fn requestable(&self) -> f64 {
        self.limit.min(self.request)
    }
}

/// What one queue got, by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    /// Of what it deserves.
    pub deserved: f64,
    /// By priority, weight and history.
    pub over_quota: f64,
    /// Of what rounding left.
    pub leftover: f64,
    /// All together, added in the order in which it was given.
    pub total: f64,
}

/// One step of a division. Queues are told by their place among the claims.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A queue got the smaller one of what it deserves and what it can get.
    Deserved {
        /// The queue.
        queue: usize,
        /// What it deserves.
        deserved: f64,
        /// What it can get.
        requestable: f64,
        /// What it got.
        given: f64,
    },
    /// A queue took part in a round over quota.
    OverQuota {
        /// The queue.
        queue: usize,
        /// Queues of this priority divide.
        priority: i64,
        /// The round within the priority, from 0.
        round: u32,
        /// What the round divides.
        pot: f64,
        /// Its weight among the unsatisfied: 0 to 1.
        weight: f64,
        /// Its history: 0 to 1.
        usage: f64,
        /// Its weight with its history, among all of the round: 0 to 1.
        part: f64,
        /// That part of the pot.
        fair: f64,
        /// What it still needs.
        need: f64,
        /// What it got.
        given: f64,
    },
    /// A queue got one unit, or what was left of one.
    Leftover {
        /// The queue.
        queue: usize,
        /// Queues of this priority divide.
        priority: i64,
        /// What rounding had taken from it.
        fraction: f64,
        /// What it got.
        given: f64,
    },
}

/// A division: who got how much, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Division {
    /// A share per claim.
    pub shares: Vec<Share>,
    /// What nobody got.
    pub remaining: f64,
    /// Every step, as it was taken.
    pub steps: Vec<Step>,
}

/// Divides an amount among claims, and keeps the steps. `k` says how much history counts.
pub fn divide(total: f64, k: f64, claims: &[Claim]) -> Division {
    let mut shares = Vec::new();
    let mut steps = Vec::new();
    let remaining = divide_into(total, k, claims, &mut shares, |step| steps.push(step));
    Division {
        shares,
        remaining,
        steps,
    }
}

/// Divides an amount among claims, writes a share per claim, and tells every step. Returns what nobody got.
pub fn divide_into(
    total: f64,
    k: f64,
    claims: &[Claim],
    shares: &mut Vec<Share>,
    mut tell: impl FnMut(Step),
) -> f64 {
    shares.clear();
    shares.resize(claims.len(), Share::default());
    let mut remaining = total;
    for (queue, claim) in claims.iter().enumerate() {
        let requestable = claim.requestable();
        let deserved = if claim.deserved == f64::INFINITY {
            total
        } else {
            claim.deserved
        };
        let given = deserved.min(requestable);
        shares[queue].deserved = given;
        shares[queue].total = given;
        remaining -= given;
        tell(Step::Deserved {
            queue,
            deserved,
            requestable,
            given,
        });
    }
    // More deserved than there is, or nothing left, or no number at all.
    if remaining.partial_cmp(&0.0) != Some(Ordering::Greater) {
        return 0.0;
    }
    divide_over_quota(remaining, k, claims, shares, tell)
}

/// Divides what is over all quotas, on top of shares that stand.
pub fn divide_over_quota(
    total: f64,
    k: f64,
    claims: &[Claim],
    shares: &mut [Share],
    mut tell: impl FnMut(Step),
) -> f64 {
    let mut order: Vec<usize> = (0..claims.len()).collect();
    order.sort_by(|&left, &right| {
        let (left, right) = (&claims[left], &claims[right]);
        let by_priority = right.priority.cmp(&left.priority);
        by_priority.then(compare(left.created, right.created))
    });
    let same = |&left: &usize, &right: &usize| claims[left].priority == claims[right].priority;
    let mut rounds = Rounds {
        k,
        claims,
        fractions: vec![0.0; claims.len()],
        parts: vec![0.0; claims.len()],
    };
    let mut remaining = total;
    for group in order.chunk_by(same) {
        remaining = rounds.divide(remaining, group, shares, &mut tell);
    }
    let fractions = rounds.fractions;
    for group in order.chunk_by_mut(same) {
        // Stable: of equal fractions the older one stays in front.
        group.sort_by(|&left, &right| compare(fractions[right], fractions[left]));
        for &queue in group.iter() {
            if remaining <= 0.0 || fractions[queue] <= 0.0 {
                break;
            }
            let given = remaining.min(1.0);
            shares[queue].leftover += given;
            shares[queue].total += given;
            remaining -= given;
            tell(Step::Leftover {
                queue,
                priority: claims[queue].priority,
                fraction: fractions[queue],
                given,
            });
        }
    }
    remaining
}

fn compare(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right).unwrap_or(Ordering::Equal)
}

/// The rounds of all priorities.
struct Rounds<'a> {
    k: f64,
    claims: &'a [Claim],
    /// What rounding took from each queue.
    fractions: Vec<f64>,
    /// The weight of each queue with its history, for the round that runs.
    parts: Vec<f64>,
}

impl Rounds<'_> {
    /// Divides among the queues of one priority, until all that are left got their part or nothing is left.
    fn divide(
        &mut self,
        total: f64,
        group: &[usize],
        shares: &mut [Share],
        tell: &mut impl FnMut(Step),
    ) -> f64 {
        let mut remaining = total;
        for round in 0.. {
            let pot = remaining;
            let Some((weights, sum)) = self.weigh(group, shares) else {
                break;
            };
            let mut goes_on = false;
            for &queue in group {
                if remaining == 0.0 {
                    break;
                }
                let claim = &self.claims[queue];
                let need = need(claim, &shares[queue]);
                if need <= 0.0 || claim.weight == 0.0 {
                    continue;
                }
                let part = self.parts[queue] / sum;
                let fair = pot * part;
                let given = if need <= fair {
                    self.fractions[queue] = 0.0;
                    need
                } else {
                    let whole = libm::floor(fair).max(0.0);
                    if fair - whole > 0.0 {
                        self.fractions[queue] = fair - whole;
                    }
                    whole
                };
                tell(Step::OverQuota {
                    queue,
                    priority: claim.priority,
                    round,
                    pot,
                    weight: claim.weight / weights,
                    usage: claim.usage,
                    part,
                    fair,
                    need,
                    given,
                });
                shares[queue].over_quota += given;
                shares[queue].total += given;
                remaining -= given;
                goes_on |= given > 0.0 && need < fair;
            }
            if !goes_on || remaining <= 0.0 {
                break;
            }
        }
        remaining
    }

    /// Weighs the unsatisfied queues of a round. Returns the sums of their weights, without and with history.
    fn weigh(&mut self, group: &[usize], shares: &[Share]) -> Option<(f64, f64)> {
        let unsatisfied = |&&queue: &&usize| need(&self.claims[queue], &shares[queue]) > 0.0;
        let mut weights = 0.0;
        for &queue in group.iter().filter(unsatisfied) {
            weights += self.claims[queue].weight;
        }
        if weights.partial_cmp(&0.0) != Some(Ordering::Greater) {
            return None;
        }
        let mut sum = 0.0;
        for &queue in group {
            let claim = &self.claims[queue];
            if need(claim, &shares[queue]) <= 0.0 {
                continue;
            }
            let weight = claim.weight / weights;
            let part = (weight + self.k * (weight - claim.usage)).max(0.0);
            self.parts[queue] = part;
            sum += part;
        }
        (sum > 0.0).then_some((weights, sum))
    }
}

/// What a queue still needs.
fn need(claim: &Claim, share: &Share) -> f64 {
    (claim.requestable() - share.total).max(0.0)
}
