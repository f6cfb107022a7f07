//! Attained service: GPUs × time held, restarts included (Tiresias, NSDI'19 §3.2.2), at any time of a
//! run's log. A promotion makes a job's count begin anew (§3.2.3, PROMOTEKNOB).

use std::collections::HashMap;
use switchyard::job::JobId;
use switchyard::sim::{EventKind, RunLog};

/// What must be known besides the log to tell any job's attained service at any time. Grows with
/// the log.
#[derive(Clone, Debug, Default)]
pub struct Attained {
    /// By segment: GPU·s its job had attained when it began.
    before: Vec<f64>,
    /// By job: when it was promoted, seconds, and the GPU·s it had attained then.
    promotions: HashMap<JobId, Vec<(f64, f64)>>,
    next_event: usize,
}

impl Attained {
    /// Takes in the log's next segment; `earlier` is its job's last segment before it, which has
    /// ended.
    pub(crate) fn add_segment(&mut self, log: &RunLog, earlier: Option<u32>) {
        let before = earlier.map_or(0.0, |earlier| self.up_to(log, earlier, f64::INFINITY));
        self.before.push(before);
    }

    /// Takes in the promotions among the log's new events. `segments_of`: each job's segments.
    pub(crate) fn note_promotions(&mut self, log: &RunLog, segments_of: &[Vec<u32>]) {
        for event in (self.next_event..log.events()).map(|i| log.event(i)) {
            if event.kind == EventKind::Promote {
                let segments = segments_of
                    .get(event.job.index())
                    .map_or(&[][..], Vec::as_slice);
                let at = event.time.seconds();
                let attained = self.total(log, segments, at);
                self.promotions
                    .entry(event.job)
                    .or_default()
                    .push((at, attained));
            }
        }
        self.next_event = log.events();
    }

    /// GPU·s attained at `now` by the job that has these segments.
    pub fn total(&self, log: &RunLog, segments: &[u32], now: f64) -> f64 {
        let begun = segments.partition_point(|&i| log.segment(i as usize).start.seconds() <= now);
        let last = begun.checked_sub(1).and_then(|i| segments.get(i));
        last.map_or(0.0, |&last| self.up_to(log, last, now))
    }

    /// The same, counted from the job's last promotion: what its queue hangs on.
    pub fn since_promotion(&self, job: JobId, log: &RunLog, segments: &[u32], now: f64) -> f64 {
        let base = self.promotions.get(&job).and_then(|promotions| {
            let past = promotions.partition_point(|&(at, _)| at <= now);
            promotions.get(past.checked_sub(1)?)
        });
        self.total(log, segments, now) - base.map_or(0.0, |&(_, attained)| attained)
    }

    /// GPU·s at `now`, or at the segment's end, of the segment's job.
    fn up_to(&self, log: &RunLog, segment: u32, now: f64) -> f64 {
        let before = self.before.get(segment as usize).copied().unwrap_or(0.0);
        let segment = log.segment(segment as usize);
        let start = segment.start.seconds();
        let held = segment.end.seconds().min(now) - start;
        if held > 0.0 && held.is_finite() {
            before + held * f64::from(segment.gpu_count())
        } else {
            before
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::stage::StageRun;
    use switchyard::cluster::ClusterSpec;
    use switchyard::job::{Job, JobId, Work};
    use switchyard::sim::{EventKind, LogMark, SimOptions};
    use switchyard::workload::Workload;
    use switchyard::{RunSpec, Time};

    /// A job of 2 GPUs that sinks at 40 GPU·s, waits for later ones, and is promoted.
    fn run() -> StageRun {
        let job = |submit: f64, duration: f64| Job {
            name: "".into(),
            submit: Time(submit),
            gpus: 2,
            tenant: None,
            model: None,
            work: Work::Fixed { duration },
        };
        let jobs = vec![
            job(0.0, 100.0),
            job(20.0, 18.0),
            job(38.0, 18.0),
            job(56.0, 18.0),
        ];
        let spec = RunSpec {
            policy: "tiresias-las[thresholds=40,knob=1]"
                .parse()
                .expect("a policy"),
            cluster: ClusterSpec::uniform(1, 2).expect("a cluster"),
            placement: Default::default(),
            options: SimOptions {
                restart_cost: 5.0,
                ..SimOptions::default()
            },
            history: None,
        };
        let workload = Workload {
            jobs,
            ..Workload::default()
        };
        let mut run = StageRun::new(0, String::new(), workload.jobs.len());
        let mut simulation = spec.start(workload.into());
        let mut mark = LogMark::default();
        // As it arrives from a worker: piece by piece.
        loop {
            let more = simulation.step().expect("plans are right");
            let progress = simulation.progress();
            run.receive(simulation.log().delta_since(mark), progress);
            mark = simulation.log().mark();
            if !more {
                return run;
            }
        }
    }

    #[test]
    fn service_is_gpus_times_time_held_and_counts_anew_after_a_promotion() {
        let run = run();
        let promoted = (0..run.log.events())
            .map(|i| run.log.event(i))
            .find(|event| event.kind == EventKind::Promote)
            .expect("it waits for longer than it has run");
        assert_eq!(promoted.job, JobId(0));
        let at = promoted.time.seconds();
        assert_eq!(run.attained(JobId(0), 10.0), 20.0);
        assert_eq!(run.attained(JobId(0), 20.0), 40.0);
        assert_eq!(run.attained(JobId(0), 30.0), 40.0);
        assert_eq!(run.queue_service(JobId(0), at - 1.0), 40.0);
        assert_eq!(run.queue_service(JobId(0), at), 0.0);
        // Everything it held in the end, 5 s of restarting each time included.
        let end = run.reached();
        let held: f64 = run.segments_of[0]
            .iter()
            .map(|&i| run.log.segment(i as usize))
            .map(|segment| 2.0 * (segment.end.seconds() - segment.start.seconds()))
            .sum();
        assert_eq!(run.attained(JobId(0), end), held);
        assert!(held > 200.0);
        assert_eq!(
            run.queue_service(JobId(0), end),
            held - run.attained(JobId(0), at)
        );
    }

    #[test]
    fn before_it_is_submitted_a_job_has_nothing() {
        assert_eq!(run().queue_service(JobId(3), 10.0), 0.0);
        assert_eq!(run().attained(JobId(77), 10.0), 0.0);
    }
}
