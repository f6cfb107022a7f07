//! A scheduler that does what a test says.

use switchyard::goodput::LocalBatch;
use switchyard::job::JobId;
use switchyard::policy::{Explanation, Policy, PolicySpec, Rng, Verdict};
use switchyard::sim::{Plan, PlanError, RunError, View};

/// What it plans.
pub(crate) type Script = fn(&View<'_>, &mut Plan);

/// The batch with which a job goes on.
pub(crate) type Tune = fn(&View<'_>, JobId) -> Option<LocalBatch>;

pub(crate) struct Scripted {
    spec: PolicySpec,
    script: Script,
    tune: Tune,
}

impl Scripted {
    pub(crate) fn boxed(script: Script, tune: Tune) -> Box<dyn Policy> {
        let spec = "fifo".parse().expect("a policy");
        Box::new(Self { spec, script, tune })
    }
}

impl Policy for Scripted {
    fn spec(&self) -> &PolicySpec {
        &self.spec
    }

    fn plan(&mut self, view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        (self.script)(view, plan);
    }

    fn tune(&mut self, view: &View<'_>, job: JobId) -> Option<LocalBatch> {
        (self.tune)(view, job)
    }

    fn explain(&self, _view: &View<'_>, _job: JobId) -> Explanation {
        Explanation::new(Verdict::NotActive, Vec::new())
    }
}

/// The impossible plan for which a run ended.
#[allow(dead_code, reason = "not every test that is scripted has one")]
pub(crate) fn plan_error(error: RunError) -> PlanError {
    match error {
        RunError::Plan(error) => error,
        RunError::Halt(halt) => panic!("{halt}"),
    }
}
