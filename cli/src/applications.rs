//! What adaptive jobs train: profiles from files, and the rule by which plain jobs get them.

use crate::Failure;
use anyhow::{Context, anyhow};
use clap::Args;
use std::path::{Path, PathBuf};
use switchyard::policy::PolicySpec;
use switchyard::report::TraceFacts;
use switchyard::trace::{ProfileTable, SourceFile};
use switchyard::workload::{Application, BindingRule, Workload};

#[derive(Args)]
pub(crate) struct ApplicationArguments {
    /// Measured profiles, a folder per application (placements.csv, scalability.csv,
    /// validation-M.csv), or a zip of them [default: the embedded applications]
    #[arg(long, value_name = "DIR|ZIP")]
    profiles: Option<PathBuf>,
    /// An application defined in JSON, besides the others or in the place of one of its name; may
    /// be given several times
    #[arg(long = "application", value_name = "FILE")]
    definitions: Vec<PathBuf>,
    /// Let plain jobs train applications, by their GPU-time, under every policy [default: where a
    /// policy adapts jobs]
    #[arg(long)]
    applications: bool,
    /// Another rule for that, as JSON; the results name the one used
    #[arg(long, value_name = "FILE")]
    binding: Option<PathBuf>,
    /// Seed of its draws [default: the rule's]
    #[arg(long, value_name = "N")]
    binding_seed: Option<u64>,
}

impl ApplicationArguments {
    /// The workload with its applications, if it or one of the policies wants any; the facts say
    /// which. `beside`: profiles that came with the trace.
    pub(crate) fn bind(
        &self,
        workload: Workload,
        beside: &[ProfileTable],
        facts: &mut TraceFacts,
        policies: &[PolicySpec],
    ) -> Result<Workload, Failure> {
        let chosen = self.profiles.is_some() || !beside.is_empty() || !self.definitions.is_empty();
        let is_plain = !workload.is_adaptive();
        let wanted = self.applications
            || self.binding.is_some()
            || self.binding_seed.is_some()
            || policies.iter().any(PolicySpec::adapts_jobs);
        let needed = if is_plain { wanted || chosen } else { chosen };
        if !needed {
            return Ok(workload);
        }
        let mut rule = match &self.binding {
            None => BindingRule::default(),
            Some(path) => serde_json::from_str(&read_text(path)?)
                .map_err(|error| Failure::Input(anyhow!("{}: {error}", path.display())))?,
        };
        if let Some(seed) = self.binding_seed {
            rule.seed = seed;
        }
        let bound = workload
            .bind(&rule, self.load(beside)?)
            .map_err(|error| Failure::Input(error.into()))?;
        *facts = TraceFacts {
            binding: is_plain.then_some(rule),
            ..TraceFacts::of(&facts.format, &bound)
        };
        Ok(bound)
    }

    /// The applications there are.
    pub(crate) fn load(&self, beside: &[ProfileTable]) -> Result<Vec<Application>, Failure> {
        let mut applications = match &self.profiles {
            None if beside.is_empty() => Application::embedded(),
            None => Application::of_tables(beside).map_err(|error| Failure::Input(error.into()))?,
            Some(path) => profiles(path)?,
        };
        for path in &self.definitions {
            let application = Application::from_json(&read_text(path)?)
                .map_err(|error| Failure::Input(anyhow!("{}: {error}", path.display())))?;
            applications.retain(|other| other.name != application.name);
            applications.push(application);
        }
        Ok(applications)
    }
}

/// Measured applications, from a folder or an archive.
pub(crate) fn profiles(path: &Path) -> Result<Vec<Application>, Failure> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut read = |name: &Path, path: &Path| -> Result<(), Failure> {
        let bytes = std::fs::read(path)
            .with_context(|| format!("cannot read {}", path.display()))
            .map_err(Failure::Input)?;
        files.push((name.display().to_string(), bytes));
        Ok(())
    };
    if path.is_dir() {
        // From the folder above: a single application's folder gives it its name.
        let above = path.parent().unwrap_or(path);
        for file in crate::inspect::files_below(path).map_err(Failure::Input)? {
            if file.extension().is_some_and(|ending| ending == "csv") {
                read(file.strip_prefix(above).unwrap_or(&file), &file)?;
            }
        }
    } else {
        read(path, path)?;
    }
    let files: Vec<SourceFile<'_>> = files
        .iter()
        .map(|(name, bytes)| SourceFile { name, bytes })
        .collect();
    Application::measured(&files)
        .with_context(|| format!("{} holds no profiles", path.display()))
        .map_err(Failure::Input)
}

fn read_text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .with_context(|| format!("cannot read {}", path.display()))
        .map_err(Failure::Input)
}

/// What a person should know of the jobs' applications.
pub(crate) fn describe(facts: &TraceFacts) -> String {
    if facts.applications.is_empty() {
        return String::new();
    }
    let counts: Vec<String> = facts
        .applications
        .iter()
        .map(|(name, jobs)| format!("{jobs} {name}"))
        .collect();
    let Some(rule) = &facts.binding else {
        return format!("they train {}\n", counts.join(", "));
    };
    let classes: Vec<String> = rule
        .classes
        .iter()
        .map(|class| {
            let names = class.applications.join(" or ");
            match class.below_gpu_hours {
                Some(hours) => format!("below {hours} GPU-hours {names}"),
                None => format!("else {names}"),
            }
        })
        .collect();
    format!(
        "they train {}: drawn with seed {}, {}; stretched to the trace's durations\n",
        counts.join(", "),
        rule.seed,
        classes.join(", ")
    )
}
