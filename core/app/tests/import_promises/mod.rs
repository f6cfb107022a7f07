//! What opening promises, whatever the bytes; held by `import_fuzz.rs` and by `fuzz/`.

use switchyard::trace::{OpenError, OpenOptions, Opened, Opening};
use switchyard_app::Experiment;

/// Opens bytes and holds what comes out against what is promised.
pub(crate) fn check(bytes: &[u8]) {
    check_files(&[bytes], 1 << 16);
}

/// The same of several files, in slices of so many bytes.
pub(crate) fn check_files(files: &[&[u8]], slice: usize) {
    let options = OpenOptions {
        max_bytes: 1 << 22,
        ..OpenOptions::default()
    };
    match open_in_slices(files, options, slice.max(1)) {
        Err(error) => assert_is_a_sentence(&error),
        Ok(Opened::Cluster(cluster)) => assert!(cluster.gpus() > 0),
        Ok(Opened::Profiles(tables)) => assert!(!tables.is_empty()),
        Ok(Opened::Outages(outages)) => assert!(!outages.is_empty()),
        Ok(Opened::Trace(trace)) => {
            let report = &trace.report;
            assert!(!trace.records.is_empty());
            assert_eq!(report.rows_kept as usize, trace.records.len());
            let dropped: u32 = report.dropped.iter().map(|d| d.count).sum();
            assert_eq!(report.rows_read, report.rows_kept + dropped);
            let members: u32 = trace.members.iter().map(|m| m.jobs).sum();
            assert_eq!(members, report.rows_kept);
            for record in &trace.records {
                assert!(record.submit.is_finite() && record.submit >= 0.0);
                assert!(record.duration.is_finite() && record.duration > 0.0);
                assert!(record.gpus >= 1 && record.line >= 1);
                assert!(record.share > 0.0 && record.share <= 1.0);
                assert!(
                    record
                        .tenant
                        .is_none_or(|t| (t as usize) < trace.tenants.len())
                );
                assert!(
                    record
                        .model
                        .is_none_or(|m| (m as usize) < trace.models.len())
                );
            }
            let seen = trace.inspect();
            assert!(seen.gpu_hours.is_finite() && seen.span_days.is_finite());
            match Experiment::of(&trace) {
                Ok(own) => assert_eq!(own.is_some(), trace.format == "switchyard"),
                Err(error) => assert_is_a_sentence(&error),
            }
        }
    }
}

fn open_in_slices(
    files: &[&[u8]],
    options: OpenOptions,
    slice: usize,
) -> Result<Opened, OpenError> {
    let mut opening = Opening::new(options);
    for (number, bytes) in files.iter().enumerate() {
        opening.begin(&format!("fuzz{number}"))?;
        for slice in bytes.chunks(slice) {
            opening.push(slice)?;
        }
    }
    opening.finish()
}

fn assert_is_a_sentence(error: &OpenError) {
    let text = error.to_string();
    assert!(text.contains(": "), "no next step: {text}");
    assert!(text.len() < 4000, "{} bytes: {text}", text.len());
    assert!(!text.contains('\n'), "{text}");
}
