//! Groups as they were before, as far as that makes no difference. In: the jobs of new groups, who runs together, and
//! which jobs are alike. Out: groups of the same shape, in which alike jobs have changed places so that fewer start anew.

use crate::job::JobId;
use std::collections::{BTreeMap, BTreeSet};
use switchyard_engine::View;

/// The groups, in their order. Of alike jobs it does not matter which is in which group.
pub(super) fn as_before<Kind: Ord + Clone>(
    view: &View<'_>,
    groups: Vec<Vec<JobId>>,
    mut alike: impl FnMut(&JobId) -> Kind,
) -> Vec<Vec<JobId>> {
    let mut waiting: BTreeMap<Kind, Vec<JobId>> = BTreeMap::new();
    let mut selected = BTreeSet::new();
    let mut kinds: BTreeMap<JobId, Kind> = BTreeMap::new();
    let mut shapes: Vec<Vec<Kind>> = Vec::with_capacity(groups.len());
    for group in &groups {
        let shape = group.iter().map(&mut alike).collect::<Vec<Kind>>();
        for (&job, kind) in group.iter().zip(&shape) {
            selected.insert(job);
            kinds.insert(job, kind.clone());
        }
        shapes.push(shape);
    }
    // Groups by what they are made of, the first of them last.
    let mut open: BTreeMap<Vec<Kind>, Vec<usize>> = BTreeMap::new();
    for (at, shape) in shapes.iter().enumerate().rev() {
        let mut sorted = shape.clone();
        sorted.sort();
        open.entry(sorted).or_default().push(at);
    }
    let mut made: Vec<Vec<JobId>> = vec![Vec::new(); groups.len()];
    for job in view.ledger().running() {
        let together = match view.together(job) {
            [] => &[job][..],
            [first, ..] if *first != job => continue,
            together => together,
        };
        if !together.iter().all(|job| selected.contains(job)) {
            continue;
        }
        let mut shape: Vec<Kind> = together.iter().map(|job| kinds[job].clone()).collect();
        shape.sort();
        if let Some(at) = open.get_mut(&shape).and_then(Vec::pop) {
            made[at] = together.to_vec();
            together.iter().for_each(|job| {
                selected.remove(job);
            });
        }
    }
    for &job in groups.iter().flatten().rev() {
        if selected.contains(&job) {
            waiting.entry(kinds[&job].clone()).or_default().push(job);
        }
    }
    for (group, shape) in made.iter_mut().zip(&shapes) {
        if group.is_empty() {
            let next = shape.iter().filter_map(|kind| waiting.get_mut(kind)?.pop());
            group.extend(next);
        }
    }
    made
}
