//! Kueue: queues with quotas in a tree of cohorts. Each leaf has one head; heads are admitted by fair sharing (the queue
//! with the smallest dominant resource share goes first) or by borrowing, priority and age; who needs room may evict
//! those that borrow. The decisions are those of [`switchyard_queues::kueue`].
//!
//! What differs from Kueue, since here quota and GPUs are given at one moment: a head that has quota, and for whose gang
//! the placement has no room, does not take it; nobody is evicted unless the head can then start; who is evicted
//! waits for the next change before it is a head again; and who is evicted twice at one moment evicts nobody at it. Kueue
//! goes on: where jobs evict one another in a circle, each loses its place as soon as it has it.
//!
//! Not Kueue's own: another policy may order the jobs of each leaf ([`Within`]). By a preemptive order the first that wait
//! take the places of those of their leaf and priority that have fallen behind them, once the cycle is done.

mod board;
mod facts;
mod grounds;

use super::continuous::{self, Rule as Numbers};
use super::entry::{BuildContext, Properties};
use super::leaf_lines::{Rank, SetAside, Shape};
use super::leaves::Leaves;
use super::parameters::{PLACEMENT, PlacementChoice, param, parameters, words};
use super::within::Within;
use super::{Cadence, Every, Explanation, ParamInfo, ParamKind, Policy, PolicyEntry, Rng, Verdict};
use crate::cluster::Placement;
use crate::job::JobId;
use crate::workload::DEFAULT_PACKLIMIT;
use board::Board;
use grounds::Grounds;
use std::cmp::Reverse;
use switchyard_engine::{Plan, View};
use switchyard_placement::{Room, Strategy};
use switchyard_queues::kueue::assignment::Head;
use switchyard_queues::kueue::cycle::{self, Decision, Outcome, Settings};
use switchyard_queues::kueue::preemption::fair::FairSharing;
use switchyard_queues::kueue::preemption::victims::{Strategy as Rule, Victim};
use switchyard_queues::tree::{Order, Queue, QueueId};

/// A job that has been evicted so often at one moment evicts nobody at it.
const MOST_EVICTIONS_AT_ONCE: u32 = 2;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "kueue",
    title: "Kueue",
    summary: "Queues with quotas in a tree: idle quota is borrowed, the queue with the smallest dominant share goes first, and whoever needs their own back evicts those that borrow.",
    source: "kubernetes-sigs/kueue, v0.19; KEP-1714 fair sharing",
    params: Parameters::INFOS,
    takes_whole_gpus: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        fair_sharing: bool = param(
            ParamKind::Bool,
            "true",
            "The queue with the smallest dominant resource share goes first. Otherwise those that do not borrow, then by priority and age.",
        ),
        strategies: Strategies = param(
            ParamKind::OneOf(<Strategies as super::parameters::Words>::WORDS),
            "both",
            "Fair sharing evicts another queue's job if the preemptor's share is no larger than what is then left to the victim's (final), is smaller than the victim's was (initial), or by the second rule where the first helps nothing (both).",
        ),
        preemption: Preemption = param(
            ParamKind::OneOf(<Preemption as super::parameters::Words>::WORDS),
            "queues",
            "Whom a queue may evict is as each queue says, or nobody is evicted.",
        ),
        strategy: LineOrder = param(
            ParamKind::OneOf(<LineOrder as super::parameters::Words>::WORDS),
            "queues",
            "Whether later jobs of a queue may pass a head that does not fit (best-effort-fifo) or not (strict-fifo); or as each queue says.",
        ),
        within: Within = param(
            ParamKind::OneOf(<Within as super::parameters::Words>::WORDS),
            "fifo",
            "Whose order the jobs of a queue stand in, among those of one priority: Kueue's own (fifo), or that of another policy, by which those that run may give way, too, if it is preemptive.",
        ),
        quantum: f64 = ParamInfo {
            help: "Seconds after which jobs that run are compared anew with those that wait, besides every event, where the order within a queue changes while they run.",
            ..continuous::QUANTUM
        },
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {
    fn is_oracle(&self) -> bool {
        self.within.is_oracle()
    }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    Box::new(Kueue {
        settings: settings(params),
        preempts: params.preemption == Preemption::Queues,
        line_order: params.strategy,
        strategy: params.placement.or(context.placement),
        leaves: Leaves::new(context),
        within: params.within,
        quantum: params.quantum,
        numbers: params.within.rule(context),
        board: None,
        room: Room::default(),
        placement: Placement::default(),
    })
}

fn settings(params: &Parameters) -> Settings {
    let (last, first) = (
        Rule::LessThanOrEqualToFinalShare,
        Rule::LessThanInitialShare,
    );
    let strategies = match params.strategies {
        Strategies::Both => vec![last, first],
        Strategies::Final => vec![last],
        Strategies::Initial => vec![first],
    };
    let fair = FairSharing {
        strategies,
        ..FairSharing::default()
    };
    Settings {
        fair: params.fair_sharing.then_some(fair),
        ..Settings::default()
    }
}

/// How shares decide about a victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strategies {
    Both,
    Final,
    Initial,
}

words! {
    Strategies { Both = "both", Final = "final", Initial = "initial" }
}

/// Who says whom a queue may evict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Preemption {
    Queues,
    None,
}

words! {
    Preemption { Queues = "queues", None = "none" }
}

/// What happens behind a head that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineOrder {
    Queues,
    BestEffort,
    Strict,
}

words! {
    LineOrder { Queues = "queues", BestEffort = "best-effort-fifo", Strict = "strict-fifo" }
}

struct Kueue {
    settings: Settings,
    preempts: bool,
    line_order: LineOrder,
    strategy: Strategy,
    leaves: Leaves,
    within: Within,
    quantum: f64,
    /// What orders jobs within a leaf and a priority, if not their submission.
    numbers: Option<Box<dyn Numbers>>,
    /// From the first plan on, when it is known how many GPUs there are.
    board: Option<Board>,
    room: Room,
    placement: Placement,
}

impl Kueue {
    /// Whether a queue's head blocks those behind it.
    fn is_strict(&self, queue: &Queue) -> bool {
        match self.line_order {
            LineOrder::Queues => queue.order == Order::StrictFifo,
            LineOrder::BestEffort => false,
            LineOrder::Strict => true,
        }
    }

    /// Starts a job that has quota, once its victims have given theirs back. Says whether the placement has room;
    /// where it has none, nothing is changed.
    fn start(
        &mut self,
        board: &mut Board,
        view: &View<'_>,
        plan: &mut Plan,
        (head, job, shape): &(Head, JobId, Shape),
        decision: &Decision,
    ) -> bool {
        let victims: Vec<(JobId, Victim)> = decision
            .found
            .victims
            .iter()
            .filter_map(|&victim| Some((board.job_of(victim.id)?, victim)))
            .collect();
        if victims
            .iter()
            .any(|&(victim, _)| view.ledger().gpus(victim) == 0)
        {
            // It has been given GPUs just now, and can lose them a moment later.
            plan.alarm(*job, view.now());
            return false;
        }
        if !victims.is_empty() && goes_round(board, view, *job) {
            return false;
        }
        for &(victim, _) in &victims {
            (self.room).give(victim, view.ledger().parts(victim), view.needs(victim));
        }
        if !self.lay(board, view, *job, decision) {
            for &(victim, _) in &victims {
                (self.room).take(victim, view.ledger().parts(victim), view.needs(victim));
            }
            return false;
        }
        (self.room).take(*job, &self.placement.parts, view.needs(*job));
        for (victim, why) in victims {
            plan.preempt_for(victim, *job);
            let grounds = Grounds::of(head.queue, &why);
            board.evictions.note(victim, (view.now(), *job), grounds);
            board.give_back(victim);
            board.rest(view, victim, self.rank(view, victim));
        }
        plan.place(*job, &self.placement);
        board.admit(head, *job, *shape, &decision.assignment.uses);
        true
    }

    /// Where a job stands among those of its leaf.
    fn rank(&self, view: &View<'_>, job: JobId) -> Rank {
        let numbers = self.numbers.as_ref();
        let number = numbers.map_or(0.0, |numbers| numbers.key(view, job));
        Rank::new(self.leaves.priority(job), number)
    }

    /// Lets the first that wait take the places of those of their leaf that have fallen behind them.
    fn replace(&mut self, board: &mut Board, view: &View<'_>, plan: &mut Plan) {
        let leaves: Vec<QueueId> = board.lines.leaves().collect();
        for leaf in leaves {
            let mut waiting = board.lines.firsts(leaf);
            let mut running: Vec<(Rank, JobId)> = match waiting.is_empty() {
                true => Vec::new(),
                false => {
                    let running = board.running[leaf.index()].iter().copied();
                    let there = running.filter(|&job| view.ledger().gpus(job) > 0);
                    there.map(|job| (self.rank(view, job), job)).collect()
                }
            };
            running.sort_unstable_by_key(|&place| Reverse(place));
            let mut at = 0;
            while let Some(&(rank, job, shape)) = waiting.get(at) {
                let behind = running.iter().filter(|(other, _)| rank.goes_before(*other));
                let behind: Vec<(Rank, JobId)> = behind.copied().collect();
                let asking = (rank, job, shape);
                let gone = self.start_instead(board, view, plan, asking, &behind);
                if gone.is_empty() {
                    at += 1;
                } else {
                    running.retain(|place| !gone.contains(place));
                    waiting = board.lines.firsts(leaf);
                    at = 0;
                }
            }
        }
    }

    /// Starts a job instead of as many of these of its leaf as it takes; says of whom. Where that is not possible,
    /// nothing is changed.
    fn start_instead(
        &mut self,
        board: &mut Board,
        view: &View<'_>,
        plan: &mut Plan,
        (rank, job, shape): (Rank, JobId, Shape),
        behind: &[(Rank, JobId)],
    ) -> Vec<(Rank, JobId)> {
        if goes_round(board, view, job) {
            return Vec::new();
        }
        let head = board.head(&self.leaves, job, shape);
        let mut given = Vec::new();
        let mut uses = None;
        for &(other, victim) in behind {
            let Some(id) = board.workloads[victim.index()] else {
                continue;
            };
            board.state.take(id);
            (self.room).give(victim, view.ledger().parts(victim), view.needs(victim));
            given.push((other, victim, id));
            if shape.gpus > self.room.total() {
                continue;
            }
            let decisions = cycle::run(
                &mut board.state,
                &self.settings,
                std::slice::from_ref(&head),
            );
            let fits = decisions
                .into_iter()
                .find(|one| one.outcome == Outcome::Admitted && one.found.victims.is_empty());
            if let Some(decision) = fits
                && self.lay(board, view, job, &decision)
            {
                uses = Some(decision.assignment.uses);
                break;
            }
        }
        for &(_, _, id) in &given {
            board.state.put_back(id);
        }
        let Some(uses) = uses else {
            for &(_, victim, _) in &given {
                (self.room).take(victim, view.ledger().parts(victim), view.needs(victim));
            }
            return Vec::new();
        };
        (self.room).take(job, &self.placement.parts, view.needs(job));
        for &(other, victim, _) in &given {
            plan.preempt_for(victim, job);
            let grounds = Grounds::by_order(head.queue, self.within, [rank, other]);
            board.evictions.note(victim, (view.now(), job), grounds);
            board.give_back(victim);
            board.rest(view, victim, other);
        }
        plan.place(job, &self.placement);
        board.admit(&head, job, shape, &uses);
        given
            .into_iter()
            .map(|(rank, job, _)| (rank, job))
            .collect()
    }

    /// Lays a job's gang, if there is room where it has quota.
    fn lay(&mut self, board: &Board, view: &View<'_>, job: JobId, decision: &Decision) -> bool {
        let mut gang = view.gang(job, self.strategy, DEFAULT_PACKLIMIT);
        if let Some(pool) = board.pool_for(&decision.assignment.uses) {
            gang.needs = gang.needs.within(pool);
        }
        (self.room).place(self.strategy, gang, &mut self.placement)
    }

    /// Decides about the heads until nothing changes any more.
    fn decide(&mut self, board: &mut Board, view: &View<'_>, plan: &mut Plan) {
        loop {
            let heads = board.heads(&self.leaves);
            if heads.is_empty() {
                return;
            }
            let asked: Vec<Head> = heads.iter().map(|(head, ..)| head.clone()).collect();
            let mut has_changed = false;
            for decision in cycle::run(&mut board.state, &self.settings, &asked) {
                let asked = &heads[decision.head];
                let (head, job, shape) = asked;
                let waits = matches!(
                    decision.outcome,
                    Outcome::WaitsForOthers | Outcome::NoLongerFits | Outcome::VictimsTaken
                );
                has_changed |= !waits;
                board.flavors_left.remove(job);
                let aside = match decision.outcome {
                    // A head before it, on whose victims it counted, could not start.
                    Outcome::Admitted | Outcome::Preempting if !board.fits(head, &decision) => None,
                    Outcome::Admitted | Outcome::Preempting => {
                        let starts = self.start(board, view, plan, asked, &decision);
                        (!starts).then_some(SetAside::Room)
                    }
                    _ if decision.may_be_set_aside() => Some(SetAside::Quota),
                    _ if waits => None,
                    _ => {
                        (board.flavors_left).insert(*job, decision.next().to_vec());
                        None
                    }
                };
                if let Some(why) = aside {
                    board.lines.set_aside(head.queue, *shape, why);
                }
            }
            if !has_changed {
                return;
            }
        }
    }
}

/// Whether a job is evicted as often as it starts at this moment.
fn goes_round(board: &Board, view: &View<'_>, job: JobId) -> bool {
    board.evictions.at_once(job, view.now()) >= MOST_EVICTIONS_AT_ONCE
}

impl Policy for Kueue {
    fn cadence(&self) -> Cadence {
        Cadence {
            on_change: true,
            every: self.within.falls().then_some(Every {
                seconds: self.quantum,
                parameter: "quantum",
                while_all_run: false,
            }),
        }
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        let mut board = match self.board.take() {
            Some(board) => board,
            None => Board::new(&self.leaves, view, self.preempts, |queue| {
                self.is_strict(queue)
            }),
        };
        let has_learned = self
            .numbers
            .as_mut()
            .is_some_and(|numbers| numbers.learn(view));
        board.follow(view, |job| self.rank(view, job));
        if has_learned {
            for at in 0..board.ranks.len() {
                board.ranks[at] = self.rank(view, JobId(at as u32));
            }
            let ranks = &board.ranks;
            board.lines.rerank(|job| ranks[job.index()]);
        }
        if board.lines.waiting() > 0 {
            view.room(&mut self.room);
            self.decide(&mut board, view, plan);
            if self.within.is_preemptive() {
                self.replace(&mut board, view, plan);
            }
        }
        self.board = Some(board);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let Some(board) = &self.board else {
            return Explanation::new(Verdict::NotActive, Vec::new());
        };
        let numbers = self.numbers.as_deref();
        facts::explain(board, &self.leaves, &self.settings, numbers, view, job)
    }
}
