//! Which jobs belong to which leaf of a tree: each to the leaf with a [rule](crate::rules) that holds of it, or to the
//! one that is called as the job's tenant is, or its user, its account, its partition, its quality of service.

use crate::rules::{By, Rule, RuledJob};
use crate::tree::{Queue, QueueId, QueueTree, TreeError};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// The queues of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueSettings {
    /// The tree; none: a leaf for each word that jobs have, with equal quotas. (Shared: trees may be large.)
    pub tree: Option<Arc<QueueTree>>,
    /// The word that names a job's leaf.
    pub by: By,
}

/// A leaf of this name takes jobs whose word is the name of no leaf. A tree without one gets one, without quota.
pub const OTHERS: &str = "others";

/// A tree that has a leaf for every job.
#[derive(Clone, Debug, PartialEq)]
pub struct Membership {
    /// The tree.
    pub tree: QueueTree,
    /// By name.
    leaves: HashMap<String, QueueId>,
    /// The rules, in the order of their leaves.
    ruled: Vec<(Rule, QueueId)>,
    others: QueueId,
}

impl Membership {
    /// Of a tree.
    ///
    /// # Errors
    /// An inner queue is called [`OTHERS`], so that no leaf can be.
    pub fn of(tree: &QueueTree) -> Result<Self, TreeError> {
        let leaf = |tree: &QueueTree| tree.leaves().find(|&id| tree.queue(id).name == OTHERS);
        let (tree, others) = match leaf(tree) {
            Some(others) => (tree.clone(), others),
            None => {
                let mut queues = tree.queues().to_vec();
                let mut others = Queue::new(OTHERS, tree.roots().find(|&root| !tree.is_leaf(root)));
                others.quotas = vec![Default::default(); tree.resources().len()];
                queues.push(others);
                let at = QueueId(queues.len() as u32 - 1);
                (QueueTree::new(tree.resources().to_vec(), queues)?, at)
            }
        };
        let leaves = tree.leaves().map(|id| (tree.queue(id).name.clone(), id));
        let ruled = tree.leaves().flat_map(|id| {
            let rules = tree.queue(id).jobs.iter();
            rules.map(move |rule| (rule.clone(), id))
        });
        Ok(Self {
            leaves: leaves.collect(),
            ruled: ruled.collect(),
            tree,
            others,
        })
    }

    /// All rules.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.ruled.iter().map(|(rule, _)| rule)
    }

    /// The leaf of this name.
    pub fn named(&self, name: &str) -> Option<QueueId> {
        self.leaves.get(name).copied()
    }

    /// The leaf of those whom no other one has.
    pub fn others(&self) -> QueueId {
        self.others
    }

    /// The leaf of a job: the one that its word names; else the one whose rule says most of those that hold; else the
    /// others.
    pub fn leaf(&self, job: &impl RuledJob) -> QueueId {
        let named = job.word(None).and_then(|word| self.named(word));
        let ruled = || {
            let hold = self.ruled.iter().filter(|(rule, _)| rule.holds(job));
            // Of equal ones the first.
            let most = hold.rev().max_by_key(|(rule, _)| rule.conditions());
            most.map(|(_, id)| *id)
        };
        named.or_else(ruled).unwrap_or(self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    struct Word(Option<&'static str>);

    impl RuledJob for Word {
        fn word(&self, by: Option<By>) -> Option<&str> {
            match by {
                None | Some(By::Tenant) => self.0,
                Some(By::User) => Some("ana"),
                Some(_) => None,
            }
        }
        fn name(&self) -> &str {
            "train-7"
        }
        fn gpus(&self) -> u32 {
            8
        }
    }

    #[test]
    fn jobs_belong_to_the_leaf_of_their_word_or_to_the_others() {
        let tree = text::read("all\na parent=all gpus=4\nb parent=all gpus=4").expect("a tree");
        let members = Membership::of(&tree).expect("leaves");
        let name = |word| members.tree.queue(members.leaf(&Word(word))).name.as_str();
        assert_eq!(name(Some("a")), "a");
        assert_eq!(name(Some("all")), OTHERS);
        assert_eq!(name(Some("c")), OTHERS);
        assert_eq!(name(None), OTHERS);
        let others = members.leaf(&Word(None));
        assert_eq!(members.tree.queue(others).quotas[0].nominal, 0.0);
        assert_eq!(members.tree.queue(others).parent, tree.find("all"));
    }

    #[test]
    fn a_tree_may_say_who_the_others_are() {
        let tree =
            text::read("all\na parent=all gpus=4\nothers parent=all gpus=2").expect("a tree");
        let members = Membership::of(&tree).expect("leaves");
        assert_eq!(members.tree, tree);
        let inner = text::read("others\na parent=others gpus=4").expect("a tree");
        assert!(Membership::of(&inner).is_err());
    }

    #[test]
    fn a_name_goes_before_rules_and_the_rule_that_says_most_before_others() {
        let tree = "all;a,parent=all;b,parent=all,jobs=gpus:4..,jobs=x*;c,parent=all,jobs=user:ana:gpus:8;\
                    d,parent=all,jobs=user:ana:name:train-*";
        let tree = text::read(tree).expect("a tree");
        let members = Membership::of(&tree).expect("leaves");
        assert_eq!(members.rules().count(), 4);
        let name = |word| members.tree.queue(members.leaf(&Word(word))).name.as_str();
        assert_eq!((name(Some("a")), name(Some("b"))), ("a", "b"));
        assert_eq!((name(Some("xylo")), name(None)), ("c", "c"));
        let plain = text::read("all;a,parent=all;b,parent=all,jobs=x*").expect("a tree");
        let members = Membership::of(&plain).expect("leaves");
        let name = |word| members.tree.queue(members.leaf(&Word(word))).name.as_str();
        assert_eq!((name(Some("xylo")), name(Some("y"))), ("b", OTHERS));
    }

    #[test]
    fn an_inner_queue_has_no_jobs() {
        let why = text::read("all jobs=x\na parent=all").expect_err("no tree");
        assert!(why.to_string().contains("queue 'all' has jobs"), "{why}");
    }
}
