//! Microsoft Philly as published: `cluster_job_log`, a JSON array of jobs.
//!
//! A job has `submitted_time`, `vc`, `jobid`, `status` and `attempts`, each with a start, an end
//! and the GPUs of its machines. Missing values are null, empty or the string "None". An attempt
//! counts if it has a start, a later or equal end, and at least one GPU; the duration is the
//! sum of those attempts, the GPUs are those of the first of them. All of them but the last failed and
//! were tried again; the trace does not say why. Times without a zone are UTC.
//!
//! Source: <https://github.com/msr-fiddle/philly-traces>.

use crate::format::{Format, Importer};
use crate::report::{DropReason, cell_is};
use crate::rows::{Row, date, is_missing};
use crate::sink::{self, Draft, RowRecord, Sink};
use crate::sniff::Shape;
use crate::status::status;
use serde::Deserialize;
use serde::de::IgnoredAny;

pub(super) const FORMAT: Format = Format {
    id: "philly-json",
    title: "Microsoft Philly",
    accounting: false,
    recognise: |sniff| {
        let mut evidence = sniff.with_columns(&["submitted_time", "attempts"])?;
        evidence.text = "a JSON array of jobs with submitted_time and attempts".to_owned();
        (sniff.shape == Shape::JsonArray).then_some(evidence)
    },
    importer: |_, _| Ok(Box::new(Philly)),
};

#[derive(Deserialize)]
struct Job {
    status: Option<String>,
    vc: Option<String>,
    user: Option<String>,
    jobid: Option<String>,
    submitted_time: Option<String>,
    attempts: Option<Vec<Attempt>>,
}

#[derive(Deserialize)]
struct Attempt {
    start_time: Option<String>,
    end_time: Option<String>,
    detail: Option<Vec<Machine>>,
}

#[derive(Deserialize)]
struct Machine {
    gpus: Option<Vec<IgnoredAny>>,
}

impl Attempt {
    /// Seconds and GPUs, if the attempt counts.
    fn valid(&self) -> Option<(f64, usize)> {
        let time = |time: &Option<String>| date(time.as_deref()?.trim());
        let seconds = time(&self.end_time)? - time(&self.start_time)?;
        let machines = self.detail.iter().flatten();
        let gpus = machines.map(|m| m.gpus.as_ref().map_or(0, Vec::len)).sum();
        (seconds >= 0.0 && gpus > 0).then_some((seconds, gpus))
    }
}

struct Philly;

impl Importer for Philly {
    fn reads_json(&self) -> bool {
        true
    }

    fn row(&mut self, row: &Row<'_>, sink: &mut Sink) {
        let job: Job = match serde_json::from_str(row.cell(0)) {
            Ok(job) => job,
            Err(error) => {
                // Its own position counts from the element's beginning.
                let column = error.column();
                let line = row.line.saturating_add(error.line().max(1) as u32 - 1);
                let what = error.to_string();
                let what = what
                    .split(" at line ")
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                return sink.drop(DropReason::JsonMalformed, line, &|| {
                    format!("column {column}: {what}")
                });
            }
        };
        if let Err((reason, detail)) = read(&job, row.line, sink) {
            sink.drop(reason, row.line, &|| detail.clone());
        }
    }

    fn finish(&mut self, sink: &mut Sink) {
        sink.zero = Some(0.0);
    }

    fn units(&self) -> String {
        "Timestamps without a zone are UTC; a job's duration is the sum of its attempts that have a start and an end, its GPUs are those of the first of them.".to_owned()
    }

    fn named(&self) -> bool {
        true
    }
}

fn read(job: &Job, line: u32, sink: &mut Sink) -> Result<(), (DropReason, String)> {
    let attempts = job.attempts.as_deref().unwrap_or_default();
    let valid: Vec<(f64, usize)> = attempts.iter().filter_map(Attempt::valid).collect();
    let name = job.jobid.as_deref().unwrap_or_default().trim();
    let Some(&(_, gpus)) = valid.first() else {
        let detail = format!("{} attempts", attempts.len());
        return Err((DropReason::NoFinishedAttempt, detail));
    };
    let mut lasted: Vec<f64> = valid.iter().map(|(seconds, _)| *seconds).collect();
    let seconds = lasted.iter().sum();
    let (gpus, share) = sink
        .occupied(gpus as f64, 0.0)
        .map_err(|r| (r, format!("{gpus} GPUs")))?;
    let submitted = job.submitted_time.as_deref().unwrap_or_default().trim();
    let submit = match date(submitted) {
        Some(seconds) => sink::submit(seconds),
        None if is_missing(submitted) => Err(DropReason::SubmitMissing),
        None => Err(DropReason::SubmitInvalid),
    };
    let submit = submit.map_err(|r| (r, cell_is("submitted_time", submitted)))?;
    let duration =
        sink::duration(seconds).map_err(|r| (r, format!("its attempts add up to {seconds} s")))?;
    // Between its attempts it waited.
    let ends = attempts.iter().filter(|attempt| attempt.valid().is_some());
    let ends = ends.filter_map(|attempt| date(attempt.end_time.as_deref()?.trim()));
    let last = ends.reduce(|a, b| if b > a { b } else { a });
    sink.keep(Draft {
        line,
        name,
        submit,
        duration,
        gpus,
        share,
        tenant: job.vc.as_deref().unwrap_or_default().trim(),
        model: "",
        batch: None,
        asks: Default::default(),
        record: RowRecord {
            labels: [
                job.user.as_deref().unwrap_or_default().trim(),
                "",
                "",
                "",
                "",
            ],
            start: last.map(|end| end - duration),
            ..RowRecord::default()
        },
        status: status(job.status.as_deref().unwrap_or_default().trim()),
    });
    lasted.retain(|seconds| *seconds > 0.0);
    lasted.pop();
    sink.tried_before(lasted);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/philly.json");

    #[test]
    fn fixture() {
        let trace = trace("philly.json", FILE);
        assert_eq!(trace.format, "philly-json");
        assert_eq!(
            records(&trace),
            [
                "2 application_1 1507338660 3670 3 vc-a - Completed",
                "21 application_2 1507518240 45 1 vc-b - Failed",
            ]
        );
        assert_eq!(
            dropped(&trace),
            [
                "no_finished_attempt 2 34 0 attempts",
                "submit_missing 1 36 submitted_time is 'None'",
            ]
        );
        assert_eq!(
            warnings(&trace),
            ["attempts 1 2 1 failed, the first after 70 s"]
        );
        assert_eq!(trace.records[0].attempts(), [70.0]);
        assert_eq!(trace.epoch, Some(1_507_338_660.0));
    }

    #[test]
    fn one_bad_element_does_not_spoil_the_others() {
        let file = include_bytes!("../../../../tests/fixtures/bad_truncated.json");
        let trace = trace("bad_truncated.json", file);
        assert_eq!(records(&trace), ["2 a 1507337940 10 1 - - Completed"]);
        assert_eq!(
            dropped(&trace),
            [
                "row_truncated 1 4 the file ends here",
                "json_malformed 1 3 column 12: invalid type: integer `7`, expected a string",
            ]
        );
    }
}
