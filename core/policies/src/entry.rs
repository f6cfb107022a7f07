//! What a policy gives of itself: its [`entry`](PolicyEntry), what follows from its parameters
//! ([`Properties`]), and from what it is made.

use super::picking::network::Network;
use super::{ParamInfo, Picker, ServiceHistory};
use crate::workload::Workload;
use switchyard_engine::{Measure, Mistake};
use switchyard_placement::Strategy;
use switchyard_queues::lending::InnerQuota;
use switchyard_queues::membership::QueueSettings;

/// A policy, as far as one must know it to choose it.
#[derive(Clone, Copy, Debug)]
pub struct PolicyEntry {
    /// The name in specs.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it does, in a sentence or two.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Its parameters.
    pub params: &'static [ParamInfo],
    /// Whether it gives jobs whole GPUs, also those that could share one.
    pub takes_whole_gpus: bool,
    /// Whether it repeats what the trace records: then nothing slows jobs or fails but what did, and they take as
    /// long as they took.
    pub replays: bool,
    /// Whether it serves jobs in order of arrival, so that who waits longest is the head of the line.
    pub in_order: bool,
    /// Whether somebody's own text or module decides, which only some programs run (the features
    /// `scripts` and `plugins`).
    pub scripted: bool,
    /// Whether that is a text, which the page's editor writes.
    pub is_written: bool,
    /// Whether it always decides by solvers, which only some programs hold (the feature `solvers`).
    pub solves: bool,
}

impl PolicyEntry {
    /// A policy of one queue.
    pub(super) const PLAIN: Self = Self {
        name: "",
        title: "",
        summary: "",
        source: "",
        params: &[],
        takes_whole_gpus: false,
        replays: false,
        in_order: false,
        scripted: false,
        is_written: false,
        solves: false,
    };
}

/// What follows from a policy's parameters. One that says nothing here is for plain jobs, knows no more than a
/// real scheduler, and has parameters that never conflict.
pub(super) trait Properties {
    /// Says what does not fit between parameters that are valid one by one.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Whether it sees true remaining work, which no real scheduler knows; a policy that goes by the times asked for
    /// sees it only of jobs that ask for none.
    fn is_oracle(&self) -> bool {
        false
    }

    /// Whether all that it knows ahead is the times asked for, and the true ones of jobs alone that ask for none.
    fn goes_by_times_asked(&self) -> bool {
        false
    }

    /// Whether it puts two jobs that ask for a GPU each on one.
    fn packs(&self) -> bool {
        false
    }

    /// Whether with these it decides by solvers.
    fn solves(&self) -> bool {
        false
    }

    /// Whether it lets several gangs take turns on the same GPUs.
    fn interleaves(&self) -> bool {
        false
    }

    /// Whether it gives jobs other GPUs and batches than they ask for.
    fn adapts_jobs(&self) -> bool {
        false
    }

    /// Its queues, if it sorts jobs into some by what they have attained.
    fn levels(&self) -> Option<Levels> {
        None
    }

    /// What the quota of an inner queue is to it, if it divides a cluster among a tree of queues.
    fn inner_quota(&self) -> InnerQuota {
        InnerQuota::OnTop
    }

    /// The picker that learned, if it is one, by whose weights it goes.
    fn picker(&self) -> Option<Picker> {
        None
    }

    /// The name of the file of services that it learns from, if it does from one.
    fn history(&self) -> Option<&str> {
        None
    }

    /// The script or the plug-in that decides, if it is such a policy.
    fn user_code(&self) -> Option<UserCode<'_>> {
        None
    }

    /// Says whether that can be run.
    fn check_code(&self) -> Result<(), Mistake> {
        Ok(())
    }
}

/// Somebody's script or plug-in, as it stands in a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserCode<'a> {
    /// The text or the module, packed; empty: none yet.
    pub code: &'a str,
    /// What people call it; may be empty.
    pub name: &'a str,
}

/// The queues of a policy that sorts jobs by what they have attained.
#[derive(Clone, Debug, PartialEq)]
pub struct Levels {
    /// Where one ends and the next begins, ascending: one fewer than there are queues.
    pub thresholds: Vec<f64>,
    /// What is attained, and thresholds are of.
    pub measure: Measure,
}

/// What a policy is made from, besides its parameters.
#[derive(Clone, Copy)]
pub struct BuildContext<'a> {
    /// The run's default placement.
    pub placement: Strategy,
    /// The jobs, for policies that learn from them beforehand (oracles, and `history=oracle`).
    pub workload: &'a Workload,
    /// Services of an earlier time, for `history=NAME`.
    pub history: Option<&'a ServiceHistory>,
    /// What a picker that learned goes by, instead of what is shipped.
    pub picker: Option<&'a Network>,
    /// The tree of queues, and by which word jobs belong to its leaves; none: a leaf for each tenant.
    pub queues: Option<&'a QueueSettings>,
}
