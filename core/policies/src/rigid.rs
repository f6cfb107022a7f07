//! Plain gangs among adaptive jobs, for schedulers that are meant for the latter: a gang with a
//! fixed duration cannot shrink, so those are served first come first served, before the others,
//! and keep their GPUs.

use super::emptiest;
use super::{Fact, Verdict};
use crate::cluster::{Part, Placement};
use crate::job::JobId;
use crate::workload::DEFAULT_PACKLIMIT;
use switchyard_engine::{Phase, Plan, View};
use switchyard_placement::{Room, Strategy};

/// The plain jobs.
#[derive(Debug)]
pub(super) struct Rigid {
    /// How gangs are laid; `None`: on the emptiest nodes.
    placement: Option<Strategy>,
    waiting: Vec<JobId>,
}

impl Rigid {
    /// None yet; their gangs are laid so, or else on the emptiest nodes.
    pub(super) fn new(placement: Option<Strategy>) -> Self {
        Self {
            placement,
            waiting: Vec::new(),
        }
    }

    /// Whether a gang may wait although there are enough GPUs.
    pub(super) fn may_wait(&self) -> bool {
        self.placement.is_some_and(Strategy::may_wait)
    }

    /// One more, which has just been submitted or lost its GPUs: in order of submission.
    pub(super) fn admit(&mut self, job: JobId) {
        let at = self.waiting.partition_point(|&other| other < job);
        self.waiting.insert(at, job);
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self, view: &View<'_>) -> bool {
        self.waiting.is_empty() && running(view).next().is_none()
    }

    /// GPUs that they have or want.
    pub(super) fn gpus(&self, view: &View<'_>) -> u32 {
        let jobs = running(view).chain(self.waiting.iter().copied());
        jobs.fold(0u32, |sum, job| sum.saturating_add(view.gpus(job)))
    }

    /// Starts what fits, and takes all that plain jobs hold from `nodes`, the GPUs of each.
    pub(super) fn give_out(&mut self, view: &View<'_>, nodes: &mut [u32], plan: &mut Plan) {
        let mut room = view.idle_room();
        room.set_free(nodes);
        for job in running(view) {
            room.take(job, view.ledger().parts(job), view.needs(job));
        }
        let mut started = 0;
        for &job in &self.waiting {
            let Some(placement) = lay(view, job, &room, self.placement) else {
                break;
            };
            room.take(job, &placement.parts, view.needs(job));
            plan.place(job, &placement);
            started += 1;
        }
        self.waiting.drain(..started);
        for (node, &free) in nodes.iter_mut().zip(room.free().per_node()) {
            *node = free;
        }
    }
}

/// The plain jobs that run.
fn running(view: &View<'_>) -> impl Iterator<Item = JobId> {
    let jobs = view.ledger().running();
    jobs.filter(|&job| view.training(job).is_none())
}

/// Why a job among adaptive ones runs or does not: one GPU is enough to begin with.
pub(super) fn verdict(view: &View<'_>, job: JobId) -> Verdict {
    match view.phase(job) {
        Phase::Running => Verdict::Runs,
        Phase::Waiting => Verdict::TooFewGpus {
            wants: 1,
            left: view.free().total(),
        },
        _ => Verdict::NotActive,
    }
}

/// What there is to say of a job that does not adapt.
pub(super) fn plain_gang() -> Fact {
    Fact::new(
        "plain gang",
        "fixed duration: first come first served, before adaptive jobs",
    )
}

/// Where a job's gang goes in this room; `None`: it waits. Without a placement, on the emptiest nodes.
pub(super) fn lay(
    view: &View<'_>,
    job: JobId,
    room: &Room,
    placement: Option<Strategy>,
) -> Option<Placement> {
    let strategy = placement.unwrap_or_default();
    let gang = view.gang(job, strategy, DEFAULT_PACKLIMIT);
    let mut laid = Placement::default();
    if placement.is_some() {
        return room.place(strategy, gang, &mut laid).then_some(laid);
    }
    let found = room.lay(gang, &mut laid, |free, _, gang, laid| {
        if gang.gpus > free.total() {
            return false;
        }
        let parts = emptiest::place(free.per_node(), &[gang.gpus], &[Vec::new()]).pop();
        laid.parts = parts.unwrap_or_default();
        !laid.parts.is_empty()
    });
    found.then_some(laid)
}

/// Takes GPUs from nodes that have them.
pub(super) fn take(nodes: &mut [u32], parts: &[Part]) {
    for &Part { node, gpus, .. } in parts {
        if let Some(left) = nodes.get_mut(node as usize) {
            *left = left.saturating_sub(gpus);
        }
    }
}

/// Whether nodes have these GPUs.
pub(super) fn has(nodes: &[u32], parts: &[Part]) -> bool {
    let fits =
        |&Part { node, gpus, .. }: &Part| nodes.get(node as usize).is_some_and(|&n| gpus <= n);
    parts.iter().all(fits)
}

/// What each adaptive job holds, as far as it is still there. Who is on a node that takes nobody keeps what it has: a plain
/// gang may have taken what others hold beside it.
pub(super) fn still_held(
    view: &View<'_>,
    jobs: impl Iterator<Item = JobId>,
    nodes: &[u32],
) -> Vec<Vec<Part>> {
    let jobs: Vec<JobId> = jobs.collect();
    let mut left = nodes.to_vec();
    let mut held = vec![Vec::new(); jobs.len()];
    for is_pinned in [true, false] {
        for (held, &job) in held.iter_mut().zip(&jobs) {
            let parts = view.ledger().parts(job);
            if view.is_on_closed_node(job) == is_pinned && has(&left, parts) {
                take(&mut left, parts);
                *held = parts.to_vec();
            }
        }
    }
    held
}
