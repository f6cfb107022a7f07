//! Jobs that have the same GPUs take turns at storage and CPUs, GPUs and network, so that each does one iteration in a
//! cycle (Muri, SIGCOMM'22 §4.2, with what its authors measured of models and of sharing). Where a model was not
//! measured, each job of the group has an equal part of the time.

use super::{Cause, Entering, Law, Setting};
use crate::groups::Groups;
use crate::job::JobId;
use std::collections::BTreeMap;
use switchyard_interleaving::cycle::{Ordering, ResourceTimes, SLOTS, period};
use switchyard_interleaving::grouping::{Kind, SLOWDOWNS};
use switchyard_interleaving::measured::measured;

#[derive(Default)]
pub(super) struct Interleaving {
    groups: Groups,
    /// Of those in groups: what was measured of each, and its factor.
    jobs: BTreeMap<JobId, (Option<Kind>, f64)>,
    /// Whose group has others than before.
    touched: Vec<JobId>,
}

impl Interleaving {
    /// By what a job's speed is multiplied in its group.
    fn factor_now(&self, job: JobId) -> f64 {
        let members = self.groups.of(job);
        if members.is_empty() {
            return 1.0;
        }
        let kinds = members.iter().map(|member| self.jobs.get(member)?.0);
        let kinds: Option<Vec<Kind>> = kinds.collect();
        let own = self.jobs.get(&job).and_then(|of| of.0);
        match (kinds, own) {
            (Some(kinds), Some(own)) if kinds.len() <= SLOTS => {
                let times: Vec<ResourceTimes> = kinds.iter().map(|kind| kind.times).collect();
                let cycle = period(&times, Ordering::Best) * SLOWDOWNS[kinds.len() - 1];
                (own.iteration_time / cycle).min(1.0)
            }
            _ => 1.0 / members.len() as f64,
        }
    }
}

/// What was measured of a job's model.
pub(super) fn kind(setting: &Setting, job: JobId) -> Option<Kind> {
    let job = setting.job(job);
    let model = setting.workload.models.get(job.model? as usize)?;
    measured(model, job.gpus)
}

impl Law for Interleaving {
    fn enter(&mut self, entering: &Entering<'_>) {
        let Some(other) = entering.beside else {
            return;
        };
        let job = entering.id;
        for one in [other, job] {
            let of = self.jobs.entry(one);
            of.or_insert_with(|| (kind(entering.setting, one), 1.0));
        }
        self.groups.join(job, other);
        let factor = self.factor_now(job);
        if let Some(of) = self.jobs.get_mut(&job) {
            of.1 = factor;
        }
        self.touched.push(job);
    }

    fn leave(&mut self, job: JobId) {
        if self.jobs.remove(&job).is_some() {
            let others = self.groups.of(job).iter();
            let other = others.copied().find(|&other| other != job);
            self.touched.extend(other);
            self.groups.leave(job);
        }
    }

    fn factor(&self, job: JobId) -> f64 {
        self.jobs.get(&job).map_or(1.0, |of| of.1)
    }

    fn changed(&mut self, jobs: &mut Vec<JobId>) {
        for touched in std::mem::take(&mut self.touched) {
            let members = self.groups.of(touched);
            let members = match members {
                [] => vec![touched],
                members => members.to_vec(),
            };
            for job in members {
                let factor = self.factor_now(job);
                if let Some(of) = self.jobs.get_mut(&job)
                    && of.1 != factor
                {
                    of.1 = factor;
                    jobs.push(job);
                }
            }
        }
    }

    fn causes(&self, job: JobId, causes: &mut Vec<Cause>) {
        let members = self.groups.of(job);
        let factor = self.factor(job);
        if members.is_empty() || factor >= 1.0 {
            return;
        }
        let others = members.iter().copied().filter(|&other| other != job);
        let share = (1.0 - factor) / (members.len() - 1) as f64;
        causes.push(Cause {
            law: "interleaving".to_owned(),
            place: "GPUs on which it takes turns".to_owned(),
            factor,
            load: None,
            by: others.map(|other| (other, share)).collect(),
        });
    }
}
