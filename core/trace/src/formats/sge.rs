//! Accounting of Grid Engine (SGE, Son of Grid Engine, Univa, Altair): the file `accounting`, a record on
//! each line whose fields stand between colons, in an order that is fixed.
//!
//! `owner` is the 4th, `job_number` the 6th, then `account`, `priority`, `submission_time`, `start_time`,
//! `end_time`, `failed`, `exit_status`; `slots` is the 35th, `task_number` the 36th, `category` the 40th. Times are Unix
//! seconds, or milliseconds since Univa 8.2; the duration is end − start. The GPUs are those
//! that the category asks for (`-l gpu=2`), by whatever name the site gave them; asked for by each
//! slot or not, which only the site knows, they are taken as they stand. Slots are cores. The queue is the tenant. Records
//! with a `pe_taskid` are parts of a parallel job.
//!
//! Source: `man 5 accounting` of Grid Engine.

use crate::format::{Format, Importer};
use crate::job::Status;
use crate::report::{DropReason, cell_is};
use crate::rows::{Row, number, span};
use crate::sink::{self, Asks, Draft, RowRecord, Sink};
use crate::sniff::{Evidence, Shape};
use crate::timestamp::TimeUnit;

pub(super) const FORMAT: Format = Format {
    id: "sge",
    title: "Grid Engine accounting",
    accounting: true,
    recognise: |sniff| {
        // No other table has colons between its cells.
        let is_log = matches!(
            sniff.shape,
            Shape::Table {
                delimiter: b':',
                ..
            }
        );
        is_log.then(|| Evidence {
            weight: 4,
            text: "records of 43 and more fields between colons, three of them Unix times"
                .to_owned(),
        })
    },
    importer: |_, _| Ok(Box::new(Sge)),
};

/// Where the fields stand, from 0.
const QUEUE: usize = 0;
const HOST: usize = 1;
const OWNER: usize = 3;
const JOB: usize = 5;
const ACCOUNT: usize = 6;
const PRIORITY: usize = 7;
const SUBMITTED: usize = 8;
const STARTED: usize = 9;
const ENDED: usize = 10;
const FAILED: usize = 11;
const EXIT_STATUS: usize = 12;
const SLOTS: usize = 34;
const TASK: usize = 35;
const CATEGORY: usize = 39;
const SLAVE: usize = 41;

struct Sge;

impl Importer for Sge {
    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        if let Err((reason, field, at)) = read(row, sink) {
            sink.drop(reason, row.line, &|| cell_is(field, row.cell(at)));
        }
    }

    fn joins_cells(&self) -> bool {
        true
    }

    fn finish(&mut self, sink: &mut Sink) {
        sink.zero = Some(0.0);
    }

    fn units(&self) -> String {
        "Times are Unix times; the duration is end_time − start_time; GPUs are those that the category asks for.".to_owned()
    }

    fn named(&self) -> bool {
        true
    }
}

/// Keeps a job, or tells the field to blame and where it stands.
fn read(row: &Row<'_>, sink: &mut Sink) -> Result<(), (DropReason, &'static str, usize)> {
    let is_part = row
        .cell(SLAVE)
        .split_once('.')
        .is_some_and(|(number, host)| {
            let digits = number.bytes().all(|byte| byte.is_ascii_digit());
            digits && host.starts_with(|c: char| c.is_ascii_alphabetic())
        });
    if is_part {
        return Err((DropReason::PartialExecution, "pe_taskid", SLAVE));
    }
    // A category may have colons, and nothing with any precedes it. Five fields follow it, or more.
    let end = row.len().saturating_sub(5).max(CATEGORY + 1);
    let category: Vec<&str> = (CATEGORY..end).map(|at| row.cell(at)).collect();
    let category = category.join(":");
    let asked = |is: &dyn Fn(&str) -> bool| {
        let pairs = category
            .split([',', ' '])
            .filter_map(|pair| pair.split_once('='));
        let mut asked = pairs.filter(|(key, _)| is(key)).map(|(_, value)| value);
        asked.next()
    };
    let is_gpu = |key: &str| {
        matches!(
            key,
            "gpu"
                | "gpus"
                | "ngpu"
                | "ngpus"
                | "num_gpu"
                | "num_gpus"
                | "nvidia_gpu"
                | "cuda"
                | "gpu_card"
                | "gpucount"
        )
    };
    let count = asked(&is_gpu).map(|count| count.split(':').next().unwrap_or(count));
    let count = count.map_or(Some(0.0), number);
    let count = count.ok_or((DropReason::GpusInvalid, "category", CATEGORY))?;
    let slots = number(row.cell(SLOTS)).unwrap_or(0.0);
    let occupied = sink.occupied(count, slots);
    let (gpus, share) = occupied.map_err(|reason| (reason, "category", CATEGORY))?;
    let time = |at: usize| {
        let number = number(row.cell(at)).filter(|number| *number != 0.0)?;
        Some(TimeUnit::of_unix_time(number)?.seconds(number))
    };
    let submit =
        time(SUBMITTED).ok_or((DropReason::SubmitInvalid, "submission_time", SUBMITTED))?;
    let submit = sink::submit(submit).map_err(|reason| (reason, "submission_time", SUBMITTED))?;
    let start = time(STARTED).ok_or((DropReason::NotBegun, "start_time", STARTED))?;
    let end = time(ENDED).ok_or((DropReason::NotEnded, "end_time", ENDED))?;
    let duration = sink::duration(end - start).map_err(|reason| (reason, "end_time", ENDED))?;
    let name = match row.cell(TASK) {
        "" | "0" => row.cell(JOB).to_owned(),
        task => format!("{}.{task}", row.cell(JOB)),
    };
    let failed = row
        .cell(FAILED)
        .split_ascii_whitespace()
        .next()
        .unwrap_or("");
    let limit = asked(&|key| key == "h_rt" || key == "s_rt");
    sink.keep(Draft {
        line: row.line,
        name: &name,
        submit,
        duration,
        gpus,
        share,
        tenant: row.cell(QUEUE),
        model: "",
        batch: None,
        asks: Asks {
            time: sink::asked_time(limit.and_then(|limit| number(limit).or_else(|| span(limit)))),
            ..Asks::default()
        },
        record: RowRecord {
            labels: [
                row.cell(OWNER),
                Some(row.cell(ACCOUNT))
                    .filter(|name| *name != "sge")
                    .unwrap_or(""),
                row.cell(QUEUE),
                "",
                "",
            ],
            start: Some(start),
            priority: number(row.cell(PRIORITY)),
            ran_on: "",
            nodes: row.cell(HOST),
        },
        // 100: killed by a signal, as by its owner.
        status: match (failed, row.cell(EXIT_STATUS)) {
            ("0", "0") => Status::Completed,
            ("100", _) => Status::Cancelled,
            _ => Status::Failed,
        },
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    /// A record of these times, status and category.
    fn record(job: &str, times: [&str; 3], status: &str, task: &str, category: &str) -> String {
        let slave = if job == "11" { "1.n2" } else { "NONE" };
        let [submitted, started, ended] = times;
        let used = vec!["0"; 17].join(":");
        format!(
            "gpu.q:n1:lab:ann:train:{job}:sge:0:{submitted}:{started}:{ended}:{status}:60:{used}:NONE:defaultdepartment:smp:8:{task}:1.5:0.1:0:{category}:0.0:{slave}:1000:0:0\n"
        )
    }

    #[test]
    fn records_of_jobs() {
        let text = [
            "# Version: 8.1.9\n#\n".to_owned(),
            record(
                "7",
                ["1714737600", "1714737660", "1714741260"],
                "0:0",
                "0",
                "-q gpu.q -l gpu=2,h_rt=01:00:00 -pe smp 8",
            ),
            record(
                "8",
                ["1714737600000", "1714737660000", "1714737720500"],
                "100:137",
                "3",
                "-l ngpus=1",
            ),
            record(
                "9",
                ["1714737600", "1714737660", "1714737720"],
                "0:1",
                "0",
                "-q all.q",
            ),
            record("10", ["1714737600", "0", "0"], "0:1", "0", "-l gpu=1"),
            record(
                "11",
                ["1714737600", "1714737660", "1714737720"],
                "0:0",
                "0",
                "-l gpu=1",
            ),
        ];
        let trace = trace("accounting", text.concat().as_bytes());
        assert_eq!(trace.format, "sge");
        assert_eq!(
            records(&trace),
            [
                "3 7 1714737600 3600 2 gpu.q - Completed",
                "4 8.3 1714737600 60.5 1 gpu.q - Cancelled",
            ]
        );
        assert_eq!(
            dropped(&trace),
            [
                "partial_execution 1 7 pe_taskid is '1.n2'",
                "no_gpus 1 5 category is '-q all.q'",
                "not_begun 1 6 start_time is '0'",
            ]
        );
        assert_eq!(warnings(&trace), ["same_submit 2 3 all at 1714737600"]);
        assert_eq!(trace.records[0].demand.time, Some(3600.0));
    }
}
