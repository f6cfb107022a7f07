//! Selecting: which jobs the page's filter admits, of those on stage and by what became of them in its runs.

use super::SelectedJobs;
use super::filter::{Facts, Filter, Number, RunNames, Text};
use crate::comparison::outcomes;
use crate::draw::describe::name_of;
use crate::stage::Stage;
use crate::state::AppState;
use crate::state::view_options::JOBS_FILTER;
use std::borrow::Cow;
use std::rc::Rc;
use switchyard::job::{Job, JobId};
use switchyard::report::Outcomes;
use switchyard::workload::Workload;

/// Has the stage show this state, with the jobs that it selects.
pub fn show(stage: &mut Stage, state: &Rc<AppState>) {
    stage.show(state);
    let text = stage.state.option(&JOBS_FILTER);
    let runs = stage.runs.iter();
    let names = RunNames::of(runs.map(|run| (run.name(), run.policy.name())));
    let (workload, revision) = (&stage.workload, stage.state.runs.revision);
    if stage
        .selection
        .follows_from((text, &names), workload, revision)
    {
        return;
    }
    let jobs = |filter: &Filter| admitted(stage, filter);
    stage.selection = stage
        .selection
        .next((text, names), workload, revision, jobs);
    stage.touch();
}

/// The jobs that a filter admits.
fn admitted(stage: &Stage, filter: &Filter) -> SelectedJobs {
    let runs = stage.runs.iter().filter(|_| filter.is_of_runs());
    let outcomes: Vec<Cow<'_, Outcomes>> = runs.map(|run| outcomes(stage, run)).collect();
    let workload = &*stage.workload;
    let admits = |index: usize| {
        filter.admits(&KnownJob {
            workload,
            outcomes: &outcomes,
            index,
        })
    };
    (0..workload.jobs.len()).map(admits).collect()
}

/// What a filter may ask of one job.
struct KnownJob<'a> {
    workload: &'a Workload,
    /// What became of it, by run.
    outcomes: &'a [Cow<'a, Outcomes>],
    index: usize,
}

impl KnownJob<'_> {
    fn job(&self) -> &Job {
        &self.workload.jobs[self.index]
    }
}

impl Facts for KnownJob<'_> {
    fn id(&self) -> u32 {
        self.index as u32
    }

    fn runs(&self) -> usize {
        self.outcomes.len()
    }

    fn number(&self, field: Number, run: usize) -> f64 {
        let of_run = |column: fn(&Outcomes) -> &[f64]| {
            let outcomes = self.outcomes.get(run);
            outcomes.map_or(f64::NAN, |of| column(of)[self.index])
        };
        match field {
            Number::Gpus => f64::from(self.job().gpus),
            Number::Submit => self.job().submit.seconds(),
            Number::Duration => self.job().work.seconds(),
            Number::Jct => of_run(|of| &of.jct),
            Number::Wait => of_run(|of| &of.queueing),
            Number::Rho => of_run(|of| &of.rho),
            Number::Restarts => {
                let outcomes = self.outcomes.get(run);
                outcomes.map_or(f64::NAN, |of| f64::from(of.restarts[self.index]))
            }
        }
    }

    fn text(&self, field: Text) -> &str {
        match field {
            Text::Name => &self.job().name,
            Text::Tenant => name_of(&self.workload.tenants, self.job().tenant),
            Text::Model => name_of(&self.workload.models, self.job().model),
            Text::Label(label) => {
                let id = JobId(self.index as u32);
                self.workload.recorded.label(id, label).unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::StageRun;
    use switchyard::workload::Sample;

    /// The lab's day under FIFO, with this filter.
    fn stage(filter: &str) -> Stage {
        let sample = Sample::named("lab").expect("it is there");
        let mut stage = Stage {
            workload: Rc::new(sample.workload()),
            cluster: sample.cluster_spec(),
            runs: vec![StageRun::finished_of(sample, "fifo")],
            ..Stage::default()
        };
        select(&mut stage, filter);
        stage
    }

    fn select(stage: &mut Stage, filter: &str) {
        let mut state = (*stage.state).clone();
        let set = state.view.options.set(&JOBS_FILTER, filter);
        assert_eq!(set, Ok(()), "{filter}");
        // The run is none of the state's.
        stage.state = Rc::new(state);
        show(stage, &stage.state.clone());
    }

    #[test]
    fn the_selection_is_of_the_jobs_and_of_what_became_of_them() {
        let stage = stage("gpus>=4 jct>1h");
        let outcomes = &stage.runs[0].finished().expect("it is over").outcomes;
        let jobs = stage.selection.jobs().expect("some are selected");
        for (index, job) in (0u32..).zip(&stage.workload.jobs) {
            let is_meant = job.gpus >= 4 && outcomes.jct[index as usize] > 3600.0;
            assert_eq!(jobs.holds(JobId(index)), is_meant, "{}", job.name);
        }
        assert!(jobs.count() > 0 && jobs.count() < stage.workload.jobs.len() as u64);
    }

    #[test]
    fn what_is_not_understood_leaves_the_selection_as_it_was() {
        let mut stage = stage("gpus>=4");
        let before = stage.selection.jobs().cloned();
        select(&mut stage, "gpus>=");
        assert_eq!(stage.selection.jobs().cloned(), before);
        assert!(stage.selection.wrong().is_some());
        select(&mut stage, "");
        assert!(stage.selection.jobs().is_none() && stage.selection.wrong().is_none());
        assert!(stage.selection.holds(JobId(0)));
    }
}
