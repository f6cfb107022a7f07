//! First in, first out, without preemption. Strict: the head of the line blocks everything
//! behind it. With backfill: jobs that fit overtake jobs that do not (Tiresias' simulator calls
//! this `fjf`).

use super::entry::{BuildContext, PLACEMENT, Registered};
use super::line::Line;
use super::{Explanation, Fact, ParamInfo, ParamKind, Params, Policy, PolicyEntry, Rng};
use crate::job::JobId;
use crate::sim::{Plan, View};

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "fifo",
        title: "FIFO",
        summary: "First in, first out, never preempted. Strict: the head of the line blocks everything behind it; with backfill, jobs that fit overtake it.",
        source: "Baseline of Tiresias (NSDI'19) as fifo and fjf",
        params: &[
            ParamInfo {
                name: "backfill",
                aliases: &[],
                kind: ParamKind::Bool,
                default: "false",
                help: "Jobs that fit overtake jobs that do not, for which nothing is reserved.",
                expert: false,
            },
            PLACEMENT,
        ],
        in_order: true,
        ..PolicyEntry::PLAIN
    },
    build,
};

/// In order of arrival, gangs laid by `placement`, with `backfill`: parameters.
pub(super) fn build(params: &Params<'_>, context: &BuildContext<'_>) -> Box<dyn Policy> {
    Box::new(Fifo::new(params, context))
}

/// Job ids are in order of submission: no other key is needed.
struct Fifo(Line<()>);

impl Fifo {
    fn new(params: &Params<'_>, context: &BuildContext<'_>) -> Self {
        let strategy = params.placement("placement", context.placement);
        Self(Line::new(strategy, params.bool("backfill")))
    }
}

impl Policy for Fifo {
    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        self.0.follow(view, |_| ());
        self.0.serve(view, plan);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let facts = vec![
            Fact::gpus("gang", view.gpus(job)),
            Fact::new("free GPUs", view.free().total()),
            Fact::new("placement", self.0.strategy()),
        ];
        Explanation::new(self.0.verdict(view, job), facts)
    }
}
