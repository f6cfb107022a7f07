//! Muri's traces: Tiresias' columns and more, but in **milliseconds**.
//!
//! `job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time,`
//! `resource_time_0,resource_time_1,resource_time_2,priority`. Submissions reach 8.6 × 10⁹ ms:
//! only the header tells the unit.
//!
//! Source: <https://github.com/Rivendile/Muri>.

use super::super::columns::{Clock, Columns, Plain};
use super::super::detect::Evidence;
use super::super::timestamp::Unit;
use super::{Format, tiresias};

pub(super) const FORMAT: Format = Format {
    id: "muri",
    title: "Muri",
    recognise: |sniff| {
        let more = sniff.with_columns(&["iteration_time", "resource_time_0"])?;
        let tiresias = sniff.with_columns(&tiresias::COLUMNS)?;
        Some(Evidence {
            weight: tiresias.weight + more.weight,
            text: format!("{} as well as Tiresias' own", more.text),
        })
    },
    importer: |sniff| Ok(Box::new(Columns::plain(sniff, &PLAIN)?)),
};

const PLAIN: Plain = Plain {
    id: "job_id",
    submit: "submit_time",
    clock: Clock::Relative(Unit::Milliseconds),
    duration: "duration",
    duration_unit: Unit::Milliseconds,
    gpus: "num_gpu",
    tenant: "",
    model: "model_name",
    status: "",
    units: "Submission and duration are milliseconds, as this format defines them, and were divided by 1000.",
};
