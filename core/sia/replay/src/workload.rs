//! Workloads: `name,time,application,num_replicas,batch_size`, a job per line. In: a text. Out: submissions.

use switchyard_model::application::{ProfileError, each_row};
use thiserror::Error;

/// Why a text is no workload.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum WorkloadError {
    /// A column or a value is wrong.
    #[error(transparent)]
    Table(#[from] ProfileError),
    /// There are no jobs.
    #[error("{0} has no rows: it needs one at least")]
    Empty(String),
}

/// A job that comes.
#[derive(Clone, Debug, PartialEq)]
pub struct Submission {
    /// Its name.
    pub name: String,
    /// When it comes, s.
    pub time: f64,
    /// Its application.
    pub application: String,
    /// The GPUs it is tuned for.
    pub gpus: u32,
    /// The total batch it is tuned for, samples.
    pub batch: u32,
}

impl Submission {
    /// The jobs of a workload's text.
    ///
    /// # Errors
    ///
    /// A [`WorkloadError`] that names file, line and column.
    pub fn read(file: &str, text: &str) -> Result<Vec<Self>, WorkloadError> {
        let columns = ["name", "time", "application", "num_replicas", "batch_size"];
        let mut jobs = Vec::new();
        each_row(file, text, columns, |row| {
            let named = |at| match row.cell(at) {
                "" => Err(row.refuse(at, columns[at], "a name")),
                name => Ok(name.to_owned()),
            };
            jobs.push(Self {
                name: named(0)?,
                time: row.at_least_zero(1, columns[1])?,
                application: named(2)?,
                gpus: row.count(3, columns[3])?,
                batch: row.count(4, columns[4])?,
            });
            Ok(())
        })?;
        match jobs.is_empty() {
            true => Err(WorkloadError::Empty(file.to_owned())),
            false => Ok(jobs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workload_is_read() {
        let text = "name,time,application,num_replicas,batch_size\na-0,401.0,a,6,2048\n";
        let jobs = Submission::read("w", text).expect("sound");
        assert_eq!(
            (jobs[0].time, jobs[0].gpus, jobs[0].batch),
            (401.0, 6, 2048)
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = |text: &str| {
            Submission::read("w.csv", text)
                .expect_err("refused")
                .to_string()
        };
        let header = "name,time,application,num_replicas,batch_size\n";
        assert_eq!(
            error(&format!("{header}a,1,b,0,8\n")),
            "w.csv, line 2: num_replicas is '0', but must be a whole number from 1 to 4 million"
        );
        assert_eq!(error(header), "w.csv has no rows: it needs one at least");
        assert!(error("name,time\n").starts_with("w.csv has no column application"));
    }
}
