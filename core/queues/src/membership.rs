//! Which jobs belong to which leaf of a tree: each to the leaf that is called as the job's tenant is, or its user, its
//! account, its partition, its quality of service.

use crate::tree::{Queue, QueueId, QueueTree, TreeError};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The word of a job that names its leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Its tenant, or virtual cluster.
    #[default]
    Tenant,
    /// Who submitted it.
    User,
    /// Who is charged for it.
    Account,
    /// The partition or queue that it was submitted to.
    Partition,
    /// Its quality of service.
    Qos,
}

impl By {
    /// All of them, each with its word in files, links and flags.
    pub const ALL: [(&str, Self); 5] = [
        ("tenant", Self::Tenant),
        ("user", Self::User),
        ("account", Self::Account),
        ("partition", Self::Partition),
        ("qos", Self::Qos),
    ];

    /// The words.
    pub const WORDS: &[&str] = &["tenant", "user", "account", "partition", "qos"];
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Self::ALL.iter().find(|(_, by)| by == self);
        f.write_str(found.map_or("tenant", |(word, _)| word))
    }
}

impl FromStr for By {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(word, _)| *word == text);
        found
            .map(|&(_, by)| by)
            .ok_or_else(|| format!("'{text}' is none of {}", Self::WORDS.join(", ")))
    }
}

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
    leaves: HashMap<String, QueueId>,
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
        Ok(Self {
            leaves: leaves.collect(),
            tree,
            others,
        })
    }

    /// The leaf of a job with this word.
    pub fn leaf(&self, word: Option<&str>) -> QueueId {
        let leaf = word.and_then(|word| self.leaves.get(word));
        leaf.copied().unwrap_or(self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[test]
    fn jobs_belong_to_the_leaf_of_their_word_or_to_the_others() {
        let tree = text::read("all\na parent=all gpus=4\nb parent=all gpus=4").expect("a tree");
        let members = Membership::of(&tree).expect("leaves");
        let name = |word| members.tree.queue(members.leaf(word)).name.as_str();
        assert_eq!(name(Some("a")), "a");
        assert_eq!(name(Some("all")), OTHERS);
        assert_eq!(name(Some("c")), OTHERS);
        assert_eq!(name(None), OTHERS);
        let others = members.leaf(None);
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
    fn words_are_read_as_they_are_written() {
        for (word, by) in By::ALL {
            assert_eq!((word.parse(), by.to_string()), (Ok(by), word.to_owned()));
        }
        assert!("colour".parse::<By>().is_err());
    }
}
