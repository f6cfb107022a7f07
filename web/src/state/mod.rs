//! The page's one state: settings, the opened trace, the list of schedulers and how far each
//! run is. What is large or moves is on the
//! [stage](crate::stage) instead. What can happen to it is an [`Action`].

mod action;
pub(crate) mod beside;
pub(crate) mod besides;
pub mod change;
pub mod link;
mod names;
#[cfg(test)]
mod random;
mod reduce;
pub mod settings;
pub mod source;
pub(crate) mod spec_edit;
pub mod sweep;
pub mod view_options;

use crate::bridge::protocol::{Choice, Facets, OwnCluster};
use crate::draw::moments::{Dated, Moments};
use crate::fragmentation::Measured;
use crate::goodput::{Answer, Question};
use crate::kept::{Held, Kept};
use crate::stage::ColourBy;
pub use action::Action;
use link::Link;
pub use source::Source;
use std::rc::Rc;
use std::sync::Arc;
use sweep::Sweep;
use switchyard::cluster::ClusterSpec;
use switchyard::job::JobId;
use switchyard::policy::{Explanation, PolicySpec, RoundReport, ServiceHistory, Slowness};
use switchyard::report::Summary;
use switchyard::sim::Progress;
use switchyard::trace::{ColumnMapping, ImportReport, Member, TableHead};
use switchyard::weights::WeightsChoice;
use switchyard::workload::ApplicationSettings;
use switchyard::{RunSpec, Settings, Time};
use switchyard_app::Experiment;
use switchyard_app::study::{run_of, trains, why_trained};
use view_options::{TIMES, ViewOption, ViewOptions, ZONE};

const DAY: f64 = 86_400.0;

/// Everything the components show.
#[derive(Clone, Debug, PartialEq)]
pub struct AppState {
    /// Where the jobs come from, or will.
    pub source: Source,
    /// The opened trace.
    pub trace: Option<Rc<TraceInfo>>,
    /// What is being opened right now.
    pub opening: Option<Progressing>,
    /// Why the last file or address could not be opened, until something else is or somebody has read it.
    pub refused: Option<Refused>,
    /// The table of which a person may say which columns are which.
    pub columns: Option<Rc<ColumnsAsked>>,
    /// Whether they are being asked.
    pub asking: bool,
    /// The traces kept in this browser.
    pub kept: Vec<Kept>,
    /// Whether a reload finds the files that are open.
    pub held: Held,
    /// What every run has in common.
    pub setup: Setup,
    /// Whether the cluster came with the trace, was guessed or chosen.
    pub cluster_origin: ClusterOrigin,
    /// The schedulers.
    pub cards: Vec<Card>,
    /// The run that others are compared with.
    pub baseline: u32,
    /// The name of the view shown.
    pub view: String,
    /// What is chosen within views.
    pub options: ViewOptions,
    /// How moments of the opened trace read.
    pub moments: Moments,
    /// Whether something is being looked for.
    pub searching: bool,
    /// What colours stand for.
    pub colour_by: ColourBy,
    /// The class of jobs that stands out, if one was chosen from the legend.
    pub lit: Option<u32>,
    /// Light, dark, or as the system has it.
    pub theme: Theme,
    /// The chosen job.
    pub selected: Option<JobId>,
    /// The job that is followed: all others stand back, and the clock is slow where something happens to it.
    pub followed: Option<JobId>,
    /// Why the chosen job runs or waits, per run, and for which time.
    pub explanations: Vec<(u32, Time, Explanation)>,
    /// How fast the chosen job ran, per run, where anything slows jobs.
    pub slowness: Vec<(u32, Rc<Slowness>)>,
    /// Something to tell that is not an error of the trace.
    pub notice: Option<String>,
    /// What of a link could not be understood, or done, until somebody has read it.
    pub complaints: Vec<String>,
    /// What was put aside for what is open, by name.
    pub way_back: Option<String>,
    /// A run's round at the clock's time.
    pub round: Option<(u32, Rc<RoundReport>)>,
    /// The goodput model's question and its answer, or why there is none.
    pub model: Model,
    /// Placements of shares, measured.
    pub arrivals: Option<Result<Rc<Measured>, String>>,
    /// The last sweep, or why there is none.
    pub sweep: Option<Result<Rc<Sweep>, String>>,
    /// Weights of one's own that are at hand, with the names of their files.
    pub weights: Vec<(WeightsChoice, String)>,
    /// Whether the first words are shown.
    pub intro: bool,
    /// Whether the help is open.
    pub help: bool,
    /// The run and the node that it is asked of what would be if it died.
    pub breaking: Option<(u32, u32)>,
    /// Whether the left rail is open on a narrow screen.
    pub drawer: bool,
    /// The step of the guide that is open.
    pub guide: Option<usize>,
    /// Whether a visitor is asked about what the guide would take the place of.
    pub asking_for_guide: bool,
    /// Counts changes of results, so that charts know when to redraw.
    pub revision: u32,
    next_id: u32,
}

/// Files on their way to being a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progressing {
    /// The first file's name, or the sample's.
    pub name: String,
    /// Bytes of all files; 0 for samples, which are there at once.
    pub total: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Rows read.
    pub rows: u64,
}

/// Why something could not be opened, and what helps.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// Why, a sentence.
    pub why: String,
    /// What helps.
    pub next: NextStep,
}

/// What helps where something could not be opened.
#[derive(Clone, Debug, PartialEq)]
pub enum NextStep {
    /// To open a file; how the button says it.
    Open(&'static str),
    /// To say which columns are which of the table in [`AppState::columns`].
    Columns,
    /// To count the cores of its jobs, which ask for no GPU.
    CountCores,
    /// To fetch the same again.
    Fetch(Source),
    /// Nothing is needed: what was open is as it was.
    Nothing,
}

impl Refused {
    /// Another file helps.
    pub fn file(why: String) -> Self {
        let next = NextStep::Open("Open another file");
        Self { why, next }
    }
}

/// A table, and which of its columns are taken for what.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnsAsked {
    /// The table's beginning.
    pub head: Rc<TableHead>,
    /// What a person has said so far, or what was guessed.
    pub mapping: ColumnMapping,
    /// Why a person is asked; "" if it was their wish.
    pub why: String,
}

/// What is known of the opened trace besides its jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceInfo {
    /// Where it comes from.
    pub source: Source,
    /// The cluster that it came with, or that was guessed from it.
    pub own_cluster: OwnCluster,
    /// The file's or sample's name.
    pub name: String,
    /// The format's stable name, or `sample`.
    pub format: String,
    /// The format's name for people.
    pub title: String,
    /// What was kept, dropped and assumed; samples have none.
    pub report: Option<ImportReport>,
    /// How durations, GPUs and submissions are distributed, as SVG.
    pub charts: Vec<String>,
    /// What one can choose the jobs by.
    pub facets: Facets,
    /// Which jobs are taken.
    pub choice: Choice,
    /// Which columns hold what, where that was said, as `--map` has it.
    pub columns: Option<String>,
    /// Whether its columns are those said of an earlier file with the same header.
    pub remembered: bool,
    /// The number of the kept trace that it is, if it was kept.
    pub kept: Option<f64>,
    /// The clusters or files inside an archive.
    pub members: Vec<Member>,
    /// The member that is open; all of them if none is named.
    pub member: Option<String>,
    /// Whether its jobs train applications.
    pub adaptive: bool,
    /// Whether it tells when its jobs ran.
    pub tells_runs: bool,
    /// How many jobs.
    pub jobs: usize,
    /// GPU-hours the jobs ask for.
    pub gpu_hours: f64,
    /// Days from the first submission to the last.
    pub span_days: f64,
    /// Unix seconds of time 0, where its jobs come at times that have dates.
    pub epoch: Option<f64>,
}

/// What every run has in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The cluster.
    pub cluster: ClusterSpec,
    /// The settings of its runs.
    pub settings: Settings,
    /// Services of an earlier time, for policies that learn from a file; by name.
    pub histories: Vec<Rc<ServiceHistory>>,
}

/// Where the cluster comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterOrigin {
    /// From a file dropped with the trace, or the sample's own.
    Given,
    /// Guessed from the trace.
    Guessed,
    /// Chosen by the visitor.
    Chosen,
}

impl ClusterOrigin {
    /// Of a trace's own.
    pub fn of(own: &OwnCluster) -> Self {
        match own {
            OwnCluster::Given(_) => Self::Given,
            OwnCluster::Guessed(_) => Self::Guessed,
        }
    }
}

/// One scheduler in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// Stable as long as the scheduler is in the list.
    pub id: u32,
    /// The policy, with the outages of its run alone.
    pub policy: PolicySpec,
    /// What a person has named it; "" if nobody has.
    pub given: String,
    /// What it is called, as its place in the list and others in it have it.
    name: String,
    /// Which hue it has, and keeps; none until [`names::tell_apart`] has given it one.
    hue: Option<u32>,
    /// How far its run is.
    pub status: RunStatus,
    /// The run in numbers, once complete.
    pub summary: Option<Summary>,
}

/// How far a run is.
#[derive(Clone, Debug, PartialEq)]
pub enum RunStatus {
    /// Not started.
    Idle,
    /// Under way.
    Running(Progress),
    /// Complete.
    Done {
        /// Fingerprint of the log.
        log_hash: u64,
        /// Milliseconds of simulation.
        wall_ms: f64,
        /// Of a placer that learned, if there is one.
        decisions: Option<u64>,
    },
    /// Cancelled on the way.
    Cancelled(Progress),
    /// Broke off; why.
    Failed(String),
}

/// The goodput model, to play with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// What was asked last.
    pub question: Question,
    /// What it said last.
    pub answer: Option<Result<Rc<Answer>, String>>,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// The sample that the guide walks through.
pub const GUIDED: &str = "three-jobs";

/// The schedulers that the guide compares: their mean completion times are the 9.3, 10 and 11.7 of
/// Tiresias' example (NSDI'19).
pub const GUIDED_SCHEDULERS: [&str; 3] = [
    "srsf",
    "tiresias-gittins[thresholds=4,history=oracle]",
    "las[quantum=1]",
];

/// The sample in which jobs slow their neighbours.
pub const DATA_CENTRE: &str = "data-centre";

/// The schedulers that run it where none are named: the placer that learned, beside the best rule, and
/// last the one that they are compared with, which looks at no neighbours.
pub const DATA_CENTRE_SCHEDULERS: [&str; 3] = [
    "graph-rl",
    "fifo[backfill=true,placement=least-interference-waiting]",
    "fifo[backfill=true,placement=locality]",
];

impl AppState {
    /// The page as a link asks for it.
    pub fn from_link(link: &Link) -> Self {
        let mut cards: Vec<Card> = (0u32..)
            .zip(&link.policies)
            .map(|(id, policy)| Card::new(id, policy.clone()))
            .collect();
        for (card, given) in cards.iter_mut().zip(&link.names) {
            card.given = names::plain(given);
        }
        for (card, hue) in cards.iter_mut().zip(&link.hues) {
            card.hue = *hue;
        }
        let mut state = Self {
            source: link.source.clone(),
            trace: None,
            opening: None,
            refused: None,
            columns: None,
            asking: false,
            kept: Vec::new(),
            held: Held::No,
            setup: Setup {
                cluster: link.cluster.clone().unwrap_or_else(default_cluster),
                settings: link.settings.clone(),
                histories: Vec::new(),
            },
            cluster_origin: if link.cluster.is_some() {
                ClusterOrigin::Chosen
            } else {
                ClusterOrigin::Given
            },
            baseline: cards.get(link.baseline).map_or(0, |card| card.id),
            next_id: cards.len() as u32,
            cards,
            options: link.options.clone(),
            moments: Moments::default(),
            view: link.view.clone(),
            searching: false,
            colour_by: link.colour_by,
            lit: link.lit,
            theme: link.theme,
            selected: link.job,
            followed: link.followed,
            explanations: Vec::new(),
            slowness: Vec::new(),
            notice: None,
            complaints: link.complaints.clone(),
            way_back: None,
            round: None,
            model: Model {
                question: link.question.clone(),
                answer: None,
            },
            arrivals: None,
            sweep: None,
            weights: Vec::new(),
            intro: *link == Link::default(),
            help: false,
            breaking: None,
            drawer: false,
            guide: None,
            asking_for_guide: false,
            revision: 0,
        };
        names::tell_apart(&mut state.cards);
        state
    }

    /// The settings of one scheduler's run.
    pub fn run_spec(&self, card: &Card) -> RunSpec {
        let setup = &self.setup;
        let histories = setup.histories.iter().map(|history| &**history);
        run_of(&card.policy, &setup.cluster, &setup.settings, histories)
    }

    /// All settings of the runs, as a file carries them.
    pub fn experiment(&self) -> Experiment {
        let setup = &self.setup;
        let choice = self.trace.iter().flat_map(|trace| &trace.choice.0);
        Experiment {
            title: self
                .trace
                .as_ref()
                .map_or_else(String::new, |trace| trace.title.clone()),
            choice: choice
                .map(|(key, value)| format!("{key}={value}"))
                .collect(),
            cluster: Some(setup.cluster.clone()),
            policies: self.cards.iter().map(|of| of.policy.to_string()).collect(),
            names: self.cards.iter().map(|of| of.given.clone()).collect(),
            settings: setup.settings.clone(),
            histories: setup.histories.iter().map(|of| (**of).clone()).collect(),
        }
    }

    /// Whether there is something that another trace with its schedulers would take the place of:
    /// a file of the visitor's, or schedulers of their choice.
    pub fn has_work(&self) -> bool {
        let given = Link::default().policies;
        let same = |(card, policy): (&Card, &PolicySpec)| card.policy == *policy;
        let untouched = self.cards.len() == given.len() && self.cards.iter().zip(&given).all(same);
        !matches!(self.source, Source::Sample(_)) || !untouched
    }

    /// What is chosen of an option of a view.
    pub fn option(&self, option: &ViewOption) -> &str {
        self.options.get(option)
    }

    /// What dates of the opened trace follow from; `None` where it has none, or they are not wanted.
    fn dated(&self) -> Option<Dated> {
        let trace = self.trace.as_ref()?;
        let epoch = trace
            .epoch
            .filter(|_| self.option(&TIMES) == TIMES.default)?;
        Some(Dated {
            epoch,
            span: trace.span_days * DAY,
            zone: self.option(&ZONE).to_owned(),
        })
    }

    /// The scheduler that an option of a view names, if it is in the list.
    pub fn option_run(&self, option: &ViewOption) -> Option<u32> {
        let id = self.option(option).parse().ok()?;
        self.card(id).map(|card| card.id)
    }

    /// Whether jobs train applications.
    pub fn adapts(&self) -> bool {
        let is_adaptive = self.trace.as_ref().is_some_and(|trace| trace.adaptive);
        let policies = self.cards.iter().map(|card| &card.policy);
        trains(&self.setup.settings.applications, is_adaptive, policies)
    }

    /// Why jobs train applications, where neither the trace nor the settings have them train; a sentence.
    pub fn why_trained(&self) -> Option<String> {
        let is_adaptive = self.trace.as_ref()?.adaptive;
        let policies = self.cards.iter().map(|card| &card.policy);
        why_trained(&self.setup.settings.applications, is_adaptive, policies)
    }

    /// What jobs train, if they do.
    pub fn applications(&self) -> Option<Arc<ApplicationSettings>> {
        self.adapts()
            .then(|| self.setup.settings.applications.clone())
    }

    /// The scheduler with this id.
    pub fn card(&self, id: u32) -> Option<&Card> {
        self.cards.iter().find(|card| card.id == id)
    }
}

impl Card {
    fn new(id: u32, policy: PolicySpec) -> Self {
        Self {
            id,
            policy,
            given: String::new(),
            name: String::new(),
            hue: None,
            status: RunStatus::Idle,
            summary: None,
        }
    }

    /// The same scheduler with this policy, not run yet.
    fn anew(&self, policy: PolicySpec) -> Self {
        Self {
            given: self.given.clone(),
            name: self.name.clone(),
            hue: self.hue,
            ..Self::new(self.id, policy)
        }
    }

    /// Whether its run has been started and is not over.
    fn is_under_way(&self) -> bool {
        matches!(self.status, RunStatus::Running(_))
    }

    /// What it is called: as a person has named it, else by its policy's title and what tells it from
    /// others of the list.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its number among [`run_colour`](crate::draw::palette::run_colour)s: the same for as long as it is in
    /// the list, whatever comes and goes beside it.
    pub fn hue(&self) -> usize {
        self.hue.unwrap_or_default() as usize
    }
}

/// Before any trace is open.
fn default_cluster() -> ClusterSpec {
    ClusterSpec::uniform(8, 4).unwrap_or_else(|_| unreachable!("8x4 is a cluster"))
}
