//! What opening promises, whatever the bytes; held by `import_fuzz.rs` and by `fuzz/`.

use switchyard::trace::{OpenError, OpenOptions, Opened, SourceFile, open};

/// Opens bytes and holds what comes out against what is promised.
pub(crate) fn check(bytes: &[u8]) {
    let options = OpenOptions {
        member: None,
        max_bytes: 1 << 22,
    };
    let file = SourceFile {
        name: "fuzz",
        bytes,
    };
    match open(&[file], &options) {
        Err(error) => assert_is_a_sentence(&error),
        Ok(Opened::Cluster(cluster)) => assert!(cluster.gpus() > 0),
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
        }
    }
}

fn assert_is_a_sentence(error: &OpenError) {
    let text = error.to_string();
    assert!(text.contains(": "), "no next step: {text}");
    assert!(text.len() < 4000, "{} bytes: {text}", text.len());
    assert!(!text.contains('\n'), "{text}");
}
