//! Where on a shared GPU each of its jobs is shown: bands of it that stay where they are for as long as
//! the job does. In: a log's segments in order. Out: each one's bands, in thousandths.

use std::collections::BTreeMap;
use switchyard::engine::RunLog;
use switchyard::order;

/// A part of a GPU, in thousandths from its lower end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Band {
    /// From where.
    pub from: u32,
    /// To where.
    pub to: u32,
}

/// The bands of the segments on shares, as far as the log has been seen.
#[derive(Clone, Debug, Default)]
pub struct Bands {
    /// In order of segments.
    of: Vec<(u32, Vec<Band>)>,
    /// By GPU: the jobs that were there last, as indices into `of`.
    there: BTreeMap<(u32, u32), Vec<usize>>,
}

/// A whole GPU.
const WHOLE: u32 = 1000;

impl Bands {
    /// Takes in the log's next segment. The lowest room that is large enough is taken; where none is,
    /// what there is.
    pub(crate) fn add(&mut self, log: &RunLog, segment: usize) {
        let new = log.segment(segment);
        let (Some(share), Some(on)) = (new.share, new.gpus.first()) else {
            return;
        };
        let there = self
            .there
            .entry((on.node, on.mask.trailing_zeros()))
            .or_default();
        there.retain(|&at| log.segment(self.of[at].0 as usize).end > new.start);
        let mut taken: Vec<Band> = there.iter().flat_map(|&at| self.of[at].1.clone()).collect();
        order::sort(&mut taken);
        let (from, to) = (WHOLE, WHOLE);
        taken.push(Band { from, to });
        let mut low = 0;
        let mut free: Vec<Band> = Vec::new();
        for Band { from, to } in taken {
            if from > low {
                free.push(Band {
                    from: low,
                    to: from,
                });
            }
            low = low.max(to);
        }
        if let Some(&one) = free.iter().find(|of| of.to - of.from >= share) {
            free = vec![one];
        }
        let mut left = share;
        let take = |room: Band| {
            let part = left.min(room.to - room.from);
            left -= part;
            let (from, to) = (room.from, room.from + part);
            (part > 0).then_some(Band { from, to })
        };
        there.push(self.of.len());
        self.of
            .push((segment as u32, free.into_iter().filter_map(take).collect()));
    }

    /// Whether nothing is shared.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// A segment's bands, from the lowest; `None` if its GPUs are its own.
    pub fn of(&self, segment: usize) -> Option<&[Band]> {
        let at = self.of.binary_search_by_key(&(segment as u32), |of| of.0);
        Some(&self.of[at.ok()?].1)
    }
}

impl Band {
    /// Whether a place, thousandths from the lower end, is in it.
    pub(crate) fn holds(&self, place: f64) -> bool {
        f64::from(self.from) <= place && place < f64::from(self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::RunSpec;
    use switchyard::engine::SimOptions;
    use switchyard::job::{Demand, Job, JobId};
    use switchyard::workload::Workload;

    /// Jobs of (submission, duration, thousandths) on one GPU.
    fn bands(jobs: &[(f64, f64, u32)]) -> (RunLog, Bands) {
        let job = |&(submit, duration, share): &(f64, f64, u32)| Job {
            demand: Demand {
                share: switchyard::cluster::Thousandths::new(share as u16),
                ..Demand::default()
            },
            ..Job::plain(submit, 1, duration)
        };
        let workload = Workload {
            jobs: jobs.iter().map(job).collect(),
            ..Workload::default()
        };
        let spec = RunSpec {
            policy: "fifo".parse().unwrap(),
            cluster: "1x1".parse().unwrap(),
            placement: Default::default(),
            options: SimOptions {
                sharing: true,
                ..SimOptions::default()
            },
            history: None,
            outages: Default::default(),
            queues: Default::default(),
        };
        let mut simulation = spec.start(workload.into());
        simulation.run().unwrap();
        let log = simulation.into_log();
        let mut bands = Bands::default();
        (0..log.segments()).for_each(|i| bands.add(&log, i));
        (log, bands)
    }

    #[test]
    fn who_comes_later_takes_what_is_left_and_nobody_moves() {
        let (log, bands) = bands(&[
            (0.0, 10.0, 300),
            (0.0, 90.0, 400),
            (0.0, 10.0, 300),
            (20.0, 5.0, 200),
            (21.0, 5.0, 350),
            (50.0, 9.0, 1000),
        ]);
        let of: Vec<Vec<(u32, u32)>> = (0..log.segments())
            .filter_map(|i| bands.of(i))
            .map(|of| of.iter().map(|band| (band.from, band.to)).collect())
            .collect();
        assert_eq!(
            of[..5],
            [
                vec![(0, 300)],
                vec![(300, 700)],
                vec![(700, 1000)],
                vec![(0, 200)],
                // No room is large enough: the two that there are.
                vec![(200, 300), (700, 950)],
            ]
        );
        assert_eq!(log.segment(5).job, JobId(5));
        assert!(!bands.is_empty());
    }
}
