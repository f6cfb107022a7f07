//! A job is slower on GPUs that are slower for it than the fastest that it may use: that is its
//! reference, so that no factor is above 1. A job that allows one type only runs there as its trace
//! says. By [`Types`](crate::types::Types); what being spread costs is [`spread`](super::spread)'s.
//! A job on several types goes at the speed of the slowest. Jobs whose application was measured on all types are at
//! full speed everywhere: their steps are those of the type.

use super::{Cause, Entering, Law, Setting};
use crate::cluster::Pools;
use crate::job::JobId;
use crate::order;
use std::sync::Arc;

pub(super) struct Types {
    pools: Arc<Pools>,
    /// By pool.
    names: Vec<String>,
    /// By job, on its present or last GPUs.
    factors: Vec<f64>,
    /// By job: the slowest pool that it is on, and the fastest that it may use.
    between: Vec<(usize, usize)>,
}

impl Types {
    /// `None` where no type is told from another.
    pub(super) fn of(setting: &Setting) -> Option<Self> {
        let pools = setting.pools.as_ref()?;
        let types = &setting.types;
        let names = (0..types.len()).map(|pool| types.name(pool).to_owned());
        types.differ().then(|| Self {
            pools: Arc::clone(pools),
            names: names.collect(),
            factors: vec![1.0; setting.workload.jobs.len()],
            between: vec![(0, 0); setting.workload.jobs.len()],
        })
    }
}

impl Law for Types {
    fn enter(&mut self, entering: &Entering<'_>) {
        let setting = entering.setting;
        let (job, needs) = (setting.job(entering.id), setting.needs(entering.id));
        if setting.types.trained(job).is_some() {
            return;
        }
        let factor = |&pool: &usize| setting.types.factor(job, needs, pool);
        let by_factor = |a: &usize, b: &usize| order::by_value(&factor(a), &factor(b));
        // Parameter servers run on cores.
        let here = entering.parts.iter().filter(|part| part.has_workers());
        let here = here.map(|part| self.pools.of_node(part.node));
        let allowed = (0..self.names.len()).filter(|&pool| needs.allows(pool));
        if let (Some(slowest), Some(fastest)) = (here.min_by(by_factor), allowed.max_by(by_factor))
        {
            let at = entering.id.index();
            self.factors[at] = factor(&slowest);
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
