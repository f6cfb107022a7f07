//! Workloads of the graph placer's data centre: jobs of eight models with one to eight workers each,
//! which reduce gradients among themselves or through parameter servers. In: how many jobs, for how
//! many GPUs, at which load, and which draw. Out: a [`Workload`].
//!
//! Durations and gaps between arrivals have the shape of Philly's (ATC'19; AdaptDL's cut of the trace,
//! CC BY 4.0) or Helios' Venus (SC'21; HeliosData, CC BY 4.0, through a converted copy), each job of a
//! workload of the same: quantiles in steps of a twentieth, of jobs of 1 to 8 GPUs that ran for a minute
//! or longer. Of durations the longest seventh is left out, since a run of some hundred jobs would be about
//! a few of them; gaps are scaled so that the jobs make the load.
//!
//! How many workers is ours: in both traces most jobs have one, and send nothing. So are the eight
//! models alike often, half of the jobs of several workers with a parameter server for every two, of two
//! cores each.

use super::Workload;
use crate::Time;
use crate::contention::Profile;
use crate::draw::{Rng, below, unit};
use crate::job::{Demand, Job, Servers};
use rand_xoshiro::rand_core::SeedableRng;

/// Seconds, from the least in steps of a twentieth.
const DURATIONS: [[f64; 18]; 2] = [
    // Philly.
    [
        60.0, 66.0, 72.0, 87.0, 162.0, 268.0, 475.0, 643.0, 885.0, 1148.0, 1457.0, 1735.0, 2048.0,
        2448.0, 2686.0, 3571.0, 5070.0, 6373.0,
    ],
    // Helios.
    [
        60.0, 79.0, 95.0, 111.0, 128.0, 147.0, 170.0, 195.0, 229.0, 279.0, 357.0, 487.0, 662.0,
        975.0, 1511.0, 2262.0, 4110.0, 9733.0,
    ],
];

/// Seconds from one arrival to the next, likewise.
const GAPS: [[f64; 20]; 2] = [
    [
        0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 13.0, 18.0, 25.0, 44.0, 100.0,
        202.0, 365.0, 599.0,
    ],
    [
        0.0, 0.0, 1.0, 4.0, 8.0, 13.0, 18.0, 25.0, 32.0, 40.0, 49.0, 60.0, 73.0, 88.0, 105.0,
        126.0, 156.0, 198.0, 273.0, 454.0,
    ],
];

/// Workers and how many jobs of a hundred have so many, or less.
const WORKERS: [(u32, u32); 8] = [
    (1, 15),
    (2, 40),
    (3, 48),
    (4, 75),
    (5, 80),
    (6, 86),
    (7, 90),
    (8, 100),
];

/// Cores of a parameter server, thousandths.
const SERVER_CORES: u32 = 2000;

/// Which draw. No draw to train on is one to be held out: their seeds are even and odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// To train and tune on.
    Training(u32),
    /// To evaluate on.
    HeldOut(u32),
}

impl Split {
    /// The seed of its draws.
    pub fn seed(self) -> u64 {
        match self {
            Self::Training(number) => u64::from(number) * 2,
            Self::HeldOut(number) => u64::from(number) * 2 + 1,
        }
    }

    fn number(self) -> u32 {
        match self {
            Self::Training(number) | Self::HeldOut(number) => number,
        }
    }
}

/// What to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DataCentre {
    /// How many jobs.
    pub jobs: u32,
    /// GPUs of the cluster that they are for.
    pub gpus: u32,
    /// GPU·s submitted per GPU·s there is, until the last arrives; above 0. The same jobs come faster
    /// at a higher one.
    pub load: f64,
    /// Which draw; even ones have Philly's shape, odd ones Helios'.
    pub split: Split,
}

impl DataCentre {
    /// Draws the jobs.
    pub fn workload(&self) -> Workload {
        let mut rng = Rng::seed_from_u64(self.split.seed());
        let shape = (self.split.number() % 2) as usize;
        let profiles = Profile::all();
        let mut submit = 0.0;
        let mut jobs: Vec<Job> = Vec::with_capacity(self.jobs as usize);
        for number in 0..self.jobs {
            let part = below(&mut rng, 100);
            let workers = WORKERS.iter().find(|(_, most)| part < *most);
            let gpus = workers.map_or(1, |(workers, _)| *workers).min(self.gpus);
            let (model, servers) = kind(&mut rng, gpus, profiles);
            let duration = quantile(&DURATIONS[shape], unit(&mut rng));
            let gap = quantile(&GAPS[shape], unit(&mut rng));
            jobs.push(Job {
                name: format!("{}-{number}", profiles[model as usize].name).into(),
                ..job(model, servers, submit, gpus, duration)
            });
            submit += gap;
        }
        let span = gpu_seconds(&jobs) / (f64::from(self.gpus) * self.load);
        // From the first arrival to when the next after the last would come.
        let faster = if submit > 0.0 { span / submit } else { 1.0 };
        for job in &mut jobs {
            job.submit = Time(job.submit.seconds() * faster);
        }
        Workload {
            jobs,
            models: profiles.iter().map(|of| of.name.to_owned()).collect(),
            ..Workload::default()
        }
    }
}

/// GPU·s of jobs.
pub(super) fn gpu_seconds(jobs: &[Job]) -> f64 {
    let work = jobs.iter();
    work.map(|job| f64::from(job.gpus) * job.work.seconds())
        .sum()
}

/// What a gang trains, and its parameter servers: half of the gangs have one for every two workers.
pub(super) fn kind(rng: &mut Rng, gpus: u32, profiles: &[Profile]) -> (u32, Servers) {
    let model = below(rng, profiles.len() as u32);
    let has_servers = below(rng, 2) == 1 && gpus > 1;
    let servers = Servers {
        count: if has_servers { gpus.div_ceil(2) } else { 0 },
        cores: if has_servers { SERVER_CORES } else { 0 },
        memory: 0,
    };
    (model, servers)
}

/// A job of this kind, which has no name.
pub(super) fn job(model: u32, servers: Servers, submit: f64, gpus: u32, duration: f64) -> Job {
    Job {
        model: Some(model),
        demand: Demand {
            servers,
            ..Demand::default()
        },
        ..Job::plain(submit, gpus, libm::round(duration))
    }
}

/// Between the quantiles of a table, all of it being 1.
fn quantile(table: &[f64], part: f64) -> f64 {
    let place = part * (table.len() - 1) as f64;
    let (at, rest) = (place as usize, place - libm::floor(place));
    let [low, high] = [at, at + 1].map(|at| table[at.min(table.len() - 1)]);
    low + rest * (high - low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{any, prop_assert, prop_assert_ne, proptest};

    fn centre(split: Split, load: f64) -> DataCentre {
        DataCentre {
            jobs: 300,
            gpus: 128,
            load,
            split,
        }
    }

    #[test]
    fn jobs_make_the_load_and_are_the_same_at_any() {
        for number in 0..4 {
            let [slow, fast] =
                [0.5, 1.2].map(|load| centre(Split::HeldOut(number), load).workload());
            for (workload, load) in [(&slow, 0.5), (&fast, 1.2)] {
                let work = workload.jobs.iter();
                let work: f64 = work.map(|of| f64::from(of.gpus) * of.work.seconds()).sum();
                let last = workload.jobs[299].submit.seconds();
                let offered = work / (128.0 * last);
                assert!(
                    (0.99..1.2).contains(&(offered / load)),
                    "{offered} for {load}"
                );
                assert!(workload.jobs.is_sorted_by_key(|job| job.submit));
            }
            for (a, b) in slow.jobs.iter().zip(&fast.jobs) {
                assert_eq!(
                    (a.gpus, a.model, a.demand, a.work),
                    (b.gpus, b.model, b.demand, b.work)
                );
                assert!((1..=8).contains(&a.gpus));
            }
        }
    }

    proptest! {
        /// Nothing that is trained on is held out, whatever the numbers.
        #[test]
        fn training_and_held_out_are_apart(training: u32, held_out in any::<u32>()) {
            let [a, b] = [Split::Training(training), Split::HeldOut(held_out)];
            prop_assert_ne!(a.seed(), b.seed());
            let [a, b] = [a, b].map(|split| centre(split, 0.95).workload());
            let same = a.jobs.iter().zip(&b.jobs).filter(|(a, b)| (a.gpus, a.work) == (b.gpus, b.work));
            prop_assert!(same.count() < 30);
        }

        /// No two training numbers share a draw either, nor two held out.
        #[test]
        fn numbers_are_draws(a: u32, b: u32) {
            proptest::prop_assume!(a != b);
            prop_assert_ne!(Split::Training(a).seed(), Split::Training(b).seed());
            prop_assert_ne!(Split::HeldOut(a).seed(), Split::HeldOut(b).seed());
        }
    }
}
