//! MIT Supercloud's Slurm log (`slurm-log.csv`): a dump of Slurm's database.
//!
//! `id_job,…,partition,…,state,timelimit,time_submit,time_eligible,time_start,time_end,…,`
//! `tres_alloc,…`; times are Unix seconds, 0 where there is none. The duration is end − start.
//! `tres_alloc` lists resources by number, such as `1=40,2=8000,4=1,1002=2`; 1001 are all GPUs and
//! 1002 those of a kind, so the larger counts; 1 are cores, 2 is memory in MB. `timelimit` is the time that is asked
//! for, in minutes. States are Slurm's numbers.
//!
//! Source: <https://dcc.mit.edu>; Slurm's `job_states` in `slurm.h`.

use crate::columns::missing_columns;
use crate::error::{OpenError, Role};
use crate::format::{Format, Importer};
use crate::job::Status;
use crate::mapping::ColumnMapping;
use crate::report::{DropReason, cell_is};
use crate::rows::{Row, is_missing, number};
use crate::sink::{self, Asks, Draft, RowRecord, Sink};
use crate::sniff::{Column, Sniff};
use crate::status::status;
use switchyard_model::workload::Label;

pub(super) const FORMAT: Format = Format {
    id: "mit-supercloud",
    title: "MIT Supercloud",
    accounting: false,
    recognise: |sniff| sniff.with_columns(&["id_job", "time_submit", "tres_alloc"]),
    importer: |sniff, _| Ok(Box::new(Supercloud::new(sniff)?)),
};

struct Supercloud {
    id: Column,
    submit: Column,
    start: Column,
    end: Column,
    tres: Column,
    tenant: Option<Column>,
    state: Option<Column>,
    limit: Option<Column>,
    /// By label.
    labels: [Option<Column>; Label::ALL.len()],
    priority: Option<Column>,
    nodes: Option<Column>,
}

/// The numbers under which GPUs stand.
const GPUS: [&str; 2] = ["1001", "1002"];

/// From here on a number of 32 bits says that there is none, or that it is not known.
const LIMITLESS: f64 = 4_294_967_294.0;

impl Supercloud {
    fn new(sniff: &Sniff<'_>) -> Result<Self, OpenError> {
        let named = |name: &str| sniff.column(name).cloned();
        let times = named("time_submit")
            .zip(named("time_start"))
            .zip(named("time_end"));
        let others = named("id_job").zip(named("tres_alloc"));
        let (Some(((submit, start), end)), Some((id, tres))) = (times, others) else {
            let guess = ColumnMapping::default();
            let missing = vec![Role::Duration];
            return Err(missing_columns(sniff, missing, String::new(), guess));
        };
        Ok(Self {
            id,
            submit,
            start,
            end,
            tres,
            tenant: named("partition"),
            state: named("state"),
            limit: named("timelimit"),
            labels: ["id_user", "account", "partition", "id_qos", "id_resv"].map(named),
            priority: named("priority"),
            nodes: named("nodelist"),
        })
    }

    /// Keeps a row, or tells the column to blame.
    fn read(&self, row: &Row<'_>, sink: &mut Sink) -> Result<(), (DropReason, &Column)> {
        let cell = |column: &Column| row.cell(column.index);
        let resources = cell(&self.tres);
        if is_missing(resources) {
            return Err((DropReason::GpusMissing, &self.tres));
        }
        let mut count = 0.0;
        let mut asks = Asks::default();
        for (key, value) in resources.split(',').filter_map(|part| part.split_once('=')) {
            match (key.trim(), number(value)) {
                ("1", Some(cores)) => asks.cores = cores,
                ("2", Some(megabytes)) => asks.memory = megabytes / 1024.0,
                _ => {}
            }
            if GPUS.contains(&key.trim()) {
                let value = number(value).ok_or((DropReason::GpusInvalid, &self.tres))?;
                if value > count {
                    count = value;
                }
            }
        }
        let limit = self.limit.as_ref().and_then(|column| number(cell(column)));
        // Those beyond are Slurm's words for none.
        let limit = limit.filter(|minutes| *minutes < LIMITLESS);
        asks.time = sink::asked_time(limit.map(|minutes| 60.0 * minutes));
        let (gpus, share) = sink
            .occupied(count, asks.cores)
            .map_err(|reason| (reason, &self.tres))?;
        let time = |column| match number(cell(column)) {
            Some(0.0) => Err((true, column)),
            Some(time) => Ok(time),
            None => Err((is_missing(cell(column)), column)),
        };
        let submit = time(&self.submit).map_err(|(missing, column)| match missing {
            true => (DropReason::SubmitMissing, column),
            false => (DropReason::SubmitInvalid, column),
        })?;
        let submit = sink::submit(submit).map_err(|reason| (reason, &self.submit))?;
        let lasted = |(missing, column)| match missing {
            true => (DropReason::DurationMissing, column),
            false => (DropReason::DurationInvalid, column),
        };
        let start = time(&self.start).map_err(lasted)?;
        let end = time(&self.end).map_err(lasted)?;
        let duration = sink::duration(end - start).map_err(|reason| (reason, &self.end))?;
        sink.keep(Draft {
            line: row.line,
            name: cell(&self.id),
            submit,
            duration,
            gpus,
            share,
            tenant: self.tenant.as_ref().map_or("", cell),
            model: "",
            batch: None,
            asks,
            record: RowRecord {
                labels: self
                    .labels
                    .each_ref()
                    .map(|column| column.as_ref().map_or("", cell)),
                start: Some(start),
                ran_on: "",
                priority: self
                    .priority
                    .as_ref()
                    .and_then(|column| number(cell(column))),
                nodes: self.nodes.as_ref().map_or("", cell),
            },
            status: state(self.state.as_ref().map_or("", cell)),
        });
        Ok(())
    }
}

/// What Slurm's number for a state means.
fn state(number: &str) -> Status {
    match number {
        "0" | "1" | "2" | "8" => Status::Running,
        "3" => Status::Completed,
        "4" => Status::Cancelled,
        "5" | "6" | "9" | "10" | "11" => Status::Failed,
        "7" => Status::NodeFailed,
        word => status(word),
    }
}

impl Importer for Supercloud {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        if let Err((reason, column)) = self.read(row, sink) {
            sink.drop(reason, row.line, &|| {
                cell_is(&column.shown, row.cell(column.index))
            });
        }
    }

    fn finish(&mut self, sink: &mut Sink) {
        sink.zero = Some(0.0);
    }

    fn units(&self) -> String {
        "Times are Unix seconds; the duration is time_end − time_start; GPUs are the resources 1001 and 1002 of tres_alloc.".to_owned()
    }

    fn named(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/mit_supercloud.csv");

    #[test]
    fn fixture() {
        let opened = |bytes: &[u8]| trace("mit_supercloud.csv", bytes);
        let trace = opened(FILE);
        assert_eq!(trace.format, "mit-supercloud");
        assert_eq!(
            records(&trace),
            [
                "2 11 1610000000 3600 2 xeon - Completed",
                "3 12 1610000100 30 1 xeon - Failed",
            ]
        );
        assert_eq!(
            dropped(&trace),
            [
                "no_gpus 1 4 tres_alloc is '1=40,4=1'",
                "duration_missing 1 5 time_start is '0'",
            ]
        );
        assert_eq!(warnings(&trace), [""; 0]);
        let asked = |trace: &crate::Trace| -> Vec<_> {
            let times = trace.records.iter().map(|record| record.demand.time);
            times.collect()
        };
        assert_eq!(asked(&trace), [Some(86_400.0); 2]);
        // No limit, and none known.
        for none in ["4294967295", "4294967294", "0", ""] {
            let text = String::from_utf8_lossy(FILE).replace(",1440,", &format!(",{none},"));
            let trace = opened(text.as_bytes());
            assert_eq!(asked(&trace), [None; 2], "{none}");
        }
    }
}
