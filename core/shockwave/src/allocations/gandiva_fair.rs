//! Gandiva-Fair (Chaudhary et al., EuroSys'20), as Shockwave compares it: every job has the same share of time.

/// The share that each of so many jobs has on so many GPUs.
pub fn allocate(jobs: usize, gpus: u32) -> Vec<f64> {
    vec![(f64::from(gpus) / jobs as f64).min(1.0); jobs]
}
