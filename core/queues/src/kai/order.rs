//! Which of two queues is next.
//!
//! In: how both stand, the job that each would start, what it would lose. Out: the order, and which of eight comparisons
//! decided with what numbers. Source: `plugins/proportion/queue_order/queue_order.go`.

use super::standing::Standing;
use serde::Serialize;
use std::cmp::Ordering;

/// A queue without a share of a resource counts as many times over it as it has of it.
const WITHOUT_SHARE: f64 = 1000.0;

/// A queue that wants to be next.
#[derive(Clone, Copy, Debug)]
pub struct Contender<'a> {
    /// How it stands, resource by resource.
    pub standings: &'a [Standing],
    /// Higher ones come first.
    pub priority: i64,
    /// When it was made.
    pub created: f64,
    /// What its first job asks for; empty: nothing.
    pub head: &'a [f64],
    /// What its jobs have that would be evicted; empty: nothing.
    pub victims: &'a [f64],
}

/// What decided, in the order in which it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// It has more than its fair share, of every resource.
    OverFairShare,
    /// With its job it stays within what it deserves.
    WithinDeserved,
    /// Its priority.
    Priority,
    /// With its job it uses a resource of which it may have nothing.
    WithoutShare,
    /// Its dominant share with its job and without its victims.
    DominantShareWithJob,
    /// Its dominant share.
    DominantShare,
    /// What it may fill.
    Allocatable,
    /// When it was made.
    Age,
}

/// An order of two queues.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Decided {
    /// Less: the left one is next.
    #[serde(serialize_with = "as_sign")]
    pub order: Ordering,
    /// What decided.
    pub rule: Rule,
    /// The left one's number by that rule. Yes is 1.
    pub left: f64,
    /// The right one's.
    pub right: f64,
}

fn as_sign<S: serde::Serializer>(order: &Ordering, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_i8(*order as i8)
}

/// Which of two queues is next in a cluster that has `totals`.
pub fn compare(left: &Contender, right: &Contender, totals: &[f64]) -> Decided {
    let smaller = |rule, of: &dyn Fn(&Contender) -> f64| {
        let (left, right) = (of(left), of(right));
        let order = left.partial_cmp(&right).unwrap_or(Ordering::Equal);
        Decided {
            order,
            rule,
            left,
            right,
        }
    };
    let larger = |rule, of: &dyn Fn(&Contender) -> f64| {
        let decided = smaller(rule, of);
        let order = decided.order.reverse();
        Decided { order, ..decided }
    };
    let is_over = |of: &Contender| of.standings.iter().all(|of| of.fair < of.allocated);
    let is_within = |of: &Contender| {
        let mut places = of.standings.iter().enumerate();
        places.all(|(at, standing)| standing.allocated + amount(of.head, at) <= standing.deserved)
    };
    let is_without = |of: &Contender| {
        let mut places = of.standings.iter().enumerate();
        places.any(|(at, standing)| {
            standing.allocatable() == 0.0 && standing.allocated + amount(of.head, at) > 0.0
        })
    };
    let number = |yes: bool| f64::from(u8::from(yes));
    let share = |of: &Contender| dominant_share(of.standings, &[], &[], totals);
    let share_with = |of: &Contender| dominant_share(of.standings, of.head, of.victims, totals);
    let rules: [&dyn Fn() -> Decided; 7] = [
        &|| smaller(Rule::OverFairShare, &|of| number(is_over(of))),
        &|| larger(Rule::WithinDeserved, &|of| number(is_within(of))),
        &|| larger(Rule::Priority, &|of| of.priority as f64),
        &|| smaller(Rule::WithoutShare, &|of| number(is_without(of))),
        &|| smaller(Rule::DominantShareWithJob, &share_with),
        &|| smaller(Rule::DominantShare, &share),
        &|| by_allocatable(left, right),
    ];
    let by_rule = rules.iter().map(|decide| decide());
    let mut differing = by_rule.filter(|decided| decided.order != Ordering::Equal);
    let by_age = || smaller(Rule::Age, &|of| of.created);
    differing.next().unwrap_or_else(by_age)
}

/// The largest part that a queue has of what it may fill, over all resources.
pub fn dominant_share(
    standings: &[Standing],
    with: &[f64],
    without: &[f64],
    totals: &[f64],
) -> f64 {
    let mut dominant = 0.0_f64;
    for (at, standing) in standings.iter().enumerate() {
        let allocated = standing.allocated + amount(with, at) - amount(without, at);
        let mut allocatable = standing.allocatable();
        if allocatable == f64::INFINITY {
            allocatable = amount(totals, at);
        }
        let share = if allocatable == 0.0 {
            allocated * WITHOUT_SHARE
        } else {
            allocated / allocatable
        };
        dominant = dominant.max(share);
    }
    dominant
}

/// The queue that may fill less in one resource, and no more in any, is next.
fn by_allocatable(left: &Contender, right: &Contender) -> Decided {
    let mut decided = Decided {
        order: Ordering::Equal,
        rule: Rule::Allocatable,
        left: 0.0,
        right: 0.0,
    };
    for (of_left, of_right) in left.standings.iter().zip(right.standings) {
        let (of_left, of_right) = (of_left.allocatable(), of_right.allocatable());
        let order = of_left.partial_cmp(&of_right).unwrap_or(Ordering::Equal);
        if order == Ordering::Equal {
            continue;
        }
        if decided.order == order.reverse() {
            // One has less of this and more of that: neither is the smaller one.
            decided.order = Ordering::Equal;
            break;
        }
        if decided.order == Ordering::Equal {
            decided = Decided {
                order,
                left: of_left,
                right: of_right,
                ..decided
            };
        }
    }
    decided
}

fn amount(of: &[f64], at: usize) -> f64 {
    of.get(at).copied().unwrap_or(0.0)
}
