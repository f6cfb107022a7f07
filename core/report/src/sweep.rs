//! The table of a sweep: a row for each run, and how it stands in CSV. Whoever sweeps (the command line, Python,
//! the page) has these columns, which `docs/sweeps.md` describes.

use super::{COLUMNS, Metric, Summary};
use crate::spreadsheet::guarded;
use serde::{Deserialize, Serialize};

/// The version of the columns: another one is refused by name.
pub const VERSION: &str = "1";

/// Under which a Parquet file says it.
pub const VERSION_KEY: &str = "switchyard.sweep";

/// The columns with numbers of the run that are no metrics.
pub const NUMBERS: [&str; 2] = ["load", "seed"];

/// A text of a run: its column, and where it is in a row.
pub struct Text {
    /// The column.
    pub name: &'static str,
    /// The text.
    pub of: fn(&SweepRow) -> &str,
    /// The same, to write.
    pub to: fn(&mut SweepRow) -> &mut String,
}

macro_rules! texts {
    ($($name:ident),*) => {
        [$(Text {
            name: stringify!($name),
            of: |row| &row.$name,
            to: |row| &mut row.$name,
        }),*]
    };
}

/// The texts of a row.
pub const TEXTS: [Text; 11] = texts![
    trace, trace_hash, cluster, scheduler, policy, settings, key, failure, error, log_hash, link
];

/// One run, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SweepRow {
    /// Its number in the grid.
    pub point: u32,
    /// The trace, as the grid calls it.
    pub trace: String,
    /// A fingerprint of its jobs and all that came along, 16 hexadecimal digits.
    pub trace_hash: String,
    /// The cluster, as it ran.
    pub cluster: String,
    /// The policy's name.
    pub scheduler: String,
    /// The policy with its parameters, as it ran.
    pub policy: String,
    /// How many times as fast as recorded jobs came.
    pub load: f64,
    /// The seed.
    pub seed: u64,
    /// All other settings of the grid, `key=value`.
    pub settings: String,
    /// What the run is known by: a fingerprint of the trace and of all options.
    pub key: String,
    /// Why there are no numbers: `input` (asked wrongly), `run` (it did not end), `lost` (its worker has died,
    /// and it is tried again); "" where there are.
    pub failure: String,
    /// The same in words.
    pub error: String,
    /// The fingerprint of its log.
    pub log_hash: String,
    /// What shows it, after the page's `#`.
    pub link: String,
    /// The numbers of [`Metric::columns`], in their order; empty where there are none.
    pub figures: Vec<f64>,
    /// Milliseconds of simulation: of the machine and not of the run, so not in the table.
    pub wall_ms: f64,
}

impl SweepRow {
    /// Whether the run has numbers, but left jobs behind: they are then of fewer jobs than another's.
    pub fn leaves_jobs(&self) -> bool {
        self.figure("finished") < self.figure("jobs")
    }

    /// A number of the run, by its column; `None` where there are none.
    fn figure(&self, name: &str) -> Option<f64> {
        let at = Metric::columns().position(|metric| metric.id == name)?;
        self.figures.get(at).copied()
    }

    /// Whether the run has numbers, but jobs in it never end, or none could run.
    pub fn never_ends(&self) -> bool {
        let counts = ["jobs", "finished", "rejected"].map(|name| self.figure(name));
        let [Some(jobs), Some(finished), Some(rejected)] = counts.map(|of| Some(of? as u32)) else {
            return false;
        };
        let counts = Summary {
            jobs,
            finished,
            rejected,
            ..Summary::default()
        };
        counts.never_ends()
    }

    /// Whether it may be taken as it is, or is to be tried again.
    pub fn stands(&self) -> bool {
        self.failure != "lost"
    }
}

/// The numbers of a row.
pub fn figures(of: &Summary) -> Vec<f64> {
    Metric::columns().map(|metric| (metric.of)(of)).collect()
}

/// The columns' names, as CSV has them first.
pub fn csv_head() -> String {
    let texts = TEXTS.map(|text| text.name).join(",");
    let figures: Vec<&str> = Metric::columns().map(|metric| metric.id).collect();
    let numbers = NUMBERS.join(",");
    format!("point,{texts},{numbers},{}", figures.join(","))
}

/// A row as CSV; empty cells where there are no numbers or one cannot be known. No text is a formula in a spreadsheet.
pub fn csv_line(row: &SweepRow) -> String {
    let mut line = row.point.to_string();
    for text in TEXTS {
        let text = guarded((text.of)(row));
        line.push(',');
        match text.contains([',', '"', '\n', '\r']) {
            true => line += &format!("\"{}\"", text.replace('"', "\"\"")),
            false => line += &text,
        }
    }
    line += &format!(",{},{}", row.load, row.seed);
    for at in 0..COLUMNS {
        line.push(',');
        if let Some(value) = row.figures.get(at).filter(|value| !value.is_nan()) {
            line += &value.to_string();
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Version 1 of the table has these columns in this order: parts that lie in folders have them, too.
    #[test]
    fn columns_are_those_of_version_1() {
        assert_eq!(
            csv_head(),
            "point,trace,trace_hash,cluster,scheduler,policy,settings,key,failure,error,log_hash,link,load,seed,jobs,\
             finished,rejected,jct_mean,jct_median,jct_p90,jct_p95,jct_p99,jct_max,queueing_mean,queueing_median,\
             queueing_p90,queueing_p95,queueing_p99,queueing_max,longest_wait,makespan,restarts,gpu_allocation,\
             node_hours,mean_nodes,rho_mean,rho_p99,rho_max,jain,node_failures,evictions,failed_attempts,failed_jobs,\
             cancelled_jobs,executed_gpu_hours,lost_gpu_hours,checkpoint_gpu_hours,restore_gpu_hours,availability"
        );
    }

    #[test]
    fn a_row_says_whether_its_run_left_jobs_behind() {
        let of = |finished, jobs| SweepRow {
            figures: figures(&Summary {
                jobs,
                finished,
                ..Summary::default()
            }),
            ..SweepRow::default()
        };
        assert!(of(149, 240).leaves_jobs());
        assert!(!of(240, 240).leaves_jobs() && !SweepRow::default().leaves_jobs());
        assert!(of(149, 240).never_ends() && of(0, 240).never_ends());
        assert!(!of(240, 240).never_ends() && !SweepRow::default().never_ends());
        // What cannot be known is an empty cell.
        assert!(csv_line(&of(0, 2)).contains(",2,0,0,,,"));
    }
}
