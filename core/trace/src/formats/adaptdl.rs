//! Workloads of Pollux's simulator (AdaptDL): jobs by application, without durations.
//!
//! `name,time,application,num_replicas,batch_size`; `time` in seconds since the workload's start,
//! `batch_size` in samples over all replicas. How long a job runs follows from its application: its
//! duration here is that of the embedded profile, with its replicas packed on nodes of four GPUs
//! as they were measured. Schedulers that adapt batch and replicas take neither as given.
//!
//! Source: <https://github.com/petuum/adaptdl>, branch `osdi21-artifact`, `simulator/workloads`.

use crate::application::{Application, packed};
use crate::format::{Format, Importer};
use crate::job::Status;
use crate::report::{DropReason, cell_is};
use crate::rows::{Row, is_missing, number};
use crate::sink::{self, Draft, RowRecord, Sink};
use crate::sniff::Sniff;
use std::collections::BTreeMap;

pub(super) const FORMAT: Format = Format {
    id: "adaptdl",
    title: "Pollux (AdaptDL) workload",
    accounting: false,
    recognise: |sniff| sniff.with_columns(&COLUMNS),
    importer: |sniff, _| Ok(Box::new(AdaptDl::new(sniff))),
};

const COLUMNS: [&str; 5] = ["name", "time", "application", "num_replicas", "batch_size"];

/// GPUs per node of the cluster that the applications were measured on.
const GPUS_PER_NODE: u32 = 4;

struct AdaptDl {
    /// Where each of [`COLUMNS`] is in a row.
    places: [usize; 5],
    applications: Vec<Application>,
    /// Durations by application, replicas and batch: workloads use few configurations.
    durations: BTreeMap<(usize, u32, u32), f64>,
}

impl AdaptDl {
    fn new(sniff: &Sniff<'_>) -> Self {
        Self {
            places: COLUMNS.map(|name| sniff.column(name).map_or(usize::MAX, |c| c.index)),
            applications: Application::embedded(),
            durations: BTreeMap::new(),
        }
    }

    fn read<'r>(&mut self, row: &Row<'r>) -> Result<Draft<'r>, (DropReason, usize)> {
        let [name, time, application, replicas, batch] = self.places.map(|at| row.cell(at));
        let (gpus, share) = match number(replicas) {
            Some(count) => sink::gpus(count).map_err(|reason| (reason, 3))?,
            None if is_missing(replicas) => return Err((DropReason::GpusMissing, 3)),
            None => return Err((DropReason::GpusInvalid, 3)),
        };
        let submit = match number(time) {
            Some(seconds) => sink::submit(seconds).map_err(|reason| (reason, 1))?,
            None if is_missing(time) => return Err((DropReason::SubmitMissing, 1)),
            None => return Err((DropReason::SubmitInvalid, 1)),
        };
        let known = self
            .applications
            .iter()
            .position(|a| &*a.name == application);
        let Some((index, known)) = known.and_then(|i| Some((i, self.applications.get(i)?))) else {
            return Err((DropReason::ApplicationUnknown, 2));
        };
        let batch = self::batch(known, batch).ok_or((DropReason::BatchInvalid, 4))?;
        let duration = *self
            .durations
            .entry((index, gpus, batch))
            .or_insert_with(|| known.training_time(&packed(gpus, GPUS_PER_NODE), batch));
        Ok(Draft {
            line: row.line,
            name,
            submit,
            duration: sink::duration(duration).map_err(|reason| (reason, 3))?,
            gpus,
            share,
            tenant: "",
            model: application,
            batch: Some(batch),
            asks: Default::default(),
            record: RowRecord::default(),
            status: Status::Unknown,
        })
    }
}

/// A batch size in a cell, if the application can have it.
pub(super) fn batch(application: &Application, cell: &str) -> Option<u32> {
    let possible = |batch: &u32| (1..=application.limits.max_batch).contains(batch);
    cell.parse().ok().filter(possible)
}

impl Importer for AdaptDl {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        match self.read(row) {
            // It tells no cores.
            Ok(draft) if !sink.unit.is_default() => {
                let detail = || cell_is("num_replicas", &draft.gpus.to_string());
                sink.drop(DropReason::CoresMissing, row.line, &detail);
            }
            Ok(draft) => sink.keep(draft),
            Err((reason, column)) => sink.drop(reason, row.line, &|| {
                let cell = self.places.get(column).map_or("", |&at| row.cell(at));
                cell_is(COLUMNS.get(column).copied().unwrap_or(""), cell)
            }),
        }
    }

    fn units(&self) -> String {
        "Submission is seconds since the workload's start. There are no durations: they follow from the embedded profile of each application, at the replicas and the batch size asked for, on nodes of 4 GPUs.".to_owned()
    }

    fn named(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{dropped, trace};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/adaptdl.csv");

    #[test]
    fn fixture() {
        let trace = trace("workload-1.csv", FILE);
        assert_eq!(trace.format, "adaptdl");
        let applications = Application::embedded();
        let time = |name: &str, gpus, batch| {
            let application = applications.iter().find(|a| &*a.name == name);
            let application = application.expect("one of the six");
            application.training_time(&packed(gpus, 4), batch)
        };
        let seen: Vec<_> = trace
            .records
            .iter()
            .map(|r| {
                let model = r.model.map(|m| trace.models[m as usize].as_str());
                (&*r.name, r.submit, r.gpus, model, r.batch(), r.duration)
            })
            .collect();
        let first = (
            "first-0",
            120.0,
            4,
            Some("cifar10"),
            Some(1024),
            time("cifar10", 4, 1024),
        );
        let second = (
            "second-1",
            45.5,
            1,
            Some("ncf"),
            Some(32768),
            time("ncf", 1, 32768),
        );
        assert_eq!(seen, [first, second]);
        assert_eq!(
            dropped(&trace),
            [
                "no_gpus 1 6 num_replicas is '0'",
                "application_unknown 1 4 application is 'gpt5'",
                "batch_invalid 1 5 batch_size is '4096'",
            ]
        );
    }
}
