//! Whose turn it is: jobs of a tree of queues, one after the other.
//!
//! In: a cluster and jobs. Out: the next one, by the order of queues from the top down, then of jobs in their queue; or
//! the last one, where victims are looked for. Source: `actions/utils/job_order_by_queue.go`, `plugins/elastic`.

use super::cluster::{Cluster, State, TaskId, add};
use super::place::{next_tasks, sum};
use crate::kai::order::{Contender, compare};
use crate::tree::QueueId;
use std::cmp::Ordering;

/// A job that waits for its turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The job.
    pub job: usize,
    /// The tasks that it stands for; none: all.
    pub tasks: Option<Vec<TaskId>>,
}

/// Jobs that wait for their turn.
#[derive(Clone, Debug)]
pub struct Turns {
    /// Whether the last ones come first.
    reversed: bool,
    /// Jobs by queue.
    waiting: Vec<Vec<Entry>>,
    /// How many jobs wait in each queue and below it.
    counts: Vec<usize>,
    /// What those had that were taken, by queue.
    taken: Vec<Vec<f64>>,
}

impl Turns {
    /// Nobody, yet.
    pub fn new(cluster: &Cluster, reversed: bool) -> Self {
        let queues = cluster.tree.queues().len();
        Self {
            reversed,
            waiting: vec![Vec::new(); queues],
            counts: vec![0; queues],
            taken: vec![vec![0.0; cluster.totals.len()]; queues],
        }
    }

    /// A job waits.
    pub fn push(&mut self, cluster: &Cluster, entry: Entry) {
        let queue = cluster.jobs[entry.job].queue;
        if !cluster.tree.is_leaf(queue) {
            return;
        }
        self.waiting[queue.index()].push(entry);
        for above in cluster.tree.path(queue) {
            self.counts[above.index()] += 1;
        }
    }

    /// Takes the next one.
    pub fn pop(&mut self, cluster: &Cluster) -> Option<Entry> {
        let roots: Vec<QueueId> = cluster.tree.roots().collect();
        let mut queue = self.best_queue(cluster, &roots)?;
        while !cluster.tree.is_leaf(queue) {
            queue = self.best_queue(cluster, cluster.tree.children(queue))?;
        }
        let at = self.best_job(cluster, queue)?;
        let entry = self.waiting[queue.index()].remove(at);
        for above in cluster.tree.path(queue) {
            self.counts[above.index()] -= 1;
        }
        if self.reversed {
            add(&mut self.taken[queue.index()], &has(cluster, &entry), 1.0);
        }
        Some(entry)
    }

    /// The place of the next job of a leaf.
    fn best_job(&self, cluster: &Cluster, queue: QueueId) -> Option<usize> {
        let waiting = &self.waiting[queue.index()];
        (0..waiting.len()).min_by(|&left, &right| {
            let order = by_job(cluster, &waiting[left], &waiting[right]);
            if self.reversed {
                order.reverse()
            } else {
                order
            }
        })
    }

    /// The next one of sibling queues in which jobs wait.
    fn best_queue(&self, cluster: &Cluster, queues: &[QueueId]) -> Option<QueueId> {
        let waiting = |queue: &QueueId| self.counts[queue.index()] > 0;
        let mut best: Option<(QueueId, Vec<f64>)> = None;
        for queue in queues.iter().copied().filter(waiting) {
            let amounts = self.amounts(cluster, queue)?;
            let is_better = best.as_ref().is_none_or(|(other, of_other)| {
                let order = self.compare(cluster, (queue, &amounts), (*other, of_other));
                order == Ordering::Less
            });
            if is_better {
                best = Some((queue, amounts));
            }
        }
        best.map(|(queue, _)| queue)
    }

    fn compare(
        &self,
        cluster: &Cluster,
        left: (QueueId, &[f64]),
        right: (QueueId, &[f64]),
    ) -> Ordering {
        let contender = |(queue, amounts): (QueueId, &'_ [f64])| -> (Vec<f64>, Vec<f64>, QueueId) {
            let (head, victims) = if self.reversed {
                (Vec::new(), amounts.to_vec())
            } else {
                (amounts.to_vec(), Vec::new())
            };
            (head, victims, queue)
        };
        let (left, right) = (contender(left), contender(right));
        fn of<'b>(cluster: &'b Cluster, from: &'b (Vec<f64>, Vec<f64>, QueueId)) -> Contender<'b> {
            Contender {
                standings: cluster.standings.of(from.2),
                priority: cluster.tree.queue(from.2).priority,
                created: f64::from(from.2.0),
                head: &from.0,
                victims: &from.1,
            }
        }
        let order = compare(&of(cluster, &left), &of(cluster, &right), &cluster.totals).order;
        if self.reversed {
            order.reverse()
        } else {
            order
        }
    }

    /// What the next job of a queue asks for; or what its victims have: those taken and the next one.
    fn amounts(&self, cluster: &Cluster, queue: QueueId) -> Option<Vec<f64>> {
        let mut leaf = queue;
        while !cluster.tree.is_leaf(leaf) {
            leaf = self.best_queue(cluster, cluster.tree.children(leaf))?;
        }
        let entry = &self.waiting[leaf.index()][self.best_job(cluster, leaf)?];
        if !self.reversed {
            return Some(match &entry.tasks {
                Some(tasks) => sum(cluster, tasks),
                None => sum(cluster, &next_tasks(cluster, entry.job, true)),
            });
        }
        let mut amounts = self.taken[leaf.index()].clone();
        add(&mut amounts, &has(cluster, entry), 1.0);
        Some(amounts)
    }
}

/// What the tasks of an entry have.
fn has(cluster: &Cluster, entry: &Entry) -> Vec<f64> {
    let mut sum = vec![0.0; cluster.totals.len()];
    for id in tasks_of(cluster, entry) {
        if cluster.place(id).state.is_active() {
            add(&mut sum, cluster.request(id), 1.0);
        }
    }
    sum
}

/// The tasks that an entry stands for, in the order in which they start.
pub fn tasks_of(cluster: &Cluster, entry: &Entry) -> Vec<TaskId> {
    match &entry.tasks {
        Some(tasks) => tasks.clone(),
        None => cluster.tasks(entry.job).collect(),
    }
}

/// The order of jobs in a queue: priority, those that lack tasks, those that have no more than they need, age.
fn by_job(cluster: &Cluster, left: &Entry, right: &Entry) -> Ordering {
    let surplus = |entry: &Entry| {
        let job = entry.job;
        let is_in = |task: usize| {
            let id = TaskId { job, task };
            let tasks = entry.tasks.as_ref();
            cluster.place(id).state.is_active() && tasks.is_none_or(|tasks| tasks.contains(&id))
        };
        cluster.gang(job).surplus(&is_in)
    };
    let (of_left, of_right) = (&cluster.jobs[left.job], &cluster.jobs[right.job]);
    let by_priority = of_right.priority.cmp(&of_left.priority);
    let by_age = || of_left.created.partial_cmp(&of_right.created);
    by_priority
        .then_with(|| surplus(left).cmp(&surplus(right)))
        .then_with(|| by_age().unwrap_or(Ordering::Equal))
        .then(left.job.cmp(&right.job))
}

/// Whether a job has tasks that wait, and enough that live.
pub fn is_ready(cluster: &Cluster, job: usize) -> bool {
    let lives = |state: State| state.is_alive() && state != State::Gated;
    let waits = cluster.count(job, |state| state == State::Pending) > 0;
    waits && cluster.gang(job).is_ready(&cluster.are(job, lives))
}
