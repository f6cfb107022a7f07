//! What a plug-in sees: a table of the jobs that wait or run, one column after the other, then one of
//! nodes, little-endian, in the plug-in's memory (`docs/plugins.md` has the columns). Rows are jobs in
//! order of submission; a column has room for as many rows as were asked for, used or not.

use crate::job::JobId;
use switchyard_engine::{News, Phase, View};

/// Bytes of a row of jobs: seven columns of 8 bytes, then eight of 4.
const JOB: u64 = 7 * 8 + 8 * 4;

/// Bytes of a node: three columns of 4 bytes.
const NODE: u64 = 3 * 4;

/// What stands for "none" among numbers of 4 bytes.
const NONE: u32 = u32::MAX;

/// The bits of the column `news`.
const ARRIVED: u32 = 1;
const EVICTED: u32 = 2;
const ALARM: u32 = 4;

/// For how much there is room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) rows: u32,
    pub(super) nodes: u32,
}

impl Room {
    /// Bytes of the whole table.
    pub(super) fn bytes(self) -> u64 {
        u64::from(self.rows) * JOB + u64::from(self.nodes) * NODE
    }
}

/// The jobs in the table.
#[derive(Debug, Default)]
pub(super) struct Rows {
    jobs: Vec<JobId>,
    /// Of each, what is new.
    news: Vec<u32>,
}

impl Rows {
    /// Takes note of who has come and gone.
    pub(super) fn follow(&mut self, view: &View<'_>) {
        for &news in view.news() {
            match news {
                // Ids are in order of submission.
                News::Arrived(job) => self.jobs.push(job),
                News::Finished(job) => {
                    if let Some(row) = self.row(job) {
                        self.jobs.remove(row);
                    }
                }
                News::Evicted(_)
                | News::Alarm(_)
                | News::NodeDown(_)
                | News::NodeUp(_)
                | News::CoresFreed => {}
            }
        }
        self.news.clear();
        self.news.resize(self.jobs.len(), 0);
        for &news in view.news() {
            let (job, bit) = match news {
                News::Arrived(job) => (job, ARRIVED),
                News::Evicted(job) => (job, EVICTED),
                News::Alarm(job) => (job, ALARM),
                News::Finished(_) | News::NodeDown(_) | News::NodeUp(_) | News::CoresFreed => {
                    continue;
                }
            };
            if let Some(row) = self.row(job) {
                self.news[row] |= bit;
            }
        }
    }

    /// The jobs, by row.
    pub(super) fn jobs(&self) -> &[JobId] {
        &self.jobs
    }

    /// A job's row.
    pub(super) fn row(&self, job: JobId) -> Option<usize> {
        self.jobs.binary_search(&job).ok()
    }

    /// Writes the table. `bytes` has room for `room`, which is enough.
    pub(super) fn write(&self, view: &View<'_>, room: Room, bytes: &mut [u8]) {
        let rows = room.rows as usize;
        let (jobs, nodes) = bytes.split_at_mut(rows * JOB as usize);
        let (wide, narrow) = jobs.split_at_mut(rows * 56);
        let mut wide = wide.chunks_exact_mut(rows.max(1) * 8);
        let mut column = || {
            wide.next()
                .unwrap_or_default()
                .as_chunks_mut::<8>()
                .0
                .iter_mut()
        };
        let (mut submit, mut since, mut attained) = (column(), column(), column());
        let (mut held, mut duration, mut remaining) = (column(), column(), column());
        let mut pools = column();
        let mut narrow = narrow.chunks_exact_mut(rows.max(1) * 4);
        let mut column = || {
            narrow
                .next()
                .unwrap_or_default()
                .as_chunks_mut::<4>()
                .0
                .iter_mut()
        };
        let (mut id, mut state, mut gpus, mut tenant) = (column(), column(), column(), column());
        let (mut model, mut starts, mut news, mut frees) = (column(), column(), column(), column());
        for (&job, &what_is_new) in self.jobs.iter().zip(&self.news) {
            put(&mut submit, view.submit(job).seconds().to_le_bytes());
            put(&mut since, view.since(job).seconds().to_le_bytes());
            put(&mut attained, view.attained(job).to_le_bytes());
            put(&mut held, view.held_seconds(job).to_le_bytes());
            let known = |seconds: Option<f64>| seconds.unwrap_or(-1.0).to_le_bytes();
            put(&mut duration, known(view.duration(job)));
            put(&mut remaining, known(view.remaining(job)));
            put(&mut pools, view.needs(job).pools().to_le_bytes());
            put(&mut id, job.0.to_le_bytes());
            let runs = view.phase(job) == Phase::Running;
            put(&mut state, u32::from(runs).to_le_bytes());
            put(&mut gpus, view.gpus(job).to_le_bytes());
            put(&mut tenant, view.tenant(job).unwrap_or(NONE).to_le_bytes());
            put(
                &mut model,
                view.model_index(job).unwrap_or(NONE).to_le_bytes(),
            );
            put(&mut starts, view.ledger().starts(job).to_le_bytes());
            put(&mut news, what_is_new.to_le_bytes());
            put(&mut frees, view.open_gpus(job).to_le_bytes());
        }
        let count = room.nodes as usize;
        let (free, rest) = nodes.split_at_mut(count * 4);
        let (sizes, pools) = rest.split_at_mut(count * 4);
        for (to, &gpus) in free
            .as_chunks_mut()
            .0
            .iter_mut()
            .zip(view.free().per_node())
        {
            *to = gpus.to_le_bytes();
        }
        for (to, &gpus) in sizes
            .as_chunks_mut()
            .0
            .iter_mut()
            .zip(view.free().node_sizes())
        {
            *to = gpus.to_le_bytes();
        }
        for (node, to) in (0u32..).zip(pools.as_chunks_mut().0.iter_mut()) {
            *to = (view.pool_of(node) as u32).to_le_bytes();
        }
    }
}

/// Writes a column's next cell.
fn put<'a, const N: usize>(column: &mut impl Iterator<Item = &'a mut [u8; N]>, cell: [u8; N]) {
    if let Some(to) = column.next() {
        *to = cell;
    }
}
