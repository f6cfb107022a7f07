//! Runs: declared by the reducer's list of schedulers, carried by [workers], which also answer [questions]. Policies that
//! have learned need their [weights].

mod questions;
mod reconciling;
mod weights;
mod workers;

use crate::machine::Machine;
use std::cell::{Cell, RefCell};
pub(super) use weights::ResolvedWeights;
use weights::WeightFiles;
use workers::Workers;

/// What carries runs.
pub(super) struct RunWorkers {
    /// The workers of the runs that have been started, in no particular order.
    workers: RefCell<Workers>,
    /// The run whose rounds are shown.
    round_of: Cell<Option<u32>>,
    weights: RefCell<WeightFiles>,
}

impl RunWorkers {
    /// None yet, on this machine.
    pub(super) fn new() -> Self {
        Self {
            workers: RefCell::new(Workers::new(Machine::here())),
            round_of: Cell::default(),
            weights: RefCell::default(),
        }
    }

    /// Ends all.
    pub(super) fn end_all(&self) {
        self.workers.borrow_mut().clear();
    }
}
