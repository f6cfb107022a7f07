//! What adaptive jobs train: profiles from files, and the rule by which plain jobs get them.

use crate::terminal::within_line;
use crate::{Failure, input};
use anyhow::{Context, anyhow};
use clap::{Args, ValueHint};
use std::path::{Path, PathBuf};
use switchyard::report::TraceFacts;
use switchyard::trace::{ProfileTable, SourceFile};
use switchyard::workload::{Application, profiles};
use switchyard_app::study::Request;
use switchyard_sweep::files;

#[derive(Args)]
#[command(next_help_heading = "What jobs train")]
pub(crate) struct ApplicationArguments {
    /// Measured profiles: a folder per application, or a zip [default: the embedded ones]
    ///
    /// Each folder holds placements.csv, scalability.csv and validation-M.csv; placements-a100.csv is of a type of GPUs.
    #[arg(long, value_name = "DIR|ZIP", value_hint = ValueHint::AnyPath)]
    profiles: Option<PathBuf>,
    /// An application defined in JSON; may be repeated
    ///
    /// It stands besides the others, or in the place of one of its name.
    #[arg(long = "application", value_name = "FILE", value_hint = ValueHint::FilePath)]
    definitions: Vec<PathBuf>,
    /// Another rule by which plain jobs get applications, as JSON
    ///
    /// The results name the one used.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    binding: Option<PathBuf>,
}

impl ApplicationArguments {
    /// Asks for what is in the files that are named.
    pub(crate) fn ask(&self, request: &mut Request) -> Result<(), Failure> {
        if let Some(path) = &self.binding {
            let rule = serde_json::from_str(&read_text(path)?);
            let refused = |error| Failure::Input(anyhow!("{}: {error}", path.display()));
            request.rule(rule.map_err(refused)?);
        }
        if let Some(path) = &self.profiles {
            request.profiles(profiles(path)?);
        }
        for path in &self.definitions {
            let refused = |error| Failure::Input(anyhow!("{}: {error}", path.display()));
            request.define(read_text(path)?).map_err(refused)?;
        }
        Ok(())
    }
}

/// Tables of measured profiles, from a folder or an archive.
pub(crate) fn profiles(path: &Path) -> Result<Vec<ProfileTable>, Failure> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut read = |name: &Path, path: &Path| -> Result<(), Failure> {
        let bytes = files::read(path)
            .with_context(|| format!("cannot read {}", path.display()))
            .map_err(Failure::Input)?;
        files.push((name.display().to_string(), bytes));
        Ok(())
    };
    if path.is_dir() {
        // From the folder above: a single application's folder gives it its name.
        let above = path.parent().unwrap_or(path);
        for file in input::files_below(path).map_err(Failure::Input)?.files {
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
    let sound = |tables: Vec<ProfileTable>| {
        Application::of_tables(&tables)?;
        Ok(tables)
    };
    profiles::tables(&files)
        .and_then(sound)
        .with_context(|| format!("{} holds no profiles", path.display()))
        .map_err(Failure::Input)
}

fn read_text(path: &Path) -> Result<String, Failure> {
    files::read_text(path)
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
        return within_line(&format!("they train {}", counts.join(", "))) + "\n";
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
    within_line(&format!(
        "they train {}: drawn with seed {}, {}; stretched to the trace's durations",
        counts.join(", "),
        rule.seed,
        classes.join(", ")
    )) + "\n"
}
