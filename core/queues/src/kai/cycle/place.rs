//! Where the tasks of a job go.
//!
//! In: a cluster and a job. Out: its next tasks placed, all or none. Source: `actions/common/allocate.go`, `plugins`
//! `nodeplacement` (fullest node first), `nodeavailability`, `resourcetype`, `proportion/capacity_policy`.

use super::cluster::{Cluster, Place, State, TaskId, add};
use super::facts::{NoPlace, NoQuota};

/// Scores of nodes: what counts more is worth more than all that counts less.
const FREE_NOW: f64 = 1000.0;
const SAME_SORT: f64 = 10.0;
const FULLEST: f64 = 9.0;

/// The tasks that a job starts next: as many as its minimum lacks, or one more.
/// `attempt` says whether those count that an attempt has evicted.
pub fn next_tasks(cluster: &Cluster, job: usize, attempt: bool) -> Vec<TaskId> {
    let waits = |task: usize| {
        let place = cluster.place(TaskId { job, task });
        let is_evicted = attempt && place.state == State::Releasing && place.before.is_some();
        place.state == State::Pending || is_evicted
    };
    let active = cluster.are(job, State::is_active);
    let next = cluster.gang(job).next(&active, &waits);
    next.into_iter().map(|task| TaskId { job, task }).collect()
}

/// What tasks ask for together.
pub fn sum(cluster: &Cluster, tasks: &[TaskId]) -> Vec<f64> {
    let mut sum = vec![0.0; cluster.totals.len()];
    for &id in tasks {
        add(&mut sum, cluster.request(id), 1.0);
    }
    sum
}

/// Whether the queues of a job have room for more: within their limits, and what nobody may evict within what they deserve.
///
/// # Errors
/// The first queue upwards that has none.
pub fn has_quota(cluster: &Cluster, job: usize, request: &[f64]) -> Result<(), NoQuota> {
    for queue in cluster.tree.path(cluster.jobs[job].queue) {
        let standings = cluster.standings.of(queue).iter().zip(request);
        for (resource, (of, &amount)) in standings.enumerate() {
            let would_have = of.allocated + amount;
            if amount != 0.0 && would_have > of.limit {
                return Err(NoQuota {
                    queue,
                    resource,
                    would_have,
                    bound: of.limit,
                    fixed: false,
                });
            }
        }
    }
    fixed_has_quota(cluster, job, request)
}

/// Whether a job that nobody may evict stays within what its queues deserve.
///
/// # Errors
/// The first queue upwards that deserves less.
pub fn fixed_has_quota(cluster: &Cluster, job: usize, request: &[f64]) -> Result<(), NoQuota> {
    if cluster.jobs[job].preemptible {
        return Ok(());
    }
    for queue in cluster.tree.path(cluster.jobs[job].queue) {
        let standings = cluster.standings.of(queue).iter().zip(request);
        for (resource, (of, &amount)) in standings.enumerate() {
            let would_have = of.fixed + amount;
            if amount != 0.0 && would_have > of.deserved {
                return Err(NoQuota {
                    queue,
                    resource,
                    would_have,
                    bound: of.deserved,
                    fixed: true,
                });
            }
        }
    }
    Ok(())
}

/// Places tasks of a job on nodes, all or none. `attempt` says that none starts now: all wait for what is released.
///
/// # Errors
/// No task, no quota, or no node for one of them.
pub fn place_all(
    cluster: &mut Cluster,
    job: usize,
    tasks: &[TaskId],
    nodes: &[usize],
    attempt: bool,
) -> Result<(), NoPlace> {
    if tasks.is_empty() {
        return Err(NoPlace::NothingWaits);
    }
    has_quota(cluster, job, &sum(cluster, tasks)).map_err(NoPlace::Quota)?;
    let mark = cluster.mark();
    for &id in tasks {
        let Some(node) = best_node(cluster, id, nodes) else {
            cluster.take_back(mark);
            return Err(NoPlace::NoNode { task: id });
        };
        put_on(cluster, id, node, attempt);
    }
    Ok(())
}

fn put_on(cluster: &mut Cluster, id: TaskId, node: usize, attempt: bool) {
    let place = cluster.place(id);
    if !attempt && fits_now(cluster, id, node) {
        let place = Place {
            state: State::Binding,
            node: Some(node),
            ..place
        };
        return cluster.put(id, place);
    }
    // Back to where it was evicted from: it stays as it was.
    if let Some(before) = place.before
        && (place.node == Some(node) || place.leaves == Some(node))
    {
        let place = Place {
            state: before,
            before: None,
            ..place
        };
        return cluster.put(id, place);
    }
    cluster.put(
        id,
        Place {
            state: State::Pipelined,
            node: Some(node),
            leaves: place.node.or(place.leaves),
            before: place.before,
        },
    );
}

fn fits_now(cluster: &Cluster, id: TaskId, node: usize) -> bool {
    let mut amounts = cluster.request(id).iter().zip(cluster.idle(node));
    amounts.all(|(amount, idle)| *amount == 0.0 || amount <= idle)
}

fn fits_soon(cluster: &Cluster, id: TaskId, node: usize) -> bool {
    let mut amounts = cluster.request(id).iter().enumerate();
    amounts.all(|(resource, &amount)| amount == 0.0 || amount <= cluster.free_soon(node, resource))
}

/// The best of the nodes on which a task fits, now or soon.
fn best_node(cluster: &Cluster, id: TaskId, nodes: &[usize]) -> Option<usize> {
    let allowed = &cluster.jobs[id.job].tasks[id.task].nodes;
    let request = cluster.request(id);
    let gpus = cluster.gpus.filter(|&gpus| request[gpus] > 0.0);
    // A task without GPUs packs by what it asks for first: cores.
    let packs = gpus.or_else(|| request.iter().position(|&amount| amount > 0.0));
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    if let Some(resource) = packs {
        for &node in nodes {
            if cluster.nodes[node].total[resource] > 0.0 {
                let free = cluster.free_soon(node, resource);
                least = least.min(free);
                most = most.max(free);
            }
        }
    }
    let score = |node: usize| {
        let total = &cluster.nodes[node].total;
        let mut score = 0.0;
        if fits_now(cluster, id, node) {
            score += FREE_NOW;
        }
        let is_without = cluster.gpus.is_none_or(|gpus| total[gpus] == 0.0);
        if gpus.is_none() && is_without {
            score += SAME_SORT;
        }
        if let Some(resource) = packs.filter(|&resource| total[resource] > 0.0 && most != 0.0) {
            let free = cluster.free_soon(node, resource);
            score += if least == most {
                FULLEST
            } else {
                FULLEST * (1.0 - (free - least) / (most - least))
            };
        }
        score
    };
    let mut best: Option<(f64, usize)> = None;
    for &node in nodes {
        if !allowed.is_empty() && !allowed.contains(&node) || !fits_soon(cluster, id, node) {
            continue;
        }
        let score = score(node);
        let is_better = |(other, at): (f64, usize)| score > other || score == other && node < at;
        if best.is_none_or(is_better) {
            best = Some((score, node));
        }
    }
    best.map(|(_, node)| node)
}
