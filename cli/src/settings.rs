//! What the runs of `run`, `compare`, `why` and `convert` have in common: from arguments, and the
//! files that they name, to a [`Request`].

use crate::Failure;
use crate::applications::ApplicationArguments;
use crate::{input, script, terminal};
use anyhow::{Context, anyhow};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueHint};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use switchyard::outages::Outages;
use switchyard::policies::ParamKind;
use switchyard::weights::Weights;
use switchyard::{SETTINGS, Setting, SettingGroup};
use switchyard_app::queue_files;
use switchyard_app::study::{Prepared, Request, Study, StudyError, cluster_of};
use switchyard_sweep::files;

#[derive(Args)]
#[command(next_help_heading = "Schedulers and cluster")]
pub(crate) struct SettingsArguments {
    /// A policy, such as 'tiresias-las[queues=2]', script:FILE or plugin:FILE; may be repeated
    ///
    /// `switchyard policies` lists them with their parameters. A script of one's own (docs/scripts.md) is
    /// 'script:FILE' or 'script:FILE[placement=spread]', a plug-in (docs/plugins.md)
    /// 'plugin:FILE.wasm[quantum=60]'. By default those of the experiment, or fifo and tiresias-las.
    #[arg(long = "policy", value_name = "SPEC", value_hint = ValueHint::Other)]
    pub(crate) policies: Vec<String>,
    /// The semantics of a published simulator: reference-nsdi19, -osdi21, -sc20, -sigcomm22, -nsdi23 or -sosp23
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Weights of one's own for graph-rl or rl-picker [default: the shipped ones]
    ///
    /// A file of safetensors, as `switchyard-train` writes.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    weights: Option<PathBuf>,
    #[command(flatten)]
    flags: Flags,
    /// Nodes that are not there for a while, as 7:1h..2h,4-7:1d..2d:drain, or a file of them
    ///
    /// NODE:FROM..TO, since the run's begin, nodes from 0; without an end for ever; with :drain jobs end first. A
    /// file is CSV with node, from, to and kind, or JSON. Of one run alone: --policy 'fifo if 7:1h..'.
    #[arg(long, value_name = "LIST|FILE", help_heading = heading(SettingGroup::Failures), value_hint = ValueHint::AnyPath)]
    outages: Option<String>,
    /// Queues with quotas, as 'lab;vision,parent=lab,gpus=8,borrow=4', or a file of them; may be repeated
    ///
    /// A file is lines of ours, or Kueue's, KAI's or Volcano's objects, Slurm's associations, or YARN's
    /// capacity-scheduler.xml (docs/queues.md). Given several times, every policy runs with each, and they are
    /// compared queue by queue.
    #[arg(long, value_name = "LIST|FILE", help_heading = heading(SettingGroup::Queues), value_hint = ValueHint::AnyPath)]
    queues: Vec<String>,
    #[command(flatten)]
    applications: ApplicationArguments,
}

/// The flags of [`SETTINGS`], with the values that were given.
pub(crate) struct Flags(Vec<(&'static Setting, String)>);

/// The settings that have a flag. A rule for applications is asked for by a file's name, which is
/// among their [arguments](ApplicationArguments).
fn flagged() -> impl Iterator<Item = &'static Setting> {
    SETTINGS
        .iter()
        .filter(|setting| !matches!(setting.kind, ParamKind::Text(_)))
}

impl Flags {
    /// The settings that were given, each with a value that it takes.
    pub(crate) fn checked(&self) -> Result<&[(&'static Setting, String)], Failure> {
        let mut request = Request::with(Weights::default());
        for (setting, value) in &self.0 {
            let set = request.set(setting, value.clone());
            set.map_err(|error| refused(setting, error))?;
        }
        Ok(&self.0)
    }
}

/// Why a flag's value is none, as whoever gave it wrote it.
fn refused(setting: &Setting, error: StudyError) -> Failure {
    match error {
        StudyError::Setting { value, why, .. } => {
            Failure::Input(anyhow!("--{} is '{value}': {why}", flag(setting)))
        }
        other => other.into(),
    }
}

fn flag(setting: &Setting) -> String {
    setting.key.replace('_', "-")
}

/// What groups of settings are called in help.
fn heading(group: SettingGroup) -> &'static str {
    match group {
        SettingGroup::Runs => "How jobs run",
        SettingGroup::Queues => "Queues",
        SettingGroup::Failures => "Failures",
        SettingGroup::Training => "What jobs train",
    }
}

/// What a setting does, as far as it fits in a line.
fn in_short(help: &str) -> &str {
    let ends = ["; ", ": ", ". "].iter().filter_map(|end| help.find(end));
    let end = ends.min().unwrap_or(help.len());
    help[..end].trim_end_matches('.')
}

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        command.args(flagged().map(|setting| {
            let arg = Arg::new(setting.key)
                .long(flag(setting))
                .help_heading(heading(setting.group));
            if setting.kind == ParamKind::Bool {
                return arg
                    .help(in_short(setting.help))
                    .long_help(setting.help)
                    .action(ArgAction::SetTrue);
            }
            let values = match setting.kind {
                ParamKind::OneOf(_) | ParamKind::Placement => format!(": {}", setting.kind),
                _ => String::new(),
            };
            let (help, default) = (setting.help, setting.default());
            arg.help(format!("{} [default: {default}]", in_short(help)))
                .long_help(format!(
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
    match (setting.kind, setting.unit) {
        (ParamKind::OneOf(_) | ParamKind::Placement, _) => "NAME",
        (ParamKind::Int { .. }, _) => "N",
        (ParamKind::Share, _) => "SHARE",
        (_, "s") => "TIME",
        (_, "h") => "HOURS",
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
    /// Asks for what is said, before a large trace is opened; for a cluster where one is.
    pub(crate) fn request(&self, cluster: Option<&str>) -> Result<Request, Failure> {
        let mut request = Request::default();
        for (setting, value) in &self.flags.0 {
            let set = request.set(setting, value.clone());
            set.map_err(|error| refused(setting, error))?;
        }
        if let Some(name) = &self.preset {
            request.preset(name)?;
        }
        if let Some(path) = &self.weights {
            let file = files::read(path)
                .with_context(|| format!("cannot read {}", path.display()))
                .map_err(Failure::Input)?;
            let unfit = |why| Failure::Input(anyhow!("{}: {why}", path.display()));
            request.own_weights(&file).map_err(unfit)?;
        }
        let policies = self.policies.iter().map(|text| script::policy(text));
        let policies = policies.collect::<Result<Vec<_>, _>>()?;
        request.policies(&policies)?;
        self.applications.ask(&mut request)?;
        if let Some(text) = &self.outages {
            request.outages(outages(text)?);
        }
        let trees = self.queues.iter().zip(1..).map(|(text, at)| {
            let name = match Path::new(text).is_file() {
                true => text.clone(),
                false => format!("queues {at}"),
            };
            Ok((name, queues(text, cluster)?))
        });
        request.trees(trees.collect::<Result<_, Failure>>()?)?;
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
            let list = files::read_text(text.as_ref())
                .with_context(|| format!("cannot read {text}"))
                .map_err(Failure::Input)?;
            Outages::read(&list).map_err(|why| Failure::Input(anyhow!("{text}: {why}")))
        }
        Err(why) => Err(Failure::Input(anyhow!(
            "--outages: {why}; or name a file of them"
        ))),
    }
}

/// Queues as a list, or from a file, for a cluster where one is asked for.
fn queues(text: &str, cluster: Option<&str>) -> Result<String, Failure> {
    if !Path::new(text).is_file() {
        return Ok(text.to_owned());
    }
    let read = files::read_text(text.as_ref()).with_context(|| format!("cannot read {text}"));
    let read = read.map_err(Failure::Input)?;
    let cluster = cluster.and_then(|text| cluster_of(text).ok());
    let tree = queue_files::tree_of(&read, text, cluster.as_ref());
    let (tree, notes) = tree.map_err(|why| Failure::Input(anyhow!("{why}")))?;
    for note in notes {
        // Who does not read it does without.
        let _ = writeln!(io::stderr(), "{}", terminal::within_line(&note));
    }
    Ok(switchyard::queues::text::line(&tree))
}
