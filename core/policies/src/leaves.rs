//! Jobs in a tree of queues: to which leaf each belongs, and its priority there. What the policies that divide a
//! cluster among queues begin with.

use super::entry::BuildContext;
use crate::job::JobId;
use crate::workload::{Label, Workload};
use std::collections::HashMap;
use std::sync::Arc;
use switchyard_queues::membership::{Membership, OTHERS, QueueSettings};
use switchyard_queues::rules::{By, Rule, RuledJob};
use switchyard_queues::tree::{Evicts, Kind, Queue, QueueId, QueueTree, Quota, Resource};

/// The queue above all leaves, where nobody gave a tree.
const CLUSTER: &str = "cluster";

/// The leaves of all jobs.
pub(super) struct Leaves {
    /// The tree that was given, and by job its leaf.
    given: Option<(Arc<QueueTree>, Vec<QueueId>)>,
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
        // A tree with an inner queue called as the others has been refused before.
        let members = settings.tree.as_deref().map(Membership::of);
        let given = members.and_then(Result::ok).map(|members| {
            let leaves = members_leaves(&members, settings.by, workload);
            (Arc::new(members.tree), leaves)
        });
        Self {
            given,
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
        if let Some((tree, leaves)) = &self.given {
            return (QueueTree::clone(tree), leaves.clone());
        }
        let tree = equal_parts(&self.words, self.has_others(), gpus);
        let Ok(members) = Membership::of(&tree) else {
            let leaves = vec![QueueId(0); self.word_of.len()];
            return (tree, leaves);
        };
        let names = self.words.iter();
        let by_word: Vec<QueueId> = names
            .map(|name| members.named(name).unwrap_or(members.others()))
            .collect();
        let leaf =
            |word: &Option<u32>| word.map_or(members.others(), |word| by_word[word as usize]);
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
    let Some(label) = label_of(by) else {
        let of = workload.jobs.iter().map(|job| job.tenant);
        return (workload.tenants.clone(), of.collect());
    };
    let recorded = &workload.recorded;
    let set = |job: usize| recorded.label_sets.get(job).copied().flatten();
    let of = (0..workload.jobs.len()).map(|job| recorded.labels.index(set(job), label));
    (recorded.labels.names(label).to_vec(), of.collect())
}

/// By job, its leaf.
fn members_leaves(members: &Membership, by: By, workload: &Workload) -> Vec<QueueId> {
    let are_apart = members.rules().any(Rule::asks_for_names);
    let mut known = HashMap::new();
    let leaves = (0..).map(JobId).zip(&workload.jobs).map(|(id, job)| {
        let one = One { workload, by, id };
        if are_apart {
            return members.leaf(&one);
        }
        let set = workload
            .recorded
            .label_sets
            .get(id.index())
            .copied()
            .flatten();
        let kind = (job.tenant, set.map(|set| set.get()), job.gpus);
        *known.entry(kind).or_insert_with(|| members.leaf(&one))
    });
    leaves.collect()
}

/// A job, as rules ask about it.
struct One<'a> {
    workload: &'a Workload,
    by: By,
    id: JobId,
}

impl RuledJob for One<'_> {
    fn word(&self, by: Option<By>) -> Option<&str> {
        match label_of(by.unwrap_or(self.by)) {
            Some(label) => self.workload.recorded.label(self.id, label),
            None => {
                let tenant = self.workload.jobs[self.id.index()].tenant?;
                let tenant = self.workload.tenants.get(tenant as usize);
                tenant.map(String::as_str)
            }
        }
    }

    fn name(&self) -> &str {
        &self.workload.jobs[self.id.index()].name
    }

    fn gpus(&self) -> u32 {
        self.workload.jobs[self.id.index()].gpus
    }
}

/// The label that is a job's word; none: its tenant.
pub fn label_of(by: By) -> Option<Label> {
    match by {
        By::Tenant => None,
        By::User => Some(Label::User),
        By::Account => Some(Label::Account),
        By::Partition => Some(Label::Partition),
        By::Qos => Some(Label::Qos),
    }
}

/// A leaf for each of the words, with equal parts of so many GPUs.
fn equal_parts(words: &[String], has_others: bool, gpus: u32) -> QueueTree {
    let quota = |nominal| {
        vec![Quota {
            nominal,
            ..Quota::default()
        }]
    };
    let has_others = has_others && !words.iter().any(|word| word == OTHERS);
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
