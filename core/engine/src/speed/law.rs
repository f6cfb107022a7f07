//! What a law of slowness is, and what it is told of a job that gets GPUs.

use crate::cluster::{Gpus, Part};
use crate::job::JobId;
use crate::setting::Setting;
use crate::standing::Standing;
use switchyard_explain::Cause;

/// A job that has just got GPUs.
pub(crate) struct Entering<'a> {
    pub(crate) id: JobId,
    pub(crate) setting: &'a Setting,
    pub(crate) parts: &'a [Part],
    /// Which GPUs of these nodes.
    pub(crate) gpus: &'a [Gpus],
    /// Whether they are on more nodes than need be.
    pub(crate) is_spread: bool,
    /// A job that has the same GPUs already, and with whose group it takes turns.
    #[cfg_attr(
        not(feature = "solvers"),
        expect(dead_code, reason = "a law with solvers asks")
    )]
    pub(crate) beside: Option<JobId>,
    /// As what, where another job may have the same GPUs, too.
    #[cfg_attr(
        not(feature = "solvers"),
        expect(dead_code, reason = "a law with solvers asks")
    )]
    pub(crate) standing: Option<Standing>,
    /// Whether it trains an application, whose profile knows what nodes cost.
    pub(crate) trains: bool,
}

impl Entering<'_> {
    /// The pool of its first node; 0 where all nodes are alike.
    pub(super) fn pool(&self) -> usize {
        let pools = self.setting.pools.as_ref();
        let first = self.parts.first();
        pools
            .zip(first)
            .map_or(0, |(pools, part)| pools.of_node(part.node))
    }
}

/// One cause of slowness.
pub(super) trait Law {
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
