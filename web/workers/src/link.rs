//! Whoever has a run carried: how replies travel, what was attached to a request, a clock, and the machine's bounds.

use crate::protocol::{Cells, RunReply};
use switchyard::engine::LogBudget;
use switchyard::workload::Workload;
use switchyard_app::driver::Cancel;
use switchyard_parcels::PackingError;

/// The way to the page, and what there is of a machine.
pub trait Link {
    /// What cells of logs travel in.
    type Cells: Cells;

    /// Whether it is a native program's.
    const IS_NATIVE: bool;

    /// Says something.
    fn reply(&self, reply: RunReply<Self::Cells>);

    /// A clock, in milliseconds.
    fn clock(&self) -> impl Fn() -> f64 + 'static;

    /// Has [`Runner::slice`](crate::runner::Runner::slice) called, after what the page may have asked meanwhile.
    fn call_again(&self);

    /// How long a log may become here that may become so long by the page's leave.
    fn log_budget(&self, asked: LogBudget) -> LogBudget {
        asked
    }

    /// What ends every run of it, where whoever it runs for does not end all with it.
    fn cancel(&self) -> Cancel {
        Cancel::default()
    }
}

/// What was attached to a request to begin a run.
pub trait Attached {
    /// The jobs.
    ///
    /// # Errors
    ///
    /// They are not there, or are no jobs.
    fn jobs(&mut self) -> Result<Workload, PackingError>;

    /// The next file of weights behind them.
    fn next_file(&mut self) -> Option<Vec<u8>>;
}
