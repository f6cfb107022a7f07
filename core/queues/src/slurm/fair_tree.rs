//! Fair Tree: users in the order of a tree whose branches are sorted.
//!
//! Level fair share = (own shares / shares of the level) / (own usage / usage of the account): above 1 is under-served,
//! unused is infinite, without shares it is 0. Siblings are sorted by it, largest first, and the tree is walked depth
//! first. A user's fair share is their rank, counted from the last, over the number of users.
//!
//! Ties. Users with equal level fair shares have one rank. A user with that of a sibling account has the rank of the
//! account's first user, and stands before it. Sibling accounts with equal ones are walked as one, their members
//! sorted together. That is the documented rule. Slurm's source meant to do so, but asks the opposite of whether the
//! next sibling is a user, since 2014: its accounts are walked in turn, and the first user of the second has the
//! rank of the last of the first. [`Ties`] has both.
//!
//! `FairShare=parent`: such users come first in their account. Such accounts are passed over; their members divide the
//! shares of the account above.
//!
//! Source: <https://slurm.schedmd.com/fair_tree.html>; `src/plugins/priority/multifactor/fair_tree.c`.

use super::associations::{Associations, Shares};
use super::usage::Usage;
use crate::tree::QueueId;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// What is done with sibling accounts whose level fair shares are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// Their members are sorted together, as Slurm's page says.
    #[default]
    Merged,
    /// One is walked after the other, as Slurm's source does.
    InTurn,
}

/// An association's fair share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FairShare {
    /// Its part of the shares of its level: `NormShares`.
    pub shares: f64,
    /// Its part of what its account used: `EffectvUsage`.
    pub usage: f64,
    /// Level fair share: `LevelFS`, may be infinite. None for accounts with `FairShare=parent`.
    pub level: Option<f64>,
    /// A user's rank: the number of users for the first.
    pub rank: Option<u32>,
    /// A user's rank over the number of users; 0 for accounts.
    pub factor: f64,
}

/// Which level fair shares decided between two associations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The account that both lie below; none: the root.
    pub below: Option<QueueId>,
    /// Which of its members one is or lies below, with its level fair share.
    pub one: (QueueId, Option<f64>),
    /// The same of the other.
    pub other: (QueueId, Option<f64>),
}

/// What an account with `FairShare=parent` is sorted by: behind unused ones, before all others, as in Slurm.
const PASSED_OVER: f64 = 4_294_967_294.0;

/// Each association's fair share.
pub fn fair_shares(associations: &Associations, usage: &Usage, ties: Ties) -> Vec<FairShare> {
    let mut walk = Walk::default();
    walk.fair_shares(associations, usage, ties);
    walk.all
}

/// Walks through one tree again and again. It remembers in which order siblings were: most stay where they were.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    all: Vec<FairShare>,
    /// By association: what it is sorted by.
    levels: Vec<f64>,
    /// By account, and of the root behind them: who divides its shares, as sorted last.
    orders: Vec<Vec<QueueId>>,
    open: Vec<Level>,
}

impl Walk {
    /// Each association's fair share.
    pub fn fair_shares(
        &mut self,
        associations: &Associations,
        usage: &Usage,
        ties: Ties,
    ) -> &[FairShare] {
        self.all.resize(associations.len(), FairShare::default());
        self.levels.resize(associations.len(), PASSED_OVER);
        for id in associations.downwards() {
            let of = of_level(associations, usage, id);
            self.levels[id.index()] = of.level.unwrap_or(PASSED_OVER);
            self.all[id.index()] = of;
        }
        // Among equal ones the order decides nothing if they are merged.
        if ties == Ties::InTurn || self.orders.is_empty() {
            let ids = (0..associations.len() as u32).map(QueueId);
            let below = ids.map(Some).chain([None]);
            self.orders.clear();
            (self.orders).extend(below.map(|id| associations.below(id).to_vec()));
        }
        let is_user = |id: QueueId| associations.member(id).is_user;
        let users = associations.users();
        // The rank of the user before, and what it would be without ties.
        let (mut rank, mut next_rank) = (users, users);
        self.go_below(associations, associations.len(), false);
        while let Some(level) = self.open.last_mut() {
            let Some(&id) = level.members.get(level.at) else {
                if let Some(Level { members, of, .. }) = self.open.pop()
                    && let Some(of) = of
                {
                    self.orders[of] = members;
                }
                continue;
            };
            let own = self.levels[id.index()];
            let is_tied = match level.before {
                None => level.is_tied,
                Some(before) => before == own,
            };
            level.at += 1;
            level.before = Some(own);
            if is_user(id) {
                if !is_tied {
                    rank = next_rank;
                }
                let fair_share = &mut self.all[id.index()];
                fair_share.rank = Some(rank);
                fair_share.factor = f64::from(rank) / f64::from(users);
                next_rank = next_rank.saturating_sub(1);
                continue;
            }
            let rest = level.members[level.at..].iter();
            let tied = rest.take_while(|&&other| self.levels[other.index()] == own);
            let tied: Vec<QueueId> = match ties {
                Ties::Merged => tied.copied().collect(),
                Ties::InTurn => Vec::new(),
            };
            level.at += tied.len();
            self.go_below(associations, id.index(), is_tied);
            if !tied.is_empty()
                && let Some(level) = self.open.last_mut()
            {
                // They are sorted together, and apart the next time.
                self.orders[id.index()].clone_from(&level.members);
                level.of = None;
                for other in tied {
                    level.members.extend(associations.below(Some(other)));
                }
                sort(&mut level.members, &self.levels, associations);
            }
        }
        &self.all
    }

    /// Begins to walk through those below an account.
    fn go_below(&mut self, associations: &Associations, of: usize, is_tied: bool) {
        let mut members = std::mem::take(&mut self.orders[of]);
        sort(&mut members, &self.levels, associations);
        self.open.push(Level {
            members,
            of: Some(of),
            at: 0,
            before: None,
            is_tied,
        });
    }
}

/// The largest first; of equal ones users before accounts.
fn sort(members: &mut [QueueId], levels: &[f64], associations: &Associations) {
    let is_user = |id: QueueId| associations.member(id).is_user;
    members.sort_by(|&one, &other| {
        let by_level = levels[other.index()].partial_cmp(&levels[one.index()]);
        let by_level = by_level.unwrap_or(Ordering::Equal);
        by_level.then(is_user(other).cmp(&is_user(one)))
    });
}

/// Which level fair shares decided between two associations, with [`Ties::Merged`]; none if one lies below the other.
pub fn comparison(
    associations: &Associations,
    fair_shares: &[FairShare],
    one: QueueId,
    other: QueueId,
) -> Option<Comparison> {
    let path = |id: QueueId| {
        let mut path = vec![id];
        while let Some(above) = path.last().and_then(|&id| associations.divides(id)) {
            path.push(above);
        }
        path
    };
    let (mut one, mut other) = (path(one), path(other));
    let mut below = None;
    loop {
        let (here, there) = (one.pop()?, other.pop()?);
        if here != there {
            let level = |id: QueueId| fair_shares[id.index()].level;
            // Members of tied accounts are sorted together: those decide.
            if level(here) == level(there) && !one.is_empty() && !other.is_empty() {
                continue;
            }
            let with_level = |id: QueueId| (id, level(id));
            return Some(Comparison {
                below,
                one: with_level(here),
                other: with_level(there),
            });
        }
        below = Some(here);
    }
}

/// Siblings on the walk.
#[derive(Clone, Debug)]
struct Level {
    members: Vec<QueueId>,
    /// Below which account all of them are, by its place in [`Walk::orders`].
    of: Option<usize>,
    at: usize,
    /// The level fair share of the one before.
    before: Option<f64>,
    /// Whether the account above was tied with who came before.
    is_tied: bool,
}

fn of_level(associations: &Associations, usage: &Usage, id: QueueId) -> FairShare {
    let shares = associations.share_of_level(id);
    let above = associations.divides(id);
    let of_account = above.map_or(usage.total(), |above| usage.raw(above));
    let used = if of_account > 0.0 {
        usage.raw(id) / of_account
    } else {
        0.0
    };
    let member = associations.member(id);
    let level = match member.shares {
        Shares::Parent if member.is_user => Some(f64::INFINITY),
        Shares::Parent => None,
        Shares::Own if shares > 0.0 && used > 0.0 => Some(shares / used),
        Shares::Own if shares > 0.0 => Some(f64::INFINITY),
        Shares::Own => Some(0.0),
    };
    FairShare {
        shares,
        usage: used,
        level,
        rank: None,
        factor: 0.0,
    }
}
