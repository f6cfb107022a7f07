//! The queue strip: a hollow bar for every waiting job, the longest wait first.

use crate::draw::format::count;
use crate::draw::on_stage::OnStage;
use crate::draw::palette;
use crate::draw::pen::{Align, Pen};
use crate::draw::space::{Ratio, Rect};
use crate::draw::text::{NORMAL, SMALL};
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
    more: usize,
    /// Where the next bar would stand.
    end: Rect,
    order: Vec<(f64, JobId)>,
}

impl Queue {
    /// Lays the strip out and paints it, its title above the bars.
    pub(super) fn paint(
        &mut self,
        pen: &mut Pen<'_>,
        title: &Rect,
        bars: &Rect,
        largest: u32,
        shown: OnStage<'_>,
    ) {
        let for_count = pen.width("+ 000,000 more", SMALL) + pen.px(8.0);
        let jobs = &shown.stage.workload.jobs;
        self.lay_out(shown.run, jobs, largest, bars, for_count, pen.ratio);
        self.paint_words(pen, title, bars, for_count, shown);
        self.paint_bars(pen, shown);
    }

    fn paint_words(
        &self,
        pen: &mut Pen<'_>,
        title: &Rect,
        bars: &Rect,
        for_count: f64,
        shown: OnStage<'_>,
    ) {
        let gap = pen.px(8.0);
        let y = title.middle().y;
        pen.fill(pen.chrome.text);
        let waiting = shown.run.moment.waiting().len();
        let words = match waiting {
            0 => "nothing waits".to_string(),
            _ => format!("{} waiting", count(waiting as u64)),
        };
        let used = pen.text(&words, title.x, y, NORMAL, Align::Left, title.w);
        pen.fill(pen.chrome.faint);
        let hint = "longest wait first · height: GPUs wanted, log scale";
        let room = title.w - used - 2.0 * gap;
        if waiting > 0 && pen.width(hint, SMALL) <= room {
            pen.label(hint, title.right(), y, Align::Right, room);
        }
        if self.more > 0 {
            let text = format!("+ {} more", count(self.more as u64));
            let (x, y) = (self.end.x + gap / 2.0, bars.bottom() - gap / 2.0);
            pen.label(&text, x, y, Align::Left, for_count);
        }
    }

    fn paint_bars(&self, pen: &Pen<'_>, shown: OnStage<'_>) {
        let line = pen.px(1.0);
        pen.alpha(shown.others_alpha());
        for category in 0..palette::CATEGORIES as u32 {
            let of_category = |(job, _): &&(JobId, Rect)| shown.category(*job) == category;
            let mut bars = self.bars.iter().filter(of_category).peekable();
            if bars.peek().is_some() {
                pen.fill(shown.colour_of(category));
                bars.for_each(|(_, bar)| pen.rect(bar));
            }
        }
        pen.alpha(1.0);
        pen.fill(pen.chrome.background);
        for (_, bar) in &self.bars {
            pen.rect(&bar.grown(-line));
        }
        for job in shown.outlined() {
            if let Some(bar) = self.bar(job) {
                pen.fill(pen.chrome.accent);
                pen.rect(&bar.grown(line));
                pen.fill(shown.colour(job));
                pen.rect(bar);
                pen.fill(pen.chrome.background);
                pen.rect(&bar.grown(-line));
            }
        }
    }

    /// Lays the bars of all waiting jobs out in `area`, of which `for_count` at the right is kept
    /// free if not all fit. A bar's height goes with the logarithm of the job's GPUs: 1 and 64 are
    /// both to be seen.
    fn lay_out(
        &mut self,
        run: &StageRun,
        jobs: &[Job],
        largest: u32,
        area: &Rect,
        for_count: f64,
        ratio: Ratio,
    ) {
        let waiting = run.moment.waiting();
        let narrowest = ratio.px(NARROWEST);
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
            .clamp(narrowest, ratio.px(WIDEST));
        let width = pitch - ratio.px(1.0);
        let height = |gpus: u32| {
            let part = f64::from(gpus + 1).log2() / f64::from(largest + 1).log2();
            (area.h * part.min(1.0)).round().max(ratio.px(3.0))
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

    /// A job's bar, if it has one.
    pub(super) fn bar(&self, job: JobId) -> Option<&Rect> {
        let (_, bar) = self.bars.iter().find(|bar| bar.0 == job)?;
        Some(bar)
    }

    /// Where a job's bar stands; the end of the strip if it has none.
    pub(super) fn place(&self, job: JobId) -> Rect {
        self.bar(job).copied().unwrap_or(self.end)
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
    use switchyard::job::{Demand, Work};
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
            demand: Demand::default(),
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
            queue.lay_out(&run, &jobs, 64, &area, 80.0, Ratio(1.0));
            assert_eq!(queue.bars.len() + queue.more, run.moment.waiting().len());
            for pair in queue.bars.windows(2) {
                assert!(pair[0].1.right() < pair[1].1.x);
            }
            for (i, (job, bar)) in queue.bars.iter().enumerate() {
                assert!(bar.x >= area.x && bar.right() <= area.right() && bar.y >= area.y);
                assert_eq!(queue.at(bar.x + 1.0), Some(*job), "bar {i}");
                assert_eq!(queue.place(*job), *bar);
            }
            if queue.more > 0 {
                assert!(queue.end.x <= area.right() - 80.0);
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
            Ratio(1.0),
        );
        let mut heights: Vec<(u32, f64)> = queue
            .bars
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
