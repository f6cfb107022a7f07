//! A trace that was drawn and not read.

use crate::Resource;
use crate::outages::Outages;
use crate::trace::{ImportReport, Member, Record, Trace};

/// The records as a trace of this format; `units` is what is to be known of durations, `models` are
/// those that records name.
pub(super) fn trace(
    (format, title): (&str, &str),
    seed: u64,
    units: &str,
    models: Vec<String>,
    records: Vec<Record>,
) -> Trace {
    let jobs = records.len() as u32;
    Trace {
        format: format.to_owned(),
        title: title.to_owned(),
        tenants: Vec::new(),
        gpu_types: Vec::new(),
        unit: Resource::Gpus,
        models,
        cluster: None,
        epoch: None,
        members: vec![Member {
            name: format!("generated, seed {seed}"),
            jobs,
        }],
        profiles: Vec::new(),
        outages: Outages::default(),
        header: None,
        report: ImportReport {
            recognised: format!("Drawn with seed {seed}."),
            units: units.to_owned(),
            rows_read: jobs,
            rows_kept: jobs,
            ..ImportReport::default()
        },
        records,
    }
}
