//! Queues out of files: Kueue's, KAI's and Volcano's objects, Slurm's associations and settings, YARN's capacities, and
//! our own text.
//!
//! In: a file's text and name. Out: the tree, with notes of what was left out, or an error that names object, line and
//! what to do. One format a file.

pub mod error;
pub mod kai;
pub mod kueue;
pub mod read;
pub mod slurm_associations;
pub mod slurm_config;
pub mod volcano;
pub mod yarn;

mod draft;
mod quantity;
mod yaml;

use crate::text;
use error::FileError;
use read::{Read, Unit};
use serde::{Deserialize, Serialize};

/// What a file may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Kueue's objects.
    Kueue,
    /// KAI-Scheduler's Queues.
    Kai,
    /// Volcano's Queues.
    Volcano,
    /// `sacctmgr show assoc` or `sacctmgr dump`.
    SlurmAssociations,
    /// `scontrol show config` or `slurm.conf`: settings, no queues.
    SlurmConfig,
    /// `capacity-scheduler.xml`.
    Yarn,
    /// Our own lines.
    Text,
}

/// What a text is; none: nothing of these.
pub fn format(text: &str) -> Option<Format> {
    if text.trim_start().starts_with('<') {
        return text
            .contains("yarn.scheduler.capacity.")
            .then_some(Format::Yarn);
    }
    let groups = [
        ("kueue.x-k8s.io/", Format::Kueue),
        ("scheduling.run.ai/", Format::Kai),
        ("scheduling.volcano.sh/", Format::Volcano),
    ];
    for line in text.lines().filter(|line| line.contains("apiVersion")) {
        let found = groups.iter().find(|(group, _)| line.contains(group));
        if let Some((_, format)) = found {
            return Some(*format);
        }
    }
    if slurm_associations::is_one(text) {
        return Some(Format::SlurmAssociations);
    }
    if slurm_config::is_one(text) {
        return Some(Format::SlurmConfig);
    }
    // A word alone could be anything.
    let has_fields = text.contains('=') && text::read(text).is_ok();
    has_fields.then_some(Format::Text)
}

/// Reads queues, whatever format they have.
///
/// # Errors
/// No known format, settings without queues, and what each format refuses.
pub fn read(text: &str, file: &str) -> Result<Read, FileError> {
    match format(text) {
        Some(Format::Kueue) => kueue::read(text, file),
        Some(Format::Kai) => kai::read(text, file),
        Some(Format::Volcano) => volcano::read(text, file),
        Some(Format::SlurmAssociations) => slurm_associations::read(text, file),
        Some(Format::Yarn) => yarn::read(text, file),
        Some(Format::SlurmConfig) => {
            let what = "it has settings of Slurm but no queues; give the associations (sacctmgr show assoc -P), too";
            Err(FileError::new(file, what))
        }
        Some(Format::Text) => own(text, file),
        None => own(text, file).map_err(|error| {
            let what = format!(
                "{}. It was taken for lines of our own, since it is nothing of Kueue, KAI, Volcano, Slurm or YARN",
                error.what
            );
            FileError { what, ..error }
        }),
    }
}

/// Our own lines.
fn own(text: &str, file: &str) -> Result<Read, FileError> {
    let tree = text::read(text).map_err(|error| {
        let plain = FileError::new(file, error.what).at(error.line);
        match error.queue {
            Some(queue) => plain.of(&format!("queue '{queue}'")),
            None => plain,
        }
    })?;
    if tree.queues().is_empty() {
        return Err(FileError::new(
            file,
            "there is no queue in it; write one a line",
        ));
    }
    Ok(Read {
        tree,
        unit: Unit::Things,
        members: Vec::new(),
        notes: Vec::new(),
    })
}
