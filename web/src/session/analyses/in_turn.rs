//! Runs beside the page's own that are carried out in turn: those that wait, and those that have a worker. As many have one as the
//! machine has to spare.

use crate::bridge::client::{News, WorkerHandle};
use crate::bridge::jobs::Jobs;
use crate::bridge::protocol::{Program, Role, RunInput};
use crate::complaint::Complaint;
use crate::session::Session;
use crate::session::runs::ResolvedWeights;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use switchyard::RunSpec;
use switchyard::workload::ApplicationSettings;

/// Jobs, and what they train where they are adaptive.
#[derive(Clone, Default)]
pub(super) struct Side {
    pub(super) jobs: Jobs,
    pub(super) applications: Option<Arc<ApplicationSettings>>,
}

/// Orders of runs, each with its place.
pub(super) struct InTurn<Order, R: Role> {
    waiting: VecDeque<(usize, Order)>,
    workers: Vec<(usize, WorkerHandle<R>)>,
}

/// What is to be done next.
pub(super) enum Next<Order> {
    /// This, at its place.
    Begin(usize, Order),
    /// Nothing before a worker has ended.
    Wait,
    /// Nothing: all has been done.
    Over,
}

impl<Order, R: Role> Default for InTurn<Order, R> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            workers: Vec::new(),
        }
    }
}

impl<Order, R: Role> InTurn<Order, R> {
    /// All of these, in their order.
    pub(super) fn of(orders: Vec<Order>) -> Self {
        Self {
            waiting: orders.into_iter().enumerate().collect(),
            ..Self::default()
        }
    }

    /// These wait, too.
    pub(super) fn add(&mut self, orders: impl IntoIterator<Item = (usize, Order)>) {
        self.waiting.extend(orders);
    }

    /// What comes next, where so many may have a worker at once.
    pub(super) fn next(&mut self, most: usize) -> Next<Order> {
        if self.workers.len() >= most {
            return Next::Wait;
        }
        match self.waiting.pop_front() {
            Some((at, order)) => Next::Begin(at, order),
            None if self.workers.is_empty() => Next::Over,
            None => Next::Wait,
        }
    }

    /// The order at this place has a worker.
    pub(super) fn put(&mut self, at: usize, worker: WorkerHandle<R>) {
        self.workers.push((at, worker));
    }

    /// Whether the order at this place has a worker.
    pub(super) fn has(&self, at: usize) -> bool {
        self.workers.iter().any(|(of, _)| *of == at)
    }

    /// The order at this place is done.
    pub(super) fn end(&mut self, at: usize) {
        self.workers.retain(|(of, _)| *of != at);
    }
}

impl Session {
    /// A worker that has been asked about a run; `again` says what a person can do where weights are on their way.
    ///
    /// # Errors
    ///
    /// It lacks weights, or the request cannot be written.
    pub(super) fn worker_for<R: Role>(
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
