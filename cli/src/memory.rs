//! How large a run's log may become here: from the flags, or from the memory that is free. Where
//! the system does not tell, the engine's default holds.

use bytesize::ByteSize;
use clap::Args;
use switchyard::sim::LogBudget;
use sysinfo::System;

/// Flags for a run's log.
#[derive(Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LogArguments {
    /// How large the log of a run may become, such as 500MB or 4GB
    ///
    /// Beyond it the run ends and says which of the policy's parameters to change. By default it is a quarter of
    /// the free memory, shared by all runs, where the system tells it; else 1GB.
    #[arg(long, value_name = "SIZE")]
    log_budget: Option<ByteSize>,
    /// How many events the log of a run may hold
    ///
    /// By default as many as its size lets it.
    #[arg(long, value_name = "EVENTS")]
    log_events: Option<u64>,
}

impl LogArguments {
    /// The budget of one of so many runs.
    pub(crate) fn budget(&self, runs: usize) -> LogBudget {
        let of_machine = || match free_bytes() {
            Some(bytes) => LogBudget::of_memory(bytes / runs.max(1) as u64),
            None => LogBudget::default(),
        };
        let budget = match self.log_budget {
            Some(size) => LogBudget::of_bytes(size.as_u64()),
            None => of_machine(),
        };
        LogBudget {
            events: self.log_events.unwrap_or(budget.events),
            ..budget
        }
    }
}

/// Memory that the program may still take, bytes.
fn free_bytes() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    let group = system.cgroup_limits();
    let most = group.map_or(u64::MAX, |limits| limits.free_memory);
    // Zero: the system does not tell.
    Some(system.available_memory().min(most)).filter(|&bytes| bytes > 0)
}
