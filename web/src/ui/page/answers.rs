//! What scripts are answered. Their names in JavaScript are said once more at the head of `static/embed.js`; a test
//! holds the two together.

use crate::order;
use crate::stage::{Stage, StageRun};
use crate::state::{AppState, Phase, Run, Source};
use serde::Serialize;
use switchyard::job::JobId;
use switchyard::report::Summary;

/// Where the page is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageState {
    /// The time shown, seconds since the trace's start.
    pub t: f64,
    /// The last moment any run has reached.
    pub end: f64,
    /// Whether time moves by itself.
    pub playing: bool,
    /// Simulated seconds per real second.
    pub speed: f64,
    /// The chosen job's name.
    pub selected: Option<String>,
    /// Whether a trace is open, and no other is being opened.
    pub open: bool,
    /// Whether there is something to see at the time shown.
    pub ready: bool,
    /// Whether all runs of the open trace are over.
    pub done: bool,
    /// What the page tells a person; "" for nothing.
    pub said: String,
    /// Whether the jobs are a file's, which a reader has opened.
    pub is_file: bool,
    /// Counts changes of results, names and hues.
    pub revision: u32,
}

impl PageState {
    /// Where it is now. `is_under_way`: whether something else is about to be shown.
    pub(super) fn at(state: &AppState, stage: &Stage, is_under_way: bool) -> Self {
        let clock = stage.clock;
        let open = state.opening.trace.is_some() && !is_under_way;
        let done = open && state.runs.iter().all(|run| run.phase.is_over());
        let selected = state.selection.job;
        let selected = selected.and_then(|job| stage.workload.jobs.get(job.index()));
        Self {
            t: clock.now,
            end: clock.end,
            playing: clock.playing,
            speed: clock.speed,
            selected: selected.map(|job| job.name.to_string()),
            open,
            ready: open && (done || (clock.end > 0.0 && clock.end >= clock.now)),
            done,
            said: said(state).unwrap_or_default().to_owned(),
            is_file: matches!(state.opening.source, Source::File(_)),
            revision: state.runs.revision,
        }
    }
}

/// What the page tells a person: why something is refused, before all else.
fn said(state: &AppState) -> Option<&str> {
    let refused = state.opening.refused.as_ref().map(|refused| &*refused.why);
    let notice = || state.notices.notice.as_deref();
    let complaint = || state.notices.complaints.first().map(String::as_str);
    let failed = || {
        state.runs.iter().find_map(|run| match &run.phase {
            Phase::Failed(why) => Some(&**why),
            _ => None,
        })
    };
    refused.or_else(notice).or_else(complaint).or_else(failed)
}

/// A run at the time shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunFacts {
    /// What it is called.
    pub name: String,
    /// Its policy, as results have it.
    pub policy: String,
    /// How many jobs wait.
    pub waiting: u32,
    /// How many run.
    pub running: u32,
    /// How many are done.
    pub finished: u32,
    /// Where the job is that was asked about; "" if it was about none.
    pub place: JobPhase,
}

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JobPhase {
    /// None was asked about.
    #[serde(rename = "")]
    Nowhere,
    /// It is submitted later.
    Coming,
    /// It waits.
    Waiting,
    /// It runs.
    Running,
    /// It is over.
    Finished,
}

impl RunFacts {
    /// Those of a run of the stage, whose moment is the clock's.
    pub(super) fn of(run: &StageRun, stage: &Stage, job: Option<JobId>) -> Self {
        let moment = &run.moment;
        Self {
            name: run.name().to_owned(),
            policy: run.policy.to_string(),
            waiting: moment.waiting().len() as u32,
            running: moment.running().len() as u32,
            finished: moment.finished(),
            place: job.map_or(JobPhase::Nowhere, |job| JobPhase::of(job, run, stage)),
        }
    }
}

impl JobPhase {
    fn of(job: JobId, run: &StageRun, stage: &Stage) -> Self {
        if run.moment.running().contains(&job) {
            Self::Running
        } else if run.moment.waiting().contains(&job) {
            Self::Waiting
        } else if stage.workload.jobs[job.index()].submit.seconds() > stage.clock.now {
            Self::Coming
        } else {
            Self::Finished
        }
    }
}

/// A scheduler of the list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListedRun {
    /// Its number, which it keeps.
    pub id: u32,
    /// Its policy's text.
    pub spec: String,
    /// What it is called.
    pub name: String,
    /// What a person has named it; "" if nobody has.
    pub given: String,
    /// How far its run is.
    pub status: &'static str,
    /// Why its run has failed; "" if it has not.
    pub why: String,
    /// The mean completion time, once the run is complete.
    pub jct_mean: Option<f64>,
    /// The 95th percentile of completion times.
    pub jct_p95: Option<f64>,
    /// The mean of finish-time fairness.
    pub rho_mean: Option<f64>,
    /// "149 of 240 finished" where the run leaves jobs behind, else "".
    pub left: String,
    /// How often jobs have started again, once the run is complete.
    pub restarts: Option<u32>,
    /// The fingerprint of its log; "" before it is complete.
    pub log_hash: String,
    /// Its hue.
    pub hue: u32,
}

impl ListedRun {
    /// That of a run.
    pub(super) fn of(run: &Run) -> Self {
        let summary = run.summary();
        let why = match &run.phase {
            Phase::Failed(why) => why.clone(),
            _ => String::new(),
        };
        Self {
            id: run.id,
            spec: run.policy.to_string(),
            name: run.name().to_owned(),
            given: run.given.clone(),
            status: run.phase.name(),
            why,
            jct_mean: summary.map(|of| of.jct.mean),
            jct_p95: summary.map(|of| of.jct.p95),
            rho_mean: summary.map(|of| of.fairness.rho_mean),
            left: summary.and_then(Summary::left).unwrap_or_default(),
            restarts: summary.map(|of| of.restarts),
            log_hash: run
                .finished()
                .map(|of| format!("{:016x}", of.log_hash))
                .unwrap_or_default(),
            hue: run.hue() as u32,
        }
    }
}

/// The jobs whose completion times differ between two runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ChangedJobs {
    /// How many are done sooner in the second.
    pub sooner: u32,
    /// How many are done later.
    pub later: u32,
    /// How many have finished in both.
    pub compared: u32,
    /// Those that differ most, the largest difference first.
    pub jobs: Vec<ChangedJob>,
}

/// A job in two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedJob {
    /// Its name.
    pub name: String,
    /// Its completion time in the first, s.
    pub before: f64,
    /// In the second.
    pub after: f64,
}

impl ChangedJobs {
    /// So many are named.
    const NAMED: usize = 40;

    /// Of completion times by job, of which NaN is none; `name` says what a job is called.
    pub(super) fn of(before: &[f64], after: &[f64], name: impl Fn(usize) -> String) -> Self {
        let changes = || {
            before
                .iter()
                .zip(after)
                .map(|(before, after)| after - before)
        };
        let many = |is: fn(f64) -> bool| changes().filter(|&by| is(by)).count() as u32;
        let mut largest = Vec::new();
        let differ = (0..).zip(changes()).filter(|(_, by)| by.abs() > 0.0);
        order::first(
            Self::NAMED,
            differ.map(|(at, by)| (-by.abs(), at)),
            &mut largest,
        );
        let named = largest.into_iter().map(|(_, at): (f64, usize)| ChangedJob {
            name: name(at),
            before: before[at],
            after: after[at],
        });
        Self {
            sooner: many(|by| by < 0.0),
            later: many(|by| by > 0.0),
            compared: many(|by| !by.is_nan()),
            jobs: named.collect(),
        }
    }
}
