//! Tiresias' simulator, and everything that writes its columns.
//!
//! `job_id,num_gpu,submit_time,iterations,model_name,duration,interval`; times in seconds since
//! the trace's start. `iterations` and `interval`, the time since the previous job, are not used.
//!
//! Source: <https://github.com/SymbioticLab/Tiresias>.

use super::super::columns::{Clock, Columns, Plain};
use super::super::timestamp::Unit;
use super::Format;

pub(super) const FORMAT: Format = Format {
    id: "tiresias",
    title: "Tiresias",
    recognise: |sniff| sniff.with_columns(&COLUMNS),
    importer: |sniff| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

/// What tells the format, and Muri's, which adds to them.
pub(super) const COLUMNS: [&str; 7] = [
    "job_id",
    "num_gpu",
    "submit_time",
    "iterations",
    "model_name",
    "duration",
    "interval",
];

const PLAIN: Plain = Plain {
    id: "job_id",
    submit: "submit_time",
    clock: Clock::Relative(Unit::Seconds),
    duration: "duration",
    duration_unit: Unit::Seconds,
    gpus: "num_gpu",
    tenant: "",
    model: "model_name",
    status: "",
    units: "Submission and duration are seconds, as this format defines them, since the trace's start.",
};
