//! The Standard Workload Format of the Parallel Workloads Archive.
//!
//! `;` comments with `Key: value` facts, then one line per job of 18 numbers, −1 for unknown.
//! Read are 1 the id, 2 the submission and 4 the run time in seconds, 5 the processors allocated
//! or else 8 those requested, 9 the time requested, 11 the status, 13 the group. Processors are taken for
//! GPUs. Fields beyond the 18th are not read;
//! below a comment the last ones may be missing.
//!
//! Source: <https://www.cs.huji.ac.il/labs/parallel/workload/swf.html>.

use crate::format::{Format, Importer};
use crate::job::Status;
use crate::report::{DropReason, cell_is};
use crate::rows::{Row, number};
use crate::sink::{self, Asks, Draft, RowRecord, Sink};
use crate::sniff::{Evidence, Shape};

pub(super) const FORMAT: Format = Format {
    id: "swf",
    title: "Standard Workload Format",
    accounting: false,
    recognise: |sniff| {
        (sniff.shape == Shape::Swf).then(|| Evidence {
            weight: 18,
            text: "lines of 18 numbers separated by blanks, processors and status whole ones; comments begin with a semicolon"
                .to_owned(),
        })
    },
    importer: |_, _| Ok(Box::new(Swf::default())),
};

/// Fields of a line, from 0.
const ID: usize = 0;
const SUBMIT: usize = 1;
const WAIT: usize = 2;
const RUN_TIME: usize = 3;
const ALLOCATED: usize = 4;
const REQUESTED: usize = 7;
const REQUESTED_TIME: usize = 8;
const STATUS: usize = 10;
const USER: usize = 11;
const GROUP: usize = 12;
const QUEUE: usize = 14;
const PARTITION: usize = 15;

/// Fields a line has, and how many there are at least below a comment.
const FIELDS: usize = 18;
const LEAST: usize = 11;

/// Whether a line can be a job: as any row of 18 numbers could be one, those that count something
/// must be whole, and the status must be one. `commented`: a comment precedes it, as only this
/// format has them.
pub(crate) fn is_job(row: &Row<'_>, commented: bool) -> bool {
    const WHOLE: [usize; 10] = [ID, ALLOCATED, REQUESTED, STATUS, 11, GROUP, 13, 14, 15, 16];
    let least = if commented { LEAST } else { FIELDS };
    let value = |field: usize| number(row.cell(field));
    let numbers = (0..row.len().min(FIELDS)).all(|field| value(field).is_some());
    let whole = |&field: &usize| value(field).is_none_or(|n| n.fract() == 0.0 && n >= -1.0);
    let status = value(STATUS).is_some_and(|status| status <= 5.0);
    // A table of more numbers is another one.
    let ends = commented || value(FIELDS).is_none();
    row.len() >= least && numbers && WHOLE.iter().all(whole) && status && ends
}

#[derive(Default)]
struct Swf {
    /// Unix seconds of time 0, from the comments.
    unix_start: Option<f64>,
}

impl Importer for Swf {
    fn comment(&mut self, text: &str) {
        if let Some((key, value)) = text.split_once(':')
            && key.trim() == "UnixStartTime"
        {
            let seconds = number(value.trim()).filter(|s| s.is_finite() && *s > 0.0);
            self.unix_start = seconds.or(self.unix_start);
        }
    }

    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        if let Err((reason, field, cell)) = read(row, sink) {
            let column = format!("field {}", field + 1);
            sink.drop(reason, row.line, &|| cell_is(&column, cell));
        }
    }

    fn finish(&mut self, sink: &mut Sink) {
        sink.zero = self.unix_start;
    }

    fn units(&self) -> String {
        "Times are seconds, as this format defines them; processors are taken for GPUs.".to_owned()
    }

    fn named(&self) -> bool {
        true
    }
}

/// Keeps a row, or tells the field to blame.
fn read<'r>(row: &Row<'r>, sink: &mut Sink) -> Result<(), (DropReason, usize, &'r str)> {
    let value = |field, invalid| {
        let cell = row.cell(field);
        match number(cell) {
            Some(value) => Ok(value),
            None => Err((invalid, field, cell)),
        }
    };
    let status = match row.cell(STATUS) {
        "0" => Status::Failed,
        "1" => Status::Completed,
        "5" => Status::Cancelled,
        // Checkpointed jobs: the whole is on a line of its own.
        part @ ("2" | "3" | "4") => return Err((DropReason::PartialExecution, STATUS, part)),
        _ => Status::Unknown,
    };
    let mut processors = (ALLOCATED, value(ALLOCATED, DropReason::GpusInvalid)?);
    if processors.1 <= 0.0 && row.len() > REQUESTED {
        let requested = value(REQUESTED, DropReason::GpusInvalid)?;
        if requested > 0.0 {
            processors = (REQUESTED, requested);
        }
    }
    let (field, count) = processors;
    if count == -1.0 {
        return Err((DropReason::GpusMissing, field, row.cell(field)));
    }
    if count.fract() != 0.0 {
        return Err((DropReason::GpusInvalid, field, row.cell(field)));
    }
    let (gpus, share) = sink
        .occupied(count, count)
        .map_err(|r| (r, field, row.cell(field)))?;
    let submit = value(SUBMIT, DropReason::SubmitInvalid)?;
    if submit == -1.0 {
        return Err((DropReason::SubmitMissing, SUBMIT, row.cell(SUBMIT)));
    }
    let submit = sink::submit(submit).map_err(|r| (r, SUBMIT, row.cell(SUBMIT)))?;
    let run_time = value(RUN_TIME, DropReason::DurationInvalid)?;
    if run_time == -1.0 {
        return Err((DropReason::DurationMissing, RUN_TIME, row.cell(RUN_TIME)));
    }
    let duration = sink::duration(run_time).map_err(|r| (r, RUN_TIME, row.cell(RUN_TIME)))?;
    let group = row.cell(GROUP);
    let group = match group {
        "" | "-1" => String::new(),
        group => format!("group {group}"),
    };
    let known = |field: usize| match row.cell(field) {
        "-1" => "",
        cell => cell,
    };
    let partition = match known(PARTITION) {
        "" => known(QUEUE),
        partition => partition,
    };
    let wait = number(row.cell(WAIT)).filter(|wait| *wait >= 0.0);
    sink.keep(Draft {
        line: row.line,
        name: row.cell(ID),
        submit,
        duration,
        gpus,
        share,
        tenant: &group,
        model: "",
        batch: None,
        asks: Asks {
            time: sink::asked_time(number(row.cell(REQUESTED_TIME))),
            ..Asks::default()
        },
        record: RowRecord {
            labels: [known(USER), "", partition, "", ""],
            start: wait.map(|wait| submit + wait),
            ..RowRecord::default()
        },
        status,
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, try_open, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/workload.swf");

    #[test]
    fn fixture() {
        let trace = trace("workload.swf", FILE);
        assert_eq!(trace.format, "swf");
        assert_eq!(
            records(&trace),
            [
                "6 1 0 1400 128 group 1 - Unknown",
                "7 2 1400 3600 16 group 2 - Completed",
                "9 4 1600 100 8 - - Cancelled",
            ]
        );
        assert_eq!(
            dropped(&trace),
            [
                "partial_execution 1 10 field 11 is '2'",
                "gpus_missing 1 11 field 5 is '-1'",
                "duration_missing 1 8 field 4 is '-1'",
            ]
        );
        let asked = trace.records.iter().map(|record| record.demand.time);
        assert!(asked.eq([None, Some(7200.0), Some(3600.0)]));
        assert_eq!(warnings(&trace), [""; 0]);
        assert_eq!(trace.epoch, Some(749_458_800.0));
    }

    #[test]
    fn eighteen_numbers_need_no_comments() {
        let row = "1 0 -1 10 4 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1";
        let cut = "2 5 -1 10 4 -1 -1 -1";
        let trace = trace("plain", format!("{row}\n{cut}").as_bytes());
        assert_eq!(records(&trace), ["1 1 0 10 4 - - Completed"]);
        assert_eq!(dropped(&trace), ["row_truncated 1 2 the file ends here"]);
    }

    #[test]
    fn other_tables_of_numbers_are_refused() {
        let row = "1 0 -1 10 4 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1";
        let wide = "1 ".repeat(48);
        let fractional = row.replacen(" 4 ", " 0.5 ", 1);
        let status = row.replacen(" 1 -1", " 17 -1", 1);
        for row in [wide.as_str(), &fractional, &status] {
            let text = format!("{row}\n{row}\n");
            let error = try_open("numbers", text.as_bytes()).unwrap_err();
            assert!(error.table().is_some(), "{error}");
            assert!(error.to_string().contains("columns of a known format"));
        }
        // Only in a later row: that one is left out.
        let text = format!("{}{fractional}\n", format!("{row}\n").repeat(6));
        let trace = trace("late", text.as_bytes());
        assert_eq!(dropped(&trace), ["gpus_invalid 1 7 field 5 is '0.5'"]);
    }

    #[test]
    fn what_follows_the_fields_is_not_read() {
        let row = "1 0 -1 10 4 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1";
        for text in [
            format!("{row} nightly\n{row} a b\n"),
            format!("; Version: 2\n{row} 0.5 7\n{row}\n"),
        ] {
            let trace = trace("trailing", text.as_bytes());
            assert_eq!(trace.format, "swf");
            assert_eq!(trace.records.len(), 2);
        }
    }
}
