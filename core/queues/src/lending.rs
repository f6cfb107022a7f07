//! Who uses how much of a resource, what of it is borrowed, and from whom, now and over time.
//!
//! In: a tree, and how much the jobs of each leaf use. Out: for each queue what it borrows and lends. A queue borrows
//! what it and those below use beyond what they are entitled to. Its parent takes that from what the others right below
//! it and its own quota leave idle; what that does not cover is borrowed from one level above, and beyond a root from
//! no quota at all. Where more is idle than is borrowed, all that could lend do so in proportion to what they have
//! idle: GPUs have no owner, so that nothing else tells whose are lent. Amounts are whole thousandths, so that sums
//! are exact.
//!
//! Source: entitlement, guarantee and use of inner queues as Kueue counts them (`pkg/cache/scheduler/resource_node.go`).
//! A change costs what the tree is deep: what changes for all others is kept as one number per inner queue.

use crate::tree::{QueueId, QueueTree};

/// How many parts a unit has.
const PARTS: f64 = 1000.0;

/// What the quota of an inner queue is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InnerQuota {
    /// Besides the quotas of those below, as in Kueue.
    #[default]
    OnTop,
    /// With them, as in KAI-Scheduler, Volcano and YARN: its own is what they leave of it.
    Whole,
}

/// What a queue and those below it have, in units of the resource.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    /// Its quota and those below.
    pub quota: f64,
    /// What jobs use.
    pub used: f64,
    /// What of that is borrowed from outside.
    pub borrowed: f64,
    /// What of their quotas is idle and used by others outside.
    pub lent: f64,
    /// What of its own quota, if it is an inner queue, is used: by those below it or others.
    pub own_in_use: f64,
}

/// The same over time, in units × seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// What jobs used.
    pub used: f64,
    /// What of that was borrowed from outside.
    pub borrowed: f64,
    /// What was lent to others outside.
    pub lent: f64,
    /// What of its own quota, if it is an inner queue, was used.
    pub own_in_use: f64,
}

/// Use of one resource in a tree.
#[derive(Clone, Debug)]
pub struct Lending {
    queues: Vec<Node>,
    /// Every queue before those below it.
    downwards: Vec<usize>,
    now: f64,
}

#[derive(Clone, Debug)]
struct Node {
    parent: Option<usize>,
    is_leaf: bool,
    below: Vec<usize>,
    /// Quota that no queue below has.
    own: i64,
    /// With all below.
    quota: i64,
    /// What it may use without borrowing: its own, and what those below lend.
    entitled: i64,
    /// The most that it lends.
    lends: i64,
    /// What jobs use.
    used: i64,
    /// The same without what those below keep for themselves.
    counted: i64,
    /// Of those right below: what they borrow, and what they and its own quota have idle.
    demand: i64,
    supply: i64,
    sums: Sums,
    /// Until when sums go.
    until: f64,
    /// ∫ the part of its supply that is in use.
    given: f64,
    /// The same of its parent, at `until`.
    given_above: f64,
}

impl Node {
    /// What it keeps for itself.
    fn guaranteed(&self) -> i64 {
        (self.entitled - self.lends).max(0)
    }

    fn borrowed(&self) -> i64 {
        (self.counted - self.entitled).max(0)
    }

    /// What is idle and may be lent.
    fn idle(&self) -> i64 {
        (self.entitled - self.counted).clamp(0, self.lends)
    }

    /// What it uses of what its parent has for all.
    fn beyond_guaranteed(&self) -> i64 {
        (self.counted - self.guaranteed()).max(0)
    }

    /// The part of its supply that is in use, if of its parent's so much is.
    fn part_in_use(&self, above: f64) -> f64 {
        if self.supply == 0 {
            return 0.0;
        }
        let within = self.demand.min(self.supply) as f64;
        (within + self.idle() as f64 * above) / self.supply as f64
    }
}

impl Lending {
    /// Of a tree and one of its resources, of which there is so much; none of them: a resource without quotas. From
    /// a moment on, with nothing used.
    pub fn new(
        tree: &QueueTree,
        resource: Option<usize>,
        there_is: f64,
        inner: InnerQuota,
        now: f64,
    ) -> Self {
        let parts = |units: f64| (units.min(there_is) * PARTS).round() as i64;
        let quota = |id: QueueId| resource.and_then(|at| tree.queue(id).quotas.get(at));
        let mut queues: Vec<Node> = (0..tree.queues().len() as u32)
            .map(|at| {
                let (id, given) = (QueueId(at), quota(QueueId(at)));
                let limit = given.and_then(|quota| quota.lending_limit);
                Node {
                    parent: tree.queue(id).parent.map(QueueId::index),
                    is_leaf: tree.is_leaf(id),
                    below: tree.children(id).iter().map(|id| id.index()).collect(),
                    own: given.map_or(0, |quota| parts(quota.nominal)),
                    quota: 0,
                    entitled: 0,
                    lends: limit.map_or(i64::MAX, parts),
                    used: 0,
                    counted: 0,
                    demand: 0,
                    supply: 0,
                    sums: Sums::default(),
                    until: now,
                    given: 0.0,
                    given_above: 0.0,
                }
            })
            .collect();
        for id in tree.upwards() {
            let below = tree.children(*id).iter().map(|child| child.index());
            let (mut quota, mut lent) = (0, 0);
            for child in below {
                let child = &queues[child];
                quota += child.quota;
                lent += child.entitled.min(child.lends);
            }
            let node = &mut queues[id.index()];
            if inner == InnerQuota::Whole && !node.is_leaf {
                node.own = (node.own - quota).max(0);
            }
            node.quota = node.own + quota;
            node.entitled = node.own + lent;
            node.supply = if node.is_leaf { 0 } else { node.own + lent };
        }
        Self {
            downwards: (tree.upwards().iter().rev().map(|id| id.index())).collect(),
            queues,
            now,
        }
    }

    /// Time goes on to a moment.
    pub fn advance(&mut self, now: f64) {
        self.now = now;
    }

    /// The jobs of a leaf use so many thousandths more, or less, from now on.
    pub fn change(&mut self, leaf: QueueId, thousandths: i64) {
        let mut path: Vec<usize> = Vec::new();
        let mut at = Some(leaf.index());
        while let Some(here) = at {
            path.push(here);
            at = self.queues[here].parent;
        }
        for &here in path.iter().rev() {
            self.sum_up(here);
        }
        let mut change = thousandths;
        for here in path {
            let node = &mut self.queues[here];
            node.used += thousandths;
            let before = (node.borrowed(), node.idle(), node.beyond_guaranteed());
            node.counted += change;
            let (borrowed, idle, beyond) = (node.borrowed(), node.idle(), node.beyond_guaranteed());
            let parent = node.parent;
            change = beyond - before.2;
            if let Some(parent) = parent {
                let parent = &mut self.queues[parent];
                parent.demand += borrowed - before.0;
                parent.supply += idle - before.1;
            }
        }
    }

    /// Adds to a queue's sums what has been since its last change. The one above has been brought up to now before.
    fn sum_up(&mut self, at: usize) {
        let above = self.queues[at].parent;
        let given_above = above.map_or(0.0, |above| self.queues[above].given);
        let now = self.now;
        let node = &mut self.queues[at];
        let seconds = now - node.until;
        let lent_above = given_above - node.given_above;
        node.sums.used += node.used as f64 / PARTS * seconds;
        node.sums.borrowed += node.borrowed() as f64 / PARTS * seconds;
        node.sums.lent += node.idle() as f64 / PARTS * lent_above;
        if !node.is_leaf && node.supply > 0 {
            let within = node.demand.min(node.supply) as f64 * seconds;
            let given = (within + node.idle() as f64 * lent_above) / node.supply as f64;
            node.given += given;
            node.sums.own_in_use += node.own as f64 / PARTS * given;
        }
        node.until = now;
        node.given_above = given_above;
    }

    /// The sums of all queues up to now.
    pub fn sums(&mut self) -> impl Iterator<Item = Sums> + '_ {
        for at in 0..self.downwards.len() {
            self.sum_up(self.downwards[at]);
        }
        self.queues.iter().map(|node| node.sums)
    }

    /// What a queue has now.
    pub fn standing(&self, id: QueueId) -> Standing {
        let node = &self.queues[id.index()];
        let above = node.parent.map_or(0.0, |above| self.part_in_use(above));
        let own = match node.is_leaf {
            true => 0.0,
            false => node.own as f64 * node.part_in_use(above),
        };
        Standing {
            quota: node.quota as f64 / PARTS,
            used: node.used as f64 / PARTS,
            borrowed: node.borrowed() as f64 / PARTS,
            lent: node.idle() as f64 * above / PARTS,
            own_in_use: own / PARTS,
        }
    }

    /// The part of the supply right below a queue that is in use.
    fn part_in_use(&self, at: usize) -> f64 {
        let above = |&at: &usize| self.queues[at].parent;
        let mut path: Vec<usize> = std::iter::successors(Some(at), above).collect();
        path.reverse();
        path.iter()
            .fold(0.0, |above, &at| self.queues[at].part_in_use(above))
    }

    /// What is used beyond all quotas of its tree, in units.
    pub fn beyond_quotas(&self) -> f64 {
        let roots = self.queues.iter().filter(|node| node.parent.is_none());
        roots.fold(0.0, |all, root| all + root.borrowed() as f64 / PARTS)
    }

    /// From whom a leaf borrows now: leaves, inner queues of whose own quota it is, or no quota; and how much.
    pub fn lenders(&self, leaf: QueueId) -> Vec<(Option<QueueId>, f64)> {
        let mut lent = Vec::new();
        let mut at = leaf.index();
        let mut rest = self.queues[at].borrowed() as f64 / PARTS;
        while rest > 0.0 {
            let Some(parent) = self.queues[at].parent else {
                lent.push((None, rest));
                break;
            };
            let node = &self.queues[parent];
            let within = rest * node.demand.min(node.supply) as f64 / node.demand as f64;
            if within > 0.0 {
                self.take_from(parent, within, &mut lent);
            }
            rest = match node.demand > node.supply {
                true => rest - within,
                false => 0.0,
            };
            at = parent;
        }
        lent
    }

    /// So much is taken from what is idle right below a queue, and of its own.
    fn take_from(&self, at: usize, units: f64, lent: &mut Vec<(Option<QueueId>, f64)>) {
        let mut open = vec![(at, units)];
        while let Some((at, units)) = open.pop() {
            let node = &self.queues[at];
            if node.is_leaf {
                lent.push((Some(QueueId(at as u32)), units));
                continue;
            }
            let part = |idle: i64| units * idle as f64 / node.supply as f64;
            if node.own > 0 {
                lent.push((Some(QueueId(at as u32)), part(node.own)));
            }
            let below = node.below.iter().rev();
            let idle = below.map(|&other| (other, self.queues[other].idle()));
            open.extend(
                idle.filter(|of| of.1 > 0)
                    .map(|(at, idle)| (at, part(idle))),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;
    use proptest::prelude::*;

    fn lending(text: &str, there_is: f64, inner: InnerQuota) -> (QueueTree, Lending) {
        let tree = text::read(text).expect("a tree");
        let lending = Lending::new(&tree, Some(0), there_is, inner, 0.0);
        (tree, lending)
    }

    struct Scene {
        tree: QueueTree,
        lending: Lending,
    }

    impl Scene {
        fn new(text: &str) -> Self {
            let (tree, lending) = lending(text, 1000.0, InnerQuota::OnTop);
            Self { tree, lending }
        }

        fn id(&self, name: &str) -> QueueId {
            self.tree.find(name).expect("there is one")
        }

        fn add(&mut self, name: &str, gpus: i64) {
            self.lending.change(self.id(name), gpus * 1000);
        }

        /// Used, borrowed and lent.
        fn of(&self, name: &str) -> (f64, f64, f64) {
            let of = self.lending.standing(self.id(name));
            (of.used, of.borrowed, of.lent)
        }

        fn lenders(&self, name: &str) -> Vec<(&str, f64)> {
            let lenders = self.lending.lenders(self.id(name)).into_iter();
            let named = lenders.map(|(id, units)| {
                let name = id.map_or("no quota", |id| self.tree.queue(id).name.as_str());
                (name, units)
            });
            named.collect()
        }
    }

    #[test]
    fn what_is_idle_is_lent_in_proportion() {
        let mut scene =
            Scene::new("lab\na parent=lab gpus=4\nb parent=lab gpus=6\nc parent=lab gpus=3");
        scene.add("a", 7);
        scene.add("c", 1);
        // Idle: 6 of b, 2 of c.
        assert_eq!(scene.of("a"), (7.0, 3.0, 0.0));
        assert_eq!(scene.of("b"), (0.0, 0.0, 2.25));
        assert_eq!(scene.of("c"), (1.0, 0.0, 0.75));
        assert_eq!(scene.of("lab"), (8.0, 0.0, 0.0));
        assert_eq!(scene.lenders("a"), [("b", 2.25), ("c", 0.75)]);
        scene.lending.advance(10.0);
        scene.add("b", 6);
        scene.lending.advance(14.0);
        let (tree, sums) = (scene.tree.clone(), scene.lending.sums().collect::<Vec<_>>());
        let lent = |name: &str| sums[tree.find(name).expect("there").index()].lent;
        // Then 2 of c are idle, and one GPU is used beyond all quotas: 7 + 6 + 1 > 13.
        assert_eq!((lent("b"), lent("c")), (22.5, 7.5 + 2.0 * 4.0));
        assert_eq!(scene.lending.beyond_quotas(), 1.0);
        assert_eq!(scene.lenders("a"), [("c", 2.0), ("no quota", 1.0)]);
    }

    /// Two levels: what a sibling cannot cover comes from the next subtree, and of the root's own quota.
    #[test]
    fn a_queue_borrows_from_its_siblings_first() {
        let mut scene = Scene::new(
            "root gpus=3\nx parent=root\ny parent=root\nx1 parent=x gpus=4\nx2 parent=x gpus=4\ny1 parent=y gpus=4\ny2 parent=y gpus=5 lend=2",
        );
        scene.add("x1", 10);
        scene.add("y1", 1);
        // x2 lends its 4; of 2 more, the root has 3 and y 3 + 2 idle: 2 × 3 ∕ 8 and 2 × 5 ∕ 8.
        assert_eq!(scene.of("x1"), (10.0, 6.0, 0.0));
        assert_eq!(scene.of("x2"), (0.0, 0.0, 4.0));
        assert_eq!(scene.of("x"), (10.0, 2.0, 0.0));
        assert_eq!(scene.of("y"), (1.0, 0.0, 1.25));
        assert_eq!(scene.of("y1"), (1.0, 0.0, 0.75));
        assert_eq!(scene.of("y2"), (0.0, 0.0, 0.5));
        let root = scene.lending.standing(scene.id("root"));
        assert_eq!((root.quota, root.used, root.own_in_use), (20.0, 11.0, 0.75));
        let lenders = [("x2", 4.0), ("root", 0.75), ("y1", 0.75), ("y2", 0.5)];
        assert_eq!(scene.lenders("x1"), lenders);
    }

    #[test]
    fn a_quota_with_those_below_is_theirs_first() {
        let text = "dep gpus=10\na parent=dep gpus=4\nb parent=dep gpus=4";
        let (tree, mut whole) = lending(text, 100.0, InnerQuota::Whole);
        let id = |name: &str| tree.find(name).expect("there is one");
        whole.change(id("a"), 9000);
        assert_eq!(whole.standing(id("dep")).quota, 10.0);
        let lenders = [(Some(id("dep")), 5.0 / 3.0), (Some(id("b")), 10.0 / 3.0)];
        assert_eq!(whole.lenders(id("a")), lenders);
        let (_, on_top) = lending(text, 100.0, InnerQuota::OnTop);
        assert_eq!(on_top.standing(id("dep")).quota, 18.0);
    }

    #[test]
    fn all_there_is_counts_as_what_there_is() {
        let (tree, lending) = lending("a gpus=all", 8.0, InnerQuota::OnTop);
        assert_eq!(
            lending
                .standing(tree.find("a").expect("there is one"))
                .quota,
            8.0
        );
    }

    /// A random tree as text, in which each queue lies below an earlier one or none.
    fn trees() -> impl Strategy<Value = String> {
        let queue = (any::<u8>(), 0..9_u32, proptest::option::of(0..9_u32));
        prop::collection::vec(queue, 1..12).prop_map(|queues| {
            let line = |(at, (above, gpus, lend)): (usize, (u8, u32, Option<u32>))| {
                let parent = usize::from(above) % (at + 1);
                let (parent, lend) = match parent == at {
                    true => (String::new(), String::new()),
                    false => (
                        format!(" parent=q{parent}"),
                        lend.map_or_else(String::new, |lend| format!(" lend={lend}")),
                    ),
                };
                format!("q{at}{parent} gpus={gpus}{lend}\n")
            };
            queues.into_iter().enumerate().map(line).collect()
        })
    }

    proptest! {
        /// At every moment what leaves borrow is what leaves lend, what of inner queues' own quotas is used, and what
        /// is used beyond all quotas; and so over time. Pairs tell the same.
        #[test]
        fn what_is_borrowed_is_lent(
            text in trees(),
            changes in prop::collection::vec((any::<u8>(), 0..2500_i64, 0..5_u8), 1..40),
            whole in any::<bool>(),
        ) {
            let inner = if whole { InnerQuota::Whole } else { InnerQuota::OnTop };
            let (tree, mut lending) = lending(&text, 60.0, inner);
            let leaves: Vec<QueueId> = tree.leaves().collect();
            let mut used = vec![0; leaves.len()];
            let (mut now, mut sums) = (0.0, vec![Sums::default(); tree.queues().len()]);
            for (which, use_of, seconds) in changes {
                let at = usize::from(which) % leaves.len();
                lending.change(leaves[at], use_of - used[at]);
                used[at] = use_of;
                let all = (0..tree.queues().len() as u32).map(QueueId);
                let standings: Vec<Standing> = all.clone().map(|id| lending.standing(id)).collect();
                let of_leaves = |of: fn(&Standing) -> f64| -> f64 {
                    leaves.iter().map(|leaf| of(&standings[leaf.index()])).sum()
                };
                let own: f64 = standings.iter().map(|of| of.own_in_use).sum();
                let roots: f64 = tree.roots().map(|root| standings[root.index()].used).sum();
                let total = used.iter().sum::<i64>() as f64 / PARTS;
                prop_assert!((of_leaves(|of| of.used) - total).abs() < 1e-9);
                prop_assert!((roots - total).abs() < 1e-9);
                let borrowed = of_leaves(|of| of.borrowed);
                let lent = of_leaves(|of| of.lent) + own + lending.beyond_quotas();
                prop_assert!((borrowed - lent).abs() < 1e-9, "{borrowed} {lent}\n{text}");
                let mut from = vec![0.0; tree.queues().len()];
                for &leaf in &leaves {
                    let lenders = lending.lenders(leaf);
                    let all: f64 = lenders.iter().map(|(_, units)| units).sum();
                    prop_assert!((all - standings[leaf.index()].borrowed).abs() < 1e-9);
                    for (lender, units) in lenders {
                        prop_assert!(lender != Some(leaf));
                        if let Some(lender) = lender {
                            from[lender.index()] += units;
                        }
                    }
                }
                for id in all {
                    let of = standings[id.index()];
                    let lent = if tree.is_leaf(id) { of.lent } else { of.own_in_use };
                    prop_assert!((lent - from[id.index()]).abs() < 1e-9, "{lent}\n{text}");
                    let most = tree.queue(id).quotas[0].lending_limit.unwrap_or(f64::INFINITY);
                    prop_assert!(of.lent <= most + 1e-9 && of.lent <= of.quota + 1e-9);
                }
                let seconds = f64::from(seconds);
                now += seconds;
                lending.advance(now);
                for (sum, of) in sums.iter_mut().zip(&standings) {
                    sum.used += of.used * seconds;
                    sum.borrowed += of.borrowed * seconds;
                    sum.lent += of.lent * seconds;
                    sum.own_in_use += of.own_in_use * seconds;
                }
            }
            for (sum, of) in lending.sums().zip(&sums) {
                prop_assert!((sum.used - of.used).abs() < 1e-6);
                prop_assert!((sum.borrowed - of.borrowed).abs() < 1e-6);
                prop_assert!((sum.lent - of.lent).abs() < 1e-6, "{text}");
                prop_assert!((sum.own_in_use - of.own_in_use).abs() < 1e-6);
            }
        }
    }
}
