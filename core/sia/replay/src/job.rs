//! A job of the simulated world: what it holds, how far it is, and what its agent has seen.

use super::error::ReplayError;
use super::run::Outcome;
use super::scheduler::LargestBatch;
use super::workload::Submission;
use super::world::{Application, World};
use std::collections::BTreeSet;
use switchyard_model::application::{StepTimes, packed};
use switchyard_model::goodput::{
    GradientStats, Limits, LocalBatch, Observation, ThroughputParams, fit,
};
use switchyard_sia::batch;
use switchyard_sia::configurations::Configuration;
use switchyard_sia::rows::{self, OnType};

/// What a job's agent has seen on one type.
#[derive(Clone, Default)]
struct Seen {
    /// Nodes, replicas and samples per GPU of the observations.
    keys: BTreeSet<[u32; 3]>,
    observations: Vec<Observation>,
    model: Option<ThroughputParams>,
}

/// How a job trains.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Training {
    /// With the trace's batch.
    AsInTrace,
    /// With batches by a model of each type.
    Adaptive,
    /// With batches by one model of all types together.
    AdaptiveUnaware,
}

pub(super) struct Job<'w> {
    pub(super) submission: &'w Submission,
    of: &'w Application,
    how: Training,
    /// Its clock, s.
    clock: f64,
    pub(super) completed: Option<f64>,
    epoch: u32,
    progress: f64,
    /// The type it runs on and its GPUs per node; none while it waits.
    on: Option<(usize, Vec<u32>)>,
    /// The column it has, under Sia.
    pub(super) column: Option<usize>,
    batch: LocalBatch,
    /// Seconds of its restart that are left.
    restarting: f64,
    /// `None` until it first starts.
    restarts: Option<u32>,
    gpu_seconds: f64,
    stats: Option<GradientStats>,
    seen: Vec<Seen>,
    /// Its row, while nothing that it depends on changes.
    row: Option<Vec<f32>>,
    /// Times of the batch it has on the placement it has.
    times: Option<(LocalBatch, StepTimes)>,
    /// Its throughput on each type with the trace's GPUs and batch.
    throughputs: Vec<f64>,
}

impl<'w> Job<'w> {
    pub(super) fn new(
        world: &'w World,
        submission: &'w Submission,
        how: Training,
    ) -> Result<Self, ReplayError> {
        let of = world.application(&submission.application);
        let of = of.ok_or_else(|| ReplayError::Application {
            job: submission.name.clone(),
            application: submission.application.clone(),
        })?;
        Ok(Self {
            submission,
            of,
            how,
            clock: 0.0,
            completed: None,
            epoch: 0,
            progress: 0.0,
            on: None,
            column: None,
            batch: LocalBatch::default(),
            restarting: 0.0,
            restarts: None,
            gpu_seconds: 0.0,
            stats: None,
            seen: vec![Seen::default(); world.types().len()],
            row: None,
            times: None,
            throughputs: Vec::new(),
        })
    }

    pub(super) fn outcome(&self) -> Option<Outcome> {
        Some(Outcome {
            name: self.submission.name.clone(),
            application: self.submission.application.clone(),
            submitted: self.submission.time,
            completed: self.completed?,
            restarts: self.restarts.unwrap_or(0),
            gpu_seconds: self.gpu_seconds,
        })
    }

    /// Where it keeps what it sees on a type.
    fn seen_of(&self, kind: usize) -> usize {
        match self.how {
            Training::AdaptiveUnaware => 0,
            _ => kind,
        }
    }

    /// `None` before its first start, which is not counted.
    pub(super) fn restarts(&self) -> Option<u32> {
        self.restarts
    }

    pub(super) fn gpu_seconds(&self) -> f64 {
        self.gpu_seconds
    }

    /// Whether there is a model of all types together.
    pub(super) fn is_profiled(&self) -> bool {
        self.stats.is_some() && self.seen[0].model.is_some()
    }

    /// How far it may explore, where types are not told apart: by the first type's batches.
    pub(super) fn explored_replicas(&self) -> u32 {
        let most = self.seen[0].keys.iter().map(|key| key[1]).max();
        self.of.on[0].limits.explored_replicas(most.unwrap_or(0))
    }

    /// Goodput where types are not told apart; 0 before there is a model.
    pub(super) fn goodput(&self, nodes: u32, replicas: u32) -> f64 {
        let known = self.stats.zip(self.seen[0].model);
        known.map_or(0.0, |(stats, model)| {
            batch::best(&model, &stats, &self.of.on[0].limits, nodes, replicas).goodput
        })
    }

    pub(super) fn is_restarting(&self) -> bool {
        self.restarting > 0.0
    }

    /// Sia's ρ.
    pub(super) fn restart_factor(&self, now: f64) -> f64 {
        let age = now - self.submission.time;
        rows::restart_factor(age, self.restarts.unwrap_or(0), self.of.believed_restart)
    }

    /// What each column is worth to it, with batches up to that `largest`.
    pub(super) fn goodputs(
        &mut self,
        world: &World,
        columns: &[Configuration],
        largest: LargestBatch,
    ) -> &[f32] {
        let row = self.row.take().unwrap_or_else(|| {
            let mut job = Vec::with_capacity(self.seen.len());
            let mut most_replicas = 1;
            for (kind, (seen, profile)) in self.seen.iter().zip(&self.of.on).enumerate() {
                let limits = profile.limits;
                let profiled = seen.keys.iter().map(|key| key[1]).max().unwrap_or(0);
                most_replicas = most_replicas.max(limits.explored_replicas(profiled));
                job.push(OnType {
                    model: seen.model,
                    limits: Limits {
                        max_batch: match largest {
                            LargestBatch::Application => limits.max_batch,
                            LargestBatch::Trace => self.submission.batch.max(limits.m0),
                        },
                        max_local: self.of.believed_samples[kind],
                        ..limits
                    },
                    one_gpu: profile.one_gpu,
                });
            }
            rows::goodputs(
                world.types(),
                columns,
                &job,
                self.stats.as_ref(),
                most_replicas,
            )
            .worth
        });
        self.row.insert(row)
    }

    /// Iterations per second of the trace's GPUs and batch on each type, packed; little where the type has too few
    /// GPUs.
    pub(super) fn throughputs(&mut self, world: &World) -> Vec<f64> {
        if self.throughputs.is_empty() {
            let gpus = self.submission.gpus;
            let on = world.types().iter().zip(&self.of.on).map(|(of, profile)| {
                if gpus > of.gpus() {
                    return 0.1;
                }
                let placement = packed(gpus, of.gpus_per_node);
                let limits = Limits {
                    max_local: profile.most_samples(&placement),
                    ..profile.limits
                };
                let batch = limits.split(self.submission.batch, gpus);
                self.of.calibration / profile.step_times(&placement, batch.m).iteration(batch.s)
            });
            self.throughputs = on.collect();
        }
        self.throughputs.clone()
    }

    /// Gives it GPUs of a type, by node, or takes them.
    pub(super) fn give(
        &mut self,
        world: &World,
        on: Option<(usize, Vec<u32>)>,
        column: Option<usize>,
    ) {
        let on = on.map(|(kind, placement)| {
            let most = world.most_nodes(kind);
            (kind, even_out(placement, most))
        });
        self.column = column;
        if self.on == on {
            return;
        }
        self.on = on;
        self.times = None;
        if self.on.is_none() {
            self.batch = LocalBatch::default();
            return;
        }
        self.retune();
        self.restarting = self.of.restart;
        self.restarts = Some(self.restarts.map_or(0, |restarts| restarts + 1));
    }

    /// Chooses the batch for the GPUs it has.
    fn retune(&mut self) {
        let Some((kind, placement)) = &self.on else {
            return;
        };
        let profile = &self.of.on[*kind];
        let limits = Limits {
            max_local: profile.most_samples(placement),
            ..profile.limits
        };
        let (nodes, replicas) = (placement.len() as u32, placement.iter().sum::<u32>());
        let known = self.stats.zip(self.seen[self.seen_of(*kind)].model);
        let batch = match known {
            Some((stats, model)) if self.how != Training::AsInTrace => {
                batch::best(&model, &stats, &limits, nodes, replicas).batch
            }
            _ => {
                let total = match self.how {
                    Training::AsInTrace => self.submission.batch,
                    _ => limits.m0.max(limits.min_local.saturating_mul(replicas)),
                };
                limits.split(total, replicas)
            }
        };
        let most = profile.most_samples_of(replicas).unwrap_or(batch.m);
        let batch = LocalBatch::new(batch.m.min(most), batch.s);
        self.batch = limits.cut(batch, replicas);
    }

    /// Advances it by some seconds.
    pub(super) fn step(&mut self, seconds: f64) -> Result<(), ReplayError> {
        if self.completed.is_some() {
            return Ok(());
        }
        let Some((kind, placement)) = self.on.clone() else {
            self.clock += seconds;
            return Ok(());
        };
        let gpus = f64::from(placement.iter().sum::<u32>());
        let delay = if self.restarting < seconds {
            self.restarting
        } else {
            seconds
        };
        self.clock += delay;
        // It holds them to the round's end, even if it is done before.
        self.gpu_seconds += seconds * gpus;
        self.restarting -= delay;
        let mut left = seconds - delay;
        let application = self.of.on[kind].application();
        while left > 0.0 && self.completed.is_none() {
            let speed = self.look(kind, &placement)?;
            let next = application.progress_after(self.epoch + 1);
            if self.progress + speed * left < next {
                self.progress += speed * left;
                self.clock += left;
                left = 0.0;
            } else {
                let whole = libm::rint((next - self.progress) / speed);
                let delta = if whole < left { whole } else { left };
                self.epoch += 1;
                self.progress = next;
                self.clock += delta;
                left -= delta;
                if self.epoch >= application.epochs() {
                    self.completed = Some(self.clock);
                }
            }
            self.retune();
        }
        self.clock += left;
        Ok(())
    }

    /// Its true progress per second; meanwhile its agent sees what goes on.
    fn look(&mut self, kind: usize, placement: &[u32]) -> Result<f64, ReplayError> {
        let profile = &self.of.on[kind];
        let (nodes, replicas) = (placement.len() as u32, placement.iter().sum());
        let total = self.batch.total(replicas);
        let stats = profile.application().stats(total, self.epoch);
        let times = match self.times {
            Some((batch, times)) if batch == self.batch => times,
            _ => profile.step_times(placement, self.batch.m),
        };
        self.times = Some((self.batch, times));
        if self.stats != Some(stats) {
            self.stats = Some(stats);
            self.row = None;
        }
        let at = self.seen_of(kind);
        let seen = &mut self.seen[at];
        if seen.keys.insert([nodes, replicas, self.batch.m]) {
            seen.observations.push(Observation {
                nodes,
                replicas,
                m: self.batch.m,
                step: times.step,
                sync: times.sync,
            });
            let fitted = fit(&seen.observations).map_err(|error| ReplayError::Fit {
                job: self.submission.name.clone(),
                error,
            })?;
            seen.model = Some(fitted.params);
            self.row = None;
        }
        let gain = stats.gain(profile.limits.scale(total));
        Ok(gain / times.iteration(self.batch.s) * self.of.calibration)
    }
}

/// A placement on no more nodes than were measured: beyond them, as even as can be.
fn even_out(placement: Vec<u32>, most_nodes: u32) -> Vec<u32> {
    if placement.len() as u32 <= most_nodes {
        return placement;
    }
    let mut left: u32 = placement.iter().sum();
    let each = left.div_ceil(most_nodes.max(1)).max(1);
    let mut even = Vec::new();
    while left > 0 {
        let some = each.min(left);
        even.push(some);
        left -= some;
    }
    even
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_nodes_than_were_measured() {
        assert_eq!(even_out(vec![2, 1], 2), [2, 1]);
        assert_eq!(even_out(vec![3, 3, 1], 2), [4, 3]);
    }
}
