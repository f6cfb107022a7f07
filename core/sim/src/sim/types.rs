//! How fast jobs train on which types of GPU: what the [law of types](super::speed) and policies that
//! profile jobs go by.
//!
//! Jobs whose model is one of Gavel's go by their measured throughput, on as many GPUs, packed on one
//! node ([`JobType::throughput`]). Others go by the types' relative speeds
//! ([`GpuModel::speed`](crate::cluster::GpuModel::speed), or what the cluster says); a type of which
//! none is known counts as a V100.

use crate::cluster::{ClusterSpec, Needs, Pools};
use crate::job::Job;
use crate::throughputs::JobType;
use crate::workload::{GpuGeneration, Workload};

/// What GPUs count as whose generation was not measured, for jobs that share one.
pub(super) const UNMEASURED: GpuGeneration = GpuGeneration::V100;

/// What is known of pools' types and of jobs on them.
#[derive(Debug)]
pub(super) struct Types {
    /// By pool.
    pools: Vec<Type>,
    /// By the workload's models.
    measured: Vec<Option<JobType>>,
    /// Whether one is slower than another.
    differ: bool,
}

#[derive(Debug)]
struct Type {
    name: Box<str>,
    generation: Option<GpuGeneration>,
    /// V100 = 1.
    speed: f64,
}

impl Types {
    pub(super) fn new(
        workload: &Workload,
        cluster: &ClusterSpec,
        pools: &Pools,
        equal: bool,
    ) -> Self {
        let of_pool = |pool| {
            let name = pools.gpu(pool).map_or("", |gpu| cluster.type_name(gpu));
            Type {
                name: name.into(),
                generation: GpuGeneration::of_type(name),
                speed: pools.speed(pool),
            }
        };
        let models = workload.models.iter();
        Self {
            pools: (0..pools.len()).map(of_pool).collect(),
            measured: models.map(|model| JobType::named(model)).collect(),
            differ: !equal && pools.len() > 1,
        }
    }

    /// How many pools there are.
    pub(super) fn len(&self) -> usize {
        self.pools.len()
    }

    /// Whether one type is slower than another.
    pub(super) fn differ(&self) -> bool {
        self.differ
    }

    /// What a pool's GPUs are called.
    pub(super) fn name(&self, pool: usize) -> &str {
        self.pools.get(pool).map_or("", |of| &of.name)
    }

    /// How fast a job trains on a pool's GPUs, as a part of its speed on the fastest that it may use: 0
    /// where it may not run.
    pub(super) fn factor(&self, job: &Job, needs: Needs, pool: usize) -> f64 {
        if !needs.allows(pool) {
            return 0.0;
        }
        if !self.differ {
            return 1.0;
        }
        let allowed = || (0..self.len()).filter(|&pool| needs.allows(pool));
        let throughput = |of: JobType, pool: usize| {
            let generation = self.pools.get(pool)?.generation?;
            of.throughput(generation, job.gpus, true)
        };
        // Measurements and relative speeds have no unit in common: all types by one of them.
        let measured = self.measured(job);
        let measured = measured.filter(|&of| allowed().all(|pool| throughput(of, pool).is_some()));
        let speed = |pool: usize| {
            let throughput = measured.and_then(|of| throughput(of, pool));
            throughput.unwrap_or_else(|| self.pools.get(pool).map_or(1.0, |of| of.speed))
        };
        let fastest = allowed().map(speed).fold(0.0, f64::max);
        // No table has a speed of 0 (`GpuModel`, `JobType`, and what a cluster may say).
        speed(pool) / fastest
    }

    /// The measured job type that a job is of.
    pub(super) fn measured(&self, job: &Job) -> Option<JobType> {
        *self.measured.get(job.model? as usize)?
    }

    /// What is kept of their speeds alone by two jobs on one GPU of a pool; `None` where that was not
    /// measured or they do not fit.
    pub(super) fn beside(&self, a: &Job, b: &Job, pool: usize) -> Option<(f64, f64)> {
        let generation = self.pools.get(pool)?.generation;
        let generation = generation.unwrap_or(UNMEASURED);
        self.measured(a)?.beside(self.measured(b)?, generation)
    }
}
