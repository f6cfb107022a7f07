//! Which victims make room for a job.
//!
//! In: a cluster, a job, and who may be a victim. Out: the cluster with victims evicted or moved and the job in their
//! place, or as it was. Source: `actions/common/solvers`, `plugins/nodelocalgreedy`, `plugins/multinodegang`.
//!
//! Victims are taken one job after the other, the last one first. After each, scenarios are tried: evict some of them,
//! place them and the job anew in their order, and ask whether that is allowed. First those on nodes of the last victim
//! are tried, then those on more and more nodes. For a gang, the same is done for 1, 2, 4… of its tasks before.

use super::cluster::{Cluster, State, TaskId};
use super::facts::{NoRoom, Objection};
use super::place::{next_tasks, place_all};
use super::turns::{Entry, Turns, tasks_of};
use std::cell::Cell;
use std::collections::BTreeSet;

/// How scenarios are made of the victims taken so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Maker {
    /// Those on one node of the last victim.
    OneNode,
    /// Those on the nodes that would have least room, as few nodes as may be enough, then more.
    ManyNodes,
}

/// Tasks of one job that are evicted together.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The job.
    pub job: usize,
    /// The tasks.
    pub tasks: Vec<TaskId>,
}

/// Says whether a scenario is allowed once it is played through.
pub type Allows<'r> = &'r dyn Fn(&Cluster, &[Batch]) -> Result<(), Objection>;

/// What is asked about victims.
pub struct Rules<'r> {
    /// Jobs that can be victims.
    pub candidates: &'r [usize],
    /// Asked with the cluster and the victims of a scenario, by job.
    pub allows: Allows<'r>,
}

/// Makes room for a job: on success the cluster has changed, otherwise it is as before.
///
/// # Errors
/// No victims make room.
pub fn make_room(cluster: &mut Cluster, job: usize, rules: &Rules) -> Result<(), NoRoom> {
    let told = Cell::new(NoRoom {
        candidates: rules.candidates.len(),
        scenarios: 0,
        last: None,
    });
    let tasks = next_tasks(cluster, job, true);
    if tasks.is_empty() {
        return Err(told.get());
    }
    let base = feasible(cluster, job);
    for maker in [Maker::OneNode, Maker::ManyNodes] {
        let mut search = Search {
            job,
            rules,
            maker,
            base: &base,
            told: &told,
            recorded: Vec::new(),
        };
        if search.most(cluster, &tasks) == 0 {
            continue;
        }
        let mark = cluster.mark();
        if search.probe(cluster, &tasks).is_some() {
            let gang = cluster.gang(job);
            let is_gang = gang.has_minimum(&cluster.are(job, State::is_used));
            if is_gang {
                return Ok(());
            }
            cluster.take_back(mark);
            return Err(told.get());
        }
    }
    Err(told.get())
}

/// Nodes on which something is free or will be, or all for a job that needs no GPU.
fn feasible(cluster: &Cluster, job: usize) -> Vec<usize> {
    let all = 0..cluster.nodes.len();
    let needs =
        |task: &super::cluster::Task| cluster.gpus.is_some_and(|gpus| task.request[gpus] > 0.0);
    if !cluster.jobs[job].tasks.iter().all(needs) {
        return all.collect();
    }
    let has_room = |&node: &usize| {
        let (idle, releasing) = cluster.gpus_of(node);
        idle > 0.0 || releasing > 0.0
    };
    all.filter(has_room).collect()
}

struct Search<'s, 'r> {
    job: usize,
    rules: &'s Rules<'r>,
    maker: Maker,
    base: &'s [usize],
    told: &'s Cell<NoRoom>,
    /// Victims of a smaller part of the job.
    recorded: Vec<Batch>,
}

impl Search<'_, '_> {
    /// For how many of the tasks there is room: 1, 2, 4… and then halfway between.
    fn most(&mut self, cluster: &mut Cluster, tasks: &[TaskId]) -> usize {
        let (mut good, mut count) = (0, 1);
        let mut bad = loop {
            if !self.probe_and_take_back(cluster, &tasks[..count]) {
                break count;
            }
            good = count;
            if count == tasks.len() {
                return good;
            }
            count = (count * 2).min(tasks.len());
        };
        while bad - good > 1 {
            let middle = (good + bad) / 2;
            if self.probe_and_take_back(cluster, &tasks[..middle]) {
                good = middle;
            } else {
                bad = middle;
            }
        }
        good
    }

    fn probe_and_take_back(&mut self, cluster: &mut Cluster, tasks: &[TaskId]) -> bool {
        let mark = cluster.mark();
        let Some(victims) = self.probe(cluster, tasks) else {
            return false;
        };
        cluster.take_back(mark);
        self.recorded = victims;
        true
    }

    /// Looks for victims that make room for some tasks. On success they are evicted or moved.
    fn probe(&self, cluster: &mut Cluster, tasks: &[TaskId]) -> Option<Vec<Batch>> {
        let mut nodes: BTreeSet<usize> = self.base.iter().copied().collect();
        let recorded: BTreeSet<TaskId> = of_batches(&self.recorded).collect();
        nodes.extend(recorded.iter().filter_map(|&id| cluster.place(id).node));
        let mut turns = Turns::new(cluster, true);
        for &job in self.rules.candidates {
            turns.push(cluster, Entry { job, tasks: None });
        }
        let mut taken: Vec<Batch> = Vec::new();
        if !self.recorded.is_empty()
            && let Some(victims) = self.play(cluster, tasks, &[], &nodes)
        {
            return Some(victims);
        }
        while let Some(entry) = turns.pop(cluster) {
            let Some(batch) = next_victims(cluster, &entry, &recorded, &mut turns) else {
                continue;
            };
            taken.push(batch);
            let scenarios = match self.maker {
                Maker::OneNode => one_node(cluster, &taken),
                Maker::ManyNodes => self.many_nodes(cluster, tasks, &taken, &nodes),
            };
            for scenario in scenarios {
                if let Some(victims) = self.play(cluster, tasks, &scenario, &nodes) {
                    return Some(victims);
                }
            }
        }
        None
    }

    /// Plays a scenario through. On success its victims are evicted or moved, otherwise all is as before.
    fn play(
        &self,
        cluster: &mut Cluster,
        tasks: &[TaskId],
        victims: &[Batch],
        nodes: &BTreeSet<usize>,
    ) -> Option<Vec<Batch>> {
        let batches: Vec<&Batch> = self.recorded.iter().chain(victims).collect();
        let mark = cluster.mark();
        let mut nodes = nodes.clone();
        let mut seen = BTreeSet::new();
        for id in batches.iter().flat_map(|batch| batch.tasks.iter().copied()) {
            if seen.insert(id) {
                nodes.extend(cluster.place(id).node);
                cluster.evict(id);
            }
        }
        if seen.is_empty() {
            return None;
        }
        let nodes: Vec<usize> = nodes.into_iter().collect();
        let mut told = self.told.get();
        told.scenarios += 1;
        if self.place_anew(cluster, tasks, &seen, &nodes) {
            match (self.rules.allows)(cluster, &gather(&batches)) {
                Ok(()) => {
                    // A batch counts as long as one of its tasks does not stay where it was.
                    let has_left = |batch: &&Batch| {
                        let mut tasks = batch.tasks.iter();
                        tasks.any(|&id| {
                            let state = cluster.place(id).state;
                            matches!(state, State::Releasing | State::Pipelined)
                        })
                    };
                    return Some(batches.into_iter().filter(has_left).cloned().collect());
                }
                Err(objection) => told.last = Some(objection),
            }
        }
        self.told.set(told);
        cluster.take_back(mark);
        None
    }

    /// Places the job and its victims anew, in their order. The job must find room.
    fn place_anew(
        &self,
        cluster: &mut Cluster,
        tasks: &[TaskId],
        victims: &BTreeSet<TaskId>,
        nodes: &[usize],
    ) -> bool {
        let victims: BTreeSet<usize> = victims.iter().map(|id| id.job).collect();
        let mut turns = Turns::new(cluster, false);
        for job in 0..cluster.jobs.len() {
            let waits = cluster.count(job, |state| state == State::Pending) > 0;
            if job != self.job && (waits || victims.contains(&job)) {
                turns.push(cluster, Entry { job, tasks: None });
            }
        }
        let tasks = Some(tasks.to_vec());
        turns.push(
            cluster,
            Entry {
                job: self.job,
                tasks,
            },
        );
        let mut has_room = false;
        while let Some(entry) = turns.pop(cluster) {
            if entry.job == self.job {
                let tasks = tasks_of(cluster, &entry);
                if place_all(cluster, entry.job, &tasks, nodes, true).is_err() {
                    return false;
                }
                has_room = true;
            } else if victims.contains(&entry.job) {
                let tasks = next_tasks(cluster, entry.job, true);
                // A victim without a place is lost.
                let _ = place_all(cluster, entry.job, &tasks, nodes, true);
            }
        }
        has_room
    }

    /// Victims on the nodes that would have least room, as few nodes as may be enough, then 1, 2, 4… more.
    fn many_nodes(
        &self,
        cluster: &Cluster,
        tasks: &[TaskId],
        taken: &[Batch],
        feasible: &BTreeSet<usize>,
    ) -> Vec<Vec<Batch>> {
        let gpus = |id: TaskId| cluster.gpus.map_or(0.0, |gpus| cluster.request(id)[gpus]);
        let node = |id: TaskId| cluster.place(id).node;
        // Nodes in the order in which victims were found on them.
        let mut nodes: Vec<(usize, f64)> = Vec::new();
        let freed = |at: usize| -> f64 {
            let on_it = of_batches(&self.recorded).filter(|&id| node(id) == Some(at));
            on_it.map(gpus).sum()
        };
        for id in of_batches(taken) {
            let Some(at) = node(id) else { continue };
            if !nodes.iter().any(|&(other, _)| other == at) {
                nodes.push((at, cluster.gpus_soon(at) + freed(at)));
            }
            if let Some(known) = nodes.iter_mut().find(|(other, _)| *other == at) {
                known.1 += gpus(id);
            }
        }
        let rest = feasible
            .iter()
            .filter(|&&at| !nodes.iter().any(|&(other, _)| other == at));
        let room: f64 = rest.map(|&at| cluster.gpus_soon(at) + freed(at)).sum();
        let smallest = tasks
            .iter()
            .map(|&id| gpus(id))
            .fold(f64::INFINITY, f64::min);
        let wanted: f64 = tasks.iter().map(|&id| gpus(id)).sum();
        nodes.retain(|&(_, capacity)| smallest <= 0.0 || capacity >= smallest);
        nodes.sort_by(|left, right| {
            let order = left.1.partial_cmp(&right.1);
            order.unwrap_or(std::cmp::Ordering::Equal)
        });
        let mut count = 0;
        let mut covered = room;
        while covered < wanted {
            let Some(&(_, capacity)) = nodes.get(count) else {
                return Vec::new();
            };
            covered += capacity;
            count += 1;
        }
        let mut scenarios = Vec::new();
        let mut step = 1;
        loop {
            let picked: BTreeSet<usize> = nodes[..count].iter().map(|&(at, _)| at).collect();
            let is_on = |batch: &&Batch| {
                let mut on = batch.tasks.iter().filter_map(|&id| node(id));
                on.any(|at| picked.contains(&at))
            };
            scenarios.push(taken.iter().filter(is_on).cloned().collect());
            if count >= nodes.len() {
                return scenarios;
            }
            count = (count + step).min(nodes.len());
            step *= 2;
        }
    }
}

/// The next tasks of a victim: one above its minimum, or all.
fn next_victims(
    cluster: &Cluster,
    entry: &Entry,
    recorded: &BTreeSet<TaskId>,
    turns: &mut Turns,
) -> Option<Batch> {
    let all = tasks_of(cluster, entry);
    let is_active = |id: &&TaskId| cluster.place(**id).state.is_active();
    let active: Vec<TaskId> = all.iter().filter(is_active).copied().collect();
    let job = entry.job;
    let is_in = |task: usize| active.contains(&TaskId { job, task });
    let next = cluster.gang(job).victims(&is_in);
    let tasks: Vec<TaskId> = next.into_iter().map(|task| TaskId { job, task }).collect();
    let push = |turns: &mut Turns, is_left: &dyn Fn(&TaskId) -> bool| {
        let left: Vec<TaskId> = all.iter().filter(|id| is_left(id)).copied().collect();
        if !left.is_empty() {
            let tasks = Some(left);
            turns.push(cluster, Entry { job, tasks });
        }
    };
    if tasks.iter().any(|id| recorded.contains(id)) {
        push(turns, &|id| !recorded.contains(id));
        return None;
    }
    if tasks.len() < active.len() {
        push(turns, &|id| !tasks.contains(id));
    }
    Some(Batch {
        job: entry.job,
        tasks,
    })
}

/// For each node of the last victim's job, all victims of jobs that have victims on it.
fn one_node(cluster: &Cluster, taken: &[Batch]) -> Vec<Vec<Batch>> {
    let Some(last) = taken.last() else {
        return Vec::new();
    };
    let node = |id: TaskId| cluster.place(id).node;
    let nodes: BTreeSet<usize> = cluster.tasks(last.job).filter_map(node).collect();
    let mut scenarios: Vec<Vec<Batch>> = Vec::new();
    for at in nodes {
        let on_it = of_batches(taken).filter(|&id| node(id) == Some(at));
        let jobs: BTreeSet<usize> = on_it.map(|id| id.job).collect();
        let scenario: Vec<Batch> = taken
            .iter()
            .filter(|batch| jobs.contains(&batch.job))
            .cloned()
            .collect();
        if !scenario.is_empty() && !scenarios.contains(&scenario) {
            scenarios.push(scenario);
        }
    }
    scenarios
}

/// Victims by job, in the order in which jobs come up.
fn gather(batches: &[&Batch]) -> Vec<Batch> {
    let mut by_job: Vec<Batch> = Vec::new();
    for batch in batches {
        match by_job.iter_mut().find(|of| of.job == batch.job) {
            Some(of) => {
                let is_new = |id: &&TaskId| !of.tasks.contains(id);
                let new: Vec<TaskId> = batch.tasks.iter().filter(is_new).copied().collect();
                of.tasks.extend(new);
            }
            None => by_job.push((*batch).clone()),
        }
    }
    by_job
}

fn of_batches(batches: &[Batch]) -> impl Iterator<Item = TaskId> + '_ {
    batches.iter().flat_map(|batch| batch.tasks.iter().copied())
}
