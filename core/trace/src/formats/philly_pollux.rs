//! Microsoft Philly as cut down for Pollux' evaluation: one row per job.
//!
//! `timestamp,duration,num_gpus,gpu_time,cluster`; timestamps without a zone, durations in
//! seconds, `cluster` is the virtual cluster. Rows are in no order and have no id.
//!
//! Source: <https://github.com/petuum/adaptdl>, branch `osdi21-artifact`; the data are Philly's,
//! <https://github.com/msr-fiddle/philly-traces>.

use crate::columns::{Clock, Columns, Plain};
use crate::format::Format;
use crate::timestamp::TimeUnit;

pub(super) const FORMAT: Format = Format {
    id: "philly-pollux",
    title: "Microsoft Philly (Pollux' cut)",
    accounting: false,
    recognise: |sniff| {
        sniff.with_columns(&["timestamp", "duration", "num_gpus", "gpu_time", "cluster"])
    },
    importer: |sniff, _| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    submit: "timestamp",
    clock: Clock::Dates,
    duration: "duration",
    duration_unit: TimeUnit::Seconds,
    gpus: "num_gpus",
    tenant: "cluster",
    units: "Timestamps without a zone are UTC; durations are seconds.",
    ..Plain::NONE
};

#[cfg(test)]
mod tests {
    use crate::testing::{records, trace, warnings};

    const FILE: &[u8] = include_bytes!("../../../../tests/fixtures/philly_pollux.csv");

    #[test]
    fn fixture() {
        let trace = trace("philly_pollux.csv", FILE);
        assert_eq!(trace.format, "philly-pollux");
        assert_eq!(
            records(&trace),
            [
                "2 2 1507532400 66 1 vc-a - Unknown",
                "3 3 1507528800 3000 4 vc-b - Unknown",
                "5 5 1506672000.5 860000 128 vc-a - Unknown",
            ]
        );
        assert_eq!(
            warnings(&trace),
            ["unsorted 2 3 submitted before the row above"]
        );
        assert_eq!(trace.epoch, Some(1_506_672_000.5));
    }
}
