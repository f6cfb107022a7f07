//! Whom a job may evict, and whom it evicts: those of lower QOS, or in partitions of a lower tier, lowest first and of
//! equal ones those on fewer nodes, one after the other until there is room. Then those go first who have most nodes
//! in common with where the job would lie, twice, so that fewer are evicted.
//!
//! Source: `src/interfaces/preempt.c`, `preempt_qos.c`, `preempt_partition_prio.c`, and `_run_now` in
//! `select/cons_tres/job_test.c` (`preempt_reorder_count` = 1).

use super::horizon::Horizon;
use super::reservations::Party;
use crate::job::JobId;
use crate::order;
use std::cmp::Reverse;
use switchyard_engine::View;
use switchyard_placement::Gang;

/// How often candidates are put into another order.
const REORDERS: usize = 2;

/// A job that may be evicted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) job: JobId,
    /// Of its QOS or its partition.
    pub(super) rank: u32,
}

/// Who must be evicted so that a gang has room now, where what is free stands as it is now; none: nobody helps. The
/// horizon then has what is free without the victims, and where the gang would lie.
pub(super) fn find(
    horizon: &mut Horizon,
    view: &View<'_>,
    mut candidates: Vec<Candidate>,
    (gang, limit): ((Gang, Party), f64),
) -> Option<Vec<JobId>> {
    let nodes = |job: JobId| view.ledger().parts(job).len();
    order::sort_by_key(&mut candidates, |of| (of.rank, nodes(of.job)));
    let now = view.now().seconds();
    let mut reorders = 0;
    loop {
        let mut removed = 0;
        let fits = candidates.iter().any(|of| {
            horizon.give(of.job, view.ledger().parts(of.job), view.needs(of.job));
            removed += 1;
            horizon.has_room(gang, now, limit)
        });
        let gone = &candidates[..removed];
        let laid: Vec<u32> = (horizon.placement.parts.iter())
            .map(|part| part.node)
            .collect();
        let in_common = |job: JobId| {
            let parts = view.ledger().parts(job).iter();
            parts.filter(|part| laid.contains(&part.node)).count()
        };
        let is_last = reorders == REORDERS || candidates.len() <= reorders + 1;
        if fits && is_last {
            let victims = gone.iter().map(|of| of.job);
            let (victims, spared): (Vec<JobId>, Vec<JobId>) =
                victims.partition(|&job| in_common(job) > 0);
            for job in spared {
                horizon.take(job, view.ledger().parts(job), view.needs(job));
            }
            return Some(victims);
        }
        for of in gone {
            horizon.take(of.job, view.ledger().parts(of.job), view.needs(of.job));
        }
        if !fits {
            return None;
        }
        reorders += 1;
        let last = gone.last().map(|of| of.job);
        let mut common: Vec<(usize, Candidate)> = (candidates.iter().enumerate())
            .map(|(at, of)| match at < removed {
                true if Some(of.job) == last => (usize::MAX, *of),
                true => (in_common(of.job), *of),
                false => (0, *of),
            })
            .collect();
        order::sort_by_key(&mut common, |&(nodes, _)| Reverse(nodes));
        candidates = common.into_iter().map(|(_, of)| of).collect();
    }
}
