//! The tree of queues: who gets how much of what, and what may be borrowed.
//!
//! One tree serves all schedulers. What they call its parts: a leaf is Kueue's ClusterQueue, a queue of KAI, Volcano or
//! YARN, an association of Slurm; an inner queue is Kueue's Cohort, a parent queue, an account.

use crate::rules::Rule;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A queue of a tree: its place in [`QueueTree::queues`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct QueueId(pub u32);

impl QueueId {
    /// Its place among all queues.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// GPUs.
    Gpus,
    /// Cores of CPUs.
    Cores,
    /// Memory, in GiB.
    Memory,
}

/// What a quota limits: a kind of thing, of one sort of node. Kueue calls the sort a flavor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Resource {
    /// What is counted.
    pub kind: Kind,
    /// The type of GPU, or another sort of node; none: all nodes.
    pub flavor: Option<String>,
}

/// What a queue may have of one resource.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quota {
    /// What it is entitled to; infinite: all there is.
    pub nominal: f64,
    /// How much more than that it may use; none: no limit.
    pub borrowing_limit: Option<f64>,
    /// How much of it others may use; none: all.
    pub lending_limit: Option<f64>,
    /// Its part of what is over all quotas.
    pub weight: f64,
}

impl Default for Quota {
    fn default() -> Self {
        Self {
            nominal: 0.0,
            borrowing_limit: None,
            lending_limit: None,
            weight: 1.0,
        }
    }
}

/// Whose jobs a queue may evict in its own queue, or in others that borrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evicts {
    /// Nobody's.
    #[default]
    Never,
    /// Those of lower priority.
    LowerPriority,
    /// Those of lower priority, and those of the same that came later.
    LowerOrNewerEqualPriority,
    /// Anybody's.
    Any,
}

/// Which jobs of others a queue may evict although it borrows itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhileBorrowing {
    /// None.
    #[default]
    Never,
    /// Those of lower priority, up to this one.
    LowerPriority {
        /// The highest priority that may be evicted; none: only lower than its own.
        up_to: Option<i64>,
    },
}

/// What happens behind a head that does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Later ones may pass.
    #[default]
    BestEffortFifo,
    /// It blocks its queue.
    StrictFifo,
}

/// A queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Queue {
    /// Its name, which no other queue of the tree has.
    pub name: String,
    /// The queue above.
    pub parent: Option<QueueId>,
    /// Its quotas, in the order of [`QueueTree::resources`].
    pub quotas: Vec<Quota>,
    /// Which jobs belong to it: those of which one of these holds. None: those whose word is its name.
    pub jobs: Vec<Rule>,
    /// Its weight among its siblings.
    pub weight: f64,
    /// Higher ones divide first.
    pub priority: i64,
    /// What happens behind a head that does not fit.
    pub order: Order,
    /// Whose jobs of its own may be evicted for it.
    pub within: Evicts,
    /// Whose jobs of other queues, while they borrow.
    pub reclaims: Evicts,
    /// The same, while it borrows itself.
    pub while_borrowing: WhileBorrowing,
    /// For how many seconds no other queue may evict a job that has started.
    pub reclaim_min_runtime: f64,
    /// For how many seconds no job of this queue may.
    pub preempt_min_runtime: f64,
}

impl Queue {
    /// A queue without quotas below another one.
    pub fn new(name: impl Into<String>, parent: Option<QueueId>) -> Self {
        Self {
            name: name.into(),
            parent,
            quotas: Vec::new(),
            jobs: Vec::new(),
            weight: 1.0,
            priority: 0,
            order: Order::default(),
            within: Evicts::default(),
            reclaims: Evicts::default(),
            while_borrowing: WhileBorrowing::default(),
            reclaim_min_runtime: 0.0,
            preempt_min_runtime: 0.0,
        }
    }
}

/// Why queues are no tree. Each names the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum TreeError {
    /// Two queues have one name.
    #[error("two queues are called '{name}'; give each a name of its own")]
    SameName {
        /// The name.
        name: String,
    },
    /// The queue above does not exist.
    #[error("queue '{name}' lies below a queue that does not exist")]
    NoParent {
        /// The queue.
        name: String,
    },
    /// A queue lies below itself.
    #[error("queue '{name}' lies below itself: {path}")]
    Loop {
        /// The queue.
        name: String,
        /// From it to itself, `a < b < a`.
        path: String,
    },
    /// There are more or fewer quotas than resources.
    #[error("queue '{name}' has {quotas} quotas for {resources} resources")]
    Quotas {
        /// The queue.
        name: String,
        /// How many quotas it has.
        quotas: usize,
        /// How many there should be.
        resources: usize,
    },
    /// A number that cannot be one: below zero, or none.
    #[error("queue '{name}' has a {what} of {given}; give zero or more")]
    Number {
        /// The queue.
        name: String,
        /// Which number.
        what: String,
        /// What was given.
        given: String,
    },
    /// A limit to borrowing where there is nobody to borrow from.
    #[error("queue '{name}' has a {what} but no queue above it to borrow from or lend to")]
    Alone {
        /// The queue.
        name: String,
        /// Which limit.
        what: String,
    },
    /// Jobs of a queue with others below it.
    #[error("queue '{name}' has jobs, but queues below it; only leaves have jobs")]
    JobsOfInner {
        /// The queue.
        name: String,
    },
}

impl TreeError {
    /// The queue that it names.
    pub fn queue(&self) -> &str {
        match self {
            Self::SameName { name }
            | Self::NoParent { name }
            | Self::Loop { name, .. }
            | Self::Quotas { name, .. }
            | Self::Number { name, .. }
            | Self::Alone { name, .. }
            | Self::JobsOfInner { name } => name,
        }
    }
}

/// Queues in a tree, or in several beside one another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct QueueTree {
    resources: Vec<Resource>,
    queues: Vec<Queue>,
    children: Vec<Vec<QueueId>>,
    /// Every queue after its children.
    upwards: Vec<QueueId>,
}

/// What a tree is made of.
#[derive(Serialize, Deserialize)]
struct Parts {
    resources: Vec<Resource>,
    queues: Vec<Queue>,
}

impl From<QueueTree> for Parts {
    fn from(tree: QueueTree) -> Self {
        Self {
            resources: tree.resources,
            queues: tree.queues,
        }
    }
}

impl TryFrom<Parts> for QueueTree {
    type Error = TreeError;

    fn try_from(parts: Parts) -> Result<Self, TreeError> {
        Self::new(parts.resources, parts.queues)
    }
}

impl QueueTree {
    /// Checks queues and puts them into a tree.
    ///
    /// # Errors
    /// Two of one name, no such parent, a loop, a wrong number of quotas, a number below zero, a limit without a parent,
    /// rules of an inner queue.
    pub fn new(resources: Vec<Resource>, queues: Vec<Queue>) -> Result<Self, TreeError> {
        let mut names = HashMap::new();
        for queue in &queues {
            check_queue(queue, resources.len(), queues.len())?;
            if names.insert(queue.name.as_str(), ()).is_some() {
                let name = queue.name.clone();
                return Err(TreeError::SameName { name });
            }
        }
        check_loops(&queues)?;
        let mut children = vec![Vec::new(); queues.len()];
        for (at, queue) in queues.iter().enumerate() {
            if let Some(parent) = queue.parent {
                children[parent.index()].push(QueueId(at as u32));
            }
        }
        let inner = queues.iter().zip(&children);
        let mut inner = inner.filter(|(_, below)| !below.is_empty());
        if let Some((queue, _)) = inner.find(|(queue, _)| !queue.jobs.is_empty()) {
            let name = queue.name.clone();
            return Err(TreeError::JobsOfInner { name });
        }
        let roots = (0..queues.len()).filter(|&at| queues[at].parent.is_none());
        let mut downwards: Vec<QueueId> = roots.map(|at| QueueId(at as u32)).collect();
        let mut next = 0;
        while let Some(&id) = downwards.get(next) {
            downwards.extend(&children[id.index()]);
            next += 1;
        }
        downwards.reverse();
        Ok(Self {
            resources,
            queues,
            children,
            upwards: downwards,
        })
    }

    /// What its quotas limit.
    pub fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// All queues, as they were given.
    pub fn queues(&self) -> &[Queue] {
        &self.queues
    }

    /// One of them.
    pub fn queue(&self, id: QueueId) -> &Queue {
        &self.queues[id.index()]
    }

    /// The queue of a name.
    pub fn find(&self, name: &str) -> Option<QueueId> {
        let at = self.queues.iter().position(|queue| queue.name == name)?;
        Some(QueueId(at as u32))
    }

    /// The queues right below one, as they were given.
    pub fn children(&self, id: QueueId) -> &[QueueId] {
        &self.children[id.index()]
    }

    /// Whether jobs may belong to it: nothing lies below it.
    pub fn is_leaf(&self, id: QueueId) -> bool {
        self.children(id).is_empty()
    }

    /// The queues with nothing above them, as they were given.
    pub fn roots(&self) -> impl Iterator<Item = QueueId> + '_ {
        self.ids().filter(|&id| self.queue(id).parent.is_none())
    }

    /// The queues with nothing below them, as they were given.
    pub fn leaves(&self) -> impl Iterator<Item = QueueId> + '_ {
        self.ids().filter(|&id| self.is_leaf(id))
    }

    /// All queues, each after those below it.
    pub fn upwards(&self) -> &[QueueId] {
        &self.upwards
    }

    /// A queue, the one above it, and so on.
    pub fn path(&self, id: QueueId) -> impl Iterator<Item = QueueId> + '_ {
        std::iter::successors(Some(id), |&id| self.queue(id).parent)
    }

    fn ids(&self) -> impl Iterator<Item = QueueId> + use<> {
        (0..self.queues.len()).map(|at| QueueId(at as u32))
    }
}

fn check_queue(queue: &Queue, resources: usize, queues: usize) -> Result<(), TreeError> {
    let name = || queue.name.clone();
    if queue.parent.is_some_and(|parent| parent.index() >= queues) {
        return Err(TreeError::NoParent { name: name() });
    }
    if queue.quotas.len() != resources {
        return Err(TreeError::Quotas {
            name: name(),
            quotas: queue.quotas.len(),
            resources,
        });
    }
    let number = |what: &str, given: f64| {
        let is_one = given >= 0.0;
        let error = || TreeError::Number {
            name: name(),
            what: what.to_owned(),
            given: given.to_string(),
        };
        if is_one { Ok(()) } else { Err(error()) }
    };
    number("weight", queue.weight)?;
    number("minimum run time", queue.reclaim_min_runtime)?;
    number("minimum run time", queue.preempt_min_runtime)?;
    for quota in &queue.quotas {
        number("quota", quota.nominal)?;
        number("weight", quota.weight)?;
        let limits = [
            ("borrowing limit", quota.borrowing_limit),
            ("lending limit", quota.lending_limit),
        ];
        for (what, limit) in limits {
            let Some(limit) = limit else { continue };
            number(what, limit)?;
            if queue.parent.is_none() {
                return Err(TreeError::Alone {
                    name: name(),
                    what: what.to_owned(),
                });
            }
        }
    }
    Ok(())
}

fn check_loops(queues: &[Queue]) -> Result<(), TreeError> {
    let mut is_sound = vec![false; queues.len()];
    for start in 0..queues.len() {
        let mut path = Vec::new();
        let mut at = Some(start);
        while let Some(here) = at.filter(|&here| !is_sound[here]) {
            if let Some(from) = path.iter().position(|&before| before == here) {
                let names = path[from..].iter().chain([&here]);
                let names: Vec<&str> = names.map(|&at| queues[at].name.as_str()).collect();
                return Err(TreeError::Loop {
                    name: queues[here].name.clone(),
                    path: names.join(" < "),
                });
            }
            path.push(here);
            at = queues[here].parent.map(QueueId::index);
        }
        for at in path {
            is_sound[at] = true;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(name: &str, parent: Option<u32>) -> Queue {
        Queue::new(name, parent.map(QueueId))
    }

    #[test]
    fn every_queue_comes_after_those_below_it() {
        let queues = vec![
            queue("a1", Some(2)),
            queue("root", None),
            queue("a", Some(1)),
            queue("b", Some(1)),
        ];
        let tree = QueueTree::new(vec![], queues).expect("a tree");
        let names = |ids: &[QueueId]| -> Vec<String> {
            ids.iter().map(|&id| tree.queue(id).name.clone()).collect()
        };
        assert_eq!(names(tree.upwards()), ["a1", "b", "a", "root"]);
        assert_eq!(names(&tree.leaves().collect::<Vec<_>>()), ["a1", "b"]);
        assert_eq!(names(&tree.roots().collect::<Vec<_>>()), ["root"]);
        let a1 = tree.find("a1").expect("there is one");
        assert_eq!(
            names(&tree.path(a1).collect::<Vec<_>>()),
            ["a1", "a", "root"]
        );
    }

    #[test]
    fn what_is_no_tree_names_the_queue() {
        let refused = |queues| {
            let error = QueueTree::new(vec![], queues).expect_err("no tree");
            error.to_string()
        };
        let twice = refused(vec![queue("a", None), queue("a", None)]);
        assert!(twice.contains("called 'a'"), "{twice}");
        let lost = refused(vec![queue("a", Some(7))]);
        assert!(lost.contains("'a' lies below a queue that does not exist"));
        let around = vec![
            queue("x", Some(1)),
            queue("a", Some(2)),
            queue("b", Some(1)),
        ];
        assert!(refused(around).contains("'a' lies below itself: a < b < a"));
    }

    #[test]
    fn wrong_numbers_name_the_queue_and_the_number() {
        let gpus = || {
            vec![Resource {
                kind: Kind::Gpus,
                flavor: None,
            }]
        };
        let refused = |quota| {
            let quotas = vec![quota];
            let queue = Queue {
                quotas,
                ..queue("a", None)
            };
            let error = QueueTree::new(gpus(), vec![queue]).expect_err("no tree");
            error.to_string()
        };
        let below = Quota {
            nominal: -1.0,
            ..Quota::default()
        };
        assert_eq!(
            refused(below),
            "queue 'a' has a quota of -1; give zero or more"
        );
        let nan = Quota {
            weight: f64::NAN,
            ..Quota::default()
        };
        assert!(refused(nan).contains("weight of NaN"));
        let alone = Quota {
            borrowing_limit: Some(2.0),
            ..Quota::default()
        };
        assert!(refused(alone).contains("borrowing limit but no queue above"));
        let none = QueueTree::new(gpus(), vec![queue("a", None)]).expect_err("no tree");
        assert!(none.to_string().contains("0 quotas for 1 resources"));
    }
}
