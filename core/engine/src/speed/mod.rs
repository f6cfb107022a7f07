//! How fast jobs run where they are. Each law slows a job by a factor; factors multiply. The engine
//! tells the laws who has got which GPUs and who has lost them, and asks after all of a moment whose
//! speed has changed. Nothing else knows why a job is slow.

mod checkpointing;
mod contention;
mod neighbours;
mod sharing;
mod spread;
mod types;

use super::setting::Setting;
use crate::cluster::{ClusterSpec, Gpus, Part};
use crate::job::JobId;
use checkpointing::Checkpointing;
use contention::Contention;
use neighbours::Neighbours;
use sharing::Sharing;
use spread::Spread;
use switchyard_explain::Cause;
use types::Types;

/// A job that has just got GPUs.
pub(super) struct Entering<'a> {
    pub(super) id: JobId,
    pub(super) setting: &'a Setting,
    pub(super) parts: &'a [Part],
    /// Which GPUs of these nodes.
    pub(super) gpus: &'a [Gpus],
    /// Whether they are on more nodes than need be.
    pub(super) is_spread: bool,
    /// Whether it trains an application, whose profile knows what nodes cost.
    pub(super) trains: bool,
}

impl Entering<'_> {
    /// The pool of its first node; 0 where all nodes are alike.
    fn pool(&self) -> usize {
        let pools = self.setting.pools.as_ref();
        let first = self.parts.first();
        pools
            .zip(first)
            .map_or(0, |(pools, part)| pools.of_node(part.node))
    }
}

/// One cause of slowness.
trait Law {
    /// A job has got GPUs.
    fn enter(&mut self, entering: &Entering<'_>);

    /// A job has lost its GPUs.
    fn leave(&mut self, job: JobId);

    /// By what a job's speed is multiplied, in (0, 1].
    fn factor(&self, job: JobId) -> f64;

    /// Who runs at another factor than before, because of others that have come and gone since it
    /// was last asked. Until then they stay as they were.
    fn changed(&mut self, jobs: &mut Vec<JobId>);

    /// Why a job's factor is below 1.
    fn causes(&self, job: JobId, causes: &mut Vec<Cause>);
}

/// The laws of a run; without any, every job runs at full speed.
pub(super) struct Speeds {
    laws: Vec<Box<dyn Law>>,
}

impl Speeds {
    pub(super) fn new(setting: &Setting, cluster: &ClusterSpec) -> Self {
        let options = &setting.options;
        let mut laws: Vec<Box<dyn Law>> = Vec::new();
        if let Some(generation) = options.spread_slowdown {
            laws.push(Box::new(Spread::new(generation, setting, cluster)));
        }
        if let Some(types) = Types::of(setting) {
            laws.push(Box::new(types));
        }
        if options.interference > 0.0 {
            let nodes = cluster.nodes() as usize;
            laws.push(Box::new(Neighbours::new(options.interference, nodes)));
        }
        if setting.shares_gpus()
            && let Some(sharing) = Sharing::of(setting, cluster)
        {
            laws.push(Box::new(sharing));
        }
        if options.contention {
            laws.push(Box::new(Contention::new(setting, cluster)));
        }
        if options.checkpoint_interval > 0.0 && options.checkpoint_cost > 0.0 {
            laws.push(Box::new(Checkpointing::new(
                options.checkpoint_interval,
                options.checkpoint_cost,
            )));
        }
        Self { laws }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.laws.is_empty()
    }

    pub(super) fn enter(&mut self, entering: &Entering<'_>) {
        self.laws.iter_mut().for_each(|law| law.enter(entering));
    }

    pub(super) fn leave(&mut self, job: JobId) {
        self.laws.iter_mut().for_each(|law| law.leave(job));
    }

    /// A job's speed as a part of its full speed.
    pub(super) fn of(&self, job: JobId) -> f64 {
        let factors = self.laws.iter().map(|law| law.factor(job));
        factors.fold(1.0, |product, factor| product * factor)
    }

    /// Why a job's speed is not full.
    pub(super) fn causes(&self, job: JobId) -> Vec<Cause> {
        let mut causes = Vec::new();
        self.laws
            .iter()
            .for_each(|law| law.causes(job, &mut causes));
        causes
    }

    /// Whose speed has changed since it was last asked, other than by new GPUs.
    pub(super) fn changed(&mut self) -> Vec<JobId> {
        let mut jobs = Vec::new();
        self.laws.iter_mut().for_each(|law| law.changed(&mut jobs));
        jobs
    }
}
