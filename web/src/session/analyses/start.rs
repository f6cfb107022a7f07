//! When would a job start: every scheduler that is asked has a worker, as many at once as the machine has to spare.

mod asking;

use super::in_turn::{InTurn, Side};
use crate::bridge::protocol::Starter;
use crate::state::start::StartOrder;

/// The question that is under way.
#[derive(Default)]
pub(super) struct StartUnderWay {
    /// The schedulers that are asked.
    runs: InTurn<StartOrder, Starter>,
    jobs: Side,
    moment: f64,
    draws: u32,
}
