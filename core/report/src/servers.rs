//! Where a run's parameter servers were.

use crate::sim::RunLog;
use serde::Serialize;

/// Parameter servers over all stays of jobs on GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ServerFigures {
    /// How often one was started.
    pub started: u32,
    /// The part of them on nodes where their job has workers.
    pub beside_workers: f64,
}

impl ServerFigures {
    /// Of a run; `None` where nobody has any.
    pub fn of(log: &RunLog) -> Option<Self> {
        let (mut started, mut beside) = (0, 0);
        for i in 0..log.segments() {
            for (node, count) in log.servers(i) {
                started += count;
                let mut gpus = log.segment(i).gpus.iter();
                beside += if gpus.any(|of| of.node == node) {
                    count
                } else {
                    0
                };
            }
        }
        (started > 0).then(|| Self {
            started,
            beside_workers: f64::from(beside) / f64::from(started),
        })
    }
}
