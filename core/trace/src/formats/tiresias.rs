//! Tiresias' simulator, and everything that writes its columns.
//!
//! `job_id,num_gpu,submit_time,iterations,model_name,duration,interval`; times in seconds since
//! the trace's start. `iterations` and `interval`, the time since the previous job, are not used.
//!
//! Source: <https://github.com/SymbioticLab/Tiresias>.

use crate::columns::{Clock, Columns, Plain};
use crate::format::Format;
use crate::timestamp::TimeUnit;

pub(super) const FORMAT: Format = Format {
    id: "tiresias",
    title: "Tiresias",
    accounting: false,
    recognise: |sniff| sniff.with_columns(&COLUMNS),
    importer: |sniff, _| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

/// What tells the format, and Muri's, which adds to them.
pub(super) const COLUMNS: [&str; 7] = [
    "job_id",
    "num_gpu",
    "submit_time",
    "iterations",
    "model_name",
    "duration",
    "interval",
];

const PLAIN: Plain = Plain {
    id: "job_id",
    submit: "submit_time",
    clock: Clock::Relative(TimeUnit::Seconds),
    duration: "duration",
    duration_unit: TimeUnit::Seconds,
    gpus: "num_gpu",
    model: "model_name",
    units: "Submission and duration are seconds, as this format defines them, since the trace's start.",
    ..Plain::NONE
};

#[cfg(test)]
mod tests {
    use crate::testing::{records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/tiresias.csv");

    #[test]
    fn fixture() {
        let trace = trace("tiresias.csv", FILE);
        assert_eq!(trace.format, "tiresias");
        assert_eq!(
            records(&trace),
            [
                "2 0 0 1000 1 - vgg16 Unknown",
                "3 1 40 2400 2 - resnet50 Unknown",
                "4 2 60 100 8 - vgg16 Unknown",
            ]
        );
        assert_eq!(warnings(&trace), [""; 0]);
    }
}
