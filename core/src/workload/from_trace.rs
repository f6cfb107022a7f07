//! A trace's records as jobs that are ready to run.

use super::Workload;
use crate::Time;
use crate::job::{Job, Work};
use crate::order;
use crate::trace::{Record, Trace, earliest};

impl Workload {
    /// The trace's jobs in order of submission (equal times: in the trace's order), the first
    /// one at time 0.
    pub fn from_trace(trace: &Trace) -> Self {
        let mut order: Vec<u32> = (0..trace.records.len() as u32).collect();
        sort(&trace.records, &mut order);
        let first = earliest(&trace.records);
        let records = order
            .iter()
            .filter_map(|&at| trace.records.get(at as usize));
        Self {
            jobs: records.map(|r| job(r, r.name.clone(), first)).collect(),
            tenants: trace.tenants.clone(),
            models: trace.models.clone(),
        }
    }

    /// The same, taking the records out of the trace: of a million jobs there are never two
    /// copies.
    pub fn take_from(trace: &mut Trace) -> Self {
        let mut records = std::mem::take(&mut trace.records);
        if !records.is_sorted_by(|a, b| a.submit <= b.submit) {
            order::sort_by(&mut records, &|a, b| a.submit.total_cmp(&b.submit));
        }
        let first = records.first().map_or(0.0, |record| record.submit);
        let jobs = records.into_iter().map(|mut record| {
            let name = std::mem::take(&mut record.name);
            job(&record, name, first)
        });
        Self {
            jobs: jobs.collect(),
            tenants: trace.tenants.clone(),
            models: trace.models.clone(),
        }
    }
}

fn sort(records: &[Record], order: &mut [u32]) {
    let submit = |at: u32| records.get(at as usize).map_or(0.0, |r| r.submit);
    if !order.is_sorted_by(|&a, &b| submit(a) <= submit(b)) {
        order::sort(order, &|a, b| submit(a).total_cmp(&submit(b)));
    }
}

fn job(record: &Record, name: Box<str>, first: f64) -> Job {
    Job {
        name,
        submit: Time(record.submit - first),
        gpus: record.gpus,
        tenant: record.tenant,
        model: record.model,
        work: Work::Fixed {
            duration: record.duration,
        },
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
        let Ok(Opened::Trace(mut trace)) = open(&files, &OpenOptions::default()) else {
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
        assert_eq!(Workload::take_from(&mut trace), workload);
        assert_eq!(trace.records, []);
    }
}
