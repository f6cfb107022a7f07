//! What happens in a range of time, or to some jobs, under one scheduler, in numbers that can be worked out again from
//! the table of every job.

use crate::selected_jobs::SelectedJobs;
use crate::stage::StageRun;
use crate::time_axis::Window;
use switchyard::engine::EventKind;
use switchyard::job::JobId;
use switchyard::workload::Workload;

/// Some jobs of a run between two times. The beginning belongs to a range, its end does not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    /// Jobs that have finished.
    pub finished: u64,
    /// GPUs held × time, GPU·s.
    pub held: f64,
    /// The mean queueing delay, over their whole lives, of the jobs submitted in it; `None` while the
    /// run is under way, or if none of them finished.
    pub wait: Option<f64>,
    /// The mean completion time of the same jobs.
    pub jct: Option<f64>,
}

/// The jobs submitted in a range, as positions.
pub fn submitted(workload: &Workload, range: Window) -> std::ops::Range<usize> {
    let before = |time: f64| {
        let jobs = &workload.jobs;
        jobs.partition_point(|job| job.submit.seconds() < time)
    };
    before(range.from)..before(range.to)
}

/// All of time.
const WHOLE: Window = Window {
    from: 0.0,
    to: f64::INFINITY,
};

/// How many of some jobs are submitted in a range; all where nothing is said.
pub fn count(workload: &Workload, range: Option<Window>, jobs: Option<&SelectedJobs>) -> u64 {
    let range = submitted(workload, range.unwrap_or(WHOLE));
    match jobs {
        None => range.len() as u64,
        Some(jobs) => jobs.mask()[range].iter().filter(|is| **is).count() as u64,
    }
}

impl Totals {
    /// What a run does in a range with some jobs; with all jobs, in all of time, where nothing is said.
    pub fn of(
        run: &StageRun,
        workload: &Workload,
        range: Option<Window>,
        jobs: Option<&SelectedJobs>,
    ) -> Self {
        let range = range.unwrap_or(WHOLE);
        let is_meant = |job: JobId| jobs.is_none_or(|jobs| jobs.holds(job));
        let log = &run.log;
        let times = log.event_times();
        let before = |time: f64| times.partition_point(|&at| at < time);
        let events = (before(range.from)..before(range.to)).map(|at| log.event(at));
        let finished = events.filter(|of| of.kind == EventKind::Finish && is_meant(of.job));
        let mean = |column: &[f64]| {
            let own = submitted(workload, range).filter(|&at| is_meant(JobId(at as u32)));
            let known = own.map(|at| column[at]).filter(|value| !value.is_nan());
            let (sum, count) = known.fold((0.0, 0u32), |(sum, n), value| (sum + value, n + 1));
            (count > 0).then(|| sum / f64::from(count))
        };
        let outcomes = run.finished().map(|of| &of.outcomes);
        Self {
            finished: finished.count() as u64,
            held: match jobs {
                None => held(run, range),
                Some(jobs) => held_by(run, range, jobs),
            },
            wait: outcomes.and_then(|of| mean(&of.queueing)),
            jct: outcomes.and_then(|of| mean(&of.jct)),
        }
    }
}

/// What some jobs hold, as far as it is known.
fn held_by(run: &StageRun, range: Window, jobs: &SelectedJobs) -> f64 {
    let end = range.to.min(run.reached());
    let segments = (0..run.log.segments()).map(|at| run.log.segment(at));
    let own = segments.filter(|of| jobs.holds(of.job));
    let overlap = own.map(|of| {
        let seconds = of.end.seconds().min(end) - of.start.seconds().max(range.from);
        seconds.max(0.0) * f64::from(of.gpu_count()) * of.part()
    });
    overlap.sum()
}

/// The area below the curve of GPUs held, as far as it is known.
fn held(run: &StageRun, range: Window) -> f64 {
    let (times, gpus) = (run.log.sample_times(), run.log.sample_gpus());
    let end = range.to.min(run.reached());
    let first = times.partition_point(|&at| at <= range.from);
    let mut area = 0.0;
    for at in first.saturating_sub(1)..times.len() {
        let from = times[at].max(range.from);
        if from >= end {
            break;
        }
        let to = times.get(at + 1).copied().unwrap_or(end).min(end);
        area += f64::from(gpus[at]) * (to - from);
    }
    area
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::workload::Sample;

    #[test]
    fn totals_are_what_every_job_and_segment_adds_up_to() {
        let sample = Sample::named("lab").expect("it is there");
        let workload = sample.workload();
        let some: SelectedJobs = workload.jobs.iter().map(|job| job.gpus > 1).collect();
        let all: SelectedJobs = workload.jobs.iter().map(|_| true).collect();
        for policy in ["fifo", "tiresias-las"] {
            let run = StageRun::finished_of(sample, policy);
            let outcomes = &run.finished().expect("it is complete").outcomes;
            let end = run.reached();
            for (from, to) in [(0.0, 1.0), (0.1, 0.4), (0.35, 0.36), (0.7, 1.5)] {
                let range = Window::new(from * end, to * end);
                for jobs in [None, Some(&some), Some(&all)] {
                    let is_meant = |job: usize| jobs.is_none_or(|of| of.mask()[job]);
                    let inside = |time: f64| time >= range.from && time < range.to;
                    let (mut finished, mut held) = (0, 0.0);
                    let (mut waited, mut lived, mut counted) = (0.0, 0.0, 0);
                    for (job, record) in workload.jobs.iter().enumerate() {
                        if !is_meant(job) {
                            continue;
                        }
                        let submit = record.submit.seconds();
                        finished += u64::from(inside(submit + outcomes.jct[job]));
                        if inside(submit) && !outcomes.queueing[job].is_nan() {
                            waited += outcomes.queueing[job];
                            lived += outcomes.jct[job];
                            counted += 1;
                        }
                    }
                    for segment in (0..run.log.segments()).map(|at| run.log.segment(at)) {
                        let (start, stop) = (segment.start.seconds(), segment.end.seconds());
                        let overlap = stop.min(range.to) - start.max(range.from);
                        let gpus = segment.gpus.iter().map(|part| part.mask.count_ones());
                        if is_meant(segment.job.index()) {
                            held += overlap.max(0.0) * f64::from(gpus.sum::<u32>());
                        }
                    }
                    let totals = Totals::of(&run, &workload, Some(range), jobs);
                    let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs().max(1.0);
                    assert!(close(totals.held, held), "{totals:?} {held}");
                    assert_eq!(totals.finished, finished, "{policy} {range:?}");
                    for (mean, sum) in [(totals.wait, waited), (totals.jct, lived)] {
                        assert_eq!(mean.is_some(), counted > 0);
                        assert!(mean.is_none_or(|mean| close(mean, sum / f64::from(counted))));
                    }
                }
            }
        }
        assert_eq!(count(&workload, None, Some(&some)), some.count());
        assert!(some.count() > 0 && some.count() < all.count());
    }
}
