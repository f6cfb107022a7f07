//! Which column of a table holds what: guessed by the importer, shown to people with the first
//! rows, corrected by them, and given back with the next opening.
//!
//! As text: `submit=Arrival,duration=Run time,gpus=GPUs,unit=s`. A column is named as in the
//! header, upper and lower case alike, or by its number as `#3`; a name with a comma stands in
//! quotation marks. What is not said is guessed as without a mapping; `tenant=` says that no column is
//! the tenant, and `gpus=1` that every job has one GPU, unless a column is called so.

use super::timestamp::TimeUnit;
use crate::meant::hint;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which column holds what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ColumnMapping {
    /// The job's id.
    pub id: Option<String>,
    /// When it was submitted; without it the start is taken.
    pub submit: Option<String>,
    /// When it started.
    pub start: Option<String>,
    /// When it ended; end − start is the duration where no column tells it.
    pub end: Option<String>,
    /// How long it ran, in numbers or as hours, minutes and seconds. Start and end are held against
    /// it where they are given.
    pub duration: Option<String>,
    /// GPUs it asked for, of each worker where there are several.
    pub gpus: Option<String>,
    /// Workers: multiplies the GPUs.
    pub workers: Option<String>,
    /// Thousandths of a GPU, where a single one is shared.
    pub gpu_milli: Option<String>,
    /// Tenant or virtual cluster.
    pub tenant: Option<String>,
    /// Model or application.
    pub model: Option<String>,
    /// How it ended.
    pub status: Option<String>,
    /// The time it asked for: a limit or an estimate, in the unit of the duration.
    pub requested_time: Option<String>,
    /// Who submitted it.
    pub user: Option<String>,
    /// Who is charged for it.
    pub account: Option<String>,
    /// The partition or queue that it was submitted to.
    pub partition: Option<String>,
    /// Its quality of service, or priority class.
    pub qos: Option<String>,
    /// The reservation that it ran in.
    pub reservation: Option<String>,
    /// Its priority, as its scheduler counted it.
    pub priority: Option<String>,
    /// The GPU types that it ran on, joined by `|`.
    pub recorded_types: Option<String>,
    /// The nodes that it ran on.
    pub recorded_nodes: Option<String>,
    /// Unit of submission, start and end where they are numbers; `None`: told by their size,
    /// else seconds.
    pub unit: Option<TimeUnit>,
    /// Unit of the duration; `None`: that of the other times.
    pub duration_unit: Option<TimeUnit>,
    /// How submission, start and end are written.
    pub time: TimeRule,
}

/// How times are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeRule {
    /// As the first sound one is.
    #[default]
    Auto,
    /// Dates; UTC unless they have a zone.
    Dates,
    /// Dates such as 27/03/2023.
    DayFirst,
    /// Dates such as 03/27/2023.
    MonthFirst,
    /// Numbers.
    Numbers,
}

/// What a column can be.
#[derive(Clone, Copy, Debug)]
pub struct MappingRole {
    /// As a mapping calls it.
    pub key: &'static str,
    /// As people do, of a column.
    pub title: &'static str,
    /// As sentences do.
    pub(crate) noun: &'static str,
    /// Whether it says whose a job is, which several roles may learn from the same column.
    pub(crate) says_whose: bool,
    of: fn(&ColumnMapping) -> &Option<String>,
    of_mut: fn(&mut ColumnMapping) -> &mut Option<String>,
}

/// A role of the field of that name.
macro_rules! role {
    ($key:ident, $title:literal, $noun:literal) => {
        MappingRole {
            key: stringify!($key),
            title: $title,
            noun: $noun,
            says_whose: false,
            of: |mapping| &mapping.$key,
            of_mut: |mapping| &mut mapping.$key,
        }
    };
}

impl MappingRole {
    /// Every one, in the order in which they are shown.
    pub const ALL: &'static [Self] = &[
        role!(id, "job", "id"),
        role!(submit, "submitted", "submission"),
        role!(start, "started", "start"),
        role!(end, "ended", "end"),
        role!(duration, "duration", "duration"),
        role!(gpus, "GPUs", "GPUs"),
        role!(workers, "workers, × GPUs", "workers"),
        role!(gpu_milli, "GPUs ∕ 1000", "thousandths of a GPU"),
        role!(tenant, "tenant", "tenant").whose(),
        role!(model, "model", "model"),
        role!(status, "status", "status"),
        role!(requested_time, "time asked for", "time asked for"),
        role!(user, "user", "user").whose(),
        role!(account, "account", "account").whose(),
        role!(partition, "partition", "partition").whose(),
        role!(qos, "QOS", "QOS").whose(),
        role!(reservation, "reservation", "reservation").whose(),
        role!(priority, "priority", "priority"),
        role!(recorded_types, "GPU types it ran on", "GPU types it ran on"),
        role!(recorded_nodes, "nodes it ran on", "nodes it ran on"),
    ];

    const fn whose(self) -> Self {
        Self {
            says_whose: true,
            ..self
        }
    }

    fn named(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| role.key == key)
    }
}

/// The beginning of a table, for people to say which column is which.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableHead {
    /// The columns' names; `#1`, `#2`, … where it has none.
    pub columns: Vec<String>,
    /// The first rows, a cell per column, cells of at most 200 characters.
    pub rows: Vec<Vec<String>>,
    /// Which column was taken for what, units included.
    pub guess: ColumnMapping,
}

/// Why a text is no mapping.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    /// Not of the form `key=value`.
    #[error(
        "'{0}' is no part of a mapping: write it as submit=COLUMN,duration=COLUMN,gpus=COLUMN,unit=s"
    )]
    Syntax(String),
    /// No such key.
    #[error(
        "a mapping has no '{0}'{meant}: use {keys}, unit, duration_unit, time",
        meant = hint(.0, ColumnMapping::KEYS.into_iter().chain(["unit", "duration_unit", "time"])),
        keys = ColumnMapping::KEYS.join(", ")
    )]
    UnknownKey(String),
    /// A key given more than once.
    #[error("the mapping gives '{0}' twice")]
    Twice(String),
    /// No unit.
    #[error("'{0}' is no unit of time: use ns, us, ms, s, min, h or d")]
    BadUnit(String),
    /// No time rule.
    #[error("'{0}' is no way to write times: use auto, dates, day-first, month-first or numbers")]
    BadTime(String),
}

impl ColumnMapping {
    /// The roles, as they are called in texts.
    pub const KEYS: [&'static str; MappingRole::ALL.len()] = {
        let mut keys = [""; MappingRole::ALL.len()];
        let mut at = 0;
        while at < keys.len() {
            keys[at] = MappingRole::ALL[at].key;
            at += 1;
        }
        keys
    };

    /// The column in a role, one of [`KEYS`](Self::KEYS).
    pub fn get(&self, key: &str) -> Option<&str> {
        self.column(key)?.as_deref().filter(|name| !name.is_empty())
    }

    /// Names the column in a role.
    pub(crate) fn set(&mut self, key: &str, column: &str) {
        if let Some(role) = self.column_mut(key) {
            *role = Some(column.to_owned());
        }
    }

    /// The same, which says of roles that a guess gives a column and this does not that they have none.
    pub fn against(&self, guess: &Self) -> Self {
        let mut all = self.clone();
        for key in Self::KEYS {
            if self.get(key).is_none() && guess.get(key).is_some() {
                all.set(key, "");
            }
        }
        all
    }

    /// Gives a column a role, and any it had before up.
    pub fn assign(&mut self, column: &str, key: Option<&str>) {
        for other in Self::KEYS {
            if let Some(held) = self.column_mut(other)
                && held.as_deref() == Some(column)
            {
                *held = None;
            }
        }
        if let Some(role) = key.and_then(|key| self.column_mut(key)) {
            *role = Some(column.to_owned());
        }
    }

    pub(crate) fn column(&self, key: &str) -> Option<&Option<String>> {
        MappingRole::named(key).map(|role| (role.of)(self))
    }

    fn column_mut(&mut self, key: &str) -> Option<&mut Option<String>> {
        MappingRole::named(key).map(|role| (role.of_mut)(self))
    }
}

impl fmt::Display for ColumnMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for key in Self::KEYS {
            if let Some(name) = self.column(key).and_then(Option::as_ref) {
                let plain = !name.contains([',', '"', '=']) && name.trim() == name;
                if plain {
                    write!(f, "{comma}{key}={name}")?;
                } else {
                    write!(f, "{comma}{key}=\"{}\"", name.replace('"', "\"\""))?;
                }
                comma = ",";
            }
        }
        for (key, unit) in [("unit", self.unit), ("duration_unit", self.duration_unit)] {
            if let Some(unit) = unit {
                write!(f, "{comma}{key}={}", unit.short())?;
                comma = ",";
            }
        }
        match self.time {
            TimeRule::Auto => Ok(()),
            TimeRule::Dates => write!(f, "{comma}time=dates"),
            TimeRule::DayFirst => write!(f, "{comma}time=day-first"),
            TimeRule::MonthFirst => write!(f, "{comma}time=month-first"),
            TimeRule::Numbers => write!(f, "{comma}time=numbers"),
        }
    }
}

impl FromStr for ColumnMapping {
    type Err = MappingError;

    fn from_str(text: &str) -> Result<Self, MappingError> {
        let mut mapping = Self::default();
        let mut given: Vec<String> = Vec::new();
        for pair in pairs(text) {
            let syntax = || MappingError::Syntax(pair.trim().to_owned());
            let (key, value) = pair.split_once('=').ok_or_else(syntax)?;
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            let value = match value.strip_prefix('"').and_then(|v| v.strip_suffix('"')) {
                Some(quoted) => quoted.replace("\"\"", "\""),
                None => value.to_owned(),
            };
            if value.is_empty() && !Self::KEYS.contains(&key.as_str()) {
                return Err(syntax());
            }
            if given.contains(&key) {
                return Err(MappingError::Twice(key));
            }
            let unit = || TimeUnit::of_word(&value).ok_or(MappingError::BadUnit(value.clone()));
            match key.as_str() {
                "unit" => mapping.unit = Some(unit()?),
                "duration_unit" => mapping.duration_unit = Some(unit()?),
                "time" => {
                    mapping.time = match value.as_str() {
                        "auto" => TimeRule::Auto,
                        "dates" => TimeRule::Dates,
                        "day-first" => TimeRule::DayFirst,
                        "month-first" => TimeRule::MonthFirst,
                        "numbers" => TimeRule::Numbers,
                        _ => return Err(MappingError::BadTime(value)),
                    }
                }
                _ => match mapping.column_mut(&key) {
                    Some(column) => *column = Some(value),
                    None => return Err(MappingError::UnknownKey(key)),
                },
            }
            given.push(key);
        }
        Ok(mapping)
    }
}

/// Cuts at the commas outside quotation marks.
fn pairs(text: &str) -> Vec<&str> {
    let mut pairs = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (at, c) in text.char_indices() {
        quoted ^= c == '"';
        if c == ',' && !quoted {
            pairs.push(text.get(start..at).unwrap_or(""));
            start = at + 1;
        }
    }
    pairs.push(text.get(start..).unwrap_or(""));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_it_parses() {
        for text in [
            "submit=Arrival,duration=Run time,gpus=#4,unit=s",
            "id=\"a, \"\"b\"\"\",start=x,end=y,gpus=n,unit=ms,duration_unit=h,time=numbers",
            "time=dates",
            "time=day-first",
            "time=month-first",
            "duration=A100,gpus=1,tenant=",
        ] {
            assert_eq!(text.parse::<ColumnMapping>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_column_has_one_role_at_a_time() {
        let mut mapping: ColumnMapping = "submit=a,start=a,end=b".parse().unwrap();
        mapping.assign("a", Some("end"));
        assert_eq!(mapping.to_string(), "end=a");
        mapping.assign("a", None);
        assert_eq!(mapping, ColumnMapping::default());
        assert_eq!(mapping.get("end"), None);
    }

    #[test]
    fn what_is_taken_away_from_a_guess_is_said() {
        let guess: ColumnMapping = "submit=a,duration=b,tenant=c".parse().unwrap();
        let mut mapping = guess.clone();
        mapping.assign("c", None);
        let said = mapping.against(&guess);
        assert_eq!(said.to_string(), "submit=a,duration=b,tenant=");
        assert_eq!(said.get("tenant"), None);
        assert_eq!(said.against(&guess), said);
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |text: &str| text.parse::<ColumnMapping>().unwrap_err().to_string();
        assert_eq!(
            error("submit"),
            "'submit' is no part of a mapping: write it as submit=COLUMN,duration=COLUMN,gpus=COLUMN,unit=s"
        );
        assert_eq!(
            error("cpus=c"),
            "a mapping has no 'cpus': use id, submit, start, end, duration, gpus, workers, gpu_milli, tenant, model, status, requested_time, user, account, partition, qos, reservation, priority, recorded_types, recorded_nodes, unit, duration_unit, time"
        );
        assert_eq!(error("gpus=a,gpus=b"), "the mapping gives 'gpus' twice");
        assert_eq!(
            error("unit=fortnight"),
            "'fortnight' is no unit of time: use ns, us, ms, s, min, h or d"
        );
        assert_eq!(
            error("time=soon"),
            "'soon' is no way to write times: use auto, dates, day-first, month-first or numbers"
        );
    }
}
