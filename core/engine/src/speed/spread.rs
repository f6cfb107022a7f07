//! A gang on more nodes than it needs is slower, by its model and the generation of its GPUs
//! (of their type where the cluster names it, else that which the setting says): Gavel's measurements ([`ModelTraits::spread_rate`](crate::workload::ModelTraits::spread_rate)).

use super::{Cause, Entering, Law, Setting};
use crate::cluster::ClusterSpec;
use crate::job::JobId;
use crate::workload::GpuGeneration;

pub(super) struct Spread {
    generation: GpuGeneration,
    /// By pool: that of its type, where it is one.
    by_pool: Vec<Option<GpuGeneration>>,
    /// By job, on its present or last GPUs.
    factors: Vec<f64>,
}

impl Spread {
    pub(super) fn new(generation: GpuGeneration, setting: &Setting, cluster: &ClusterSpec) -> Self {
        let pools = setting.pools.iter().flat_map(|pools| {
            let name = |pool| pools.gpu(pool).map_or("", |gpu| cluster.type_name(gpu));
            (0..pools.len()).map(move |pool| GpuGeneration::of_type(name(pool)))
        });
        Self {
            generation,
            by_pool: pools.collect(),
            factors: vec![1.0; setting.workload.jobs.len()],
        }
    }
}

impl Law for Spread {
    fn enter(&mut self, entering: &Entering<'_>) {
        let id = entering.id;
        self.factors[id.index()] = if entering.is_spread && !entering.trains {
            let of_pool = self.by_pool.get(entering.pool()).copied().flatten();
            let generation = of_pool.unwrap_or(self.generation);
            entering.setting.model(id).spread_rate(generation)
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
