//! The authors' simulator (SOSP'23, artifact `sia-simulator/multi_simulator.py`): jobs of measured applications on
//! unlike GPUs, under Sia, Pollux or Gavel. In: a world, jobs, a scheduler. Out: when each job was done, its restarts, and
//! the figures of the paper's tables.
//!
//! It is not the engine, and keeps what is peculiar to that simulator:
//!
//! - Each round all jobs advance by the interval with what they had, then the scheduler is asked. So a job first runs
//!   a round after it came, and what a job leaves idles until the round ends.
//! - A restart takes as long as was measured of the application, also the first start. It is due when the type or the
//!   numbers of GPUs on the nodes change; other nodes of the same numbers cost nothing.
//! - Progress is divided by a factor per application that the authors calibrated, while the times that a model is
//!   fitted to are not.
//! - Epochs end at whole seconds.
//! - Sia believes shorter restarts than the world has. As released, it also weighs configurations with batches up to
//!   the trace's, while a job that runs goes up to the application's ([`LargestBatch`]).

#![forbid(unsafe_code)]

mod error;
mod figures;
pub mod gavel;
mod job;
mod pollux;
pub mod profiles;
mod run;
mod scheduler;
mod workload;
mod world;

pub use error::ReplayError;
pub use figures::Figures;
pub use run::{Outcome, Run};
pub use scheduler::{LargestBatch, Scheduler};
pub use workload::{Submission, WorkloadError};
pub use world::{PAPER_TYPES, World, WorldError};

use crate::gavel::{Asking, Gavel, Given};
use job::{Job, Training};
use pollux::Pollux;
use switchyard_sia::configurations::{Configuration, configurations};
use switchyard_sia::placing::{counts, place};
use switchyard_sia::program::{Effort, Program, solve};
use switchyard_sia::rows::Objective;

/// Rounds after which jobs that are left are taken to never end: a year of minutes.
const MOST_ROUNDS: u32 = 525_600;

/// Runs a workload to its end. `watch` is told after each round which share of the jobs is done.
///
/// # Errors
///
/// A [`ReplayError`] for applications without a profile, jobs too wide for the world, and work that does not end.
pub fn replay(
    world: &World,
    submissions: &[Submission],
    scheduler: &Scheduler,
    mut watch: impl FnMut(f64),
) -> Result<Run, ReplayError> {
    let interval = f64::from(scheduler.interval());
    let mut jobs = Vec::with_capacity(submissions.len());
    for submission in submissions {
        let how = match scheduler {
            Scheduler::Sia(..) => Training::Adaptive,
            Scheduler::Pollux(_) => Training::AdaptiveUnaware,
            Scheduler::Gavel => Training::AsInTrace,
        };
        jobs.push(Job::new(world, submission, how)?);
    }
    let mut decider = Decider::new(world, scheduler, submissions)?;
    let mut run = Run::default();
    let mut now = 0.0;
    for rounds in 1.. {
        for job in &mut jobs {
            job.step(interval)?;
        }
        now += interval;
        let is_there = |job: &Job<'_>| job.submission.time <= now && job.completed.is_none();
        let active: Vec<usize> = (0..jobs.len()).filter(|&at| is_there(&jobs[at])).collect();
        run.contention.push(active.len() as u32);
        if !active.is_empty() {
            decider.round(world, now, &mut jobs, &active, &mut run.proven)?;
        }
        let left = jobs.iter().filter(|job| job.completed.is_none()).count();
        watch(1.0 - left as f64 / jobs.len().max(1) as f64);
        if left == 0 {
            break;
        }
        if rounds >= MOST_ROUNDS {
            let job = jobs.iter().find(|job| job.completed.is_none());
            return Err(ReplayError::Endless {
                rounds,
                left,
                job: job.map_or(String::new(), |job| job.submission.name.clone()),
            });
        }
    }
    run.outcomes = jobs.iter().filter_map(Job::outcome).collect();
    Ok(run)
}

/// A scheduler and what it remembers.
enum Decider {
    Sia {
        columns: Vec<Configuration>,
        objective: Objective,
        effort: Effort,
        largest: LargestBatch,
    },
    Pollux(Box<Pollux>),
    Gavel(Gavel),
}

impl Decider {
    fn new(
        world: &World,
        scheduler: &Scheduler,
        submissions: &[Submission],
    ) -> Result<Self, ReplayError> {
        match scheduler {
            Scheduler::Sia(objective, effort, largest) => Ok(Self::Sia {
                columns: configurations(world.types()),
                objective: *objective,
                effort: *effort,
                largest: *largest,
            }),
            Scheduler::Pollux(seed) => Ok(Self::Pollux(Box::new(Pollux::new(world, *seed)))),
            Scheduler::Gavel => {
                let most = world.types().iter().map(|of| of.gpus()).max().unwrap_or(0);
                if let Some(wide) = submissions.iter().find(|job| job.gpus > most) {
                    return Err(ReplayError::Wide {
                        job: wide.name.clone(),
                        gpus: wide.gpus,
                        most,
                    });
                }
                let interval = f64::from(scheduler.interval());
                Ok(Self::Gavel(Gavel::new(world.types(), interval)))
            }
        }
    }

    fn round(
        &mut self,
        world: &World,
        now: f64,
        jobs: &mut [Job<'_>],
        active: &[usize],
        proven: &mut [u32; 2],
    ) -> Result<(), ReplayError> {
        match self {
            Self::Pollux(pollux) => pollux
                .round(world, now, jobs, active)
                .map_err(|error| ReplayError::Search { at: now, error })?,
            Self::Gavel(gavel) => {
                let asking = |&at: &usize| Asking {
                    id: at,
                    gpus: jobs[at].submission.gpus,
                    throughputs: jobs[at].throughputs(world),
                };
                let asking: Vec<Asking> = active.iter().map(asking).collect();
                let given = gavel.round(&asking);
                for &at in active {
                    let on = given.get(&at).map(|Given { kind, gpus }| {
                        let per_node = world.types()[*kind].gpus_per_node;
                        let nodes: Vec<u32> = gpus.iter().map(|gpu| gpu / per_node).collect();
                        (*kind, nodes)
                    });
                    jobs[at].give(world, on.map(|(kind, nodes)| (kind, counts(&nodes))), None);
                }
            }
            Self::Sia {
                columns,
                objective,
                effort,
                largest,
            } => {
                let mut program = Program {
                    columns: columns.clone(),
                    gpus: world.types().iter().map(|of| of.gpus()).collect(),
                    costs: Vec::with_capacity(active.len()),
                    kept: Vec::with_capacity(active.len()),
                    former: Vec::with_capacity(active.len()),
                };
                for &at in active {
                    let job = &mut jobs[at];
                    let factor = job.restart_factor(now);
                    let column = job.column;
                    let goodputs = job.goodputs(world, columns, *largest);
                    program
                        .costs
                        .push(objective.costs(goodputs, column, factor));
                    program.kept.push(column.filter(|_| job.is_restarting()));
                    program.former.push(column);
                }
                let zero = libm::rint(objective.without.abs() * 100.0) as i64;
                let effort = Effort {
                    zero: zero * active.len() as i64,
                    ..*effort
                };
                let solution = solve(&program, &effort);
                let solution = solution.map_err(|error| ReplayError::Round { at: now, error })?;
                let gap = (solution.cost - solution.bound) as f64;
                let allowed = (effort.zero + solution.cost) as f64 * effort.gap;
                proven[0] += u32::from(gap <= allowed);
                proven[1] += 1;
                for (kind, of) in world.types().iter().enumerate() {
                    let on: Vec<(usize, usize)> = active
                        .iter()
                        .zip(&solution.chosen)
                        .filter_map(|(&at, &column)| Some((at, column?)))
                        .filter(|&(_, column)| columns[column].kind == kind)
                        .collect();
                    let asked: Vec<u32> =
                        on.iter().map(|&(_, column)| columns[column].gpus).collect();
                    let placed = place(&asked, of.nodes, of.gpus_per_node);
                    for ((at, column), nodes) in on.into_iter().zip(placed) {
                        jobs[at].give(world, Some((kind, counts(&nodes))), Some(column));
                    }
                }
                for (&at, column) in active.iter().zip(&solution.chosen) {
                    if column.is_none() {
                        jobs[at].give(world, None, None);
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
