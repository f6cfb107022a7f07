//! What only all records together show.

use super::Record;
use super::report::{Tally, WarningKind};
use crate::cluster::{ClusterSpec, Needs, Pools};
use crate::job::Demand;
use crate::order;
use std::collections::BTreeMap;

/// A pause is long if it is longer than a day and than this many times the mean after it.
const LONG: f64 = 100.0;

/// At most one job in so many belongs to the beginning, but one may.
const HEAD: usize = 1000;

/// A trace of fewer jobs has no beginning to speak of.
const LEAST: usize = 20;

/// When records were submitted, and how many ask for cores alone.
#[derive(Clone, Copy)]
pub(super) struct Span {
    /// The earliest submission; 0 where there is none.
    pub(super) first: f64,
    last: f64,
    /// Whether they are in order.
    sorted: bool,
    /// How many ask for no GPU.
    pub(super) on_cores: u32,
}

impl Span {
    pub(super) fn of(records: &[Record]) -> Self {
        let start = records.first().map_or(0.0, |r| r.submit);
        let mut span = Self {
            first: start,
            last: start,
            sorted: true,
            on_cores: 0,
        };
        // In one go: millions of records are too many for a processor's cache.
        for record in records {
            span.on_cores += u32::from(record.gpus == 0);
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
                    early.sort_unstable_by(order::by_value);
                    early.truncate(few);
                    latest = early.last().copied().unwrap_or(latest);
                }
            }
        }
        early.sort_unstable_by(order::by_value);
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

/// Warns of jobs that no nodes may take, and says where cores or memory count.
pub(super) fn needs(
    records: &[Record],
    gpu_types: &[String],
    cluster: &ClusterSpec,
    tally: &mut Tally,
    file_of: &dyn Fn(usize) -> String,
) {
    let pools = Pools::of(cluster);
    let mut most: BTreeMap<Needs, u32> = BTreeMap::new();
    let mut found = [
        (WarningKind::CoresOrMemory, 0, 0),
        (WarningKind::NoNodesFor, 0, 0),
    ];
    let gangs = records.iter().enumerate().filter(|(_, of)| of.gpus > 0);
    for (at, record) in gangs {
        let needs = pools.needs(cluster, record.gpus, &record.demand, gpu_types);
        let counts = needs.takes_cores_or_memory();
        let most = *most.entry(needs).or_insert_with(|| pools.most(needs));
        // Of those larger than all of it there is a warning of their own.
        let never = record.gpus > most && record.gpus <= cluster.gpus();
        for ((_, count, first), is) in found.iter_mut().zip([counts, never]) {
            if is {
                if *count == 0 {
                    *first = at;
                }
                *count += 1;
            }
        }
    }
    for (kind, count, first) in found {
        let Some(record) = records.get(first).filter(|_| count > 0) else {
            continue;
        };
        tally.set_file(&file_of(first));
        let Demand { cores, memory, .. } = record.demand;
        let (cores, memory) = (f64::from(cores) / 1000.0, f64::from(memory) / 1024.0);
        let detail = || format!("{} GPUs, {cores} cores, {memory} GiB", record.gpus);
        tally.warn(kind, count, record.line, &detail);
    }
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
