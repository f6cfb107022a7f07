//! What is shown to whoever picks: some numbers of each job that may be picked.

use std::sync::{Arc, Mutex};
use switchyard::policies::picking::features::{FEATURES, VISIBLE};

/// Waiting counts up to half a day, seconds.
pub(super) const LONGEST_WAIT: f64 = 43_200.0;

/// A number as a part of the greatest, from 0 to 1.
pub(super) fn part(value: f64, of: f64) -> f32 {
    (value / of).clamp(0.0, 1.0) as f32
}

/// The numbers of the jobs that are seen, and how many they are.
pub(super) struct Screen {
    pub(super) features: [[f32; FEATURES]; VISIBLE],
    pub(super) count: usize,
}

impl Screen {
    pub(super) fn empty() -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self {
            features: [[0.0; FEATURES]; VISIBLE],
            count: 0,
        }))
    }

    /// Shows jobs, at most [`VISIBLE`] of them, by the numbers of each.
    pub(super) fn show<T>(&mut self, jobs: &[T], features: impl Fn(&T) -> [f32; FEATURES]) {
        for (row, job) in self.features.iter_mut().zip(jobs) {
            *row = features(job);
        }
        self.count = jobs.len();
    }
}
