//! Where groups lie. In: the jobs of each group, larger gangs first, and who runs where. Out: what a plan changes.

use crate::cluster::Placement;
use crate::job::JobId;
use crate::workload::DEFAULT_PACKLIMIT;
use std::collections::BTreeSet;
use switchyard_engine::{Phase, Plan, View};
use switchyard_interleaving::gangs::Fit;
use switchyard_placement::{Budget, Room, Strategy};

#[derive(Default)]
pub(super) struct Layout {
    room: Room,
    /// GPUs that the last round left to nobody.
    pub(super) left: Budget,
}

/// A cluster from which everybody has gone, for gangs to be tried on.
pub(super) struct Trial<'a> {
    view: &'a View<'a>,
    strategy: Strategy,
    /// By candidate.
    jobs: &'a [(f64, JobId)],
    room: &'a mut Room,
    placement: Placement,
}

impl Trial<'_> {
    /// GPUs free.
    pub(super) fn total(&self) -> u32 {
        self.room.total()
    }
}

impl Fit for Trial<'_> {
    fn clear(&mut self) {
        clear(self.room, self.view, &BTreeSet::new());
    }

    fn take(&mut self, candidate: usize, gpus: u32) -> bool {
        let (_, job) = self.jobs[candidate];
        if gpus > self.room.total() {
            return false;
        }
        let gang = self.view.gang(job, self.strategy, DEFAULT_PACKLIMIT);
        let fits = self.room.place(self.strategy, gang, &mut self.placement);
        if fits {
            (self.room).take(job, &self.placement.parts, self.view.needs(job));
        }
        fits
    }
}

/// What is free once all that run have gone, but for these.
fn clear(room: &mut Room, view: &View<'_>, but: &BTreeSet<JobId>) {
    view.room(room);
    let ledger = view.ledger();
    let mut given: BTreeSet<JobId> = BTreeSet::new();
    for job in ledger.running().filter(|job| !but.contains(job)) {
        let (parts, needs) = (ledger.parts(job), view.needs(job));
        let together = view.together(job);
        let others_keep = together
            .iter()
            .any(|other| but.contains(other) || given.contains(other));
        match others_keep {
            true => room.give_beside(job, parts, needs),
            false => room.give(job, parts, needs),
        }
        given.insert(job);
    }
}

/// Where groups are laid.
struct Laid<'a> {
    groups: Vec<(&'a [JobId], Placement)>,
    /// GPUs that the gangs of those have for which there was no room.
    unlaid: u32,
}

impl Layout {
    /// What there is for gangs to be tried on, in the order of these jobs.
    pub(super) fn begin<'a>(
        &'a mut self,
        view: &'a View<'a>,
        strategy: Strategy,
        jobs: &'a [(f64, JobId)],
    ) -> Trial<'a> {
        let mut trial = Trial {
            view,
            strategy,
            jobs,
            room: &mut self.room,
            placement: Placement::default(),
        };
        trial.clear();
        trial
    }

    /// Lays the groups, each of jobs with gangs of one size; then whoever else fits into what is left, alone, in this order.
    pub(super) fn lay(
        &mut self,
        view: &View<'_>,
        plan: &mut Plan,
        strategy: Strategy,
        groups: &[Vec<JobId>],
        ranked: impl Iterator<Item = JobId>,
    ) {
        let staying = staying(view, groups);
        let stays = |group: &[JobId]| group.iter().all(|job| staying.contains(job));
        let all = || groups.iter().map(Vec::as_slice);
        let coming = || all().filter(|of| !stays(of));
        let none = BTreeSet::new();
        let mut keeps = &staying;
        let mut laid = self.laid(view, strategy, coming(), keeps);
        if laid.unlaid > 0 && !staying.is_empty() {
            let anew = self.laid(view, strategy, all(), &none);
            if anew.unlaid < laid.unlaid {
                (laid, keeps) = (anew, &none);
            } else {
                laid = self.laid(view, strategy, coming(), keeps);
            }
        }
        let placed = laid.groups.iter().flat_map(|(group, _)| group.iter());
        let mut running: BTreeSet<JobId> = placed.chain(keeps).copied().collect();
        for (group, placement) in &laid.groups {
            let is_there = |job: &JobId| view.ledger().parts(*job) == placement.parts;
            if !(stays(group) && group.iter().all(is_there)) {
                plan.interleave(group, placement);
            }
        }
        for job in ranked {
            if self.room.total() == 0 {
                break;
            }
            if !running.contains(&job) && self.start(view, plan, strategy, job) {
                running.insert(job);
            }
        }
        for job in view.ledger().running() {
            if !running.contains(&job) {
                plan.preempt(job);
            }
        }
        self.left = self.room.budget();
    }

    /// Starts who waits, in this order, alone where there is room.
    pub(super) fn fill(
        &mut self,
        view: &View<'_>,
        plan: &mut Plan,
        strategy: Strategy,
        waiting: &[JobId],
    ) {
        if waiting.is_empty() {
            return;
        }
        view.room(&mut self.room);
        for &job in waiting {
            if self.room.total() == 0 {
                break;
            }
            self.start(view, plan, strategy, job);
        }
        self.left = self.room.budget();
    }

    /// Starts a job alone, if there is room for it.
    fn start(&mut self, view: &View<'_>, plan: &mut Plan, strategy: Strategy, job: JobId) -> bool {
        let mut placement = Placement::default();
        let gang = view.gang(job, strategy, DEFAULT_PACKLIMIT);
        let fits = self.room.place(strategy, gang, &mut placement);
        if fits {
            (self.room).take(job, &placement.parts, view.needs(job));
            plan.place(job, &placement);
        }
        fits
    }

    /// Lays groups, as far as there is room beside those that keep theirs.
    fn laid<'a>(
        &mut self,
        view: &View<'_>,
        strategy: Strategy,
        groups: impl Iterator<Item = &'a [JobId]>,
        keeps: &BTreeSet<JobId>,
    ) -> Laid<'a> {
        let room = &mut self.room;
        clear(room, view, keeps);
        let mut laid = Laid {
            groups: Vec::new(),
            unlaid: 0,
        };
        for group in groups {
            let Some((&first, others)) = group.split_first() else {
                continue;
            };
            let mut placement = Placement::default();
            let gang = view.gang(first, strategy, DEFAULT_PACKLIMIT);
            if !room.place(strategy, gang, &mut placement) {
                laid.unlaid += view.gpus(first);
                continue;
            }
            let parts = &placement.parts;
            room.take(first, parts, view.needs(first));
            let mut fitting = 1;
            // Cores or memory may not do for all of them: the last of them wait then.
            for &job in others {
                if !room.has_spare(parts, view.needs(job)) {
                    break;
                }
                room.take_beside(job, parts, view.needs(job));
                fitting += 1;
            }
            laid.groups.push((&group[..fitting], placement));
        }
        laid
    }
}

/// Those whose group runs on the same GPUs already, maybe beside others that are to leave.
fn staying(view: &View<'_>, groups: &[Vec<JobId>]) -> BTreeSet<JobId> {
    let mut staying = BTreeSet::new();
    for group in groups {
        let together = view.together(group[0]);
        let is_there = |job: &JobId| {
            view.phase(*job) == Phase::Running && (group.len() == 1 || together.contains(job))
        };
        let is_taken = together.iter().any(|other| staying.contains(other));
        if group.iter().all(is_there) && !is_taken {
            staying.extend(group.iter().copied());
        }
    }
    staying
}
