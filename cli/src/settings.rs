//! What the runs of `run`, `compare` and `convert` have in common: as asked for, over what an
//! experiment's file says, over the defaults. Everything is checked in one place, so that nothing
//! is written that would be refused when it is read.

use crate::Failure;
use crate::applications::{ApplicationArguments, AskedApplications};
use crate::input;
use anyhow::{Context, anyhow};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::path::{Path, PathBuf};
use switchyard::cluster::ClusterSpec;
use switchyard::outages::Outages;
use switchyard::placement::graph_rl::{Weights, WeightsChoice, WeightsId};
use switchyard::policy::{ParamKind, PolicySpec};
use switchyard::trace::ProfileTable;
use switchyard::workload::Workload;
use switchyard::{Experiment, Group, Preset, RunSpec, SETTINGS, Setting, Settings};

/// What runs when no policy is named: the baseline and the scheduler it is usually compared with.
const DEFAULT_POLICIES: [&str; 2] = ["fifo", "tiresias-las"];

#[derive(Args)]
pub(crate) struct SettingsArguments {
    /// A policy, such as 'tiresias-las[queues=2,threshold=57600]'; may be given several times
    /// [default: those of the experiment, or fifo and tiresias-las]
    #[arg(long = "policy", value_name = "SPEC")]
    policies: Vec<String>,
    /// Nodes that are not there for a while, as 7:3600..7200,4-7:1d..2d:drain (seconds from the
    /// run's begin, nodes from 0; without an end for ever), or a file of them: CSV with node, from,
    /// to and kind, or JSON. Of one run alone: --policy 'fifo if 7:3600..'
    #[arg(long, value_name = "LIST|FILE")]
    outages: Option<String>,
    /// Weights of one's own for a placement that has learned, such as graph-rl: a file of
    /// safetensors, as `switchyard-train` writes [default: the shipped ones]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    #[command(flatten)]
    flags: Flags,
    #[command(flatten)]
    applications: ApplicationArguments,
    /// The semantics of a published simulator: reference-nsdi19, reference-osdi21 or
    /// reference-sc20
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
}

/// The flags of [`SETTINGS`], with the values that were given.
struct Flags(Vec<(&'static Setting, String)>);

/// The settings that have a flag. A rule for applications is asked for by a file's name, which is
/// among their [arguments](ApplicationArguments).
fn flagged() -> impl Iterator<Item = &'static Setting> {
    SETTINGS
        .iter()
        .filter(|setting| !matches!(setting.kind, ParamKind::Text(_)))
}

fn flag(setting: &Setting) -> String {
    setting.key.replace('_', "-")
}

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        command.args(flagged().map(|setting| {
            let arg = Arg::new(setting.key).long(flag(setting));
            if setting.kind == ParamKind::Bool {
                return arg.help(setting.help).action(ArgAction::SetTrue);
            }
            let values = match setting.kind {
                ParamKind::OneOf(_) | ParamKind::Placement => format!(": {}", setting.kind),
                _ => String::new(),
            };
            let (help, default) = (setting.help, setting.default());
            arg.help(format!(
                "{help}{values} [default: the experiment's, or {default}]"
            ))
            .value_name(value_name(setting))
            .allow_negative_numbers(true)
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn value_name(setting: &Setting) -> &'static str {
    match setting.kind {
        ParamKind::OneOf(_) | ParamKind::Placement => "NAME",
        ParamKind::Int { .. } => "N",
        ParamKind::Share => "SHARE",
        _ if setting.unit == "s" => "SECONDS",
        _ => "NUMBER",
    }
}

impl FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = flagged().filter_map(|setting| {
            let value = match setting.kind {
                ParamKind::Bool => matches.get_flag(setting.key).then(|| true.to_string()),
                _ => matches.get_one::<String>(setting.key).cloned(),
            };
            Some((setting, value?))
        });
        Ok(Self(given.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Flags {
    /// Sets what was asked for.
    fn over(&self, settings: &mut Settings) -> Result<(), Failure> {
        for (setting, value) in &self.0 {
            let taken = setting.take(settings, value);
            taken.map_err(|why| {
                Failure::Input(anyhow!("--{} is '{value}': {why}", flag(setting)))
            })?;
        }
        Ok(())
    }

    /// Whether one of them is about what jobs train.
    fn train(&self) -> bool {
        self.0.iter().any(|(of, _)| of.group == Group::Training)
    }
}

/// What was asked for, each part of it sound.
pub(crate) struct Asked<'a> {
    arguments: &'a SettingsArguments,
    policies: Vec<PolicySpec>,
    preset: Option<Preset>,
    applications: AskedApplications,
    outages: Option<Outages>,
    weights: Weights,
    own_weights: Option<WeightsId>,
}

/// All settings of the runs.
pub(crate) struct Chosen {
    /// What they have in common.
    pub(crate) experiment: Experiment,
    pub(crate) preset: Option<Preset>,
    /// What placements that have learned go by.
    pub(crate) weights: Weights,
    policies: Vec<PolicySpec>,
    /// Whether somebody named them.
    named: bool,
}

impl SettingsArguments {
    /// Checks what is asked for, before a large trace is opened.
    pub(crate) fn check(&self) -> Result<Asked<'_>, Failure> {
        self.flags.over(&mut Settings::default())?;
        let preset = self.preset.as_deref().map(str::parse).transpose();
        let mut weights = switchyard::weights::shipped();
        let own_weights = self.weights.as_deref().map(|path| {
            let file = std::fs::read(path)
                .with_context(|| format!("cannot read {}", path.display()))
                .map_err(Failure::Input)?;
            let added = weights.add_own(&file);
            added.map_err(|why| input_error(anyhow!("{}: {why}", path.display())))
        });
        let own_weights = own_weights.transpose()?;
        Ok(Asked {
            arguments: self,
            policies: policies(&self.policies)?,
            preset: preset.map_err(input_error)?,
            applications: self.applications.check()?,
            outages: self.outages.as_deref().map(outages).transpose()?,
            weights,
            own_weights,
        })
    }
}

impl Asked<'_> {
    /// What was asked for over what a file says; `beside`: profiles that came with the trace.
    pub(crate) fn over(
        self,
        mut experiment: Experiment,
        beside: Vec<ProfileTable>,
    ) -> Result<Chosen, Failure> {
        let named = !self.policies.is_empty() || !experiment.policies.is_empty();
        let policies = match (self.policies.is_empty(), named) {
            (false, _) => self.policies,
            (true, true) => policies(&experiment.policies)?,
            (true, false) => policies(&DEFAULT_POLICIES)?,
        };
        let settings = &mut experiment.settings;
        if let Some(outages) = self.outages {
            settings.outages = outages;
        }
        if let Some(own) = self.own_weights {
            settings.options.weights = WeightsChoice::Own(own);
        }
        let flags = &self.arguments.flags;
        let applications = settings.applications_mut();
        self.applications.over(applications, beside);
        applications.always |= flags.train();
        flags.over(settings)?;
        Ok(Chosen {
            experiment,
            preset: self.preset,
            weights: self.weights,
            policies,
            named,
        })
    }
}

impl Chosen {
    /// The settings of each run, on a cluster. From now on they are those of the experiment, its
    /// preset's and histories included.
    pub(crate) fn runs(&mut self, cluster: &ClusterSpec) -> Result<Vec<RunSpec>, Failure> {
        for policy in &self.policies {
            let known = policy
                .history()
                .and_then(|name| self.experiment.history(name));
            if known.is_none()
                && let Some(history) = input::history(policy)?
            {
                self.experiment.histories.push(history);
            }
        }
        let own = &mut self.experiment;
        let runs = self.policies.iter().map(|policy| {
            let mut run = own.run(policy, cluster);
            match self.preset.map(|preset| preset.apply(&mut run)) {
                Some(Err(error)) => Err(input_error(error)),
                Some(Ok(())) | None => Ok(run),
            }
        });
        let runs = runs.collect::<Result<Vec<RunSpec>, Failure>>()?;
        for run in &runs {
            run.check().map_err(input_error)?;
            run.placer(&self.weights)
                .map_err(|missing| input_error(anyhow!("{missing}; with --weights FILE")))?;
        }
        for run in &runs {
            let settings = &mut own.settings;
            (settings.placement, settings.options) = (run.placement, run.options);
        }
        if self.named || self.preset.is_some() {
            own.policies = runs.iter().map(|run| run.policy.to_string()).collect();
        }
        Ok(runs)
    }

    /// The workload with its applications, if its jobs train any.
    pub(crate) fn bind(&self, workload: Workload) -> Result<Workload, Failure> {
        let bound = self.experiment.bind(workload, &self.policies);
        bound.map_err(input_error)
    }
}

/// Outages as a list, or from a file.
fn outages(text: &str) -> Result<Outages, Failure> {
    match text.parse() {
        Ok(outages) => Ok(outages),
        Err(_) if Path::new(text).is_file() => {
            let list = std::fs::read_to_string(text)
                .with_context(|| format!("cannot read {text}"))
                .map_err(Failure::Input)?;
            Outages::read(&list).map_err(|why| input_error(anyhow!("{text}: {why}")))
        }
        Err(why) => Err(input_error(anyhow!(
            "--outages: {why}; or name a file of them"
        ))),
    }
}

fn policies(texts: &[impl AsRef<str>]) -> Result<Vec<PolicySpec>, Failure> {
    let policies = texts.iter().map(|text| text.as_ref().parse());
    policies.collect::<Result<_, _>>().map_err(input_error)
}

fn input_error(error: impl Into<anyhow::Error>) -> Failure {
    Failure::Input(error.into())
}
