//! What a replay leaves: when each job was done, and the paper's figures.

/// A job that was done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Done {
    /// Seconds from its arrival until it was done.
    pub jct: f64,
    /// Finish-time fairness: its JCT in relation to what it would be with an equal part of the cluster; to five
    /// decimals, as the artifact rounds it.
    pub rho: f64,
}

/// All jobs, in order of arrival, and how the cluster was used.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Each job.
    pub jobs: Vec<Done>,
    /// Seconds until the last job was done.
    pub makespan: f64,
    /// Which part of the GPUs' time was used, from 0 to 1.
    pub utilisation: f64,
    /// Rounds.
    pub rounds: usize,
    /// How often a job kept its GPUs into the next round.
    pub lease_extensions: usize,
    /// Which jobs had which GPUs, by round.
    pub schedule: Vec<Vec<usize>>,
}

/// Over this a job was treated unfairly.
const UNFAIR: f64 = 1.05;

impl Outcome {
    /// The mean JCT, seconds.
    pub fn mean_jct(&self) -> f64 {
        self.jobs.iter().map(|job| job.jct).sum::<f64>() / self.jobs.len() as f64
    }

    /// The largest finish-time fairness.
    pub fn worst_rho(&self) -> f64 {
        self.jobs.iter().map(|job| job.rho).fold(0.0, f64::max)
    }

    /// Which part of jobs was treated unfairly, percent.
    pub fn unfair(&self) -> f64 {
        let unfair = self.jobs.iter().filter(|job| job.rho > UNFAIR).count();
        100.0 * unfair as f64 / self.jobs.len() as f64
    }
}

/// To five decimals.
pub(super) fn rounded(value: f64) -> f64 {
    // Text rounds what a double stands for; a product with 10⁵ would have been rounded before.
    format!("{value:.5}").parse().unwrap_or(value)
}
