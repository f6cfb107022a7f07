//! What page and worker say to each other.
//!
//! A worker first says [`Reply::Ready`]. One worker opens traces; each run has a worker of its
//! own, which gets one [`RunRequest::Run`] and then streams [`Reply::Log`] until [`Reply::Done`]
//! or [`Reply::Failed`], never far [ahead](AHEAD) of the page. Cancelling is ending the worker.

use super::jobs::Jobs;
use crate::fragmentation::{Arrivals, Measured};
use crate::goodput::{Answer, Question};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use std::sync::Arc;
use switchyard::cluster::ClusterSpec;
use switchyard::job::JobId;
use switchyard::outages::Outages;
use switchyard::pods::Fleet;
use switchyard::policy::{Explanation, PolicySpec, RoundReport, Slowness, entry};
use switchyard::report::Summary;
use switchyard::sim::{LogDelta, Progress};
use switchyard::trace::{ImportReport, Member, ProfileTable, TableHead};
use switchyard::weights::WeightsChoice;
use switchyard::workload::{ApplicationSettings, Suggestion};
use switchyard::{Resource, RunSpec, Time};
use switchyard_app::Experiment;
use switchyard_app::asked::LOADS;

/// Page and worker must be of the same build: counts changes of this file.
pub const PROTOCOL: u32 = 18;

/// How many pieces of a log may be on their way to a page: the worker goes on once one is
/// [taken](RunRequest::Taken). With more, what else a page has to do would wait behind them, wherever
/// simulating is faster than showing; with fewer, the worker would wait for every answer.
pub const AHEAD: u32 = 2;

/// Of a trace with more jobs the opener holds no records to choose others from: they take hundreds of megabytes,
/// and reading them again takes seconds.
pub const MOST_HELD: u32 = 500_000;

/// What a run would have needed that broke off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lack {
    /// Nothing that the page has.
    Nothing,
    /// Room in the log.
    Room,
    /// Room for so many jobs, whatever the policy.
    RoomForJobs,
}

/// What a worker is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Turns files into jobs.
    Opener,
    /// The same where a table stored by columns is among them, in a program of its own.
    Columnar,
    /// Carries one run, answers for the goodput model, or writes jobs in a format.
    Runner,
    /// Carries one run whose policy is a script, in a program of its own.
    Scripts,
}

impl Role {
    /// Of whoever carries a run of this policy.
    pub fn of(policy: &PolicySpec) -> Self {
        match entry(policy.name()) {
            Some(entry) if entry.scripted => Self::Scripts,
            _ => Self::Runner,
        }
    }

    /// What the worker is named.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opener => "opener",
            Self::Columnar => "columnar",
            Self::Runner => "runner",
            Self::Scripts => "scripts",
        }
    }
}

/// What the page asks of the worker that opens traces. Cancelling is ending the worker.
#[derive(Debug, Serialize, Deserialize)]
#[allow(
    clippy::large_enum_variant,
    reason = "a few are made per run, and each is sent at once"
)]
pub enum OpenRequest {
    /// Open the files that follow the message; the worker reads them slice by slice.
    Open {
        /// The archive member wanted; all of them if none is named.
        member: Option<String>,
        /// Which columns hold what, as the command line's `--map` has it.
        columns: Option<String>,
        /// Which jobs are taken.
        choice: Choice,
        /// The cluster that decides which gangs are too large; the trace's own if none is given.
        cluster: Option<ClusterSpec>,
        /// What the open trace counts, and so a cluster that is opened alone.
        beside: Resource,
    },
    /// Take other jobs of the trace opened last.
    Choose {
        /// Which.
        choice: Choice,
        /// The cluster that decides which gangs are too large.
        cluster: ClusterSpec,
    },
    /// Make an embedded sample.
    Sample {
        /// Its name.
        name: String,
        /// Which of its jobs are taken, and how.
        choice: Choice,
        /// Whether it is opened; else it is open, and other jobs of it are wanted.
        fresh: bool,
    },
    /// Read a list of machines and a list of pods, the files that follow the message.
    Pods,
}

/// Which jobs of a trace are taken and how: keys and values of the command line's flags (`window`,
/// `tenant`, `status`, `unit`, `fractions`, `oversized`, `on-cores`), some of them several times; and `load`, how many times
/// as fast as recorded jobs come. What is not there is at its default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice(pub Vec<(String, String)>);

impl Choice {
    /// What jobs are counted in.
    pub fn unit(&self) -> Resource {
        self.value("unit").parse().unwrap_or_default()
    }

    /// How many times as fast as recorded jobs come.
    pub fn load(&self) -> f64 {
        Self::load_of(self.value("load")).unwrap_or(1.0)
    }

    /// The same at another load.
    pub fn with_load(&self, load: f64) -> Self {
        let text = load.to_string();
        self.with("load", if load == 1.0 { "" } else { &text })
    }

    /// The load that a text says.
    ///
    /// # Errors
    ///
    /// What a load is, as a sentence's second half.
    pub fn load_of(text: &str) -> Result<f64, String> {
        let load = text.parse().ok();
        let load = load.filter(|load: &f64| LOADS.contains(load));
        load.ok_or_else(|| {
            let (least, most) = LOADS.into_inner();
            format!("it is a number from {least} to {most}: 2 is twice as fast as recorded")
        })
    }

    /// The first value of a key; "" if it is not there.
    pub fn value(&self, key: &str) -> &str {
        let found = self.0.iter().find(|(other, _)| other == key);
        found.map_or("", |(_, value)| value)
    }

    /// Whether a key is there with this value.
    pub fn has(&self, key: &str, value: &str) -> bool {
        self.0.iter().any(|(k, v)| k == key && v == value)
    }

    /// The same with one value for a key, or none if it is "".
    pub fn with(&self, key: &str, value: &str) -> Self {
        let mut others = self.0.clone();
        others.retain(|(other, _)| other != key);
        if !value.is_empty() {
            others.push((key.to_string(), value.to_string()));
        }
        Self(others)
    }

    /// The same with a value of a key taken out, or put in if it was not there.
    pub fn toggled(&self, key: &str, value: &str) -> Self {
        let mut others = self.0.clone();
        others.retain(|(k, v)| k != key || v != value);
        if others.len() == self.0.len() {
            others.push((key.to_string(), value.to_string()));
        }
        Self(others)
    }
}

/// What a workload can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportFormat {
    /// Our own: jobs with cluster, policies and seed.
    Switchyard,
    /// The Standard Workload Format.
    Swf,
    /// Tiresias' CSV.
    Tiresias,
}

/// What the page asks of a worker that carries a run, or writes jobs.
#[derive(Debug, Serialize, Deserialize)]
pub enum RunRequest {
    /// Run the jobs that follow the message; files of weights follow them, one's own before the
    /// shipped one.
    Run {
        /// Whether its log is wanted; else it is known, and only questions will follow. The first of
        /// them all: static/sharing.js looks at it.
        simulate: bool,
        /// The settings.
        spec: Rc<RunSpec>,
        /// What adaptive jobs train; `None`: plain jobs stay plain.
        applications: Option<Arc<ApplicationSettings>>,
        /// Whether one's own weights follow the jobs.
        own_weights: bool,
        /// Its summary alone is wanted, with jobs that come so many times as fast.
        sum_at_load: Option<f64>,
    },
    /// The page has taken in so many pieces of the log, of all there were.
    Taken {
        /// How many.
        pieces: u32,
        /// How long the log may become by now, bytes, where it draws from what there is for all.
        room: Option<u64>,
    },
    /// Look at the file of weights that follows the message.
    Weigh,
    /// Tell what the policy thought of a job at a time: runs again up to there.
    Explain {
        /// The job.
        job: JobId,
        /// The time.
        at: Time,
    },
    /// Tell what the policy decided in its last round up to a time: runs again up to there.
    Round {
        /// The time.
        at: Time,
    },
    /// Ask the goodput model, run or no run.
    Model(Question),
    /// Let pods arrive under all placements of shares, run or no run.
    Arrive(Box<Arrivals>),
    /// Write the jobs that follow the message in a format.
    Export {
        /// The format.
        format: ExportFormat,
        /// The settings, as far as the format has a place for them.
        settings: Box<Experiment>,
    },
}

/// What a worker says to the page.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// It can take requests.
    Ready {
        /// Its [`PROTOCOL`].
        protocol: u32,
    },
    /// How far opening has come.
    Reading {
        /// Bytes of the files.
        bytes: u64,
        /// Rows of their tables.
        rows: u64,
    },
    /// The trace is open, or other jobs of it are taken.
    Opened(Box<OpenedTrace>),
    /// The files were a cluster's description and no trace.
    OpenedCluster(ClusterSpec),
    /// The files were profiles of applications and no trace.
    OpenedProfiles(Vec<ProfileTable>),
    /// The files were a list of outages and no trace.
    OpenedOutages(Outages),
    /// The files cannot be opened.
    Refused(Refusal),
    /// The jobs that were asked for.
    Exported(String),
    /// More of the run's log.
    Log {
        /// What was added.
        delta: Box<LogDelta>,
        /// How far the run has come.
        progress: Progress,
    },
    /// The run is over, its log complete.
    Done {
        /// Fingerprint of the log.
        log_hash: u64,
        /// Milliseconds of simulation alone.
        wall_ms: f64,
        /// Of a placer that learned, if there is one.
        decisions: Option<u64>,
        /// Of every job its finish-time fairness, where jobs train applications: the page does not have
        /// those.
        rho: Option<Vec<f64>>,
    },
    /// The run broke off.
    Failed {
        /// Why.
        why: String,
        /// What it would have needed.
        lack: Lack,
    },
    /// The answer to [`RunRequest::Explain`].
    Explained {
        /// The job.
        job: JobId,
        /// The time.
        at: Time,
        /// The policy's word.
        explanation: Explanation,
    },
    /// How fast a job ran that was [asked](RunRequest::Explain) about, where anything slows jobs.
    Slowed {
        /// The job.
        job: JobId,
        /// Its speed, and what it lost.
        slowness: Box<Slowness>,
    },
    /// The answer to [`RunRequest::Round`].
    Round {
        /// The time.
        at: Time,
        /// The round; `None` where the policy has none.
        report: Option<Box<RoundReport>>,
    },
    /// The answer to [`RunRequest::Model`], or why there is none.
    Modelled(Box<Result<Answer, String>>),
    /// The machines and pods that were asked for, or why there are none.
    Pods(Box<Result<Fleet, String>>),
    /// The answers to [`RunRequest::Arrive`], after every run.
    Arrived(Box<Measured>),
    /// How the weights that were to be looked at are called from now on, and the policy that goes by them; or why
    /// they are not taken.
    Weighed(Box<Result<(WeightsChoice, Option<PolicySpec>), String>>),
    /// The answer to [`RunRequest::Run`] for a summary, or why there is none.
    Summed(Box<Result<Summary, String>>),
    /// The worker is dying.
    Crashed(String),
    /// Among the files is a table stored by columns: [`Role::Columnar`] opens them.
    NeedsColumns,
}

/// Why files cannot be opened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// Why, where, what to do: a sentence.
    pub why: String,
    /// The table of which a person may say which columns are which.
    pub table: Option<Box<TableHead>>,
    /// Whether another file makes a trace of these.
    pub half: bool,
    /// Whether counting cores makes a trace of these.
    pub of_cores: bool,
}

/// The cluster of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum OwnCluster {
    /// It came with the trace.
    Given(ClusterSpec),
    /// The trace would fit on it.
    Guessed(Suggestion),
}

impl OwnCluster {
    /// The cluster itself.
    pub fn spec(&self) -> &ClusterSpec {
        match self {
            Self::Given(cluster) => cluster,
            Self::Guessed(guess) => &guess.cluster,
        }
    }
}

/// A trace, ready to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenedTrace {
    /// Whether it has just been read; else other jobs of it are taken.
    pub fresh: bool,
    /// The format's stable name, or `sample`.
    pub format: String,
    /// Whether it is a cluster's own log.
    pub accounting: bool,
    /// The format's name for people.
    pub title: String,
    /// What was kept, dropped, assumed; samples have none. Its distributions are in `charts`.
    pub report: Option<ImportReport>,
    /// How durations, GPUs and submissions are distributed, as SVG.
    pub charts: Vec<String>,
    /// What one can choose by.
    pub facets: Facets,
    /// The clusters or files inside an archive.
    pub members: Vec<Member>,
    /// Profiles of applications that came with the trace.
    pub profiles: Vec<ProfileTable>,
    /// Outages of nodes that came with the trace.
    pub outages: Outages,
    /// The cluster to use if no other is asked for.
    pub cluster: OwnCluster,
    /// The settings in the file, where it is an experiment of ours.
    pub experiment: Option<Experiment>,
    /// The jobs, which follow the message.
    #[serde(skip)]
    pub jobs: Jobs,
}

/// What one can choose the jobs of a trace by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facets {
    /// Tenants, users, accounts and so on, where there are several.
    pub among: Vec<Among>,
    /// How jobs ended, with their numbers.
    pub statuses: Vec<(String, u32)>,
    /// Jobs that ask for a fraction of a GPU.
    pub fractional: u32,
    /// Jobs that ask for cores and no GPU.
    pub on_cores: u32,
    /// Seconds from the first submission to the last.
    pub span: f64,
}

/// Names under one heading, of which some can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Among {
    /// Its key in a [`Choice`].
    pub key: String,
    /// What people call several of them.
    pub title: String,
    /// Names with their jobs, those with most first, as many as one can look through.
    pub names: Vec<(String, u32)>,
    /// Names that are not listed.
    pub more: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchyard::sim::SimOptions;

    /// The number that a script gives a name in a list of names and a list of numbers.
    fn number_in(script: &str, name: &str) -> Option<u8> {
        script.lines().find_map(|line| {
            let (names, numbers) = line.trim().strip_prefix("const [")?.split_once("] = [")?;
            let at = names.split(", ").position(|of| of == name)?;
            let numbers = numbers.trim_end_matches("];");
            numbers.split(", ").nth(at)?.parse().ok()
        })
    }

    #[test]
    fn frames_that_share_workers_know_requests_and_replies_by_their_places() {
        let script = include_str!("../../../static/sharing.js");
        let is = |name: &str, message: Vec<u8>| {
            assert_eq!(number_in(script, name), message.first().copied(), "{name}");
        };
        let bytes = |reply: Reply| postcard::to_allocvec(&reply).unwrap();
        let (job, slowness) = (JobId(0), Box::default());
        is("READING", bytes(Reply::Reading { bytes: 0, rows: 0 }));
        is("EXPORTED", bytes(Reply::Exported(String::new())));
        let progress = Progress {
            now: Time::ZERO,
            done: 0,
            jobs: 0,
        };
        let delta = Box::default();
        is("LOG", bytes(Reply::Log { delta, progress }));
        let (log_hash, wall_ms, decisions, rho) = (0, 0.0, None, None);
        is(
            "DONE",
            bytes(Reply::Done {
                log_hash,
                wall_ms,
                decisions,
                rho,
            }),
        );
        is(
            "FAILED",
            bytes(Reply::Failed {
                why: String::new(),
                lack: Lack::Nothing,
            }),
        );
        is("SLOWED", bytes(Reply::Slowed { job, slowness }));
        is("SUMMED", bytes(Reply::Summed(Box::new(Err(String::new())))));
        is("CRASHED", bytes(Reply::Crashed(String::new())));
        let opens = |request: OpenRequest| postcard::to_allocvec(&request).unwrap();
        let choice = Choice::default;
        is(
            "OPEN",
            opens(OpenRequest::Open {
                member: None,
                columns: None,
                beside: Resource::Gpus,
                choice: choice(),
                cluster: None,
            }),
        );
        is(
            "SAMPLE",
            opens(OpenRequest::Sample {
                name: String::new(),
                choice: choice(),
                fresh: true,
            }),
        );
        let run = postcard::to_allocvec(&RunRequest::Run {
            simulate: true,
            spec: Rc::new(RunSpec {
                policy: "fifo".parse().unwrap(),
                cluster: ClusterSpec::uniform(1, 1).unwrap(),
                placement: Default::default(),
                options: SimOptions::default(),
                history: None,
                outages: Default::default(),
            }),
            applications: None,
            own_weights: false,
            sum_at_load: None,
        });
        let run = run.unwrap();
        assert_eq!(run[1], 1, "whether it simulates stands second");
        is("RUN", run);
        let taken = postcard::to_allocvec(&RunRequest::Taken {
            pieces: 1,
            room: None,
        })
        .unwrap();
        is("TAKEN", taken);
    }
}
