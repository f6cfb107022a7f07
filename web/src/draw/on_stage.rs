//! One run on its stage, and how its jobs look there: what the canvases share.

use super::palette;
use crate::stage::{Stage, StageRun};
use switchyard::engine::Segment;
use switchyard::explain::PlacingStep;
use switchyard::job::JobId;

/// The opacity of jobs that stand back.
pub(crate) const DIMMED: f64 = 0.3;

/// A run on its stage.
#[derive(Clone, Copy)]
pub(crate) struct OnStage<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) run: &'a StageRun,
}

impl<'a> OnStage<'a> {
    /// What a job's colour stands for.
    pub(crate) fn class(&self, job: JobId) -> u32 {
        palette::job_class(job, self.stage.state.view.colour_by, self.stage, self.run)
    }

    /// The [category](palette::category) of a job's colour.
    pub(crate) fn category(&self, job: JobId) -> u32 {
        palette::class_category(self.class(job))
    }

    /// A category's colour.
    pub(crate) fn colour_of(&self, category: u32) -> &'static str {
        palette::category(category, self.stage.dark)
    }

    /// A job's colour.
    pub(crate) fn colour(&self, job: JobId) -> &'static str {
        self.colour_of(self.category(job))
    }

    /// What is to be written on a job's colour.
    pub(crate) fn ink(&self, job: JobId) -> &'static str {
        palette::ink_on(self.colour(job))
    }

    /// A job's name.
    pub(crate) fn name(&self, job: JobId) -> Option<&'a str> {
        let jobs = &self.stage.workload.jobs;
        jobs.get(job.index()).map(|job| &*job.name)
    }

    /// What a running job holds at the clock's time.
    pub(crate) fn segment(&self, job: JobId) -> Segment<'a> {
        self.run.log.segment(self.run.moment.segment(job))
    }

    /// Whether a running job makes no progress yet.
    pub(crate) fn restarts(&self, job: JobId) -> bool {
        self.segment(job).ready.seconds() > self.stage.clock.now
    }

    /// What a placer decided at the clock's time of the chosen job.
    pub(crate) fn placing(&self) -> Option<&'a PlacingStep> {
        let (at, step) = self.run.placing.as_ref()?;
        (at.seconds() == self.stage.clock.now).then_some(step)
    }

    /// The jobs that are outlined: the marked one, the chosen one, and the one under the pointer.
    pub(crate) fn outlined(&self) -> impl Iterator<Item = JobId> + use<> {
        let (selected, hovered) = (self.stage.selected(), self.stage.hovered);
        let marked = self.stage.marked();
        let selected = selected.filter(|&job| Some(job) != marked);
        let hovered = hovered.filter(|&job| Some(job) != marked && Some(job) != selected);
        marked.into_iter().chain(selected).chain(hovered)
    }

    /// Whether a job is one of them.
    pub(crate) fn is_outlined(&self, job: JobId) -> bool {
        self.outlined().any(|outlined| outlined == job)
    }

    /// Whether a job stands back: it is not of what is pointed at by name, or another is marked, or jobs are selected that it is not one of, or a class is chosen
    /// that it is not of.
    pub(crate) fn is_dimmed(&self, job: JobId) -> bool {
        let stage = self.stage;
        if let Some(is_named) = stage.is_named(job, self.run) {
            return !is_named;
        }
        let lit = stage.state.view.lit;
        stage.marked().is_some_and(|marked| marked != job)
            || !stage.selection.holds(job)
            || lit.is_some_and(|lit| self.class(job) != lit)
    }
}
