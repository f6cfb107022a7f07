//! YARN's capacity scheduler on a tree of queues. Whose turn it is, and what maximum capacities allow, is
//! [`switchyard_queues::yarn`]'s. A leaf serves its jobs by priority, then in order of submission; its head blocks it
//! alone, and is asked again when GPUs are given back.

use crate::asks::Asks;
use crate::cluster::Placement;
use crate::job::JobId;
use crate::leaves::Leaves;
use crate::workload::DEFAULT_PACKLIMIT;
use crate::{Explanation, Fact, Policy, Rng, Verdict};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use switchyard_engine::{News, Phase, Plan, View};
use switchyard_explain::{Operand, Said, Unit};
use switchyard_placement::{Gang, Room, Strategy};
use switchyard_queues::tree::{Kind, QueueId, QueueTree};
use switchyard_queues::yarn::{Capacities, TurnOrder};

/// The scheduler.
pub(super) struct Hierarchy {
    order: TurnOrder,
    /// Queues may use more than they are guaranteed.
    elastic: bool,
    strategy: Strategy,
    leaves: Leaves,
    /// From the first plan on, when it is known how many GPUs there are.
    board: Option<Board>,
    room: Room,
    placement: Placement,
    /// What found no room in this plan.
    refused: Vec<Gang>,
}

struct Board {
    tree: QueueTree,
    /// By job.
    leaf_of: Vec<QueueId>,
    asks: Asks,
    capacities: Capacities,
    /// By queue: who waits, the first first.
    lines: Vec<BTreeSet<(Reverse<i64>, JobId)>>,
    /// Leaves whose heads do not start at present.
    blocked: Vec<QueueId>,
    /// By job: what it holds of capacities.
    held: Vec<Option<Vec<f64>>>,
}

impl Hierarchy {
    pub(super) fn new(order: TurnOrder, elastic: bool, strategy: Strategy, leaves: Leaves) -> Self {
        Self {
            order,
            elastic,
            strategy,
            leaves,
            board: None,
            room: Room::default(),
            placement: Placement::default(),
            refused: Vec::new(),
        }
    }

    fn decide(&mut self, board: &mut Board, view: &View<'_>, plan: &mut Plan) {
        self.refused.clear();
        view.room(&mut self.room);
        while (self.room.total() > 0 || view.is_shared())
            && let Some(leaf) = board.capacities.next()
        {
            let Some(&(place, job)) = board.lines[leaf.index()].first() else {
                board.capacities.set_asking(leaf, false);
                continue;
            };
            let asks = board.asks.of(view, job);
            let may = board.capacities.exceeded(leaf, &asks).is_none();
            if may && self.start(view, plan, job) {
                board.lines[leaf.index()].remove(&(place, job));
                board.capacities.take(leaf, &asks);
                board.held[job.index()] = Some(asks);
                let is_asking = !board.lines[leaf.index()].is_empty();
                board.capacities.set_asking(leaf, is_asking);
            } else {
                board.capacities.set_asking(leaf, false);
                board.blocked.push(leaf);
            }
        }
    }

    /// Starts a job if there is room for it. What has been refused once in a plan is not laid again.
    fn start(&mut self, view: &View<'_>, plan: &mut Plan, job: JobId) -> bool {
        let gang = view.gang(job, self.strategy, DEFAULT_PACKLIMIT);
        if self.refused.iter().any(|refused| refused.is_like(&gang)) {
            return false;
        }
        if !(self.room).place(self.strategy, gang, &mut self.placement) {
            self.refused.push(gang);
            return false;
        }
        self.room.take(job, &self.placement.parts, gang.needs);
        plan.place(job, &self.placement);
        true
    }
}

impl Board {
    fn new(policy: &Hierarchy, view: &View<'_>) -> Self {
        let gpus = view.node_sizes().iter().sum();
        let (tree, leaf_of) = policy.leaves.in_tree(gpus);
        let tree = if policy.elastic {
            tree
        } else {
            inelastic(&tree)
        };
        let asks = Asks::new(tree.resources(), view);
        let capacities = Capacities::new(&tree, &asks.totals(view), policy.order);
        Self {
            capacities,
            asks,
            lines: vec![BTreeSet::new(); tree.queues().len()],
            blocked: Vec::new(),
            held: vec![None; leaf_of.len()],
            leaf_of,
            tree,
        }
    }

    /// Takes note of who has come and gone.
    fn follow(&mut self, leaves: &Leaves, view: &View<'_>) {
        for &news in view.news() {
            match news {
                News::Arrived(job) => self.join(leaves, job),
                News::Finished(job) => self.give_back(job),
                News::Evicted(job) => {
                    self.give_back(job);
                    self.join(leaves, job);
                }
                News::NodeUp(_) | News::NodeDown(_) | News::CoresFreed | News::Alarm(_) => {
                    self.unblock();
                }
            }
        }
    }

    fn join(&mut self, leaves: &Leaves, job: JobId) {
        let leaf = self.leaf_of[job.index()];
        let place = (Reverse(leaves.priority(job)), job);
        let line = &mut self.lines[leaf.index()];
        line.insert(place);
        if line.first() == Some(&place) {
            self.capacities.set_asking(leaf, true);
        }
    }

    fn give_back(&mut self, job: JobId) {
        if let Some(held) = self.held[job.index()].take() {
            self.capacities.give(self.leaf_of[job.index()], &held);
            self.unblock();
        }
    }

    fn unblock(&mut self) {
        for leaf in std::mem::take(&mut self.blocked) {
            let is_asking = !self.lines[leaf.index()].is_empty();
            self.capacities.set_asking(leaf, is_asking);
        }
    }

    fn facts(&self, view: &View<'_>, job: JobId) -> Vec<Fact> {
        let leaf = self.leaf_of[job.index()];
        let name = |id: QueueId| self.tree.queue(id).name.as_str();
        let mut facts = vec![Fact::path("queue", self.tree.path(leaf).map(name))];
        for id in self.tree.path(leaf) {
            // Those above it are named.
            let whose = match id == leaf {
                true => "its queue",
                false => "a queue above",
            };
            let of = |fact: Fact| match id == leaf {
                true => fact,
                false => fact.of_queue(name(id)),
            };
            for (slot, resource) in self.tree.resources().iter().enumerate() {
                if resource.kind != Kind::Gpus {
                    continue;
                }
                let kind = (resource.flavor.as_ref())
                    .map_or_else(String::new, |flavor| format!(" ({flavor})"));
                let amounts = [
                    ("uses", self.capacities.used(id)[slot]),
                    ("is guaranteed", self.capacities.guaranteed(id)[slot]),
                    ("may use at most", self.capacities.most(id)[slot]),
                ];
                for (what, amount) in amounts {
                    let said = Said::Exact(amount, Unit::Gpus);
                    facts.push(of(Fact::of(&format!("{whose} {what}{kind}"), vec![said])));
                }
            }
            let part = self.capacities.used_capacity(id);
            let mut fact = Fact::percent(&format!("{whose} uses of its capacity"), part, 0);
            let slots = self.tree.resources().iter().enumerate();
            let mut gpus = slots.filter(|(_, resource)| resource.kind == Kind::Gpus);
            let both = gpus.find_map(|(slot, _)| {
                let (used, own) = (
                    self.capacities.used(id)[slot],
                    self.capacities.guaranteed(id)[slot],
                );
                ((used / own - part).abs() <= 1e-9).then_some((used, own))
            });
            if let Some((used, own)) = both {
                let gpus = |name, value| Operand::new(name, value, Unit::Gpus);
                let operands = [gpus("uses", used), gpus("is guaranteed", own)];
                fact = fact.by("{0} ∕ {1}", operands, (part, Unit::None));
            }
            facts.push(of(fact));
        }
        let line = &self.lines[leaf.index()];
        facts.push(Fact::count("waiting in its queue", line.len(), Unit::None));
        if view.phase(job) == Phase::Waiting
            && let Some(over) = (self.capacities).exceeded(leaf, &self.asks.of(view, job))
        {
            let over = [name(over.queue)].into_iter();
            facts.push(Fact::path("at its maximum with it", over));
        }
        facts
    }

    /// What maximum capacities leave to a leaf.
    fn left(&self, leaf: QueueId) -> u32 {
        let slots = 0..self.tree.resources().len();
        let gpus = slots.filter(|&slot| self.tree.resources()[slot].kind == Kind::Gpus);
        let left = gpus.flat_map(|slot| {
            let of = move |id| self.capacities.most(id)[slot] - self.capacities.used(id)[slot];
            self.tree.path(leaf).map(of)
        });
        left.fold(f64::INFINITY, f64::min).max(0.0) as u32
    }
}

impl Policy for Hierarchy {
    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        let mut board = match self.board.take() {
            Some(board) => board,
            None => Board::new(self, view),
        };
        board.follow(&self.leaves, view);
        self.decide(&mut board, view, plan);
        self.board = Some(board);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let Some(board) = &self.board else {
            return Explanation::new(Verdict::NotActive, Vec::new());
        };
        let leaf = board.leaf_of[job.index()];
        let (wants, free) = (view.gpus(job), view.free().total());
        let head = board.lines[leaf.index()].first().map(|&(_, head)| head);
        let left = board.left(leaf);
        let verdict = match (view.phase(job), head) {
            (Phase::Running, _) => Verdict::Runs,
            (Phase::Waiting, Some(head)) if head != job => Verdict::BehindHead { head },
            (Phase::Waiting, _) if left < wants => Verdict::NoQuota { wants, left },
            (Phase::Waiting, _) if wants <= free => Verdict::PlacementWaits { wants, free },
            (Phase::Waiting, _) => Verdict::TooFewGpus { wants, left: free },
            _ => Verdict::NotActive,
        };
        Explanation::new(verdict, board.facts(view, job))
    }
}

/// The same tree, in which nobody borrows.
fn inelastic(tree: &QueueTree) -> QueueTree {
    let queues = tree.queues().iter().cloned().map(|mut queue| {
        if queue.parent.is_some() {
            for quota in &mut queue.quotas {
                quota.borrowing_limit = Some(0.0);
            }
        }
        queue
    });
    let same = QueueTree::new(tree.resources().to_vec(), queues.collect());
    same.unwrap_or_default()
}
