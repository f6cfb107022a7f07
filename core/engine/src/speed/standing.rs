//! Jobs beside others on the same GPUs: who is guaranteed them is as fast as alone, who is opportunistic fits its phases
//! into what the other leaves idle, on each of its GPUs, and is as slow as on the slowest (AntMan, OSDI'20, by the rules of
//! Muri's authors: [`switchyard_interleaving::antman`]). Beside one whose model was not measured it has half the time.

use super::interleaving::kind;
use super::{Cause, Entering, Law};
use crate::job::JobId;
use crate::standing::{Standing, Standings};
use std::collections::BTreeMap;
use switchyard_interleaving::antman::iteration_beside;
use switchyard_interleaving::grouping::Kind;

#[derive(Default)]
pub(super) struct CoLocated {
    standings: Standings,
    /// Of those with a standing: what was measured of each, and its factor.
    jobs: BTreeMap<JobId, (Option<Kind>, f64)>,
    /// Beside whom there are others than before.
    touched: Vec<JobId>,
}

impl CoLocated {
    fn kind(&self, job: JobId) -> Option<Kind> {
        self.jobs.get(&job)?.0
    }

    /// By what an opportunistic job's speed is multiplied beside another one.
    fn co_located_factor(&self, job: JobId, other: JobId) -> f64 {
        let (Some(own), Some(of_other)) = (self.kind(job), self.kind(other)) else {
            return 1.0 / Standings::MOST as f64;
        };
        let is_guaranteed = self.standings.of(other) == Some(Standing::Guaranteed);
        let time = iteration_beside(own, is_guaranteed.then_some(of_other));
        (own.iteration_time / time).min(1.0)
    }

    fn factor_now(&self, job: JobId) -> f64 {
        match self.standings.of(job) {
            Some(Standing::Opportunistic) => {
                let others = self.standings.co_located(job).into_iter();
                let factors = others.map(|other| self.co_located_factor(job, other));
                factors.fold(1.0, f64::min)
            }
            _ => 1.0,
        }
    }
}

impl Law for CoLocated {
    fn enter(&mut self, entering: &Entering<'_>) {
        let (job, Some(standing)) = (entering.id, entering.standing) else {
            return;
        };
        self.standings.enter(job, standing, entering.gpus);
        self.jobs.insert(job, (kind(entering.setting, job), 1.0));
        let factor = self.factor_now(job);
        if let Some(of) = self.jobs.get_mut(&job) {
            of.1 = factor;
        }
        self.touched.extend(self.standings.co_located(job));
    }

    fn leave(&mut self, job: JobId) {
        if self.jobs.remove(&job).is_some() {
            self.touched.extend(self.standings.co_located(job));
            self.standings.leave(job);
        }
    }

    fn factor(&self, job: JobId) -> f64 {
        self.jobs.get(&job).map_or(1.0, |of| of.1)
    }

    fn changed(&mut self, jobs: &mut Vec<JobId>) {
        for job in std::mem::take(&mut self.touched) {
            let factor = self.factor_now(job);
            if let Some(of) = self.jobs.get_mut(&job)
                && of.1 != factor
            {
                of.1 = factor;
                jobs.push(job);
            }
        }
    }

    fn causes(&self, job: JobId, causes: &mut Vec<Cause>) {
        let factor = self.factor(job);
        if factor >= 1.0 {
            return;
        }
        let mut slowest = self.standings.co_located(job);
        slowest.retain(|&other| self.co_located_factor(job, other) <= factor);
        let share = (1.0 - factor) / slowest.len() as f64;
        causes.push(Cause {
            law: "beside".to_owned(),
            place: "GPUs that others have, too".to_owned(),
            factor,
            load: None,
            by: slowest.into_iter().map(|other| (other, share)).collect(),
        });
    }
}
