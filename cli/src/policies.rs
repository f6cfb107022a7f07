//! `switchyard policies`: the schedulers there are, and the placements that they take.

use crate::{Failure, output, terminal};
use anyhow::{Context, anyhow};
use clap::{Args, ValueHint};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use switchyard::policies::ParamKind;
use switchyard_app::{described, slurm_settings};
use switchyard_sweep::files;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Print them as JSON
    #[arg(long)]
    json: bool,
    /// Print the policy slurm as a cluster has it: what 'scontrol show config' prints, or slurm.conf
    ///
    /// Its parameters are those of the file: switchyard run TRACE --policy "$(switchyard policies --slurm-config FILE)".
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "json")]
    slurm_config: Option<PathBuf>,
}

pub(crate) fn policies(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(file) = &arguments.slurm_config {
        return slurm(file);
    }
    if arguments.json {
        return output::json(output::STDOUT, &described::policies());
    }
    output::text(output::STDOUT, &text())
}

/// The policy on standard output, what it does not know on standard error.
fn slurm(file: &Path) -> Result<(), Failure> {
    let name = file.display().to_string();
    let text = files::read_text(file).with_context(|| format!("cannot read {name}"));
    let text = text.map_err(Failure::Input)?;
    let read = slurm_settings::slurm_policy(&text, &name);
    let (spec, notes) = read.map_err(|why| Failure::Input(anyhow!("{why}")))?;
    for note in notes {
        let said = terminal::within_line(&format!("{name}: {note}"));
        // Who does not read it does without.
        let _ = writeln!(io::stderr(), "{said}");
    }
    output::text(output::STDOUT, &format!("{spec}\n"))
}

fn text() -> String {
    // Most policies take a placement: which there are is said once, at the end.
    let placements = ParamKind::PlacementOrRuns.to_string();
    let mut text = String::new();
    for entry in described::policies() {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}: {}\n  {}\n  {}",
            entry.name, entry.title, entry.summary, entry.source
        );
        for info in &entry.params {
            let takes = match info.takes == placements {
                true => "default, or a placement: see the end",
                false => &info.takes,
            };
            let _ = writeln!(
                text,
                "    {}={}  {} ({takes})",
                info.name, info.default, info.help
            );
        }
        text.push('\n');
    }
    text.push_str("Placements, for placement=NAME and --placement NAME\n");
    for placement in described::placements() {
        let _ = writeln!(text, "    {}  {}", placement.name, placement.summary);
    }
    text
}
