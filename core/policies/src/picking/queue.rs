//! The policy around a [`Pick`]: the head, those that wait behind it, and those that run.

use super::behind::Behind;
use super::candidate::{Candidate, Moment};
use super::easy::{Backfill, Reservation, Running};
use super::pick::Pick;
use super::waiting::Waiting;
use crate::Time;
use crate::cluster::Placement;
use crate::job::JobId;
use crate::workload::DEFAULT_PACKLIMIT;
use crate::{Explanation, Fact, Policy, Rng, Verdict};
use std::collections::BTreeSet;
use switchyard_engine::{News, Phase, Plan, View};
use switchyard_explain::Said;
use switchyard_placement::{Gang, Room, Strategy};

/// The policy around a [`Pick`].
pub struct Queue<P> {
    pick: P,
    backfill: Backfill,
    strategy: Strategy,
    waiting: Waiting,
    /// The same, where some start behind the head.
    behind: Behind,
    head: Option<Candidate>,
    /// When the head was to start, when it became the head and could not at once.
    reserved: f64,
    /// In the order of their starts.
    running: Vec<Running>,
    /// All GPUs; 0 until first asked.
    gpus: u32,
    /// What is free once those have ended that have been looked at.
    free: u32,
    room: Room,
    placement: Placement,
    refused: Vec<Gang>,
}

impl<P: Pick> Queue<P> {
    /// An empty one.
    pub fn new(pick: P, backfill: Backfill, strategy: Strategy) -> Self {
        Self {
            pick,
            backfill,
            strategy,
            waiting: Waiting::default(),
            behind: Behind::default(),
            head: None,
            reserved: 0.0,
            running: Vec::new(),
            gpus: 0,
            free: 0,
            room: Room::default(),
            placement: Placement::default(),
            refused: Vec::new(),
        }
    }

    fn moment(&self, view: &View<'_>) -> Moment {
        Moment {
            now: view.now().seconds(),
            free: self.free,
            gpus: self.gpus,
        }
    }

    /// Starts whom it can, until the head has to wait.
    fn settle(&mut self, view: &View<'_>, plan: &mut Plan) {
        loop {
            let (head, is_new) = match self.head.take() {
                Some(head) => (head, false),
                None if self.waiting.is_empty() => return,
                None => {
                    let picked = self.pick.pick(&self.waiting, self.moment(view));
                    let Some(head) = picked.and_then(|job| self.leave(job, view)) else {
                        return;
                    };
                    (head, true)
                }
            };
            if self.start(head, view, plan) {
                continue;
            }
            self.head = Some(head);
            if is_new && self.backfill == Backfill::FirstRule {
                self.reserved = self.reservation(head, view).start;
            }
            if self.backfill != Backfill::No {
                self.fill(head, view, plan);
            }
            return;
        }
    }

    /// When the head is to start, where others may start behind it.
    fn reserved_start(&self, view: &View<'_>) -> Option<f64> {
        let head = self.head?;
        match self.backfill {
            Backfill::No => None,
            Backfill::Easy => Some(self.reservation(head, view).start),
            Backfill::FirstRule => Some(self.reserved),
        }
    }

    fn reservation(&self, head: Candidate, view: &View<'_>) -> Reservation {
        let head = self.gang(head.job, view);
        Reservation::of(head, self.strategy, &self.running, view)
    }

    /// Starts those that do not delay the head.
    fn fill(&mut self, head: Candidate, view: &View<'_>, plan: &mut Plan) {
        let fewest = self.waiting.fewest_gpus();
        if fewest.is_none_or(|gpus| gpus > self.free) {
            return;
        }
        let now = view.now().seconds();
        let mut easy = (self.backfill == Backfill::Easy).then(|| self.reservation(head, view));
        let start = easy.as_ref().map(|easy| easy.start);
        let reserved = self.reserved;
        let ends_in_time = move |seconds: f64| match start {
            Some(start) => now + seconds <= start,
            None => now + seconds < reserved,
        };
        // Those that would need what the head needs.
        let mut in_its_way: Vec<Gang> = Vec::new();
        let mut walk = self.behind.walk();
        loop {
            let extra = easy.as_ref().map_or(0, Reservation::most_to_spare);
            let Some(met) = walk.next(&self.behind, self.free, extra, &ends_in_time) else {
                return;
            };
            let Some(&job) = self.waiting.get(met.job) else {
                continue;
            };
            let Some(gang) = self.lay(job, view) else {
                walk.refuse(&self.behind, met);
                continue;
            };
            if let Some(easy) = easy.as_mut().filter(|_| !ends_in_time(job.seconds)) {
                let is_known = in_its_way.iter().any(|other| other.is_like(&gang));
                if is_known || !easy.spare(job.job, &self.placement.parts, gang.needs) {
                    if !is_known {
                        in_its_way.push(gang);
                    }
                    walk.refuse_late(&self.behind, met);
                    continue;
                }
            }
            self.leave(job.job, view);
            self.run(job, gang, view, plan);
        }
    }

    /// Starts the job if it fits.
    fn start(&mut self, job: Candidate, view: &View<'_>, plan: &mut Plan) -> bool {
        let gang = self.lay(job, view);
        if let Some(gang) = gang {
            self.run(job, gang, view, plan);
        }
        gang.is_some()
    }

    /// Lays the job's gang, if it fits: [`placement`](Self::placement) is where.
    fn lay(&mut self, job: Candidate, view: &View<'_>) -> Option<Gang> {
        if job.gpus > self.free {
            return None;
        }
        let gang = self.gang(job.job, view);
        if self.refused.iter().any(|refused| refused.is_like(&gang)) {
            return None;
        }
        if !self.room.place(self.strategy, gang, &mut self.placement) {
            self.refused.push(gang);
            return None;
        }
        Some(gang)
    }

    /// Starts the job where it has just been laid.
    fn run(&mut self, job: Candidate, gang: Gang, view: &View<'_>, plan: &mut Plan) {
        (self.room).take(job.job, &self.placement.parts, gang.needs);
        plan.place(job.job, &self.placement);
        self.free -= job.gpus;
        self.running.push(Running {
            job: job.job,
            gpus: job.gpus,
            parts: self.placement.parts.clone(),
            needs: gang.needs,
            end: view.now().seconds() + job.seconds,
        });
    }

    fn gang(&self, job: JobId, view: &View<'_>) -> Gang {
        view.gang(job, self.strategy, DEFAULT_PACKLIMIT)
    }

    /// Takes back those that have lost their GPUs. With fewer nodes, another may be next.
    fn lose(&mut self, view: &View<'_>) {
        let mut nodes_lost = false;
        for &news in view.news() {
            nodes_lost |= matches!(news, News::NodeDown(_) | News::Evicted(_));
            if let News::Evicted(job) = news {
                self.arrive(job, view);
            }
        }
        if nodes_lost && let Some(head) = self.head.take() {
            self.arrive(head.job, view);
        }
    }

    fn arrive(&mut self, job: JobId, view: &View<'_>) {
        let submit = view.submit(job).seconds();
        let job = Candidate {
            job,
            submit,
            gpus: view.gpus(job),
            seconds: view.requested_time(job).unwrap_or(f64::INFINITY),
        };
        self.pick.enter(&job);
        if self.backfill != Backfill::No {
            self.behind.insert(&job, self.gang(job.job, view));
        }
        self.waiting.insert(job);
    }

    /// A job waits no longer, if it did.
    fn leave(&mut self, job: JobId, view: &View<'_>) -> Option<Candidate> {
        let job = self.waiting.remove(job)?;
        self.pick.leave(&job);
        if self.backfill != Backfill::No {
            self.behind.remove(job.job, self.gang(job.job, view));
        }
        Some(job)
    }
}

impl<P: Pick> Policy for Queue<P> {
    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        if self.gpus == 0 {
            self.gpus = view.idle_room().total();
        }
        view.room(&mut self.room);
        self.refused.clear();
        let (mut ended, mut lost) = (BTreeSet::new(), BTreeSet::new());
        for &news in view.news() {
            match news {
                News::Finished(job) => drop(ended.insert(job)),
                News::Evicted(job) => drop(lost.insert(job)),
                _ => {}
            }
        }
        self.running.retain(|run| !lost.contains(&run.job));
        let (ends, runs) = (std::mem::take(&mut self.running).into_iter())
            .partition::<Vec<Running>, _>(|run| ended.contains(&run.job));
        self.running = runs;
        // Until it has been looked at, what has ended holds its GPUs.
        let held: u32 = ends.iter().map(|run| run.gpus).sum();
        self.free = self.room.total().saturating_sub(held);
        self.lose(view);
        self.settle(view, plan);
        for &news in view.news() {
            if let News::Arrived(job) = news {
                self.arrive(job, view);
                self.settle(view, plan);
            }
        }
        for run in ends {
            self.free += run.gpus;
            self.settle(view, plan);
        }
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let wants = view.gpus(job);
        let free = view.free().total();
        let head = self.head.map(|head| head.job);
        let verdict = match (view.phase(job), head) {
            (Phase::Running, _) => Verdict::Runs,
            (Phase::Waiting, Some(head)) if head != job => Verdict::BehindHead { head },
            (Phase::Waiting, _) if wants <= free => Verdict::PlacementWaits { wants, free },
            (Phase::Waiting, _) => Verdict::TooFewGpus { wants, left: free },
            _ => Verdict::NotActive,
        };
        let mut facts = vec![Fact::gpus("gang", wants)];
        if head == Some(job) {
            facts.push(Fact::new("picked", "the head, until it fits"));
        }
        if let Some(start) = self.reserved_start(view) {
            let start = match start.is_finite() {
                true => Said::Moment(Time(start)),
                false => Said::Words("unknown, until nodes are back".to_owned()),
            };
            facts.push(Fact::of("head's reserved start", vec![start]));
        }
        if let Some(job) = self.waiting.get(job) {
            facts.extend((self.pick).facts(&self.waiting, job, self.moment(view)));
        }
        Explanation::new(verdict, facts)
    }
}
