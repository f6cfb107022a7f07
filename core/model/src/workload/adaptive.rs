//! Jobs of any workload as training of applications.

use super::{BindError, BindingRule, Unbound, Workload};
use crate::application::{Application, packed};
use crate::job::Work;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Workload {
    /// The same jobs as training of these applications: plain ones by the rule, stretched so that
    /// their durations stay; those that train an application already get that of the same name.
    ///
    /// # Errors
    ///
    /// A [`BindError`] if the rule, or a job, names an application that is not there.
    pub fn bind(
        mut self,
        rule: &BindingRule,
        applications: Vec<Application>,
    ) -> Result<Self, BindError> {
        let of = |index: u32| Some(&*self.applications.get(index as usize)?.name);
        let jobs = self.gangs().map(|job| {
            let model = job.model.and_then(|model| self.models.get(model as usize));
            let model = model.map(String::as_str);
            let (model, batch) = match job.work {
                Work::Fixed { .. } => (model, None),
                Work::Adaptive {
                    application, batch, ..
                } => (of(application).or(model), Some(batch)),
            };
            Unbound {
                model,
                submit: job.submit.seconds(),
                duration: job.work.seconds(),
                gpus: job.gpus,
                batch,
            }
        });
        let bounds = rule.bind(jobs, &applications)?;
        // Many jobs share application, GPUs and batch.
        let mut times: BTreeMap<(u32, u32, u32), f64> = BTreeMap::new();
        let gangs = self.jobs.iter_mut().filter(|job| !job.is_on_cores());
        for (job, to) in gangs.zip(bounds) {
            let (scale, duration) = match job.work {
                Work::Fixed { duration } => (to.scale, duration),
                Work::Adaptive { scale, .. } => {
                    let time = times
                        .entry((to.application, job.gpus, to.batch))
                        .or_insert_with(|| {
                            let placement = packed(job.gpus, rule.gpus_per_node);
                            applications
                                .get(to.application as usize)
                                .map_or(0.0, |a| a.training_time(&placement, to.batch))
                        });
                    (scale, *time * scale)
                }
            };
            job.work = Work::Adaptive {
                application: to.application,
                batch: to.batch,
                scale,
                duration,
            };
        }
        self.applications = applications.into_iter().map(Arc::new).collect();
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Sample;

    #[test]
    fn plain_jobs_keep_their_durations_and_named_ones_their_batch() {
        let plain = Sample::named("lab").expect("a sample").workload();
        assert!(!plain.is_adaptive());
        let rule = BindingRule::default();
        let bound = plain
            .clone()
            .bind(&rule, Application::embedded())
            .expect("the paper's rule");
        assert!(bound.is_adaptive());
        for (job, before) in bound.jobs.iter().zip(&plain.jobs) {
            let Work::Adaptive {
                application,
                batch,
                scale,
                duration,
            } = job.work
            else {
                panic!("{} is not bound", job.name);
            };
            assert_eq!(duration, before.work.seconds());
            let application = &bound.applications[application as usize];
            let time = application.training_time(&packed(job.gpus, 4), batch) * scale;
            assert!((time / duration - 1.0).abs() < 1e-12);
        }
        // Binding what is bound changes no more than rounding.
        let again = bound.clone().bind(&rule, Application::embedded());
        let again = again.expect("bound");
        for (job, before) in again.jobs.iter().zip(&bound.jobs) {
            assert!((job.work.seconds() / before.work.seconds() - 1.0).abs() < 1e-12);
        }
    }
}
