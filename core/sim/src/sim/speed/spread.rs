//! A gang on more nodes than it needs is slower, by its model and the generation of its GPUs:
//! Gavel's measurements ([`ModelTraits::spread_rate`](crate::workload::ModelTraits::spread_rate)).

use super::{Cause, Entering, Law};
use crate::job::JobId;
use crate::workload::GpuGeneration;

pub(super) struct Spread {
    generation: GpuGeneration,
    /// By job, on its present or last GPUs.
    factors: Vec<f64>,
}

impl Spread {
    pub(super) fn new(generation: GpuGeneration, jobs: usize) -> Self {
        Self {
            generation,
            factors: vec![1.0; jobs],
        }
    }
}

impl Law for Spread {
    fn enter(&mut self, entering: &Entering<'_>) {
        let id = entering.id;
        self.factors[id.index()] = if entering.is_spread && !entering.trains {
            entering.setting.model(id).spread_rate(self.generation)
        } else {
            1.0
        };
    }

    fn leave(&mut self, _job: JobId) {}

    fn factor(&self, job: JobId) -> f64 {
        self.factors[job.index()]
    }

    fn changed(&mut self, _jobs: &mut Vec<JobId>) {}

    fn causes(&self, job: JobId, causes: &mut Vec<Cause>) {
        let factor = self.factor(job);
        if factor < 1.0 {
            causes.push(Cause {
                law: "spread".to_owned(),
                place: "more nodes than its gang needs".to_owned(),
                factor,
                load: None,
                by: Vec::new(),
            });
        }
    }
}
