//! What the runs of `run`, `compare` and `convert` have in common: as asked for, over what an
//! experiment's file says, over the defaults. Everything is checked in one place, so that nothing
//! is written that would be refused when it is read.

use crate::Failure;
use crate::applications::{ApplicationArguments, AskedApplications};
use crate::input;
use anyhow::anyhow;
use clap::Args;
use switchyard::cluster::ClusterSpec;
use switchyard::placement::Strategy;
use switchyard::policy::PolicySpec;
use switchyard::trace::ProfileTable;
use switchyard::workload::{GpuGeneration, Workload};
use switchyard::{Experiment, Preset, RunSpec};

/// What runs when no policy is named: the baseline and the scheduler it is usually compared with.
const DEFAULT_POLICIES: [&str; 2] = ["fifo", "tiresias-las"];

#[derive(Args)]
pub(crate) struct SettingsArguments {
    /// A policy, such as 'tiresias-las[queues=2,threshold=57600]'; may be given several times
    /// [default: those of the experiment, or fifo and tiresias-las]
    #[arg(long = "policy", value_name = "SPEC")]
    policies: Vec<String>,
    /// How gangs are laid on nodes: least-fragmentation, consolidated, spread, yarn or skew
    /// [default: the experiment's, or least-fragmentation]
    #[arg(long, value_name = "NAME")]
    placement: Option<String>,
    /// Seconds without progress after every resume or move [default: the experiment's, or 0]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    restart_cost: Option<f64>,
    /// Add to each restart what checkpoint and resume of the job's model take (1 to 27 s)
    #[arg(long)]
    restart_by_model: bool,
    /// A job's first start costs what every other does
    #[arg(long)]
    first_start_pays: bool,
    /// Gangs on more nodes than they need train slower, as measured on k80, p100 or v100
    #[arg(long, value_name = "GPU")]
    spread_slowdown: Option<String>,
    /// The share of its speed that an adaptive job on several nodes loses while another such job
    /// shares one of them [default: the experiment's, or 0]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    interference: Option<f64>,
    /// Epochs of adaptive jobs take whole seconds, as in Pollux' simulator
    #[arg(long)]
    whole_second_epochs: bool,
    #[command(flatten)]
    applications: ApplicationArguments,
    /// The semantics of a published simulator: reference-nsdi19 or reference-osdi21
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Seed of the policies' random generator [default: the experiment's, or 0]
    #[arg(long)]
    seed: Option<u64>,
}

/// What was asked for, each part of it sound.
pub(crate) struct Asked<'a> {
    arguments: &'a SettingsArguments,
    policies: Vec<PolicySpec>,
    placement: Option<Strategy>,
    spread_slowdown: Option<GpuGeneration>,
    preset: Option<Preset>,
    applications: AskedApplications,
}

/// All settings of the runs.
pub(crate) struct Settings {
    /// What they have in common.
    pub(crate) experiment: Experiment,
    pub(crate) preset: Option<Preset>,
    policies: Vec<PolicySpec>,
    /// Whether somebody named them.
    named: bool,
}

impl SettingsArguments {
    /// Checks what is asked for, before a large trace is opened.
    pub(crate) fn check(&self) -> Result<Asked<'_>, Failure> {
        let refuse = |why: String| Failure::Input(anyhow!(why));
        let sound = |cost: f64| cost.is_finite() && cost >= 0.0;
        if self.restart_cost.is_some_and(|cost| !sound(cost)) {
            return Err(refuse(
                "--restart-cost is a number of seconds, 0 or more".to_owned(),
            ));
        }
        if self
            .interference
            .is_some_and(|lost| !(0.0..1.0).contains(&lost))
        {
            return Err(refuse(
                "--interference is a share of at least 0 and below 1".to_owned(),
            ));
        }
        let placement = self.placement.as_deref().map(str::parse).transpose();
        let spread_slowdown = self.spread_slowdown.as_deref().map(|name| {
            let generation = GpuGeneration::named(name);
            let why = || format!("--spread-slowdown is '{name}': use k80, p100 or v100");
            generation.ok_or_else(|| refuse(why()))
        });
        let preset = self.preset.as_deref().map(str::parse).transpose();
        Ok(Asked {
            arguments: self,
            policies: policies(&self.policies)?,
            placement: placement.map_err(input_error)?,
            spread_slowdown: spread_slowdown.transpose()?,
            preset: preset.map_err(input_error)?,
            applications: self.applications.check()?,
        })
    }
}

impl Asked<'_> {
    /// What was asked for over what a file says; `beside`: profiles that came with the trace.
    pub(crate) fn over(
        self,
        mut experiment: Experiment,
        beside: Vec<ProfileTable>,
    ) -> Result<Settings, Failure> {
        let arguments = self.arguments;
        let named = !self.policies.is_empty() || !experiment.policies.is_empty();
        let policies = match (self.policies.is_empty(), named) {
            (false, _) => self.policies,
            (true, true) => policies(&experiment.policies)?,
            (true, false) => policies(&DEFAULT_POLICIES)?,
        };
        experiment.placement = self.placement.unwrap_or(experiment.placement);
        let options = &mut experiment.options;
        options.restart_cost = arguments.restart_cost.unwrap_or(options.restart_cost);
        options.restart_by_model |= arguments.restart_by_model;
        options.first_start_pays |= arguments.first_start_pays;
        options.whole_second_epochs |= arguments.whole_second_epochs;
        options.spread_slowdown = self.spread_slowdown.or(options.spread_slowdown);
        options.interference = arguments.interference.unwrap_or(options.interference);
        options.seed = arguments.seed.unwrap_or(options.seed);
        self.applications.over(&mut experiment.applications, beside);
        Ok(Settings {
            experiment,
            preset: self.preset,
            policies,
            named,
        })
    }
}

impl Settings {
    /// The settings of each run, on a cluster. From now on they are those of the experiment, its
    /// preset's and histories included.
    pub(crate) fn runs(&mut self, cluster: &ClusterSpec) -> Result<Vec<RunSpec>, Failure> {
        for policy in &self.policies {
            let known = policy
                .param("history")
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
            (own.placement, own.options) = (run.placement, run.options);
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

fn policies(texts: &[impl AsRef<str>]) -> Result<Vec<PolicySpec>, Failure> {
    let policies = texts.iter().map(|text| text.as_ref().parse());
    policies.collect::<Result<_, _>>().map_err(input_error)
}

fn input_error(error: impl Into<anyhow::Error>) -> Failure {
    Failure::Input(error.into())
}
