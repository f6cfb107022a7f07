//! The cuts of DIR-LAB's Lumos: Argonne's Theta and ThetaGPU, Mira, Blue Waters and others in
//! common columns.
//!
//! `job,user,project,state,gpu_num,cpu_num,node_num,submit_time,wait_time,run_time,wall_time,`
//! `node_hour,new_status`; submissions are Unix seconds, durations seconds. `wall_time` is the
//! time that is asked for. Systems without GPUs have none in any row.
//!
//! Source: <https://github.com/DIR-LAB/lumos>.

use crate::columns::{Clock, Columns, Plain};
use crate::format::Format;
use crate::timestamp::TimeUnit;

pub(super) const FORMAT: Format = Format {
    id: "lumos",
    title: "Lumos (DIR-LAB)",
    accounting: false,
    recognise: |sniff| {
        sniff.with_columns(&[
            "gpu_num",
            "node_num",
            "submit_time",
            "wait_time",
            "run_time",
            "wall_time",
        ])
    },
    importer: |sniff, _| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    id: "job",
    submit: "submit_time",
    clock: Clock::Unix,
    duration: "run_time",
    wait: "wait_time",
    gpus: "gpu_num",
    tenant: "project",
    status: "new_status",
    requested_time: ("wall_time", TimeUnit::Seconds),
    units: "Submissions are Unix seconds, durations seconds; wall_time is the time asked for, in seconds.",
    ..Plain::NONE
};

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/lumos.csv");

    #[test]
    fn fixture() {
        let trace = trace("lumos.csv", FILE);
        assert_eq!(trace.format, "lumos");
        assert_eq!(
            records(&trace),
            [
                "2 501 1672529197 2305.5 8 7.0 - Completed",
                "4 503 1672529199 60 16 7.0 - Cancelled",
            ]
        );
        let asked = trace.records.iter().map(|record| record.demand.time);
        assert!(asked.eq([Some(3600.0); 2]));
        assert_eq!(dropped(&trace), ["no_gpus 1 3 gpu_num is '0.0'",]);
        assert_eq!(warnings(&trace), [""; 0]);
    }
}
