//! A job is slower on GPUs that are slower for it than the fastest that it may use: that is its
//! reference, so that no factor is above 1. A job that allows one type only runs there as its trace
//! says.
//!
//! Jobs whose model is one of Gavel's go by their measured throughput, on as many GPUs, packed on one
//! node ([`JobType::throughput`]; what being spread costs is [`spread`](super::spread)'s). Others go by
//! the types' relative speeds ([`GpuModel::speed`](crate::cluster::GpuModel::speed), or what the cluster
//! says); a type of which none is known counts as a V100. A job on several types goes at the speed of
//! the slowest.

use super::{Cause, Entering, Law, Setting};
use crate::cluster::{ClusterSpec, Pools};
use crate::job::JobId;
use crate::throughputs::JobType;
use crate::workload::GpuGeneration;
use std::sync::Arc;

pub(super) struct Types {
    pools: Arc<Pools>,
    /// By pool.
    generations: Vec<Option<GpuGeneration>>,
    /// By the workload's models.
    measured: Vec<Option<JobType>>,
    /// By pool.
    names: Vec<String>,
    /// By job, on its present or last GPUs.
    factors: Vec<f64>,
    /// By job: the slowest pool that it is on, and the fastest that it may use.
    between: Vec<(usize, usize)>,
}

impl Types {
    /// `None` where no type is told from another.
    pub(super) fn of(setting: &Setting, cluster: &ClusterSpec) -> Option<Self> {
        let pools = setting.pools.as_ref()?;
        if setting.options.equal_types || pools.len() < 2 {
            return None;
        }
        let name = |pool| pools.gpu(pool).map_or("", |gpu| cluster.type_name(gpu));
        let models = setting.workload.models.iter();
        Some(Self {
            generations: (0..pools.len())
                .map(|pool| GpuGeneration::of_type(name(pool)))
                .collect(),
            measured: models.map(|model| JobType::named(model)).collect(),
            names: (0..pools.len()).map(|pool| name(pool).to_owned()).collect(),
            factors: vec![1.0; setting.workload.jobs.len()],
            between: vec![(0, 0); setting.workload.jobs.len()],
            pools: Arc::clone(pools),
        })
    }

    /// How fast a job of this measured model trains on a pool's GPUs.
    fn speed(&self, measured: Option<JobType>, gpus: u32, pool: usize) -> f64 {
        let throughput = measured.zip(self.generations.get(pool).copied().flatten());
        let throughput = throughput.and_then(|(of, gpu)| of.throughput(gpu, gpus, true));
        throughput.unwrap_or_else(|| self.pools.speed(pool))
    }
}

impl Law for Types {
    fn enter(&mut self, entering: &Entering<'_>) {
        let setting = entering.setting;
        let job = setting.job(entering.id);
        let needs = setting.needs(entering.id);
        let allowed = || (0..self.pools.len()).filter(|&pool| needs.allows(pool));
        let measured = job
            .model
            .and_then(|model| *self.measured.get(model as usize)?);
        // Measurements and relative speeds have no unit in common: all types by one of them.
        let measured = measured.filter(|of| {
            allowed().all(|pool| {
                let generation = self.generations.get(pool).copied().flatten();
                generation.is_some_and(|gpu| of.throughput(gpu, job.gpus, true).is_some())
            })
        });
        let speed = |pool| self.speed(measured, job.gpus, pool);
        let by_speed = |a: &usize, b: &usize| speed(*a).total_cmp(&speed(*b));
        let here = entering.parts.iter();
        let here = here.map(|part| self.pools.of_node(part.node));
        if let (Some(slowest), Some(fastest)) = (here.min_by(by_speed), allowed().max_by(by_speed))
        {
            let at = entering.id.index();
            self.factors[at] = (speed(slowest) / speed(fastest)).min(1.0);
            self.between[at] = (slowest, fastest);
        }
    }

    fn leave(&mut self, _job: JobId) {}

    fn factor(&self, job: JobId) -> f64 {
        self.factors[job.index()]
    }

    fn changed(&mut self, _jobs: &mut Vec<JobId>) {}

    fn causes(&self, job: JobId, causes: &mut Vec<Cause>) {
        let factor = self.factor(job);
        if factor < 1.0 {
            let (slowest, fastest) = self.between[job.index()];
            let name = |pool: usize| match self.names.get(pool) {
                Some(name) if !name.is_empty() => name,
                _ => "GPUs of no said type",
            };
            causes.push(Cause {
                law: "types".to_owned(),
                place: format!("on {}, slower for it than {}", name(slowest), name(fastest)),
                factor,
                load: None,
                by: Vec::new(),
            });
        }
    }
}
