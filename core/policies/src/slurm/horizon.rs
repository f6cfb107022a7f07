//! What is free when: as it is now, once jobs that run have come to their limits, without what is reserved for jobs
//! that wait, and without nodes on which maintenance is to begin.
//!
//! As in Slurm's backfill, a reservation takes whole nodes, and a job must be over before one begins. Where GPUs of
//! several kinds, cores or links count, the placement says whether there is room.

use super::reservations::{Party, Window};
use crate::cluster::{Needs, Part, Placement};
use crate::job::JobId;
use crate::order::ByValue;
use std::collections::BTreeMap;
use switchyard_engine::{Phase, View};
use switchyard_placement::{Gang, Room, Strategy};

/// A job that runs, until its limit.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) parts: Vec<Part>,
    pub(super) needs: Needs,
}

/// Who runs, by when their limits are.
pub(super) type Running = BTreeMap<(ByValue, JobId), Run>;

/// Nodes that are kept for a job.
#[derive(Clone, Debug)]
struct Reservation {
    from: f64,
    to: f64,
    nodes: Vec<u32>,
}

/// What is free at a moment, now or later.
#[derive(Debug, Default)]
pub(super) struct Horizon {
    strategy: Strategy,
    room: Room,
    /// Free GPUs by node, reserved or not.
    free: Vec<u32>,
    total: u32,
    /// The room has fewer: what is reserved is left out.
    is_masked: bool,
    reservations: Vec<Reservation>,
    /// In order of their begin.
    windows: Vec<Window>,
    /// Where the last gang was laid.
    pub(super) placement: Placement,
}

impl Horizon {
    pub(super) fn new(strategy: Strategy, windows: Vec<Window>) -> Self {
        Self {
            strategy,
            windows,
            ..Self::default()
        }
    }

    /// Nothing is reserved any more.
    pub(super) fn clear(&mut self) {
        self.reservations.clear();
    }

    /// Free GPUs in all, reserved or not.
    pub(super) fn total(&self) -> u32 {
        self.total
    }

    /// Maintenance and reservations that are known ahead.
    pub(super) fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// Forgets maintenance and reservations that are over; says whether there were some.
    pub(super) fn forget_past(&mut self, now: f64) -> bool {
        let known = self.windows.len();
        self.windows.retain(|window| window.to > now);
        self.windows.len() < known
    }

    /// What is free now: as the view has it, with those who start and without those who lose their GPUs by the plan
    /// that is being made.
    pub(super) fn now(&mut self, view: &View<'_>, running: &Running, evicted: &[JobId]) {
        view.room(&mut self.room);
        self.free.clear();
        self.free.extend_from_slice(self.room.free().per_node());
        self.total = self.room.total();
        self.is_masked = false;
        for &job in evicted {
            self.give(job, view.ledger().parts(job), view.needs(job));
        }
        for (&(_, job), run) in running {
            if view.phase(job) != Phase::Running {
                self.take(job, &run.parts, run.needs);
            }
        }
    }

    /// A gang has these from now on.
    pub(super) fn take(&mut self, job: JobId, parts: &[Part], needs: Needs) {
        self.unmask();
        self.room.take(job, parts, needs);
        for part in parts
            .iter()
            .filter(|part| self.room.free().is_open(part.node))
        {
            self.free[part.node as usize] -= part.gpus;
            self.total -= part.gpus;
        }
    }

    /// A gang has given these back.
    pub(super) fn give(&mut self, job: JobId, parts: &[Part], needs: Needs) {
        self.unmask();
        self.room.give(job, parts, needs);
        for part in parts
            .iter()
            .filter(|part| self.room.free().is_open(part.node))
        {
            self.free[part.node as usize] += part.gpus;
            self.total += part.gpus;
        }
    }

    fn unmask(&mut self) {
        if std::mem::take(&mut self.is_masked) {
            self.room.set_free(&self.free);
        }
    }

    /// Whether a gang of this party that begins then has room until its limit, with what is free as things stand;
    /// [`placement`](Self::placement) is where.
    pub(super) fn has_room(&mut self, (gang, party): (Gang, Party), at: f64, limit: f64) -> bool {
        if gang.gpus > self.total {
            return false;
        }
        let end = at + limit;
        let kept = (self.reservations.iter()).filter(|of| of.from <= end && at < of.to);
        let kept = kept.flat_map(|of| of.nodes.iter().copied());
        let away = self.windows.iter().take_while(|of| of.from < end);
        let away = away.filter(|of| at < of.to && of.party & party == 0);
        let away = away.map(|of| of.node);
        let mut left = kept.chain(away).peekable();
        if left.peek().is_some() {
            let mut masked = self.free.clone();
            for node in left {
                if let Some(here) = masked.get_mut(node as usize) {
                    *here = 0;
                }
            }
            if masked.iter().sum::<u32>() < gang.gpus {
                return false;
            }
            self.room.set_free(&masked);
            self.is_masked = true;
        } else {
            self.unmask();
        }
        (self.room).place(self.strategy, gang, &mut self.placement)
    }

    /// When a gang of this party can begin at the earliest, not before `from` and not after `until`, once those who run have come
    /// to their limits; [`placement`](Self::placement) is where. (What is free stands as it will be then: call
    /// [`now`](Self::now) afterwards.)
    pub(super) fn earliest(
        &mut self,
        view: &View<'_>,
        (running, evicted): (&Running, &[JobId]),
        (of, limit): ((Gang, Party), f64),
        (from, until): (f64, f64),
    ) -> Option<f64> {
        self.now(view, running, evicted);
        let now = view.now().seconds();
        let mut ends = (running.iter())
            // Who is over its limit may end at any moment.
            .map(|(&(end, job), run)| (end.value().max(now + 1.0), job, run))
            .peekable();
        let mut at = from.max(now);
        while at <= until {
            while let Some((_, job, run)) = ends.next_if(|&(end, ..)| end <= at) {
                self.give(job, &run.parts, run.needs);
            }
            if self.has_room(of, at, limit) {
                return Some(at);
            }
            let reserved = self.reservations.iter().map(|of| of.to);
            let away = self.windows.iter().map(|of| of.to);
            let next = reserved.chain(away).filter(|&end| end > at);
            let next = next.fold(f64::INFINITY, f64::min);
            let next = ends.peek().map_or(next, |&(end, ..)| next.min(end));
            if next <= at || next == f64::INFINITY {
                return None;
            }
            at = next;
        }
        None
    }

    /// Keeps the nodes on which a gang was last laid for it, from then until its limit, to multiples of `resolution`.
    pub(super) fn reserve(&mut self, at: f64, limit: f64, resolution: f64) {
        let whole = |seconds: f64| libm::floor(seconds / resolution) * resolution;
        self.reservations.push(Reservation {
            from: whole(at),
            to: whole(at + limit + resolution - 1.0),
            nodes: self.placement.parts.iter().map(|part| part.node).collect(),
        });
    }
}

/// What a pass has found about gangs of one kind and party: those that are like it and take as long, or longer, begin no earlier.
#[derive(Debug, Default)]
pub(super) struct Found(Vec<(Kind, Limits)>);

/// A gang, and which reservations it may use.
type Kind = (Gang, Party);

/// Time limits, each with when such a gang begins.
type Limits = Vec<(f64, f64)>;

impl Found {
    /// Before when such a gang does not begin.
    pub(super) fn least(&self, of: &(Gang, Party), limit: f64) -> f64 {
        let kind = self.0.iter().find(|(known, _)| is_like(known, of));
        let found = kind.map_or(&[][..], |(_, found)| found).iter();
        let shorter = found.filter(|&&(other, _)| other <= limit);
        shorter.fold(f64::NEG_INFINITY, |least, &(_, at)| least.max(at))
    }

    /// It does not begin before this.
    pub(super) fn note(&mut self, of: (Gang, Party), limit: f64, at: f64) {
        match self.0.iter_mut().find(|(known, _)| is_like(known, &of)) {
            Some((_, found)) => found.push((limit, at)),
            None => self.0.push((of, vec![(limit, at)])),
        }
    }
}

fn is_like(a: &Kind, b: &Kind) -> bool {
    a.0.is_like(&b.0) && a.1 == b.1
}
