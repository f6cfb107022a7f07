//! Where groups lie. In: the jobs of each group, larger gangs first, and who runs where. Out: what a plan changes.

use crate::cluster::Placement;
use crate::job::JobId;
use crate::order;
use crate::workload::DEFAULT_PACKLIMIT;
use switchyard_engine::{Phase, Plan, View};
use switchyard_interleaving::gangs::Fit;
use switchyard_placement::{Budget, Room, Strategy};

#[derive(Default)]
pub(crate) struct Layout {
    room: Room,
    /// GPUs that the last round left to nobody.
    pub(crate) left: Budget,
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
        clear(self.room, self.view, &[]);
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

/// What is free once all that run have gone, but for these, which are in order.
fn clear(room: &mut Room, view: &View<'_>, but: &[JobId]) {
    view.room(room);
    let ledger = view.ledger();
    for job in ledger.running().filter(|&job| !has(but, job)) {
        let (parts, needs) = (ledger.parts(job), view.needs(job));
        let together = view.together(job);
        let others_keep = together.iter().any(|&other| has(but, other));
        // Of a group that goes the first gives the GPUs back.
        match together.first() {
            Some(&first) if others_keep || first != job => room.give_beside(job, parts, needs),
            _ => room.give(job, parts, needs),
        }
    }
}

/// Whether a job is among these, which are in order.
fn has(jobs: &[JobId], job: JobId) -> bool {
    jobs.binary_search(&job).is_ok()
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

    /// Lays the groups, each of jobs with gangs of one size. Then other jobs that fit start alone, in this order.
    pub(crate) fn lay(
        &mut self,
        view: &View<'_>,
        plan: &mut Plan,
        strategy: Strategy,
        groups: &[Vec<JobId>],
        ranked: impl Iterator<Item = JobId>,
    ) {
        let staying = staying(view, groups);
        let stays = |group: &[JobId]| group.iter().all(|&job| has(&staying, job));
        let all = || groups.iter().map(Vec::as_slice);
        let coming = || all().filter(|of| !stays(of));
        let mut keeps = staying.as_slice();
        let mut laid = self.laid(view, strategy, coming(), keeps);
        if laid.unlaid > 0 && !staying.is_empty() {
            let anew = self.laid(view, strategy, all(), &[]);
            if anew.unlaid < laid.unlaid {
                (laid, keeps) = (anew, &[]);
            } else {
                laid = self.laid(view, strategy, coming(), keeps);
            }
        }
        let placed = laid.groups.iter().flat_map(|(group, _)| group.iter());
        let mut running: Vec<JobId> = placed.chain(keeps).copied().collect();
        order::sort(&mut running);
        for (group, placement) in &laid.groups {
            let is_there = |job: &JobId| view.ledger().parts(*job) == placement.parts;
            if !(stays(group) && group.iter().all(is_there)) {
                plan.interleave(group, placement);
            }
        }
        let mut started = Vec::new();
        for job in ranked {
            if self.room.total() == 0 {
                break;
            }
            if !has(&running, job) && self.start(view, plan, strategy, job) {
                started.push(job);
            }
        }
        for job in view.ledger().running() {
            if !has(&running, job) && !started.contains(&job) {
                plan.preempt(job);
            }
        }
        self.left = self.room.budget();
    }

    /// Starts jobs that wait, in this order, alone where there is room.
    pub(crate) fn fill(
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
        keeps: &[JobId],
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

/// Those whose group runs on the same GPUs already, maybe beside others that are to leave. In order.
fn staying(view: &View<'_>, groups: &[Vec<JobId>]) -> Vec<JobId> {
    let mut staying = Vec::new();
    // The first of each group that was there and is found again.
    let mut taken: Vec<JobId> = Vec::new();
    for group in groups {
        let together = view.together(group[0]);
        let is_there = |job: &JobId| {
            view.phase(*job) == Phase::Running && (group.len() == 1 || together.contains(job))
        };
        let is_taken = together.first().is_some_and(|first| taken.contains(first));
        if group.iter().all(is_there) && !is_taken {
            taken.extend(together.first());
            staying.extend_from_slice(group);
        }
    }
    order::sort(&mut staying);
    staying
}
