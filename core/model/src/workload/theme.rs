//! What challenges are hard by, as the jobs that make it so. In: a theme, how many jobs, for how many GPUs, and a seed.
//! Out: a [`Workload`] whose names and models tell no more than a scheduler sees.
//!
//! Most are drawn from distributions of our own. Neighbours are jobs of the [data centre](DataCentre), of which durations
//! and arrivals have the shape of Philly's (ATC'19) or Helios'; a real week has the statistics of
//! [Helios' Venus](HELIOS) (SC'21), since no real trace is part of the repository.

use super::varied::HELIOS;
use super::{DataCentre, Split, Workload};
use crate::draw::{Rng, below, normal, unit};
use crate::job::{Demand, Job};
use crate::order;
use rand_xoshiro::rand_core::SeedableRng;

/// Names of the model families that sample jobs train.
pub(super) const MODELS: [&str; 6] = ["resnet50", "vgg16", "bert", "transformer", "lstm", "dqn"];

/// Names of the sample's tenants.
pub(super) const TENANTS: [&str; 4] = ["vision", "language", "speech", "robotics"];

/// Models of which is measured how fast they are on GPUs of each type (Gavel, OSDI'20).
const MEASURED: [&str; 6] = [
    "ResNet-18 (batch size 32)",
    "ResNet-50 (batch size 64)",
    "Transformer (batch size 128)",
    "LM (batch size 40)",
    "Recommendation (batch size 2048)",
    "CycleGAN",
];

/// GPU·s submitted per GPU·s there is, of jobs that the data centre draws.
const LOAD: f64 = 0.9;

/// What a challenge is hard by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Theme {
    /// Long gangs come first, short jobs behind them.
    Convoy,
    /// Very many small jobs, of which few hold most of the time.
    Swarm,
    /// Gangs whose sizes leave holes on nodes.
    Puzzle,
    /// One tenant submits nearly all.
    Flood,
    /// More than there is room for by day, nearly nothing by night, some gangs over many nodes.
    Tides,
    /// Long jobs and wide gangs, on nodes that fail.
    Failures,
    /// Models to which slower GPUs matter more or less.
    Types,
    /// Jobs of several workers that send.
    Neighbours,
    /// Jobs that train.
    Adaptive,
    /// A week of a production cluster.
    Week,
}

impl Theme {
    /// So many jobs, for a cluster of so many GPUs. Their names say in which order they come: a scheduler cannot look
    /// durations up by them.
    pub(super) fn workload(self, count: u32, gpus: u32, seed: u64) -> Workload {
        let centre = DataCentre {
            jobs: count,
            gpus,
            load: LOAD,
            split: Split::HeldOut(seed as u32),
        };
        let mut workload = match self {
            Self::Neighbours => centre.workload(),
            Self::Week => centre.like(HELIOS),
            _ => self.drawn(count, seed),
        };
        for (at, job) in (0u32..).zip(&mut workload.jobs) {
            job.name = format!("job-{at:06}").into();
            if self == Self::Week {
                // What Helios records of its jobs are their GPUs.
                job.demand = Demand::default();
            }
        }
        workload
    }

    /// Jobs of our own distributions.
    fn drawn(self, count: u32, seed: u64) -> Workload {
        let mut rng = Rng::seed_from_u64(seed);
        let mut rows: Vec<(f64, u32, f64, u32)> =
            (0..count).map(|at| self.job(at, count, &mut rng)).collect();
        rows.sort_by(|a, b| order::by_value(&a.0, &b.0));
        let begin = rows.first().map_or(0.0, |row| row.0);
        let models = match self {
            Self::Types => MEASURED,
            _ => MODELS,
        };
        let jobs = rows
            .into_iter()
            .map(|(submit, gpus, duration, tenant)| Job {
                tenant: Some(tenant),
                model: Some(below(&mut rng, models.len() as u32)),
                ..Job::plain(
                    submit - begin,
                    gpus,
                    libm::round(duration.clamp(20.0, 2.0 * 86_400.0)),
                )
            });
        Workload {
            jobs: jobs.collect(),
            tenants: TENANTS.map(String::from).to_vec(),
            models: models.map(String::from).to_vec(),
            ..Workload::default()
        }
    }

    /// The job `at` of `count`: submission, GPUs, seconds, tenant.
    fn job(self, at: u32, count: u32, rng: &mut Rng) -> (f64, u32, f64, u32) {
        let tenant = below(rng, TENANTS.len() as u32);
        let part = f64::from(at) / f64::from(count);
        let around =
            |rng: &mut Rng, median: f64, spread: f64| median * libm::exp(spread * normal(rng));
        let of = |rng: &mut Rng, sizes: &[u32]| sizes[below(rng, sizes.len() as u32) as usize];
        match self {
            Self::Convoy if at.is_multiple_of(10) => {
                let submit = libm::floor(part * 40_000.0);
                (submit, of(rng, &[8, 16]), around(rng, 9_000.0, 0.3), tenant)
            }
            Self::Convoy => {
                let submit = libm::floor(600.0 + unit(rng) * 50_000.0);
                (
                    submit,
                    of(rng, &[1, 1, 2, 4]),
                    around(rng, 400.0, 0.8),
                    tenant,
                )
            }
            Self::Swarm => {
                let submit = libm::floor(unit(rng) * 30_000.0);
                (
                    submit,
                    of(rng, &[1, 1, 1, 2]),
                    around(rng, 180.0, 1.6),
                    tenant,
                )
            }
            Self::Puzzle => {
                let submit = libm::floor(unit(rng) * 60_000.0);
                let gpus = of(rng, &[1, 2, 3, 3, 5, 5, 6, 7, 8, 12]);
                (submit, gpus, around(rng, 2_400.0, 0.9), tenant)
            }
            Self::Flood if !at.is_multiple_of(6) => {
                let submit = libm::floor(unit(rng) * unit(rng) * 40_000.0);
                (
                    submit,
                    of(rng, &[1, 2, 4, 4, 8]),
                    around(rng, 1_500.0, 1.0),
                    0,
                )
            }
            Self::Flood => {
                let submit = libm::floor(unit(rng) * 60_000.0);
                (
                    submit,
                    of(rng, &[1, 1, 2]),
                    around(rng, 600.0, 0.7),
                    1 + below(rng, 3),
                )
            }
            Self::Tides => {
                // Two thirds come within four hours of a day.
                let day = f64::from(below(rng, 3));
                let hour = if below(rng, 3) > 0 {
                    4.0 * unit(rng)
                } else {
                    24.0 * unit(rng)
                };
                let submit = libm::floor((day * 24.0 + hour) * 3600.0);
                let gpus = of(rng, &[1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 32]);
                (submit, gpus, around(rng, 2_700.0, 1.2), tenant)
            }
            Self::Neighbours | Self::Week => unreachable!("the data centre draws them"),
            Self::Failures => {
                let submit = libm::floor(unit(rng) * 60_000.0);
                let gpus = of(rng, &[1, 1, 2, 4, 8, 16]);
                (submit, gpus, around(rng, 1_800.0, 1.1), tenant)
            }
            Self::Types => {
                let submit = libm::floor(unit(rng) * 40_000.0);
                let gpus = of(rng, &[1, 1, 1, 2, 4]);
                (submit, gpus, around(rng, 1_500.0, 1.0), tenant)
            }
            Self::Adaptive => {
                let submit = libm::floor(unit(rng) * 30_000.0);
                let gpus = of(rng, &[1, 1, 2, 4]);
                (submit, gpus, around(rng, 1_500.0, 1.2), tenant)
            }
        }
    }
}
