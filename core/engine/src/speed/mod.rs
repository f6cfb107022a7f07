//! How fast jobs run where they are. Each law slows a job by a factor; factors multiply. The engine
//! tells the laws who has got which GPUs and who has lost them, and asks after all of a moment whose
//! speed has changed. Nothing else knows why a job is slow.

mod checkpointing;
mod contention;
#[cfg(feature = "solvers")]
mod interleaving;
mod law;
mod neighbours;
mod sharing;
mod spread;
#[cfg(feature = "solvers")]
mod standing;
mod types;

use super::setting::Setting;
use crate::cluster::ClusterSpec;
use crate::job::JobId;
use checkpointing::Checkpointing;
use contention::Contention;
#[cfg(feature = "solvers")]
use interleaving::Interleaving;
pub(super) use law::Entering;
use law::Law;
use neighbours::Neighbours;
use sharing::Sharing;
use spread::Spread;
#[cfg(feature = "solvers")]
use standing::CoLocated;
use switchyard_explain::Cause;
use types::Types;

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
        #[cfg(feature = "solvers")]
        if setting.interleaves {
            laws.push(Box::new(Interleaving::default()));
            laws.push(Box::new(CoLocated::default()));
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
