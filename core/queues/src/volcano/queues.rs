//! Queues as Volcano's sessions see them: what they have, ask for and deserve, and the rules that follow.
//!
//! In: queues, what the cluster has, what jobs ask for and get. Out: whose turn it is, which limit a job meets, whether a
//! queue may take back what it deserves, and from whom. Sources: `plugins/proportion/proportion.go`,
//! `plugins/capacity/capacity.go`, `plugins/overcommit/overcommit.go`.

use super::amounts::{LEAST, exceeded, is_empty, is_within, sum, without};
use super::division::{Claim, divide};
use crate::tree::{QueueId, QueueTree};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// What says what queues deserve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Plugin {
    /// Their weights and what they ask for.
    #[default]
    Proportion,
    /// They do.
    Capacity,
}

/// A queue, as its object has it.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The queue above.
    pub parent: Option<QueueId>,
    /// Its weight.
    pub weight: f64,
    /// Higher ones come first.
    pub priority: i64,
    /// What it deserves, by resource.
    pub deserved: Vec<f64>,
    /// The most it may have; infinite: it does not say.
    pub capability: Vec<f64>,
    /// What nobody takes from it.
    pub guarantee: Vec<f64>,
}

/// The queues of a tree: the nominal quota is what is deserved, with the borrowing limit the capability; what is never
/// lent is guaranteed.
pub fn specs(tree: &QueueTree) -> Vec<Spec> {
    let ids = (0..tree.queues().len()).map(|at| QueueId(at as u32));
    let spec = ids.map(|id| {
        let queue = tree.queue(id);
        let is_top = queue.parent.is_none() && !tree.is_leaf(id);
        let capability = queue.quotas.iter().map(|quota| match is_top {
            // A queue above all others limits by what it says it has.
            true if quota.nominal > 0.0 => quota.nominal,
            _ => (quota.borrowing_limit).map_or(f64::INFINITY, |limit| quota.nominal + limit),
        });
        let guarantee = queue.quotas.iter().map(|quota| {
            let lent = quota.lending_limit.unwrap_or(f64::INFINITY);
            if lent < quota.nominal {
                quota.nominal - lent
            } else {
                0.0
            }
        });
        Spec {
            parent: queue.parent,
            weight: queue.weight,
            priority: queue.priority,
            deserved: queue.quotas.iter().map(|quota| quota.nominal).collect(),
            capability: capability.collect(),
            guarantee: guarantee.collect(),
        }
    });
    spec.collect()
}

/// A limit that a job meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Of which queue.
    pub queue: QueueId,
    /// Of which resource.
    pub resource: usize,
    /// What it uses.
    pub used: f64,
    /// What it may use.
    pub most: f64,
}

/// Why a job may be evicted for another queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    /// Its queue has more than it deserves.
    OverDeserved {
        /// Of which resource.
        resource: usize,
        /// What it has before the eviction.
        allocated: f64,
        /// What it deserves.
        deserved: f64,
    },
    /// Its queue deserves nothing of what it has.
    Undeserved,
}

/// All queues.
#[derive(Clone, Debug)]
pub struct Queues {
    plugin: Plugin,
    is_hierarchical: bool,
    totals: Vec<f64>,
    specs: Vec<Spec>,
    /// By queue: those above it, the highest first.
    ancestors: Vec<Vec<QueueId>>,
    is_leaf: Vec<bool>,
    /// By queue: the most that it may have.
    most: Vec<Vec<f64>>,
    guarantee: Vec<Vec<f64>>,
    deserved: Vec<Vec<f64>>,
    allocated: Vec<Vec<f64>>,
    /// What jobs have, and what those ask for that may be given something.
    request: Vec<Vec<f64>>,
    /// What jobs ask for that may be given something.
    inqueue: Vec<Vec<f64>>,
    shares: Vec<f64>,
    /// By queue: how many jobs are in it that have or may be given something.
    jobs: Vec<u32>,
    /// The leaves in which there are some.
    asking: BTreeSet<usize>,
    /// What all jobs have, and may be given.
    busy: Vec<f64>,
}

impl Queues {
    /// Of a cluster that has so much of each resource. With `capacity`, queues above others count, if there are some.
    pub fn new(plugin: Plugin, specs: Vec<Spec>, totals: &[f64]) -> Self {
        let zero = vec![vec![0.0; totals.len()]; specs.len()];
        let mut is_leaf = vec![true; specs.len()];
        for spec in &specs {
            if let Some(parent) = spec.parent {
                is_leaf[parent.index()] = false;
            }
        }
        let ancestors = specs.iter().map(|spec| {
            let up = std::iter::successors(spec.parent, |id| specs[id.index()].parent);
            let mut up: Vec<QueueId> = up.collect();
            up.reverse();
            up
        });
        let mut queues = Self {
            plugin,
            is_hierarchical: plugin == Plugin::Capacity
                && specs.iter().any(|spec| spec.parent.is_some()),
            totals: totals.to_vec(),
            ancestors: ancestors.collect(),
            is_leaf,
            most: zero.clone(),
            guarantee: specs.iter().map(|spec| spec.guarantee.clone()).collect(),
            deserved: zero.clone(),
            allocated: zero.clone(),
            request: zero.clone(),
            inqueue: zero,
            shares: vec![0.0; specs.len()],
            jobs: vec![0; specs.len()],
            asking: BTreeSet::new(),
            busy: vec![0.0; totals.len()],
            specs,
        };
        match queues.is_hierarchical {
            true => queues.settle_tree(),
            false => queues.settle_leaves(),
        }
        queues.shares = (0..queues.specs.len())
            .map(|at| queues.share_now(at))
            .collect();
        queues
    }

    /// Limits and deserved amounts where no queue lies above another.
    fn settle_leaves(&mut self) {
        let leaves: Vec<usize> = (0..self.specs.len())
            .filter(|&at| self.is_leaf[at])
            .collect();
        let none = vec![0.0; self.totals.len()];
        let guaranteed = leaves
            .iter()
            .fold(none, |all, &at| sum(&all, &self.guarantee[at]));
        let open = without(&self.totals, &guaranteed);
        for at in leaves {
            let most = sum(&open, &self.guarantee[at]);
            let spec = &self.specs[at];
            self.most[at] = least(&most, &spec.capability);
            if self.plugin == Plugin::Capacity {
                let deserved = least(&spec.deserved, &self.most[at]);
                self.deserved[at] = largest(&deserved, &self.guarantee[at]);
            }
        }
    }

    /// The same of a tree, from the top.
    fn settle_tree(&mut self) {
        let none = vec![0.0; self.totals.len()];
        let mut order: Vec<usize> = (0..self.specs.len()).collect();
        order.sort_by_key(|&at| self.ancestors[at].len());
        let mut below = vec![Vec::new(); self.specs.len()];
        for (at, spec) in self.specs.iter().enumerate() {
            self.deserved[at] = largest(&spec.deserved, &spec.guarantee);
            if let Some(parent) = spec.parent {
                below[parent.index()].push(at);
            }
        }
        for at in order {
            let children = &below[at];
            let total = |of: &[Vec<f64>]| {
                let parts = children.iter().map(|&child| &of[child]);
                parts.fold(none.clone(), |all, part| sum(&all, part))
            };
            let guaranteed = total(&self.guarantee);
            if self.specs[at].parent.is_none() {
                self.most[at].clone_from(&self.specs[at].capability);
                if !children.is_empty() {
                    self.deserved[at] = total(&self.deserved);
                    self.guarantee[at].clone_from(&guaranteed);
                }
            }
            let open = without(&self.most[at], &guaranteed);
            for &child in children {
                let most = sum(&open, &self.guarantee[child]);
                self.most[child] = least(&most, &self.specs[child].capability);
            }
        }
    }

    /// A session opens: what queues deserve, and their shares.
    pub fn open(&mut self) {
        match self.plugin {
            Plugin::Proportion => self.divide(),
            // What they deserve stays; shares of leaves follow what they have.
            Plugin::Capacity => {
                for at in (0..self.specs.len()).filter(|&at| !self.is_leaf[at]) {
                    self.shares[at] = self.share_now(at);
                }
            }
        }
    }

    /// What leaves with jobs deserve by their weights. Of others nothing has changed.
    fn divide(&mut self) {
        let claims = self.asking.iter().map(|&at| Claim {
            weight: self.specs[at].weight,
            request: &self.request[at],
            guarantee: &self.guarantee[at],
            most: &self.most[at],
        });
        let claims: Vec<Claim<'_>> = claims.collect();
        let divided = divide(&self.totals, &claims);
        // Without resources there are no parts either.
        let parts = divided.chunks_exact(self.totals.len().max(1));
        for (&at, deserved) in self.asking.iter().zip(parts) {
            self.deserved[at].copy_from_slice(deserved);
        }
        for &at in &self.asking {
            self.shares[at] = self.share_now(at);
        }
    }

    /// A queue's share: of the resource of which it has most of what it deserves. With `capacity` a queue that deserves
    /// nothing has a share of 1.
    fn share_now(&self, at: usize) -> f64 {
        let (allocated, deserved) = (&self.allocated[at], &self.deserved[at]);
        if self.plugin == Plugin::Capacity && is_empty(deserved) {
            return 1.0;
        }
        let both = allocated.iter().zip(deserved);
        let both = both.filter(|(_, deserved)| **deserved >= LEAST);
        both.map(|(allocated, deserved)| allocated / deserved)
            .fold(0.0, f64::max)
    }

    /// A job of a leaf may be given what it asks for from now on.
    pub fn enqueue(&mut self, leaf: QueueId, asks: &[f64]) {
        self.jobs[leaf.index()] += 1;
        self.asking.insert(leaf.index());
        change(&mut self.busy, asks, 1.0);
        change(&mut self.request[leaf.index()], asks, 1.0);
        self.on_path(leaf, |all, at| change(&mut all.inqueue[at], asks, 1.0));
    }

    /// It is given it.
    pub fn take(&mut self, leaf: QueueId, asks: &[f64]) {
        self.on_path(leaf, |all, at| change(&mut all.inqueue[at], asks, -1.0));
        self.use_more(leaf, asks, 1.0);
    }

    /// A job ends, or loses what it has.
    pub fn give(&mut self, leaf: QueueId, asks: &[f64]) {
        let jobs = &mut self.jobs[leaf.index()];
        *jobs = jobs.saturating_sub(1);
        if *jobs == 0 {
            self.asking.remove(&leaf.index());
        }
        change(&mut self.busy, asks, -1.0);
        change(&mut self.request[leaf.index()], asks, -1.0);
        self.use_more(leaf, asks, -1.0);
    }

    /// Shares of queues above others stay until the next session, as in Volcano.
    fn use_more(&mut self, leaf: QueueId, asks: &[f64], sign: f64) {
        self.on_path(leaf, |all, at| change(&mut all.allocated[at], asks, sign));
        self.shares[leaf.index()] = self.share_now(leaf.index());
    }

    fn on_path(&mut self, leaf: QueueId, mut then: impl FnMut(&mut Self, usize)) {
        let mut at = Some(leaf);
        while let Some(queue) = at {
            then(self, queue.index());
            at = self.specs[queue.index()].parent;
        }
    }

    /// What a queue deserves.
    pub fn deserved(&self, queue: QueueId) -> &[f64] {
        &self.deserved[queue.index()]
    }

    /// What it has.
    pub fn allocated(&self, queue: QueueId) -> &[f64] {
        &self.allocated[queue.index()]
    }

    /// What its jobs have and may be given.
    pub fn request(&self, queue: QueueId) -> &[f64] {
        &self.request[queue.index()]
    }

    /// The most it may have.
    pub fn most(&self, queue: QueueId) -> &[f64] {
        &self.most[queue.index()]
    }

    /// Its share of what it deserves.
    pub fn share(&self, queue: QueueId) -> f64 {
        self.shares[queue.index()]
    }

    /// Which of two leaves is next: of higher priority; of the smaller share, in a tree that of the queues where their
    /// ways up part. Equal ones are next as they were given.
    pub fn compare(&self, left: QueueId, right: QueueId) -> Ordering {
        let priority = |id: QueueId| self.specs[id.index()].priority;
        let (a, b) = match self.is_hierarchical {
            true => self.where_they_part(left, right),
            false => (left, right),
        };
        let by_share = self.share(a).partial_cmp(&self.share(b));
        let is_undeserving = |id| self.plugin == Plugin::Capacity && is_empty(self.deserved(id));
        priority(right)
            .cmp(&priority(left))
            .then(by_share.unwrap_or(Ordering::Equal))
            .then(is_undeserving(a).cmp(&is_undeserving(b)))
            .then(left.cmp(&right))
    }

    fn where_they_part(&self, left: QueueId, right: QueueId) -> (QueueId, QueueId) {
        let (up_left, up_right) = (
            &self.ancestors[left.index()],
            &self.ancestors[right.index()],
        );
        let level = self.common_level(left, right) + 1;
        let at = |up: &[QueueId], own| up.get(level).copied().unwrap_or(own);
        (at(up_left, left), at(up_right, right))
    }

    /// What jobs that have been enqueued have and ask for, of all queues.
    pub fn busy(&self) -> &[f64] {
        &self.busy
    }

    /// What the cluster has.
    pub fn totals(&self) -> &[f64] {
        &self.totals
    }

    /// The limit that a job of a leaf meets in what its queue may have at most.
    pub fn limit_of_most(&self, leaf: QueueId, asks: &[f64]) -> Option<Limit> {
        self.first_limit(leaf, asks, &self.allocated)
    }

    /// How deep the lowest queue lies that is above both.
    pub fn common_level(&self, left: QueueId, right: QueueId) -> usize {
        let both = self.ancestors[left.index()]
            .iter()
            .zip(&self.ancestors[right.index()]);
        let same = both.take_while(|(a, b)| a == b).count();
        same.saturating_sub(1)
    }

    /// Whether a queue has all that it deserves, so that it is given nothing (`proportion`).
    pub fn is_overused(&self, leaf: QueueId) -> bool {
        self.plugin == Plugin::Proportion && is_within(self.deserved(leaf), self.allocated(leaf))
    }

    /// The limit that a job of a leaf meets: what the leaf deserves (`proportion`), or a capability on the way up
    /// (`capacity`).
    pub fn limit(&self, leaf: QueueId, asks: &[f64]) -> Option<Limit> {
        match self.plugin {
            Plugin::Proportion => {
                self.limit_of(leaf, asks, self.allocated(leaf), self.deserved(leaf))
            }
            Plugin::Capacity => self.limit_of_most(leaf, asks),
        }
    }

    /// The limit that keeps a job of a leaf from being enqueued: capabilities, counting jobs that are enqueued.
    pub fn limit_to_enqueue(&self, leaf: QueueId, asks: &[f64]) -> Option<Limit> {
        let asked: Vec<Vec<f64>> = match self.plugin {
            Plugin::Proportion => {
                let used = sum(self.allocated(leaf), &self.inqueue[leaf.index()]);
                return self.limit_of(leaf, asks, &used, self.most(leaf));
            }
            Plugin::Capacity => {
                let both = self.allocated.iter().zip(&self.inqueue);
                both.map(|(used, asked)| sum(used, asked)).collect()
            }
        };
        self.first_limit(leaf, asks, &asked)
    }

    fn first_limit(&self, leaf: QueueId, asks: &[f64], used: &[Vec<f64>]) -> Option<Limit> {
        let mut at = Some(leaf);
        while let Some(queue) = at {
            let limit = self.limit_of(queue, asks, &used[queue.index()], self.most(queue));
            if limit.is_some() {
                return limit;
            }
            let parent = self.specs[queue.index()].parent;
            at = parent.filter(|_| self.is_hierarchical);
        }
        None
    }

    fn limit_of(&self, queue: QueueId, asks: &[f64], used: &[f64], most: &[f64]) -> Option<Limit> {
        let resource = exceeded(&sum(used, asks), most, asks)?;
        Some(Limit {
            queue,
            resource,
            used: used[resource],
            most: most[resource],
        })
    }

    /// Whether jobs that have been enqueued and this one ask for more than is idle in a cluster that counts for `factor`
    /// as much (`overcommit`).
    pub fn is_overcommitted(&self, asks: &[f64], factor: f64) -> bool {
        let over = |at: usize| self.busy[at] + asks[at] > self.totals[at] * factor + LEAST;
        (0..asks.len()).any(|at| asks[at] > 0.0 && over(at))
    }

    /// Whether a job of a leaf may take back from others what its queue deserves: with it, the queue has no more than it
    /// deserves, of all that the job asks for (`proportion`) or of something of it (`capacity`).
    pub fn may_reclaim(&self, leaf: QueueId, asks: &[f64]) -> bool {
        if self.plugin == Plugin::Proportion {
            return self.limit(leaf, asks).is_none();
        }
        let used = sum(self.allocated(leaf), asks);
        if exceeded(&used, self.most(leaf), asks).is_some() {
            return false;
        }
        let deserved = self.deserved(leaf);
        (0..asks.len()).any(|at| {
            let counts = asks[at] > 0.0 && (used[at] >= LEAST || deserved[at] >= LEAST);
            counts && used[at] <= deserved[at] + LEAST
        })
    }

    /// Why a leaf may lose a job that has `victim` to one that asks for `asks`, once it has lost `lost`.
    pub fn may_lose(
        &self,
        leaf: QueueId,
        lost: &[f64],
        victim: &[f64],
        asks: &[f64],
    ) -> Option<Cause> {
        let allocated = without(self.allocated(leaf), lost);
        let deserved = self.deserved(leaf);
        let over = |at: usize| Cause::OverDeserved {
            resource: at,
            allocated: allocated[at],
            deserved: deserved[at],
        };
        if self.plugin == Plugin::Proportion {
            let found = (0..victim.len()).find(|&at| allocated[at] >= deserved[at] + LEAST);
            return found.map(over);
        }
        let is_of_use = (0..victim.len()).any(|at| victim[at] > 0.0 && asks[at] > 0.0);
        let left = without(&allocated, victim);
        if !is_of_use || !is_within(&self.guarantee[leaf.index()], &left) {
            return None;
        }
        let counts = |at: &usize| victim[*at] > 0.0 && deserved[*at] > 0.0;
        if !(0..victim.len()).any(|at| counts(&at)) {
            return Some(Cause::Undeserved);
        }
        let found = (0..victim.len()).filter(counts);
        let mut found = found.filter(|&at| allocated[at] > deserved[at]);
        found.next().map(over)
    }
}

fn change(amounts: &mut [f64], by: &[f64], sign: f64) {
    for (amount, by) in amounts.iter_mut().zip(by) {
        *amount = (*amount + sign * by).max(0.0);
    }
}

fn least(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a.min(*b)).collect()
}

fn largest(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a.max(*b)).collect()
}
