//! Microsoft ITP, published with ElasticFlow: ten clusters over two months, one file each.
//!
//! `job_id,submission_time,duration,num_gpu`; times in seconds since the trace's start. The
//! files come in one archive; each member is a cluster, and becomes a tenant when several are
//! opened together.
//!
//! Source: <https://github.com/microsoft/elasticflow-traces>.

use crate::columns::{Clock, Columns, Plain};
use crate::format::Format;
use crate::timestamp::TimeUnit;

pub(super) const FORMAT: Format = Format {
    id: "ms-itp",
    title: "Microsoft ITP",
    accounting: false,
    recognise: |sniff| sniff.with_exactly(&["job_id", "submission_time", "duration", "num_gpu"]),
    importer: |sniff, _| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    id: "job_id",
    submit: "submission_time",
    clock: Clock::Relative(TimeUnit::Seconds),
    duration: "duration",
    duration_unit: TimeUnit::Seconds,
    gpus: "num_gpu",
    units: "Submission and duration are seconds, as this format defines them, since the trace's start.",
    ..Plain::NONE
};

#[cfg(test)]
mod tests {
    use crate::testing::{records, trace, warnings};

    const A: &[u8] = include_bytes!("../../../../tests/fixtures/ms_itp_a.csv");

    #[test]
    fn fixture() {
        let trace = trace("ms_itp_a.csv", A);
        assert_eq!(trace.format, "ms-itp");
        assert_eq!(
            records(&trace),
            [
                "2 aaaa-0001 120 2400 64 - - Unknown",
                "3 aaaa-0002 300 1500 1 - - Unknown",
            ]
        );
        assert_eq!(warnings(&trace), [""; 0]);
        assert_eq!(trace.epoch, None);
        assert_eq!(
            trace.report.recognised,
            "Microsoft ITP: the header has exactly the columns job_id, submission_time, duration, num_gpu."
        );
    }
}
