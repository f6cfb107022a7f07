//! The words by which a cluster's log tells jobs apart: whose they are, and how they were queued.
//!
//! Jobs share few combinations of them, so a job holds one number: that of its combination.

use crate::Index;
use serde::{Deserialize, Serialize};

/// A column of words that many jobs share, as Slurm's accounting has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// Who submitted the job.
    User,
    /// Who is charged for it: an account or project.
    Account,
    /// The partition or queue that it was submitted to.
    Partition,
    /// Its quality of service, or priority class.
    Qos,
    /// The reservation that it ran in.
    Reservation,
}

impl Label {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 5] = [
        Self::User,
        Self::Account,
        Self::Partition,
        Self::Qos,
        Self::Reservation,
    ];

    /// The label of a word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.word() == word)
    }

    /// Its word in flags, files and links.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Account => "account",
            Self::Partition => "partition",
            Self::Qos => "qos",
            Self::Reservation => "reservation",
        }
    }

    /// The same of several.
    pub const fn words(self) -> &'static str {
        match self {
            Self::User => "users",
            Self::Account => "accounts",
            Self::Partition => "partitions",
            Self::Qos => "qos",
            Self::Reservation => "reservations",
        }
    }

    /// The same of several, as a heading.
    pub fn plural(self) -> &'static str {
        match self {
            Self::User => "Users",
            Self::Account => "Accounts",
            Self::Partition => "Partitions",
            Self::Qos => "QOS",
            Self::Reservation => "Reservations",
        }
    }

    /// What people call it, as a heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Account => "Account",
            Self::Partition => "Partition",
            Self::Qos => "QOS",
            Self::Reservation => "Reservation",
        }
    }
}

/// A combination: of each label the index of its name; `None` where the job has none.
pub type LabelSet = [Option<u32>; Label::ALL.len()];

/// The names that jobs have, and their combinations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Labels {
    /// By label: its names, in order of appearance.
    pub names: [Vec<String>; Label::ALL.len()],
    /// The combinations that jobs refer to.
    pub sets: Vec<LabelSet>,
}

impl Labels {
    /// The names of a label; none where no job has one.
    pub fn names(&self, label: Label) -> &[String] {
        self.names.get(label as usize).map_or(&[], Vec::as_slice)
    }

    /// Which of its names a combination has.
    pub fn index(&self, set: Option<Index>, label: Label) -> Option<u32> {
        let set = self.sets.get(set?.get() as usize)?;
        *set.get(label as usize)?
    }

    /// The name that a combination has.
    pub fn name(&self, set: Option<Index>, label: Label) -> Option<&str> {
        let at = self.index(set, label)? as usize;
        self.names(label).get(at).map(String::as_str)
    }

    /// The labels that some job has.
    pub fn told(&self) -> impl Iterator<Item = Label> {
        let told = |label: &Label| !self.names(*label).is_empty();
        Label::ALL.into_iter().filter(told)
    }
}
