//! Chronus' traces: Tiresias' columns and deadlines, with times in **minutes**.
//!
//! `expect_time_list` and `expect_value_list` hold deadlines and their worth, joined by `-`; they
//! are not used. The user is the tenant.
//!
//! Source: <https://github.com/S-Lab-System-Group/ChronusArtifact>.

use crate::columns::{Clock, Columns, Plain};
use crate::format::Format;
use crate::timestamp::TimeUnit;

pub(super) const FORMAT: Format = Format {
    id: "chronus",
    title: "Chronus",
    accounting: false,
    recognise: |sniff| {
        let mut evidence = sniff.with_columns(&[
            "job_id",
            "num_gpu",
            "submit_time",
            "duration",
            "expect_time_list",
        ])?;
        // More than Tiresias' own signature, which it may have too.
        evidence.weight += super::tiresias::COLUMNS.len();
        Some(evidence)
    },
    importer: |sniff, _| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    id: "job_id",
    submit: "submit_time",
    clock: Clock::Relative(TimeUnit::Minutes),
    duration: "duration",
    duration_unit: TimeUnit::Minutes,
    gpus: "num_gpu",
    tenant: "user",
    model: "model_name",
    units: "Submission and duration are minutes, as this format defines them, and were multiplied by 60.",
    ..Plain::NONE
};

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/chronus.csv");

    #[test]
    fn fixture() {
        let trace = trace("chronus.csv", FILE);
        assert_eq!(trace.format, "chronus");
        assert_eq!(
            records(&trace),
            [
                "2 0 600 1800 4 u1 resnet50 Unknown",
                "3 1 720 150 1 u2 bert Unknown",
            ]
        );
        assert_eq!(dropped(&trace), ["no_gpus 1 4 num_gpu is '0'",]);
        assert_eq!(warnings(&trace), [""; 0]);
    }
}
