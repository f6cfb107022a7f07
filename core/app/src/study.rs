//! A study: jobs and what comes with them ([`Study`]), what somebody asks to be run on them
//! ([`Request`]), and what follows from both ([`Prepared`]): runs, ready to start. Command line, Python, module,
//! lessons and sweeps ask for runs with it, so that the same words mean the same runs. The page, whose state
//! changes bit by bit, asks for the rules one by one: [`run_of`], [`trains`], [`why_trained`], [`counted`].
//!
//! What is asked goes before what the trace's file says, and that before the defaults. Each part of a
//! request is checked as it is made, before a large trace is opened; all of them together at the
//! end, so that nothing begins that would have to be refused later.

use crate::Experiment;
use crate::driver::Driver;
pub use crate::rules::{run_of, trains};
pub use crate::whom::Whom;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use switchyard::Resource;
use switchyard::cluster::{ClusterError, ClusterPreset, ClusterSpec};
use switchyard::engine::RunLog;
use switchyard::meant::hint;
use switchyard::outages::Outages;
use switchyard::policies::{Policy, PolicySpec, ServiceHistory, SpecError, entry};
use switchyard::queues::membership::QueueSettings;
use switchyard::report::{
    By, ClusterFacts, Groups, Outcomes, QueueReport, QueuesApart, Results, RunQueues, RunResult,
    TraceFacts, queues_apart,
};
use switchyard::trace::{
    ChoiceError, Choices, ImportReport, OpenError, OpenOptions, Opened, ProfileTable, Trace,
};
use switchyard::weights::{self, NetworkError, Weights, WeightsChoice, WeightsId};
use switchyard::workload::application::DefinitionError;
use switchyard::workload::{
    Application, ApplicationSettings, BindingRule, SAMPLES, Sample, SettingsError, Suggestion,
    Workload,
};
use switchyard::{Preset, RunSpec, RunSpecError, Setting, SettingGroup, Settings, UnknownPreset};

/// What runs where nobody names a policy: the baseline, and the scheduler it is usually compared
/// with.
pub const DEFAULT_POLICIES: [&str; 2] = ["fifo", "tiresias-las"];

/// The cluster that a text describes, or that is published under this name.
///
/// # Errors
///
/// How a cluster is written.
pub fn cluster_of(text: &str) -> Result<ClusterSpec, ClusterError> {
    ClusterPreset::named(text)
        .map_or(text, |preset| preset.text)
        .parse()
}

/// Jobs, ready to run, with all that came along.
#[derive(Clone, Debug)]
pub struct Study {
    /// What they are, for people.
    pub facts: TraceFacts,
    /// The jobs as they were opened.
    pub workload: Workload,
    /// The cluster that was asked for or came along, and which of both.
    pub cluster: Option<(ClusterSpec, Origin)>,
    /// Profiles that came along.
    pub profiles: Vec<ProfileTable>,
    /// The settings in the file, where it is an experiment.
    pub experiment: Experiment,
    /// What happened while they were read; nothing of a sample.
    pub report: ImportReport,
}

/// What is known of a study's jobs, for whoever looks at them before they run.
#[derive(Clone, Debug, Serialize)]
pub struct StudyFacts<'a> {
    /// What they are.
    #[serde(flatten)]
    pub trace: &'a TraceFacts,
    /// The name that an experiment's file gives it.
    pub title: &'a str,
    /// Where it runs unless another cluster is asked for; without one it is guessed.
    pub cluster: Option<ClusterFacts>,
    /// The policies in its file.
    pub policies: &'a [String],
    /// Whose jobs they are.
    pub tenants: &'a [String],
    /// What jobs train.
    pub models: &'a [String],
    /// What happened while they were read.
    pub report: &'a ImportReport,
}

/// Why a cluster is the one it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Origin {
    /// It was asked for.
    Asked,
    /// It came with the trace.
    Trace,
    /// The trace fits on it.
    Guessed(Suggestion),
}

/// What is asked for goes before what came with a trace.
pub fn asked_or_came(
    asked: Option<ClusterSpec>,
    came: Option<ClusterSpec>,
) -> Option<(ClusterSpec, Origin)> {
    let asked = asked.map(|cluster| (cluster, Origin::Asked));
    asked.or_else(|| came.map(|cluster| (cluster, Origin::Trace)))
}

/// The cluster that was asked for or came along; where there is none, one that the jobs fit on.
pub fn cluster_or_guess(
    cluster: Option<(ClusterSpec, Origin)>,
    workload: &Workload,
) -> (ClusterSpec, Origin) {
    cluster.unwrap_or_else(|| {
        let guess = workload.suggest_cluster();
        (guess.cluster.clone(), Origin::Guessed(guess))
    })
}

/// What somebody asks for.
#[derive(Clone, Debug)]
pub struct Request {
    policies: Vec<PolicySpec>,
    preset: Option<Preset>,
    settings: Vec<(&'static Setting, String)>,
    outages: Option<Outages>,
    rule: Option<BindingRule>,
    profiles: Vec<ProfileTable>,
    definitions: Vec<String>,
    histories: Vec<ServiceHistory>,
    weights: Weights,
    own_weights: Option<WeightsId>,
    by: Vec<Whom>,
    trees: Vec<(String, String)>,
}

/// A study with what is asked of it, of which something may still have to be read.
#[derive(Clone, Debug)]
pub struct StudyRequest {
    study: Study,
    policies: Vec<PolicySpec>,
    /// Whether somebody named them.
    named: bool,
    preset: Option<Preset>,
    weights: Weights,
    own_weights: Option<WeightsId>,
    by: Vec<Whom>,
    /// Several trees of queues, each by its name: then every policy runs on every one.
    trees: Vec<(String, QueueSettings)>,
}

/// Runs, ready to start.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// What the jobs are, and what they train.
    pub facts: TraceFacts,
    /// The jobs as they run.
    pub workload: Arc<Workload>,
    /// Where they run.
    pub cluster: ClusterSpec,
    /// Why there.
    pub origin: Origin,
    /// All settings, as they are written into a file: the preset's and histories included.
    pub experiment: Experiment,
    /// The published simulator whose semantics the runs take on.
    pub preset: Option<Preset>,
    /// What placements that have learned go by.
    pub weights: Weights,
    /// The runs, one for each policy.
    pub runs: Vec<RunSpec>,
    /// By whom figures are asked for.
    pub groups: Vec<(By, Groups)>,
    /// Whether they are by queue, too.
    pub by_queue: bool,
    /// The trees of queues by their names, if runs have several.
    trees: Vec<(String, QueueSettings)>,
    /// Rows of the trace that were left out.
    pub dropped: u32,
}

/// What came of one run.
#[derive(Clone, Debug)]
pub struct Ended {
    /// In figures.
    pub result: RunResult,
    /// Job by job.
    pub outcomes: Outcomes,
    /// Its queues, where figures by queue are asked for.
    pub queues: Option<RunQueues>,
    /// All that happened.
    pub log: RunLog,
}

/// Why nothing is run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StudyError {
    /// A file without jobs.
    #[error("{file} {what} and no jobs: name a {wanted} as well")]
    NoJobs {
        /// The file.
        file: String,
        /// What it holds instead, as a sentence's second half.
        what: String,
        /// What goes with that.
        wanted: &'static str,
    },
    /// No sample has this name.
    #[error("there is no sample '{name}'{}: use one of {valid}", hint(.name, .valid.split(", ")))]
    UnknownSample {
        /// The name.
        name: String,
        /// Those that there are.
        valid: String,
    },
    /// Jobs of a sample were to be chosen.
    #[error("a sample is taken whole: convert it to a file to choose among its jobs")]
    SampleIsWhole,
    /// A setting was given a value that it does not take.
    #[error("{key} is '{value}': {why}")]
    Setting {
        /// The setting's key.
        key: &'static str,
        /// What it was given.
        value: String,
        /// What it takes.
        why: String,
    },
    /// Text that is no policy.
    #[error(transparent)]
    Policy(#[from] SpecError),
    /// Not a preset's name.
    #[error(transparent)]
    Preset(#[from] UnknownPreset),
    /// An application's definition that is none.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// Weights that cannot be used.
    #[error(transparent)]
    Weights(#[from] NetworkError),
    /// Weights that no policy goes by.
    #[error("none of the policies goes by the weights that are given: they are those of {0}")]
    Idle(Box<PolicySpec>),
    /// A setting in the file that is none.
    #[error(transparent)]
    Experiment(#[from] OpenError),
    /// Choices that leave nothing, or of tenants that are not there.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// A cluster that has more cores than there can be.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// Applications that jobs cannot train.
    #[error(transparent)]
    Applications(#[from] SettingsError),
    /// Something that a run asks for is not at hand.
    #[error(transparent)]
    Run(#[from] RunSpecError),
}

impl Study {
    /// Of what a file turned out to be; `file`: its name, for messages, and `asked`: the cluster asked
    /// for.
    ///
    /// # Errors
    ///
    /// There are no jobs in it, or none that were chosen; or a setting in it is none.
    pub fn of(
        opened: Opened,
        file: &str,
        options: &OpenOptions,
        choices: &Choices,
        asked: Option<ClusterSpec>,
    ) -> Result<Self, StudyError> {
        let no_jobs = |what: String, wanted| StudyError::NoJobs {
            file: file.to_owned(),
            what,
            wanted,
        };
        match opened {
            Opened::Trace(trace) => Self::of_trace(trace, options, choices, asked),
            Opened::Cluster(cluster) => {
                Err(no_jobs(format!("describes a cluster ({cluster})"), "trace"))
            }
            Opened::Profiles(_) => {
                let what = "holds profiles of applications".to_owned();
                Err(no_jobs(what, "workload"))
            }
            Opened::Outages(_) => Err(no_jobs("lists outages".to_owned(), "trace")),
        }
    }

    /// Of a trace that was opened so, and of which these jobs are chosen.
    fn of_trace(
        mut trace: Trace,
        options: &OpenOptions,
        choices: &Choices,
        asked: Option<ClusterSpec>,
    ) -> Result<Self, StudyError> {
        let asked = asked
            .map(|cluster| counted(cluster, trace.unit))
            .transpose()?;
        let cluster = asked_or_came(asked, trace.cluster.take());
        trace.choose(choices, cluster.as_ref().map(|of| &of.0))?;
        let mut experiment = Experiment::of(&trace)?.unwrap_or_default();
        experiment.settings.outages = experiment.outages_with(&trace.outages);
        let workload = trace.take_workload();
        // Where all jobs ask for GPUs, nodes without any do not matter.
        let cluster = match workload.on_cores() {
            0 => cluster.map(|(of, origin)| (of.with_core_nodes(Vec::new()), origin)),
            _ => cluster,
        };
        if !options.unit.is_default() {
            experiment.choice.push(format!("unit={}", options.unit));
        }
        experiment.choice.extend(choices.in_words());
        Ok(Self {
            facts: TraceFacts {
                member: options.member.clone(),
                columns: options.mapping.as_ref().map(ToString::to_string),
                choice: experiment.choice.clone(),
                ..TraceFacts::of(&trace.format, &workload)
            },
            workload,
            cluster,
            profiles: std::mem::take(&mut trace.profiles),
            experiment,
            report: trace.report,
        })
    }

    /// Of the sample of this name, which is taken as it is.
    ///
    /// # Errors
    ///
    /// There is none of this name, or some of its jobs were to be chosen.
    pub fn of_sample(
        name: &str,
        options: &OpenOptions,
        choices: &Choices,
        asked: Option<ClusterSpec>,
    ) -> Result<Self, StudyError> {
        if !choices.is_default() || *options != OpenOptions::default() {
            return Err(StudyError::SampleIsWhole);
        }
        let names = || SAMPLES.iter().map(|sample| sample.name).collect::<Vec<_>>();
        let sample = Sample::named(name).ok_or_else(|| StudyError::UnknownSample {
            name: name.to_owned(),
            valid: names().join(", "),
        })?;
        Ok(Self::of_jobs(sample, sample.workload(), asked))
    }

    /// Of these jobs of a sample: its own, or others [of the same kind](Sample::workload_of).
    pub fn of_jobs(sample: &Sample, workload: Workload, asked: Option<ClusterSpec>) -> Self {
        let cluster = match asked {
            Some(cluster) => (cluster, Origin::Asked),
            None => (sample.cluster_spec(), Origin::Trace),
        };
        Self {
            facts: TraceFacts::of("sample", &workload),
            workload,
            cluster: Some(cluster),
            profiles: Vec::new(),
            experiment: Experiment::default(),
            report: ImportReport::default(),
        }
    }

    /// What is known of its jobs.
    pub fn facts(&self) -> StudyFacts<'_> {
        let cluster = self.cluster.as_ref();
        StudyFacts {
            trace: &self.facts,
            title: &self.experiment.title,
            cluster: cluster.map(|(cluster, _)| ClusterFacts::of(cluster, self.workload.unit)),
            policies: &self.experiment.policies,
            tenants: &self.workload.tenants,
            models: &self.workload.models,
            report: &self.report,
        }
    }

    /// What a file of these jobs has besides them, their cluster included.
    pub fn in_file(&self) -> Experiment {
        Experiment {
            cluster: self.cluster.as_ref().map(|of| of.0.clone()),
            ..self.experiment.clone()
        }
    }

    /// What is asked of it, over what its file says.
    ///
    /// # Errors
    ///
    /// A policy in its file is none.
    pub fn ask(mut self, request: Request) -> Result<StudyRequest, StudyError> {
        let in_file = &self.experiment.policies;
        let named = !request.policies.is_empty() || !in_file.is_empty();
        let policies = match (request.policies.is_empty(), named) {
            (false, _) => request.policies,
            (true, true) => policies(in_file)?,
            (true, false) => policies(&DEFAULT_POLICIES)?,
        };
        self.experiment.histories.extend(request.histories);
        let settings = &mut self.experiment.settings;
        if let Some(outages) = request.outages {
            settings.outages = outages;
        }
        if let Some(own) = request.own_weights {
            settings.options.weights = WeightsChoice::Own(own);
        }
        let beside = std::mem::take(&mut self.profiles);
        let training = |(setting, _): &(&Setting, String)| setting.group == SettingGroup::Training;
        let applications = settings.applications_mut();
        // Whoever asks for anything of it wants plain jobs to train, too.
        applications.always |= request.rule.is_some()
            || !request.profiles.is_empty()
            || !request.definitions.is_empty()
            || !beside.is_empty()
            || request.settings.iter().any(training);
        if let Some(rule) = request.rule {
            applications.rule = rule.to_string();
            applications.seed = rule.seed;
        }
        if !beside.is_empty() {
            applications.profiles = beside;
        }
        if !request.profiles.is_empty() {
            applications.profiles = request.profiles;
        }
        applications.definitions.extend(request.definitions);
        for (setting, value) in &request.settings {
            take(setting, settings, value)?;
        }
        let mut trees = Vec::new();
        for (name, text) in request.trees {
            let mut of = settings.clone();
            take(queues_setting(), &mut of, &text)?;
            trees.push((name, of.queues));
        }
        Ok(StudyRequest {
            study: self,
            policies,
            named,
            preset: request.preset,
            weights: request.weights,
            own_weights: request.own_weights,
            by: request.by,
            trees,
        })
    }
}

impl Default for Request {
    /// Nothing but the shipped weights.
    fn default() -> Self {
        Self::with(weights::shipped())
    }
}

impl Request {
    /// Nothing but these weights: for those who ask often, since reading them takes longer than some
    /// runs.
    pub fn with(weights: Weights) -> Self {
        Self {
            policies: Vec::new(),
            preset: None,
            settings: Vec::new(),
            outages: None,
            rule: None,
            profiles: Vec::new(),
            definitions: Vec::new(),
            histories: Vec::new(),
            weights,
            own_weights: None,
            by: Vec::new(),
            trees: Vec::new(),
        }
    }

    /// These policies, in their textual form.
    ///
    /// # Errors
    ///
    /// One is none.
    pub fn policies(&mut self, texts: &[impl AsRef<str>]) -> Result<(), StudyError> {
        self.policies = policies(texts)?;
        Ok(())
    }

    /// The semantics of a published simulator, by its name.
    ///
    /// # Errors
    ///
    /// There is none of this name.
    pub fn preset(&mut self, name: &str) -> Result<(), StudyError> {
        self.preset = Some(name.parse()?);
        Ok(())
    }

    /// A setting at this value.
    ///
    /// # Errors
    ///
    /// It takes others.
    pub fn set(&mut self, setting: &'static Setting, value: String) -> Result<(), StudyError> {
        take(setting, &mut Settings::default(), &value)?;
        self.settings.push((setting, value));
        Ok(())
    }

    /// Figures by this of the jobs, too.
    pub fn by(&mut self, by: Whom) {
        if !self.by.contains(&by) {
            self.by.push(by);
        }
    }

    /// These trees of queues, each by a name for people. With several, every policy runs on every one, and figures are
    /// by queue, too.
    ///
    /// # Errors
    ///
    /// One is none.
    pub fn trees(&mut self, trees: Vec<(String, String)>) -> Result<(), StudyError> {
        if let [(_, only)] = &trees[..] {
            return self.set(queues_setting(), only.clone());
        }
        for (_, text) in &trees {
            take(queues_setting(), &mut Settings::default(), text)?;
        }
        if !trees.is_empty() {
            self.by(Whom::Queue);
        }
        self.trees = trees;
        Ok(())
    }

    /// These outages of nodes.
    pub fn outages(&mut self, outages: Outages) {
        self.outages = Some(outages);
    }

    /// The rule by which plain jobs get applications.
    pub fn rule(&mut self, rule: BindingRule) {
        self.rule = Some(rule);
    }

    /// Measured profiles, in the place of the embedded ones.
    pub fn profiles(&mut self, tables: Vec<ProfileTable>) {
        self.profiles = tables;
    }

    /// An application in JSON, besides the others.
    ///
    /// # Errors
    ///
    /// It is none.
    pub fn define(&mut self, json: String) -> Result<(), StudyError> {
        Application::from_json(&json)?;
        self.definitions.push(json);
        Ok(())
    }

    /// A history that policies ask for by its name.
    pub fn learn(&mut self, history: ServiceHistory) {
        self.histories.push(history);
    }

    /// One's own weights, a file of safetensors.
    ///
    /// # Errors
    ///
    /// It cannot be used.
    pub fn own_weights(&mut self, file: &[u8]) -> Result<(), StudyError> {
        self.own_weights = Some(self.weights.add_own(file)?);
        Ok(())
    }
}

impl StudyRequest {
    /// A policy that asks for a history which nobody has given; once it is
    /// [learned](Self::learn) there may be another.
    pub fn unlearned(&self) -> Option<&PolicySpec> {
        self.policies.iter().find(|policy| {
            let name = policy.history();
            name.is_some_and(|name| self.study.experiment.history(name).is_none())
        })
    }

    /// A history, by the name that policies know it by.
    pub fn learn(&mut self, history: ServiceHistory) {
        self.study.experiment.histories.push(history);
    }

    /// The runs.
    ///
    /// # Errors
    ///
    /// Something does not go together, or is not at hand.
    pub fn prepare(self) -> Result<Prepared, StudyError> {
        let Study {
            mut facts,
            workload,
            cluster,
            mut experiment,
            report,
            ..
        } = self.study;
        let is_plain = !workload.is_adaptive();
        let workload = experiment.bind(workload, &self.policies)?;
        if workload.is_adaptive() {
            let trained = TraceFacts::of(&facts.format, &workload);
            (facts.gpu_hours, facts.applications) = (trained.gpu_hours, trained.applications);
            facts = facts.training(&experiment.settings.applications, is_plain);
        }
        let (cluster, origin) = cluster_or_guess(cluster, &workload);
        let cluster = counted(cluster, workload.unit)?;
        let mut trees: Vec<&QueueSettings> = self.trees.iter().map(|(_, tree)| tree).collect();
        let given = experiment.settings.queues.clone();
        if trees.is_empty() {
            trees.push(&given);
        }
        let policies = &self.policies;
        let pairs =
            (trees.iter()).flat_map(|tree| policies.iter().map(move |policy| (tree, policy)));
        let runs = pairs.map(|(tree, policy)| {
            let mut run = experiment.run(policy, &cluster);
            run.queues = (*tree).clone();
            if let Some(preset) = self.preset {
                preset.apply(&mut run)?;
            }
            Ok(run)
        });
        let runs = runs.collect::<Result<Vec<RunSpec>, StudyError>>()?;
        for run in &runs {
            run.check()?;
            run.check_recorded(&workload)?;
            run.weigh(&self.weights)?;
        }
        if let Some(own) = self.own_weights {
            let go = |run: &RunSpec| self.weights.are_of(own, run.learned(), run.picker());
            if let Some(policy) = self.weights.policy(own).filter(|_| !runs.iter().any(go)) {
                return Err(StudyError::Idle(Box::new(policy)));
            }
        }
        for run in &runs {
            let settings = &mut experiment.settings;
            (settings.placement, settings.options) = (run.placement, run.options);
        }
        if let Some((_, first)) = self.trees.first() {
            experiment.settings.queues = first.clone();
        }
        if self.named || self.preset.is_some() {
            let once = runs.iter().take(self.policies.len());
            experiment.policies = once.map(|run| run.policy.to_string()).collect();
        }
        let groups = self.by.iter().filter_map(|by| match by {
            Whom::Jobs(by) => Some((*by, Groups::of(*by, &workload))),
            Whom::Queue => None,
        });
        Ok(Prepared {
            groups: groups.collect(),
            by_queue: self.by.contains(&Whom::Queue),
            trees: self.trees,
            facts,
            workload: Arc::new(workload),
            cluster,
            origin,
            experiment,
            preset: self.preset,
            weights: self.weights,
            runs,
            dropped: report.dropped.iter().map(|of| of.count).sum(),
        })
    }
}

impl Prepared {
    /// One of its runs at its beginning, or another one of the same jobs.
    ///
    /// # Errors
    ///
    /// Something that it asks for is not at hand.
    pub fn start(&self, run: &RunSpec) -> Result<Driver, RunSpecError> {
        Driver::start(run, &self.workload, &self.weights)
    }

    /// The same, but what decides is this, which messages call so, as [`RunSpec::start_deciding`] has it.
    ///
    /// # Errors
    ///
    /// Something that it asks for is not at hand.
    pub fn start_deciding(
        &self,
        run: &RunSpec,
        called: &str,
        policy: Box<dyn Policy>,
    ) -> Result<Driver, RunSpecError> {
        let workload = || Arc::clone(&self.workload);
        let simulation = run.start_deciding(workload(), &self.weights, called, policy)?;
        Ok(Driver::new(simulation, workload()))
    }

    /// What a run is called: its policy and, where there are several trees of queues, its tree.
    pub fn label(&self, run: &RunSpec) -> String {
        let label = run.policy.label();
        let mut trees = self.trees.iter();
        match trees.find(|(_, tree)| *tree == run.queues) {
            Some((name, _)) => format!("{label} with {name}"),
            None => label,
        }
    }

    /// What came of a run that has ended, and took so long to simulate.
    pub fn ended(&self, run: &RunSpec, driver: Driver, wall_ms: f64) -> Ended {
        let log = driver.into_log();
        let outcomes = Outcomes::of(&self.workload, &run.cluster, &log);
        let groups = &self.groups;
        let mut result = RunResult::of(run, &self.workload, &log, &outcomes, groups, wall_ms);
        result.label = self.label(run);
        let queues = (self.by_queue).then(|| RunQueues::of(run, &self.workload));
        result.by_queue = queues
            .as_ref()
            .map(|queues| QueueReport::of(queues, &self.workload, &log, &outcomes, QUEUE_PARTS));
        Ended {
            result,
            outcomes,
            queues,
            log,
        }
    }

    /// What differs between the first run and each other, queue by queue; nothing where it was not asked for.
    pub fn queues_apart<'a>(
        &self,
        runs: impl IntoIterator<Item = (&'a RunResult, &'a Outcomes, Option<&'a RunQueues>)>,
    ) -> Vec<QueuesApart> {
        let mut runs = runs.into_iter();
        let Some((first, outcomes, Some(queues))) = runs.next() else {
            return Vec::new();
        };
        let apart = runs.filter_map(|(second, others, _)| {
            let reports = [first.by_queue.as_ref()?, second.by_queue.as_ref()?];
            Some(QueuesApart {
                first: first.label.clone(),
                second: second.label.clone(),
                queues: queues_apart(queues, [outcomes, others], reports),
            })
        });
        apart.collect()
    }

    /// What came of the runs, as a whole; no two policies are called the same.
    pub fn results(&self, runs: Vec<RunResult>) -> Results {
        let mut results = Results {
            trace: self.facts.clone(),
            cluster: ClusterFacts::of(&self.cluster, self.workload.unit),
            preset: self.preset.map(|preset| preset.name().to_owned()),
            finished_in_all: None,
            runs,
            queues_apart: Vec::new(),
        };
        results.tell_apart();
        results
    }

    /// Why plain jobs train applications under every policy, where nobody asked for that: a sentence.
    pub fn why_trained(&self) -> Option<String> {
        let is_adaptive = self.facts.binding.is_none();
        let policies = self.runs.iter().map(|run| &run.policy);
        why_trained(
            &self.experiment.settings.applications,
            is_adaptive,
            policies,
        )
    }
}

/// Why plain jobs train applications under every policy of these, where the settings do not say so: one of them
/// adapts jobs. A sentence, with what follows for whoever compares.
pub fn why_trained<'a>(
    applications: &ApplicationSettings,
    is_adaptive: bool,
    policies: impl IntoIterator<Item = &'a PolicySpec>,
) -> Option<String> {
    if applications.always || is_adaptive {
        return None;
    }
    let adapting = policies.into_iter().find(|policy| policy.adapts_jobs())?;
    let title = entry(adapting.name()).map_or(adapting.name(), |entry| entry.title);
    Some(format!(
        "Jobs train applications under every scheduler here, because {title} adapts them. Without it they run for the trace's durations, and these numbers differ."
    ))
}

/// A cluster by what is counted of its nodes.
///
/// # Errors
///
/// It has more cores than there can be.
pub fn counted(cluster: ClusterSpec, unit: Resource) -> Result<ClusterSpec, ClusterError> {
    match unit {
        Resource::Gpus => Ok(cluster),
        Resource::Cores => cluster.in_cores(),
    }
}

fn policies(texts: &[impl AsRef<str>]) -> Result<Vec<PolicySpec>, StudyError> {
    let policies = texts.iter().map(|text| text.as_ref().parse());
    Ok(policies.collect::<Result<_, _>>()?)
}

/// Queues over time are told in so many parts.
const QUEUE_PARTS: usize = 100;

/// The setting that is a tree of queues.
fn queues_setting() -> &'static Setting {
    Setting::named("queues").expect("the table has it")
}

fn take(setting: &'static Setting, of: &mut Settings, value: &str) -> Result<(), StudyError> {
    setting.take(of, value).map_err(|why| StudyError::Setting {
        key: setting.key,
        value: value.to_owned(),
        why,
    })
}
