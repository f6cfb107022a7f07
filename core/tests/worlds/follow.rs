//! Follows a run from outside, event by event: who holds what is told by the log, how fast each job is
//! by what the run says slows it. What comes of both is how far jobs must have come.

use crate::nodes::Taken;
use crate::scenes::World;
use switchyard::engine::{EventKind, RunError, RunLog, Simulation, StopCause};
use switchyard::goodput::LocalBatch;
use switchyard::job::{Job, JobId, Work};
use switchyard::order;
use switchyard::policies::PolicySpec;
use switchyard::workload::Application;

/// Where a job is in its life.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Life {
    Absent,
    Waiting,
    Running,
    Finished,
    Rejected,
}

/// One job as it is seen.
struct Seen {
    life: Life,
    /// Seconds at the requested GPUs; of one that trains, iterations at M0.
    done: f64,
    starts: u32,
    stay: Stay,
}

/// Its present or last one on GPUs.
#[derive(Clone, Debug, Default)]
struct Stay {
    segment: usize,
    /// GPUs by node.
    placement: Vec<u32>,
    ready: f64,
    batch: LocalBatch,
    /// The part of its full speed that it has.
    factor: f64,
    /// From when on it went on how, having done so much.
    stretches: Vec<(f64, f64, f64, LocalBatch)>,
}

pub(crate) struct Follower<'a> {
    world: &'a World,
    policy: &'a PolicySpec,
    run: Simulation,
    now: f64,
    jobs: Vec<Seen>,
    taken: Taken<'a>,
    events: usize,
    tunings: usize,
    evictions: usize,
}

impl<'a> Follower<'a> {
    pub(crate) fn new(world: &'a World, policy: &'a PolicySpec) -> Self {
        let seen = |_: &Job| Seen {
            life: Life::Absent,
            done: 0.0,
            starts: 0,
            stay: Stay::default(),
        };
        Self {
            world,
            policy,
            run: world.start(policy),
            now: 0.0,
            jobs: world.workload.jobs.iter().map(seen).collect(),
            taken: Taken::nothing(world),
            events: 0,
            tunings: 0,
            evictions: 0,
        }
    }

    /// Follows it to its end; its log.
    pub(crate) fn follow(mut self) -> Result<RunLog, RunError> {
        while self.run.step()? {
            let now = self.run.progress().now.seconds();
            self.advance(now);
            self.hear();
            self.look();
        }
        for (j, (seen, job)) in self.jobs.iter().zip(&self.world.workload.jobs).enumerate() {
            let fits = job.gpus <= self.world.largest(job);
            if fits && self.world.bounds_servers(job) {
                // Whether there is room for its servers beside it is not asked here.
                assert!(matches!(seen.life, Life::Finished | Life::Rejected));
                continue;
            }
            let expected = if fits { Life::Finished } else { Life::Rejected };
            assert_eq!(seen.life, expected, "{}: job {j}", self.policy);
        }
        assert_eq!(self.evictions, self.run.log().evictions());
        Ok(self.run.into_log())
    }

    fn job(&self, j: usize) -> &'a Job {
        &self.world.workload.jobs[j]
    }

    /// Everybody goes on until now, as fast as it was.
    fn advance(&mut self, now: f64) {
        for j in 0..self.jobs.len() {
            let stay = &self.jobs[j].stay;
            let from = self.now.max(stay.ready);
            if self.jobs[j].life != Life::Running || from >= now {
                continue;
            }
            let stretch = (from, self.jobs[j].done, stay.factor, stay.batch);
            let done = self.after(j, stretch, now);
            let seen = &mut self.jobs[j];
            seen.done = done;
            seen.stay.stretches.push(stretch);
        }
        self.now = now;
    }

    /// How far a job comes that goes on so until then.
    fn after(&self, j: usize, stretch: (f64, f64, f64, LocalBatch), until: f64) -> f64 {
        let (from, mut done, factor, batch) = stretch;
        let Work::Adaptive {
            application, scale, ..
        } = self.job(j).work
        else {
            return done + (until - from) * factor;
        };
        let application = &self.world.workload.applications[application as usize];
        let placement = &self.jobs[j].stay.placement;
        let there = self.slowest(j, application, batch);
        let application = there.as_ref().unwrap_or(application);
        let mut left = until - from;
        loop {
            // What rounding leaves of an epoch does not matter.
            let epoch = application.epoch_at(done * (1.0 + 1e-12));
            let speed = application.speed(placement, batch, epoch) * factor / scale;
            let seconds = (application.progress_after(epoch + 1) - done) / speed;
            if seconds > left || epoch + 1 == application.epochs() {
                return done + left * speed;
            }
            done = application.progress_after(epoch + 1);
            left -= seconds;
        }
    }

    /// What a job trains as it is on the slowest type that it is on, where that was measured.
    fn slowest(
        &self,
        j: usize,
        application: &Application,
        batch: LocalBatch,
    ) -> Option<Application> {
        let stay = &self.jobs[j].stay;
        let gpus = self.run.log().segment(stay.segment).gpus;
        let on = self
            .world
            .measured_on(application, gpus.iter().map(|part| part.node))?;
        let step = |of: &Application| of.step_times(&stay.placement, batch.m).step;
        on.into_iter()
            .max_by(|a, b| order::by_value(&step(a), &step(b)))
    }

    /// What a job that is done has done.
    fn goal(&self, j: usize) -> f64 {
        match self.job(j).work {
            Work::Fixed { duration } => duration,
            Work::Adaptive { application, .. } => {
                self.world.workload.applications[application as usize].total_progress()
            }
        }
    }

    /// Takes note of what the log has told since.
    fn hear(&mut self) {
        for i in self.events..self.run.log().events() {
            let event = self.run.log().event(i);
            assert_eq!(event.time.seconds(), self.now);
            let j = event.job.index();
            let (life, starts) = (self.jobs[j].life, self.jobs[j].starts);
            match event.kind {
                EventKind::Submit | EventKind::Reject => {
                    assert_eq!((life, event.time), (Life::Absent, self.job(j).submit));
                    self.jobs[j].life = match event.kind {
                        EventKind::Reject => Life::Rejected,
                        _ => Life::Waiting,
                    };
                }
                EventKind::Start | EventKind::Restart => {
                    assert_eq!(life, Life::Waiting);
                    assert_eq!(event.kind == EventKind::Start, starts == 0);
                    self.starts(j, event.detail as usize);
                }
                EventKind::Pause | EventKind::Evict | EventKind::Finish => {
                    assert_eq!(life, Life::Running);
                    assert_eq!(self.jobs[j].stay.segment, event.detail as usize);
                    self.ends(j, event.kind);
                }
                EventKind::Fail => panic!("no world replays failures of jobs"),
                EventKind::Demote | EventKind::Promote => {}
            }
        }
        self.events = self.run.log().events();
        for i in self.tunings..self.run.log().tunings() {
            let tuning = self.run.log().tuning(i);
            let job = self.run.log().segment(tuning.segment as usize).job;
            self.jobs[job.index()].stay.batch = tuning.batch();
        }
        self.tunings = self.run.log().tunings();
    }

    /// A gang starts, all of it or nothing, where it may.
    fn starts(&mut self, j: usize, i: usize) {
        let (world, job) = (self.world, self.job(j));
        let segment = self.run.log().segment(i);
        assert_eq!(
            (segment.job.index(), segment.start.seconds()),
            (j, self.now)
        );
        let nodes = || segment.gpus.iter().map(|part| part.node);
        assert!(
            nodes().all(|node| world.allows(job, node)),
            "{}",
            self.policy
        );
        let trains = matches!(job.work, Work::Adaptive { .. });
        if !(trains && self.policy.adapts_jobs() && world.servers(job) == 0) {
            assert_eq!(segment.gpu_count(), job.gpus, "a gang in part");
            let first = segment.gpus[0].node;
            let one = nodes().all(|node| world.pool(node) == world.pool(first));
            assert!(one, "{}: types mixed", self.policy);
        }
        let share = job.demand.share.map(|share| u32::from(share.get()));
        let model = job.model.map(|model| model as usize);
        let model = model.map(|model| world.workload.models[model].as_str());
        // Such a job may have another beside it.
        let half = (self.policy.interleaves() && model == Some("vgg16")).then_some(500);
        assert!(segment.share.is_none() || [share, half].contains(&segment.share));
        let servers: Vec<(u32, u32)> = self.run.log().servers(i).collect();
        let count: u32 = servers.iter().map(|of| of.1).sum();
        assert_eq!(count, world.servers(job), "a gang in part");
        self.taken.take(job, &segment, &servers);
        let seen = &mut self.jobs[j];
        seen.life = Life::Running;
        seen.starts += 1;
        seen.stay = Stay {
            segment: i,
            placement: segment.gpus.iter().map(|part| part.count()).collect(),
            ready: segment.ready.seconds(),
            ..Stay::default()
        };
    }

    fn ends(&mut self, j: usize, kind: EventKind) {
        let job = self.job(j);
        let segment = self.run.log().segment(self.jobs[j].stay.segment);
        assert_eq!(segment.end.seconds(), self.now);
        let servers = self.run.log().servers(self.jobs[j].stay.segment);
        let servers: Vec<(u32, u32)> = servers.collect();
        self.taken.give(job, &segment, &servers);
        self.jobs[j].life = Life::Waiting;
        let (goal, done) = (self.goal(j), self.jobs[j].done);
        let seconds = job.work.seconds() / goal;
        if kind == EventKind::Finish {
            self.jobs[j].life = Life::Finished;
            let log = self.run.log();
            let mut stops = (0..log.stops()).map(|at| log.stop(at));
            let segment = self.jobs[j].stay.segment;
            let is_timed_out = stops
                .any(|stop| stop.segment as usize == segment && stop.cause == StopCause::TimedOut);
            assert!(
                is_timed_out || nearly((goal - done) * seconds + self.now, self.now),
                "{}: job {j} of {goal} has done {done} at {} s",
                self.policy,
                self.now
            );
        }
        assert!(done <= goal * (1.0 + 1e-9) + 1e-6 / seconds);
        if kind != EventKind::Evict {
            return;
        }
        let eviction = self.run.log().eviction(self.evictions);
        self.evictions += 1;
        assert_eq!(eviction.segment as usize, self.jobs[j].stay.segment);
        let mut nodes = segment.gpus.iter().map(|part| part.node);
        let is_there = nodes.any(|node| node == eviction.node);
        assert!(is_there || servers.iter().any(|of| of.0 == eviction.node));
        let saved = self.saved(j);
        self.jobs[j].done = saved;
        match job.work {
            Work::Fixed { .. } => assert!(nearly(eviction.lost + done, done - saved + done)),
            Work::Adaptive { .. } => {
                assert!((done - saved > 1e-6 * goal) <= (eviction.lost > 0.0));
            }
        }
    }

    /// How far a job had come when it last saved its work.
    fn saved(&self, j: usize) -> f64 {
        let (options, stay) = (&self.world.options, &self.jobs[j].stay);
        let Some(&first) = stay.stretches.first() else {
            return self.jobs[j].done;
        };
        if options.checkpoint_interval == 0.0 {
            return first.1;
        }
        let cycle = options.checkpoint_interval + options.checkpoint_cost;
        let at = stay.ready + ((self.now - stay.ready) / cycle).floor().max(0.0) * cycle;
        let before = stay.stretches.iter().rfind(|stretch| stretch.0 < at);
        before.map_or(first.1, |&stretch| self.after(j, stretch, at.min(self.now)))
    }

    /// Asks how fast everybody is.
    fn look(&mut self) {
        for (j, seen) in self.jobs.iter_mut().enumerate() {
            if seen.life != Life::Running {
                continue;
            }
            let slow = self
                .run
                .explain(JobId(j as u32), self.run.progress().now)
                .slow;
            let mut factor = 1.0;
            for cause in &slow {
                assert!(cause.factor > 0.0 && cause.factor < 1.0, "{cause:?}");
                let own = |(other, _): &(JobId, f64)| other.index() == j;
                assert!(!cause.by.iter().any(own));
                factor *= cause.factor;
            }
            let job = &self.world.workload.jobs[j];
            let model = job
                .model
                .map(|model| &*self.world.workload.models[model as usize]);
            let is_plain = model.is_some_and(|model| !model.contains("batch size"));
            if is_plain && !self.world.bounds_servers(job) {
                let gpus = self.run.log().segment(seen.stay.segment).gpus;
                let nodes = gpus.iter().map(|part| part.node);
                let trains = match job.work {
                    Work::Adaptive { application, .. } => {
                        Some(&*self.world.workload.applications[application as usize])
                    }
                    Work::Fixed { .. } => None,
                };
                let measured = trains.and_then(|of| self.world.measured_on(of, std::iter::empty()));
                let most = measured.map_or_else(|| self.world.relative_speed(job, nodes), |_| 1.0);
                assert!(factor <= most * (1.0 + 1e-12), "{factor} above {most}");
            }
            seen.stay.factor = factor;
        }
    }
}

/// Two sums of the same moments and spans, added up in different orders.
fn nearly(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-8 * (1.0 + a.abs().max(b.abs()))
}
