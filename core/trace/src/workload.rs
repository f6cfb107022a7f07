//! A trace's records as jobs that are ready to run.

use crate::application::Application;
use crate::cluster::Thousandths;
use crate::job::{Demand, Job, JobId, JobName, TypeSet, Work};
use crate::order;
use crate::{Record, Time, Trace, earliest};
use std::sync::Arc;
use switchyard_model::Workload;
use switchyard_model::workload::{Recorded, RecordedRun};

impl Trace {
    /// Its jobs in order of submission (equal times: in the trace's order), the first
    /// one at time 0. Records with application and batch train the embedded application of that
    /// name; such a workload keeps its own clock, whose zero is where scheduling rounds begin.
    pub fn workload(&self) -> Workload {
        let mut records: Vec<&Record> = self.records.iter().collect();
        order::sort_by(&mut records, |a, b| order::by_value(&a.submit, &b.submit));
        let reading = Reading::of(self);
        let recorded = reading.recorded(records.iter().copied(), self);
        let jobs = records.into_iter();
        let jobs = jobs.map(|r| reading.job(r, r.name.clone())).collect();
        reading.workload(jobs, recorded, self)
    }

    /// The same, taking the records out of the trace: of a million jobs there are never two
    /// copies.
    pub fn take_workload(&mut self) -> Workload {
        let reading = Reading::of(self);
        let mut records = std::mem::take(&mut self.records);
        order::sort_by(&mut records, |a, b| order::by_value(&a.submit, &b.submit));
        let recorded = reading.recorded(records.iter(), self);
        let jobs = records.into_iter().map(|mut record| {
            let name = std::mem::take(&mut record.name);
            reading.job(&record, name)
        });
        let jobs = jobs.collect();
        reading.workload(jobs, recorded, self)
    }
}

/// The part of a GPU that is enough for a job of one.
fn share(record: &Record) -> Option<Thousandths> {
    let thousandths = (record.share * 1000.0).round().max(1.0) as u16;
    (record.gpus == 1).then(|| Thousandths::new(thousandths))?
}

/// Appends a job's value to a list of one value of each of so many jobs. The list stays empty until a value says
/// something.
fn append<T: Default + PartialEq + Clone>(list: &mut Vec<T>, job: JobId, jobs: usize, value: T) {
    let says_nothing = T::default();
    if !list.is_empty() {
        list.push(value);
    } else if value != says_nothing {
        list.reserve_exact(jobs);
        list.resize(job.index(), says_nothing);
        list.push(value);
    }
}

/// How the records of one trace become jobs.
struct Reading {
    /// The trace's seconds at time 0.
    zero: f64,
    /// Unix seconds of that.
    epoch: Option<f64>,
    /// What adaptive jobs train; empty where none adapts.
    applications: Vec<Application>,
    /// Of each of the trace's models, the application of its name.
    by_model: Vec<Option<u32>>,
    /// The GPU types that jobs name, in alphabetical order, however the file orders its rows.
    gpu_types: Vec<String>,
    /// Of each of the trace's, which of these it is.
    type_of: Vec<Option<u32>>,
}

impl Reading {
    fn of(trace: &Trace) -> Self {
        let adaptive = trace.records.iter().any(|record| record.batch().is_some());
        let first = earliest(&trace.records);
        let (zero, applications) = if adaptive {
            (0.0, Application::embedded())
        } else {
            (first, Vec::new())
        };
        let by_model = trace.models.iter().map(|model| {
            let same = |a: &Application| *a.name == **model;
            applications.iter().position(same).map(|at| at as u32)
        });
        let types = trace.records.iter().fold(TypeSet::ANY, |all, record| {
            all.union(record.demand.types).union(record.ran_on)
        });
        let names = types
            .named()
            .filter_map(|at| trace.gpu_types.get(at as usize));
        let mut gpu_types: Vec<String> = names.cloned().collect();
        order::sort(&mut gpu_types);
        let type_of = trace.gpu_types.iter().map(|name| {
            let at = gpu_types.iter().position(|of| of == name);
            at.map(|at| at as u32)
        });
        Self {
            zero,
            epoch: trace.epoch.map(|epoch| epoch - (first - zero)),
            type_of: type_of.collect(),
            gpu_types,
            by_model: by_model.collect(),
            applications,
        }
    }

    /// What is recorded of the jobs' lives, in their order.
    fn recorded<'r>(
        &self,
        records: impl ExactSizeIterator<Item = &'r Record>,
        trace: &Trace,
    ) -> Recorded {
        let jobs = records.len();
        let mut recorded = Recorded {
            labels: trace.labels.clone(),
            node_names: trace.node_names.clone(),
            ..Recorded::default()
        };
        // In one go: millions of records are too many for a processor's cache.
        for (job, record) in (0..).map(JobId).zip(records) {
            append(&mut recorded.statuses, job, jobs, record.status);
            append(&mut recorded.runs, job, jobs, self.run(record));
            append(&mut recorded.priorities, job, jobs, record.priority);
            append(&mut recorded.label_sets, job, jobs, record.labels);
            append(&mut recorded.nodes, job, jobs, record.nodes);
            if !record.attempts().is_empty() {
                recorded.attempts.insert(job, record.attempts().to_vec());
            }
        }
        recorded
    }

    /// When a job ran, if its start is told.
    fn run(&self, record: &Record) -> Option<RecordedRun> {
        let start = record.start?.get();
        let start = if start > record.submit {
            start
        } else {
            record.submit
        };
        Some(RecordedRun {
            start: Time(start - self.zero),
            seconds: record.duration,
            types: record.ran_on.renamed(&self.type_of),
        })
    }

    fn job(&self, record: &Record, name: JobName) -> Job {
        let application = record
            .model
            .and_then(|model| *self.by_model.get(model as usize)?);
        let work = match (application, record.batch()) {
            (Some(application), Some(batch)) => Work::Adaptive {
                application,
                batch,
                scale: 1.0,
                duration: record.duration,
            },
            _ => Work::Fixed {
                duration: record.duration,
            },
        };
        Job {
            name,
            submit: Time(record.submit - self.zero),
            gpus: record.gpus,
            tenant: record.tenant,
            model: record.model,
            demand: Demand {
                types: record.demand.types.renamed(&self.type_of),
                share: share(record),
                ..record.demand
            },
            work,
        }
    }

    fn workload(self, jobs: Vec<Job>, recorded: Recorded, trace: &Trace) -> Workload {
        Workload {
            jobs,
            tenants: trace.tenants.clone(),
            models: trace.models.clone(),
            gpu_types: self.gpu_types,
            unit: trace.unit,
            recorded,
            epoch: self.epoch,
            applications: self.applications.into_iter().map(Arc::new).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{OpenOptions, Opened, SourceFile, open};

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
        let workload = trace.workload();
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
        assert_eq!(trace.take_workload(), workload);
        assert_eq!(trace.records, []);
    }
}
