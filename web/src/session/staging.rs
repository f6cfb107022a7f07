//! The stage: an opened trace's jobs are bound to a cluster and put there; the clock and the choice of
//! a job.

use super::Session;
use super::desk::Files;
use super::moment;
use crate::bridge::protocol::OpenedTrace;
use crate::draw::format;
use crate::draw::palette::Ranks;
use crate::stage::StageRun;
use crate::state::besides::Besides;
use crate::state::{
    Action, AppState, ClusterOrigin, NoticesAction, Refused, RunsAction, SelectionAction, Source,
    TraceInfo, ViewAction,
};
use crate::time_axis::TimeAxis;
use std::rc::Rc;
use switchyard::job::JobId;
use switchyard::workload::SAMPLES;

impl Session {
    /// Once all runs are over it is known whether the clock can stand where a link has put it.
    pub(super) fn check_linked_time(&self, state: &AppState) {
        let is_empty = self.0.stage.read().runs.is_empty();
        if is_empty || !state.runs.iter().all(|run| run.phase.is_over()) {
            return;
        }
        let end = self.0.stage.read().clock.end;
        let beyond = self.0.linked_time.take().filter(|&time| time > end);
        if let Some(time) = beyond {
            self.seek(end);
            self.tell(NoticesAction::Complain(format!(
                "t={time}: the last run ends at {end:.0} s, and the clock stands there."
            )));
        }
    }

    /// Chooses a job, or none, in every view.
    pub fn select(&self, job: Option<JobId>) {
        self.tell(SelectionAction::Select(job));
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
        self.tell(SelectionAction::FollowJob(followed));
    }

    /// Moves the clock.
    pub fn seek(&self, time: f64) {
        self.0.linked_time.take();
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
        self.0.linked_time.take();
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

    /// The job that a link wants of so many, if there is one; else that is complained about.
    pub(super) fn job_of(&self, wanted: Option<JobId>, jobs: usize) -> Option<JobId> {
        let job = wanted.filter(|job| job.index() < jobs);
        if let (Some(JobId(wanted)), None) = (wanted, job) {
            let last = jobs.saturating_sub(1);
            self.tell(NoticesAction::Complain(format!(
                "job={wanted}: the jobs are numbered from 0 to {last}."
            )));
        }
        job
    }

    /// Puts a trace's jobs on stage, in the place of all that is there.
    pub(super) fn bring_on_stage(&self, trace: OpenedTrace) {
        let shared = trace.jobs.shared();
        let (shared, workload) = match shared.and_then(|shared| Ok((shared, trace.jobs.read()?))) {
            Ok(both) => both,
            Err(why) => return self.tell(Action::Refused(Refused::file(why))),
        };
        self.0.jobs.replace(shared);
        format::count_in(workload.unit);
        let jobs = &workload.jobs;
        let gpu_seconds: f64 = jobs
            .iter()
            .map(|job| job.work.seconds() * f64::from(job.gpus))
            .sum();
        let span = jobs.last().map_or(0.0, |job| job.submit.seconds());
        let sample = SAMPLES
            .iter()
            .find(|sample| trace.report.is_none() && sample.title == trace.title);
        let wanted = self.0.wanted.borrow_mut().take();
        let mut desk = self.0.desk.borrow_mut();
        let asked = desk.chosen();
        let linked = std::mem::take(&mut desk.open.files.linked);
        let source = desk.open.files.source();
        let Files {
            how,
            remembered,
            kept,
            ..
        } = desk.open.files.clone();
        let source = match (sample, source) {
            (None, Some(source)) => source,
            (Some(sample), _) => Source::Sample(sample.name.to_string()),
            (None, None) => Source::Sample(trace.title.clone()),
        };
        let member = how.member;
        if member.is_none() && trace.fresh {
            desk.open.members = trace.members;
        }
        let own_cluster = trace.cluster;
        // Who takes other jobs stays on the cluster, unless it follows from them.
        let asked = asked.filter(|(_, _, origin)| *origin != ClusterOrigin::Guessed);
        let (cluster, origin) = match (asked, wanted.cluster) {
            (Some((_, cluster, origin)), _) => (cluster, origin),
            (None, Some(wanted)) => (wanted, ClusterOrigin::Chosen),
            (None, None) => (own_cluster.spec().clone(), ClusterOrigin::of(&own_cluster)),
        };
        desk.open.chosen_for = Some(cluster.clone());
        let adaptive = workload.is_adaptive();
        let tells_runs = workload.recorded.tells_runs();
        // Whoever opens the log of their own cluster wants to see what happened there.
        let adds_recorded = tells_runs && trace.accounting && trace.fresh && !linked;
        let info = TraceInfo {
            name: source.name().to_owned(),
            source,
            own_cluster,
            format: trace.format,
            title: trace.title,
            report: trace.report,
            charts: trace.charts,
            facets: trace.facets,
            choice: how.choice,
            columns: how.columns,
            remembered,
            kept,
            members: desk.open.members.clone(),
            member,
            adaptive,
            tells_runs,
            jobs: jobs.len(),
            gpu_hours: gpu_seconds / 3600.0,
            span_days: span / 86_400.0,
            epoch: workload.epoch,
        };
        drop(desk);
        let jobs_there = jobs.len();
        let job = self.job_of(wanted.job, jobs_there);
        self.0.workers.borrow_mut().clear();
        self.0.sweeping.take();
        let opens_at = wanted
            .time
            .or(sample.map(|sample| sample.opens_at))
            .unwrap_or_else(|| moment::busy(jobs, cluster.gpus()));
        let speed = wanted
            .speed
            .unwrap_or_else(|| moment::speed(jobs, opens_at));
        {
            let mut stage = self.0.stage.write();
            stage.ranks = Ranks::of(&workload);
            stage.workload = Rc::new(workload);
            stage.runs.clear();
            (stage.hovered, stage.highlighted) = (None, None);
            self.0.linked_time.set(wanted.time);
            stage.clock.now = opens_at;
            stage.clock.end = 0.0;
            stage.axis = TimeAxis::new(wanted.seen, wanted.range);
            stage.node = None;
            stage.clock.playing = wanted.time.is_none() && !stage.reduced_motion;
            stage.clock.speed = speed;
            stage.touch();
        }
        let mut besides = Besides::new(trace.profiles, trace.outages, trace.experiment);
        if linked {
            besides = besides.under_a_link();
        }
        for history in besides.histories {
            self.tell(Action::Learned(Rc::new(history)));
        }
        self.tell(Action::Opened {
            info: Rc::new(info),
            cluster,
            origin,
            profiles: besides.profiles,
            experiment: besides.experiment.map(Box::new),
        });
        if adds_recorded {
            self.tell(RunsAction::AddRecorded);
        }
        if !besides.outages.is_empty() {
            self.tell(Action::OpenedOutages(besides.outages));
        }
        if job.is_some() {
            self.select(job);
        }
        let followed = wanted.followed.filter(|job| job.index() < jobs_there);
        if followed.is_some() {
            self.tell(SelectionAction::FollowJob(followed));
        }
        if wanted.lit.is_some() {
            self.tell(ViewAction::Light(wanted.lit));
        }
    }
}
