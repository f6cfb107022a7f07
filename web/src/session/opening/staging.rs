//! The stage: an opened trace's jobs are bound to a cluster and put there, in the place of all that was there.

use super::{OpeningRequest, first_moment};
use crate::bridge::protocol::OpenedTrace;
use crate::draw::format;
use crate::draw::ranks::Ranks;
use crate::session::Session;
use crate::state::attachments::Attachments;
use crate::state::{Action, Refused, RunsAction, SelectionAction, Source, TraceInfo, ViewAction};
use crate::time_axis::TimeAxis;
use std::rc::Rc;
use switchyard::workload::SAMPLES;
use switchyard_app::study::Origin;

impl Session {
    /// Puts a trace's jobs on stage, in the place of all that is there.
    pub(super) fn bring_on_stage(&self, trace: OpenedTrace) {
        let shared = trace.jobs.shared();
        let (shared, workload) = match shared.and_then(|shared| Ok((shared, trace.jobs.read()?))) {
            Ok(both) => both,
            Err(why) => return self.dispatch(Action::Refused(Refused::file(why.to_string()))),
        };
        self.0.opening.jobs.replace(shared);
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
        let wanted = self.0.history.take_wanted();
        let mut opening = self.0.opening.state.borrow_mut();
        let asked = opening.chosen();
        let linked = std::mem::take(&mut opening.open.files.linked);
        let source = opening.open.files.source();
        let OpeningRequest {
            how,
            remembered,
            stored,
            ..
        } = opening.open.files.clone();
        let source = match (sample, source) {
            (None, Some(source)) => source,
            (Some(sample), _) => Source::Sample(sample.name.to_string()),
            (None, None) => Source::Sample(trace.title.clone()),
        };
        let member = how.member;
        if member.is_none() && trace.fresh {
            opening.open.members = trace.members;
        }
        let file_cluster = trace.cluster;
        let (cluster, origin) = match (asked, wanted.cluster) {
            (Some((_, cluster, Some(origin))), _) => (cluster, origin),
            (_, Some(wanted)) => (wanted, Origin::Asked),
            (_, None) => file_cluster.clone(),
        };
        opening.open.chosen_for = Some(cluster.clone());
        let adaptive = workload.is_adaptive();
        let tells_runs = workload.recorded.tells_runs();
        // Whoever opens the log of their own cluster wants to see what happened there.
        let adds_recorded = tells_runs && trace.accounting && trace.fresh && !linked;
        let info = TraceInfo {
            name: source.name().to_owned(),
            source,
            file_cluster,
            format: trace.format,
            title: trace.title,
            report: trace.report,
            charts: trace.charts,
            facets: trace.facets,
            choice: how.choice,
            columns: how.columns,
            remembered,
            stored,
            members: opening.open.members.clone(),
            member,
            adaptive,
            tells_runs,
            jobs: jobs.len(),
            gpu_hours: gpu_seconds / 3600.0,
            span_days: span / 86_400.0,
            epoch: workload.epoch,
        };
        drop(opening);
        let jobs_there = jobs.len();
        let job = self.job_of(wanted.job, jobs_there);
        self.0.runs.end_all();
        self.0.analyses.end_sweep();
        self.0.analyses.end_start();
        let opens_at = wanted
            .time
            .or(sample.map(|sample| sample.opens_at))
            .unwrap_or_else(|| first_moment::busy(jobs, cluster.gpus()));
        let speed = wanted
            .speed
            .unwrap_or_else(|| first_moment::speed(jobs, opens_at));
        {
            let mut stage = self.0.stage.write();
            stage.ranks = Ranks::of(&workload);
            stage.workload = Rc::new(workload);
            stage.runs.clear();
            (stage.hovered, stage.highlighted, stage.named) = (None, None, None);
            self.0.history.link_time(wanted.time);
            stage.clock.now = opens_at;
            stage.clock.end = 0.0;
            stage.axis = TimeAxis::new(wanted.seen, wanted.range);
            stage.node = None;
            stage.clock.playing = wanted.time.is_none() && !stage.reduced_motion;
            stage.clock.speed = speed;
            stage.touch();
        }
        let mut attachments = Attachments::new(trace.profiles, trace.outages, trace.experiment);
        if linked {
            attachments = attachments.under_a_link();
        }
        for history in attachments.histories {
            self.dispatch(Action::Learned(Rc::new(history)));
        }
        self.dispatch(Action::Opened {
            info: Rc::new(info),
            cluster,
            origin,
            profiles: attachments.profiles,
            experiment: attachments.experiment.map(Box::new),
        });
        if adds_recorded {
            self.dispatch(RunsAction::AddRecorded);
        }
        if !attachments.outages.is_empty() {
            self.dispatch(Action::OpenedOutages(attachments.outages));
        }
        if job.is_some() {
            self.select(job);
        }
        let followed = wanted.followed.filter(|job| job.index() < jobs_there);
        if followed.is_some() {
            self.dispatch(SelectionAction::FollowJob(followed));
        }
        if wanted.lit.is_some() {
            self.dispatch(ViewAction::Light(wanted.lit));
        }
        if !wanted.filter.is_empty() {
            self.select_jobs(&wanted.filter);
        }
    }
}
