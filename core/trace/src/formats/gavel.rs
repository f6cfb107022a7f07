//! Gavel's traces: tabs, no header, jobs as numbers of training steps.
//!
//! Old, 7 columns: type, command, the steps' flag, whether data are needed, **steps**,
//! **arrival**, **GPUs**. Current, 10 columns: type, command, directory, the steps' flag, whether
//! data are needed, **steps**, **GPUs**, priority, SLO, **arrival**. Arrivals are seconds.
//!
//! A job's duration is its steps over the throughput of its type on as many V100s, measured by
//! Gavel's authors ([`JobType`]), in steps per second. Types that were measured on one GPU alone keep that throughput; the
//! report says so.
//!
//! Source: <https://github.com/stanford-futuredata/gavel> (MIT).

use crate::format::{Format, Importer};
use crate::job::Status;
use crate::report::{DropReason, WarningKind, cell_is};
use crate::rows::{Row, is_missing, number};
use crate::sink::{self, Draft, RowRecord, Sink};
use crate::sniff::{Evidence, Sniff};
use crate::throughputs::JobType;
use switchyard_model::workload::GpuGeneration;

pub(super) const FORMAT: Format = Format {
    id: "gavel",
    title: "Gavel",
    accounting: false,
    recognise: |sniff| {
        let width = [7, 10].into_iter().find(|&width| is_jobs(sniff, width))?;
        Some(Evidence {
            weight: width,
            text: format!(
                "{width} columns without a header, the first a job type such as 'LM (batch size 10)'"
            ),
        })
    },
    importer: |sniff, _| {
        let current = sniff.headerless().is_some_and(|row| row.len() == 10);
        Ok(Box::new(Gavel {
            columns: if current { CURRENT } else { OLD },
        }))
    },
};

/// Whether a table looks like Gavel's with so many columns.
pub(super) fn is_jobs(sniff: &Sniff<'_>, width: usize) -> bool {
    let Some([first, command, .., last]) = sniff.headerless() else {
        return false;
    };
    let typed = first.contains("(batch size") || throughput(first, 1).is_some();
    let rows = sniff.preview.iter().all(|row| row.len() == width);
    rows && sniff.delimiter() == b'\t'
        && typed
        && number(command).is_none()
        && number(last).is_some()
}

/// Where a table's columns stand, from 0.
struct Layout {
    steps: usize,
    arrival: usize,
    gpus: usize,
}

const OLD: Layout = Layout {
    steps: 4,
    arrival: 5,
    gpus: 6,
};

const CURRENT: Layout = Layout {
    steps: 5,
    arrival: 9,
    gpus: 6,
};

/// Steps per second of a job type on so many V100s of one node.
fn throughput(model: &str, gpus: u32) -> Option<f64> {
    JobType::named(model)?.throughput(GpuGeneration::V100, gpus, true)
}

struct Gavel {
    columns: Layout,
}

impl Importer for Gavel {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        if let Err((reason, column)) = read(row, &self.columns, sink) {
            let cell = row.cell(column);
            let name = format!("column {}", column + 1);
            sink.drop(reason, row.line, &|| cell_is(&name, cell));
        }
    }

    fn units(&self) -> String {
        "Arrivals are seconds; durations are steps ÷ the throughput that Gavel's authors measured on V100s.".to_owned()
    }

    fn named(&self) -> bool {
        false
    }
}

/// Keeps a row, or tells the column to blame.
fn read(row: &Row<'_>, columns: &Layout, sink: &mut Sink) -> Result<(), (DropReason, usize)> {
    let value = |column, missing, invalid| {
        let cell = row.cell(column);
        number(cell).ok_or((if is_missing(cell) { missing } else { invalid }, column))
    };
    let (gpus, steps, arrival) = (columns.gpus, columns.steps, columns.arrival);
    let count = value(gpus, DropReason::GpusMissing, DropReason::GpusInvalid)?;
    let (count, share) = sink.occupied(count, 0.0).map_err(|reason| (reason, gpus))?;
    let submit = value(
        arrival,
        DropReason::SubmitMissing,
        DropReason::SubmitInvalid,
    )?;
    let submit = sink::submit(submit).map_err(|reason| (reason, arrival))?;
    let total = value(
        steps,
        DropReason::DurationMissing,
        DropReason::DurationInvalid,
    )?;
    let model = row.cell(0);
    let measured = throughput(model, count);
    let speed = measured.or_else(|| throughput(model, 1));
    let speed = speed.ok_or((DropReason::ModelUnknown, 0))?;
    let duration = sink::duration(total / speed).map_err(|reason| (reason, steps))?;
    if measured.is_none() {
        let detail = || format!("{model} on {count} GPUs");
        let kind = WarningKind::SpeedOfOneGpu;
        sink.tally.warn(kind, 1, row.line, &detail);
    }
    sink.keep(Draft {
        line: row.line,
        name: "",
        submit,
        duration,
        gpus: count,
        share,
        tenant: "",
        model,
        batch: None,
        asks: Default::default(),
        record: RowRecord::default(),
        status: Status::Unknown,
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const OLD: &[u8] = include_bytes!("../../../../tests/fixtures/gavel_old.trace");
    const CURRENT: &[u8] = include_bytes!("../../../../tests/fixtures/gavel.trace");

    #[test]
    fn seven_columns() {
        let trace = trace("gavel_old.trace", OLD);
        assert_eq!(trace.format, "gavel");
        assert_eq!(
            records(&trace),
            [
                "1 1 0 9999.995723437718 1 - LM (batch size 10) Unknown",
                "3 3 120.5 999999.9749618426 4 - A3C Unknown",
            ]
        );
        assert_eq!(
            dropped(&trace),
            [
                "model_unknown 1 4 column 1 is 'GPT (batch size 1)'",
                "duration_zero 1 2 column 5 is '0'",
            ]
        );
        assert_eq!(warnings(&trace), ["speed_of_one_gpu 1 3 A3C on 4 GPUs",]);
    }

    #[test]
    fn ten_columns() {
        let trace = trace("gavel.trace", CURRENT);
        assert_eq!(trace.format, "gavel");
        assert_eq!(
            records(&trace),
            [
                "1 1 0 99.99925997434335 4 - ResNet-18 (batch size 128) Unknown",
                "2 2 30.5 999.9119269947407 1 - Transformer (batch size 64) Unknown",
            ]
        );
        assert_eq!(dropped(&trace), ["no_gpus 1 3 column 7 is '0'",]);
    }
}
