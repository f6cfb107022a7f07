//! Jobs in a tree of queues: to which leaf each belongs, and its priority there. What the policies that divide a
//! cluster among queues begin with.

use super::entry::BuildContext;
use crate::job::JobId;
use crate::workload::{Label, Workload};
use std::sync::Arc;
use switchyard_queues::membership::{By, Membership, OTHERS, QueueSettings};
use switchyard_queues::tree::{Evicts, Kind, Queue, QueueId, QueueTree, Quota, Resource};

/// The queue above all leaves, where nobody gave a tree.
const CLUSTER: &str = "cluster";

/// The leaves of all jobs.
pub(super) struct Leaves {
    tree: Option<Arc<QueueTree>>,
    /// By job: which of the words.
    word_of: Vec<Option<u32>>,
    /// The words that jobs have.
    words: Vec<String>,
    /// By job: the higher goes first.
    priorities: Vec<i64>,
}

impl Leaves {
    pub(super) fn new(context: &BuildContext<'_>) -> Self {
        let default = QueueSettings::default();
        Self::of(context.queues.unwrap_or(&default), context.workload)
    }

    fn of(settings: &QueueSettings, workload: &Workload) -> Self {
        let (words, word_of) = words(workload, settings.by);
        let jobs = 0..workload.jobs.len() as u32;
        let priorities = jobs.map(|job| {
            let told = workload.recorded.priority(JobId(job));
            told.unwrap_or(0.0) as i64
        });
        Self {
            tree: settings.tree.clone(),
            word_of,
            words,
            priorities: priorities.collect(),
        }
    }

    /// A job's priority.
    pub(super) fn priority(&self, job: JobId) -> i64 {
        self.priorities.get(job.index()).copied().unwrap_or(0)
    }

    /// The tree, and the leaf of every job. Where nobody gave a tree, each word has a leaf with an equal part of so
    /// many GPUs, which others may borrow, and which it takes back.
    pub(super) fn in_tree(&self, gpus: u32) -> (QueueTree, Vec<QueueId>) {
        let equal = || Arc::new(equal_parts(&self.words, self.has_others(), gpus));
        let tree = self.tree.clone().unwrap_or_else(equal);
        let Ok(members) = Membership::of(&tree) else {
            // Such a tree has been refused before; here, nobody has a queue of their own.
            let tree = equal_parts(&[], true, gpus);
            let leaf = tree.leaves().next().unwrap_or(QueueId(0));
            let leaves = vec![leaf; self.word_of.len()];
            return (tree, leaves);
        };
        let by_word: Vec<QueueId> = self
            .words
            .iter()
            .map(|word| members.leaf(Some(word)))
            .collect();
        let others = members.leaf(None);
        let leaf = |word: &Option<u32>| word.map_or(others, |word| by_word[word as usize]);
        let leaves = self.word_of.iter().map(leaf).collect();
        (members.tree, leaves)
    }

    /// Whether some job has no word, or no job has one.
    fn has_others(&self) -> bool {
        self.words.is_empty() || self.word_of.iter().any(Option::is_none)
    }
}

/// The tree of a run on so many GPUs, and the leaf of every job.
pub fn leaves_of(
    settings: &QueueSettings,
    workload: &Workload,
    gpus: u32,
) -> (QueueTree, Vec<QueueId>) {
    Leaves::of(settings, workload).in_tree(gpus)
}

/// The words that jobs have, in order of their first use, and which one each has.
fn words(workload: &Workload, by: By) -> (Vec<String>, Vec<Option<u32>>) {
    let label = match by {
        By::Tenant => {
            let of = workload.jobs.iter().map(|job| job.tenant);
            return (workload.tenants.clone(), of.collect());
        }
        By::User => Label::User,
        By::Account => Label::Account,
        By::Partition => Label::Partition,
        By::Qos => Label::Qos,
    };
    let recorded = &workload.recorded;
    let set = |job: usize| recorded.label_sets.get(job).copied().flatten();
    let of = (0..workload.jobs.len()).map(|job| recorded.labels.index(set(job), label));
    (recorded.labels.names(label).to_vec(), of.collect())
}

/// A leaf for each of the words, with equal parts of so many GPUs.
fn equal_parts(words: &[String], has_others: bool, gpus: u32) -> QueueTree {
    let quota = |nominal| {
        vec![Quota {
            nominal,
            ..Quota::default()
        }]
    };
    let others = has_others.then(|| OTHERS.to_owned());
    let names: Vec<String> = words.iter().cloned().chain(others).collect();
    // Whole GPUs, of which the first have one more where they cannot be divided evenly.
    let count = names.len().max(1) as u32;
    let (part, more) = (gpus / count, gpus % count);
    let root = Queue {
        quotas: quota(0.0),
        // A tenant may be called so too.
        ..Queue::new(
            names.iter().fold(CLUSTER.to_owned(), |name, other| {
                if name == *other { name + "'" } else { name }
            }),
            None,
        )
    };
    let leaves = (0..).zip(names).map(|(at, name)| Queue {
        quotas: quota(f64::from(part + u32::from(at < more))),
        within: Evicts::LowerPriority,
        reclaims: Evicts::Any,
        ..Queue::new(name, Some(QueueId(0)))
    });
    let gpus = Resource {
        kind: Kind::Gpus,
        flavor: None,
    };
    let queues = std::iter::once(root).chain(leaves).collect();
    QueueTree::new(vec![gpus], queues).unwrap_or_default()
}
