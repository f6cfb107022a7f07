//! Microsoft Philly as cut down for Pollux' evaluation: one row per job.
//!
//! `timestamp,duration,num_gpus,gpu_time,cluster`; timestamps without a zone, durations in
//! seconds, `cluster` is the virtual cluster. Rows are in no order and have no id.
//!
//! Source: <https://github.com/petuum/adaptdl>, branch `osdi21-artifact`; the data are Philly's,
//! <https://github.com/msr-fiddle/philly-traces>.

use super::super::columns::{Clock, Columns, Plain};
use super::super::timestamp::Unit;
use super::Format;

pub(super) const FORMAT: Format = Format {
    id: "philly-pollux",
    title: "Microsoft Philly (Pollux' cut)",
    recognise: |sniff| {
        sniff.with_columns(&["timestamp", "duration", "num_gpus", "gpu_time", "cluster"])
    },
    importer: |sniff| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    id: "",
    submit: "timestamp",
    clock: Clock::Dates,
    duration: "duration",
    duration_unit: Unit::Seconds,
    gpus: "num_gpus",
    tenant: "cluster",
    model: "",
    status: "",
    units: "Timestamps without a zone are UTC; durations are seconds.",
};
