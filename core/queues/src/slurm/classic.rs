//! Slurm's classic fair share, `PriorityFlags=NO_FAIR_TREE`: 2^(−effective usage / shares / damping).
//!
//! An association is charged what it used, and a part of what its account's others did: effective usage = usage +
//! (effective usage of the account − usage) · own shares / shares of the level. Right below the root it is the usage
//! itself. All are parts of the whole machine, 0 to 1.
//!
//! Source: <https://slurm.schedmd.com/classic_fair_share.html>; `priority_multifactor.c` (`_set_usage_efctv`,
//! `_set_assoc_fs_factor`).

use super::associations::{Associations, Shares};
use super::usage::Usage;
use serde::{Deserialize, Serialize};

/// An association's fair share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FairShare {
    /// Its part of the machine by shares: `NormShares`.
    pub shares: f64,
    /// Its part of all usage: `NormUsage`.
    pub usage: f64,
    /// The same, with what it is charged of the usage of its siblings: `EffectvUsage`.
    pub effective_usage: f64,
    /// 0 to 1: 1 is unused, 0.5 is used as deserved.
    pub factor: f64,
}

/// Each association's fair share. `damping` is `FairShareDampeningFactor`, at least 1.
pub fn fair_shares(associations: &Associations, usage: &Usage, damping: f64) -> Vec<FairShare> {
    let mut all = vec![FairShare::default(); associations.len()];
    let root = FairShare {
        shares: 1.0,
        usage: 1.0,
        effective_usage: 1.0,
        factor: 0.0,
    };
    if let Some(id) = associations.root() {
        all[id.index()] = root;
    }
    for id in associations.downwards() {
        let above = associations.divides(id);
        let of_above = above.map_or(root, |above| all[above.index()]);
        let used = usage.of_all(id);
        let own = match associations.member(id).shares {
            Shares::Parent => FairShare {
                usage: used,
                // Right below the root there is no account to take it from.
                effective_usage: above.map_or(used, |_| of_above.effective_usage),
                ..of_above
            },
            Shares::Own => {
                let of_level = associations.share_of_level(id);
                let effective_usage = match above {
                    None => used,
                    // Nobody at this level has shares: the account's usage is everybody's.
                    Some(_) if !associations.has_shares(id) => of_above.effective_usage,
                    Some(_) => used + (of_above.effective_usage - used) * of_level,
                };
                FairShare {
                    shares: of_above.shares * of_level,
                    usage: used,
                    effective_usage,
                    factor: 0.0,
                }
            }
        };
        all[id.index()] = own;
    }
    for id in associations.downwards() {
        let of = match (associations.member(id).shares, associations.divides(id)) {
            (Shares::Parent, Some(above)) => all[above.index()],
            (Shares::Parent, None) => root,
            (Shares::Own, _) => all[id.index()],
        };
        all[id.index()].factor = factor(of, damping);
    }
    all
}

/// 2^(−effective usage / shares / damping).
fn factor(of: FairShare, damping: f64) -> f64 {
    if of.shares > 0.0 {
        libm::exp2(-(of.effective_usage / of.shares) / damping.max(1.0))
    } else {
        0.0
    }
}
