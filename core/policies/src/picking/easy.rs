//! Backfilling: who starts behind a head that waits, by EASY (Lifka, JSSPP'95; the steps are those of Mu'alem and
//! Feitelson, TPDS 12(6), 2001). The head has a reservation: the time at which enough is free for it, if all that
//! run take the time they asked for. In order of submission, a job that fits now starts if it does not delay
//! that: it ends by then, or it needs none of the GPUs that the head needs then (the "extra" ones).
//!
//! Which GPUs are extra is asked of the placement: the head is laid on what is free then beside the job. Where all
//! nodes are alike and a gang may lie anywhere, that is the count of the paper.
//!
//! RLScheduler's simulator has the first rule alone ([`Backfill::FirstRule`]).

use crate::cluster::{Needs, Part, Placement};
use crate::job::JobId;
use crate::order;
use crate::parameters::param;
use crate::{ParamInfo, ParamKind};
use switchyard_engine::{Phase, View};
use switchyard_placement::{Gang, Room, Strategy};

/// Whether the queue backfills.
pub(crate) const BACKFILL: ParamInfo = param(
    ParamKind::Bool,
    "false",
    "EASY backfilling: jobs behind the head that fit and do not delay its reserved start are started, in order of submission: they end by then, or need none of the GPUs that it needs then.",
);

/// Whether it does as RLScheduler's simulator does.
pub(crate) const QUIRKS: ParamInfo = param(
    ParamKind::Bool,
    "false",
    "As in RLScheduler's simulator: only jobs that end before the head's reserved start, which is set once, are backfilled; and where waiting times count, they are negative.",
)
.for_experts();

/// A job that runs.
pub(super) struct Running {
    pub(super) job: JobId,
    pub(super) gpus: u32,
    pub(super) parts: Vec<Part>,
    pub(super) needs: Needs,
    /// By the time it asks for.
    pub(super) end: f64,
}

/// Who starts while the head waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backfill {
    /// Nobody.
    No,
    /// Who does not delay the head.
    Easy,
    /// Who ends before the head's reserved start, as it was when it became the head.
    FirstRule,
}

impl Backfill {
    /// As the parameters of these names ask for it.
    pub(crate) fn of(backfill: bool, quirks: bool) -> Self {
        match (backfill, quirks) {
            (false, _) => Self::No,
            (true, false) => Self::Easy,
            (true, true) => Self::FirstRule,
        }
    }
}

/// With it: EASY.
impl From<bool> for Backfill {
    fn from(backfills: bool) -> Self {
        match backfills {
            true => Self::Easy,
            false => Self::No,
        }
    }
}

/// The head's start, and what is free then.
pub(super) struct Reservation {
    /// Seconds; infinite where nobody can say, since nodes are closed.
    pub(super) start: f64,
    room: Room,
    strategy: Strategy,
    head: Gang,
    /// Of the head, when it was last laid.
    placement: Placement,
}

impl Reservation {
    /// Of a head that cannot start now.
    pub(super) fn of(head: Gang, strategy: Strategy, running: &[Running], view: &View<'_>) -> Self {
        let now = view.now().seconds();
        let mut reservation = Self {
            start: now,
            room: Room::default(),
            strategy,
            head,
            placement: Placement::default(),
        };
        view.room(&mut reservation.room);
        for run in running {
            if view.phase(run.job) != Phase::Running {
                (reservation.room).take(run.job, &run.parts, run.needs);
            }
        }
        let mut ends: Vec<&Running> = running.iter().collect();
        order::sort_by(&mut ends, |a, b| order::by_value(&a.end, &b.end));
        let mut ends = ends.into_iter().peekable();
        loop {
            // Who should have ended and has not may end at any moment.
            while let Some(run) = ends.next_if(|run| run.end <= reservation.start) {
                (reservation.room).give(run.job, &run.parts, run.needs);
            }
            if reservation.has_room() {
                return reservation;
            }
            reservation.start = ends.peek().map_or(f64::INFINITY, |run| run.end);
            if ends.peek().is_none() {
                return reservation;
            }
        }
    }

    fn has_room(&mut self) -> bool {
        self.head.gpus <= self.room.total()
            && (self.room).place(self.strategy, self.head, &mut self.placement)
    }

    /// How many GPUs are extra, if it does not matter which.
    pub(super) fn most_to_spare(&self) -> u32 {
        self.room.total().saturating_sub(self.head.gpus)
    }

    /// Whether these are extra; if so, they are no more.
    pub(super) fn spare(&mut self, job: JobId, parts: &[Part], needs: Needs) -> bool {
        self.room.take(job, parts, needs);
        let spares = self.has_room();
        if !spares {
            self.room.give(job, parts, needs);
        }
        spares
    }
}
