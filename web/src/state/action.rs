//! What can happen to the page's state.

use super::change::Change;
use super::link::Link;
use super::sweep::Sweep;
use super::view_options::ViewOption;
use super::{ClusterOrigin, ColumnsAsked, Refused, RunStatus, Setup, Theme, TraceInfo};
use crate::bridge::protocol::Choice;
use crate::fragmentation::Measured;
use crate::goodput::{Answer, Question};
use crate::kept::{Held, Kept};
use crate::stage::ColourBy;
use std::rc::Rc;
use switchyard::Time;
use switchyard::cluster::ClusterSpec;
use switchyard::job::JobId;
use switchyard::outages::{Outage, Outages};
use switchyard::policy::{Explanation, PolicySpec, RoundReport, ServiceHistory, Slowness};
use switchyard::report::Summary;
use switchyard::trace::ProfileTable;
use switchyard::weights::WeightsChoice;
use switchyard_app::Experiment;

/// What can happen.
#[derive(Debug)]
pub enum Action {
    /// A trace is being opened: its name and bytes.
    Opening(String, u64),
    /// So many of its bytes have come from its host, of so many.
    Fetching(u64, u64),
    /// So many bytes and rows of it are read.
    Reading(u64, u64),
    /// It is not wanted any more.
    CancelledOpening,
    /// A trace is open; `cluster`: what to run it on and where that comes from.
    Opened {
        /// The trace.
        info: Rc<TraceInfo>,
        /// The cluster.
        cluster: ClusterSpec,
        /// Where it comes from.
        origin: ClusterOrigin,
        /// Profiles that came with it.
        profiles: Vec<ProfileTable>,
        /// The settings in the file, where it is an experiment.
        experiment: Option<Box<Experiment>>,
    },
    /// The run as recorded is to be among the others.
    AddRecorded,
    /// A cluster's description was opened, and no trace.
    OpenedCluster(ClusterSpec),
    /// Profiles of applications were opened, and no trace.
    OpenedProfiles(Vec<ProfileTable>),
    /// Weights of one's own were opened, from the file of this name; the policy that goes by them.
    OpenedWeights(WeightsChoice, String, Option<PolicySpec>),
    /// They are not there any more.
    ForgotWeights(WeightsChoice),
    /// Other runs are on stage, or runs have other names or hues.
    Restaged,
    /// Weights that a run waits for have come, or cannot be had.
    WeightsCame,
    /// A list of outages was opened, alone or with a trace.
    OpenedOutages(Outages),
    /// Other jobs of the trace are on their way, or these are still those taken.
    Choosing(Choice),
    /// The trace could not be opened.
    Refused(Refused),
    /// A file that is no trace could not be taken; what is being opened goes on.
    NotTaken(String),
    /// Why something could not be opened has been read.
    ReadRefusal,
    /// A person is asked which columns are which.
    AskColumns(Rc<ColumnsAsked>),
    /// They do not answer now.
    LeaveColumns,
    /// These traces are kept in this browser.
    Kept(Vec<Kept>),
    /// Whether a reload finds the files that are open.
    Held(Held),
    /// The one that is open is kept under this number.
    KeptThis(f64),
    /// The visitor changed what runs have in common.
    SetUp(Change<Setup>),
    /// A service history was opened; who wants it says so in its spec.
    Learned(Rc<ServiceHistory>),
    /// A scheduler is added at the end.
    Add(PolicySpec),
    /// A scheduler is changed, and runs anew.
    Edit(u32, Change<PolicySpec>),
    /// A scheduler is called this; "": by its policy again.
    Name(u32, String),
    /// A scheduler goes.
    Remove(u32),
    /// A run has been started, cancelled, or could not be started.
    Set(u32, RunStatus),
    /// A run that is under way is at this point. (Of one that was started with settings before those of
    /// now it is heard no more.)
    Progress(u32, RunStatus),
    /// A run that was under way is complete.
    Finished(u32, RunStatus, Summary),
    /// Compare with this run.
    Baseline(u32),
    /// Show the view of this name.
    Show(&'static str),
    /// Choose this within a view.
    SetOption(&'static ViewOption, String),
    /// Look for something, or stop.
    Search(bool),
    /// Colour by this.
    ColourBy(ColourBy),
    /// Make a class of jobs stand out, or none.
    Light(Option<u32>),
    /// Use this theme.
    Theme(Theme),
    /// Choose a job, or none.
    Select(Option<JobId>),
    /// Follow a job, or none any more.
    FollowJob(Option<JobId>),
    /// A worker has explained a job.
    Explained(u32, JobId, Time, Explanation),
    /// A worker has seen how fast a job ran.
    Slowed(u32, JobId, Rc<Slowness>),
    /// Tell something, or stop telling.
    Notice(Option<String>),
    /// A link is followed; what it shows is opened besides.
    Follow(Box<Link>),
    /// What a link asks for cannot be.
    Complain(String),
    /// The complaints are read.
    ReadComplaints,
    /// One can go back to what was put aside, or no longer.
    WayBack(Option<String>),
    /// A worker has told a round.
    Round(u32, Option<Rc<RoundReport>>),
    /// The goodput model is asked.
    Ask(Question),
    /// It answers, or says why it cannot.
    Answered(Result<Answer, String>),
    /// Placements of shares are measured anew (`None`), have been, or cannot be.
    Arrived(Option<Result<Rc<Measured>, String>>),
    /// A sweep has begun, or cannot.
    Swept(Result<Rc<Sweep>, String>),
    /// What came of one of its runs.
    SweptRun(usize, Result<Summary, String>),
    /// No more of its runs are started.
    LeftSweep,
    /// Ask what would be if a node of a run died, or ask no more.
    AskToBreak(Option<(u32, u32)>),
    /// Repeat a run with an outage more, beside it.
    Break(u32, Outage),
    /// The first words are read.
    CloseIntro,
    /// Open or close the help.
    Help(bool),
    /// Open or close the left rail.
    Drawer(bool),
    /// Ask before the guide takes the place of what is open.
    AskForGuide,
    /// Show a step of the guide, or close it.
    Guide(Option<usize>),
}
