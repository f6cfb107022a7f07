//! The queue strip: a hollow bar for every waiting job, the longest wait first.

use crate::draw::pen::px;
use crate::draw::rect::Rect;
use crate::order;
use crate::stage::StageRun;
use switchyard::job::{Job, JobId};

/// CSS pixels from one bar to the next: at most, and before the rest is only counted.
const WIDEST: f64 = 9.0;
const NARROWEST: f64 = 4.0;

/// The strip as it was last laid out.
#[derive(Debug, Default)]
pub(super) struct Queue {
    bars: Vec<(JobId, Rect)>,
    /// Waiting jobs without a bar.
    pub(super) more: usize,
    /// Where the next bar would stand.
    end: Rect,
    order: Vec<(f64, JobId)>,
}

impl Queue {
    /// Lays the bars of all waiting jobs out in `area`, of which `for_count` at the right is kept
    /// free if not all fit. A bar's height goes with the logarithm of the job's GPUs: 1 and 64 are
    /// both to be seen.
    pub(super) fn lay_out(
        &mut self,
        run: &StageRun,
        jobs: &[Job],
        largest: u32,
        area: &Rect,
        for_count: f64,
        ratio: f64,
    ) {
        let waiting = run.moment.waiting();
        let narrowest = px(NARROWEST, ratio);
        let fits_all = waiting.len() as f64 * narrowest <= area.w;
        let room = if fits_all { area.w } else { area.w - for_count };
        let shown = if fits_all {
            waiting.len()
        } else {
            (room / narrowest).max(0.0) as usize
        };
        self.more = waiting.len() - shown;

        let waits = waiting
            .iter()
            .map(|&job| (run.moment.since(job).seconds(), job));
        order::first(shown, waits, &mut self.order);

        let pitch = (room / shown.max(1) as f64)
            .floor()
            .clamp(narrowest, px(WIDEST, ratio));
        let width = pitch - px(1.0, ratio);
        let height = |gpus: u32| {
            let part = f64::from(gpus + 1).log2() / f64::from(largest + 1).log2();
            (area.h * part.min(1.0)).round().max(px(3.0, ratio))
        };
        let bar = |i: usize, gpus: u32| {
            let h = height(gpus);
            Rect::new(area.x + i as f64 * pitch, area.bottom() - h, width, h)
        };
        self.bars.clear();
        self.bars.extend(
            self.order.iter().enumerate().map(|(i, &(_, job))| {
                (job, bar(i, jobs.get(job.index()).map_or(1, |job| job.gpus)))
            }),
        );
        self.end = bar(shown, 1);
    }

    /// The bars, from the longest wait to the shortest.
    pub(super) fn bars(&self) -> &[(JobId, Rect)] {
        &self.bars
    }

    /// Where a job's bar stands; the end of the strip if it has none.
    pub(super) fn place(&self, job: JobId) -> Rect {
        self.bars
            .iter()
            .find(|bar| bar.0 == job)
            .map_or(self.end, |bar| bar.1)
    }

    /// Right of the last bar.
    pub(super) fn end(&self) -> f64 {
        self.end.x
    }

    /// The job whose bar, or the room above it, is at `x`.
    pub(super) fn at(&self, x: f64) -> Option<JobId> {
        let i = self
            .bars
            .partition_point(|(_, bar)| bar.x <= x)
            .checked_sub(1)?;
        let (job, bar) = self.bars[i];
        (x < bar.right() + 2.0).then_some(job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::Time;
    use switchyard::job::Work;
    use switchyard::policy::PolicySpec;
    use switchyard::{
        RunSpec, cluster::ClusterSpec, placement::Strategy, sim::SimOptions, workload::Workload,
    };

    fn job(gpus: u32) -> Job {
        Job {
            name: "".into(),
            submit: Time::ZERO,
            gpus,
            tenant: None,
            model: None,
            work: Work::Fixed { duration: 9.0 },
        }
    }

    /// One GPU, so that all jobs but one wait.
    fn queue_of(gpus: &[u32]) -> (StageRun, Vec<Job>) {
        let jobs: Vec<Job> = std::iter::once(1)
            .chain(gpus.iter().copied())
            .map(job)
            .collect();
        let workload = Workload {
            jobs: jobs.clone(),
            ..Workload::default()
        };
        let spec = RunSpec {
            policy: "fifo".parse::<PolicySpec>().unwrap(),
            cluster: ClusterSpec::uniform(1, 64).unwrap(),
            placement: Strategy::default(),
            options: SimOptions::default(),
            history: None,
        };
        let mut simulation = spec.start(workload.into());
        simulation.step().unwrap();
        let mut run = StageRun::new(0, String::new(), jobs.len());
        run.log = simulation.into_log();
        run.index.extend(&run.log);
        run.moment.seek(&run.log, &run.index, Time::ZERO);
        (run, jobs)
    }

    #[test]
    fn bars_stand_side_by_side_and_the_rest_is_counted() {
        for waiting in [0usize, 1, 30, 90, 5000] {
            let (run, jobs) = queue_of(&vec![64; waiting]);
            let area = Rect::new(10.0, 5.0, 400.0, 36.0);
            let mut queue = Queue::default();
            queue.lay_out(&run, &jobs, 64, &area, 80.0, 1.0);
            assert_eq!(queue.bars().len() + queue.more, run.moment.waiting().len());
            for pair in queue.bars().windows(2) {
                assert!(pair[0].1.right() < pair[1].1.x);
            }
            for (i, (job, bar)) in queue.bars().iter().enumerate() {
                assert!(bar.x >= area.x && bar.right() <= area.right() && bar.y >= area.y);
                assert_eq!(queue.at(bar.x + 1.0), Some(*job), "bar {i}");
                assert_eq!(queue.place(*job), *bar);
            }
            if queue.more > 0 {
                assert!(queue.end() <= area.right() - 80.0);
            }
        }
    }

    #[test]
    fn height_grows_with_gpus() {
        let (run, jobs) = queue_of(&[64, 64, 1, 2, 8, 64]);
        let mut queue = Queue::default();
        queue.lay_out(
            &run,
            &jobs,
            64,
            &Rect::new(0.0, 0.0, 400.0, 36.0),
            80.0,
            1.0,
        );
        let mut heights: Vec<(u32, f64)> = queue
            .bars()
            .iter()
            .map(|(id, bar)| (jobs[id.index()].gpus, bar.h))
            .collect();
        heights.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert!(
            heights
                .windows(2)
                .all(|pair| (pair[0].0 < pair[1].0) == (pair[0].1 < pair[1].1))
        );
    }
}
