//! The actions of a cycle.
//!
//! In: a cluster at the start of a cycle. Out: the cluster after it. Source: `actions/allocate`, `consolidation`,
//! `reclaim`, `preempt`, `stalegangeviction`.

use super::cluster::{Cluster, Place, State, TaskId, add};
use super::place::{fixed_has_quota, next_tasks, place_all, sum};
use super::turns::{Entry, Turns, is_ready};
use super::victims::{Batch, Rules, make_room};
use crate::kai::min_runtime::{for_preempt, for_reclaim};
use crate::kai::reclaim::{Reclaimer, Victims, can_lose, may_reclaim, may_try};

/// What a cycle does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Starts jobs where there is room.
    Allocate,
    /// Moves running jobs so that another one fits; nobody loses anything.
    Consolidate,
    /// Takes back from other queues.
    Reclaim,
    /// Takes from jobs of lower priority in the same queue.
    Preempt,
    /// Evicts gangs that have run for long with too few tasks.
    EvictStale,
}

/// All of them, in their order.
pub const ALL: [Action; 5] = [
    Action::Allocate,
    Action::Consolidate,
    Action::Reclaim,
    Action::Preempt,
    Action::EvictStale,
];

/// Runs one action.
pub fn run(cluster: &mut Cluster, action: Action) {
    match action {
        Action::Allocate => allocate(cluster),
        Action::Consolidate => for_each(cluster, consolidate_for),
        Action::Reclaim => for_each(cluster, reclaim_for),
        Action::Preempt => for_each(cluster, preempt_for),
        Action::EvictStale => evict_stale(cluster),
    }
}

fn allocate(cluster: &mut Cluster) {
    let nodes: Vec<usize> = (0..cluster.nodes.len()).collect();
    let mut turns = waiting(cluster);
    while let Some(entry) = turns.pop(cluster) {
        let job = entry.job;
        let tasks = next_tasks(cluster, job, false);
        if !place_all(cluster, job, &tasks, &nodes, false) {
            continue;
        }
        // A gang of which some must wait does not start in part.
        let waits = |state| state == State::Pipelined;
        let runs = |state: State| state.is_active() && state != State::Pipelined;
        let must_wait = cluster.gang(job).sets().iter().any(|set| {
            set.count(&cluster.are(job, waits)) > 0
                && set.count(&cluster.are(job, runs)) < set.minimum
        });
        if must_wait {
            for id in tasks {
                let place = cluster.place(id);
                if place.state == State::Binding {
                    let state = State::Pipelined;
                    cluster.put(id, Place { state, ..place });
                }
            }
        }
        cluster.keep();
        if !next_tasks(cluster, job, false).is_empty() {
            turns.push(cluster, entry);
        }
    }
}

/// The jobs that wait.
fn waiting(cluster: &Cluster) -> Turns {
    let mut turns = Turns::new(cluster, false);
    for job in 0..cluster.jobs.len() {
        if is_ready(cluster, job) {
            turns.push(cluster, Entry { job, tasks: None });
        }
    }
    turns
}

/// Tries to make room for each job that waits.
fn for_each(cluster: &mut Cluster, attempt: impl Fn(&mut Cluster, usize) -> bool) {
    let mut turns = waiting(cluster);
    while let Some(entry) = turns.pop(cluster) {
        if cluster.jobs[entry.job].may_evict && attempt(cluster, entry.job) {
            cluster.keep();
        }
    }
}

/// Jobs that may be victims, of those that can be evicted and have something.
fn candidates(cluster: &Cluster, may: impl Fn(usize) -> bool) -> Vec<usize> {
    let jobs = 0..cluster.jobs.len();
    let has =
        |&job: &usize| cluster.jobs[job].preemptible && cluster.count(job, State::is_active) > 0;
    jobs.filter(has).filter(|&job| may(job)).collect()
}

fn consolidate_for(cluster: &mut Cluster, job: usize) -> bool {
    if !cluster.jobs[job].preemptible {
        return false;
    }
    let request = sum(cluster, &next_tasks(cluster, job, true));
    let nodes = 0..cluster.nodes.len();
    let free: f64 = nodes.map(|node| cluster.gpus_soon(node)).sum();
    if cluster.gpus.is_some_and(|gpus| free < request[gpus]) {
        return false;
    }
    let candidates = candidates(cluster, |victim| victim != job);
    let rules = Rules {
        candidates: &candidates,
        allows: &|cluster, victims| {
            let mut tasks = victims.iter().flat_map(|batch| &batch.tasks);
            tasks.all(|&id| cluster.place(id).state != State::Releasing)
        },
    };
    make_room(cluster, job, &rules)
}

fn reclaim_for(cluster: &mut Cluster, job: usize) -> bool {
    let tasks = next_tasks(cluster, job, true);
    let request = sum(cluster, &tasks);
    let of = &cluster.jobs[job];
    let reclaimer = Reclaimer {
        queue: of.queue,
        request: &request,
        preemptible: of.preemptible,
    };
    if may_try(&cluster.standings, &reclaimer).is_err() {
        return false;
    }
    let before = cluster.standings.clone();
    let settings = cluster.settings;
    let tree = cluster.tree;
    let jobs = cluster.jobs;
    let is_young = |victim: usize| {
        let default = settings.reclaim_min_runtime;
        let victim = &jobs[victim];
        let time = for_reclaim(tree, settings.resolve, default, of.queue, victim.queue);
        victim.ran < time.seconds
    };
    let candidates = candidates(cluster, |victim| {
        let queue = jobs[victim].queue;
        queue != of.queue
            && can_lose(tree, &before, &reclaimer, queue)
            && (jobs[victim].is_elastic() || !is_young(victim))
    });
    let resources = request.len();
    let rules = Rules {
        candidates: &candidates,
        allows: &|cluster, victims| {
            // Of a gang, as many tasks are asked for as are placed.
            let placed = tasks
                .iter()
                .filter(|&&id| cluster.place(id).state.is_active());
            let placed: Vec<_> = placed.copied().collect();
            let request = sum(cluster, &placed);
            let reclaimer = Reclaimer {
                request: &request,
                ..reclaimer
            };
            let lost = lost(cluster, victims, resources);
            let multiplier = settings.multiplier;
            keeps_minimum(cluster, victims, &is_young)
                && may_reclaim(tree, &before, &reclaimer, &lost, multiplier).is_ok()
        },
    };
    make_room(cluster, job, &rules)
}

fn preempt_for(cluster: &mut Cluster, job: usize) -> bool {
    let request = sum(cluster, &next_tasks(cluster, job, true));
    if !fixed_has_quota(cluster, job, &request) {
        return false;
    }
    let jobs = cluster.jobs;
    let of = &jobs[job];
    let time = for_preempt(cluster.tree, cluster.settings.preempt_min_runtime, of.queue);
    let is_young = |victim: usize| jobs[victim].ran < time.seconds;
    let candidates = candidates(cluster, |victim| {
        let lost = &jobs[victim];
        let may = lost.queue == of.queue && lost.priority < of.priority;
        may && (lost.is_elastic() || !is_young(victim))
    });
    let rules = Rules {
        candidates: &candidates,
        allows: &|cluster, victims| keeps_minimum(cluster, victims, &is_young),
    };
    make_room(cluster, job, &rules)
}

/// Whether young jobs that may shrink keep their minimum.
fn keeps_minimum(cluster: &Cluster, victims: &[Batch], is_young: &dyn Fn(usize) -> bool) -> bool {
    victims.iter().all(|batch| {
        let job = &cluster.jobs[batch.job];
        if !job.is_elastic() || !is_young(batch.job) {
            return true;
        }
        let used = cluster.are(batch.job, State::is_used);
        let is_victim = |task: usize| batch.tasks.iter().any(|id| id.task == task);
        cluster.gang(batch.job).sets().iter().all(|set| {
            let victims = set.count(&is_victim);
            victims == 0 || set.count(&used) >= set.minimum + victims
        })
    })
}

/// What queues lose to a scenario: tasks above a minimum one by one, the others of a job together. What is moved is not
/// lost.
fn lost(cluster: &Cluster, victims: &[Batch], resources: usize) -> Vec<Victims> {
    let mut by_queue: Vec<Victims> = Vec::new();
    for batch in victims {
        let job = &cluster.jobs[batch.job];
        let mut amounts: Vec<Vec<f64>> = Vec::new();
        let mut sum = vec![0.0; resources];
        let mut any = false;
        for set in cluster.gang(batch.job).sets() {
            let in_set = |id: &&TaskId| set.tasks.contains(&id.task);
            for (nth, &id) in batch.tasks.iter().filter(in_set).enumerate() {
                if cluster.place(id).state.is_active() {
                    continue;
                }
                if nth < set.minimum {
                    add(&mut sum, cluster.request(id), 1.0);
                    any = true;
                } else {
                    amounts.push(cluster.request(id).to_vec());
                }
            }
        }
        if any {
            amounts.push(sum);
        }
        if amounts.is_empty() {
            continue;
        }
        match by_queue.iter_mut().find(|of| of.queue == job.queue) {
            Some(of) => of.amounts.extend(amounts),
            None => by_queue.push(Victims {
                queue: job.queue,
                amounts,
            }),
        }
    }
    by_queue
}

fn evict_stale(cluster: &mut Cluster) {
    for job in 0..cluster.jobs.len() {
        let of = &cluster.jobs[job];
        let used = cluster.count(job, State::is_used);
        let lacks = !cluster
            .gang(job)
            .has_minimum(&cluster.are(job, State::is_used));
        let grace = of.grace.unwrap_or(cluster.settings.grace);
        let is_stale = used > 0 && lacks && grace >= 0.0 && of.stale >= grace;
        if !is_stale || cluster.count(job, |state| state == State::Done) > 0 {
            continue;
        }
        let active = |id: &TaskId| cluster.place(*id).state.is_active();
        let tasks: Vec<_> = cluster.tasks(job).filter(active).collect();
        for id in tasks {
            cluster.evict(id);
        }
        cluster.keep();
    }
}
