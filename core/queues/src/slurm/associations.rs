//! Accounts and users with their shares: what fair share is computed on.
//!
//! `FairShare=parent` takes an association out of the division. A user with it gets what their account has. Those
//! below an account with it divide the shares of the account above, together with that one's own members.
//!
//! Source: `src/common/assoc_mgr.c` (`_set_assoc_parent_and_user`, `_get_children_level_shares`,
//! `_normalize_assoc_shares_*`).

use crate::tree::{QueueId, QueueTree};
use serde::{Deserialize, Serialize};

/// How an association's shares are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shares {
    /// The queue's weight, against those of its siblings.
    Own,
    /// `FairShare=parent`: those of the account above.
    Parent,
}

/// What an association is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// A user, who runs jobs; else an account.
    pub is_user: bool,
    /// Whose shares it has.
    pub shares: Shares,
}

/// Accounts and users in their tree, with shares of one another.
///
/// A tree with one queue above all others has Slurm's `root` in it. Above several stands a root that has no name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Associations {
    members: Vec<Membership>,
    shares: Vec<f64>,
    /// The account above, whatever its shares.
    parents: Vec<Option<QueueId>>,
    /// The account whose shares it divides; none: the root.
    divides: Vec<Option<QueueId>>,
    /// The associations that divide the shares of each.
    below: Vec<Vec<QueueId>>,
    below_root: Vec<QueueId>,
    /// The sum of the shares that an association's own stand among.
    level_shares: Vec<f64>,
    /// Every association after the one above it.
    downwards: Vec<QueueId>,
    root: Option<QueueId>,
    users: u32,
}

impl Associations {
    /// Of a tree whose leaves are users and whose weights are shares.
    pub fn of_tree(tree: &QueueTree) -> Self {
        Self::new(tree, |id| Membership {
            is_user: tree.is_leaf(id),
            shares: Shares::Own,
        })
    }

    /// Of a tree whose weights are shares.
    pub fn new(tree: &QueueTree, of: impl Fn(QueueId) -> Membership) -> Self {
        let queues = tree.queues();
        let ids = || (0..queues.len()).map(|at| QueueId(at as u32));
        let mut roots = tree.roots();
        let root = match (roots.next(), roots.next()) {
            (Some(only), None) if !tree.is_leaf(only) => Some(only),
            _ => None,
        };
        let mut this = Self {
            members: ids().map(of).collect(),
            shares: queues.iter().map(|queue| queue.weight).collect(),
            parents: queues.iter().map(|queue| queue.parent).collect(),
            divides: vec![None; queues.len()],
            below: vec![Vec::new(); queues.len()],
            below_root: Vec::new(),
            level_shares: vec![0.0; queues.len()],
            downwards: tree.upwards().iter().rev().copied().collect(),
            root,
            users: 0,
        };
        for at in 0..this.downwards.len() {
            let id = this.downwards[at];
            this.divides[id.index()] = this.parents[id.index()].and_then(|parent| {
                let passes_on = this.member(parent).shares == Shares::Parent;
                match Some(parent) == root {
                    true => None,
                    false if passes_on => this.divides[parent.index()],
                    false => Some(parent),
                }
            });
        }
        for id in ids().filter(|&id| Some(id) != root) {
            match this.divides[id.index()] {
                Some(above) => this.below[above.index()].push(id),
                None => this.below_root.push(id),
            }
        }
        for level in this.below.iter().chain([&this.below_root]) {
            let own = |id: &&QueueId| this.members[id.index()].shares == Shares::Own;
            let sum = level.iter().filter(own).map(|id| this.shares[id.index()]);
            let sum = sum.fold(0.0, |sum, shares| sum + shares);
            for id in level {
                this.level_shares[id.index()] = sum;
            }
        }
        let users = this.members.iter().filter(|member| member.is_user);
        this.users = users.count() as u32;
        this
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// How many of them are users.
    pub fn users(&self) -> u32 {
        self.users
    }

    /// What one is.
    pub fn member(&self, id: QueueId) -> Membership {
        self.members[id.index()]
    }

    /// The account above all, where the tree names it.
    pub fn root(&self) -> Option<QueueId> {
        self.root
    }

    /// The account whose shares it divides with others; none: the root.
    pub fn divides(&self, id: QueueId) -> Option<QueueId> {
        self.divides[id.index()]
    }

    /// Those that divide the shares of one, as they were given; of the root for none.
    pub fn below(&self, id: Option<QueueId>) -> &[QueueId] {
        id.map_or(&self.below_root, |id| &self.below[id.index()])
    }

    /// Its part of the shares of its level, 0 to 1. With `FairShare=parent`, that of the account above.
    pub fn share_of_level(&self, id: QueueId) -> f64 {
        let of = match self.member(id).shares {
            Shares::Own => Some(id),
            Shares::Parent => self.divides(id),
        };
        of.map_or(0.0, |of| {
            let (own, all) = (self.shares[of.index()], self.level_shares[of.index()]);
            if all > 0.0 { own / all } else { 0.0 }
        })
    }

    /// Whether anybody at its level has shares.
    pub fn has_shares(&self, id: QueueId) -> bool {
        self.level_shares[id.index()] > 0.0
    }

    /// Every association after the one above it, without the root.
    pub fn downwards(&self) -> impl Iterator<Item = QueueId> + '_ {
        let root = self.root;
        let all = self.downwards.iter().copied();
        all.filter(move |&id| Some(id) != root)
    }

    /// An association, the account above it, and so on.
    pub fn path(&self, id: QueueId) -> impl Iterator<Item = QueueId> + '_ {
        std::iter::successors(Some(id), |&id| self.parents[id.index()])
    }
}
