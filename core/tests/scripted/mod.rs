//! A scheduler that does what a test says.

use switchyard::engine::{News, Plan, PlanError, RunError, Scheduler, View};
use switchyard::goodput::LocalBatch;
use switchyard::job::JobId;
use switchyard::policies::{Explanation, Policy, Rng, Verdict};

/// What it plans.
pub(crate) type Script = fn(&View<'_>, &mut Plan);

/// The batch with which a job goes on.
pub(crate) type Tune = fn(&View<'_>, JobId) -> Option<LocalBatch>;

pub(crate) struct Scripted {
    script: Script,
    tune: Tune,
}

impl Scripted {
    pub(crate) fn scheduler(script: Script, tune: Tune) -> Scheduler {
        Scheduler {
            spec: "scripted".to_owned(),
            given: Vec::new(),
            oracle: false,
            replays: false,
            packs: false,
            interleaves: true,
            looks_at_links: false,
            policy: Box::new(Self { script, tune }),
        }
    }
}

impl Policy for Scripted {
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

/// Who has just been submitted.
#[allow(dead_code, reason = "not every test that is scripted asks")]
pub(crate) fn arrived(view: &View<'_>) -> impl Iterator<Item = JobId> {
    view.news().iter().filter_map(|&news| match news {
        News::Arrived(job) => Some(job),
        _ => None,
    })
}

/// Whose alarm is due.
#[allow(dead_code, reason = "not every test that is scripted asks")]
pub(crate) fn alarmed(view: &View<'_>) -> impl Iterator<Item = JobId> {
    view.news().iter().filter_map(|&news| match news {
        News::Alarm(job) => Some(job),
        _ => None,
    })
}

/// The impossible plan for which a run ended.
#[allow(dead_code, reason = "not every test that is scripted has one")]
pub(crate) fn plan_error(error: RunError) -> PlanError {
    match error {
        RunError::Plan(error) => error,
        other => panic!("{other}"),
    }
}
