//! Accounting of PBS Professional, OpenPBS and Torque: a record on each line,
//! `01/07/2030 11:00:09;E;71.srv;user=ann queue=gpu ctime=… start=… end=… Resource_List.ngpus=2 …`.
//!
//! A job is its record `E`; all others (`Q`, `S`, `D`, …) are parts of it. Submitted at `qtime`, else `ctime`;
//! it ran from `start` to `end`, in Unix seconds. The GPUs are `Resource_List.ngpus`, else those of its
//! chunks in `Resource_List.select` (`2:ncpus=8:ngpus=4`) or, of Torque's, `Resource_List.nodes` (`2:ppn=8:gpus=4`).
//! `Resource_List.walltime` is the time that is asked for, the queue the tenant. An `Exit_status` of 0 is
//! success, a negative one or 256 and more that of a job that was killed.
//!
//! Source: PBS Professional, Administrator's Guide, "Accounting"; Torque, "Accounting records".

use crate::format::{Format, Importer};
use crate::job::Status;
use crate::report::{DropReason, cell_is};
use crate::rows::{Row, date_year_last, is_missing, number, span};
use crate::sink::{self, Asks, Draft, RowRecord, Sink};
use crate::sniff::{Evidence, Shape, Sniff};

pub(super) const FORMAT: Format = Format {
    id: "pbs",
    title: "PBS accounting",
    accounting: true,
    recognise: |sniff| {
        is_log(sniff).then(|| Evidence {
            weight: 4,
            text: "a date, the kind of a record, a job and its attributes between semicolons"
                .to_owned(),
        })
    },
    importer: |_, _| Ok(Box::new(Pbs)),
};

/// Whether the first rows are records.
fn is_log(sniff: &Sniff<'_>) -> bool {
    let is_record = |row: &Vec<String>| match row.as_slice() {
        [time, kind, _, ..] => {
            let is_kind = kind.len() == 1 && kind.bytes().all(|byte| byte.is_ascii_alphabetic());
            is_kind && date_year_last(time).is_some()
        }
        _ => false,
    };
    let is_table = matches!(
        sniff.shape,
        Shape::Table {
            delimiter: b';',
            header: false
        }
    );
    is_table && !sniff.preview.is_empty() && sniff.preview.iter().all(is_record)
}

struct Pbs;

impl Importer for Pbs {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        if let Err((reason, key, value)) = read(row, sink) {
            sink.drop(reason, row.line, &|| cell_is(key, &value));
        }
    }

    fn joins_cells(&self) -> bool {
        true
    }

    fn finish(&mut self, sink: &mut Sink) {
        sink.zero = Some(0.0);
    }

    fn units(&self) -> String {
        "Times are Unix seconds; submission is qtime, else ctime; the duration is end − start; GPUs are Resource_List.ngpus, else those of select or nodes.".to_owned()
    }

    fn named(&self) -> bool {
        true
    }
}

/// Keeps a job, or tells the attribute to blame and what it is.
fn read(row: &Row<'_>, sink: &mut Sink) -> Result<(), (DropReason, &'static str, String)> {
    let kind = row.cell(1);
    if kind != "E" {
        let what = kind.to_owned();
        return Err((DropReason::PartialExecution, "record", what));
    }
    // Values may have semicolons.
    let attributes: Vec<&str> = (3..row.len()).map(|at| row.cell(at)).collect();
    let attributes = attributes.join(";");
    let get = |key: &str| {
        let mut words = attributes.split_ascii_whitespace();
        words.find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    };
    let text = |key: &str| get(key).unwrap_or("");
    let count = match number(text("Resource_List.ngpus")) {
        Some(count) => Some(count),
        None => get("Resource_List.select")
            .or_else(|| get("Resource_List.nodes"))
            .map(|chunks| of_chunks(chunks, &["ngpus", "gpus"], 0.0)),
    };
    let chunks = get("Resource_List.select").or_else(|| get("Resource_List.nodes"));
    let cores = number(text("Resource_List.ncpus"))
        .or_else(|| chunks.map(|chunks| of_chunks(chunks, &["ncpus", "ppn"], 1.0)));
    let occupied = sink.occupied(count.unwrap_or(0.0), cores.unwrap_or(0.0));
    let (gpus, share) = occupied.map_err(|reason| {
        (
            reason,
            "Resource_List.ngpus",
            text("Resource_List.ngpus").to_owned(),
        )
    })?;
    let time = |key: &'static str, missing, invalid| {
        let cell = text(key);
        let reason = if is_missing(cell) { missing } else { invalid };
        // 0 stands for "not yet".
        let seconds = number(cell).filter(|seconds| *seconds != 0.0);
        seconds.ok_or_else(|| (reason, key, cell.to_owned()))
    };
    let (missing, invalid) = (DropReason::SubmitMissing, DropReason::SubmitInvalid);
    let submit = time("qtime", missing, invalid).or_else(|_| time("ctime", missing, invalid))?;
    let submit = sink::submit(submit).map_err(|reason| (reason, "qtime", submit.to_string()))?;
    let (missing, invalid) = (DropReason::DurationMissing, DropReason::DurationInvalid);
    let start = time("start", DropReason::NotBegun, invalid)?;
    let seconds = time("end", missing, invalid)? - start;
    let duration =
        sink::duration(seconds).map_err(|reason| (reason, "end − start", seconds.to_string()))?;
    let limit = text("Resource_List.walltime");
    let status = match number(text("Exit_status")) {
        Some(0.0) => Status::Completed,
        Some(code) if !(0.0..256.0).contains(&code) => Status::Cancelled,
        Some(_) => Status::Failed,
        None => Status::Unknown,
    };
    sink.keep(Draft {
        line: row.line,
        name: row.cell(2),
        submit,
        duration,
        gpus,
        share,
        tenant: text("queue"),
        model: "",
        batch: None,
        asks: Asks {
            time: sink::asked_time(span(limit).or_else(|| number(limit))),
            ..Asks::default()
        },
        record: RowRecord {
            labels: [
                text("user"),
                get("account").or_else(|| get("project")).unwrap_or(""),
                text("queue"),
                "",
                text("resvname"),
            ],
            start: Some(start),
            priority: None,
            ran_on: "",
            nodes: text("exec_host"),
        },
        status,
    });
    Ok(())
}

/// GPUs or cores of chunks such as `2:ncpus=8:ngpus=4+1:ncpus=1`, or of nodes such as `2:ppn=8:gpus=4`, by
/// either key; `unsaid` of a chunk that says none.
fn of_chunks(chunks: &str, keys: &[&str], unsaid: f64) -> f64 {
    let of_chunk = |chunk: &str| {
        let mut parts = chunk.split(':');
        let first = parts.next().unwrap_or("");
        // A node may be called by its name.
        let count = number(first).unwrap_or(1.0);
        let gpus = parts.find_map(|part| {
            let (key, value) = part.split_once('=')?;
            keys.contains(&key).then(|| number(value))?
        });
        count * gpus.unwrap_or(unsaid)
    };
    chunks.split('+').map(of_chunk).sum()
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/pbs_accounting.log");

    #[test]
    fn fixture() {
        let trace = trace("20240503", FILE);
        assert_eq!(trace.format, "pbs");
        assert_eq!(
            records(&trace),
            [
                "3 71.srv 1714737600 3600 2 gpu - Completed",
                "4 72.srv 1714737660 100 9 gpu - Cancelled",
                "5 73.srv 1714737660 60 8 long - Failed",
            ]
        );
        assert_eq!(
            dropped(&trace),
            [
                "partial_execution 2 1 record is 'Q'",
                "no_gpus 1 6 Resource_List.ngpus is empty",
            ]
        );
        assert_eq!(warnings(&trace), [""; 0]);
        assert_eq!(trace.records[0].demand.time, Some(7200.0));
        assert_eq!(trace.inspect().jobs, 4);
    }
}
