//! Models, tenants and labels by how many jobs they have.

use crate::state::ColourBy;
use switchyard::order;
use switchyard::workload::{Label, Workload};

/// Models and tenants by how many jobs they have: the first ten have hues of their own.
#[derive(Debug, Default)]
pub struct Ranks {
    pub(super) models: Vec<u32>,
    pub(super) tenants: Vec<u32>,
    /// By label.
    pub(super) labels: [Vec<u32>; Label::ALL.len()],
}

impl Ranks {
    /// Of a trace's jobs.
    pub fn of(workload: &Workload) -> Self {
        let jobs = &workload.jobs;
        Self {
            models: ranks(workload.models.len(), &mut jobs.iter().map(|job| job.model)),
            tenants: ranks(
                workload.tenants.len(),
                &mut jobs.iter().map(|job| job.tenant),
            ),
            labels: Label::ALL.map(|label| {
                let labels = &workload.recorded.labels;
                let sets = workload.recorded.label_sets.iter();
                ranks(
                    labels.names(label).len(),
                    &mut sets.map(|set| labels.index(*set, label)),
                )
            }),
        }
    }

    /// Which model, or tenant, has this rank.
    pub fn with(&self, by: ColourBy, rank: u32) -> Option<usize> {
        let ranks = match by {
            ColourBy::Model => &self.models,
            ColourBy::Label(label) => &self.labels[label as usize],
            _ => &self.tenants,
        };
        ranks.iter().position(|&of| of == rank)
    }
}

/// Each number's rank among `count` by how often it comes.
fn ranks(count: usize, numbers: &mut dyn Iterator<Item = Option<u32>>) -> Vec<u32> {
    let mut often = vec![0u32; count];
    for number in numbers.flatten() {
        if let Some(often) = often.get_mut(number as usize) {
            *often += 1;
        }
    }
    let mut by_rank: Vec<u32> = (0..count as u32).collect();
    order::sort_by_key(&mut by_rank, |&of| {
        (std::cmp::Reverse(often[of as usize]), of)
    });
    let mut ranks = vec![0; count];
    for (rank, of) in (0..).zip(by_rank) {
        ranks[of as usize] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ten_with_most_jobs_have_hues_of_their_own() {
        let often = [1, 0, 5, 2, 1, 1, 1, 1, 1, 1, 1, 1];
        let numbers = (0u32..).zip(often).flat_map(|(i, n)| vec![Some(i); n]);
        let ranks = ranks(often.len(), &mut numbers.chain([None, Some(99)]));
        assert_eq!(ranks[..4], [2, 11, 0, 1]);
    }
}
