//! Pods that arrive until a cluster is full, and what becomes of its GPUs.
//!
//! They come in a random order, drawn again once all have come, until they have asked for
//! [`TARGET`] times the cluster's GPUs; who finds no room is gone, and nobody leaves. Machines are
//! shuffled too, for the first among equals is taken. Source: §6 of the paper, and its simulator.

use super::{Packer, Packing};
use crate::draw::{Rng, below};
use rand_xoshiro::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use switchyard_model::pods::{Fleet, Pod, Typical};

/// GPUs asked for ÷ GPUs there, at the end.
pub const TARGET: f64 = 1.3;

/// A cluster while pods arrive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// By what has arrived, in percent of the cluster's GPUs from 0 on.
    pub at: Vec<Figures>,
}

impl Curve {
    /// The mean of runs with different arrivals.
    pub fn mean_of(curves: &[Self]) -> Self {
        let last = curves.iter().map(|curve| curve.at.len()).max().unwrap_or(0);
        let mean = |at: usize| {
            let there = curves.iter().filter_map(|curve| curve.at.get(at));
            Figures::mean_of(&there.copied().collect::<Vec<_>>())
        };
        Self {
            at: (0..last).filter_map(mean).collect(),
        }
    }

    /// The figures at a percent of arrived load, or at the last there is.
    pub fn figures(&self, percent: usize) -> Figures {
        let at = self.at.get(percent).or(self.at.last());
        at.copied().unwrap_or_default()
    }
}

/// What a cluster looks like at a percent of arrived load: means over the pods that came then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// GPUs taken, in percent of all.
    pub allocation: f64,
    /// Fragments, in percent of what is left of GPUs.
    pub fragmentation: f64,
}

impl Figures {
    fn of(packing: &Packing) -> Self {
        Self {
            allocation: 100.0 * packing.allocation(),
            fragmentation: 100.0 * packing.fragmentation(),
        }
    }

    fn mean_of(figures: &[Self]) -> Option<Self> {
        let mean =
            |of: fn(&Self) -> f64| figures.iter().map(of).sum::<f64>() / figures.len() as f64;
        (!figures.is_empty()).then(|| Self {
            allocation: mean(|figures| figures.allocation),
            fragmentation: mean(|figures| figures.fragmentation),
        })
    }
}

/// What the paper's simulator gives for the openb nodes and pods, by packer: the allocation at 130 %,
/// and the fragmentation at 80 % of arrived load; means of ten seeds.
pub const PUBLISHED: [(&str, Figures); 6] = [
    ("random", published(87.47, 74.64)),
    ("dot-prod", published(90.85, 50.50)),
    ("gpu-clustering", published(91.88, 46.86)),
    ("gpu-packing", published(92.00, 46.43)),
    ("best-fit", published(93.08, 41.49)),
    ("fgd", published(95.39, 29.86)),
];

const fn published(allocation: f64, fragmentation: f64) -> Figures {
    Figures {
        allocation,
        fragmentation,
    }
}

/// How many machines and pods the published figures are of.
pub const OPENB: (usize, usize) = (1213, 8152);

/// Lets a fleet's pods arrive under a packer. The same seed gives every packer the same arrivals.
pub fn inflate(fleet: &Fleet, packer: &'static Packer, seed: u64) -> Curve {
    let mut rng = Rng::seed_from_u64(seed);
    let mut shuffled = fleet.clone();
    shuffle(&mut shuffled.machines, &mut rng);
    let all = fleet.gpu_thousandths();
    let arrivals = arrivals(&fleet.pods, TARGET * all as f64, &mut rng);
    let mut packing = Packing::new(&shuffled, packer, Typical::of(&fleet.pods));
    let mut by_percent: Vec<Vec<Figures>> = Vec::new();
    by_percent.resize_with((100.0 * TARGET) as usize + 1, Vec::new);
    let mut last = Figures::of(&packing);
    let mut arrived = 0;
    for pod in arrivals {
        arrived += pod.gpu_thousandths();
        packing.place(&pod, &mut rng);
        let percent = (100.0 * arrived as f64 / all.max(1) as f64).round_ties_even();
        if let Some(figures) = by_percent.get_mut(percent as usize) {
            figures.push(Figures::of(&packing));
        }
    }
    // Where a large pod leapt over a percent, the cluster is as it was before.
    let means = by_percent.iter().map(|figures| {
        last = Figures::mean_of(figures).unwrap_or(last);
        last
    });
    Curve {
        at: means.collect(),
    }
}

/// Pods in a random order; too few for the target are drawn again, too many left out.
fn arrivals(pods: &[Pod], target: f64, rng: &mut Rng) -> Vec<Pod> {
    let mut order = pods.to_vec();
    shuffle(&mut order, rng);
    let count = pods.len() as u32;
    let mut asked: u64 = pods.iter().map(Pod::gpu_thousandths).sum();
    while asked as f64 > target {
        let last = order.len() as u32;
        if last == 0 {
            break;
        }
        asked -= order.remove(below(rng, last) as usize).gpu_thousandths();
    }
    while asked > 0 {
        let pod = pods[below(rng, count) as usize];
        if (asked + u64::from(pod.share)) as f64 > target {
            break;
        }
        asked += pod.gpu_thousandths();
        order.push(pod);
    }
    order
}

/// Fisher and Yates.
fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(rng, last as u32 + 1) as usize);
    }
}
