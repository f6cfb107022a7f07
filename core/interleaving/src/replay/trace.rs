//! The published traces: CSV with a header, all times in milliseconds.

use super::job::{Job, Priority};
use super::overheads::overhead;
use crate::cycle::ResourceTimes;
use crate::grouping::PROFILING;
use thiserror::Error;

/// Why a text is no such trace.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The rows cannot be told apart.
    #[error(
        "not CSV as Muri's traces are: {0}; give a file of the repository's simulator/trace-data"
    )]
    Csv(#[from] csv::Error),
    /// A column is missing.
    #[error("the header has no column {0}; Muri's traces have one, give such a file")]
    Column(&'static str),
    /// A cell cannot be read.
    #[error("line {line}: {column} is {text:?}, and {wanted} is needed")]
    Cell {
        /// The line, from 1.
        line: u64,
        /// The column's name.
        column: &'static str,
        /// What stands there.
        text: String,
        /// What should.
        wanted: &'static str,
    },
    /// There is nothing to replay.
    #[error("there are no jobs; give a file with rows below its header")]
    Empty,
}

/// The columns that are read.
const COLUMNS: [&str; 11] = [
    "job_id",
    "num_gpu",
    "submit_time",
    "iterations",
    "model_name",
    "duration",
    "iteration_time",
    "resource_time_0",
    "resource_time_1",
    "resource_time_2",
    "priority",
];

/// A row, and where its columns are.
struct Row<'a> {
    cells: &'a csv::StringRecord,
    places: &'a [usize; COLUMNS.len()],
    line: u64,
}

impl Row<'_> {
    fn text(&self, column: usize) -> &str {
        self.cells.get(self.places[column]).unwrap_or("").trim()
    }

    fn wrong(&self, column: usize, wanted: &'static str) -> TraceError {
        TraceError::Cell {
            line: self.line,
            column: COLUMNS[column],
            text: self.text(column).to_owned(),
            wanted,
        }
    }

    fn number(&self, column: usize) -> Result<f64, TraceError> {
        let number = self.text(column).parse::<f64>().ok();
        let number = number.filter(|number| number.is_finite() && *number >= 0.0);
        number.ok_or_else(|| self.wrong(column, "a number of 0 or more"))
    }

    fn positive(&self, column: usize) -> Result<f64, TraceError> {
        let number = self.number(column)?;
        let number = Some(number).filter(|number| *number > 0.0);
        number.ok_or_else(|| self.wrong(column, "a number above 0"))
    }
}

/// Reads a trace: its jobs in the order of the file.
pub fn read(text: &[u8]) -> Result<Vec<Job>, TraceError> {
    let mut reader = csv::Reader::from_reader(text);
    let header = reader.headers()?.clone();
    let mut places = [0; COLUMNS.len()];
    for (place, name) in places.iter_mut().zip(COLUMNS) {
        let found = header.iter().position(|cell| cell.trim() == name);
        *place = found.ok_or(TraceError::Column(name))?;
    }
    let mut jobs = Vec::new();
    for cells in reader.records() {
        let cells = cells?;
        let row = Row {
            line: cells.position().map_or(0, csv::Position::line),
            cells: &cells,
            places: &places,
        };
        jobs.push(job(&row)?);
    }
    match jobs.is_empty() {
        true => Err(TraceError::Empty),
        false => Ok(jobs),
    }
}

fn job(row: &Row) -> Result<Job, TraceError> {
    let gpus = row.text(1).parse().ok().filter(|&gpus| gpus > 0);
    let gpus = gpus.ok_or_else(|| row.wrong(1, "a whole number of GPUs, 1 or more"))?;
    let priority = match row.text(10) {
        "0" => Priority::Guaranteed,
        "1" => Priority::Opportunistic,
        _ => return Err(row.wrong(10, "0 (guaranteed) or 1 (opportunistic)")),
    };
    let times = ResourceTimes {
        storage_and_cpu: row.number(7)? / 1000.0,
        gpu: row.positive(8)? / 1000.0,
        network: row.number(9)? / 1000.0,
    };
    Ok(Job {
        id: row.text(0).to_owned(),
        gpus,
        submit: row.number(2)? / 1000.0,
        iterations: row.positive(3)?,
        model: row.text(4).to_owned(),
        duration: row.number(5)?.floor() / 1000.0,
        iteration_time: row.positive(6)? * PROFILING / 1000.0,
        overhead: overhead(row.text(4), gpus),
        times,
        priority,
    })
}
