//! Sharing links by max-min fairness: progressive filling. All senders' rates grow alike until a
//! sender has what it wants or an edge that it crosses is full; those stop, the others go on.
//!
//! Bertsekas & Gallager, Data Networks, section 6.5.2.

use crate::order;

/// Who sends over which edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Sender<'a> {
    /// The rate beyond which it wants no more; above 0.
    pub most: f64,
    /// Edges, each with the part of the rate that it sees, in (0, 1].
    pub uses: &'a [(u32, f64)],
}

/// An edge that may fill up.
struct Link {
    capacity: f64,
    /// Who sends over it, in order, and what part of the rate.
    parts: Vec<(usize, f64)>,
    /// The rate at which it is full; infinite where nobody's grows. Out of date where `stale`.
    level: f64,
    stale: bool,
}

impl Link {
    fn level(&self, rate: &[f64]) -> f64 {
        let (mut left, mut grow) = (self.capacity, 0.0);
        for &(i, part) in &self.parts {
            if rate[i].is_nan() {
                grow += part;
            } else {
                left -= part * rate[i];
            }
        }
        match left > 0.0 {
            _ if grow <= 0.0 => f64::INFINITY,
            true => left / grow,
            false => 0.0,
        }
    }
}

/// Each sender's rate. `crowded` has the edges that may fill up, in order; what others carry does not
/// matter.
///
/// Sums are in the order of senders, so that the same senders in the same order give the same bits. An
/// edge is looked at again only when one of its senders has stopped.
pub fn fill(senders: &[Sender<'_>], crowded: &[u32], capacity: impl Fn(u32) -> f64) -> Vec<f64> {
    let mut rate = vec![f64::NAN; senders.len()];
    let link = |&edge: &u32| Link {
        capacity: capacity(edge),
        parts: Vec::new(),
        level: f64::INFINITY,
        stale: true,
    };
    let mut links: Vec<Link> = crowded.iter().map(link).collect();
    let at = |edge: u32| crowded.binary_search(&edge).ok();
    for (i, sender) in senders.iter().enumerate() {
        for &(edge, part) in sender.uses {
            if let Some(at) = at(edge) {
                links[at].parts.push((i, part));
            }
        }
    }
    // Those that are not full yet.
    let mut open: Vec<usize> = (0..links.len()).collect();
    // Those who grow are among the last of these, by what they want.
    let mut modest: Vec<usize> = (0..senders.len()).collect();
    modest.sort_by(|&a, &b| order::by_value(&senders[a].most, &senders[b].most));
    let mut modest = modest.into_iter().peekable();
    loop {
        while modest.next_if(|&i| !rate[i].is_nan()).is_some() {}
        let Some(&next) = modest.peek() else {
            return rate;
        };
        // The rate at which the first edge is full.
        let mut full = (f64::INFINITY, usize::MAX);
        for (place, &at) in open.iter().enumerate() {
            let link = &mut links[at];
            if link.stale {
                link.level = link.level(&rate);
                link.stale = false;
            }
            if link.level < full.0 {
                full = (link.level, place);
            }
        }
        let mut stopped: Vec<usize> = Vec::new();
        if senders[next].most <= full.0 {
            while let Some(i) = modest.next_if(|&i| senders[i].most <= full.0) {
                if rate[i].is_nan() {
                    rate[i] = senders[i].most;
                    stopped.push(i);
                }
            }
        } else {
            let at = open.swap_remove(full.1);
            for (i, _) in std::mem::take(&mut links[at].parts) {
                if rate[i].is_nan() {
                    rate[i] = full.0;
                    stopped.push(i);
                }
            }
        }
        for i in stopped {
            for &(edge, _) in senders[i].uses {
                if let Some(at) = at(edge) {
                    links[at].stale = true;
                }
            }
        }
    }
}

/// What max-min fairness leaves, on an edge of this capacity, to one who would take all of it, beside
/// others who take so much each (in increasing order).
pub fn beside(capacity: f64, others: impl IntoIterator<Item = f64>, count: usize) -> f64 {
    let (mut left, mut sharing) = (capacity, count as f64 + 1.0);
    for other in others {
        if other * sharing > left {
            break;
        }
        left -= other;
        sharing -= 1.0;
    }
    left / sharing
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Sender<'_> {
        fn part(&self, edge: u32) -> Option<f64> {
            let at = self.uses.iter().find(|(used, _)| *used == edge);
            at.map(|&(_, part)| part)
        }
    }

    #[test]
    fn the_textbook() {
        // Three senders over two edges of 1 and 2: the first edge halves, the rest is the third's.
        let all = [0, 1].map(|edge| (edge, 1.0));
        let sender = |most, uses| Sender { most, uses };
        let senders = [
            sender(9.0, &all[..1]),
            sender(9.0, &all[..]),
            sender(9.0, &all[1..]),
        ];
        let rates = fill(&senders, &[0, 1], |edge| [1.0, 2.0][edge as usize]);
        assert_eq!(rates, [0.5, 0.5, 1.5]);
        let modest = [sender(0.25, &all[..1]), sender(9.0, &all[..])];
        assert_eq!(fill(&modest, &[0, 1], |_| 1.0), [0.25, 0.75]);
        assert_eq!(beside(1.0, [0.25], 1), 0.75);
        assert_eq!(beside(1.0, [0.25, 0.75], 2), 0.375);
        assert_eq!(beside(1.0, [], 0), 1.0);
    }

    type Drawn = Vec<(f64, Vec<(u32, f64)>)>;

    fn senders() -> impl Strategy<Value = Drawn> {
        let uses = prop::collection::btree_map(0u32..6, 0.05..1.0f64, 0..5);
        let uses = uses.prop_map(|uses| uses.into_iter().collect());
        prop::collection::vec((0.01..3.0f64, uses), 1..9)
    }

    proptest! {
        /// No edge carries more than it can, and nobody could have more without taking it from one
        /// who has no more than he has; in whatever order they stand.
        #[test]
        fn rates_are_max_min_fair(
            drawn in senders(),
            capacity in prop::collection::vec(0.1..2.0f64, 6),
        ) {
            let senders: Vec<_> = drawn.iter().map(|(most, uses)| Sender { most: *most, uses }).collect();
            let edges: Vec<u32> = (0..6).collect();
            let rates = fill(&senders, &edges, |edge| capacity[edge as usize]);
            let load = |edge: u32| -> f64 {
                senders.iter().zip(&rates).filter_map(|(s, r)| Some(s.part(edge)? * r)).sum()
            };
            for &edge in &edges {
                prop_assert!(load(edge) <= capacity[edge as usize] * (1.0 + 1e-12));
            }
            for (sender, &rate) in senders.iter().zip(&rates) {
                prop_assert!(rate > 0.0 && rate <= sender.most);
                let is_stopped_at = |edge: u32| {
                    let most = senders.iter().zip(&rates)
                        .filter(|(other, _)| other.part(edge).is_some())
                        .fold(0.0, |most: f64, (_, &other)| most.max(other));
                    load(edge) >= capacity[edge as usize] * (1.0 - 1e-9) && rate >= most * (1.0 - 1e-9)
                };
                prop_assert!(rate == sender.most || sender.uses.iter().any(|&(edge, _)| is_stopped_at(edge)));
            }
            let backwards: Vec<_> = senders.iter().rev().cloned().collect();
            let mut again = fill(&backwards, &edges, |edge| capacity[edge as usize]);
            again.reverse();
            for (rate, again) in rates.iter().zip(again) {
                prop_assert!((rate - again).abs() <= 1e-12 * rate);
            }
        }

        /// Beside others one has no less than an even share, and no more than they leave.
        #[test]
        fn beside_others(mut others in prop::collection::vec(0.0..1.0f64, 0..8)) {
            others.sort_by(order::by_value);
            let mine = beside(1.0, others.iter().copied(), others.len());
            prop_assert!(mine >= 1.0 / (others.len() as f64 + 1.0) - 1e-12);
            let taken: f64 = others.iter().map(|other| other.min(mine)).sum();
            prop_assert!((mine + taken - 1.0).abs() < 1e-9);
        }
    }
}
