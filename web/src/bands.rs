//! Where on a shared GPU each of its jobs is shown: bands of it that stay where they are for as long as
//! the job does. In: a log's segments in order. Out: each one's bands, in thousandths.

use std::collections::BTreeMap;
use switchyard::cluster::Gpus;
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
    /// Takes in the log's next segment. The lowest room that is large enough on all of its GPUs is taken; where none is,
    /// what there is on the first.
    pub(crate) fn add(&mut self, log: &RunLog, segment: usize) {
        let new = log.segment(segment);
        let Some(share) = new.share else {
            return;
        };
        let each = |&of: &Gpus| of.numbers().map(move |gpu| (of.node, gpu));
        let own: Vec<(u32, u32)> = new.gpus.iter().flat_map(each).collect();
        let mut taken: Vec<Vec<Band>> = Vec::with_capacity(own.len());
        for &gpu in &own {
            let there = self.there.entry(gpu).or_default();
            there.retain(|&at| log.segment(self.of[at].0 as usize).end > new.start);
            taken.push(there.iter().flat_map(|&at| self.of[at].1.clone()).collect());
            there.push(self.of.len());
        }
        let Some(on_first) = taken.first().cloned() else {
            return;
        };
        let enough = |free: &[Band]| free.iter().copied().find(|of| of.to - of.from >= share);
        let on_first = free(on_first);
        let one = enough(&free(taken.concat())).or(enough(&on_first));
        let free = one.map_or(on_first, |one| vec![one]);
        let mut left = share;
        let take = |room: Band| {
            let part = left.min(room.to - room.from);
            left -= part;
            let (from, to) = (room.from, room.from + part);
            (part > 0).then_some(Band { from, to })
        };
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

/// What bands leave of a GPU.
fn free(mut taken: Vec<Band>) -> Vec<Band> {
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
    free
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
    use switchyard::cluster::{Part, Placement};
    use switchyard::engine::{News, Plan, Scheduler, SimOptions, Simulation, Standing, View};
    use switchyard::job::{Demand, Job, JobId};
    use switchyard::policies::{Explanation, Policy, Rng, Verdict};
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
            options: SimOptions {
                sharing: true,
                ..SimOptions::default()
            },
            ..RunSpec::new("fifo".parse().unwrap(), "1x1".parse().unwrap())
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

    /// Starts the first job that comes on the second GPU, and one that comes later on both.
    struct Overlapping;

    impl Policy for Overlapping {
        fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
            for &news in view.news() {
                let News::Arrived(job) = news else { continue };
                let wished = [0b10, 0b11][job.index()];
                let part = Part {
                    wished,
                    ..Part::new(0, view.gpus(job))
                };
                let parts = vec![part];
                plan.place_as(job, Standing::Opportunistic, &Placement { parts });
            }
        }

        fn explain(&self, _view: &View<'_>, _job: JobId) -> Explanation {
            Explanation::new(Verdict::NotActive, Vec::new())
        }
    }

    #[test]
    fn a_gang_has_one_band_that_is_free_on_all_of_its_gpus() {
        let jobs = [(0.0, 1, 90.0), (10.0, 2, 9.0)];
        let job = |&(submit, gpus, duration): &(f64, u32, f64)| Job::plain(submit, gpus, duration);
        let workload = Workload {
            jobs: jobs.iter().map(job).collect(),
            ..Workload::default()
        };
        let scheduler = Scheduler {
            spec: "overlapping".to_owned(),
            given: Vec::new(),
            oracle: false,
            replays: false,
            packs: false,
            interleaves: true,
            looks_at_links: false,
            policy: Box::new(Overlapping),
        };
        let cluster = "1x2".parse().unwrap();
        let options = SimOptions::default();
        let mut simulation = Simulation::new(workload.into(), &cluster, scheduler, options);
        simulation.run().unwrap();
        let log = simulation.into_log();
        let mut bands = Bands::default();
        (0..log.segments()).for_each(|i| bands.add(&log, i));
        let of = |i| bands.of(i).map(|of| (of.len(), of[0].from, of[0].to));
        assert_eq!([of(0), of(1)], [Some((1, 0, 500)), Some((1, 500, 1000))]);
    }
}
