//! Nodes, jobs and tasks, where tasks are, and how to take changes back.
//!
//! In: what the cluster looks like. Out: what is free, what will be, and how queues stand, after every change.
//! Source: `api/node_info`, `api/podgroup_info`, `framework/statement.go`.

use super::gang::Gang;
use crate::kai::levels::{Demands, divide_tree, sum_up};
use crate::kai::min_runtime::Resolve;
use crate::kai::standing::Standings;
use crate::tree::{Kind, QueueId, QueueTree};
use serde::Serialize;
use std::collections::BTreeMap;

/// A node. Nodes of equal score are taken in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it has, in the order of the tree's resources.
    pub total: Vec<f64>,
}

/// How a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits.
    Pending,
    /// It must not start yet.
    Gated,
    /// It starts now.
    Binding,
    /// It runs.
    Running,
    /// It starts on its node as soon as what others release is free.
    Pipelined,
    /// It is being evicted.
    Releasing,
    /// It is being evicted, and what it has will not be free soon.
    Stuck,
    /// It has ended.
    Done,
    /// It has failed.
    Failed,
}

impl State {
    /// Whether it has its resources or will have them.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Binding | Self::Running | Self::Pipelined)
    }

    /// Whether it has resources, has them still, or will have them.
    pub fn is_used(self) -> bool {
        self.is_active() || matches!(self, Self::Releasing | Self::Stuck)
    }

    /// Whether it waits, or has its resources or will have them.
    pub fn is_alive(self) -> bool {
        self.is_active() || matches!(self, Self::Pending | Self::Gated)
    }
}

/// A task of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// What it asks for, in the order of the tree's resources.
    pub request: Vec<f64>,
    /// How it is at the start of the cycle.
    pub state: State,
    /// Where.
    pub node: Option<usize>,
    /// The nodes that it may run on; empty: all.
    pub nodes: Vec<usize>,
    /// Tasks with higher numbers come first, then those without one, as they were given.
    pub order: Option<i64>,
}

/// A job: tasks that start together.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its queue, a leaf.
    pub queue: QueueId,
    /// Higher ones come first in their queue.
    pub priority: i64,
    /// Whether others may evict it.
    pub preemptible: bool,
    /// When it came; of equal ones the first in the list is older.
    pub created: f64,
    /// How long it has run, in seconds.
    pub ran: f64,
    /// Which of its tasks must run together.
    pub gang: Gang,
    /// Whether it may make room for itself yet.
    pub may_evict: bool,
    /// For how many seconds it may run with fewer than that; none: as the settings say; below zero: for ever.
    pub grace: Option<f64>,
    /// For how many seconds it has.
    pub stale: f64,
    /// Its tasks.
    pub tasks: Vec<Task>,
}

impl Job {
    /// Whether it may run with fewer tasks than it has.
    pub fn is_elastic(&self) -> bool {
        let mut sets = self.gang.sets().into_iter();
        sets.any(|set| set.minimum < set.tasks.len())
    }
}

/// What holds for the whole cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How much history counts.
    pub k: f64,
    /// How much fuller the side of a reclaimer looks: at least 1.
    pub multiplier: f64,
    /// Where minimum run times for reclaims are looked for.
    pub resolve: Resolve,
    /// The minimum run time before another queue evicts, in seconds, where no queue sets one.
    pub reclaim_min_runtime: f64,
    /// The same within a queue.
    pub preempt_min_runtime: f64,
    /// For how many seconds a gang may run with too few tasks; below zero: for ever.
    pub grace: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            k: 1.0,
            multiplier: 1.0,
            resolve: Resolve::default(),
            reclaim_min_runtime: 0.0,
            preempt_min_runtime: 0.0,
            grace: 0.0,
        }
    }
}

/// Where a task is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// How it is.
    pub state: State,
    /// Its node.
    pub node: Option<usize>,
    /// The node that it leaves while it waits for another one.
    pub leaves: Option<usize>,
    /// How it was before it was evicted in an attempt; none: no attempt evicted it.
    pub before: Option<State>,
}

/// A task: its job and its place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TaskId {
    /// The job.
    pub job: usize,
    /// Its place in the job.
    pub task: usize,
}

/// A cluster within a cycle.
#[derive(Clone, Debug)]
pub struct Cluster<'a> {
    /// The queues.
    pub tree: &'a QueueTree,
    /// The nodes.
    pub nodes: &'a [Node],
    /// The jobs.
    pub jobs: &'a [Job],
    /// What holds for all of it.
    pub settings: Settings,
    /// How queues stand.
    pub standings: Standings,
    /// What there is of each resource.
    pub totals: Vec<f64>,
    /// What counts GPUs among the tree's resources.
    pub gpus: Option<usize>,
    places: Vec<Vec<Place>>,
    /// Tasks of each job in the order in which they start.
    turns: Vec<Vec<usize>>,
    gangs: Vec<Gang>,
    idle: Vec<Vec<f64>>,
    releasing: Vec<Vec<f64>>,
    changes: Vec<(TaskId, Place)>,
}

impl<'a> Cluster<'a> {
    /// A cluster at the start of a cycle. `usage` is what queues had lately.
    pub fn new(
        tree: &'a QueueTree,
        nodes: &'a [Node],
        jobs: &'a [Job],
        usage: Option<&[f64]>,
        settings: Settings,
    ) -> Self {
        let resources = tree.resources().len();
        let mut totals = vec![0.0; resources];
        for node in nodes {
            add(&mut totals, &node.total, 1.0);
        }
        let mut requests = vec![0.0; tree.queues().len() * resources];
        for job in jobs {
            let start = job.queue.index() * resources;
            for task in &job.tasks {
                if matches!(task.state, State::Pending | State::Binding | State::Running) {
                    add(&mut requests[start..start + resources], &task.request, 1.0);
                }
            }
        }
        sum_up(tree, &mut requests);
        let asked = Demands {
            totals: &totals,
            k: settings.k,
            requests: &requests,
            usage,
            created: None,
        };
        let shares = divide_tree(tree, &asked, |_, _, _| {});
        let standings = Standings::new(tree, &shares);
        let kinds = tree.resources().iter();
        let gpus = kinds.map(|of| of.kind).position(|kind| kind == Kind::Gpus);
        let mut cluster = Self {
            tree,
            nodes,
            jobs,
            settings,
            standings,
            totals,
            gpus,
            places: Vec::with_capacity(jobs.len()),
            turns: Vec::with_capacity(jobs.len()),
            gangs: Vec::with_capacity(jobs.len()),
            idle: nodes.iter().map(|node| node.total.clone()).collect(),
            releasing: vec![vec![0.0; resources]; nodes.len()],
            changes: Vec::new(),
        };
        let nowhere = Place {
            state: State::Pending,
            node: None,
            leaves: None,
            before: None,
        };
        for (job, of) in jobs.iter().enumerate() {
            cluster.places.push(vec![nowhere; of.tasks.len()]);
            let mut turns: Vec<usize> = (0..of.tasks.len()).collect();
            turns.sort_by_key(|&task| {
                let order = of.tasks[task].order;
                (order.is_none(), order.map(std::cmp::Reverse))
            });
            let mut gang = of.gang.clone();
            gang.sort_tasks(&|task| turns.iter().position(|&turn| turn == task).unwrap_or(0));
            cluster.gangs.push(gang);
            cluster.turns.push(turns);
            for (task, at) in of.tasks.iter().enumerate() {
                let is_there = at.state.is_used();
                let place = Place {
                    state: at.state,
                    node: at.node.filter(|_| is_there),
                    ..nowhere
                };
                cluster.put(TaskId { job, task }, place);
            }
        }
        cluster.keep();
        cluster
    }

    /// Where a task is.
    pub fn place(&self, id: TaskId) -> Place {
        self.places[id.job][id.task]
    }

    /// What a task asks for.
    pub fn request(&self, id: TaskId) -> &'a [f64] {
        &self.jobs[id.job].tasks[id.task].request
    }

    /// The tasks of a job, in the order in which they start.
    pub fn tasks(&self, job: usize) -> impl DoubleEndedIterator<Item = TaskId> + '_ {
        self.turns[job]
            .iter()
            .map(move |&task| TaskId { job, task })
    }

    /// The gang of a job, its tasks in the order in which they start.
    pub fn gang(&self, job: usize) -> &Gang {
        &self.gangs[job]
    }

    /// Says whether a task of a job, by its place, is in a state.
    pub fn are(
        &self,
        job: usize,
        is: impl Fn(State) -> bool + 'static,
    ) -> impl Fn(usize) -> bool + '_ {
        move |task| is(self.places[job][task].state)
    }

    /// How many tasks of a job are in a state.
    pub fn count(&self, job: usize, is: impl Fn(State) -> bool) -> usize {
        let states = self.places[job].iter().map(|place| place.state);
        states.filter(|&state| is(state)).count()
    }

    /// What is free on a node.
    pub fn idle(&self, node: usize) -> &[f64] {
        &self.idle[node]
    }

    /// What is free on a node or will be.
    pub fn free_soon(&self, node: usize, resource: usize) -> f64 {
        self.idle[node][resource] + self.releasing[node][resource]
    }

    /// How many GPUs are free or will be.
    pub fn gpus_soon(&self, node: usize) -> f64 {
        self.gpus.map_or(0.0, |gpus| self.free_soon(node, gpus))
    }

    /// How many GPUs are free on a node, and how many others will be.
    pub fn gpus_of(&self, node: usize) -> (f64, f64) {
        let of = |amounts: &[f64]| self.gpus.map_or(0.0, |gpus| amounts[gpus]);
        (of(&self.idle[node]), of(&self.releasing[node]))
    }

    /// Puts a task somewhere; it can be taken back.
    pub fn put(&mut self, id: TaskId, place: Place) {
        self.changes.push((id, self.place(id)));
        self.swap(id, place);
    }

    /// Evicts a task; it can be taken back.
    pub fn evict(&mut self, id: TaskId) {
        let place = self.place(id);
        self.put(
            id,
            Place {
                state: State::Releasing,
                before: Some(place.state),
                ..place
            },
        );
    }

    /// How many changes can be taken back.
    pub fn mark(&self) -> usize {
        self.changes.len()
    }

    /// Takes back all changes since a mark.
    pub fn take_back(&mut self, mark: usize) {
        while self.changes.len() > mark {
            if let Some((id, place)) = self.changes.pop() {
                self.swap(id, place);
            }
        }
    }

    /// The tasks that have changed and where they were before.
    pub fn changed(&self) -> BTreeMap<TaskId, Place> {
        let mut first = BTreeMap::new();
        for &(id, place) in &self.changes {
            first.entry(id).or_insert(place);
        }
        first.retain(|&id, before| {
            let now = self.place(id);
            (before.state, before.node) != (now.state, now.node)
        });
        first
    }

    /// Keeps all changes: what an attempt evicted is evicted.
    pub fn keep(&mut self) {
        for (id, _) in std::mem::take(&mut self.changes) {
            self.places[id.job][id.task].before = None;
        }
    }

    fn swap(&mut self, id: TaskId, place: Place) {
        self.count_in(id, -1.0);
        self.places[id.job][id.task] = place;
        self.count_in(id, 1.0);
    }

    /// Counts a task in or out, where it is.
    fn count_in(&mut self, id: TaskId, sign: f64) {
        let place = self.place(id);
        let request = self.request(id);
        if let Some(node) = place.leaves {
            add(&mut self.idle[node], request, -sign);
            add(&mut self.releasing[node], request, sign);
        }
        if let Some(node) = place.node {
            match place.state {
                State::Releasing => {
                    add(&mut self.idle[node], request, -sign);
                    add(&mut self.releasing[node], request, sign);
                }
                State::Pipelined => add(&mut self.releasing[node], request, -sign),
                _ => add(&mut self.idle[node], request, -sign),
            }
        }
        if place.state.is_active() {
            let job = &self.jobs[id.job];
            let tree = self.tree;
            if sign > 0.0 {
                self.standings
                    .add(tree, job.queue, request, job.preemptible);
            } else {
                self.standings
                    .remove(tree, job.queue, request, job.preemptible);
            }
        }
    }
}

/// Adds amounts to a sum.
pub fn add(sum: &mut [f64], amounts: &[f64], sign: f64) {
    for (sum, amount) in sum.iter_mut().zip(amounts) {
        *sum += sign * amount;
    }
}
