//! The clock, the job that is chosen or followed through time, and the jobs that are selected.

use super::Session;
use crate::named::{Name, Named};
use crate::selected_jobs::conditions;
use crate::stage::StageRun;
use crate::state::view_options::{JOBS_FILTER, QUEUES_RUN, TIMELINE_ROWS};
use crate::state::{ColourBy, SelectionAction, ViewAction};
use switchyard::job::JobId;
use switchyard::report::By;

impl Session {
    /// Chooses a job, or none, in every view.
    pub fn select(&self, job: Option<JobId>) {
        self.dispatch(SelectionAction::Select(job));
    }

    /// Selects the jobs that a filter admits, in every view; "" lets go of them.
    pub fn select_jobs(&self, filter: &str) {
        self.dispatch(ViewAction::SetOption(&JOBS_FILTER, filter.to_owned()));
    }

    /// A condition of jobs was pressed: they are selected, or let go. `adds`: among those that are selected.
    pub(crate) fn press_condition(&self, condition: &str, adds: bool) {
        let state = self.state();
        let now = state.option(&JOBS_FILTER);
        self.select_jobs(&conditions::pressed(now, condition, adds));
    }

    /// Lights the job that is pointed at, or none, in every view.
    pub fn light(&self, job: Option<JobId>) {
        let mut stage = self.0.stage.write();
        if stage.hovered != job {
            stage.hovered = job;
            stage.touch();
        }
    }

    /// Lights what else is pointed at by its name, or nothing.
    pub(crate) fn light_named(&self, name: Option<&Name>) {
        let mut stage = self.0.stage.write();
        let named = name.and_then(|name| stage.find_named(name));
        if stage.named != named {
            stage.named = named;
            stage.touch();
        }
    }

    /// Goes to where something is that has a name.
    pub(crate) fn go_to(&self, name: &Name) {
        let named = self.0.stage.read().find_named(name);
        let Some((named, is_in)) = named else {
            return;
        };
        match named {
            Named::Nodes(node, _) => {
                self.dispatch(ViewAction::SetOption(&TIMELINE_ROWS, "gpu".to_owned()));
                self.dispatch(ViewAction::Show("timeline"));
                let mut stage = self.0.stage.write();
                stage.node = Some(node);
                stage.touch();
            }
            Named::Tenant(tenant) => {
                let workload = self.0.stage.read().workload.clone();
                let name = workload.tenants.get(tenant as usize);
                let condition = name.and_then(|name| conditions::of_group(By::Tenant, name));
                self.dispatch(ViewAction::ColourBy(ColourBy::Tenant));
                self.select_jobs(&condition.unwrap_or_default());
            }
            Named::Level(_) | Named::Queue(..) => {
                let (Name::Level(run, _) | Name::Queue(run, _)) = *name else {
                    return;
                };
                let run = run.to_string();
                self.dispatch(ViewAction::SetOption(&QUEUES_RUN, run));
                self.dispatch(ViewAction::Show("queues"));
                let workload = self.0.stage.read().workload.clone();
                if let Some(condition) = conditions::of_jobs(&is_in, &workload) {
                    self.select_jobs(&condition);
                }
            }
        }
    }

    /// Follows a job, or lets go of it; from its submission, if it is over in every run.
    pub fn follow_job(&self, job: JobId) {
        let stage = self.0.stage.read();
        let followed = (stage.followed() != Some(job)).then_some(job);
        let now = stage.clock.now;
        let is_over = |run: &StageRun| {
            let last = run.segments(job).last();
            let ends = last.map(|&at| run.log.segment(at as usize).end.seconds());
            ends.is_some_and(|end| end < now) && !run.moment.waiting().contains(&job)
        };
        let submit = stage.workload.jobs.get(job.index());
        let submit = submit.map(|job| job.submit.seconds());
        let over = followed.is_some() && stage.runs.iter().all(is_over);
        drop(stage);
        if let Some(submit) = submit.filter(|_| over) {
            self.seek(submit);
        }
        self.dispatch(SelectionAction::FollowJob(followed));
    }

    /// Moves the clock.
    pub fn seek(&self, time: f64) {
        self.0.history.forget_linked_time();
        let mut stage = self.0.stage.write();
        stage.clock.now = time.clamp(0.0, stage.clock.end.max(0.0));
        stage.touch();
    }

    /// Lets the clock move, or stops it.
    pub fn set_playing(&self, playing: bool) {
        let mut stage = self.0.stage.write();
        stage.clock.playing = playing;
        stage.touch();
    }

    /// Plays or pauses; from the end, plays from the start.
    pub fn play_or_pause(&self) {
        self.0.history.forget_linked_time();
        let mut stage = self.0.stage.write();
        if !stage.clock.playing && stage.clock.now >= stage.clock.end {
            stage.clock.now = 0.0;
        }
        stage.clock.playing = !stage.clock.playing;
        stage.touch();
    }

    /// Pauses at the event before or after the clock's time.
    pub fn step(&self, forward: bool) {
        let (before, after) = self.0.stage.read().neighbouring_events();
        self.0.stage.write().clock.playing = false;
        if let Some(time) = if forward { after } else { before } {
            self.seek(time);
        }
    }
}
