//! Streams of jobs as unlike one another as those of real clusters are, to train the graph placer on. In: how many jobs,
//! for how many GPUs, at which load, and which draw. Out: a [`Workload`] of the models of a [`DataCentre`].
//!
//! What a stream is like is drawn anew for each (domain randomisation: Tobin et al., IROS 2017), between bounds that hold
//! Helios (SC'21), Philly (ATC'19) and Microsoft's ITP (ElasticFlow, ASPLOS'23): how many jobs have one GPU,
//! how many are wider than a server, over how many decades durations go, whether wide ones take longer, how bursty
//! arrivals are, how many come in series of like ones, how much more by day than by night. No row of a trace is in it, nor
//! a table fitted to one: so all traces are left out of training.
//!
//! [`HELIOS`] is not for training: a sample to look at has its statistics.

use super::Workload;
use super::data_centre::{DataCentre, gpu_seconds, job, kind};
use crate::Time;
use crate::contention::Profile;
use crate::draw::{Rng, below, normal, unit};
use rand_xoshiro::rand_core::SeedableRng;
use std::f64::consts::TAU;

/// GPUs of a server; gangs of more are wide.
const SERVER: u32 = 8;
/// The widest gang of any, and at most this part of the cluster.
const WIDEST: (u32, u32) = (80, 4);
/// A day, seconds.
const DAY: f64 = 86_400.0;
/// Streams of a seed are apart from the data centre's own.
const APART: u64 = 1 << 40;

/// Helios' Venus cluster (SC'21; HeliosData, CC BY 4.0; 125,303 GPU jobs of April to September 2020): 56 % of jobs have one
/// GPU, 9 % more than eight; durations' median and 95th of a hundred are 215 and 55,105 s; 35 % come within a minute of one as
/// wide; by day there are many times as many as by night.
pub(super) const HELIOS: Like = Like {
    of_one: 0.61,
    wide: 0.09,
    duration: (215.0, 3.37),
    wider_is_longer: 0.0,
    bursts: 1.2,
    series: 0.35,
    by_day: 0.95,
};

/// What a stream is like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Like {
    /// The part of jobs that have one GPU.
    of_one: f64,
    /// The part that are wider than a server.
    wide: f64,
    /// Median duration, seconds, and the deviation of its logarithm.
    duration: (f64, f64),
    /// A gang's duration goes with its GPUs to the power of this.
    wider_is_longer: f64,
    /// The deviation of the logarithm of the time between arrivals.
    bursts: f64,
    /// The part of jobs that are like the one before them, and come right after it.
    series: f64,
    /// By which part of the mean more come at noon, and fewer at midnight.
    by_day: f64,
}

impl Like {
    fn drawn(rng: &mut Rng) -> Self {
        let mut between = |low: f64, high: f64| low + (high - low) * unit(rng);
        let mut like = Self {
            of_one: between(0.15, 0.97),
            wide: libm::exp(between(libm::log(0.001), libm::log(0.12))),
            duration: (
                libm::exp(between(libm::log(200.0), libm::log(8000.0))),
                between(1.0, 3.2),
            ),
            wider_is_longer: between(-0.3, 0.6),
            bursts: between(0.5, 2.2),
            series: between(0.0, 0.85),
            by_day: between(0.0, 0.95),
        };
        // Some clusters have none.
        if between(0.0, 1.0) < 0.25 {
            like.wide = 0.0;
        }
        like
    }

    fn gpus(&self, rng: &mut Rng, of_cluster: u32) -> u32 {
        let part = unit(rng);
        let widest = WIDEST.0.min(of_cluster / WIDEST.1);
        if part < self.wide && widest > SERVER {
            // Mostly whole servers.
            let (low, high) = (
                libm::log(f64::from(SERVER + 1)),
                libm::log(f64::from(widest)),
            );
            let gpus = libm::exp(low + (high - low) * unit(rng)) as u32;
            let whole = below(rng, 5) > 0;
            let gpus = if whole {
                gpus.next_multiple_of(SERVER)
            } else {
                gpus
            };
            return gpus.clamp(SERVER + 1, widest);
        }
        if unit(rng) < self.of_one {
            return 1;
        }
        let gpus = match below(rng, 10) {
            0..3 => 2,
            3..6 => 4,
            6..9 => 8,
            _ => 3 + below(rng, 5),
        };
        gpus.min(of_cluster)
    }

    fn seconds(&self, rng: &mut Rng, gpus: u32) -> f64 {
        let (median, deviation) = self.duration;
        // Beyond two deviations a run would be about a few jobs.
        let normal = normal(rng).clamp(-2.5, 2.0);
        let longer = libm::pow(f64::from(gpus), self.wider_is_longer);
        (median * longer * libm::exp(deviation * normal)).clamp(1.0, 30.0 * DAY)
    }
}

impl DataCentre {
    /// Draws jobs as varied as those of real clusters, instead of its own. Here the draw's number says what they are like.
    pub fn varied(&self) -> Workload {
        let mut rng = Rng::seed_from_u64(self.split.seed() ^ APART);
        let like = Like::drawn(&mut rng);
        self.drawn_like(like, &mut rng)
    }

    /// Draws jobs that are like this.
    pub(super) fn like(&self, like: Like) -> Workload {
        self.drawn_like(like, &mut Rng::seed_from_u64(self.split.seed()))
    }

    fn drawn_like(&self, like: Like, rng: &mut Rng) -> Workload {
        let profiles = Profile::all();
        let mut jobs: Vec<crate::job::Job> = Vec::with_capacity(self.jobs as usize);
        let mut gaps = Vec::with_capacity(self.jobs as usize);
        for _ in 0..self.jobs {
            let before = jobs.last().filter(|_| unit(rng) < like.series);
            let gap = libm::exp(like.bursts * normal(rng));
            let (next, gap) = match before {
                Some(before) => {
                    let duration = before.work.seconds() * libm::exp(0.3 * normal(rng));
                    let (model, servers) = (before.model.unwrap_or(0), before.demand.servers);
                    (
                        job(model, servers, 0.0, before.gpus, duration.max(1.0)),
                        0.05 * gap,
                    )
                }
                None => {
                    let gpus = like.gpus(rng, self.gpus);
                    let (model, servers) = kind(rng, gpus, profiles);
                    (job(model, servers, 0.0, gpus, like.seconds(rng, gpus)), gap)
                }
            };
            jobs.push(next);
            gaps.push(gap);
        }
        let span = gpu_seconds(&jobs) / (f64::from(self.gpus) * self.load);
        let mean = span / gaps.iter().sum::<f64>().max(1e-9);
        // By day more come. What that takes or gives in all, over no whole days, is scaled away.
        let noon = unit(rng) * DAY;
        let mut submit = 0.0;
        for (of, gap) in jobs.iter_mut().zip(gaps) {
            of.submit = Time(submit);
            let rate = 1.0 + like.by_day * libm::cos(TAU * (submit - noon) / DAY);
            submit += gap * mean / rate.max(0.05);
        }
        let faster = if submit > 0.0 { span / submit } else { 1.0 };
        for (number, of) in jobs.iter_mut().enumerate() {
            of.submit = Time(of.submit.seconds() * faster);
            let model = profiles[of.model.unwrap_or(0) as usize].name;
            of.name = format!("{model}-{number}").into();
        }
        Workload {
            jobs,
            models: profiles.iter().map(|of| of.name.to_owned()).collect(),
            ..Workload::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Split;
    use super::*;

    fn drawn(split: Split) -> Workload {
        let centre = DataCentre {
            jobs: 1000,
            gpus: 256,
            load: 0.95,
            split,
        };
        centre.varied()
    }

    #[test]
    fn jobs_make_the_load_in_order_and_fit() {
        for number in 0..20 {
            let workload = drawn(Split::Training(number));
            assert!(workload.jobs.is_sorted_by_key(|job| job.submit));
            let last = workload.jobs[999].submit.seconds();
            let offered = gpu_seconds(&workload.jobs) / (256.0 * last);
            assert!((0.94..1.5).contains(&offered), "{number}: {offered}");
            assert!(workload.jobs.iter().all(|job| (1..=64).contains(&job.gpus)));
        }
    }

    #[test]
    fn streams_are_unlike_one_another() {
        let all: Vec<Workload> = (0..60)
            .map(|number| drawn(Split::Training(number)))
            .collect();
        let part = |of: &Workload, is: &dyn Fn(u32) -> bool| {
            of.jobs.iter().filter(|job| is(job.gpus)).count() as f64 / of.jobs.len() as f64
        };
        let parts = |is: &dyn Fn(u32) -> bool| {
            let parts = all.iter().map(|of| part(of, is));
            let parts: Vec<f64> = parts.collect();
            let least = parts.iter().copied().fold(1.0, f64::min);
            (least, parts.iter().copied().fold(0.0, f64::max))
        };
        // Helios: 56 % and 8.9 %; Philly: 97 % and 0.1 %; ITP: 83 % and 0.8 %.
        let (least, most) = parts(&|gpus| gpus == 1);
        assert!(least < 0.4 && most > 0.9, "{least} to {most}");
        let (least, most) = parts(&|gpus| gpus > SERVER);
        assert!(least == 0.0 && most > 0.05, "{least} to {most}");
    }

    #[test]
    fn jobs_like_helios_have_its_statistics() {
        let centre = DataCentre {
            jobs: 20_000,
            gpus: 512,
            load: 0.95,
            split: Split::HeldOut(0),
        };
        let jobs = centre.like(HELIOS).jobs;
        let part = |is: &dyn Fn(&crate::job::Job) -> bool| {
            jobs.iter().filter(|job| is(job)).count() as f64 / jobs.len() as f64
        };
        let is_near = |value: f64, of: f64| (value / of - 1.0).abs() < 0.15;
        let (one, wide) = (part(&|job| job.gpus == 1), part(&|job| job.gpus > 8));
        assert!(is_near(one, 0.56) && is_near(wide, 0.089), "{one} {wide}");
        let mut seconds: Vec<f64> = jobs.iter().map(|job| job.work.seconds()).collect();
        seconds.sort_by(crate::order::by_value);
        let [median, high] = [0.5, 0.95].map(|at| seconds[(at * 20_000.0) as usize]);
        assert!(
            is_near(median, 215.0) && is_near(high, 55_105.0),
            "{median} {high}"
        );
        let like_the_one_before = jobs.windows(2).filter(|pair| {
            pair[1].gpus == pair[0].gpus
                && pair[1].submit.seconds() - pair[0].submit.seconds() < 60.0
        });
        let like = like_the_one_before.count() as f64 / 20_000.0;
        assert!((0.25..0.6).contains(&like), "{like}");
    }

    #[test]
    fn a_draw_is_the_same_again_and_no_other() {
        assert_eq!(drawn(Split::Training(3)), drawn(Split::Training(3)));
        assert_ne!(
            drawn(Split::Training(3)).jobs,
            drawn(Split::HeldOut(3)).jobs
        );
    }
}
