//! How large a run's log may become here: from the flags, or from the memory that is free. Where
//! the system does not tell, the engine's default holds.

use bytesize::ByteSize;
use clap::Args;
use switchyard::engine::LogBudget;
use sysinfo::System;

/// Flags for a run's log.
#[derive(Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LogArguments {
    /// How large the log of a run may become, such as 500MB or 4GB
    ///
    /// Beyond it the run ends and says what of the policy or of the jobs to change. By default it is a quarter of
    /// the free memory, where the system tells it; else 1GB. Runs come one after the other, and none keeps its log.
    #[arg(long, value_name = "SIZE")]
    log_budget: Option<ByteSize>,
    /// How many events the log of a run may hold
    ///
    /// By default as many as its size lets it.
    #[arg(long, value_name = "EVENTS")]
    log_events: Option<u64>,
}

impl LogArguments {
    /// The budget of a run that is about to begin.
    pub(crate) fn budget(&self) -> LogBudget {
        self.budget_of_each(1)
    }

    /// The budget of each of so many runs at once.
    pub(crate) fn budget_of_each(&self, runs: usize) -> LogBudget {
        let chosen = self
            .log_budget
            .map(|size| LogBudget::of_bytes(size.as_u64()));
        let part = || LogBudget::of_bytes(of_machine().bytes / runs.max(1) as u64);
        let budget = chosen.unwrap_or_else(part);
        LogBudget {
            events: self.log_events.unwrap_or(budget.events),
            ..budget
        }
    }
}

/// What the memory that is free allows the log of one run.
pub(crate) fn of_machine() -> LogBudget {
    free_bytes().map_or_else(LogBudget::default, LogBudget::of_memory)
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
