//! Microsoft ITP, published with ElasticFlow: ten clusters over two months, one file each.
//!
//! `job_id,submission_time,duration,num_gpu`; times in seconds since the trace's start. The
//! files come in one archive; each member is a cluster, and becomes a tenant when several are
//! opened together.
//!
//! Source: <https://github.com/microsoft/elasticflow-traces>.

use super::super::columns::{Clock, Columns, Plain};
use super::super::timestamp::Unit;
use super::Format;

pub(super) const FORMAT: Format = Format {
    id: "ms-itp",
    title: "Microsoft ITP",
    recognise: |sniff| sniff.with_exactly(&["job_id", "submission_time", "duration", "num_gpu"]),
    importer: |sniff| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    id: "job_id",
    submit: "submission_time",
    clock: Clock::Relative(Unit::Seconds),
    duration: "duration",
    duration_unit: Unit::Seconds,
    gpus: "num_gpu",
    tenant: "",
    model: "",
    status: "",
    units: "Submission and duration are seconds, as this format defines them, since the trace's start.",
};
