//! Attained service: GPUs × time held, restarts included (Tiresias, NSDI'19 §3.2.2), at any time of a
//! run's log. A promotion makes a job's count begin anew (§3.2.3, PROMOTEKNOB).

use switchyard::sim::{EventKind, RunLog};

/// What must be known besides the log to tell any job's attained service at any time. Grows with
/// the log.
#[derive(Clone, Debug, Default)]
pub struct Attained {
    /// By segment.
    stays: Vec<Stay>,
    next_event: usize,
}

/// What is known of a job at one of its stays on GPUs.
#[derive(Clone, Copy, Debug)]
struct Stay {
    /// GPU·s it had attained when the stay began.
    before: f64,
    /// GPU·s it had attained when it was last promoted before the stay: not counted any more.
    promoted: f64,
    /// When it was promoted, seconds, if that was between this stay and its next one.
    rises: f64,
}

impl Attained {
    /// Takes in the log's next segment; `earlier` is its job's last segment before it, which has
    /// ended.
    pub(crate) fn add_segment(&mut self, log: &RunLog, earlier: Option<u32>) {
        let stay = earlier.map(|earlier| {
            let before = self.up_to(log, earlier, f64::INFINITY);
            let stay = self.stay(earlier);
            let promoted = if stay.rises.is_finite() {
                before
            } else {
                stay.promoted
            };
            (before, promoted)
        });
        let (before, promoted) = stay.unwrap_or_default();
        self.stays.push(Stay {
            before,
            promoted,
            rises: f64::INFINITY,
        });
    }

    /// Takes in the promotions among the log's new events. `segments_of`: each job's segments.
    pub(crate) fn note_promotions(&mut self, log: &RunLog, segments_of: &[Vec<u32>]) {
        for event in (self.next_event..log.events()).map(|i| log.event(i)) {
            let segments = segments_of.get(event.job.index());
            let (EventKind::Promote, Some(segments)) = (event.kind, segments) else {
                continue;
            };
            let at = event.time.seconds();
            // It waits when it rises, and may begin its next stay at the same moment.
            let begun = segments.partition_point(|&i| log.segment(i as usize).start.seconds() < at);
            let last = begun.checked_sub(1).map(|last| segments[last]);
            let attained = last.map_or(0.0, |last| self.up_to(log, last, at));
            if let Some(stay) = last.and_then(|last| self.stays.get_mut(last as usize)) {
                stay.rises = at;
            }
            // Stays that came with the same piece of the log did not know of it yet.
            for &later in &segments[begun..] {
                self.stays[later as usize].promoted = attained;
            }
        }
        self.next_event = log.events();
    }

    /// GPU·s attained at `now` by the job that has these segments.
    pub fn total(&self, log: &RunLog, segments: &[u32], now: f64) -> f64 {
        let last = begun(log, segments, now).checked_sub(1);
        last.map_or(0.0, |last| self.up_to(log, segments[last], now))
    }

    /// The same, counted from the job's last promotion: what its queue hangs on.
    pub fn since_promotion(&self, log: &RunLog, segments: &[u32], now: f64) -> f64 {
        let Some(last) = begun(log, segments, now).checked_sub(1) else {
            return 0.0;
        };
        let stay = self.stay(segments[last]);
        if stay.rises <= now {
            return 0.0;
        }
        self.up_to(log, segments[last], now) - stay.promoted
    }

    fn stay(&self, segment: u32) -> Stay {
        const UNKNOWN: Stay = Stay {
            before: 0.0,
            promoted: 0.0,
            rises: f64::INFINITY,
        };
        *self.stays.get(segment as usize).unwrap_or(&UNKNOWN)
    }

    /// GPU·s at `now`, or at the segment's end, of the segment's job.
    fn up_to(&self, log: &RunLog, segment: u32, now: f64) -> f64 {
        let before = self.stay(segment).before;
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

/// How many of a job's segments have begun at `now`.
fn begun(log: &RunLog, segments: &[u32], now: f64) -> usize {
    segments.partition_point(|&i| log.segment(i as usize).start.seconds() <= now)
}

#[cfg(test)]
mod tests {
    use crate::stage::StageRun;
    use switchyard::cluster::ClusterSpec;
    use switchyard::job::{Job, JobId, Work};
    use switchyard::sim::{EventKind, LogMark, SimOptions};
    use switchyard::workload::Workload;
    use switchyard::{RunSpec, Time};

    /// A job of 2 GPUs that sinks at 40 GPU·s, waits for later ones, and is promoted. `pieces`: the
    /// log arrives event by event, not all at once.
    fn run_in(pieces: bool) -> StageRun {
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
        loop {
            let more = simulation.step().expect("plans are right");
            if pieces || !more {
                let progress = simulation.progress();
                run.receive(simulation.log().delta_since(mark), progress);
                mark = simulation.log().mark();
            }
            if !more {
                return run;
            }
        }
    }

    fn run() -> StageRun {
        run_in(true)
    }

    #[test]
    fn it_does_not_matter_in_which_pieces_the_log_comes() {
        let (pieces, whole) = (run_in(true), run_in(false));
        let end = pieces.reached();
        for job in (0..4).map(JobId) {
            for now in (0..60).map(|i| end * f64::from(i) / 59.0) {
                let (a, b) = (
                    pieces.queue_service(job, now),
                    whole.queue_service(job, now),
                );
                assert_eq!(a, b, "{job:?} at {now}");
                assert!(a >= 0.0 && a <= pieces.attained(job, now));
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
