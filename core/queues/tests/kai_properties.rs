//! What holds for every division: nobody gets more than asked, no more is given than there is, order does not matter.

use proptest::prelude::*;
use switchyard_queues::kai::division::{Claim, Share, Step, divide};
use switchyard_queues::kai::levels::{Demands, divide_tree, sum_up};
use switchyard_queues::kai::order::{Contender, compare};
use switchyard_queues::kai::reclaim::below_common;
use switchyard_queues::kai::standing::Standing;
use switchyard_queues::tree::{Kind, Queue, QueueId, QueueTree, Quota, Resource};

/// Below this, amounts of up to some thousands are the same.
const CLOSE: f64 = 1e-6;

fn claim() -> impl Strategy<Value = Claim> {
    let amount = || prop_oneof![(0..40u32).prop_map(f64::from), 0.0..40.0];
    let limit = prop_oneof![3 => Just(f64::INFINITY), 2 => (0..30u32).prop_map(f64::from)];
    let deserved = prop_oneof![9 => (0..12u32).prop_map(f64::from), 1 => Just(f64::INFINITY)];
    let numbers = (deserved, limit, 0..5u32, amount(), 0.0..1.0, 0..3i64);
    numbers.prop_map(
        |(deserved, limit, weight, request, usage, priority)| Claim {
            deserved,
            limit,
            weight: f64::from(weight),
            request,
            usage,
            priority,
            created: 0.0,
        },
    )
}

fn claims() -> impl Strategy<Value = Vec<Claim>> {
    prop::collection::vec(claim(), 0..12).prop_map(|mut claims| {
        for (at, claim) in claims.iter_mut().enumerate() {
            claim.created = at as f64;
        }
        claims
    })
}

fn total() -> impl Strategy<Value = f64> {
    prop_oneof![(0..150u32).prop_map(f64::from), 0.0..150.0]
}

fn over_deserved(shares: &[Share]) -> f64 {
    shares
        .iter()
        .map(|share| share.over_quota + share.leftover)
        .sum()
}

proptest! {
    #[test]
    fn nobody_gets_more_than_can_be_asked(claims in claims(), total in total(), k in 0.0..5.0) {
        for (claim, share) in claims.iter().zip(divide(total, k, &claims).shares) {
            // What rounding left is given in whole units, as the original does: a need of a half gets one.
            prop_assert!(share.deserved + share.over_quota <= claim.requestable() + CLOSE);
            prop_assert!(share.total < claim.requestable() + 1.0);
            prop_assert!((share.deserved + share.over_quota + share.leftover - share.total).abs() < CLOSE);
        }
    }

    #[test]
    fn whole_needs_are_never_exceeded(mut claims in claims(), total in 0..150u32, k in 0.0..5.0) {
        for claim in &mut claims {
            claim.request = claim.request.floor();
        }
        for (claim, share) in claims.iter().zip(divide(f64::from(total), k, &claims).shares) {
            prop_assert!(share.total <= claim.requestable());
        }
    }

    #[test]
    fn no_more_is_given_than_was_left(claims in claims(), total in total(), k in 0.0..5.0) {
        let division = divide(total, k, &claims);
        let deserved: f64 = division.shares.iter().map(|share| share.deserved).sum();
        let left = (total - deserved).max(0.0);
        prop_assert!(over_deserved(&division.shares) <= left + CLOSE);
        prop_assert!((left - over_deserved(&division.shares) - division.remaining).abs() < CLOSE);
        prop_assert!(division.remaining >= -CLOSE);
    }

    /// In whole numbers. With fractions the last digit of what is left depends on the order of a sum.
    #[test]
    fn the_order_of_claims_does_not_matter(
        mut claims in claims(), total in 0..150u32, k in 0.0..5.0, by in 1..11usize,
    ) {
        for claim in &mut claims {
            claim.request = claim.request.floor();
        }
        let total = f64::from(total);
        let shares = divide(total, k, &claims).shares;
        let mut turned = claims.clone();
        let by = by % claims.len().max(1);
        turned.rotate_left(by);
        turned.reverse();
        let mut of_turned = divide(total, k, &turned).shares;
        of_turned.reverse();
        of_turned.rotate_right(by);
        prop_assert_eq!(shares, of_turned);
    }

    /// With 1 + k a power of two: otherwise the last digit of a weight differs, as in the original.
    #[test]
    fn without_history_k_has_no_effect(mut claims in claims(), total in total(), power in 0..5u32) {
        for claim in &mut claims {
            claim.usage = 0.0;
        }
        let k = f64::from((1u32 << power) - 1);
        prop_assert_eq!(divide(total, 0.0, &claims).shares, divide(total, k, &claims).shares);
    }

    #[test]
    fn more_history_never_gives_more(mut claims in claims(), total in total(), k in 0.1..5.0) {
        prop_assume!(!claims.is_empty());
        for claim in &mut claims {
            claim.usage = 0.0;
            claim.priority = 0;
        }
        let before = divide(total, k, &claims).shares[0].total;
        claims[0].usage = 0.5;
        let after = divide(total, k, &claims).shares[0].total;
        prop_assert!(after <= before + 1.0 + CLOSE, "{} after {}", after, before);
    }

    #[test]
    fn steps_add_up_to_shares(claims in claims(), total in total(), k in 0.0..5.0) {
        let division = divide(total, k, &claims);
        let mut sums = vec![0.0; claims.len()];
        for step in &division.steps {
            let (Step::Deserved { queue, given, .. }
            | Step::OverQuota { queue, given, .. }
            | Step::Leftover { queue, given, .. }) = *step;
            sums[queue] += given;
        }
        for (sum, share) in sums.iter().zip(&division.shares) {
            prop_assert_eq!(*sum, share.total);
        }
    }

    /// Lower ones get at most what rounding left before: less than a unit for each higher one.
    #[test]
    fn higher_priorities_are_served_first(claims in claims(), total in total()) {
        let division = divide(total, 0.0, &claims);
        for (high, of_high) in claims.iter().zip(&division.shares) {
            let is_served = high.weight == 0.0 || of_high.total >= high.requestable();
            let others = claims.iter().zip(&division.shares);
            let lower = others.filter(|(claim, _)| claim.priority < high.priority);
            let of_lower: f64 = lower.map(|(_, share)| share.over_quota).sum();
            prop_assert!(is_served || of_lower < claims.len() as f64, "{:?} {:?}", high, of_high);
        }
    }

    #[test]
    fn a_tree_never_gives_over_the_cluster(
        parents in prop::collection::vec(0..6u32, 1..14),
        requests in prop::collection::vec(0..30u32, 14),
        total in 0..60u32,
    ) {
        let queue = |at: usize, parent: u32| Queue {
            // Below their parents queues deserve nothing, so nothing is over-subscribed.
            quotas: vec![Quota { weight: f64::from(at as u32 % 3) + 1.0, ..Quota::default() }],
            ..Queue::new(format!("q{at}"), (at > 0 && parent < at as u32).then_some(QueueId(parent)))
        };
        let queues: Vec<Queue> = parents.iter().enumerate().map(|(at, &parent)| queue(at, parent)).collect();
        let gpus = Resource { kind: Kind::Gpus, flavor: None };
        let tree = QueueTree::new(vec![gpus], queues).expect("a tree");
        let mut amounts = vec![0.0; tree.queues().len()];
        for leaf in tree.leaves() {
            amounts[leaf.index()] = f64::from(requests[leaf.index()]);
        }
        sum_up(&tree, &mut amounts);
        let totals = [f64::from(total)];
        let asked = Demands { totals: &totals, k: 1.0, requests: &amounts, usage: None, created: None };
        let shares = divide_tree(&tree, &asked, |_, _, _| {});
        let share = |queue: QueueId| shares.of(queue)[0].total;
        let top: f64 = tree.roots().map(share).sum();
        let wanted: f64 = tree.roots().map(|root| amounts[root.index()]).sum();
        prop_assert_eq!(top, wanted.min(totals[0]));
        for at in 0..tree.queues().len() as u32 {
            let below: f64 = tree.children(QueueId(at)).iter().copied().map(share).sum();
            if !tree.is_leaf(QueueId(at)) {
                prop_assert_eq!(below, share(QueueId(at)));
            }
        }
    }

    #[test]
    fn queues_below_the_common_one_are_siblings(parents in prop::collection::vec(0..6u32, 2..14), pick in (0..14usize, 0..14usize)) {
        let parent = |at: usize, parent: u32| (at > 0 && parent < at as u32).then_some(QueueId(parent));
        let queues = parents.iter().enumerate().map(|(at, &above)| Queue::new(format!("q{at}"), parent(at, above)));
        let tree = QueueTree::new(vec![], queues.collect()).expect("a tree");
        let leaves: Vec<QueueId> = tree.leaves().collect();
        let (left, right) = (leaves[pick.0 % leaves.len()], leaves[pick.1 % leaves.len()]);
        let (upper, lower) = below_common(&tree, left, right);
        prop_assert!(tree.path(left).any(|queue| queue == upper));
        prop_assert!(tree.path(right).any(|queue| queue == lower));
        if left != right {
            prop_assert_ne!(upper, lower);
            prop_assert_eq!(tree.queue(upper).parent, tree.queue(lower).parent);
        }
    }

    #[test]
    fn an_order_is_the_same_from_both_sides(
        left in standing(), right in standing(), priorities in (0..2i64, 0..2i64), heads in (0..4u32, 0..4u32),
    ) {
        let heads = [[f64::from(heads.0)], [f64::from(heads.1)]];
        let of = |standings, priority, head, created| Contender { standings, priority, created, head, victims: &[] };
        let (left, right) = ([left], [right]);
        let left = of(&left, priorities.0, &heads[0], 0.0);
        let right = of(&right, priorities.1, &heads[1], 1.0);
        let (there, back) = (compare(&left, &right, &[20.0]), compare(&right, &left, &[20.0]));
        prop_assert_eq!(there.order, back.order.reverse());
        prop_assert_eq!(there.rule, back.rule);
        prop_assert!(there.order.is_ne());
    }
}

fn standing() -> impl Strategy<Value = Standing> {
    let numbers = (
        0..6u32,
        0..6u32,
        prop_oneof![Just(f64::INFINITY), (0..6u32).prop_map(f64::from)],
        0..6u32,
    );
    numbers.prop_map(|(deserved, fair, limit, allocated)| Standing {
        deserved: f64::from(deserved),
        fair: f64::from(fair),
        limit,
        allocated: f64::from(allocated),
        fixed: 0.0,
    })
}
