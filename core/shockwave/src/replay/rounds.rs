//! The loop over rounds: leases end, batch sizes change, jobs come, the scheduler decides, leases begin.

use super::choice::{Memory, Scheduler};
use super::files::{Job, Throughputs};
use super::job::Live;
use super::lease::{self, Wish};
use super::outcome::{Done, Outcome, rounded};
use crate::allocations;
use crate::batches::Model;
use crate::shockwave::{Planner, Profile};
use std::cmp::Ordering;
use thiserror::Error;

/// Seconds of a round.
const ROUND: f64 = 120.0;

/// What a job that did not run in the round before loses of its lease, seconds.
const OVERHEAD: f64 = 20.0;

/// Only of leases that are longer than this.
const NEARLY_A_ROUND: f64 = ROUND - 5.0;

/// Shares are computed anew after so many seconds at the earliest.
const BETWEEN_SHARES: f64 = 1000.0;

/// The priority of a share that has had no time yet.
const UNSERVED: f64 = 1e9;

/// A longer job is a mistake: epochs, and seconds.
const MOST_EPOCHS: u64 = 1_000_000;
const LONGEST: f64 = 1e8;

/// Why jobs cannot be replayed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Failure {
    /// A gang does not fit.
    #[error("job {job} wants {wanted} GPUs, and there are {gpus}: name as many as it wants")]
    TooWide {
        /// The job, counted from 0.
        job: usize,
        /// GPUs of its gang.
        wanted: u32,
        /// GPUs of the cluster.
        gpus: u32,
    },
    /// A job's speed is not known.
    #[error(
        "the throughputs have no \"{} (batch size {batch})\" on {gpus} GPUs, which job {job} comes to: add it", model.name()
    )]
    Unmeasured {
        /// The job, counted from 0.
        job: usize,
        /// What it trains.
        model: Model,
        /// With which batch size.
        batch: u32,
        /// On how many GPUs.
        gpus: u32,
    },
    /// A job goes on for ever.
    #[error(
        "job {job} has more than {MOST_EPOCHS} epochs, or runs for over three years: look at its steps, the 6th column"
    )]
    TooLong {
        /// The job, counted from 0.
        job: usize,
    },
    /// No job.
    #[error("there are no jobs to replay")]
    Empty,
}

/// A job on its GPUs.
struct Lease {
    job: usize,
    steps: i64,
    finish: f64,
}

/// Replays jobs on so many GPUs. `progress` hears of how many jobs are done.
///
/// # Errors
/// A gang that does not fit, a job without an end, or a throughput that is missing.
pub fn replay(
    jobs: &[Job],
    throughputs: &Throughputs,
    gpus: u32,
    scheduler: Scheduler,
    mut progress: impl FnMut(usize),
) -> Result<Outcome, Failure> {
    let first = jobs.first().ok_or(Failure::Empty)?;
    let profiles: Vec<Profile> = (0..jobs.len())
        .map(|at| profile(at, &jobs[at], throughputs, gpus))
        .collect::<Result<_, _>>()?;
    let mut world = World {
        jobs,
        throughputs,
        profiles: &profiles,
        gpus,
        scheduler,
        memory: Memory::default(),
        planner: match scheduler {
            Scheduler::Shockwave(settings) => Some(Planner::of(settings, gpus)),
            _ => None,
        },
        now: first.arrival,
        come: 0,
        live: Vec::new(),
        done: vec![None; jobs.len()],
        is_stale: false,
        last_reset: 0.0,
        worker_time: 0.0,
        busy: vec![0.0; gpus as usize],
        lease_extensions: 0,
        schedule: Vec::new(),
    };
    let mut leases = Vec::new();
    loop {
        world.end(leases);
        world.come();
        if world.live.is_empty() {
            match jobs.get(world.come) {
                Some(next) => world.now = next.arrival,
                None => break,
            }
            world.come();
        }
        leases = world.begin();
        if leases.is_empty() {
            world.idle();
        }
        progress(world.come - world.live.len());
    }
    Ok(world.outcome(first.arrival))
}

/// Seconds that each job takes by its profile on a cluster of so many GPUs.
///
/// # Errors
/// As [`replay`] has them.
pub fn profiled(jobs: &[Job], throughputs: &Throughputs, gpus: u32) -> Result<Vec<f64>, Failure> {
    let seconds = |(at, job): (usize, &Job)| {
        let profile = profile(at, job, throughputs, gpus)?;
        Ok(profile.durations.iter().sum())
    };
    jobs.iter().enumerate().map(seconds).collect()
}

/// What is profiled of a job.
fn profile(at: usize, job: &Job, throughputs: &Throughputs, gpus: u32) -> Result<Profile, Failure> {
    let training = job.training;
    if training.gpus > gpus {
        return Err(Failure::TooWide {
            job: at,
            wanted: training.gpus,
            gpus,
        });
    }
    let epochs = training.epochs(job.steps);
    if epochs > MOST_EPOCHS {
        return Err(Failure::TooLong { job: at });
    }
    let batches = training.profile(epochs);
    let duration = |&batch: &u32| {
        let speed = throughputs.get(training.model, batch, training.gpus);
        let speed = speed.ok_or(Failure::Unmeasured {
            job: at,
            model: training.model,
            batch,
            gpus: training.gpus,
        })?;
        Ok(training.model.samples() as f64 / f64::from(batch) / speed)
    };
    let durations = batches
        .iter()
        .map(duration)
        .collect::<Result<Vec<_>, _>>()?;
    if durations.iter().sum::<f64>() > LONGEST {
        return Err(Failure::TooLong { job: at });
    }
    Ok(Profile {
        samples: training.model.samples() as f64,
        gang: training.gpus,
        batches,
        durations,
    })
}

struct World<'a> {
    jobs: &'a [Job],
    throughputs: &'a Throughputs,
    profiles: &'a [Profile],
    gpus: u32,
    scheduler: Scheduler,
    memory: Memory,
    planner: Option<Planner>,
    now: f64,
    /// How many jobs have come.
    come: usize,
    /// Those that are not done, in order of arrival.
    live: Vec<Live>,
    done: Vec<Option<Done>>,
    /// Whether jobs came or went since shares were computed.
    is_stale: bool,
    last_reset: f64,
    /// Seconds that all jobs ran since the last reset.
    worker_time: f64,
    busy: Vec<f64>,
    lease_extensions: usize,
    schedule: Vec<Vec<usize>>,
}

impl World<'_> {
    /// The round ends with its slowest job.
    fn end(&mut self, mut leases: Vec<Lease>) {
        let start = self.now;
        let Some(end) = leases.iter().map(|lease| lease.finish).reduce(f64::max) else {
            return;
        };
        self.now = end;
        leases.sort_by(|a, b| {
            let by_finish = b.finish.partial_cmp(&a.finish).unwrap_or(Ordering::Equal);
            by_finish.then(a.job.cmp(&b.job))
        });
        for lease in leases {
            self.end_lease(&lease, start);
        }
        for job in &mut self.live {
            job.look();
        }
        if let Some(planner) = &mut self.planner {
            for job in self.live.iter().filter(|job| !job.workers.is_empty()) {
                planner.progress(job.id, job.epochs_done());
            }
            planner.next_round();
        }
    }

    fn end_lease(&mut self, lease: &Lease, start: f64) {
        let Ok(at) = self.live.binary_search_by_key(&lease.job, |job| job.id) else {
            return;
        };
        let job = &mut self.live[at];
        let (mut seconds, mut steps) = (lease.finish - start, lease.steps);
        let is_first_round = self.schedule.len() == 1;
        if !is_first_round && !job.ran_before && seconds > NEARLY_A_ROUND {
            let rest = (seconds - OVERHEAD) / seconds;
            seconds -= OVERHEAD;
            steps = (steps as f64 * rest) as i64;
        }
        let (is_over, has_failed) = job.lease_ends(steps, seconds);
        match has_failed {
            true => self.is_stale = true,
            false => {
                self.worker_time += seconds;
                job.workers
                    .iter()
                    .for_each(|&gpu| self.busy[gpu] += seconds);
            }
        }
        if let Some(planner) = &mut self.planner {
            let speed = if seconds > 0.0 {
                steps as f64 / seconds
            } else {
                0.0
            };
            planner.measured(job.id, self.schedule.len(), speed * f64::from(job.batch));
        }
        job.change(self.throughputs);
        if is_over {
            let id = job.id;
            let share = (self.jobs.len() as f64 / f64::from(self.gpus)).max(1.0);
            let jct = lease.finish - job.arrival;
            self.done[id] = Some(Done {
                jct,
                rho: rounded(jct / (job.profiled * share)),
            });
            self.live.remove(at);
            self.is_stale = true;
            if let Some(planner) = &mut self.planner {
                planner.gone(id);
            }
        }
    }

    fn come(&mut self) {
        while let Some(job) = self
            .jobs
            .get(self.come)
            .filter(|job| job.arrival <= self.now)
        {
            let id = self.come;
            let training = job.training;
            let profile = &self.profiles[id];
            let profiled = profile.durations.iter().sum();
            let speed = self
                .throughputs
                .get(training.model, training.batch, training.gpus);
            // A profile has its first batch, and so a throughput of it.
            let speed = speed.unwrap_or(1.0);
            self.live
                .push(Live::of(id, job, speed, profiled, ROUND / 2.0));
            self.is_stale = true;
            if let Some(planner) = &mut self.planner {
                planner.come(id, profile, self.now);
            }
            self.come += 1;
        }
    }

    /// Nobody could begin, as all have come since shares were computed: it is the next one's arrival. Without one the
    /// original would not go on; here time passes until shares are computed anew.
    fn idle(&mut self) {
        self.now = match self.jobs.get(self.come) {
            Some(next) => next.arrival,
            None => self.now.max(self.last_reset + BETWEEN_SHARES),
        };
    }

    /// Leases of the next round.
    fn begin(&mut self) -> Vec<Lease> {
        let chosen = match &mut self.planner {
            Some(planner) => {
                let ids = planner.round();
                let at = |id: &usize| self.live.binary_search_by_key(id, |job| job.id).ok();
                ids.iter().filter_map(at).collect()
            }
            None => self.by_priority(),
        };
        let is_planned = self.planner.is_some();
        let wishes: Vec<Wish<'_>> = chosen
            .iter()
            .map(|&at| Wish {
                former: &self.live[at].workers,
                gpus: self.live[at].gpus(),
                may_move: is_planned || self.live[at].share.is_some(),
            })
            .collect();
        let given = lease::assign(&wishes, self.gpus as usize);
        let mut next = vec![Vec::new(); self.live.len()];
        for (&at, workers) in chosen.iter().zip(given) {
            next[at] = workers;
        }
        let mut leases = Vec::new();
        let mut ran = Vec::new();
        for (job, workers) in self.live.iter_mut().zip(next) {
            self.lease_extensions +=
                usize::from(!workers.is_empty() && is_same(&workers, &job.workers));
            job.ran_before = !job.workers.is_empty();
            job.workers = workers;
            if !job.workers.is_empty() {
                let steps = job.steps_within(ROUND);
                leases.push(Lease {
                    job: job.id,
                    steps,
                    finish: (self.now + steps as f64 / job.throughput).max(self.now),
                });
                ran.push(job.id);
            }
        }
        self.schedule.push(ran);
        leases
    }

    /// The jobs of the next round, by priority, as far as GPUs go; places among those that live.
    fn by_priority(&mut self) -> Vec<usize> {
        let is_due = self.now - self.last_reset >= BETWEEN_SHARES || self.last_reset == 0.0;
        if self.is_stale && is_due {
            self.reset();
        }
        let key = |job: &Live| {
            let share = job.share.unwrap_or(0.0);
            let fraction = match self.worker_time {
                0.0 => 0.0,
                all => job.time / all,
            };
            let priority = match fraction > 0.0 {
                _ if share == 0.0 => 0.0,
                true => share / fraction,
                false => share * UNSERVED,
            };
            [priority, job.deficit, share]
        };
        let keys: Vec<[f64; 3]> = self.live.iter().map(key).collect();
        let mut order: Vec<usize> = (0..self.live.len()).collect();
        order.sort_by(|&a, &b| keys[b].partial_cmp(&keys[a]).unwrap_or(Ordering::Equal));
        let mut left = self.gpus as usize;
        order.retain(|&at| {
            let gpus = self.live[at].gpus();
            let fits = gpus <= left;
            left -= if fits { gpus } else { 0 };
            fits
        });
        order
    }

    /// Deficits grow by what jobs were owed, and shares are computed anew.
    fn reset(&mut self) {
        let elapsed = self.now - self.last_reset;
        self.worker_time = 0.0;
        for job in &mut self.live {
            let owed = job.share.unwrap_or(0.0) * elapsed;
            job.deficit += owed - (job.time - ROUND / 2.0);
            job.time = ROUND / 2.0;
            self.worker_time += job.time;
        }
        self.last_reset = self.now;
        let jobs: Vec<allocations::Job> = self
            .live
            .iter()
            .map(|job| allocations::Job {
                id: job.id,
                gang: job.training.gpus,
                throughput: job.throughput,
                remaining: job.remaining() as f64,
                age: self.now - job.arrival,
            })
            .collect();
        let shares = self.memory.shares(self.scheduler, &jobs, self.gpus);
        for (job, share) in self.live.iter_mut().zip(shares) {
            job.share = Some(share);
        }
        self.is_stale = false;
    }

    fn outcome(self, begin: f64) -> Outcome {
        let span = self.now - begin;
        let used = self
            .busy
            .iter()
            .map(|busy| rounded(busy / span))
            .sum::<f64>();
        Outcome {
            jobs: self.done.into_iter().flatten().collect(),
            makespan: self.now,
            utilisation: used / f64::from(self.gpus),
            rounds: self.schedule.len(),
            lease_extensions: self.lease_extensions,
            schedule: self.schedule,
        }
    }
}

/// Whether two lists have the same GPUs.
fn is_same(a: &[usize], b: &[usize]) -> bool {
    a.len() == b.len() && a.iter().all(|gpu| b.contains(gpu))
}
