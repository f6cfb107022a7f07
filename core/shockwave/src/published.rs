//! What the artifact's simulator says (uw-mad-dash/shockwave), by jobs and GPUs.
//!
//! On 32 GPUs these are the results that it comes with. On 64 and 128 it is what its code says when it is run on its own
//! traces.

/// Makespan and mean JCT in seconds, the worst finish-time fairness, and jobs that are treated unfairly in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// Seconds until the last job is done.
    pub makespan: f64,
    /// The mean JCT, seconds.
    pub mean_jct: f64,
    /// The largest finish-time fairness.
    pub worst_rho: f64,
    /// Jobs treated unfairly, percent.
    pub unfair: f64,
}

/// The artifact's clusters, by the number of jobs of its traces.
const CLUSTERS: [(usize, u32); 4] = [(120, 32), (220, 64), (460, 128), (900, 256)];

/// Makespan, mean JCT, worst fairness and unfair jobs, by jobs, GPUs and scheduler.
#[rustfmt::skip]
const KNOWN: [(usize, u32, &str, [f64; 4]); 15] = [
    (120, 32, "gandiva-fair", [32367.4344, 12574.2725, 1.854, 51.67]),
    (120, 32, "gavel", [33207.6630, 11274.1170, 2.947, 25.0]),
    (120, 32, "mst", [31909.0309, 9654.6998, 4.976, 25.0]),
    (120, 32, "ossp", [24204.8163, 19806.7280, 7.741, 74.17]),
    (120, 32, "allox", [32488.6211, 9926.3066, 4.964, 27.5]),
    (120, 32, "themis", [31928.7388, 11301.9767, 3.438, 22.5]),
    (120, 32, "shockwave", [24197.4235, 9958.4861, 1.784, 5.0]),
    (220, 64, "gandiva-fair", [31472.0877, 10895.2589, 1.77768, 40.0]),
    (220, 64, "gavel", [33632.3019, 9233.1193, 3.37839, 15.91]),
    (220, 64, "mst", [35819.3156, 9243.0149, 6.91512, 25.0]),
    (220, 64, "ossp", [25076.1446, 19748.6169, 8.79327, 76.36]),
    (460, 128, "gandiva-fair", [33518.6281, 12400.0298, 2.17227, 60.87]),
    (460, 128, "gavel", [34153.4050, 10479.2075, 4.4975, 27.83]),
    (460, 128, "mst", [33792.1145, 9237.3736, 6.00558, 27.39]),
    (460, 128, "ossp", [25881.4087, 22377.3730, 12.45885, 80.87]),
];

/// GPUs of the cluster that the artifact has for so many jobs.
pub fn cluster(jobs: usize) -> Option<u32> {
    let of = CLUSTERS.iter().find(|(count, _)| *count == jobs);
    of.map(|(_, gpus)| *gpus)
}

/// The artifact's figures of so many jobs on so many GPUs by a scheduler, as far as they are known.
pub fn published(jobs: usize, gpus: u32, scheduler: &str) -> Option<Published> {
    let row = KNOWN
        .iter()
        .find(|(count, on, name, _)| (*count, *on, *name) == (jobs, gpus, scheduler));
    let [makespan, mean_jct, worst_rho, unfair] = row?.3;
    Some(Published {
        makespan,
        mean_jct,
        worst_rho,
        unfair,
    })
}
