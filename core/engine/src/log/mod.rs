//! What happened in a run: columnar, append-only, and streamed in pieces.

mod kinds;
mod tables;

use super::node_state::NodeState;
use crate::Time;
use crate::cluster::{CorePart, Gpus};
use crate::goodput::LocalBatch;
use crate::job::JobId;
pub use kinds::{EventKind, StopCause};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tables::{Cell, Note, Rank, Table, make_room, tables};
use thiserror::Error;
use xxhash_rust::xxh3::Xxh3Default;

/// One stay of a job on GPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment<'a> {
    /// The job.
    pub job: JobId,
    /// When it got the GPUs.
    pub start: Time,
    /// From when on it made progress (after the restart cost).
    pub ready: Time,
    /// When it gave them back; [`Time::NEVER`] while it holds them.
    pub end: Time,
    /// Which GPUs.
    pub gpus: &'a [Gpus],
    /// Thousandths of its GPU, where it shares it; else the GPUs are its own.
    pub share: Option<u32>,
}

impl Segment<'_> {
    /// The part of each of its GPUs that it has.
    pub fn part(&self) -> f64 {
        self.share.map_or(1.0, |share| f64::from(share) / 1000.0)
    }

    /// GPUs held, whole or not.
    pub fn gpu_count(&self) -> u32 {
        self.gpus.iter().map(|part| part.count()).sum()
    }
}

tables! {
    segments: Segments of SegmentRow {
        job: JobId,
        start: Time,
        ready: Time,
        end: Time,
        /// One past the segment's last row of `gpus`.
        gpus_end: u32,
    }

    gpus: GpuLists of GpusRow {
        gpus: Gpus,
    }

    /// Segments in the order in which they ended.
    closed: Closed of ClosedRow {
        segment: u32,
    }

    /// One row of the log's events.
    events: Events of pub Event {
        /// When.
        time: Time,
        /// What.
        kind: EventKind,
        /// To which job.
        job: JobId,
        /// See [`EventKind`].
        detail: u32,
    }

    /// The queue and the allocation, until the next sample.
    samples: Samples of Sample {
        time: Time,
        waiting: u32,
        gpus: u32,
    }

    /// From when on a job trains with which batch.
    tunings: Tunings of pub Tuning {
        /// When it was chosen; before the segment's `ready` it takes effect then.
        time: Time,
        /// The segment.
        segment: u32,
        /// Samples per GPU and pass.
        m: u32,
        /// Accumulation passes.
        s: u32,
        /// Epochs complete then, with the part of the present one.
        epochs: f64,
    }

    /// What a scheduler thought of a round's allocation.
    rounds: Rounds of pub Round {
        /// When.
        time: Time,
        /// Its fitness: the greater, the better.
        fitness: f64,
        /// Speedup per GPU.
        utility: f64,
    }

    /// Segments on a share of one GPU.
    shares: Shares of SharesRow {
        segment: u32,
        thousandths: u32,
    }

    /// Parameter servers of segments, by node.
    servers: ServerLists of ServersRow {
        segment: u32,
        node: u32,
        count: u32,
    }

    /// Cores and memory of segments without GPUs, by node.
    cores: CoreLists of CoresRow {
        segment: u32,
        node: u32,
        thousandths: u32,
        mebibytes: u32,
    }

    /// How many nodes are rented, from a moment on.
    rentals: Rentals of pub Rental {
        /// From when on.
        time: Time,
        /// The cluster's first so many nodes.
        nodes: u32,
    }

    /// A node that goes, or comes back.
    nodes: NodeChanges of pub NodeChange {
        /// When.
        time: Time,
        /// Which, from 0.
        node: u32,
        /// What it is from now on.
        state: NodeState,
        /// When the outage that begins is over, [`Time::NEVER`] if it is for ever; another may
        /// keep the node away for longer.
        until: Time,
    }

    /// A job that lost its GPUs because a node failed.
    evictions: Evictions of pub Eviction {
        /// When.
        time: Time,
        /// The segment that ended.
        segment: u32,
        /// The node that failed.
        node: u32,
        /// Seconds of execution at the requested GPUs that are to be done again.
        lost: f64,
    }

    /// A job that stopped as its trace records.
    stops: Stops of pub Stop {
        /// When.
        time: Time,
        /// The segment that ended.
        segment: u32,
        /// Why.
        cause: StopCause,
        /// Seconds of execution at the requested GPUs that were in vain, as far as it tries again.
        lost: f64,
    }

    /// Jobs that lost their GPUs for others, where the policy says for whom.
    preemptions: Preemptions of PreemptionRow {
        segment: Note,
        by: Note,
    }

    /// How jobs save their work while they run: one row, or none.
    checkpointing: Checkpointings of pub Checkpointing {
        /// Seconds of progress from one checkpoint to the next.
        interval: f64,
        /// Seconds without progress that each takes.
        cost: f64,
    }
}

/// A job that lost its GPUs for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preemption {
    /// The segment that ended.
    pub segment: u32,
    /// For whom.
    pub by: JobId,
}

/// A node that was not there for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Absence {
    /// Which, from 0.
    pub node: u32,
    /// Being drained, or down.
    pub state: NodeState,
    /// From when on.
    pub from: Time,
    /// Until when; [`Time::NEVER`] while it lasts.
    pub to: Time,
    /// When it is expected back.
    pub until: Time,
}

impl Tuning {
    /// The batch.
    pub fn batch(&self) -> LocalBatch {
        LocalBatch::new(self.m, self.s)
    }
}

/// Events of a job that runs once: it comes, starts and finishes.
pub(super) const LEAST_EVENTS: u64 = 3;

/// The record of a run: tables of columns, times in seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunLog {
    tables: Tables,
}

/// What a log has beyond the [rows](LogRows) that were seen before, to be [appended](RunLog::append) to a log that
/// has those. Its cells are not copied: they lie where they lie in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogPiece<'a> {
    rows: LogRows,
    columns: Vec<&'a [u8]>,
}

impl<'a> LogPiece<'a> {
    /// How many rows.
    pub fn rows(&self) -> LogRows {
        self.rows
    }

    /// The cells of each column that has any, in the byte order of this machine.
    pub fn columns(&self) -> impl Iterator<Item = &'a [u8]> {
        let columns = self.columns.iter().copied();
        columns.filter(|column| !column.is_empty())
    }
}

/// Cells are none of a log's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the cells of a piece of a log cannot be read")]
pub struct BadCells;

impl RunLog {
    /// How many segments.
    pub fn segments(&self) -> usize {
        self.tables.segments.len()
    }

    /// The `i`-th segment, in order of start.
    #[inline]
    pub fn segment(&self, i: usize) -> Segment<'_> {
        let segments = &self.tables.segments;
        let before = i
            .checked_sub(1)
            .map_or(0, |before| segments.gpus_end[before]);
        Segment {
            job: JobId(segments.job[i]),
            start: Time(segments.start[i]),
            ready: Time(segments.ready[i]),
            end: Time(segments.end[i]),
            gpus: &self.tables.gpus.gpus[before as usize..segments.gpus_end[i] as usize],
            share: self.share_of(i as u32),
        }
    }

    fn share_of(&self, segment: u32) -> Option<u32> {
        let shares = &self.tables.shares;
        let at = shares.segment.binary_search(&segment).ok()?;
        Some(shares.thousandths[at])
    }

    /// What the `i`-th segment has of nodes, where it is without GPUs.
    pub fn cores(&self, i: usize) -> impl Iterator<Item = CorePart> {
        let cores = &self.tables.cores;
        let from = cores.segment.partition_point(|&of| (of as usize) < i);
        let rows = (from..cores.len()).map(|row| cores.row(row));
        let rows = rows.take_while(move |row| row.segment as usize == i);
        rows.map(|row| CorePart {
            node: row.node,
            cores: row.thousandths,
            memory: row.mebibytes,
        })
    }

    /// Parameter servers of the `i`-th segment: nodes, and how many are there.
    pub fn servers(&self, i: usize) -> impl Iterator<Item = (u32, u32)> {
        let servers = &self.tables.servers;
        let from = servers.segment.partition_point(|&of| (of as usize) < i);
        let rows = (from..servers.len()).map(|row| servers.row(row));
        let rows = rows.take_while(move |row| row.segment as usize == i);
        rows.map(|row| (row.node, row.count))
    }

    /// The same for people; "" where there are none.
    pub fn servers_in_words(&self, i: usize) -> String {
        let servers = self.servers(i);
        let servers = servers.map(|(node, count)| format!("{count} on node {node}"));
        servers.collect::<Vec<String>>().join(", ")
    }

    /// Who got GPUs of a segment at the moment it ended.
    pub fn successors(&self, segment: usize) -> impl Iterator<Item = JobId> {
        let left = self.segment(segment);
        let starts = &self.tables.segments.start;
        let first = starts.partition_point(|&start| Time(start) < left.end);
        (first..self.segments())
            .map(|i| self.segment(i))
            .take_while(move |next| next.start == left.end)
            .filter(move |next| {
                let shared = |part: &Gpus| {
                    let same = |own: &Gpus| own.node == part.node && own.mask & part.mask != 0;
                    left.gpus.iter().any(same)
                };
                next.gpus.iter().any(shared)
            })
            .map(|next| next.job)
    }

    /// How many events.
    pub fn events(&self) -> usize {
        self.tables.events.len()
    }

    /// The `i`-th event, in order of time.
    pub fn event(&self, i: usize) -> Event {
        self.tables.events.row(i)
    }

    /// The times of all events, ascending.
    pub fn event_times(&self) -> &[f64] {
        &self.tables.events.time
    }

    /// The times at which the queue or the allocation changed, ascending. A sample's values hold
    /// until the next sample.
    pub fn sample_times(&self) -> &[f64] {
        &self.tables.samples.time
    }

    /// Jobs waiting, per sample.
    pub fn sample_waiting(&self) -> &[u32] {
        &self.tables.samples.waiting
    }

    /// GPUs allocated, per sample.
    pub fn sample_gpus(&self) -> &[u32] {
        &self.tables.samples.gpus
    }

    /// How many tunings.
    pub fn tunings(&self) -> usize {
        self.tables.tunings.len()
    }

    /// The `i`-th tuning of an adaptive job, in order of time: one at the start of each of its
    /// segments, and one for each change of batch within.
    pub fn tuning(&self, i: usize) -> Tuning {
        self.tables.tunings.row(i)
    }

    /// How many rounds were noted.
    pub fn rounds(&self) -> usize {
        self.tables.rounds.len()
    }

    /// The `i`-th round, in order of time.
    pub fn round(&self, i: usize) -> Round {
        self.tables.rounds.row(i)
    }

    /// How often the number of rented nodes was set; 0: all nodes are there from beginning to end.
    pub fn rentals(&self) -> usize {
        self.tables.rentals.len()
    }

    /// The `i`-th change of the number of rented nodes, in order of time.
    pub fn rental(&self, i: usize) -> Rental {
        self.tables.rentals.row(i)
    }

    /// How often a node's state changed by an outage.
    pub fn node_changes(&self) -> usize {
        self.tables.nodes.len()
    }

    /// The `i`-th change of a node's state, in order of time.
    pub fn node_change(&self, i: usize) -> NodeChange {
        self.tables.nodes.row(i)
    }

    /// When nodes were not there, in the order in which they went.
    pub fn absences(&self) -> Vec<Absence> {
        let mut absences: Vec<Absence> = Vec::new();
        // By node: the last one, if it lasts.
        let mut open: BTreeMap<u32, usize> = BTreeMap::new();
        for change in (0..self.node_changes()).map(|i| self.node_change(i)) {
            if let Some(last) = open.remove(&change.node) {
                absences[last].to = change.time;
            }
            if change.state != NodeState::Up {
                open.insert(change.node, absences.len());
                absences.push(Absence {
                    node: change.node,
                    state: change.state,
                    from: change.time,
                    to: Time::NEVER,
                    until: change.until,
                });
            }
        }
        absences
    }

    /// How many jobs lost their GPUs to failures.
    pub fn evictions(&self) -> usize {
        self.tables.evictions.len()
    }

    /// The `i`-th of them, in order of time.
    pub fn eviction(&self, i: usize) -> Eviction {
        self.tables.evictions.row(i)
    }

    /// How often it is told for whom a job lost its GPUs.
    pub fn preemptions(&self) -> usize {
        self.tables.preemptions.len()
    }

    /// The `i`-th of them, in order of time.
    pub fn preemption(&self, i: usize) -> Preemption {
        let row = self.tables.preemptions.row(i);
        Preemption {
            segment: row.segment.0,
            by: JobId(row.by.0),
        }
    }

    /// How many jobs stopped as their trace records, each as often as it did.
    pub fn stops(&self) -> usize {
        self.tables.stops.len()
    }

    /// The `i`-th of them, in order of time.
    pub fn stop(&self, i: usize) -> Stop {
        self.tables.stops.row(i)
    }

    /// Why the job of a segment that ended then stopped, where its trace records it.
    pub fn stop_of(&self, segment: u32, end: Time) -> Option<Stop> {
        let stops = &self.tables.stops;
        let first = stops.time.partition_point(|&at| Time(at) < end);
        let stops = (first..stops.len()).map(|i| self.stop(i));
        let mut stops = stops.take_while(|of| of.time == end);
        stops.find(|of| of.segment == segment)
    }

    /// How jobs save their work while they run; `None`: they do not.
    pub fn checkpointing(&self) -> Option<Checkpointing> {
        let all = &self.tables.checkpointing;
        (all.len() > 0).then(|| all.row(0))
    }

    /// What its columns take in memory, without what they keep free to grow.
    pub fn bytes(&self) -> u64 {
        self.tables.bytes()
    }

    /// What a log of so many jobs takes at least, each of which runs once, on one node.
    pub const fn least_bytes(jobs: u64) -> u64 {
        let stay = Segments::ROW_BYTES + GpuLists::ROW_BYTES + Closed::ROW_BYTES;
        jobs * (stay + LEAST_EVENTS * Events::ROW_BYTES)
    }

    /// Makes room for so many jobs, each of which runs once: a log that grows to millions of jobs is copied again and
    /// again, and a program in wasm keeps the room of all copies.
    pub fn reserve(&mut self, jobs: usize) {
        let tables = &mut self.tables;
        tables.segments.reserve(jobs);
        tables.gpus.reserve(jobs);
        tables.closed.reserve(jobs);
        tables.events.reserve(LEAST_EVENTS as usize * jobs);
        tables.samples.reserve(2 * jobs);
    }

    /// A fingerprint of every bit of the log but for whom jobs were preempted: equal logs, equal hash, on every
    /// platform. Tables without rows add nothing: a run of plain jobs has the fingerprint it always had.
    pub fn hash(&self) -> u64 {
        let mut hash = Xxh3Default::new();
        for rank in Rank::ALL {
            self.tables.add_to(&mut hash, rank);
        }
        hash.digest()
    }

    /// How many rows there are now.
    pub fn rows(&self) -> LogRows {
        self.tables.rows()
    }

    /// What has been added since there were so many rows.
    pub fn since(&self, seen: LogRows) -> LogPiece<'_> {
        let (rows, columns) = self.tables.since(seen);
        LogPiece { rows, columns }
    }

    /// Appends what another log of the same run has beyond this one.
    pub fn append(&mut self, piece: &LogPiece<'_>) {
        let mut columns = piece.columns();
        let copied = self.append_cells(piece.rows, |cells| {
            if let Some(column) = columns.next() {
                cells.copy_from_slice(column);
            }
        });
        debug_assert_eq!(copied, Ok(()), "they come from a log");
    }

    /// Appends so many rows. `copy` is called once for each [column](LogPiece::columns) of the piece, in order, to
    /// write its cells.
    ///
    /// # Errors
    ///
    /// Something that has been written is no cell. The log is then of no use.
    pub fn append_cells(
        &mut self,
        rows: LogRows,
        copy: impl FnMut(&mut [u8]),
    ) -> Result<(), BadCells> {
        let known = self.events();
        let are_cells = self.tables.append(rows, copy);
        // Segments of earlier pieces have ended meanwhile.
        for event in (known..self.events()).map(|i| self.tables.events.row(i)) {
            if event.kind.ends_segment() {
                let end = self.tables.segments.end.get_mut(event.detail as usize);
                *end.ok_or(BadCells)? = event.time.0;
            }
        }
        are_cells.then_some(()).ok_or(BadCells)
    }

    /// The segment opened last is on a share of its GPU.
    #[cold]
    pub(super) fn push_share(&mut self, segment: u32, thousandths: u32) {
        self.tables.shares.push(SharesRow {
            segment,
            thousandths,
        });
    }

    /// The segment opened last has parameter servers on this node.
    #[cold]
    pub(super) fn push_servers(&mut self, segment: u32, node: u32, count: u32) {
        self.tables.servers.push(ServersRow {
            segment,
            node,
            count,
        });
    }

    /// The segment opened last has cores of this node, and no GPU.
    pub(super) fn push_cores(&mut self, segment: u32, part: &CorePart) {
        self.tables.cores.push(CoresRow {
            segment,
            node: part.node,
            thousandths: part.cores,
            mebibytes: part.memory,
        });
    }

    /// Opens a segment on the GPUs given by [`push_gpus`](Self::push_gpus) since the last one.
    pub(super) fn open_segment(&mut self, job: JobId, start: Time, ready: Time) -> u32 {
        let segment = self.segments() as u32;
        self.tables.segments.push(SegmentRow {
            job,
            start,
            ready,
            end: Time::NEVER,
            gpus_end: self.tables.gpus.len() as u32,
        });
        segment
    }

    pub(super) fn push_gpus(&mut self, gpus: Gpus) {
        self.tables.gpus.push(GpusRow { gpus });
    }

    pub(super) fn close_segment(&mut self, segment: u32, end: Time) {
        self.tables.segments.end[segment as usize] = end.0;
        self.tables.closed.push(ClosedRow { segment });
    }

    pub(super) fn push_event(&mut self, time: Time, kind: EventKind, job: JobId, detail: u32) {
        self.tables.events.push(Event {
            time,
            kind,
            job,
            detail,
        });
    }

    #[cold]
    pub(super) fn push_tuning(&mut self, tuning: Tuning) {
        self.tables.tunings.push(tuning);
    }

    #[cold]
    pub(super) fn push_round(&mut self, round: Round) {
        self.tables.rounds.push(round);
    }

    #[cold]
    pub(super) fn push_node(&mut self, change: NodeChange) {
        self.tables.nodes.push(change);
    }

    #[cold]
    pub(super) fn push_eviction(&mut self, eviction: Eviction) {
        self.tables.evictions.push(eviction);
    }

    pub(super) fn push_preemption(&mut self, segment: u32, by: JobId) {
        self.tables.preemptions.push(PreemptionRow {
            segment: Note(segment),
            by: Note(by.0),
        });
    }

    #[cold]
    pub(super) fn push_stop(&mut self, stop: Stop) {
        self.tables.stops.push(stop);
    }

    pub(super) fn push_checkpointing(&mut self, checkpointing: Checkpointing) {
        self.tables.checkpointing.push(checkpointing);
    }

    #[cold]
    pub(super) fn push_rental(&mut self, rental: Rental) {
        self.tables.rentals.push(rental);
    }

    /// Notes queue length and allocation, if either has changed. One row per moment.
    pub(super) fn push_sample(&mut self, time: Time, waiting: u32, gpus: u32) {
        let samples = &mut self.tables.samples;
        let before = samples.waiting.last().zip(samples.gpus.last());
        if before != Some((&waiting, &gpus)) {
            samples.push(Sample {
                time,
                waiting,
                gpus,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log with one event of this kind and detail, as bytes.
    fn append(kind: u8, detail: u32) -> (RunLog, Result<(), BadCells>) {
        let mut one = RunLog::default();
        one.push_event(Time(1.0), EventKind::Submit, JobId(0), 0);
        let columns = [
            &1f64.to_ne_bytes()[..],
            &[kind],
            &0u32.to_ne_bytes(),
            &detail.to_ne_bytes(),
        ];
        let mut columns = columns.into_iter();
        let mut log = RunLog::default();
        let appended = log.append_cells(one.rows(), |cells| {
            cells.copy_from_slice(columns.next().expect("four columns"));
        });
        (log, appended)
    }

    #[test]
    fn cells_are_appended_as_they_are() {
        let (log, appended) = append(EventKind::Reject as u8, 7);
        assert_eq!(appended, Ok(()));
        let event = log.event(0);
        assert_eq!((event.kind, event.detail), (EventKind::Reject, 7));
    }

    #[test]
    fn a_kind_of_event_that_does_not_exist_is_refused() {
        assert_eq!(append(EventKind::Fail as u8 + 1, 0).1, Err(BadCells));
    }

    #[test]
    fn for_whom_a_job_is_preempted_is_told_and_is_no_part_of_the_fingerprint() {
        let (mut told, _) = append(EventKind::Reject as u8, 7);
        let (untold, _) = append(EventKind::Reject as u8, 7);
        told.push_preemption(3, JobId(4));
        assert_eq!(told.hash(), untold.hash());
        let mut copy = untold.clone();
        copy.append(&told.since(untold.rows()));
        let preemption = Preemption {
            segment: 3,
            by: JobId(4),
        };
        assert_eq!((copy.preemptions(), copy.preemption(0)), (1, preemption));
    }

    #[test]
    fn an_end_of_a_segment_that_does_not_exist_is_refused() {
        assert_eq!(append(EventKind::Finish as u8, 0).1, Err(BadCells));
    }
}
