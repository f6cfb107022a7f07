//! The world of the authors' simulator: time, progress, and the loop over events that all schedulers share.
//!
//! An event is the earlier of the next arrival and the earliest foretold end. Within it ends come first, then arrivals,
//! then every running job makes progress, and then the scheduler decides anew who runs. Progress between two events is
//! short of the overhead of a start, also for jobs that ran on; ends are foretold without that overhead and then taken
//! as true. So only a job's last stretch is free of it.

use super::job::{Job, Outcome, Replay};
use crate::cycle::is_near;
use crate::gangs::Cluster;
use thiserror::Error;

/// How near two foretold ends must be, as a share of the later one, to be one event.
const SAME: f64 = 1e-9;

/// How near an end and an arrival must be, seconds, to be one event where that is asked for.
const TOGETHER: f64 = 1e-4;

/// How often a scheduler may wake for each job.
const ALARMS: u64 = 10_000;

/// Why a trace cannot be replayed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReplayError {
    /// A gang that never fits.
    #[error(
        "job {job} needs {gpus} GPUs and the cluster has {cluster}; leave the job out, or give more nodes"
    )]
    TooLarge {
        /// The job's name.
        job: String,
        /// What it needs.
        gpus: u32,
        /// What there is.
        cluster: u32,
    },
    /// A gang that AntMan's simulator has no placement for.
    #[error(
        "job {job} needs {gpus} GPUs: AntMan's replay gives more than a node's only as whole nodes; leave it out"
    )]
    NotWhole {
        /// The job's name.
        job: String,
        /// What it needs.
        gpus: u32,
    },
    /// Nothing runs, and nothing comes.
    #[error(
        "at {seconds} s nothing runs and job {job} waits for ever: its gang does not fit; give more nodes"
    )]
    Stuck {
        /// The job's name.
        job: String,
        /// Since when, seconds.
        seconds: f64,
    },
    /// The scheduler wakes again and again.
    #[error("at {seconds} s the scheduler wakes without end; look for a job with next to no work")]
    Endless {
        /// When, seconds.
        seconds: f64,
    },
}

/// How it stands with a job. Times are seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// Iterations left.
    pub(super) remaining: f64,
    /// When progress was last counted.
    last: f64,
    /// How long it has run, overheads included.
    pub(super) executed: f64,
    /// How long an iteration takes as it runs now.
    pub(super) iteration_time: f64,
    /// What it loses at each event.
    pub(super) overhead: f64,
    /// Whether it has GPUs.
    pub(super) is_running: bool,
    /// When it ran first, once it has.
    start: Option<f64>,
}

/// All jobs, and who is there.
pub(super) struct World<'a> {
    pub(super) jobs: &'a [Job],
    pub(super) states: Vec<State>,
    /// Those that came and have not ended, as the scheduler sorted them.
    pub(super) line: Vec<usize>,
    pub(super) now: f64,
}

impl World<'_> {
    /// Sorts those that are there, least first. Equal ones stay as they were.
    pub(super) fn sort_by_key(&mut self, key: impl Fn(&Self, usize) -> f64) {
        let mut line = std::mem::take(&mut self.line);
        let keyed = line.drain(..).map(|job| (key(self, job), job));
        let mut keyed: Vec<(f64, usize)> = keyed.collect();
        keyed.sort_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        line.extend(keyed.into_iter().map(|(_, job)| job));
        self.line = line;
    }

    /// Sorts those that are there by the size of their gangs, largest first. Equal ones stay as they were.
    pub(super) fn largest_first(&mut self) {
        let jobs = self.jobs;
        self.line
            .sort_by_key(|&job| std::cmp::Reverse(jobs[job].gpus));
    }

    /// A job runs from now on, or goes on.
    pub(super) fn set_running(&mut self, job: usize, is_running: bool) {
        let state = &mut self.states[job];
        state.is_running = is_running;
        if is_running {
            state.start.get_or_insert(self.now);
        }
    }

    /// Everybody's progress up to now.
    fn progress(&mut self) {
        for &job in &self.line {
            let state = &mut self.states[job];
            if state.is_running {
                let worked = (self.now - state.last - state.overhead).max(0.0);
                state.remaining -= worked / state.iteration_time;
                state.executed = state.executed + self.now - state.last;
            }
            state.last = self.now;
        }
    }

    /// The earliest foretold end, and whose it is.
    fn next_end(&self, rule: Ends) -> Option<(f64, Vec<usize>)> {
        let mut ends: Vec<(f64, Vec<usize>)> = Vec::new();
        for &job in &self.line {
            let state = &self.states[job];
            if !state.is_running {
                continue;
            }
            let end = self.now + state.remaining * state.iteration_time;
            let same = ends.iter_mut().find(|(time, _)| match rule {
                Ends::Exact => *time == end,
                Ends::Near | Ends::NearAndTogether => is_near(*time, end, SAME),
            });
            match same {
                Some((_, jobs)) => jobs.push(job),
                None => ends.push((end, vec![job])),
            }
        }
        // Of equal times the first.
        let earlier = |best: (f64, Vec<usize>), other: (f64, Vec<usize>)| match other.0 < best.0 {
            true => other,
            false => best,
        };
        ends.into_iter().reduce(earlier)
    }
}

/// Which foretold ends are one event.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Ends {
    /// Those at the very same time.
    Exact,
    /// Those within a billionth of each other.
    Near,
    /// These, and an arrival within 1e-4 s or a billionth of them.
    NearAndTogether,
}

/// A scheduler in this world.
pub(super) trait Policy {
    /// Which ends are one event.
    fn ends(&self) -> Ends {
        Ends::Near
    }

    /// A job came: it is last in line.
    fn arrive(&mut self, _job: usize) {}

    /// A job ended: it is in line no more.
    fn end(&mut self, _job: usize) {}

    /// Decides who runs.
    fn plan(&mut self, world: &mut World) -> Result<(), ReplayError>;

    /// When it wants to be asked at the latest, seconds.
    fn alarm(&self) -> f64 {
        f64::INFINITY
    }
}

/// Arrivals, those at the same time together, in the order of time.
fn arrivals(jobs: &[Job]) -> Vec<(f64, Vec<usize>)> {
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    let by_time = |&a: &usize, &b: &usize| jobs[a].submit.partial_cmp(&jobs[b].submit);
    order.sort_by(|a, b| by_time(a, b).unwrap_or(std::cmp::Ordering::Equal));
    let mut arrivals: Vec<(f64, Vec<usize>)> = Vec::new();
    for job in order {
        let time = jobs[job].submit;
        match arrivals.last_mut() {
            Some((of, jobs)) if is_near(*of, time, SAME) => jobs.push(job),
            _ => arrivals.push((time, vec![job])),
        }
    }
    arrivals
}

/// Replays all jobs. `ended` hears how many have ended.
pub(super) fn live(
    jobs: &[Job],
    cluster: Cluster,
    policy: &mut dyn Policy,
    ended: &mut dyn FnMut(usize),
) -> Result<Replay, ReplayError> {
    if let Some(job) = jobs.iter().find(|job| job.gpus > cluster.gpus()) {
        return Err(ReplayError::TooLarge {
            job: job.id.clone(),
            gpus: job.gpus,
            cluster: cluster.gpus(),
        });
    }
    let states = jobs.iter().map(|job| State {
        remaining: job.iterations,
        last: job.submit,
        executed: 0.0,
        iteration_time: job.iteration_time,
        overhead: job.overhead,
        is_running: false,
        start: None,
    });
    let mut world = World {
        states: states.collect(),
        jobs,
        line: Vec::new(),
        now: 0.0,
    };
    let mut outcomes = Vec::with_capacity(jobs.len());
    let mut coming = arrivals(jobs).into_iter().peekable();
    let mut next_end: Option<(f64, Vec<usize>)> = None;
    let mut alarms = ALARMS.saturating_mul(jobs.len() as u64);
    while coming.peek().is_some() || !world.line.is_empty() {
        let start = coming.peek().map_or(f64::INFINITY, |(time, _)| *time);
        let end = next_end.as_ref().map_or(f64::INFINITY, |(time, _)| *time);
        if start.min(end) == f64::INFINITY {
            let job = world.line.first().map_or("", |&job| &jobs[job].id);
            return Err(ReplayError::Stuck {
                job: job.to_owned(),
                seconds: world.now,
            });
        }
        let is_one = match policy.ends() {
            // Where no more jobs come there is nothing to be near to.
            Ends::NearAndTogether if start.max(end) == f64::INFINITY => false,
            Ends::NearAndTogether => (start - end).abs() <= TOGETHER || is_near(start, end, SAME),
            Ends::Exact | Ends::Near => start == end,
        };
        let (now, is_start, is_end) = match is_one {
            true => (start, true, true),
            false => (start.min(end), start < end, end < start),
        };
        let is_alarm = policy.alarm() < now;
        world.now = now.min(policy.alarm());
        if is_alarm {
            alarms = alarms.saturating_sub(1);
            if alarms == 0 {
                return Err(ReplayError::Endless { seconds: now });
            }
        }
        if is_end && !is_alarm {
            for job in next_end.take().map_or(Vec::new(), |(_, jobs)| jobs) {
                world.line.retain(|&other| other != job);
                world.states[job].is_running = false;
                policy.end(job);
                outcomes.push(Outcome {
                    job,
                    start: world.states[job].start.unwrap_or(world.now),
                    end: world.now,
                    jct: world.now - jobs[job].submit,
                });
            }
            ended(outcomes.len());
        }
        if is_start && !is_alarm {
            for job in coming.next().map_or(Vec::new(), |(_, jobs)| jobs) {
                world.line.push(job);
                policy.arrive(job);
            }
        }
        world.progress();
        policy.plan(&mut world)?;
        next_end = world.next_end(policy.ends());
    }
    Ok(Replay { outcomes })
}
