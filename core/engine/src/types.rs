//! How fast jobs train on which types of GPU: what the [law of types](super::speed) and policies that
//! profile jobs go by.
//!
//! Jobs whose model is one of Gavel's go by their measured throughput, on as many GPUs, packed on one
//! node ([`JobType::throughput`]). Others go by the types' relative speeds
//! ([`GpuModel::speed`], or what the cluster says); a type of which none is known counts as a V100. Jobs that train an
//! application that was measured on all of the cluster's types ([`Application::on`]) go by these measurements.
//!
//! A run counts a job's work in seconds on the fastest type that it may use; that of a job with such an application in
//! seconds on the GPUs that it was measured on first. Where a trace records on which
//! type a job ran, its duration is that on this type, and is [converted](Types::on_the_fastest).

use crate::application::{Application, packed};
use crate::cluster::{ClusterSpec, GpuModel, Needs, Pools};
use crate::job::{Job, JobId, TypeSet, Work};
use crate::order;
use crate::throughputs::JobType;
use crate::workload::{GpuGeneration, Workload};
use std::sync::Arc;

/// What GPUs count as whose generation was not measured, for jobs that share one.
pub(super) const UNMEASURED: GpuGeneration = GpuGeneration::V100;

/// What is known of pools' types and of jobs on them.
#[derive(Debug)]
pub(super) struct Types {
    /// By pool.
    pools: Vec<Type>,
    /// By the workload's GPU types; empty where no type is told from another.
    recorded: Vec<Type>,
    /// By the workload's models.
    measured: Vec<Option<JobType>>,
    /// By the workload's applications: on each pool, where it was measured on all of their types.
    trained: Vec<Option<Trained>>,
    /// GPUs of the largest node.
    node_size: u32,
    /// Whether one is slower than another.
    differ: bool,
}

/// An application by pool.
pub(super) type Trained = Arc<[Arc<Application>]>;

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
        let of_type = |name: &str, speed| Type {
            name: name.into(),
            generation: GpuGeneration::of_type(name),
            speed,
        };
        let of_pool = |pool| {
            let name = pools.gpu(pool).map_or("", |gpu| cluster.type_name(gpu));
            of_type(name, pools.speed(pool))
        };
        let known: Vec<Type> = (0..pools.len()).map(of_pool).collect();
        let recorded = |name: &String| {
            let here = known.iter().find(|of| *of.name == **name);
            let published = || GpuModel::named(name)?.speed;
            let speed = here.map(|of| of.speed).or_else(published);
            of_type(name, speed.unwrap_or(1.0))
        };
        let typed = !equal && known.iter().any(|of| !of.name.is_empty());
        let named = workload.gpu_types.iter().filter(|_| typed);
        let models = workload.models.iter();
        let differ = !equal && pools.len() > 1;
        let on_pools = |application: &Arc<Application>| {
            let on = known.iter().map(|of| {
                // Where a cluster says how fast a type is, that counts.
                let published = GpuModel::named(&of.name)?.speed;
                let there = application
                    .on(&of.name)
                    .filter(|_| published == Some(of.speed));
                there.map(Arc::new)
            });
            differ.then(|| on.collect::<Option<_>>()).flatten()
        };
        Self {
            recorded: named.map(recorded).collect(),
            trained: workload.applications.iter().map(on_pools).collect(),
            pools: known,
            measured: models.map(|model| JobType::named(model)).collect(),
            node_size: cluster.largest_node(),
            differ,
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
        if let Some(on) = self.trained(job) {
            let speed = |pool: usize| on.get(pool).map_or(0.0, |on| self.asked_speed(job, on));
            let allowed = (0..on.len()).filter(|&pool| needs.allows(pool));
            return speed(pool) / allowed.map(speed).fold(0.0, f64::max);
        }
        let speed = self.speed(job, self.allowed(needs));
        let fastest = self.allowed(needs).map(&speed).fold(0.0, f64::max);
        // No table has a speed of 0 (`GpuModel`, `JobType`, and what a cluster may say).
        self.pools.get(pool).map_or(1.0, speed) / fastest
    }

    /// The pools that a job may use.
    fn allowed(&self, needs: Needs) -> impl Iterator<Item = &Type> {
        let pools = self.pools.iter().enumerate();
        let allowed = pools.filter(move |(pool, _)| needs.allows(*pool));
        allowed.map(|(_, of)| of)
    }

    /// How fast a job trains on each of these types.
    fn speed<'t>(
        &self,
        job: &Job,
        mut types: impl Iterator<Item = &'t Type>,
    ) -> impl Fn(&Type) -> f64 {
        let gpus = job.gpus;
        let throughput = move |of: JobType, on: &Type| of.throughput(on.generation?, gpus, true);
        // Measurements and relative speeds have no unit in common: all types by one of them.
        let measured = self.measured(job);
        let measured = measured.filter(|&of| types.all(|on| throughput(of, on).is_some()));
        move |on| {
            let throughput = measured.and_then(|of| throughput(of, on));
            throughput.unwrap_or(on.speed)
        }
    }

    /// The application that a job trains, by pool, where it goes by what was measured on each of their types.
    pub(super) fn trained(&self, job: &Job) -> Option<&Trained> {
        let Work::Adaptive { application, .. } = job.work else {
            return None;
        };
        self.trained.get(application as usize)?.as_ref()
    }

    /// How fast a job trains an application, with the GPUs and the batch that it asks for.
    fn asked_speed(&self, job: &Job, application: &Application) -> f64 {
        let Work::Adaptive { batch, .. } = job.work else {
            return 0.0;
        };
        let placement = packed(job.gpus, self.node_size);
        let batch = application.limits.split(batch, job.gpus);
        application.speed(&placement, batch, 0)
    }

    /// How long a job takes as the run counts its work, as a part of how long it took on these types
    /// as recorded. A gang on several went at the speed of the slowest.
    fn stretch(
        &self,
        applications: &[Arc<Application>],
        job: &Job,
        needs: Needs,
        ran: TypeSet,
    ) -> f64 {
        let recorded = || ran.named().filter_map(|at| self.recorded.get(at as usize));
        if self.trained(job).is_some()
            && let Work::Adaptive { application, .. } = job.work
            && let Some(first) = applications.get(application as usize)
        {
            let there = |of: &Type| Some(self.asked_speed(job, &first.on(&of.name)?));
            let speeds: Option<Vec<f64>> = recorded().map(there).collect();
            let slowest = speeds.into_iter().flatten().min_by(order::by_value);
            return slowest.map_or(1.0, |slowest| slowest / self.asked_speed(job, first));
        }
        let speed = self.speed(job, self.allowed(needs).chain(recorded()));
        let by_speed = |a: &f64, b: &f64| order::by_value(a, b);
        let slowest = recorded().map(&speed).min_by(by_speed);
        let by_factor = |&a: &usize, &b: &usize| {
            order::by_value(&self.factor(job, needs, a), &self.factor(job, needs, b))
        };
        let allowed = (0..self.len()).filter(|&pool| needs.allows(pool));
        let fastest = allowed.max_by(by_factor).and_then(|at| self.pools.get(at));
        slowest
            .zip(fastest)
            .map_or(1.0, |(slowest, fastest)| slowest / speed(fastest))
    }

    /// The jobs with the work that each has on the fastest pool that it may use.
    pub(super) fn on_the_fastest(
        &self,
        mut workload: Arc<Workload>,
        needs: impl Fn(JobId) -> Needs,
    ) -> Arc<Workload> {
        if self.recorded.is_empty() {
            return workload;
        }
        let jobs = (0..).map(JobId).zip(&workload.jobs);
        let stretched = jobs.filter_map(|(id, job)| {
            let ran = workload.recorded.run(id)?.types;
            let stretch = self.stretch(&workload.applications, job, needs(id), ran);
            (stretch != 1.0).then_some((id, stretch))
        });
        let stretched: Vec<(JobId, f64)> = stretched.collect();
        if stretched.is_empty() {
            return workload;
        }
        let Workload { jobs, recorded, .. } = Arc::make_mut(&mut workload);
        for (id, stretch) in stretched {
            match &mut jobs[id.index()].work {
                Work::Fixed { duration } => *duration *= stretch,
                Work::Adaptive {
                    duration, scale, ..
                } => {
                    *duration *= stretch;
                    *scale *= stretch;
                }
            }
            let attempts = recorded.attempts.get_mut(&id).into_iter().flatten();
            attempts.for_each(|seconds| *seconds *= stretch);
        }
        workload
    }

    /// The measured job type that a job is of.
    pub(super) fn measured(&self, job: &Job) -> Option<JobType> {
        *self.measured.get(job.model? as usize)?
    }

    /// What is kept of their speeds alone by two jobs on one GPU of a pool; `None` where that was not
    /// measured or they do not fit.
    pub(super) fn rates_together(&self, a: &Job, b: &Job, pool: usize) -> Option<(f64, f64)> {
        let generation = self.pools.get(pool)?.generation;
        let generation = generation.unwrap_or(UNMEASURED);
        self.measured(a)?
            .rates_together(self.measured(b)?, generation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What policies hear of a type is by what was measured with the GPUs and the batch that the job asks for.
    #[test]
    fn a_factor_is_of_what_was_measured() {
        let cluster: ClusterSpec = "1x4:t4+1x4:a100".parse().expect("a cluster");
        let job = |application| Job {
            work: Work::Adaptive {
                application,
                batch: 384,
                scale: 1.0,
                duration: 100.0,
            },
            ..Job::plain(0.0, 4, 100.0)
        };
        let applications = Application::embedded();
        let workload = Workload {
            jobs: (0..applications.len() as u32).map(job).collect(),
            applications: applications.into_iter().map(Arc::new).collect(),
            ..Workload::default()
        };
        let pools = Pools::of(&cluster);
        let types = Types::new(&workload, &cluster, &pools, false);
        assert_eq!((types.name(0), types.name(1)), ("a100", "t4"));
        for (job, of) in workload.jobs.iter().zip(&workload.applications) {
            let factor = |pool| types.factor(job, Needs::NONE, pool);
            let seconds = |gpu: &str| {
                let on = of.on(gpu).expect("measured");
                let batch = on.limits.split(384, 4);
                on.step_times(&[4], batch.m).iteration(batch.s)
            };
            assert_eq!(factor(0), 1.0);
            let ratio = seconds("a100") / seconds("t4");
            assert!((factor(1) / ratio - 1.0).abs() < 1e-12, "{}", of.name);
            assert!(factor(1) < 1.0);
        }
        let equal = Types::new(&workload, &cluster, &pools, true);
        assert!(equal.trained(&workload.jobs[0]).is_none());
    }
}
