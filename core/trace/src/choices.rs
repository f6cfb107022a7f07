//! What people decide after reading the import report: which jobs, what becomes of fractions of
//! a GPU, and of gangs that the cluster cannot hold.
//!
//! As text: a window is `FROM..TO` in seconds since the first submission, or with units as
//! `1d..2d12h`; either end may be missing.

use super::report::{Dropped, Example, WarningKind};
use super::{DropReason, Index, Member, Record, Resource, Trace};
use crate::cluster::ClusterSpec;
use crate::job::{Status, UnknownStatus};
use crate::meant::{hint, meant, remark};
use crate::seconds_of;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use switchyard_model::workload::Label;

/// Which jobs of a trace are replayed, and how. The default is all, as they were read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Choices {
    /// Only jobs submitted in this window.
    pub window: Option<Window>,
    /// Only jobs of these tenants or virtual clusters; empty: of all.
    pub tenants: Vec<String>,
    /// Only jobs of these users, accounts, partitions and so on: of one of those named, by label. Labels
    /// that are not named: of all.
    pub labels: Vec<(Label, String)>,
    /// Only jobs that ended so; empty: all.
    pub statuses: Vec<Status>,
    /// What becomes of jobs that ask for a fraction of a GPU.
    pub fractions: Fractions,
    /// What becomes of jobs that ask for more GPUs than the cluster has.
    pub oversized: Oversized,
    /// What becomes of jobs that ask for cores and no GPU.
    pub on_cores: OnCores,
}

/// What becomes of jobs that ask for cores and no GPU, where they were kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnCores {
    /// They run on cores, beside what schedulers decide.
    #[default]
    Keep,
    /// They are left out.
    Drop,
}

/// A span of submissions, in seconds since the first one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Its beginning, inclusive.
    pub from: f64,
    /// Its end, exclusive; infinite where it has none.
    pub to: f64,
}

/// What becomes of jobs that ask for a fraction of a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fractions {
    /// They get whole GPUs.
    #[default]
    RoundUp,
    /// They get whole GPUs for a shorter time, so that the GPU time is what they asked for: as if
    /// a GPU were shared by taking turns without loss.
    Share,
    /// They are left out.
    Drop,
}

impl Fractions {
    /// What the import report says of it; nothing where nothing was chosen.
    fn in_words(self) -> Option<&'static str> {
        match self {
            Self::RoundUp => None,
            Self::Share => Some(
                "By choice they have whole GPUs for a shorter time, so that the GPU time is what they asked for.",
            ),
            Self::Drop => Some("By choice they are left out."),
        }
    }
}

/// What becomes of jobs that ask for more GPUs than the cluster has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Oversized {
    /// They stay; a run rejects them and says so.
    #[default]
    Keep,
    /// They are left out.
    Drop,
    /// They get the whole cluster, for as much longer as it is smaller than what they asked for.
    Shrink,
}

/// Why choices cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum ChoiceError {
    /// Not of the form `FROM..TO`.
    #[error("'{0}' is not a window: write FROM..TO, such as 1d..36h; a number alone is seconds")]
    Window(String),
    /// Not the word for a status.
    #[error(transparent)]
    Status(#[from] UnknownStatus),
    /// A word that is none of those expected.
    #[error("'{given}' is not {what}{}: use {valid}", hint(.given, .valid.split(", ")))]
    Word {
        /// What was given.
        given: String,
        /// What was expected.
        what: String,
        /// The words there are.
        valid: String,
    },
    /// No tenant has this name.
    #[error("the trace has no tenant '{given}'{}: its tenants are {valid}", remark(.meant.as_deref()))]
    NoSuchTenant {
        /// The name.
        given: String,
        /// The tenant that may have been meant.
        meant: Option<String>,
        /// The names there are, or the first of them.
        valid: String,
    },
    /// No job has this name under a label.
    #[error(
        "the trace has no {word} '{given}'{}: its {words} are {valid}",
        remark(.meant.as_deref()),
        word = .label.word(),
        words = .label.words()
    )]
    NoSuchLabel {
        /// The label.
        label: Label,
        /// The name.
        given: String,
        /// The name that may have been meant.
        meant: Option<String>,
        /// The names there are, or the first of them.
        valid: String,
    },
    /// Nothing is left.
    #[error(
        "no job is left: the choices leave out all {0}; choose a wider window, or more tenants or statuses"
    )]
    NothingLeft(u32),
}

impl Choices {
    /// Whether they change nothing.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// What is not at its default, as `key=value` of the command line's flags.
    pub fn in_words(&self) -> Vec<String> {
        let window = self.window.map(|window| format!("window={window}"));
        let tenants = self.tenants.iter().map(|name| format!("tenant={name}"));
        let labels = self.labels.iter();
        let labels = labels.map(|(label, name)| format!("{}={name}", label.word()));
        let name = |status: &Status| format!("status={}", name_of(&Status::ALL, *status));
        let statuses = self.statuses.iter().map(name);
        let fractions = name_of(&FRACTIONS, self.fractions);
        let oversized = name_of(&OVERSIZED, self.oversized);
        let words = window.into_iter().chain(tenants).chain(labels);
        let mut words: Vec<String> = words.chain(statuses).collect();
        if self.fractions != Fractions::default() {
            words.push(format!("fractions={fractions}"));
        }
        if self.oversized != Oversized::default() {
            words.push(format!("oversized={oversized}"));
        }
        if self.on_cores != OnCores::default() {
            words.push(format!("on-cores={}", name_of(&ON_CORES, self.on_cores)));
        }
        words
    }

    /// Takes one of them, by key and value of the command line's flags, as [in words](Self::in_words). `false`:
    /// no choice has this key.
    ///
    /// # Errors
    ///
    /// It takes other values.
    pub fn take(&mut self, key: &str, value: &str) -> Result<bool, ChoiceError> {
        match key {
            "window" => self.window = Some(value.parse()?),
            "tenant" => self.tenants.push(value.to_owned()),
            "status" => self.statuses.push(value.parse()?),
            "fractions" => self.fractions = value.parse()?,
            "oversized" => self.oversized = value.parse()?,
            "on-cores" => self.on_cores = value.parse()?,
            _ => match Label::named(key) {
                Some(label) => self.labels.push((label, value.to_owned())),
                None => return Ok(false),
            },
        }
        Ok(true)
    }
}

impl Trace {
    /// Leaves out and changes jobs as chosen; the report counts them. `cluster` decides which
    /// gangs are too large, and whether there are cores for jobs without GPUs; `None`: none is, and there are.
    ///
    /// # Errors
    ///
    /// A [`ChoiceError`] if a tenant does not exist or no job is left; the trace is unchanged.
    pub fn choose(
        &mut self,
        choices: &Choices,
        cluster: Option<&ClusterSpec>,
    ) -> Result<(), ChoiceError> {
        let mut wanted = vec![choices.tenants.is_empty(); self.tenants.len()];
        for given in &choices.tenants {
            let at = self.tenants.iter().position(|tenant| tenant == given);
            let flag = at.and_then(|at| wanted.get_mut(at));
            *flag.ok_or_else(|| ChoiceError::NoSuchTenant {
                given: given.clone(),
                meant: meant(given, self.tenants.iter().map(String::as_str)).map(str::to_owned),
                valid: list(&self.tenants),
            })? = true;
        }
        let has_cores = cluster.is_none_or(ClusterSpec::tells_cores);
        let on_cores = |record: &Record| record.gpus == 0;
        let drops_on_cores =
            (choices.on_cores == OnCores::Drop || !has_cores) && self.records.iter().any(on_cores);
        if choices.is_default() && !drops_on_cores {
            return Ok(());
        }
        let labelled = self.labelled(&choices.labels)?;
        let first = super::earliest(&self.records);
        let unit = self.unit;
        let most = cluster.map_or(u32::MAX, ClusterSpec::gpus);
        let why = |record: &Record| {
            let submit = record.submit - first;
            let tenant = match record.tenant {
                Some(tenant) => wanted.get(tenant as usize).copied().unwrap_or(false),
                None => choices.tenants.is_empty(),
            };
            let statuses = &choices.statuses;
            if choices
                .window
                .is_some_and(|w| submit < w.from || submit >= w.to)
            {
                Some(DropReason::OutsideWindow)
            } else if !tenant {
                Some(DropReason::OtherTenant)
            } else if !labelled.is_empty() && !has(&labelled, record.labels) {
                Some(DropReason::OtherLabel)
            } else if !statuses.is_empty() && !statuses.contains(&record.status) {
                Some(DropReason::OtherStatus)
            } else if choices.fractions == Fractions::Drop && record.share < 1.0 {
                Some(DropReason::Fractional)
            } else if choices.oversized == Oversized::Drop && record.gpus > most {
                Some(DropReason::LargerThanCluster)
            } else if drops_on_cores && on_cores(record) {
                Some(DropReason::OnCores)
            } else {
                None
            }
        };
        if self.records.iter().all(|record| why(record).is_some()) {
            return Err(ChoiceError::NothingLeft(self.records.len() as u32));
        }
        let mut members = self.members.iter_mut();
        let mut member = members.next();
        let mut left = member.as_ref().map_or(0, |m| m.jobs);
        let mut dropped: Vec<Dropped> = Vec::new();
        self.records.retain(|record| {
            while left == 0
                && let Some(next) = members.next()
            {
                left = next.jobs;
                member = Some(next);
            }
            left = left.saturating_sub(1);
            let Some(reason) = why(record) else {
                return true;
            };
            let file = member.as_ref().map_or("", |m| m.name.as_str());
            match dropped.iter_mut().find(|entry| entry.reason == reason) {
                Some(entry) => entry.count += 1,
                None => {
                    let at = dropped.partition_point(|entry| entry.reason < reason);
                    let example = example(file, record, first, unit);
                    let count = 1;
                    dropped.insert(
                        at,
                        Dropped {
                            reason,
                            count,
                            example,
                        },
                    );
                }
            }
            if let Some(Member { jobs, .. }) = &mut member {
                *jobs = jobs.saturating_sub(1);
            }
            false
        });
        let share = choices.fractions == Fractions::Share;
        let shrink = choices.oversized == Oversized::Shrink;
        for record in &mut self.records {
            if share && record.share < 1.0 {
                let asked = f64::from(record.gpus - 1) + f64::from(record.share);
                record.stretch(asked / f64::from(record.gpus));
                record.share = 1.0;
            }
            if shrink && record.gpus > most {
                record.stretch(f64::from(record.gpus) / f64::from(most));
                record.gpus = most;
            }
        }
        self.report.dropped.append(&mut dropped);
        if let Some(how) = choices.fractions.in_words() {
            self.report.by_choice(WarningKind::FractionalGpus, how);
        }
        self.report.rows_kept = self.records.len() as u32;
        let now = super::earliest(&self.records);
        // Hours count from Unix time 0 where that is known, else from the first submission.
        let start = self.epoch.map_or(now, |epoch| first - epoch);
        self.report.distributions = super::Distributions::of(&self.records, start);
        if let Some(epoch) = &mut self.epoch {
            *epoch += now - first;
        }
        Ok(())
    }
}

impl Trace {
    /// By combination of labels whether it has, under each label named, one of its names; nothing where none is.
    ///
    /// # Errors
    ///
    /// No job has such a name.
    fn labelled(&self, chosen: &[(Label, String)]) -> Result<Vec<bool>, ChoiceError> {
        let mut wanted: BTreeMap<Label, Vec<u32>> = BTreeMap::new();
        for (label, given) in chosen {
            let names = self.labels.names(*label);
            let at = names.iter().position(|name| name == given);
            let at = at.ok_or_else(|| ChoiceError::NoSuchLabel {
                label: *label,
                given: given.clone(),
                meant: meant(given, names.iter().map(String::as_str)).map(str::to_owned),
                valid: list(names),
            })?;
            wanted.entry(*label).or_default().push(at as u32);
        }
        let sets = (0..self.labels.sets.len() as u32).filter(|_| !wanted.is_empty());
        let has = |set: u32| {
            wanted.iter().all(|(label, names)| {
                let name = self.labels.index(Index::new(set), *label);
                name.is_some_and(|name| names.contains(&name))
            })
        };
        Ok(sets.map(has).collect())
    }
}

/// Whether the combination of a job is one of those that are wanted.
fn has(wanted: &[bool], set: Option<Index>) -> bool {
    set.is_some_and(|set| wanted.get(set.get() as usize) == Some(&true))
}

fn example(file: &str, record: &Record, first: f64, unit: Resource) -> Example {
    Example {
        file: file.to_owned(),
        line: record.line,
        detail: format!(
            "{} {}, submitted after {} s",
            record.gpus,
            unit.words("GPUs"),
            record.submit - first
        ),
    }
}

fn list(names: &[String]) -> String {
    const SHOWN: usize = 24;
    let mut text = names
        .iter()
        .take(SHOWN)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    if names.is_empty() {
        text.push_str("(none)");
    }
    text
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..", self.from)?;
        if self.to.is_finite() {
            write!(f, "{}", self.to)?;
        }
        Ok(())
    }
}

impl FromStr for Window {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        let syntax = || ChoiceError::Window(text.to_owned());
        let (from, to) = text.split_once("..").ok_or_else(syntax)?;
        let end = |end: &str, open: f64| {
            let end = end.trim();
            if end.is_empty() {
                return Some(open);
            }
            seconds_of(end)
        };
        let from = end(from, 0.0).ok_or_else(syntax)?;
        let to = end(to, f64::INFINITY).ok_or_else(syntax)?;
        if from < to {
            Ok(Self { from, to })
        } else {
            Err(syntax())
        }
    }
}

/// The words for a way to treat fractions of a GPU.
const FRACTIONS: [(&str, Fractions); 3] = [
    ("round-up", Fractions::RoundUp),
    ("share", Fractions::Share),
    ("drop", Fractions::Drop),
];

/// The words for a way to treat gangs larger than the cluster.
const OVERSIZED: [(&str, Oversized); 3] = [
    ("keep", Oversized::Keep),
    ("drop", Oversized::Drop),
    ("shrink", Oversized::Shrink),
];

/// The words for a way to treat jobs that ask for cores and no GPU.
const ON_CORES: [(&str, OnCores); 2] = [("keep", OnCores::Keep), ("drop", OnCores::Drop)];

/// Reads one of a few words.
fn word<T: Copy>(text: &str, what: &str, words: &[(&str, T)]) -> Result<T, ChoiceError> {
    let found = words.iter().find(|(word, _)| *word == text);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let valid: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        ChoiceError::Word {
            given: text.to_owned(),
            what: what.to_owned(),
            valid: valid.join(", "),
        }
    })
}

/// The word for a value.
fn name_of<T: PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    let found = words.iter().find(|(_, other)| *other == value);
    found.map_or("", |(word, _)| word)
}

impl FromStr for Fractions {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        word(text, "a way to treat fractions of a GPU", &FRACTIONS)
    }
}

impl FromStr for Oversized {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        let what = "a way to treat gangs larger than the cluster";
        word(text, what, &OVERSIZED)
    }
}

impl FromStr for OnCores {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        let what = "a way to treat jobs that ask for cores and no GPU";
        word(text, what, &ON_CORES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{dropped, trace};

    const JOBS: &[u8] = b"job,submit,duration,gpus,vc,state\na,100,10,0.5,x,Pass\nb,160,10,4,y,Killed\nc,3700,10,20,x,Pass\nd,7300,10,1,,Failed\n";

    fn chosen(choices: &Choices) -> Trace {
        let mut trace = trace("jobs.csv", JOBS);
        let cluster = ClusterSpec::uniform(2, 4).unwrap();
        trace.choose(choices, Some(&cluster)).unwrap();
        let left_out: u32 = trace.report.dropped.iter().map(|d| d.count).sum();
        assert_eq!(trace.report.rows_read, trace.report.rows_kept + left_out);
        assert_eq!(trace.members[0].jobs, trace.report.rows_kept);
        trace
    }

    fn names(trace: &Trace) -> Vec<&str> {
        trace.records.iter().map(|r| &*r.name).collect()
    }

    #[test]
    fn windows_tenants_and_statuses() {
        let window = Some("60..1h".parse().unwrap());
        let trace = chosen(&Choices {
            window,
            ..Choices::default()
        });
        assert_eq!(names(&trace), ["b"]);
        assert_eq!(
            dropped(&trace),
            ["outside_window 3 2 1 GPUs, submitted after 0 s"]
        );
        let trace = chosen(&Choices {
            tenants: vec!["x".to_owned()],
            statuses: vec![Status::Completed],
            ..Choices::default()
        });
        assert_eq!(names(&trace), ["a", "c"]);
    }

    #[test]
    fn fractions_and_gangs() {
        let shared = chosen(&Choices {
            fractions: Fractions::Share,
            oversized: Oversized::Shrink,
            ..Choices::default()
        });
        let seen: Vec<_> = shared
            .records
            .iter()
            .map(|r| (r.gpus, r.duration))
            .collect();
        assert_eq!(seen, [(1, 5.0), (4, 10.0), (8, 25.0), (1, 10.0)]);
        let dropped = chosen(&Choices {
            fractions: Fractions::Drop,
            oversized: Oversized::Drop,
            ..Choices::default()
        });
        assert_eq!(names(&dropped), ["b", "d"]);
    }

    #[test]
    fn users_and_partitions() {
        let table = b"job_id,submit,duration,gpus,user,partition\n\
            1,0,5,1,ann,gpu\n2,0,5,1,ben,gpu\n3,0,5,1,ann,debug\n4,0,5,1,,gpu\n5,0,5,1,cas,gpu\n";
        let chosen = |labels: &[(Label, &str)]| {
            let mut trace = crate::testing::trace("jobs.csv", table);
            let labels = labels
                .iter()
                .map(|(label, name)| (*label, (*name).to_owned()));
            let choices = Choices {
                labels: labels.collect(),
                ..Choices::default()
            };
            trace.choose(&choices, None).map(|()| {
                let names = trace.records.iter().map(|record| record.name.to_string());
                names.collect::<String>()
            })
        };
        let (user, partition) = (Label::User, Label::Partition);
        assert_eq!(chosen(&[(user, "ann")]), Ok("13".to_owned()));
        assert_eq!(
            chosen(&[(user, "ann"), (user, "cas")]),
            Ok("135".to_owned())
        );
        let both = chosen(&[(user, "ann"), (partition, "gpu")]);
        assert_eq!(both, Ok("1".to_owned()));
        let error = chosen(&[(user, "anne")]).unwrap_err().to_string();
        let why = "the trace has no user 'anne' (did you mean 'ann'?): its users are ann, ben, cas";
        assert_eq!(error, why);
        let error = chosen(&[(Label::Qos, "high")]).unwrap_err().to_string();
        assert!(error.ends_with("its qos are (none)"), "{error}");
    }

    #[test]
    fn in_words_as_the_flags_have_them() {
        assert_eq!(Choices::default().in_words(), [""; 0]);
        let choices = Choices {
            window: Some("1h..".parse().unwrap()),
            tenants: vec!["a".to_owned(), "b".to_owned()],
            labels: vec![(Label::User, "ann".to_owned())],
            statuses: vec![Status::Failed],
            fractions: Fractions::Share,
            oversized: Oversized::Shrink,
            on_cores: OnCores::Drop,
        };
        let words = "window=3600.. tenant=a tenant=b user=ann status=failed fractions=share oversized=shrink on-cores=drop";
        assert_eq!(choices.in_words().join(" "), words);
        let mut again = Choices::default();
        for word in choices.in_words() {
            let (key, value) = word.split_once('=').unwrap();
            assert_eq!(again.take(key, value), Ok(true), "{word}");
        }
        assert_eq!(again, choices);
        assert_eq!(again.take("unit", "cores"), Ok(false));
        let error = again.take("oversized", "half").unwrap_err().to_string();
        assert!(error.starts_with("'half' is not a way"), "{error}");
        assert_eq!(again, choices);
    }

    #[test]
    fn says_what_is_wrong() {
        let mut trace = trace("jobs.csv", JOBS);
        let tenants = vec!["z".to_owned()];
        let error = trace.choose(
            &Choices {
                tenants,
                ..Choices::default()
            },
            None,
        );
        assert_eq!(
            error.unwrap_err().to_string(),
            "the trace has no tenant 'z': its tenants are x, y"
        );
        let window = Some("1d..".parse().unwrap());
        let error = trace.choose(
            &Choices {
                window,
                ..Choices::default()
            },
            None,
        );
        assert_eq!(
            error.unwrap_err().to_string(),
            "no job is left: the choices leave out all 4; choose a wider window, or more tenants or statuses"
        );
        assert_eq!(trace.records.len(), 4);
        for text in ["5", "2..1", "x..", "1y..", "-1..3"] {
            let error = text.parse::<Window>().unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "'{text}' is not a window: write FROM..TO, such as 1d..36h; a number alone is seconds"
                )
            );
        }
        assert_eq!(
            "half".parse::<Fractions>().unwrap_err().to_string(),
            "'half' is not a way to treat fractions of a GPU: use round-up, share, drop"
        );
    }
}
