//! A trace's records as jobs that are ready to run.

use super::{Application, Workload};
use crate::Time;
use crate::job::{Job, Work};
use crate::trace::Trace;
use std::sync::Arc;

impl Workload {
    /// The trace's jobs in order of submission (equal times: in the trace's order), the first
    /// one at time 0. Records with application and batch train the embedded application of that
    /// name; such a workload keeps its own clock, whose zero is where scheduling rounds begin.
    pub fn from_trace(trace: &Trace) -> Self {
        let mut records: Vec<_> = trace.records.iter().collect();
        records.sort_by(|a, b| a.submit.total_cmp(&b.submit));
        let adaptive = records.iter().any(|record| record.batch.is_some());
        let first = records.first().map_or(0.0, |record| record.submit);
        let zero = if adaptive { 0.0 } else { first };
        let applications = if adaptive {
            Application::embedded()
        } else {
            Vec::new()
        };
        let jobs = records
            .into_iter()
            .map(|record| {
                let model = record
                    .model
                    .and_then(|model| trace.models.get(model as usize));
                let named = |a: &Application| model.is_some_and(|name| *name == *a.name);
                let application = applications.iter().position(named);
                let work = match (application, record.batch) {
                    (Some(application), Some(batch)) => Work::Adaptive {
                        application: application as u32,
                        batch,
                        scale: 1.0,
                        duration: record.duration,
                    },
                    _ => Work::Fixed {
                        duration: record.duration,
                    },
                };
                Job {
                    name: record.name.clone(),
                    submit: Time(record.submit - zero),
                    gpus: record.gpus,
                    tenant: record.tenant,
                    model: record.model,
                    work,
                }
            })
            .collect();
        Self {
            jobs,
            tenants: trace.tenants.clone(),
            models: trace.models.clone(),
            applications: applications.into_iter().map(Arc::new).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{OpenOptions, Opened, SourceFile, open};

    #[test]
    fn sorted_by_submission_and_shifted_to_zero() {
        let bytes =
            b"job_id,submit_time,duration,num_gpu\nlate,130,5,1\nfirst,100,7,2\nsecond,100,9,4\n";
        let files = [SourceFile {
            name: "jobs.csv",
            bytes,
        }];
        let Ok(Opened::Trace(trace)) = open(&files, &OpenOptions::default()) else {
            panic!("a plain table is a trace");
        };
        let workload = Workload::from_trace(&trace);
        let seen: Vec<_> = workload
            .jobs
            .iter()
            .map(|job| {
                (
                    &*job.name,
                    job.submit.seconds(),
                    job.gpus,
                    job.work.seconds(),
                )
            })
            .collect();
        let expected = [
            ("first", 0.0, 2, 7.0),
            ("second", 0.0, 4, 9.0),
            ("late", 30.0, 1, 5.0),
        ];
        assert_eq!(seen, expected);
    }
}
