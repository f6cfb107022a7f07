//! SenseTime Helios as published: `cluster_log.csv` of a cluster.
//!
//! `job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue`;
//! timestamps without a zone, durations in seconds, `queue` is the wait in seconds. More than
//! half of the jobs ask for no GPU.
//!
//! Source: <https://github.com/S-Lab-System-Group/HeliosData>.

use crate::columns::{Clock, Columns, Plain};
use crate::format::Format;
use crate::timestamp::TimeUnit;

pub(super) const FORMAT: Format = Format {
    id: "helios",
    title: "SenseTime Helios",
    accounting: false,
    recognise: |sniff| {
        sniff.with_columns(&["vc", "gpu_num", "node_num", "state", "queue", "duration"])
    },
    importer: |sniff, _| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    id: "job_id",
    submit: "submit_time",
    clock: Clock::Dates,
    duration: "duration",
    start: "start_time",
    duration_unit: TimeUnit::Seconds,
    gpus: "gpu_num",
    tenant: "vc",
    status: "state",
    cores: ("cpu_num", 1.0),
    units: "Timestamps without a zone are UTC; durations are seconds.",
    ..Plain::NONE
};

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/helios.csv");

    #[test]
    fn fixture() {
        let trace = trace("helios.csv", FILE);
        assert_eq!(trace.format, "helios");
        assert_eq!(
            records(&trace),
            [
                "2 101 1591728000 7200 1 vc1 - Completed",
                "3 102 1591728060 240 16 vc2 - Failed",
                "6 105 1591728240 30 8 vc1 - Cancelled",
            ]
        );
        assert_eq!(
            dropped(&trace),
            [
                "no_gpus 1 4 gpu_num is '0'",
                "duration_zero 1 5 duration is '0'"
            ]
        );
        assert_eq!(warnings(&trace), [""; 0]);
        let report = &trace.report;
        assert_eq!((report.rows_read, report.rows_kept), (5, 3));
    }
}
