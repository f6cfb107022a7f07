//! ElasticFlow's extended trace: Microsoft ITP's jobs with a model and a deadline.
//!
//! `job_id,submission_time,duration,num_gpu` and `num_iteration,model_name,deadline,batch_size`;
//! times in seconds since the trace's start. Deadlines are moments, not durations, and are not
//! used.
//!
//! Source: <https://github.com/microsoft/elasticflow-traces>.

use crate::columns::{Clock, Columns, Plain};
use crate::format::Format;
use crate::timestamp::TimeUnit;

pub(super) const FORMAT: Format = Format {
    id: "elasticflow",
    title: "ElasticFlow",
    accounting: false,
    recognise: |sniff| {
        sniff.with_columns(&[
            "job_id",
            "submission_time",
            "duration",
            "num_gpu",
            "num_iteration",
            "model_name",
            "deadline",
        ])
    },
    importer: |sniff, _| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    id: "job_id",
    submit: "submission_time",
    clock: Clock::Relative(TimeUnit::Seconds),
    duration: "duration",
    gpus: "num_gpu",
    model: "model_name",
    units: "Submission and duration are seconds, as this format defines them, since the trace's start.",
    ..Plain::NONE
};

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/elasticflow.csv");

    #[test]
    fn fixture() {
        let trace = trace("elasticflow.csv", FILE);
        assert_eq!(trace.format, "elasticflow");
        assert_eq!(
            records(&trace),
            [
                "2 e1 0 3600 4 - resnet50 Unknown",
                "3 e2 60 1800 1 - bert Unknown",
            ]
        );
        assert_eq!(dropped(&trace), ["duration_zero 1 4 duration is '0'",]);
        assert_eq!(warnings(&trace), [""; 0]);
    }
}
