//! Groups as they were before, as far as that makes no difference. In: the jobs of new groups, who runs together, and
//! which jobs are alike. Out: groups of the same shape, in which alike jobs have changed places so that fewer start anew.

use crate::job::JobId;
use crate::order;
use switchyard_engine::View;

/// A job of a new group of several, and what it is alike to.
struct Member {
    job: JobId,
    kind: usize,
    /// Whether it stays where it is.
    stays: bool,
}

/// The groups, in their order. Of alike jobs, whose `kind` is the same, it does not matter which is in which group.
pub(super) fn as_before(
    view: &View<'_>,
    groups: &mut [Vec<JobId>],
    mut kind: impl FnMut(JobId) -> usize,
) {
    let mut members: Vec<Member> = Vec::new();
    // Of each group of several its place, and its kinds in order, until it is taken.
    let mut shapes: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, group) in groups.iter().enumerate().filter(|(_, of)| of.len() > 1) {
        let mut shape = Vec::with_capacity(group.len());
        for &job in group {
            let kind = kind(job);
            shape.push(kind);
            members.push(Member {
                job,
                kind,
                stays: false,
            });
        }
        order::sort(&mut shape);
        shapes.push((at, shape));
    }
    if members.is_empty() {
        return;
    }
    order::sort_by_key(&mut members, |member| member.job);
    for job in view.ledger().running() {
        let together = view.together(job);
        if together.first() != Some(&job) {
            continue;
        }
        let place = |job: &JobId| members.binary_search_by_key(job, |of| of.job).ok();
        let Some(places) = together.iter().map(place).collect::<Option<Vec<usize>>>() else {
            continue;
        };
        let mut shape: Vec<usize> = places.iter().map(|&at| members[at].kind).collect();
        order::sort(&mut shape);
        if let Some(found) = shapes.iter().position(|(_, of)| *of == shape) {
            let (at, _) = shapes.remove(found);
            groups[at] = together.to_vec();
            places.into_iter().for_each(|at| members[at].stays = true);
        }
    }
    // The others' places go to those that do not stay, in order of submission.
    for (at, _) in shapes {
        for job in &mut groups[at] {
            let kind = kind(*job);
            let is_next = |of: &&mut Member| of.kind == kind && !of.stays;
            if let Some(next) = members.iter_mut().find(is_next) {
                next.stays = true;
                *job = next.job;
            }
        }
    }
}
