//! Links are followed, and so is the way back.

use super::Wanted;
use crate::session::Session;
use crate::session::opening::OpeningRequest;
use crate::state::link::Link;
use crate::state::view_options::{JOBS_FILTER, TIMELINE_ROWS};
use crate::state::{Action, AppState, NextStep, NoticesAction, OpeningAction, Refused, Source};
use crate::stored_traces::{self, TraceFiles};
use crate::time_axis::{AxisRequest, TimeAxis};
use switchyard::job::JobId;
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

/// So many files are remembered.
const MOST_RECENT: usize = 8;

/// How a link opens its file.
fn how(link: &Link) -> TraceFiles {
    TraceFiles {
        files: Vec::new(),
        member: link.member.clone(),
        columns: link.columns.clone(),
        choice: link.choice.clone(),
    }
}

impl Session {
    /// Opens what a link shows, and remembers what it wants besides what the reducer knows: used
    /// once, for the next trace opened. What is open stays open if it is what the link shows, and runs
    /// that it has as well stay as they are. `walks`: somebody goes back or forward, and the clock stays
    /// where it is.
    pub fn follow(&self, link: &Link, state: &AppState, walks: bool) {
        if state.shows_jobs_of(link) && !self.is_opening() && !self.0.opening.awaits_jobs() {
            return self.follow_clock(link, state, walks);
        }
        self.follow_settings(link);
        let open = self.open_now();
        let how = how(link);
        if let Source::Sample(name) = &link.source {
            return self.open_sample(name, how.choice);
        }
        if open.source().as_ref() != Some(&link.source) {
            let name = link.source.name().to_owned();
            self.0.history.wanted.borrow_mut().file =
                Some((link.source.clone(), how, link.says_runs));
            match (self.0.history.recent(&link.source), &link.source) {
                (Some(files), _) => self.open_as_linked(files),
                (None, Source::File(_)) => self.find_stored(name),
                (None, elsewhere) => self.take_from(elsewhere.clone()),
            }
            return;
        }
        let is_read = self.0.opening.is_read() && !self.is_opening();
        let read_as = |of: &TraceFiles| (of.member.clone(), of.columns.clone(), of.choice.unit());
        let is_same = read_as(&open.how) == read_as(&how);
        // Which gangs are too large for the trace's own cluster only reading it tells.
        let is_clear = link.cluster.is_some() || how.choice.value("oversized").is_empty();
        if is_read && is_same && is_clear {
            let cluster = self.0.stage.read().cluster.clone();
            let cluster = link.cluster.clone().unwrap_or(cluster);
            // The link's cluster is wanted, or else the one that follows from the jobs.
            self.choose_on(how.choice, cluster, None);
        } else {
            let files = open.how.files;
            self.open(OpeningRequest {
                how: TraceFiles { files, ..how },
                linked: true,
                ..open
            });
        }
    }

    /// Sets the clock as a link of what is open has it. Who goes back or forward keeps clock and zoom, but for a zoom that
    /// other rows of the timeline have brought.
    fn follow_clock(&self, link: &Link, state: &AppState, walks: bool) {
        let jobs = self.0.stage.read().workload.jobs.len();
        self.job_of(link.job, jobs);
        if walks {
            if link.options.get(&TIMELINE_ROWS) != state.option(&TIMELINE_ROWS) {
                let seen = link.seen.map_or(AxisRequest::Whole, AxisRequest::At);
                self.0.stage.write().look(seen);
            }
            return;
        }
        self.0.history.linked_time.set(link.time);
        let mut stage = self.0.stage.write();
        if let Some(time) = link.time {
            (stage.clock.now, stage.clock.playing) = (time, false);
        }
        if let Some(speed) = link.speed {
            stage.clock.speed = speed;
        }
        stage.axis = TimeAxis::new(link.seen, link.range);
        stage.touch();
    }

    /// Remembers the files that are open, of a few last ones: handles, not what is in them.
    pub(in crate::session) fn note_recent(&self) {
        let open = self.open_now();
        let source = open.source();
        let mut recent = self.0.history.recent.borrow_mut();
        if source.is_some() {
            recent.retain(|files| files.source() != source);
            recent.insert(0, open);
            recent.truncate(MOST_RECENT);
        }
    }

    fn follow_settings(&self, link: &Link) {
        self.0.history.wanted.replace(Wanted {
            cluster: link.cluster.clone(),
            time: link.time,
            speed: link.speed,
            seen: link.seen,
            range: link.range,
            job: link.job,
            followed: link.followed,
            lit: link.lit,
            filter: link.options.get(&JOBS_FILTER).to_owned(),
            file: None,
        });
    }

    /// Opens the files held for this tab, or the stored trace, of this name that a link shows, or says
    /// that there is none.
    fn find_stored(&self, name: String) {
        let session = self.clone();
        self.dispatch(OpeningAction::Seeking(true));
        spawn_local(async move {
            let held = stored_traces::held(&name).await;
            let stored = stored_traces::list().await;
            session.dispatch(OpeningAction::Seeking(false));
            let newest = stored.iter().rev().find(|stored| stored.name == name);
            let wanted = session.0.history.wanted.borrow();
            let is_wanted = wanted
                .file
                .as_ref()
                .is_some_and(|(file, ..)| file.name() == name);
            drop(wanted);
            if session.is_opening() || !is_wanted {
                return;
            }
            if !held.is_empty() {
                session.0.storage.note_held(held.clone());
                return session.open_files(held);
            }
            match newest {
                Some(stored) => session.open_stored(stored.id),
                None => session.dispatch(Action::Refused(Refused {
                    why: format!("This link shows {name}, which stays on the computer it was made on: open your copy to see it. The settings are already here."),
                    next: NextStep::Open("Open your copy"),
                })),
            }
        });
    }

    /// Opens files as a link has it that shows them, if there is one.
    pub(in crate::session) fn open_as_linked(&self, mut files: OpeningRequest) {
        let first = files.source();
        let mut wanted = self.0.history.wanted.borrow_mut();
        let wanted_file = wanted
            .file
            .take_if(|(source, ..)| Some(&*source) == first.as_ref());
        drop(wanted);
        files.linked = wanted_file
            .as_ref()
            .is_some_and(|(.., says_runs)| *says_runs);
        // A link that says nothing of it leaves a stored trace as it was stored.
        let says = |of: &TraceFiles| {
            of.member.is_some() || of.columns.is_some() || !of.choice.0.is_empty()
        };
        if let Some((_, how, _)) = wanted_file.filter(|(_, how, _)| says(how)) {
            let files_of = std::mem::take(&mut files.how.files);
            files.how = TraceFiles {
                files: files_of,
                ..how
            };
        }
        self.open(files);
    }

    /// Another trace is open, with schedulers of its own perhaps: back to what was open before is
    /// offered where it would be lost.
    pub(in crate::session) fn put_aside(&self, old: OpeningRequest, has_schedulers: bool) {
        let names = |files: &OpeningRequest| -> Vec<String> {
            files.how.files.iter().map(File::name).collect()
        };
        let is_other = names(&old) != names(&self.open_now());
        let loses = (!old.how.files.is_empty() && is_other) || has_schedulers;
        let mut return_point = self.0.history.return_point.borrow_mut();
        if let Some(link) = return_point.latest.take().filter(|_| loses) {
            let name = link.source.name().to_owned();
            return_point.aside = Some((link, old));
            drop(return_point);
            self.dispatch(NoticesAction::ReturnTo(Some(name)));
        }
    }

    /// Back to what was put aside; what is open is put aside instead.
    pub fn go_back(&self, state: &AppState) {
        let Some((link, files)) = self.0.history.return_point.borrow_mut().aside.take() else {
            return;
        };
        self.dispatch(NoticesAction::ReturnTo(None));
        self.dispatch(Action::Follow(Box::new(link.clone())));
        if files.how.files.is_empty() {
            // A sample.
            return self.follow(&link, state, false);
        }
        // Others may have their name.
        self.follow_settings(&link);
        self.0.history.wanted.borrow_mut().file = Some((link.source.clone(), how(&link), true));
        self.open_as_linked(files);
    }

    /// Once all runs are over it is known whether the clock can stand where a link has put it.
    pub(in crate::session) fn check_linked_time(&self, state: &AppState) {
        let is_empty = self.0.stage.read().runs.is_empty();
        if is_empty || !state.runs.iter().all(|run| run.phase.is_over()) {
            return;
        }
        let end = self.0.stage.read().clock.end;
        let beyond = self.0.history.linked_time.take().filter(|&time| time > end);
        if let Some(time) = beyond {
            self.seek(end);
            self.dispatch(NoticesAction::Complain(format!(
                "t={time}: the last run ends at {end:.0} s, and the clock stands there."
            )));
        }
    }

    /// The job that a link wants of so many, if there is one; else that is complained about.
    pub(in crate::session) fn job_of(&self, wanted: Option<JobId>, jobs: usize) -> Option<JobId> {
        let job = wanted.filter(|job| job.index() < jobs);
        if let (Some(JobId(wanted)), None) = (wanted, job) {
            let last = jobs.saturating_sub(1);
            self.dispatch(NoticesAction::Complain(format!(
                "job={wanted}: the jobs are numbered from 0 to {last}."
            )));
        }
        job
    }
}
