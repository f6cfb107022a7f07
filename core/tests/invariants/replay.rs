//! A replay of a log, which shares no code with the engine.

use crate::scenes::Scene;
use switchyard::cluster::Gpus;
use switchyard::engine::{Absence, EventKind, NodeState, RunLog, StopCause, Tuning};
use switchyard::job::{JobId, Work};

/// One job's life, as the log tells it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Life {
    Absent,
    Waiting,
    Running { segment: usize },
    Finished,
    Rejected,
}

/// A replay of one log.
pub(crate) struct Replay<'a> {
    scene: &'a Scene,
    log: &'a RunLog,
    /// Bit set: that GPU of that node is free.
    free: Vec<u64>,
    capacity: Vec<u32>,
    absences: Vec<Absence>,
    pub(crate) evictions: usize,
    pub(crate) life: Vec<Life>,
    pub(crate) starts: Vec<u32>,
    executed: Vec<f64>,
    pub(crate) stops: usize,
    /// Attempts that failed, by job; what had been executed when the present one began; and what those
    /// before did in vain.
    attempts: Vec<(usize, f64, f64)>,
    /// Of adaptive jobs: progress, and seconds on GPUs that were left when it was complete.
    trained: Vec<(f64, f64)>,
    /// By segment: its tunings.
    tunings: Vec<Vec<Tuning>>,
    pub(crate) service: Vec<f64>,
    pub(crate) level: Vec<u32>,
    pub(crate) since: Vec<f64>,
    pub(crate) last_segment: Vec<usize>,
}

impl<'a> Replay<'a> {
    pub(crate) fn new(scene: &'a Scene, log: &'a RunLog) -> Self {
        let capacity: Vec<u32> = scene.cluster.gpus_per_node().collect();
        let jobs = scene.workload.jobs.len();
        let mut tunings = vec![Vec::new(); log.segments()];
        for tuning in (0..log.tunings()).map(|i| log.tuning(i)) {
            tunings[tuning.segment as usize].push(tuning);
        }
        Self {
            scene,
            log,
            free: capacity.iter().map(|&gpus| (1 << gpus) - 1).collect(),
            capacity,
            absences: log.absences(),
            evictions: 0,
            life: vec![Life::Absent; jobs],
            starts: vec![0; jobs],
            executed: vec![0.0; jobs],
            stops: 0,
            attempts: vec![(0, 0.0, 0.0); jobs],
            trained: vec![(0.0, 0.0); jobs],
            tunings,
            service: vec![0.0; jobs],
            level: vec![0; jobs],
            since: vec![0.0; jobs],
            last_segment: vec![0; jobs],
        }
    }

    /// Replays the events up to and including `until`; `moment_over` is called after the last
    /// event of every moment.
    pub(crate) fn until(mut self, until: f64, mut moment_over: impl FnMut(&Self, f64)) -> Self {
        for i in 0..self.log.events() {
            let now = self.log.event_times()[i];
            if now > until {
                break;
            }
            self.apply(i);
            if self.log.event_times().get(i + 1) != Some(&now) {
                moment_over(&self, now);
            }
        }
        self
    }

    fn apply(&mut self, i: usize) {
        let event = self.log.event(i);
        let now = event.time.seconds();
        let j = event.job.index();
        let job = &self.scene.workload.jobs[j];
        let detail = event.detail as usize;
        match event.kind {
            EventKind::Submit => {
                assert_eq!((self.life[j], event.time), (Life::Absent, job.submit));
                assert!(job.gpus <= self.scene.gpus());
                self.life[j] = Life::Waiting;
                self.since[j] = now;
            }
            EventKind::Reject => {
                assert_eq!((self.life[j], event.time), (Life::Absent, job.submit));
                assert!(job.gpus > self.scene.gpus());
                self.life[j] = Life::Rejected;
            }
            EventKind::Start | EventKind::Restart => {
                assert_eq!(self.life[j], Life::Waiting);
                let first = event.kind == EventKind::Start;
                assert_eq!(first, self.starts[j] == 0);
                self.starts[j] += 1;
                let cost = self.scene.start_cost(job, first);
                let segment = self.log.segment(detail);
                assert_eq!(segment.job, event.job);
                assert_eq!(segment.start, event.time);
                assert_eq!(segment.ready, event.time + cost);
                let gpus = segment.gpu_count();
                match job.work {
                    Work::Fixed { .. } => assert_eq!(gpus, job.gpus, "a gang is all or nothing"),
                    Work::Adaptive { .. } => assert!((1..=128).contains(&gpus)),
                }
                for part in segment.gpus {
                    let node = part.node as usize;
                    assert!(part.mask != 0 && part.mask < 1 << self.capacity[node]);
                    assert_eq!(part.mask & !self.free[node], 0, "a GPU is given twice");
                    assert!(!self.is_closed(part.node, now), "node {node} is not up");
                    self.free[node] &= !part.mask;
                }
                self.life[j] = Life::Running { segment: detail };
                self.last_segment[j] = detail;
                self.since[j] = now;
            }
            EventKind::Pause | EventKind::Evict | EventKind::Fail | EventKind::Finish => {
                assert_eq!(self.life[j], Life::Running { segment: detail });
                let segment = self.log.segment(detail);
                assert_eq!(segment.end, event.time);
                for part in segment.gpus {
                    self.free[part.node as usize] |= part.mask;
                }
                let rate = self.scene.rate(job, segment.gpus.len());
                let held = (segment.end - segment.ready).max(0.0);
                self.service[j] += (segment.end - segment.start) * f64::from(segment.gpu_count());
                if matches!(event.kind, EventKind::Evict | EventKind::Fail) {
                    let (cycle, _) = self.scene.checkpoints();
                    let cycles = (held / cycle).floor();
                    let saved = if cycles >= 1.0 { cycles * cycle } else { 0.0 };
                    let lost = (held - saved) * rate;
                    self.executed[j] += saved * rate;
                    if event.kind == EventKind::Evict {
                        self.evict(j, detail, lost, segment.ready.0 + saved);
                    } else {
                        self.fail(j, detail, lost);
                    }
                } else {
                    self.executed[j] += held * rate;
                    self.train(j, detail, f64::INFINITY);
                }
                self.since[j] = now;
                self.life[j] = Life::Waiting;
                if event.kind == EventKind::Finish {
                    self.life[j] = Life::Finished;
                    let stops = (0..self.log.stops()).map(|i| self.log.stop(i));
                    let mut stops = stops.filter(|stop| stop.segment == detail as u32);
                    if stops.any(|stop| stop.cause == StopCause::TimedOut) {
                        let had = segment.end - segment.start;
                        let asked = job.demand.time.unwrap_or(0.0);
                        assert!(had >= asked, "job {j} asked for {asked} s and had {had} s");
                        return;
                    }
                    if let Work::Adaptive {
                        application,
                        duration,
                        ..
                    } = job.work
                    {
                        let application = &self.scene.workload.applications[application as usize];
                        let (progress, left) = self.trained[j];
                        let total = application.total_progress();
                        // What epochs of whole seconds come to has a test of its own.
                        assert!(
                            self.scene.options.whole_second_epochs
                                || nearly(progress / total * duration + now, duration + now)
                                    && left <= 1e-6 * (1.0 + now),
                            "job {j} got {progress} of {total}, {left} s too many"
                        );
                        return;
                    }
                    let duration = job.work.seconds();
                    let (failed, _, in_vain) = self.attempts[j];
                    let recorded = &self.scene.workload.recorded.attempts;
                    let recorded = recorded.get(&event.job).map_or(0, Vec::len);
                    let replays = self.scene.options.replay_failures;
                    assert_eq!(failed, if replays { recorded } else { 0 });
                    assert!(
                        nearly(self.executed[j] + in_vain + now, duration + now),
                        "job {j} of {duration} s received {} s",
                        self.executed[j]
                    );
                }
            }
            EventKind::Demote | EventKind::Promote => {
                assert!(matches!(self.life[j], Life::Waiting | Life::Running { .. }));
                let sinks = event.kind == EventKind::Demote;
                assert_eq!(sinks, event.detail > self.level[j]);
                self.level[j] = event.detail;
            }
        }
    }

    /// An attempt ends after as many seconds of execution as recorded, with so many lost, however often
    /// it was interrupted.
    fn fail(&mut self, j: usize, segment: usize, lost: f64) {
        let ended = self.log.segment(segment);
        let stop = self.log.stop_of(segment as u32, ended.end);
        let stop = stop.expect("it is told why");
        self.stops += 1;
        assert_eq!(
            (stop.time, stop.segment, stop.cause),
            (ended.end, segment as u32, StopCause::Retried)
        );
        let duration = self.scene.workload.jobs[j].work.seconds();
        let now = ended.end.0;
        // A checkpoint at its very end may be one more or less by rounding.
        let (cycle, part) = self.scene.checkpoints();
        let off = (stop.lost - lost).abs();
        assert!(nearly(off + now, now) || nearly(off + now, cycle * part + now));
        let (failed, begun, in_vain) = self.attempts[j];
        let recorded = self.scene.workload.recorded.attempts[&JobId(j as u32)][failed];
        let attempt = self.executed[j] + lost - begun;
        assert!(
            nearly(attempt + duration + now, recorded + duration + now),
            "job {j} failed after {attempt} s, not {recorded} s"
        );
        // What the engine says was kept is what the next attempt goes on from.
        self.executed[j] += lost - stop.lost;
        self.attempts[j] = (failed + 1, self.executed[j], in_vain + stop.lost);
    }

    /// A job loses what it has done since `saved`, so many seconds if it is plain: what it executed
    /// and what it lost are all that its GPUs did.
    fn evict(&mut self, j: usize, segment: usize, lost: f64, saved: f64) {
        let eviction = self.log.eviction(self.evictions);
        self.evictions += 1;
        let ended = self.log.segment(segment);
        assert_eq!(
            (eviction.time, eviction.segment as usize),
            (ended.end, segment)
        );
        assert!(ended.gpus.iter().any(|part| part.node == eviction.node));
        let fails = |of: &Absence| {
            (of.node, of.state, of.from) == (eviction.node, NodeState::Down, eviction.time)
        };
        assert!(self.absences.iter().any(fails), "no node fails");
        let duration = self.scene.workload.jobs[j].work.seconds();
        let Work::Adaptive { application, .. } = self.scene.workload.jobs[j].work else {
            assert!(nearly(eviction.lost + duration, lost + duration));
            return;
        };
        assert!(eviction.lost >= 0.0);
        // All of it is looked at, and only the beginning kept.
        let before = self.trained[j];
        self.train(j, segment, f64::INFINITY);
        let after = self.trained[j];
        self.trained[j] = before;
        if saved > ended.ready.0 {
            self.train(j, segment, saved);
        }
        let total = self.scene.workload.applications[application as usize].total_progress();
        let fell = (after.0 - self.trained[j].0) / total;
        // What epochs of whole seconds come to has a test of its own.
        assert!(
            self.scene.options.whole_second_epochs
                || (fell > 1e-6) == (eviction.lost > 1e-9 * duration)
                || fell < 1e-5,
            "{fell} {}",
            eviction.lost
        );
    }

    /// Whether a node takes nobody, after all that has happened by then.
    pub(crate) fn is_closed(&self, node: u32, now: f64) -> bool {
        let mut absences = self.absences.iter();
        absences.any(|of| of.node == node && of.from.0 <= now && now < of.to.0)
    }

    /// Free GPUs of the nodes that take jobs.
    pub(crate) fn open(&self, now: f64) -> u32 {
        let nodes = (0u32..).zip(&self.free);
        let open = nodes.filter(|(node, _)| !self.is_closed(*node, now));
        open.map(|(_, mask)| mask.count_ones()).sum()
    }

    /// Follows an adaptive job's progress through one of its segments, up to a time.
    fn train(&mut self, j: usize, segment: usize, until: f64) {
        let Work::Adaptive {
            application,
            scale,
            duration,
            ..
        } = self.scene.workload.jobs[j].work
        else {
            assert!(self.tunings[segment].is_empty());
            return;
        };
        let application = &self.scene.workload.applications[application as usize];
        let neighbours = self.neighbours(segment);
        let options = self.scene.options;
        let tunings = &self.tunings[segment];
        let (_, progressing) = self.scene.checkpoints();
        let segment = self.log.segment(segment);
        let placement: Vec<u32> = segment.gpus.iter().map(|part| part.count()).collect();
        assert_eq!(tunings[0].time, segment.start);
        let (mut progress, mut left) = self.trained[j];
        for (i, tuning) in tunings.iter().enumerate() {
            let end = tunings.get(i + 1).map_or(segment.end, |next| next.time).0;
            let end = end.min(until);
            if tuning.time.0 > until {
                break;
            }
            let mut at = tuning.time.max(segment.ready).0;
            let replicas: u32 = placement.iter().sum();
            assert!(tuning.batch().m >= 1 && tuning.batch().total(replicas) <= 512.0);
            let epochs = f64::from(application.epochs());
            let done = progress / application.total_progress();
            let time = tuning.time.seconds();
            assert!(
                options.whole_second_epochs
                    || nearly(
                        tuning.epochs / epochs * duration + time,
                        done * duration + time
                    )
            );
            while at < end {
                // What rounding leaves of an epoch does not matter.
                let epoch = application.epoch_at(progress * (1.0 + 1e-12));
                let disturbed = neighbours.iter().any(|&(from, to)| from <= at && at < to);
                let lost = if disturbed { options.interference } else { 0.0 };
                let speed = application.speed(&placement, tuning.batch(), epoch);
                let speed = speed * (1.0 - lost) * progressing / scale;
                let changes = neighbours.iter().flat_map(|&(from, to)| [from, to]);
                let until = changes.filter(|&change| change > at).fold(end, f64::min);
                let step = (application.progress_after(epoch + 1) - progress) / speed;
                if step > until - at {
                    progress += (until - at) * speed;
                    at = until;
                    continue;
                }
                progress = application.progress_after(epoch + 1);
                at += step;
                if epoch + 1 == application.epochs() {
                    left += end - at;
                    break;
                }
            }
        }
        self.trained[j] = (progress, left);
    }

    /// From when to when another adaptive job on several nodes is on a node of this segment, if it
    /// is one of such a job.
    fn neighbours(&self, segment: usize) -> Vec<(f64, f64)> {
        let own = self.log.segment(segment);
        let jobs = &self.scene.workload.jobs;
        let all = (0..self.log.segments()).map(|i| (i, self.log.segment(i)));
        let others = all.filter(|(i, other)| {
            let adapts = matches!(jobs[other.job.index()].work, Work::Adaptive { .. });
            let is_near = |part: &Gpus| own.gpus.iter().any(|own| own.node == part.node);
            let distributed = own.gpus.len() > 1 && other.gpus.len() > 1;
            *i != segment && adapts && distributed && other.gpus.iter().any(is_near)
        });
        others
            .map(|(_, other)| (other.start.0, other.end.0))
            .filter(|&(from, to)| from < own.end.0 && to > own.start.0 && from < to)
            .collect()
    }

    pub(crate) fn free(&self) -> u32 {
        self.free.iter().map(|mask| mask.count_ones()).sum()
    }

    fn jobs(&self, wanted: impl Fn(Life) -> bool) -> impl Iterator<Item = usize> {
        (0..self.life.len()).filter(move |&j| wanted(self.life[j]))
    }

    pub(crate) fn waiting(&self) -> impl Iterator<Item = usize> {
        self.jobs(|life| life == Life::Waiting)
    }

    pub(crate) fn running(&self) -> impl Iterator<Item = usize> {
        self.jobs(|life| matches!(life, Life::Running { .. }))
    }

    pub(crate) fn finished(&self) -> impl Iterator<Item = usize> {
        self.jobs(|life| life == Life::Finished)
    }
}

/// Two sums of the same moments and spans, added up in different orders.
pub(crate) fn nearly(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}
