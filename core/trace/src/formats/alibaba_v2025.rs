//! Alibaba's trace of 2025 of recommendation models (DLRM) on disaggregated GPUs.
//!
//! `instance_sn,role,app_name,…,gpu_request,…,rdma_request,…,creation_time,scheduled_time,`
//! `deletion_time`; times in seconds since the trace's start. A row is an instance. Instances that
//! were there when the trace began have no creation, those that were still there when it ended
//! no deletion: they count from 0 and to the trace's last moment.
//!
//! Source: <https://github.com/alibaba/clusterdata>, `cluster-trace-gpu-v2025`.

use crate::error::OpenError;
use crate::format::{Format, Importer};
use crate::job::Status;
use crate::report::{DropReason, cell_is};
use crate::rows::{Row, is_missing, number};
use crate::sink::{self, Asks, Draft, RowRecord, Sink};
use crate::sniff::{Column, Sniff};

const COLUMNS: [&str; 6] = [
    "instance_sn",
    "gpu_request",
    "rdma_request",
    "creation_time",
    "scheduled_time",
    "deletion_time",
];

pub(super) const FORMAT: Format = Format {
    id: "alibaba-v2025",
    title: "Alibaba GPU v2025 (DLRM)",
    accounting: false,
    recognise: |sniff| sniff.with_columns(&COLUMNS),
    importer: |sniff, _| Ok(Box::new(Dlrm::new(sniff)?)),
};

struct Dlrm {
    columns: [Option<Column>; 6],
    tenant: Option<Column>,
    cores: Option<Column>,
    memory: Option<Column>,
    /// The last moment that any row tells.
    last: f64,
    /// Records without a deletion: their index and when they were scheduled.
    open: Vec<(usize, f64)>,
}

impl Dlrm {
    fn new(sniff: &Sniff<'_>) -> Result<Self, OpenError> {
        Ok(Self {
            columns: COLUMNS.map(|name| sniff.column(name).cloned()),
            tenant: sniff.column("app_name").cloned(),
            cores: sniff.column("cpu_request").cloned(),
            memory: sniff.column("memory_request").cloned(),
            last: 0.0,
            open: Vec::new(),
        })
    }

    /// Keeps a row, or tells the cell to blame.
    fn read<'r>(
        &mut self,
        row: &Row<'r>,
        sink: &mut Sink,
    ) -> Result<(), (DropReason, &'static str, &'r str)> {
        let cell = |at: usize| {
            let column = self.columns.get(at).and_then(Option::as_ref);
            column.map_or("", |column| row.cell(column.index))
        };
        let [name, gpus, _, creation, scheduled, deletion] = [0, 1, 2, 3, 4, 5].map(cell);
        let time = |text| match number(text) {
            _ if is_missing(text) => Ok(None),
            Some(time) if time.is_finite() => Ok(Some(time)),
            _ => Err(()),
        };
        let invalid = DropReason::SubmitInvalid;
        let creation = time(creation).map_err(|()| (invalid, COLUMNS[3], creation))?;
        let invalid = DropReason::DurationInvalid;
        let start = time(scheduled).map_err(|()| (invalid, COLUMNS[4], scheduled))?;
        let end = time(deletion).map_err(|()| (invalid, COLUMNS[5], deletion))?;
        for moment in [creation, start, end].into_iter().flatten() {
            if moment > self.last {
                self.last = moment;
            }
        }
        let count = match number(gpus) {
            Some(count) => count,
            None if is_missing(gpus) => return Err((DropReason::GpusMissing, COLUMNS[1], gpus)),
            None => return Err((DropReason::GpusInvalid, COLUMNS[1], gpus)),
        };
        let known = |column: &Option<Column>| {
            let cell = column.as_ref().map_or("", |column| row.cell(column.index));
            number(cell).unwrap_or(0.0)
        };
        let occupied = sink.occupied(count, known(&self.cores));
        let (gpus, share) = occupied.map_err(|r| (r, COLUMNS[1], gpus))?;
        let submit = sink::submit(creation.unwrap_or(0.0));
        let submit = submit.map_err(|r| (r, COLUMNS[3], cell(3)))?;
        // One that was there from the start was scheduled before.
        let start = match (start, creation) {
            (Some(start), _) => start,
            (None, None) => 0.0,
            (None, Some(_)) => return Err((DropReason::DurationMissing, COLUMNS[4], scheduled)),
        };
        let duration = match end {
            Some(end) => sink::duration(end - start).map_err(|r| (r, COLUMNS[5], deletion))?,
            None => {
                self.open.push((sink.records.len(), start));
                1.0
            }
        };
        let running = end.is_none();
        sink.keep(Draft {
            line: row.line,
            name,
            submit,
            duration,
            gpus,
            share,
            tenant: self.tenant.as_ref().map_or("", |c| row.cell(c.index)),
            model: "",
            batch: None,
            asks: Asks {
                cores: known(&self.cores),
                memory: known(&self.memory),
                ..Asks::default()
            },
            record: RowRecord {
                start: Some(start),
                ..RowRecord::default()
            },
            status: if running {
                Status::Running
            } else {
                Status::Unknown
            },
        });
        Ok(())
    }
}

impl Importer for Dlrm {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        if let Err((reason, column, cell)) = self.read(row, sink) {
            sink.drop(reason, row.line, &|| cell_is(column, cell));
        }
    }

    fn finish(&mut self, sink: &mut Sink) {
        for &(at, start) in &self.open {
            if let Some(record) = sink.records.get_mut(at) {
                record.duration = self.last - start;
            }
        }
        let tally = &mut sink.tally;
        sink.records.retain(|record| {
            let duration = sink::duration(record.duration);
            if let Err(reason) = duration {
                let detail = || "scheduled when the trace ends".to_owned();
                tally.drop(reason, record.line, &detail);
            }
            duration.is_ok()
        });
    }

    fn units(&self) -> String {
        "Times are seconds since the trace's start; no creation is taken as the start, no deletion as the end of the trace; the duration is deletion_time − scheduled_time.".to_owned()
    }

    fn named(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/alibaba_v2025.csv");

    #[test]
    fn fixture() {
        let trace = trace("alibaba_v2025.csv", FILE);
        assert_eq!(trace.format, "alibaba-v2025");
        assert_eq!(
            records(&trace),
            [
                "2 i0 0 500 1 app_0 - Unknown",
                "3 i1 100 870 1 app_0 - Running",
                "4 i2 200 790 8 app_1 - Unknown",
            ]
        );
        assert_eq!(
            dropped(&trace),
            [
                "no_gpus 1 5 gpu_request is '0'",
                "duration_missing 1 6 scheduled_time is empty",
            ]
        );
        assert_eq!(warnings(&trace), ["censored 1 3 had not ended",]);
    }
}
