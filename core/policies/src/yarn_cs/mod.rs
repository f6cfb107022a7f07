//! YARN's capacity scheduler, the baseline of Tiresias (NSDI'19 §6) and of Microsoft's clusters
//! (Jeon et al., ATC'19): one FIFO queue per tenant with an equal guaranteed share of the GPUs,
//! no preemption, gangs consolidated. The queue that uses the least of its share goes first, its
//! head blocks it alone; an elastic queue may use what others leave idle.
//!
//! Where the run has a tree of queues, its leaves, capacities and levels are those ([`hierarchy`]).

mod hierarchy;

use super::entry::{BuildContext, Properties};
use super::leaves::Leaves;
use super::parameters::{PLACEMENT, PlacementChoice, Words, param, parameters, words};
use super::{Explanation, Fact, ParamInfo, ParamKind, Policy, PolicyEntry, Rng, Verdict};
use crate::cluster::Placement;
use crate::job::JobId;
use crate::workload::DEFAULT_PACKLIMIT;
use hierarchy::Hierarchy;
use std::collections::VecDeque;
use switchyard_engine::{Ledger, News, Phase, Plan, View};
use switchyard_explain::{Operand, Unit};
use switchyard_placement::{Room, Strategy};
use switchyard_queues::lending::InnerQuota;
use switchyard_queues::yarn::TurnOrder;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "yarn-cs",
    title: "YARN-CS",
    summary: "YARN's capacity scheduler: a FIFO queue per tenant with an equal share of the GPUs, or queues in a tree with guaranteed and maximum capacities; never preempted, consolidated.",
    source: "Baseline of Tiresias (NSDI'19 §6); Jeon et al., ATC'19",
    params: Parameters::INFOS,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        queues: Queues = param(
            ParamKind::OneOf(Queues::WORDS),
            "tenants",
            "A queue for each tenant (virtual cluster) of the trace, or one for all. A tree of queues stands instead of the first.",
        ),
        elastic: bool = param(
            ParamKind::Bool,
            "true",
            "A queue may use more than its share while others leave theirs idle.",
        ),
        order: TurnOrder = param(
            ParamKind::OneOf(TurnOrder::WORDS),
            "utilization",
            "In a tree of queues, the queue goes first that uses the least part of its capacity; or that of the highest priority, among those within their capacity and then among the others.",
        ),
        placement: PlacementChoice = ParamInfo {
            default: "yarn",
            ..PLACEMENT
        },
    }
}

impl Properties for Parameters {
    fn inner_quota(&self) -> InnerQuota {
        InnerQuota::Whole
    }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let tree = context.queues.and_then(|queues| queues.tree.as_ref());
    if tree.is_some() && params.queues == Queues::Tenants {
        let strategy = params.placement.or(context.placement);
        let leaves = Leaves::new(context);
        return Box::new(Hierarchy::new(
            params.order,
            params.elastic,
            strategy,
            leaves,
        ));
    }
    Box::new(YarnCs::new(params, context))
}

words! {
    TurnOrder { Utilization = "utilization", PriorityUtilization = "priority-utilization" }
}

/// Whose queues there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Queues {
    Tenants,
    One,
}

words! {
    Queues { Tenants = "tenants", One = "one" }
}

/// One tenant's queue.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<JobId>,
    used: u32,
    /// Its head does not start at present.
    blocked: bool,
}

struct YarnCs {
    by_tenant: bool,
    elastic: bool,
    strategy: Strategy,
    /// By tenant; the last is for jobs without one.
    queues: Vec<Queue>,
    room: Room,
    placement: Placement,
}

impl YarnCs {
    fn new(params: &Parameters, context: &BuildContext<'_>) -> Self {
        let by_tenant = params.queues == Queues::Tenants;
        let tenants = if by_tenant {
            context.workload.tenants.len()
        } else {
            0
        };
        Self {
            by_tenant,
            elastic: params.elastic,
            strategy: params.placement.or(context.placement),
            queues: (0..=tenants).map(|_| Queue::default()).collect(),
            room: Room::default(),
            placement: Placement::default(),
        }
    }

    fn queue_of(&self, view: &View<'_>, job: JobId) -> usize {
        let last = self.queues.len() - 1;
        let tenant = view.tenant(job).filter(|_| self.by_tenant);
        tenant.map_or(last, |tenant| (tenant as usize).min(last))
    }

    /// Looks up what each queue's jobs hold; any head may start again.
    fn open_queues(&mut self, ledger: &Ledger) {
        let last = self.queues.len() - 1;
        for (at, queue) in self.queues.iter_mut().enumerate() {
            queue.blocked = false;
            queue.used = if self.by_tenant {
                ledger.gpus_of((at < last).then_some(at as u32))
            } else {
                ledger.gpus_in_use()
            };
        }
    }

    /// Guaranteed GPUs of each queue: the tenants' equal shares; jobs without a tenant count as
    /// one more where there are any.
    fn share(&self, view: &View<'_>) -> f64 {
        let (all, queues) = self.divided(view);
        all / queues
    }

    /// All GPUs, and how many queues they are for.
    fn divided(&self, view: &View<'_>) -> (f64, f64) {
        let all: u32 = view.free().node_sizes().iter().sum();
        let queues = self.queues.len();
        let nameless = &self.queues[queues - 1];
        let unused = queues > 1 && nameless.used == 0 && nameless.waiting.is_empty();
        (f64::from(all), (queues - usize::from(unused)) as f64)
    }

    /// The queue with the least use among those that may go on, the earliest head first.
    fn next(&self) -> Option<usize> {
        let open = |(_, queue): &(usize, &Queue)| !queue.blocked && !queue.waiting.is_empty();
        self.queues
            .iter()
            .enumerate()
            .filter(open)
            .min_by_key(|(_, queue)| (queue.used, queue.waiting.front().copied()))
            .map(|(at, _)| at)
    }
}

impl Policy for YarnCs {
    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        for &news in view.news() {
            if let News::Arrived(job) | News::Evicted(job) = news {
                let queue = self.queue_of(view, job);
                let waiting = &mut self.queues[queue].waiting;
                // In order of submission, whoever comes back.
                let at = waiting.partition_point(|&other| other < job);
                waiting.insert(at, job);
            }
        }
        view.room(&mut self.room);
        self.open_queues(view.ledger());
        let share = self.share(view);
        while let Some(at) = self.next()
            && (self.room.total() > 0 || view.is_shared())
        {
            let queue = &mut self.queues[at];
            let Some(&job) = queue.waiting.front() else {
                break;
            };
            let gpus = view.gpus(job);
            // A gang larger than the share may still run alone.
            let within = self.elastic || queue.used == 0 || f64::from(queue.used + gpus) <= share;
            let gang = view.gang(job, self.strategy, DEFAULT_PACKLIMIT);
            let starts = within && (self.room).place(self.strategy, gang, &mut self.placement);
            if starts {
                self.room.take(job, &self.placement.parts, gang.needs);
                plan.place(job, &self.placement);
                queue.waiting.pop_front();
                queue.used += gpus;
            } else {
                queue.blocked = true;
            }
        }
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let queue = &self.queues[self.queue_of(view, job)];
        let (wants, free) = (view.gpus(job), view.free().total());
        let verdict = match (view.phase(job), queue.waiting.front()) {
            (Phase::Running, _) => Verdict::Runs,
            (Phase::Waiting, Some(&head)) if head != job => Verdict::BehindHead { head },
            (Phase::Waiting, _) if wants <= free => Verdict::PlacementWaits { wants, free },
            (Phase::Waiting, _) => Verdict::TooFewGpus { wants, left: free },
            _ => Verdict::NotActive,
        };
        let (share, (all, queues)) = (self.share(view), self.divided(view));
        let operands = [
            Operand::new("all GPUs", all, Unit::Gpus),
            Operand::new("queues", queues, Unit::None),
        ];
        let fact = Fact::number("its queue's share", share, 0, Unit::Gpus);
        let facts = vec![
            Fact::gpus("its queue uses", queue.used),
            fact.by("{0} ∕ {1}", operands, (share, Unit::Gpus)),
            Fact::count("waiting in its queue", queue.waiting.len(), Unit::None),
        ];
        Explanation::new(verdict, facts)
    }
}
