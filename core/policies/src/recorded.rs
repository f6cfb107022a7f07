//! The run as it was recorded: every job starts when the trace says that it did. Nothing is decided, so this is
//! what other schedulers are held against: real waits, real completion times, who held how many GPUs when.
//!
//! Where the cluster has no room at that time (it is smaller than the real one was, or GPUs are free on nodes
//! of several types only) a job starts as soon as there is some, those that should have started first before the
//! others. So do jobs of which the trace tells no start.

use super::entry::{BuildContext, Properties};
use super::line::Line;
use super::parameters::{PLACEMENT, PlacementChoice, parameters};
use super::waiting_room::Waiter;
use super::{Explanation, Fact, Policy, PolicyEntry, Rng, Verdict};
use crate::Time;
use crate::job::JobId;
use switchyard_engine::{News, Phase, Plan, View};
use switchyard_explain::Unit;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "recorded",
    title: "As recorded",
    summary: "Starts every job when the trace records that it started: the real waits and completion times, to hold schedulers against. Wants a trace that tells starts.",
    source: "The trace itself",
    params: Parameters::INFOS,
    replays: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    Box::new(AsRecorded::new(params, context))
}

struct AsRecorded {
    /// By job; `None` where the trace does not tell.
    starts: Vec<Option<Time>>,
    /// Those that should run by now.
    due: Line<Time>,
}

impl AsRecorded {
    fn new(params: &Parameters, context: &BuildContext<'_>) -> Self {
        let strategy = params.placement.or(context.placement);
        let runs = context.workload.recorded.runs.iter();
        Self {
            starts: runs.map(|run| Some(run.as_ref()?.start)).collect(),
            due: Line::new(strategy, true),
        }
    }

    /// When a job should start: when it comes, where the trace does not tell.
    fn start(&self, view: &View<'_>, job: JobId) -> Time {
        let told = self.starts.get(job.index()).copied().flatten();
        told.unwrap_or_else(|| view.submit(job))
    }
}

impl Policy for AsRecorded {
    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        for &news in view.news() {
            let (News::Arrived(job) | News::Alarm(job) | News::Evicted(job)) = news else {
                continue;
            };
            let start = self.start(view, job);
            if start > view.now() {
                plan.alarm(job, start);
            } else {
                self.due.waiting.insert(Waiter::of(start, job, view));
            }
        }
        self.due.serve(view, plan);
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let start = self.start(view, job);
        let verdict = match view.phase(job) {
            Phase::Waiting if start > view.now() => Verdict::StartsLater { at: start },
            _ => self.due.verdict(view, job),
        };
        let facts = vec![
            Fact::gpus("gang", view.gpus(job)),
            Fact::count("free GPUs", view.free().total(), Unit::None),
        ];
        Explanation::new(verdict, facts)
    }
}
