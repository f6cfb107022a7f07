//! Shorthand for the tests of importers.

use super::{OpenError, OpenOptions, Opened, SourceFile, Trace, open};

/// What one file opens to.
pub(crate) fn try_open(name: &str, bytes: &[u8]) -> Result<Opened, OpenError> {
    open(&[SourceFile { name, bytes }], &OpenOptions::default())
}

/// The trace in one file.
pub(crate) fn trace(name: &str, bytes: &[u8]) -> Trace {
    match try_open(name, bytes) {
        Ok(Opened::Trace(trace)) => trace,
        other => panic!("no trace: {other:?}"),
    }
}

/// Every record as `line name submit duration gpus tenant model status`.
pub(crate) fn records(trace: &Trace) -> Vec<String> {
    fn named(names: &[String], index: Option<u32>) -> &str {
        index.map_or("-", |i| names[i as usize].as_str())
    }
    let records = trace.records.iter();
    let shown = records.map(|r| {
        let tenant = named(&trace.tenants, r.tenant);
        let model = named(&trace.models, r.model);
        format!(
            "{} {} {} {} {} {tenant} {model} {:?}",
            r.line, r.name, r.submit, r.duration, r.gpus, r.status
        )
    });
    shown.collect()
}

/// What was dropped, as `reason count line detail`.
pub(crate) fn dropped(trace: &Trace) -> Vec<String> {
    let dropped = trace.report.dropped.iter();
    let shown = dropped.map(|d| {
        let (id, example) = (d.reason.id(), &d.example);
        format!("{id} {} {} {}", d.count, example.line, example.detail)
    });
    shown.collect()
}

/// The warnings, as `kind count line detail`.
pub(crate) fn warnings(trace: &Trace) -> Vec<String> {
    let warnings = trace.report.warnings.iter();
    let shown = warnings.map(|w| {
        let (id, example) = (w.kind.id(), &w.example);
        format!("{id} {} {} {}", w.count, example.line, example.detail)
    });
    shown.collect()
}
