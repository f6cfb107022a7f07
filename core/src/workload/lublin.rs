//! Rigid jobs of a batch system after Lublin and Feitelson ("The workload on parallel supercomputers:
//! modeling the characteristics of rigid jobs", JPDC 63(11), 2003), whose model Lublin-1 was drawn from.
//!
//! The parameters are those that their program has for jobs of one kind. Own implementation and other
//! draws. What is published leaves room for two numbers: the two uniforms of a size meet at the
//! machine's size less 2.5, in powers of two, and no gap is longer than e^11.5 s; with these, 10,000 jobs
//! have Lublin-1's mean size (22.1), run time (4,860 s) and gap (770 s), and their quantiles.

use super::drawn;
use crate::draw::{Rng, unit};
use crate::trace::{Record, Trace};
use rand_xoshiro::rand_core::SeedableRng;
use std::f64::consts::TAU;

/// Probabilities of a job of one processor, and of one of a power of two.
const SERIAL: f64 = 0.244;
const POWER_OF_TWO: f64 = 0.576;

/// Sizes of other jobs, as powers of two: the least, where two uniforms meet, as less than the machine's,
/// and the probability of the lower one.
const SMALLEST: f64 = 0.8;
const BELOW_LARGEST: f64 = 2.5;
const LOWER: f64 = 0.86;

/// Logarithms of run times: two gamma distributions, and the first's probability as a line over the
/// size; the longest.
const SHORT: (f64, f64) = (4.2, 0.94);
const LONG: (f64, f64) = (312.0, 0.03);
const SHORTS: (f64, f64) = (0.78, -0.0054);
const LONGEST: f64 = 12.0;

/// Logarithms of gaps at the peak, for all hours; the longest.
const GAP: (f64, f64) = (10.2303 * 1.0225, 0.4871);
const LONGEST_GAP: f64 = 11.5;

/// Arrivals by half hours of a day that begins at this one.
const ARRIVALS: (f64, f64) = (8.1737, 3.9631);
const DAY_START: usize = 11;
const BUCKETS: usize = 48;
const BUCKET: f64 = 1800.0;

/// What to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LublinGenerator {
    /// Jobs.
    pub jobs: u32,
    /// The machine's processors: the most that a job asks for.
    pub processors: u32,
    /// For the draws.
    pub seed: u64,
}

impl LublinGenerator {
    /// Draws the jobs.
    pub fn generate(&self) -> Trace {
        let mut rng = Rng::seed_from_u64(self.seed);
        let weights = weights();
        let (mut time, mut bucket, mut points, mut into) = (0.0, 0, 0.0, 0.0);
        let mut arrive = |rng: &mut Rng| {
            points += libm::exp(at_most(rng, GAP, LONGEST_GAP)) / BUCKET;
            while points > weights[bucket] {
                points -= weights[bucket];
                bucket = (bucket + 1) % BUCKETS;
                time += BUCKET;
            }
            let now = points / weights[bucket];
            time += BUCKET * (now - into);
            into = now;
            libm::floor(time)
        };
        let records = (1..=self.jobs).map(|line| {
            let gpus = self.size(&mut rng);
            Record {
                name: line.to_string().into(),
                ..Record::plain(line, arrive(&mut rng), gpus, seconds(gpus, &mut rng))
            }
        });
        drawn::trace(
            ("lublin", "Lublin workload, generated"),
            self.seed,
            "Sizes are processors.",
            Vec::new(),
            records.collect(),
        )
    }

    /// Processors of a job.
    fn size(&self, rng: &mut Rng) -> u32 {
        let kind = unit(rng);
        if kind < SERIAL {
            return 1;
        }
        let largest = libm::log2(f64::from(self.processors));
        let meet = (largest - BELOW_LARGEST).max(SMALLEST);
        let (low, high) = match unit(rng) < LOWER {
            true => (SMALLEST, meet),
            false => (meet, largest.max(meet)),
        };
        let mut power = low + unit(rng) * (high - low);
        if kind < SERIAL + POWER_OF_TWO {
            power = libm::round(power);
        }
        let size = libm::round(libm::exp2(power)) as u32;
        size.clamp(1, self.processors.max(1))
    }
}

/// Run time of a job of this size.
fn seconds(size: u32, rng: &mut Rng) -> f64 {
    let shorts = SHORTS.0 + SHORTS.1 * f64::from(size);
    let logarithm = loop {
        let of = if unit(rng) < shorts { SHORT } else { LONG };
        let drawn = gamma(rng, of);
        if drawn <= LONGEST {
            break drawn;
        }
    };
    libm::floor(libm::exp(logarithm)).max(1.0)
}

/// How many arrive in each half hour, 1 on average. (The density stands for its integral over each.)
fn weights() -> [f64; BUCKETS] {
    let (shape, scale) = ARRIVALS;
    let mut weights = [0.0; BUCKETS];
    for at in DAY_START..DAY_START + BUCKETS {
        let x = at as f64;
        weights[(at - 1) % BUCKETS] = libm::exp((shape - 1.0) * libm::log(x) - x / scale);
    }
    let mean = weights.iter().sum::<f64>() / BUCKETS as f64;
    weights.map(|weight| weight / mean)
}

/// From the gamma distribution of this shape and scale, drawn anew while it is more than `most`.
fn at_most(rng: &mut Rng, of: (f64, f64), most: f64) -> f64 {
    loop {
        let drawn = gamma(rng, of);
        if drawn <= most {
            return drawn;
        }
    }
}

/// From the gamma distribution of this shape, at least 1, and scale (Marsaglia and Tsang, 2000).
fn gamma(rng: &mut Rng, (shape, scale): (f64, f64)) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    loop {
        // A normal one (Box and Muller).
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - unit(rng)));
        let x = radius * libm::cos(TAU * unit(rng));
        let v = libm::pow(1.0 + c * x, 3.0);
        if v > 0.0 {
            let u = libm::log(1.0 - unit(rng));
            if u < 0.5 * x * x + d - d * v + d * libm::log(v) {
                return scale * d * v;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order;

    fn lublin(jobs: u32, seed: u64) -> Trace {
        let generator = LublinGenerator {
            jobs,
            processors: 256,
            seed,
        };
        generator.generate()
    }

    #[test]
    fn moments_and_quantiles_are_lublin_1s() {
        // Of lublin_256.swf: mean gap, size and run time; a tenth, half and nine tenths of run times.
        let records = lublin(40_000, 1).records;
        let count = records.len() as f64;
        let mean = |of: fn(&Record) -> f64| records.iter().map(of).sum::<f64>() / count;
        let near = |ours: f64, theirs: f64, by: f64| {
            assert!((ours / theirs - 1.0).abs() < by, "{ours} and {theirs}");
        };
        near(records[records.len() - 1].submit / count, 770.7, 0.08);
        near(mean(|job| f64::from(job.gpus)), 22.1, 0.05);
        near(mean(|job| job.duration), 4862.8, 0.05);
        near(mean(|job| f64::from(u8::from(job.gpus == 1))), 0.249, 0.04);
        let mut times: Vec<f64> = records.iter().map(|job| job.duration).collect();
        times.sort_by(order::by_value);
        for (part, theirs) in [(0.1, 7.0), (0.5, 137.0), (0.9, 15590.0)] {
            near(times[(part * count) as usize], theirs, 0.15);
        }
        assert!(records.iter().all(|job| (1..=256).contains(&job.gpus)));
        assert!(times[times.len() - 1] <= libm::exp(LONGEST));
        assert!(records.is_sorted_by(|a, b| a.submit <= b.submit));
    }

    #[test]
    fn a_seed_gives_the_same_jobs_and_another_others() {
        let times = |trace: Trace| {
            trace
                .records
                .iter()
                .map(|job| job.submit)
                .collect::<Vec<_>>()
        };
        assert_eq!(times(lublin(50, 7)), times(lublin(50, 7)));
        assert_ne!(times(lublin(50, 7)), times(lublin(50, 8)));
        let small = LublinGenerator {
            jobs: 200,
            processors: 2,
            seed: 3,
        }
        .generate();
        assert!(small.records.iter().all(|job| job.gpus <= 2));
    }
}
