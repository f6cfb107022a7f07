//! What happened in a run: columnar, append-only, and streamed as deltas.

use crate::Time;
use crate::cluster::Gpus;
use crate::goodput::LocalBatch;
use crate::job::JobId;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3Default;

/// What happened to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum EventKind {
    /// Entered the queue.
    Submit = 0,
    /// Got GPUs for the first time; detail: the segment.
    Start = 1,
    /// Lost its GPUs before its end; detail: the segment that ended.
    Pause = 2,
    /// Got GPUs again; detail: the segment.
    Restart = 3,
    /// Sank to a lower queue; detail: the queue (0 is the highest).
    Demote = 4,
    /// Rose to a higher queue; detail: the queue.
    Promote = 5,
    /// Done; detail: the segment that ended.
    Finish = 6,
    /// Wants more GPUs than the cluster has; detail: the GPUs it wants.
    Reject = 7,
}

/// One row of the log's events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When.
    pub time: Time,
    /// What.
    pub kind: EventKind,
    /// To which job.
    pub job: JobId,
    /// See [`EventKind`].
    pub detail: u32,
}

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
}

impl Segment<'_> {
    /// GPUs held.
    pub fn gpu_count(&self) -> u32 {
        self.gpus.iter().map(|part| part.count()).sum()
    }
}

/// From when on a job trains with which batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// When it was chosen; before the segment's `ready` it takes effect then.
    pub time: Time,
    /// The segment.
    pub segment: u32,
    /// The batch.
    pub batch: LocalBatch,
    /// Epochs complete then, with the part of the present one.
    pub epochs: f64,
}

/// What a scheduler thought of a round's allocation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// When.
    pub time: Time,
    /// Its fitness: the greater, the better.
    pub fitness: f64,
    /// Speedup per GPU.
    pub utility: f64,
}

/// How many nodes are rented, from a moment on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rental {
    /// From when on.
    pub time: Time,
    /// The cluster's first so many nodes.
    pub nodes: u32,
}

/// The record of a run. Columns of equal length belong together; times are seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunLog {
    segment_job: Vec<u32>,
    segment_start: Vec<f64>,
    segment_ready: Vec<f64>,
    segment_end: Vec<f64>,
    /// One past the segment's last row of `gpus`.
    segment_gpus_end: Vec<u32>,
    gpus: Vec<Gpus>,
    /// Segments in the order in which they ended.
    closed: Vec<u32>,
    event_time: Vec<f64>,
    event_kind: Vec<EventKind>,
    event_job: Vec<u32>,
    event_detail: Vec<u32>,
    sample_time: Vec<f64>,
    sample_waiting: Vec<u32>,
    sample_gpus: Vec<u32>,
    tuning_time: Vec<f64>,
    tuning_segment: Vec<u32>,
    tuning_m: Vec<u32>,
    tuning_s: Vec<u32>,
    tuning_epochs: Vec<f64>,
    round_time: Vec<f64>,
    round_fitness: Vec<f64>,
    round_utility: Vec<f64>,
    rental_time: Vec<f64>,
    rental_nodes: Vec<u32>,
}

/// How much of a log has been seen: rows of each group of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogMark {
    segments: usize,
    gpus: usize,
    closed: usize,
    events: usize,
    samples: usize,
    tunings: usize,
    rounds: usize,
    rentals: usize,
}

/// The rows added to a log since a [`LogMark`], ready to be sent and [applied](RunLog::apply).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LogDelta {
    segment_job: Vec<u32>,
    segment_start: Vec<f64>,
    segment_ready: Vec<f64>,
    segment_gpus_end: Vec<u32>,
    gpus_node: Vec<u32>,
    gpus_mask: Vec<u64>,
    closed: Vec<u32>,
    closed_end: Vec<f64>,
    event_time: Vec<f64>,
    event_kind: Vec<EventKind>,
    event_job: Vec<u32>,
    event_detail: Vec<u32>,
    sample_time: Vec<f64>,
    sample_waiting: Vec<u32>,
    sample_gpus: Vec<u32>,
    tuning_time: Vec<f64>,
    tuning_segment: Vec<u32>,
    tuning_m: Vec<u32>,
    tuning_s: Vec<u32>,
    tuning_epochs: Vec<f64>,
    round_time: Vec<f64>,
    round_fitness: Vec<f64>,
    round_utility: Vec<f64>,
    rental_time: Vec<f64>,
    rental_nodes: Vec<u32>,
}

impl RunLog {
    /// How many segments.
    pub fn segments(&self) -> usize {
        self.segment_job.len()
    }

    /// The `i`-th segment, in order of start.
    pub fn segment(&self, i: usize) -> Segment<'_> {
        let from = if i == 0 {
            0
        } else {
            self.segment_gpus_end[i - 1] as usize
        };
        Segment {
            job: JobId(self.segment_job[i]),
            start: Time(self.segment_start[i]),
            ready: Time(self.segment_ready[i]),
            end: Time(self.segment_end[i]),
            gpus: &self.gpus[from..self.segment_gpus_end[i] as usize],
        }
    }

    /// Who got GPUs of a segment at the moment it ended.
    pub fn successors(&self, segment: usize) -> impl Iterator<Item = JobId> {
        let left = self.segment(segment);
        let first = self
            .segment_start
            .partition_point(|&start| Time(start) < left.end);
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
        self.event_time.len()
    }

    /// The `i`-th event, in order of time.
    pub fn event(&self, i: usize) -> Event {
        Event {
            time: Time(self.event_time[i]),
            kind: self.event_kind[i],
            job: JobId(self.event_job[i]),
            detail: self.event_detail[i],
        }
    }

    /// The times of all events, ascending.
    pub fn event_times(&self) -> &[f64] {
        &self.event_time
    }

    /// The times at which the queue or the allocation changed, ascending. A sample's values hold
    /// until the next sample.
    pub fn sample_times(&self) -> &[f64] {
        &self.sample_time
    }

    /// Jobs waiting, per sample.
    pub fn sample_waiting(&self) -> &[u32] {
        &self.sample_waiting
    }

    /// GPUs allocated, per sample.
    pub fn sample_gpus(&self) -> &[u32] {
        &self.sample_gpus
    }

    /// How many tunings.
    pub fn tunings(&self) -> usize {
        self.tuning_time.len()
    }

    /// The `i`-th tuning of an adaptive job, in order of time: one at the start of each of its
    /// segments, and one for each change of batch within.
    pub fn tuning(&self, i: usize) -> Tuning {
        Tuning {
            time: Time(self.tuning_time[i]),
            segment: self.tuning_segment[i],
            batch: LocalBatch::new(self.tuning_m[i], self.tuning_s[i]),
            epochs: self.tuning_epochs[i],
        }
    }

    /// How many rounds were noted.
    pub fn rounds(&self) -> usize {
        self.round_time.len()
    }

    /// The `i`-th round, in order of time.
    pub fn round(&self, i: usize) -> Round {
        Round {
            time: Time(self.round_time[i]),
            fitness: self.round_fitness[i],
            utility: self.round_utility[i],
        }
    }

    /// How often the number of rented nodes was set; 0: all nodes are there from beginning to end.
    pub fn rentals(&self) -> usize {
        self.rental_time.len()
    }

    /// The `i`-th change of the number of rented nodes, in order of time.
    pub fn rental(&self, i: usize) -> Rental {
        Rental {
            time: Time(self.rental_time[i]),
            nodes: self.rental_nodes[i],
        }
    }

    /// What its columns take in memory, without what they keep free to grow.
    pub fn bytes(&self) -> u64 {
        let rows = |rows: usize, bytes: usize| rows as u64 * bytes as u64;
        rows(self.segment_job.len(), 4 + 8 + 8 + 8 + 4)
            + rows(self.gpus.len(), size_of::<Gpus>())
            + rows(self.closed.len(), 4)
            + rows(self.event_time.len(), 8 + 1 + 4 + 4)
            + rows(self.sample_time.len(), 8 + 4 + 4)
            + rows(self.tuning_time.len(), 8 + 4 + 4 + 4 + 8)
            + rows(self.round_time.len(), 8 + 8 + 8)
            + rows(self.rental_time.len(), 8 + 4)
    }

    /// A fingerprint of every bit of the log: equal logs, equal hash, on every platform.
    pub fn hash(&self) -> u64 {
        let mut hash = Xxh3Default::new();
        let mut u32s = |column: &[u32]| column.iter().for_each(|v| hash.update(&v.to_le_bytes()));
        u32s(&self.segment_job);
        u32s(&self.segment_gpus_end);
        u32s(&self.closed);
        u32s(&self.event_job);
        u32s(&self.event_detail);
        u32s(&self.sample_waiting);
        u32s(&self.sample_gpus);
        // Empty columns add nothing: a run of plain jobs has the fingerprint it always had.
        u32s(&self.tuning_segment);
        u32s(&self.tuning_m);
        u32s(&self.tuning_s);
        u32s(&self.rental_nodes);
        let f64_columns = [
            &self.segment_start,
            &self.segment_ready,
            &self.segment_end,
            &self.event_time,
            &self.sample_time,
            &self.tuning_time,
            &self.tuning_epochs,
            &self.round_time,
            &self.round_fitness,
            &self.round_utility,
            &self.rental_time,
        ];
        for value in f64_columns.into_iter().flatten() {
            hash.update(&value.to_bits().to_le_bytes());
        }
        for part in &self.gpus {
            hash.update(&part.node.to_le_bytes());
            hash.update(&part.mask.to_le_bytes());
        }
        for &kind in &self.event_kind {
            hash.update(&[kind as u8]);
        }
        hash.digest()
    }

    /// Where the log stands now.
    pub fn mark(&self) -> LogMark {
        LogMark {
            segments: self.segment_job.len(),
            gpus: self.gpus.len(),
            closed: self.closed.len(),
            events: self.event_time.len(),
            samples: self.sample_time.len(),
            tunings: self.tuning_time.len(),
            rounds: self.round_time.len(),
            rentals: self.rental_time.len(),
        }
    }

    /// What has been added since `mark`.
    pub fn delta_since(&self, mark: LogMark) -> LogDelta {
        let closed = self.closed[mark.closed..].to_vec();
        LogDelta {
            segment_job: self.segment_job[mark.segments..].to_vec(),
            segment_start: self.segment_start[mark.segments..].to_vec(),
            segment_ready: self.segment_ready[mark.segments..].to_vec(),
            segment_gpus_end: self.segment_gpus_end[mark.segments..].to_vec(),
            gpus_node: self.gpus[mark.gpus..]
                .iter()
                .map(|part| part.node)
                .collect(),
            gpus_mask: self.gpus[mark.gpus..]
                .iter()
                .map(|part| part.mask)
                .collect(),
            closed_end: closed
                .iter()
                .map(|&i| self.segment_end[i as usize])
                .collect(),
            closed,
            event_time: self.event_time[mark.events..].to_vec(),
            event_kind: self.event_kind[mark.events..].to_vec(),
            event_job: self.event_job[mark.events..].to_vec(),
            event_detail: self.event_detail[mark.events..].to_vec(),
            sample_time: self.sample_time[mark.samples..].to_vec(),
            sample_waiting: self.sample_waiting[mark.samples..].to_vec(),
            sample_gpus: self.sample_gpus[mark.samples..].to_vec(),
            tuning_time: self.tuning_time[mark.tunings..].to_vec(),
            tuning_segment: self.tuning_segment[mark.tunings..].to_vec(),
            tuning_m: self.tuning_m[mark.tunings..].to_vec(),
            tuning_s: self.tuning_s[mark.tunings..].to_vec(),
            tuning_epochs: self.tuning_epochs[mark.tunings..].to_vec(),
            round_time: self.round_time[mark.rounds..].to_vec(),
            round_fitness: self.round_fitness[mark.rounds..].to_vec(),
            round_utility: self.round_utility[mark.rounds..].to_vec(),
            rental_time: self.rental_time[mark.rentals..].to_vec(),
            rental_nodes: self.rental_nodes[mark.rentals..].to_vec(),
        }
    }

    /// Appends what another log of the same run has added since this one's state.
    pub fn apply(&mut self, delta: LogDelta) {
        self.segment_job.extend(delta.segment_job);
        self.segment_start.extend(delta.segment_start);
        self.segment_ready.extend(delta.segment_ready);
        self.segment_end
            .resize(self.segment_job.len(), f64::INFINITY);
        self.segment_gpus_end.extend(delta.segment_gpus_end);
        self.gpus.extend(
            delta
                .gpus_node
                .into_iter()
                .zip(delta.gpus_mask)
                .map(|(node, mask)| Gpus { node, mask }),
        );
        for (&segment, &end) in delta.closed.iter().zip(&delta.closed_end) {
            self.segment_end[segment as usize] = end;
        }
        self.closed.extend(delta.closed);
        self.event_time.extend(delta.event_time);
        self.event_kind.extend(delta.event_kind);
        self.event_job.extend(delta.event_job);
        self.event_detail.extend(delta.event_detail);
        self.sample_time.extend(delta.sample_time);
        self.sample_waiting.extend(delta.sample_waiting);
        self.sample_gpus.extend(delta.sample_gpus);
        self.tuning_time.extend(delta.tuning_time);
        self.tuning_segment.extend(delta.tuning_segment);
        self.tuning_m.extend(delta.tuning_m);
        self.tuning_s.extend(delta.tuning_s);
        self.tuning_epochs.extend(delta.tuning_epochs);
        self.round_time.extend(delta.round_time);
        self.round_fitness.extend(delta.round_fitness);
        self.round_utility.extend(delta.round_utility);
        self.rental_time.extend(delta.rental_time);
        self.rental_nodes.extend(delta.rental_nodes);
    }

    /// Opens a segment on the GPUs given by [`push_gpus`](Self::push_gpus) since the last one.
    pub(super) fn open_segment(&mut self, job: JobId, start: Time, ready: Time) -> u32 {
        let segment = self.segment_job.len() as u32;
        self.segment_job.push(job.0);
        self.segment_start.push(start.0);
        self.segment_ready.push(ready.0);
        self.segment_end.push(f64::INFINITY);
        self.segment_gpus_end.push(self.gpus.len() as u32);
        segment
    }

    pub(super) fn push_gpus(&mut self, gpus: Gpus) {
        self.gpus.push(gpus);
    }

    pub(super) fn close_segment(&mut self, segment: u32, end: Time) {
        self.segment_end[segment as usize] = end.0;
        self.closed.push(segment);
    }

    pub(super) fn push_event(&mut self, time: Time, kind: EventKind, job: JobId, detail: u32) {
        self.event_time.push(time.0);
        self.event_kind.push(kind);
        self.event_job.push(job.0);
        self.event_detail.push(detail);
    }

    pub(super) fn push_tuning(&mut self, tuning: Tuning) {
        self.tuning_time.push(tuning.time.0);
        self.tuning_segment.push(tuning.segment);
        self.tuning_m.push(tuning.batch.m);
        self.tuning_s.push(tuning.batch.s);
        self.tuning_epochs.push(tuning.epochs);
    }

    pub(super) fn push_round(&mut self, time: Time, fitness: f64, utility: f64) {
        self.round_time.push(time.0);
        self.round_fitness.push(fitness);
        self.round_utility.push(utility);
    }

    pub(super) fn push_rental(&mut self, time: Time, nodes: u32) {
        self.rental_time.push(time.0);
        self.rental_nodes.push(nodes);
    }

    /// Notes queue length and allocation, if either has changed. One row per moment.
    pub(super) fn push_sample(&mut self, time: Time, waiting: u32, gpus: u32) {
        let last = self.sample_time.len();
        if last > 0
            && self.sample_waiting[last - 1] == waiting
            && self.sample_gpus[last - 1] == gpus
        {
            return;
        }
        self.sample_time.push(time.0);
        self.sample_waiting.push(waiting);
        self.sample_gpus.push(gpus);
    }
}
