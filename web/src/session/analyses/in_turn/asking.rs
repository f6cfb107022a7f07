//! A worker is started and asked about a run.

use super::Side;
use crate::bridge::client::{News, WorkerHandle};
use crate::bridge::protocol::{Program, Role, RunInput};
use crate::complaint::Complaint;
use crate::session::Session;
use crate::session::runs::ResolvedWeights;
use std::rc::Rc;
use switchyard::RunSpec;

impl Session {
    /// A worker that has been asked about a run; `again` says what a person can do where weights are on their way.
    ///
    /// # Errors
    ///
    /// It lacks weights, or the request cannot be written.
    pub(in crate::session::analyses) fn worker_for<R: Role>(
        &self,
        spec: RunSpec,
        side: Side,
        again: &str,
        request: impl FnOnce(RunInput) -> R::Request,
        on_news: impl Fn(News<R::Reply>) + 'static,
    ) -> Result<WorkerHandle<R>, Complaint> {
        let weights = match self.resolve_weights(&spec) {
            ResolvedWeights::Ready(weights) => weights,
            ResolvedWeights::Missing(why) => return Err(why.into()),
            ResolvedWeights::Loading => {
                return Err(format!("Its weights are on their way: {again}.").into());
            }
        };
        let worker = WorkerHandle::start_in(Program::of(&spec.policy), on_news);
        let input = RunInput {
            spec: Rc::new(spec),
            applications: side.applications,
            has_user_weights: weights.user_file.is_some(),
        };
        let with = std::iter::once(side.jobs.into()).chain(weights.files());
        let sent = worker.send(&request(input), with);
        sent.map_err(Complaint::of)?;
        Ok(worker)
    }
}
