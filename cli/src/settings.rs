//! What the runs of `run`, `compare`, `why` and `convert` have in common: from arguments, and the
//! files that they name, to a [`Request`].

use crate::Failure;
use crate::applications::ApplicationArguments;
use crate::{input, script};
use anyhow::{Context, anyhow};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::path::{Path, PathBuf};
use switchyard::outages::Outages;
use switchyard::policy::ParamKind;
use switchyard::study::{Prepared, Request, Study, StudyError};
use switchyard::{SETTINGS, Setting};

#[derive(Args)]
pub(crate) struct SettingsArguments {
    /// A policy, such as 'tiresias-las[queues=2,threshold=57600]', or a script of one's own (docs/scripts.md),
    /// 'script:FILE' or 'script:FILE[placement=spread]', or a plug-in (docs/plugins.md),
    /// 'plugin:FILE.wasm[quantum=60]'; may be given several times
    /// [default: those of the experiment, or fifo and tiresias-las]
    #[arg(long = "policy", value_name = "SPEC")]
    pub(crate) policies: Vec<String>,
    /// Nodes that are not there for a while, as 7:3600..7200,4-7:1d..2d:drain (seconds from the
    /// run's begin, nodes from 0; without an end for ever), or a file of them: CSV with node, from,
    /// to and kind, or JSON. Of one run alone: --policy 'fifo if 7:3600..'
    #[arg(long, value_name = "LIST|FILE")]
    outages: Option<String>,
    /// Weights of one's own for what has learned, graph-rl or rl-picker: a file of
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

impl SettingsArguments {
    /// Asks for what is said, before a large trace is opened.
    pub(crate) fn request(&self) -> Result<Request, Failure> {
        let mut request = Request::default();
        for (setting, value) in &self.flags.0 {
            let set = request.set(setting, value.clone());
            set.map_err(|error| match error {
                StudyError::Setting { value, why, .. } => {
                    Failure::Input(anyhow!("--{} is '{value}': {why}", flag(setting)))
                }
                other => other.into(),
            })?;
        }
        if let Some(name) = &self.preset {
            request.preset(name)?;
        }
        if let Some(path) = &self.weights {
            let file = std::fs::read(path)
                .with_context(|| format!("cannot read {}", path.display()))
                .map_err(Failure::Input)?;
            let refused = |why| Failure::Input(anyhow!("{}: {why}", path.display()));
            request.own_weights(&file).map_err(refused)?;
        }
        let policies = self.policies.iter().map(|text| script::spec(text));
        let policies = policies.collect::<Result<Vec<_>, _>>()?;
        request.policies(&policies)?;
        self.applications.ask(&mut request)?;
        if let Some(text) = &self.outages {
            request.outages(outages(text)?);
        }
        Ok(request)
    }
}

/// The study with what is asked of it, histories read from the files that policies name.
pub(crate) fn prepared(study: Study, request: Request) -> Result<Prepared, Failure> {
    let mut asked = study.ask(request)?;
    while let Some(policy) = asked.unlearned().cloned() {
        match input::history(&policy)? {
            Some(history) => asked.learn(history),
            None => break,
        }
    }
    Ok(asked.prepare()?)
}

/// Outages as a list, or from a file.
fn outages(text: &str) -> Result<Outages, Failure> {
    match text.parse() {
        Ok(outages) => Ok(outages),
        Err(_) if Path::new(text).is_file() => {
            let list = std::fs::read_to_string(text)
                .with_context(|| format!("cannot read {text}"))
                .map_err(Failure::Input)?;
            Outages::read(&list).map_err(|why| Failure::Input(anyhow!("{text}: {why}")))
        }
        Err(why) => Err(Failure::Input(anyhow!(
            "--outages: {why}; or name a file of them"
        ))),
    }
}
