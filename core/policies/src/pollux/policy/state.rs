//! What the scheduler keeps from one round to the next.

use super::super::fleet::Fleet;
use super::super::{Search, SearchParameters};
use super::truth::Truth;
use crate::RoundReport;
use crate::cluster::Part;
use crate::goodput::{Agent, CandidateTable, FitChoice, Fits};
use crate::job::JobId;
use crate::rigid::Rigid;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most GPUs of one job, as far as applications were measured.
pub(super) const MOST_REPLICAS: u32 = 64;

/// One adaptive job.
pub(super) struct Member {
    pub(super) job: JobId,
    pub(super) agent: Agent,
}

/// The policy, as it stands between rounds.
pub(super) struct Pollux {
    pub(super) parameters: SearchParameters,
    pub(super) interval: f64,
    pub(super) fit: FitChoice,
    pub(super) quirks: bool,
    pub(super) retune: f64,
    pub(super) report: f64,
    pub(super) rigid: Rigid,
    /// Active adaptive jobs in order of submission.
    pub(super) members: Vec<Member>,
    /// By application.
    pub(super) tables: BTreeMap<u32, Arc<CandidateTable>>,
    pub(super) fits: Fits,
    pub(super) truth: Truth,
    pub(super) search: Search,
    /// Under autoscaling.
    pub(super) fleet: Option<Fleet>,
    /// Every batch is taken to be as efficient as the smallest, so that goodput is throughput.
    pub(super) by_throughput: bool,
    /// The last round, as far as the search decided it, and its fair share (nodes, GPUs).
    pub(super) last: Option<RoundReport>,
    pub(super) fair: (u32, u32),
}

impl Pollux {
    /// Where the job is among the members.
    pub(super) fn position(&self, job: JobId) -> Option<usize> {
        let found = self.members.binary_search_by_key(&job, |member| member.job);
        found.ok()
    }
}

/// Nodes and GPUs.
pub(super) fn size(parts: &[Part]) -> (u32, u32) {
    (parts.len() as u32, Part::gpus_of(parts))
}
