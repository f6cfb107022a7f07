//! KAI-Scheduler: queues with deserved quotas in a tree. Every cycle divides the cluster among them (what they deserve, then
//! what is over by priority, weight and history), and takes jobs by the order of queues: it starts those that fit, moves
//! running jobs together for one that does not, takes back from queues over their share, and evicts jobs of lower priority
//! within a queue. The decisions are those of [`switchyard_queues::kai`].
//!
//! What differs from KAI, where a job is some pods and nodes are looked at one by one:
//! - Gangs are whole: none starts or shrinks in part. The placement of the run lays them, not KAI's scores of nodes.
//! - A cycle takes place at each change, not every second. GPUs of who is evicted are free at once; then jobs that fit start
//!   in the same moment, as they would in KAI's next cycle.
//! - In an attempt, the job for which room is made is laid first. Of its victims, those whose GPUs are still free keep
//!   them, then the others are tried elsewhere, from the last one taken to the first.
//! - A job that this cycle started or moved is no victim in it.
//! - History is an integral, not samples of a database.

mod board;
mod facts;
mod past;
mod quotas;
mod victims;

use super::entry::{BuildContext, Properties};
use super::leaf_lines::Shape;
use super::leaves::Leaves;
use super::parameters::{PLACEMENT, PlacementChoice, param, parameters, words};
use super::{Cadence, Every, Explanation, ParamKind, Policy, PolicyEntry, Rng, Verdict};
use crate::Time;
use crate::cluster::Placement;
use crate::job::JobId;
use crate::workload::DEFAULT_PACKLIMIT;
use board::{Board, MinRuntimes, Offer, Rules};
use std::collections::BTreeSet;
use switchyard_engine::{News, Plan, View};
use switchyard_placement::{Room, Strategy};
use switchyard_queues::kai::cycle::facts::Action;
use switchyard_queues::kai::history::{Settings as History, Window};
use switchyard_queues::kai::min_runtime::Resolve;
use switchyard_queues::lending::InnerQuota;
use switchyard_queues::tree::QueueId;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "kai",
    title: "KAI-Scheduler",
    summary: "Queues that deserve quotas and divide what is over by priority, weight and history: each cycle starts jobs, moves running ones together, takes back from queues over their share, and evicts lower priorities.",
    source: "NVIDIA/KAI-Scheduler, of August 2026",
    params: Parameters::INFOS,
    takes_whole_gpus: true,
    ..PolicyEntry::PLAIN
};

/// The longest time that parameters take: a year.
const YEAR: f64 = 31_536_000.0;

parameters! {
    struct Parameters {
        k: f64 = param(
            ParamKind::Float { min: 0.0, max: 1000.0 },
            "1",
            "How much history counts against a queue's weight among what is over all quotas.",
        ),
        window: f64 = param(
            ParamKind::Seconds { min: 0.0, max: YEAR },
            "0",
            "Seconds of history that count; 0: none does, as in KAI without a database of usage.",
        ),
        half_life: f64 = param(
            ParamKind::Seconds { min: 0.0, max: YEAR },
            "0",
            "Seconds after which a moment of history counts half; 0: all of the window counts the same.",
        ),
        tumbling: bool = param(
            ParamKind::Bool,
            "false",
            "The window begins anew each time it has passed, instead of sliding.",
        ),
        fetch: f64 = param(
            ParamKind::Seconds { min: 1.0, max: 1e6 },
            "60",
            "Seconds after which history is looked at anew while jobs wait.",
        ),
        fixed_priority: u32 = param(
            ParamKind::Int { min: 0, max: 4_294_967_295 },
            "100",
            "Jobs of this priority or a higher one are not preemptible: nobody evicts them, and they use only what their queue deserves.",
        ),
        reclaim_min_runtime: f64 = param(
            ParamKind::Seconds { min: 0.0, max: YEAR },
            "0",
            "Seconds that a job has run before another queue may evict it, where no queue says so.",
        ),
        preempt_min_runtime: f64 = param(
            ParamKind::Seconds { min: 0.0, max: YEAR },
            "0",
            "The same before a job of its own queue may.",
        ),
        resolve: Resolves = param(
            ParamKind::OneOf(<Resolves as super::parameters::Words>::WORDS),
            "lca",
            "Which queue says for how long others may not evict: of the victim's queue and those above it the first (queue), or the first from below the last queue above both (lca).",
        ),
        multiplier: f64 = param(
            ParamKind::Float { min: 1.0, max: 1000.0 },
            "1",
            "How many times fuller the side that takes back looks, when saturations are compared.",
        ),
        consolidation: u32 = param(
            ParamKind::Int { min: 0, max: 1000 },
            "16",
            "How many running jobs it looks at for some to be moved together; 0: nobody is moved.",
        ),
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {
    fn inner_quota(&self) -> InnerQuota {
        InnerQuota::Whole
    }
}

/// Where minimum run times are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resolves {
    Lca,
    Queue,
}

words! {
    Resolves { Lca = "lca", Queue = "queue" }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let window = match params.tumbling {
        true => Window::Tumbling {
            seconds: params.window,
            start: 0.0,
        },
        false => Window::Sliding {
            seconds: params.window,
        },
    };
    let history = History {
        window,
        half_life: params.half_life,
    };
    Box::new(Kai {
        rules: Rules {
            k: params.k,
            fixed_priority: i64::from(params.fixed_priority),
            history: (params.window > 0.0).then_some(history),
            fetch: params.fetch,
        },
        min_runtimes: MinRuntimes {
            resolve: match params.resolve {
                Resolves::Lca => Resolve::CommonAncestor,
                Resolves::Queue => Resolve::Queue,
            },
            reclaim: params.reclaim_min_runtime,
            preempt: params.preempt_min_runtime,
        },
        multiplier: params.multiplier,
        consolidation: params.consolidation as usize,
        strategy: params.placement.or(context.placement),
        leaves: Leaves::new(context),
        board: None,
        room: Room::default(),
        placement: Placement::default(),
        no_room: Vec::new(),
        fragmented: Vec::new(),
        changed: BTreeSet::new(),
        evicted: Vec::new(),
        wake: None,
        heads: Vec::new(),
        pass: 0,
    })
}

/// The first job of a leaf that may be tried, as long as it may.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    /// The pass in which it was looked for.
    pass: u64,
    found: Option<(JobId, Shape)>,
}

struct Kai {
    rules: Rules,
    min_runtimes: MinRuntimes,
    multiplier: f64,
    consolidation: usize,
    strategy: Strategy,
    leaves: Leaves,
    /// From the first plan on, when it is known how many GPUs there are.
    board: Option<Board>,
    room: Room,
    placement: Placement,
    /// Classes for which the placement has no room until something is free again.
    no_room: Vec<Shape>,
    /// Those for which moving jobs did not help.
    fragmented: Vec<Shape>,
    /// Jobs that this plan starts, moves or evicts.
    changed: BTreeSet<JobId>,
    /// Those that it evicts.
    evicted: Vec<JobId>,
    /// When some job is old enough to be evicted, and for whom.
    wake: Option<(Time, JobId)>,
    /// By leaf.
    heads: Vec<Head>,
    /// How many passes over waiting jobs there were.
    pass: u64,
}

impl Kai {
    /// Takes note of who has come and gone.
    fn follow(&mut self, board: &mut Board, view: &View<'_>) {
        for &news in view.news() {
            let is_more_free = match news {
                News::Arrived(job) => {
                    board.arrive(view, job);
                    false
                }
                News::Finished(job) => {
                    board.leave(view, job);
                    true
                }
                News::Evicted(job) => {
                    let shape = board.shape(view, job);
                    if board.stop(view.now().seconds(), job, shape) {
                        board.join(job, shape);
                    }
                    true
                }
                News::NodeUp(_) | News::NodeDown(_) => {
                    board.count_nodes(view);
                    true
                }
                News::CoresFreed | News::Alarm(_) => true,
            };
            if is_more_free {
                self.no_room.clear();
                self.fragmented.clear();
            }
        }
        if view.is_round() {
            self.fragmented.clear();
        }
    }

    /// The next job, of those that will do; what will not do once does not do later in the same pass.
    fn next(
        &mut self,
        board: &mut Board,
        view: &View<'_>,
        will_do: &dyn Fn(&Self, &Board, QueueId, &Shape, JobId) -> bool,
    ) -> Option<Offer> {
        if !board.waiting.is_one() {
            board.share(view.now().seconds());
        }
        let mut heads = std::mem::take(&mut self.heads);
        heads.resize(board.tree.queues().len(), Head::default());
        let next = board.next(&board.waiting, None, false, &mut |leaf| {
            let head = &mut heads[leaf.index()];
            let stands = match head.found {
                _ if head.pass != self.pass => false,
                None => true,
                Some((job, shape)) => board.waits(job) && will_do(self, board, leaf, &shape, job),
            };
            if !stands {
                let will_do = |shape: &Shape, job| will_do(self, board, leaf, shape, job);
                *head = Head {
                    pass: self.pass,
                    found: board.lines.head_where(leaf, will_do),
                };
            }
            let (job, shape) = head.found?;
            Some(Offer {
                leaf,
                job,
                shape,
                amounts: board.amounts(&shape),
            })
        });
        self.heads = heads;
        next
    }

    /// Starts jobs where there is room.
    fn allocate(&mut self, board: &mut Board, view: &View<'_>, plan: &mut Plan) {
        self.pass += 1;
        while self.room.total() > 0 {
            let next = self.next(board, view, &|of, board, leaf, shape, _| {
                shape.gpus <= of.room.total()
                    && !of.no_room.contains(shape)
                    && board.has_room_for(leaf, shape).is_ok()
            });
            let Some(Offer { job, shape, .. }) = next else {
                return;
            };
            let gang = view.gang(job, self.strategy, DEFAULT_PACKLIMIT);
            if !(self.room).place(self.strategy, gang, &mut self.placement) {
                self.no_room.push(shape);
                continue;
            }
            (self.room).take(job, &self.placement.parts, gang.needs);
            plan.place(job, &self.placement);
            board.start(view.now().seconds(), job, shape);
            self.changed.insert(job);
        }
    }

    /// Tries to make room for each job that waits: the first of each class, and where that helps the next. Says whether it
    /// did for some.
    fn make_room_for_all(
        &mut self,
        board: &mut Board,
        view: &View<'_>,
        plan: &mut Plan,
        action: Action,
    ) -> bool {
        let mut has_made_room = false;
        board.share(view.now().seconds());
        self.pass += 1;
        let mut tried: Vec<(QueueId, Shape)> = Vec::new();
        loop {
            let next = self.next(board, view, &|of, board, leaf, shape, job| {
                !tried.contains(&(leaf, *shape)) && of.may_help(board, action, (leaf, shape, job))
            });
            let Some(offer) = next else {
                return has_made_room;
            };
            if self.make_room(board, view, plan, action, &offer) {
                has_made_room = true;
            } else {
                tried.push((offer.leaf, offer.shape));
            }
        }
    }
}

impl Policy for Kai {
    fn cadence(&self) -> Cadence {
        let every = self.rules.history.map(|_| Every {
            seconds: self.rules.fetch,
            parameter: "fetch",
            while_all_run: false,
        });
        Cadence {
            on_change: true,
            every,
        }
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        let mut board = match self.board.take() {
            Some(board) => board,
            None => Board::new(&self.leaves, self.rules, view),
        };
        self.follow(&mut board, view);
        if board.lines.waiting() > 0 {
            view.room(&mut self.room);
            self.changed.clear();
            self.allocate(&mut board, view, plan);
            self.evicted.clear();
            self.wake = None;
            let mut has_made_room = false;
            for action in [Action::Consolidate, Action::Reclaim, Action::Preempt] {
                if board.lines.waiting() == 0 {
                    break;
                }
                has_made_room |= self.make_room_for_all(&mut board, view, plan, action);
            }
            // What that left over, others may use.
            if has_made_room {
                for job in std::mem::take(&mut self.evicted) {
                    let shape = board.shape(view, job);
                    board.join(job, shape);
                }
                self.no_room.clear();
                self.allocate(&mut board, view, plan);
            }
            if let Some((at, job)) = self.wake {
                plan.alarm(job, at);
            }
        }
        self.board = Some(board);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        match &self.board {
            Some(board) => facts::explain(board, &self.min_runtimes, view, job),
            None => Explanation::new(Verdict::NotActive, Vec::new()),
        }
    }
}
