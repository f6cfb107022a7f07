//! Alibaba's spot GPU trace of 2026 (`job_info_df.csv`): gangs of workers, spot and
//! high-priority.
//!
//! `job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,`
//! `job_type`; times in seconds since the trace's start. A job asks for `gpu_request` GPUs on each
//! of its `worker_num` workers, of the type `gpu_model`, with `cpu_request` cores each.
//!
//! Source: <https://github.com/alibaba/clusterdata>.

use crate::columns::{Clock, Columns, Plain};
use crate::format::Format;
use crate::timestamp::TimeUnit;

pub(super) const FORMAT: Format = Format {
    id: "alibaba-spot-2026",
    title: "Alibaba spot GPU 2026",
    accounting: false,
    recognise: |sniff| {
        sniff.with_columns(&[
            "organization",
            "gpu_request",
            "worker_num",
            "submit_time",
            "duration",
            "job_type",
        ])
    },
    importer: |sniff, _| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    id: "job_name",
    submit: "submit_time",
    clock: Clock::Relative(TimeUnit::Seconds),
    duration: "duration",
    gpus: "gpu_request",
    workers: "worker_num",
    tenant: "organization",
    types: "gpu_model",
    cores: ("cpu_request", 1.0),
    units: "Submission and duration are seconds since the trace's start; GPUs are gpu_request × worker_num.",
    ..Plain::NONE
};

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/alibaba_spot_2026.csv");

    #[test]
    fn fixture() {
        let trace = trace("alibaba_spot_2026.csv", FILE);
        assert_eq!(trace.format, "alibaba-spot-2026");
        assert_eq!(
            records(&trace),
            [
                "2 1 0 86400 1 13 - Unknown",
                "3 2 100 4106 32 57 - Unknown",
                "4 3 200 60 1 57 - Unknown",
            ]
        );
        assert_eq!(dropped(&trace), [""; 0]);
        assert_eq!(
            warnings(&trace),
            [
                "fractional_gpus 1 4 0.5 GPUs",
                "gpu_types 3 2 A10",
                "gangs_multiplied 1 3 16 workers with 2 GPUs each",
            ]
        );
    }
}
