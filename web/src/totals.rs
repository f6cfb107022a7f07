//! What happens in a range of time under one scheduler, in numbers that can be worked out again from the
//! table of every job.

use crate::stage::StageRun;
use crate::time_axis::Window;
use switchyard::engine::EventKind;
use switchyard::workload::Workload;

/// A run between two times. The beginning belongs to a range, its end does not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    /// Jobs that have finished.
    pub finished: u64,
    /// GPUs held × time, GPU·s.
    pub held: f64,
    /// The mean queueing delay, over their whole lives, of the jobs submitted in it; `None` while the
    /// run is under way, or if none of them finished.
    pub wait: Option<f64>,
}

/// The jobs submitted in a range, as positions.
pub fn submitted(workload: &Workload, range: Window) -> std::ops::Range<usize> {
    let before = |time: f64| {
        let jobs = &workload.jobs;
        jobs.partition_point(|job| job.submit.seconds() < time)
    };
    before(range.from)..before(range.to)
}

impl Totals {
    /// What a run does in a range.
    pub fn of(run: &StageRun, workload: &Workload, range: Window) -> Self {
        let log = &run.log;
        let times = log.event_times();
        let before = |time: f64| times.partition_point(|&at| at < time);
        let events = before(range.from)..before(range.to);
        let finished = events.filter(|&at| log.event(at).kind == EventKind::Finish);
        let waits = run.finished().map(|of| {
            let waits = &of.outcomes.queueing[submitted(workload, range)];
            let known = || waits.iter().filter(|wait| !wait.is_nan());
            known().sum::<f64>() / known().count() as f64
        });
        Self {
            finished: finished.count() as u64,
            held: held(run, range),
            wait: waits.filter(|mean| mean.is_finite()),
        }
    }
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
        for policy in ["fifo", "tiresias-las"] {
            let run = StageRun::finished_of(sample, policy);
            let outcomes = &run.finished().expect("it is complete").outcomes;
            let end = run.reached();
            for (from, to) in [(0.0, 1.0), (0.1, 0.4), (0.35, 0.36), (0.7, 1.5)] {
                let range = Window::new(from * end, to * end);
                let inside = |time: f64| time >= range.from && time < range.to;
                let mut expected = Totals {
                    finished: 0,
                    held: 0.0,
                    wait: None,
                };
                let (mut waited, mut jobs) = (0.0, 0);
                for (job, record) in workload.jobs.iter().enumerate() {
                    let submit = record.submit.seconds();
                    expected.finished += u64::from(inside(submit + outcomes.jct[job]));
                    if inside(submit) && !outcomes.queueing[job].is_nan() {
                        waited += outcomes.queueing[job];
                        jobs += 1;
                    }
                }
                for segment in (0..run.log.segments()).map(|at| run.log.segment(at)) {
                    let (start, stop) = (segment.start.seconds(), segment.end.seconds());
                    let overlap = stop.min(range.to) - start.max(range.from);
                    let gpus: u32 = segment.gpus.iter().map(|part| part.mask.count_ones()).sum();
                    expected.held += overlap.max(0.0) * f64::from(gpus);
                }
                if jobs > 0 {
                    expected.wait = Some(waited / f64::from(jobs));
                }
                let totals = Totals::of(&run, &workload, range);
                let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs().max(1.0);
                assert!(close(totals.held, expected.held), "{totals:?} {expected:?}");
                let (wait, other) = (totals.wait, expected.wait);
                assert_eq!(wait.is_some(), other.is_some());
                assert!(close(wait.unwrap_or(0.0), other.unwrap_or(0.0)));
                assert_eq!(totals.finished, expected.finished, "{policy} {range:?}");
            }
        }
    }
}
