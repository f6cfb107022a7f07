//! What is worked out beside the runs, each by a worker of its own: the [goodput model](goodput), [placements of
//! shares](packing), [sweeps](sweep), runs of another link or file [side by side](side_by_side) with the page's, and
//! when a job would [start](start).

mod goodput;
mod in_turn;
mod packing;
mod side_by_side;
mod start;
mod sweep;

use crate::bridge::client::WorkerHandle;
use crate::bridge::protocol::{GoodputModel, Packer};
use start::StartUnderWay;
use std::cell::RefCell;
use sweep::SweepUnderWay;

/// The workers of analyses.
#[derive(Default)]
pub(super) struct AnalysisWorkers {
    /// Answers for the goodput model.
    goodput: RefCell<Option<WorkerHandle<GoodputModel>>>,
    /// Measures placements of shares.
    packer: RefCell<Option<WorkerHandle<Packer>>>,
    sweep: RefCell<SweepUnderWay>,
    start: RefCell<StartUnderWay>,
}

impl AnalysisWorkers {
    /// Ends the sweep that is under way.
    pub(super) fn end_sweep(&self) {
        self.sweep.take();
    }

    /// Asks nobody any more when a job would start.
    pub(super) fn end_start(&self) {
        self.start.take();
    }
}
