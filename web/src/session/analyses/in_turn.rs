//! Runs beside the page's own that are carried out in turn: those that wait, and those that have a worker. As many have one as the
//! machine has to spare.

mod asking;

use crate::bridge::client::WorkerHandle;
use crate::bridge::jobs::Jobs;
use crate::bridge::protocol::Role;
use std::collections::VecDeque;
use std::sync::Arc;
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
