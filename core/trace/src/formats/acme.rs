//! Shanghai AI Laboratory's Acme: the clusters Seren and Kalos.
//!
//! `node_num,gpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time` among
//! others; Kalos has `fail_time` and `stop_time` besides. Timestamps carry their zone. The
//! duration is end − start: Kalos' own column counts from the submission.
//!
//! Source: <https://github.com/InternLM/AcmeTrace>.

use crate::columns::{Clock, Columns, Plain};
use crate::format::Format;

const COLUMNS: [&str; 7] = [
    "node_num",
    "gpu_num",
    "type",
    "state",
    "submit_time",
    "end_time",
    "gpu_time",
];

pub(super) const SEREN: Format = Format {
    id: "acme-seren",
    title: "Acme Seren",
    accounting: false,
    recognise: |sniff| sniff.with_columns(&COLUMNS),
    importer: |sniff, _| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

pub(super) const KALOS: Format = Format {
    id: "acme-kalos",
    title: "Acme Kalos",
    accounting: false,
    recognise: |sniff| {
        let mut evidence = sniff.with_columns(&COLUMNS)?;
        evidence.weight += sniff.with_columns(&["fail_time"])?.weight;
        evidence.text.push_str(" and fail_time");
        Some(evidence)
    },
    importer: |sniff, _| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    id: "job_id",
    submit: "submit_time",
    clock: Clock::Dates,
    start: "start_time",
    end: "end_time",
    duration: "duration",
    gpus: "gpu_num",
    tenant: "user",
    status: "state",
    cores: ("cpu_num", 1.0),
    memory: ("mem_per_pod_gb", 1.0),
    memory_times: "node_num",
    units: "Timestamps carry their zone; the duration is end_time − start_time, because Kalos' own includes the wait.",
    ..Plain::NONE
};

#[cfg(test)]
mod tests {
    use crate::testing::{dropped, records, trace, warnings};

    const SEREN: &[u8] = include_bytes!("../../../../tests/fixtures/acme_seren.csv");
    const KALOS: &[u8] = include_bytes!("../../../../tests/fixtures/acme_kalos.csv");

    #[test]
    fn seren() {
        let trace = trace("acme_seren.csv", SEREN);
        assert_eq!(trace.format, "acme-seren");
        assert_eq!(
            records(&trace),
            [
                "2 1 1677628800 600 8 ua - Completed",
                "3 2 1677628860 10 16 ub - Failed",
            ]
        );
        assert_eq!(dropped(&trace), ["no_gpus 1 4 gpu_num is '0'",]);
        assert_eq!(warnings(&trace), [""; 0]);
    }

    #[test]
    fn kalos_durations_leave_the_wait_out() {
        let trace = trace("acme_kalos.csv", KALOS);
        assert_eq!(trace.format, "acme-kalos");
        assert_eq!(
            records(&trace),
            [
                "2 dlc1 1684321200 8 64 ua - Failed",
                "3 dlc2 1684321260 3600 64 ua - Completed",
            ]
        );
        assert_eq!(dropped(&trace), ["duration_missing 1 4 end_time is empty",]);
    }
}
