//! What only all records together show.

use super::Record;
use super::report::{Tally, WarningKind};
use crate::cluster::ClusterSpec;

/// A pause is long if it is longer than a day and than this many times the mean after it.
const LONG: f64 = 100.0;

/// At most one job in so many belongs to the beginning, but one may.
const HEAD: usize = 1000;

/// A trace of fewer jobs has no beginning to speak of.
const LEAST: usize = 20;

/// When records were submitted.
#[derive(Clone, Copy)]
pub(super) struct Span {
    /// The earliest submission; 0 where there is none.
    pub(super) first: f64,
    last: f64,
    /// Whether they are in order.
    sorted: bool,
}

impl Span {
    pub(super) fn of(records: &[Record]) -> Self {
        let start = records.first().map_or(0.0, |r| r.submit);
        let mut span = Self {
            first: start,
            last: start,
            sorted: true,
        };
        for record in records {
            if record.submit >= span.last {
                span.last = record.submit;
            } else {
                span.sorted = false;
                if record.submit < span.first {
                    span.first = record.submit;
                }
            }
        }
        span
    }
}

/// Warns of a few jobs long before all others. `file_of`: the file of the record of an index.
pub(super) fn head(
    records: &[Record],
    span: Span,
    tally: &mut Tally,
    file_of: &dyn Fn(usize) -> String,
) {
    if records.len() < LEAST {
        return;
    }
    let few = records.len() / HEAD + 2;
    let mut early: Vec<f64> = Vec::new();
    if span.sorted {
        early.extend(records.iter().take(few).map(|r| r.submit));
    } else {
        // Twice as many are held at most, so that each is looked at once and few are sorted.
        let mut latest = f64::INFINITY;
        for record in records {
            if record.submit < latest {
                early.push(record.submit);
                if early.len() == few * 2 {
                    early.sort_unstable_by(f64::total_cmp);
                    early.truncate(few);
                    latest = early.last().copied().unwrap_or(latest);
                }
            }
        }
        early.sort_unstable_by(f64::total_cmp);
        early.truncate(few);
    }
    let mut longest = (0, 0.0);
    for (count, pair) in early.windows(2).enumerate() {
        let [before, after] = pair else { continue };
        let (count, pause) = (count + 1, after - before);
        let mean = (span.last - after) / (records.len() - count) as f64;
        if pause > 86_400.0 && pause > mean * LONG && pause > longest.1 {
            longest = (count, pause);
        }
    }
    let (count, pause) = longest;
    let Some(&after) = early.get(count).filter(|_| count > 0) else {
        return;
    };
    let first = records.iter().position(|r| r.submit < after).unwrap_or(0);
    tally.set_file(&file_of(first));
    let line = records.get(first).map_or(0, |r| r.line);
    let detail = || format!("{:.1} days without a submission follow", pause / 86_400.0);
    tally.warn(WarningKind::LongEmptyHead, count as u32, line, &detail);
}

/// Warns of gangs that do not fit on the cluster, or not on one of its nodes.
pub(super) fn gangs(
    records: &[Record],
    cluster: &ClusterSpec,
    tally: &mut Tally,
    file_of: &dyn Fn(usize) -> String,
) {
    let (all, node) = (cluster.gpus(), cluster.largest_node());
    let kinds: [(WarningKind, &dyn Fn(u32) -> bool); 2] = [
        (WarningKind::GangsLargerThanCluster, &|gpus| gpus > all),
        (WarningKind::GangsLargerThanNode, &|gpus| {
            gpus > node && gpus <= all
        }),
    ];
    for (kind, is) in kinds {
        let Some(first) = records.iter().position(|r| is(r.gpus)) else {
            continue;
        };
        let count = records.iter().filter(|r| is(r.gpus)).count() as u32;
        tally.set_file(&file_of(first));
        let (line, gpus) = records.get(first).map_or((0, 0), |r| (r.line, r.gpus));
        let detail = || format!("{gpus} GPUs, cluster {cluster}");
        tally.warn(kind, count, line, &detail);
    }
}
