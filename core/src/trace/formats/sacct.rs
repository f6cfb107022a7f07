//! Slurm's accounting, as `sacct --parsable2` prints it.
//!
//! A header and rows separated by `|`: `JobID`, `Submit`, `ElapsedRaw` in seconds and `AllocTRES`
//! such as `cpu=32,gres/gpu=8,node=2` are read. Timestamps have no zone. Rows whose id has a dot are
//! steps of a job that has a row of its own. `Timelimit` is a limit.
//!
//! Source: <https://slurm.schedmd.com/sacct.html>.

use super::{Format, Importer};
use crate::trace::columns::missing_columns;
use crate::trace::detect::{Column, Sniff};
use crate::trace::error::{OpenError, Role};
use crate::trace::mapping::ColumnMapping;
use crate::trace::report::{DropReason, cell_is};
use crate::trace::rows::{Row, date, is_missing, number};
use crate::trace::sink::{self, Draft, Sink};
use crate::trace::status::status;

pub(super) const FORMAT: Format = Format {
    id: "sacct",
    title: "Slurm accounting (sacct)",
    recognise: |sniff| sniff.with_columns(&["jobid", "submit", "elapsedraw"]),
    importer: |sniff, _| Ok(Box::new(Sacct::new(sniff)?)),
};

struct Sacct {
    id: Column,
    submit: Column,
    elapsed: Column,
    tres: Column,
    tenant: Option<Column>,
    state: Option<Column>,
}

impl Sacct {
    fn new(sniff: &Sniff<'_>) -> Result<Self, OpenError> {
        let named = |name: &str| sniff.column(name).cloned();
        let found = (
            named("jobid"),
            named("submit"),
            named("elapsedraw"),
            named("alloctres"),
        );
        let (Some(id), Some(submit), Some(elapsed), Some(tres)) = found else {
            let hint = " (print the column AllocTRES, which tells them)".to_owned();
            let guess = ColumnMapping::default();
            return Err(missing_columns(sniff, vec![Role::Gpus], hint, guess));
        };
        Ok(Self {
            id,
            submit,
            elapsed,
            tres,
            tenant: named("account").or_else(|| named("partition")),
            state: named("state"),
        })
    }

    /// Keeps a row, or tells the column to blame.
    fn read(&self, row: &Row<'_>, sink: &mut Sink) -> Result<(), (DropReason, &Column)> {
        let cell = |column: &Column| row.cell(column.index);
        let name = cell(&self.id);
        if name.contains('.') {
            return Err((DropReason::PartialExecution, &self.id));
        }
        let resources = cell(&self.tres);
        let count = match gpus(resources) {
            Some(count) => count,
            None if is_missing(resources) => return Err((DropReason::GpusMissing, &self.tres)),
            None => 0.0,
        };
        let (gpus, share) = sink::gpus(count).map_err(|reason| (reason, &self.tres))?;
        let submit = match date(cell(&self.submit)) {
            Some(seconds) => sink::submit(seconds),
            None if is_missing(cell(&self.submit)) => Err(DropReason::SubmitMissing),
            None => Err(DropReason::SubmitInvalid),
        };
        let submit = submit.map_err(|reason| (reason, &self.submit))?;
        let duration = match number(cell(&self.elapsed)) {
            Some(seconds) => sink::duration(seconds),
            None if is_missing(cell(&self.elapsed)) => Err(DropReason::DurationMissing),
            None => Err(DropReason::DurationInvalid),
        };
        let duration = duration.map_err(|reason| (reason, &self.elapsed))?;
        sink.keep(Draft {
            line: row.line,
            name,
            submit,
            duration,
            gpus,
            share,
            tenant: self.tenant.as_ref().map_or("", cell),
            model: "",
            batch: None,
            status: status(self.state.as_ref().map_or("", cell)),
        });
        Ok(())
    }
}

/// GPUs in a list such as `cpu=8,gres/gpu:a100=1,gres/gpu=1`: the total, or the sum of the kinds
/// where there is no total.
fn gpus(resources: &str) -> Option<f64> {
    let (mut total, mut kinds) = (None, None);
    for (key, count) in resources.split(',').filter_map(|part| part.split_once('=')) {
        match key.trim() {
            "gres/gpu" => total = number(count),
            key if key.starts_with("gres/gpu:") => {
                kinds = Some(kinds.unwrap_or(0.0) + number(count)?);
            }
            _ => {}
        }
    }
    total.or(kinds)
}

impl Importer for Sacct {
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
        "Timestamps without a zone are UTC; ElapsedRaw is seconds; GPUs are gres/gpu of AllocTRES."
            .to_owned()
    }

    fn named(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::trace::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/sacct.txt");

    #[test]
    fn fixture() {
        let trace = trace("sacct.txt", FILE);
        assert_eq!(trace.format, "sacct");
        assert_eq!(
            records(&trace),
            [
                "2 1 1714737600 3600 8 vision - Completed",
                "5 3 1714737720 420 2 nlp - Cancelled",
            ]
        );
        assert_eq!(
            dropped(&trace),
            [
                "partial_execution 1 3 JobID is '1.batch'",
                "gpus_missing 1 4 AllocTRES is empty",
                "no_gpus 1 6 AllocTRES is 'cpu=8,mem=8G,node=1'",
            ]
        );
        assert_eq!(warnings(&trace), [""; 0]);
    }
}
