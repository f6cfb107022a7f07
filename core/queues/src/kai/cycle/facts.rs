//! What a cycle decided, with its numbers.
//!
//! In: decisions of actions. Out: facts, one after the other, about each job that was looked at.

use super::cluster::TaskId;
use crate::kai::reclaim::Refusal;
use crate::tree::QueueId;
use serde::Serialize;

/// What a cycle does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
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

/// A decision about a job.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fact {
    /// What was being done.
    pub action: Action,
    /// The job for which it was.
    pub job: usize,
    /// What was decided.
    pub what: What,
}

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A task starts now.
    Starts {
        /// The task.
        task: TaskId,
        /// Its node.
        node: usize,
    },
    /// A task starts when what others release is free.
    Waits {
        /// The task.
        task: TaskId,
        /// Its node.
        node: usize,
    },
    /// A task moves to another node.
    Moves {
        /// The task.
        task: TaskId,
        /// Where it was.
        from: usize,
        /// Where it will be.
        to: usize,
    },
    /// A task is evicted.
    Evicts {
        /// The task.
        task: TaskId,
        /// Where it was.
        node: usize,
    },
    /// The job has no place.
    NoPlace(NoPlace),
    /// The job may not reclaim.
    MayNotReclaim(Refusal),
    /// Fewer GPUs are free than the job asks for.
    NotFree {
        /// How many it asks for.
        asked: f64,
        /// How many are free or will be.
        free: f64,
    },
    /// No victims make room.
    NoRoom(NoRoom),
}

/// Why tasks have no place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoPlace {
    /// No task waits.
    NothingWaits,
    /// A queue may not have so much.
    Quota(NoQuota),
    /// A task fits on no node.
    NoNode {
        /// The task.
        task: TaskId,
    },
}

/// A queue that may not have so much.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NoQuota {
    /// The queue.
    pub queue: QueueId,
    /// The resource: its place in the tree.
    pub resource: usize,
    /// What it would have; or what those of its jobs would have that nobody may evict.
    pub would_have: f64,
    /// Its limit; or what it deserves.
    pub bound: f64,
    /// Whether it is about jobs that nobody may evict.
    pub fixed: bool,
}

/// Why no victims make room.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NoRoom {
    /// How many jobs could be victims.
    pub candidates: usize,
    /// How many scenarios were tried.
    pub scenarios: usize,
    /// Why the last one was not allowed in which the job had room; none: in none it had.
    pub last: Option<Objection>,
}

/// Why a scenario is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Objection {
    /// A task that should only move would have no place.
    Lost {
        /// The task.
        task: TaskId,
    },
    /// A job has not run for long enough to lose so many tasks.
    Young {
        /// The job.
        job: usize,
        /// For how many seconds it has run.
        ran: f64,
        /// For how many it must.
        seconds: f64,
    },
    /// It would be unfair.
    Unfair(Refusal),
}
