//! The actions of a cycle.
//!
//! In: a cluster at the start of a cycle. Out: the cluster after it. Source: `actions/allocate`, `consolidation`,
//! `reclaim`, `preempt`, `stalegangeviction`.

use super::cluster::{Cluster, Place, State, TaskId};
use super::facts::{Action, Fact, NoPlace, Objection, What};
use super::place::{fixed_has_quota, next_tasks, place_all, sum};
use super::turns::{Entry, Turns, is_ready};
use super::victims::{Batch, Rules, make_room};
use crate::kai::min_runtime::{for_preempt, for_reclaim};
use crate::kai::reclaim::{Reclaimer, Victims, can_lose, may_reclaim, may_try, parts};

/// All of them, in their order.
pub const ALL: [Action; 5] = [
    Action::Allocate,
    Action::Consolidate,
    Action::Reclaim,
    Action::Preempt,
    Action::EvictStale,
];

/// Runs one action, and says what it decided about each job that it looked at.
pub fn run(cluster: &mut Cluster, action: Action) -> Vec<Fact> {
    let mut facts = Vec::new();
    match action {
        Action::Allocate => allocate(cluster, &mut facts),
        Action::Consolidate => for_each(cluster, action, consolidate_for, &mut facts),
        Action::Reclaim => for_each(cluster, action, reclaim_for, &mut facts),
        Action::Preempt => for_each(cluster, action, preempt_for, &mut facts),
        Action::EvictStale => evict_stale(cluster, &mut facts),
    }
    facts
}

/// Keeps what was changed for a job, and tells it.
fn keep(cluster: &mut Cluster, action: Action, job: usize, facts: &mut Vec<Fact>) {
    for (task, before) in cluster.changed() {
        let now = cluster.place(task);
        let Some(node) = now.node else { continue };
        let what = match (now.state, before.node) {
            (State::Binding, _) => What::Starts { task, node },
            (State::Pipelined, Some(from)) => What::Moves {
                task,
                from,
                to: node,
            },
            (State::Pipelined, None) => What::Waits { task, node },
            _ => What::Evicts { task, node },
        };
        facts.push(Fact { action, job, what });
    }
    cluster.keep();
}

fn allocate(cluster: &mut Cluster, facts: &mut Vec<Fact>) {
    let action = Action::Allocate;
    let nodes: Vec<usize> = (0..cluster.nodes.len()).collect();
    let mut turns = waiting(cluster);
    while let Some(entry) = turns.pop(cluster) {
        let job = entry.job;
        let tasks = next_tasks(cluster, job, false);
        if let Err(why) = place_all(cluster, job, &tasks, &nodes, false) {
            let what = What::NoPlace(why);
            facts.push(Fact { action, job, what });
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
        keep(cluster, action, job, facts);
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
fn for_each(
    cluster: &mut Cluster,
    action: Action,
    attempt: impl Fn(&mut Cluster, usize) -> Result<(), What>,
    facts: &mut Vec<Fact>,
) {
    let mut turns = waiting(cluster);
    while let Some(entry) = turns.pop(cluster) {
        let job = entry.job;
        let of = &cluster.jobs[job];
        // Nobody is moved for jobs that nobody may evict.
        let is_asked = action != Action::Consolidate || of.preemptible;
        if !of.may_evict || !is_asked {
            continue;
        }
        match attempt(cluster, job) {
            Ok(()) => keep(cluster, action, job, facts),
            Err(what) => facts.push(Fact { action, job, what }),
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

fn consolidate_for(cluster: &mut Cluster, job: usize) -> Result<(), What> {
    let request = sum(cluster, &next_tasks(cluster, job, true));
    let nodes = 0..cluster.nodes.len();
    let free: f64 = nodes.map(|node| cluster.gpus_soon(node)).sum();
    if let Some(asked) = cluster.gpus.map(|gpus| request[gpus])
        && free < asked
    {
        return Err(What::NotFree { asked, free });
    }
    let candidates = candidates(cluster, |victim| victim != job);
    let rules = Rules {
        candidates: &candidates,
        allows: &|cluster, victims| {
            let mut tasks = victims.iter().flat_map(|batch| &batch.tasks);
            let lost = tasks.find(|&&id| cluster.place(id).state == State::Releasing);
            lost.map_or(Ok(()), |&task| Err(Objection::Lost { task }))
        },
    };
    make_room(cluster, job, &rules).map_err(What::NoRoom)
}

fn reclaim_for(cluster: &mut Cluster, job: usize) -> Result<(), What> {
    let tasks = next_tasks(cluster, job, true);
    let request = sum(cluster, &tasks);
    let of = &cluster.jobs[job];
    let reclaimer = Reclaimer {
        queue: of.queue,
        request: &request,
        preemptible: of.preemptible,
    };
    may_try(&cluster.standings, &reclaimer).map_err(What::MayNotReclaim)?;
    let before = cluster.standings.clone();
    let settings = cluster.settings;
    let tree = cluster.tree;
    let jobs = cluster.jobs;
    let must_run = |victim: usize| {
        let default = settings.reclaim_min_runtime;
        let victim = &jobs[victim];
        for_reclaim(tree, settings.resolve, default, of.queue, victim.queue).seconds
    };
    let candidates = candidates(cluster, |victim| {
        let queue = jobs[victim].queue;
        queue != of.queue
            && can_lose(tree, &before, &reclaimer, queue)
            && (jobs[victim].is_elastic() || jobs[victim].ran >= must_run(victim))
    });
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
            let lost = lost(cluster, victims);
            let multiplier = settings.multiplier;
            keeps_minimum(cluster, victims, &must_run)?;
            may_reclaim(tree, &before, &reclaimer, &lost, multiplier).map_err(Objection::Unfair)
        },
    };
    make_room(cluster, job, &rules).map_err(What::NoRoom)
}

fn preempt_for(cluster: &mut Cluster, job: usize) -> Result<(), What> {
    let request = sum(cluster, &next_tasks(cluster, job, true));
    let no_quota = |why| What::NoPlace(NoPlace::Quota(why));
    fixed_has_quota(cluster, job, &request).map_err(no_quota)?;
    let jobs = cluster.jobs;
    let of = &jobs[job];
    let time = for_preempt(cluster.tree, cluster.settings.preempt_min_runtime, of.queue);
    let must_run = |_: usize| time.seconds;
    let candidates = candidates(cluster, |victim| {
        let lost = &jobs[victim];
        let may = lost.queue == of.queue && lost.priority < of.priority;
        may && (lost.is_elastic() || lost.ran >= must_run(victim))
    });
    let rules = Rules {
        candidates: &candidates,
        allows: &|cluster, victims| keeps_minimum(cluster, victims, &must_run),
    };
    make_room(cluster, job, &rules).map_err(What::NoRoom)
}

/// Whether jobs that may shrink and have not run for long enough keep their minimum.
fn keeps_minimum(
    cluster: &Cluster,
    victims: &[Batch],
    must_run: &dyn Fn(usize) -> f64,
) -> Result<(), Objection> {
    for batch in victims {
        let job = &cluster.jobs[batch.job];
        let seconds = must_run(batch.job);
        if !job.is_elastic() || job.ran >= seconds {
            continue;
        }
        let used = cluster.are(batch.job, State::is_used);
        let is_victim = |task: usize| batch.tasks.iter().any(|id| id.task == task);
        let keeps = cluster.gang(batch.job).sets().iter().all(|set| {
            let victims = set.count(&is_victim);
            victims == 0 || set.count(&used) >= set.minimum + victims
        });
        if !keeps {
            return Err(Objection::Young {
                job: batch.job,
                ran: job.ran,
                seconds,
            });
        }
    }
    Ok(())
}

/// What queues lose to a scenario: tasks above a minimum one by one, the others of a job together. What is moved is not
/// lost.
fn lost(cluster: &Cluster, victims: &[Batch]) -> Vec<Victims> {
    let mut by_queue: Vec<Victims> = Vec::new();
    for batch in victims {
        let job = &cluster.jobs[batch.job];
        let mut core: Vec<&[f64]> = Vec::new();
        let mut elastic = Vec::new();
        for set in cluster.gang(batch.job).sets() {
            let in_set = |id: &&TaskId| set.tasks.contains(&id.task);
            for (nth, &id) in batch.tasks.iter().filter(in_set).enumerate() {
                if cluster.place(id).state.is_active() {
                    continue;
                }
                let of = if nth < set.minimum {
                    &mut core
                } else {
                    &mut elastic
                };
                of.push(cluster.request(id));
            }
        }
        let count = core.len();
        core.append(&mut elastic);
        let amounts = parts(&core, count);
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

fn evict_stale(cluster: &mut Cluster, facts: &mut Vec<Fact>) {
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
        keep(cluster, Action::EvictStale, job, facts);
    }
}
