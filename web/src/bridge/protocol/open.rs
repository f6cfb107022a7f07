//! What page and opener say to one another: files, members and samples become jobs.

use super::{Kind, Message, Program, Role};
use crate::bridge::jobs::Jobs;
use crate::complaint::Complaint;
use serde::{Deserialize, Serialize};
use switchyard::Resource;
use switchyard::cluster::ClusterSpec;
use switchyard::outages::Outages;
use switchyard::trace::{ImportReport, Member, ProfileTable, TableHead};
use switchyard::workload::Sample;
use switchyard_app::Experiment;
use switchyard_app::figures::Bars;
use switchyard_app::options::LOADS;
use switchyard_app::study::Origin;
use wasm_bindgen::JsValue;

/// Of a trace with more jobs the opener holds no records to choose others from: they take hundreds of megabytes,
/// and reading them again takes seconds.
pub const MOST_HELD: u32 = 500_000;

/// Turns files into jobs. Where a table stored by columns is among them, another program takes over.
#[derive(Debug)]
pub enum Opener {}

impl Role for Opener {
    const NAME: &'static str = "opener";
    const OTHER_PROGRAM: Option<Program> = Some(Program::Columnar);
    type Request = OpenRequest;
    type Reply = OpenReply;
}

/// What the page asks of the worker that opens traces. Cancelling is ending the worker.
#[derive(Debug, Serialize, Deserialize)]
#[allow(
    clippy::large_enum_variant,
    reason = "a few are made per run, and each is sent at once"
)]
pub enum OpenRequest {
    /// Open the attached files; the worker reads them slice by slice.
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
        cluster_unit: Resource,
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
}

impl Message for OpenRequest {
    fn kind(&self) -> Kind {
        match self {
            Self::Open { .. } => Kind::named("open").shared(),
            Self::Sample { .. } => Kind::named("sample").shared(),
            Self::Choose { .. } => Kind::named("choose"),
        }
    }
}

/// What the opener says.
#[derive(Debug, Serialize, Deserialize)]
pub enum OpenReply {
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
}

impl Message for OpenReply {
    fn kind(&self) -> Kind {
        match self {
            Self::Reading { .. } => Kind::named("reading").shared(),
            Self::Opened(_) => Kind::named("opened").shared().last(),
            Self::OpenedCluster(_) => Kind::named("opened-cluster").shared().last(),
            Self::OpenedProfiles(_) => Kind::named("opened-profiles").shared().last(),
            Self::OpenedOutages(_) => Kind::named("opened-outages").shared().last(),
            Self::Refused(_) => Kind::named("refused").shared().last(),
        }
    }

    fn attachments(&self) -> Vec<JsValue> {
        match self {
            Self::Opened(trace) => trace.jobs.parts(),
            Self::Reading { .. }
            | Self::OpenedCluster(_)
            | Self::OpenedProfiles(_)
            | Self::OpenedOutages(_)
            | Self::Refused(_) => Vec::new(),
        }
    }

    fn attach(&mut self, attachments: Vec<JsValue>) {
        if let Self::Opened(trace) = self {
            trace.jobs = Jobs::of(attachments);
        }
    }
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
    pub fn load_of(text: &str) -> Result<f64, Complaint> {
        let load = text.parse().ok();
        let load = load.filter(|load: &f64| LOADS.contains(load));
        load.ok_or_else(|| {
            let (least, most) = LOADS.into_inner();
            format!("it is a number from {least} to {most}: 2 is twice as fast as recorded").into()
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
    /// How durations, GPUs and submissions are distributed.
    pub charts: Vec<Bars>,
    /// What one can choose by.
    pub facets: Facets,
    /// The clusters or files inside an archive.
    pub members: Vec<Member>,
    /// Profiles of applications that came with the trace.
    pub profiles: Vec<ProfileTable>,
    /// Outages of nodes that came with the trace.
    pub outages: Outages,
    /// The cluster to use if no other is asked for, and whether it came with the trace.
    pub cluster: (ClusterSpec, Origin),
    /// The settings in the file, where it is an experiment of ours.
    pub experiment: Option<Experiment>,
    /// The jobs, which are attached.
    #[serde(skip)]
    pub jobs: Jobs,
}

impl OpenedTrace {
    /// A sample with its jobs, just read.
    pub fn of_sample(sample: &Sample, jobs: Jobs) -> Self {
        Self {
            fresh: true,
            format: "sample".to_owned(),
            accounting: false,
            title: sample.title.to_owned(),
            report: None,
            charts: Vec::new(),
            facets: Facets::default(),
            members: Vec::new(),
            profiles: Vec::new(),
            outages: Outages::default(),
            cluster: (sample.cluster_spec(), Origin::Trace),
            experiment: None,
            jobs,
        }
    }
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
