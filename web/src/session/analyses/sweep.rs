//! Sweeps: their runs wait in a line for workers that the machine has to spare, and each leaves its
//! summary and nothing else.

mod carrying;

use super::in_turn::{InTurn, Side};
use crate::bridge::client::WorkerHandle;
use crate::bridge::protocol::{Opener, Summarizer};
use crate::state::capacity::Searching;
use crate::state::sweep::Order;
use std::rc::Rc;

/// The sweep that is under way.
#[derive(Default)]
pub(super) struct SweepUnderWay {
    /// Its runs.
    runs: InTurn<Order, Summarizer>,
    /// The jobs of the page, and those of the other side.
    sides: [Side; 2],
    /// What says which runs come next, where that hangs on what the others come to.
    search: Option<Searching>,
    /// What opens the jobs of the other side.
    pub(super) opener: Option<WorkerHandle<Opener>>,
    /// Tells this one from others that were asked for.
    pub(super) mark: Rc<()>,
}
