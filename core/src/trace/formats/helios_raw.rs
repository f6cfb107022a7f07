//! SenseTime Helios as published: `cluster_log.csv` of a cluster.
//!
//! `job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue`;
//! timestamps without a zone, durations in seconds, `queue` is the wait in seconds. More than
//! half of the jobs ask for no GPU.
//!
//! Source: <https://github.com/S-Lab-System-Group/HeliosData>.

use super::super::columns::{Clock, Columns, Plain};
use super::super::timestamp::Unit;
use super::Format;

pub(super) const FORMAT: Format = Format {
    id: "helios",
    title: "SenseTime Helios",
    recognise: |sniff| {
        sniff.with_columns(&["vc", "gpu_num", "node_num", "state", "queue", "duration"])
    },
    importer: |sniff| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    id: "job_id",
    submit: "submit_time",
    clock: Clock::Dates,
    duration: "duration",
    duration_unit: Unit::Seconds,
    gpus: "gpu_num",
    tenant: "vc",
    model: "",
    status: "state",
    units: "Timestamps without a zone are UTC; durations are seconds.",
};
