//! How large a run's log may become here: from the flags, or from the memory that is free.
//!
//! Linux says how much that is: `MemAvailable` of `/proc/meminfo` (proc_pid_status(5)), and what
//! the control group that holds the program may take (`memory.max`, cgroup v2). Elsewhere the
//! engine's default holds.

use clap::Args;
use std::fs;
use switchyard::sim::LogBudget;

/// Flags for a run's log.
#[derive(Args)]
pub(crate) struct LogArguments {
    /// How large the log of a run may become, such as 500MB or 4GB; beyond it the run ends and
    /// says which of the policy's parameters to change [default: a quarter of the free memory,
    /// shared by all runs, where the system tells it; else 1GB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    log_budget: Option<u64>,
    /// How many events the log of a run may hold [default: as many as its size lets it]
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
        let budget = self.log_budget.map_or_else(of_machine, LogBudget::of_bytes);
        LogBudget {
            events: self.log_events.unwrap_or(budget.events),
            ..budget
        }
    }
}

/// `500MB`, `4GB`, `1.5 GB`, in bytes.
fn size(text: &str) -> Result<u64, String> {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    let number = units
        .iter()
        .find_map(|(unit, bytes)| Some((text.strip_suffix(unit)?, bytes)));
    number
        .and_then(|(number, bytes)| Some(number.trim().parse::<f64>().ok()? * bytes))
        .filter(|bytes| (1.0..1e18).contains(bytes))
        .map(|bytes| bytes as u64)
        .ok_or_else(|| "it is a size with its unit, such as 500MB or 4GB".to_owned())
}

/// Memory that the program may still take, bytes.
fn free_bytes() -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
    let kibibytes = available_kibibytes(&meminfo)?;
    let group = fs::read_to_string("/sys/fs/cgroup/memory.max");
    let most = group.ok().and_then(|most| most.trim().parse().ok());
    Some((kibibytes * 1024).min(most.unwrap_or(u64::MAX)))
}

fn available_kibibytes(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("500MB"), Ok(500_000_000));
        assert_eq!(size("1.5 GB"), Ok(1_500_000_000));
        for wrong in ["500", "GB", "-1GB", "nanMB", "1e300GB", ""] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn free_memory_is_what_the_kernel_says() {
        let meminfo = "MemTotal:       16384000 kB\nMemAvailable:    8192000 kB\n";
        assert_eq!(available_kibibytes(meminfo), Some(8_192_000));
        assert_eq!(available_kibibytes("MemTotal: 1 kB"), None);
    }
}
