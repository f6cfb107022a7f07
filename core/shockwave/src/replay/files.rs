//! The two files of Shockwave's artifact: jobs as lines of twelve columns between tabs, and measured throughputs as
//! JSON. No header, no units in either: times are seconds, throughputs are steps per second.

use crate::batches::{Mode, Model, Training, job_type};
use serde_json::Value;
use std::collections::BTreeMap;
use thiserror::Error;

/// What a line has, in this order.
const COLUMNS: [&str; 12] = [
    "job type",
    "command",
    "working directory",
    "steps argument",
    "needs data",
    "total steps",
    "scale factor",
    "mode",
    "priority weight",
    "SLO",
    "duration",
    "arrival",
];

const JOB_TYPE: usize = 0;
const TOTAL_STEPS: usize = 5;
const SCALE_FACTOR: usize = 6;
const MODE: usize = 7;
const DURATION: usize = 10;
const ARRIVAL: usize = 11;

/// The GPU that the comparison is on.
const GPU: &str = "v100";

/// The largest number of a count that is read.
const MOST: u64 = 1 << 40;

/// A job of the trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Job {
    /// What it trains and how.
    pub training: Training,
    /// Steps with its first batch size.
    pub steps: u64,
    /// When it comes, seconds.
    pub arrival: f64,
}

/// Measured steps per second, by model, batch size and GPUs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Throughputs {
    of: BTreeMap<(Model, u32, u32), f64>,
}

/// Why a file is not read.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Error {
    /// A line has too few or too many columns.
    #[error("line {line} has {columns} columns; a job has 12, between tabs")]
    Columns {
        /// Counted from 1.
        line: usize,
        /// How many it has.
        columns: usize,
    },
    /// A cell cannot be read.
    #[error("line {line}, column \"{column}\": {cell:?} is not {wanted}")]
    Cell {
        /// Counted from 1.
        line: usize,
        /// The column's name.
        column: &'static str,
        /// What stands there.
        cell: String,
        /// What should.
        wanted: &'static str,
    },
    /// A job comes before the one above it.
    #[error(
        "line {line} arrives before the line above it; sort the lines by arrival, the last column"
    )]
    Order {
        /// Counted from 1.
        line: usize,
    },
    /// No line.
    #[error("the file has no jobs; each line is one")]
    Empty,
    /// Not JSON.
    #[error("not JSON: {0}")]
    Json(String),
    /// Nothing of the GPU.
    #[error(
        "there is no object \"{GPU}\" at the top; it has an object for each \"('Model (batch size B)', GPUs)\""
    )]
    NoGpu,
    /// A throughput is no number.
    #[error(
        "{GPU}, {key:?}: \"null\" is not a number of steps per second over 0.01; it is the job's alone on its GPUs"
    )]
    Throughput {
        /// The key.
        key: String,
    },
}

/// Reads jobs, which are in order of arrival.
///
/// # Errors
/// A line that is no job, with its number and column.
pub fn jobs(text: &str) -> Result<Vec<Job>, Error> {
    let mut jobs: Vec<Job> = Vec::new();
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    for (at, text) in lines {
        let line = at + 1;
        let job = job(line, text)?;
        if jobs
            .last()
            .is_some_and(|before| before.arrival > job.arrival)
        {
            return Err(Error::Order { line });
        }
        jobs.push(job);
    }
    match jobs.is_empty() {
        true => Err(Error::Empty),
        false => Ok(jobs),
    }
}

/// The same text with other durations, those of these jobs, seconds.
pub fn with_durations(text: &str, seconds: &[f64]) -> String {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let with = |(line, seconds): (&str, &f64)| {
        let mut cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        if let Some(cell) = cells.get_mut(DURATION) {
            *cell = seconds.to_string();
        }
        cells.join("\t") + "\n"
    };
    lines.zip(seconds).map(with).collect()
}

fn job(line: usize, text: &str) -> Result<Job, Error> {
    let cells: Vec<&str> = text.split('\t').collect();
    if cells.len() != COLUMNS.len() {
        return Err(Error::Columns {
            line,
            columns: cells.len(),
        });
    }
    let wrong = |column: usize, wanted| Error::Cell {
        line,
        column: COLUMNS[column],
        cell: cells[column].to_owned(),
        wanted,
    };
    let count = |column: usize| {
        let count = cells[column].trim().parse().ok();
        count
            .filter(|count| (1..MOST).contains(count))
            .ok_or_else(|| wrong(column, "a whole number from 1 on"))
    };
    let (model, batch) = job_type(cells[JOB_TYPE]).ok_or_else(|| {
        wrong(
            JOB_TYPE,
            "a known model and its batch size, as \"LM (batch size 10)\"",
        )
    })?;
    let mode =
        Mode::named(cells[MODE].trim()).ok_or_else(|| wrong(MODE, "static, accordion or gns"))?;
    let arrival: Option<f64> = cells[ARRIVAL].trim().parse().ok();
    Ok(Job {
        training: Training {
            model,
            mode,
            batch,
            gpus: u32::try_from(count(SCALE_FACTOR)?)
                .map_err(|_| wrong(SCALE_FACTOR, "a number of GPUs"))?,
        },
        steps: count(TOTAL_STEPS)?,
        arrival: arrival
            .filter(|arrival| (0.0..1e12).contains(arrival))
            .ok_or_else(|| wrong(ARRIVAL, "a number of seconds"))?,
    })
}

impl Throughputs {
    /// Reads them. Of models that are not known nothing is kept.
    ///
    /// # Errors
    /// What is no file of throughputs.
    pub fn read(text: &str) -> Result<Self, Error> {
        let file: Value =
            serde_json::from_str(text).map_err(|error| Error::Json(error.to_string()))?;
        let rows = file
            .get(GPU)
            .and_then(Value::as_object)
            .ok_or(Error::NoGpu)?;
        let mut of = BTreeMap::new();
        for (key, row) in rows {
            let Some((model, batch, gpus)) = parse_key(key) else {
                continue;
            };
            let alone = row.get("null").and_then(Value::as_f64);
            match alone.filter(|speed| speed.is_finite()) {
                // Measured as zero: it did not fit into the memory.
                Some(0.0) => {}
                Some(speed) if speed > 0.01 => {
                    of.insert((model, batch, gpus), speed);
                }
                _ => return Err(Error::Throughput { key: key.clone() }),
            }
        }
        Ok(Self { of })
    }

    /// With one more, or another one.
    #[must_use]
    pub fn with(mut self, model: Model, batch: u32, gpus: u32, steps_per_second: f64) -> Self {
        self.of.insert((model, batch, gpus), steps_per_second);
        self
    }

    /// Of a model with a batch size on so many GPUs.
    pub fn get(&self, model: Model, batch: u32, gpus: u32) -> Option<f64> {
        self.of.get(&(model, batch, gpus)).copied()
    }
}

/// `('LM (batch size 10)', 1)`.
fn parse_key(text: &str) -> Option<(Model, u32, u32)> {
    let inner = text.strip_prefix("('")?.strip_suffix(')')?;
    let (name, gpus) = inner.split_once("', ")?;
    let (model, batch) = job_type(name)?;
    Some((model, batch, gpus.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "LM (batch size 10)\tcmd\tdir\t--steps\t1\t500\t2\tgns\t1\t-1.0\t99\t7.5";

    #[test]
    fn a_line_is_a_job() {
        let jobs = jobs(LINE).unwrap();
        assert_eq!(
            (jobs[0].training.gpus, jobs[0].steps, jobs[0].arrival),
            (2, 500, 7.5)
        );
        assert_eq!(jobs[0].training.batch, 10);
    }

    #[test]
    fn durations_are_changed_and_nothing_else() {
        let text = format!("{LINE}\n\n{LINE}\n");
        let other = with_durations(&text, &[99.0, 12.5]);
        let second = LINE.replace("\t99\t", "\t12.5\t");
        assert_eq!(other, format!("{LINE}\n{second}\n"));
    }

    #[test]
    fn errors_name_line_and_column() {
        let error = jobs(&LINE.replace("gns", "auto")).unwrap_err().to_string();
        assert_eq!(
            error,
            "line 1, column \"mode\": \"auto\" is not static, accordion or gns"
        );
        let error = jobs(&format!("{LINE}\n{}", LINE.replace("7.5", "7"))).unwrap_err();
        assert_eq!(error, Error::Order { line: 2 });
        assert_eq!(
            jobs("a\tb").unwrap_err(),
            Error::Columns {
                line: 1,
                columns: 2
            }
        );
        assert_eq!(jobs("\n").unwrap_err(), Error::Empty);
    }

    #[test]
    fn throughputs_by_model_batch_and_gpus() {
        let text = r#"{"v100": {"('LM (batch size 10)', 2)": {"null": 3.5, "x": [1, 2]}}}"#;
        let read = Throughputs::read(text).unwrap();
        assert_eq!(read.get(Model::Lm, 10, 2), Some(3.5));
        assert_eq!(read.get(Model::Lm, 10, 1), None);
        assert_eq!(Throughputs::read("{}").unwrap_err(), Error::NoGpu);
    }
}
