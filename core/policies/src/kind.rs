//! What a parameter of a policy takes: enough to check a spec and to draw a form.

use crate::meant::meant;
use crate::seconds_of;
use std::fmt;
use switchyard_placement::{Strategy, UnknownStrategy};

/// One parameter of a policy: enough to check a spec and to draw a form.
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo {
    /// The name in specs.
    pub name: &'static str,
    /// Other names accepted.
    pub aliases: &'static [&'static str],
    /// What values it takes.
    pub kind: ParamKind,
    /// The default, as text.
    pub default: &'static str,
    /// What it does, with its unit.
    pub help: &'static str,
    /// Whether one needs it only to repeat another's simulator, or to tune a search.
    pub expert: bool,
}

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamKind {
    /// `true` or `false`.
    Bool,
    /// A whole number in a range.
    Int {
        /// Least value.
        min: u64,
        /// Greatest value.
        max: u64,
    },
    /// A number in a range.
    Float {
        /// Least value.
        min: f64,
        /// Greatest value.
        max: f64,
    },
    /// A span of time in a range, seconds.
    Seconds {
        /// Least value.
        min: f64,
        /// Greatest value.
        max: f64,
    },
    /// A number from 0 to below 1.
    Share,
    /// Ascending positive numbers, separated by `:`.
    Ascending,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Any word; the text says which make sense.
    Word(&'static str),
    /// Any text; the text says which make sense.
    Text(&'static str),
    /// `online`, `oracle`, or the name of a [service history](super::ServiceHistory).
    History,
    /// A [placement strategy](Strategy).
    Placement,
    /// The same, or `default` for the run's.
    PlacementOrRuns,
}

impl ParamInfo {
    /// Whether specs may call it so.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

impl ParamKind {
    /// Whether a character means nothing to specs, so that words may have it.
    pub(super) fn is_plain(c: char) -> bool {
        !c.is_control() && !"[],=".contains(c)
    }

    /// The value's one way of being written; `None` if it is no value of this kind.
    pub fn canonical(self, value: &str) -> Option<String> {
        match self {
            Self::Bool => matches!(value, "true" | "false").then(|| value.to_string()),
            Self::Int { min, max } => {
                let n: u64 = value.parse().ok()?;
                (min..=max).contains(&n).then(|| n.to_string())
            }
            Self::Float { min, max } => {
                let x: f64 = value.parse().ok()?;
                (min..=max).contains(&x).then(|| x.to_string())
            }
            Self::Seconds { min, max } => {
                let x = seconds_of(value)?;
                (min..=max).contains(&x).then(|| x.to_string())
            }
            Self::Share => {
                let x: f64 = value.parse().ok()?;
                (0.0..1.0).contains(&x).then(|| x.to_string())
            }
            Self::Ascending => {
                let list: Vec<f64> = value
                    .split(':')
                    .map(|x| x.trim().parse().ok())
                    .collect::<Option<_>>()?;
                let valid = list.iter().all(|&x: &f64| x.is_finite() && x > 0.0)
                    && list.windows(2).all(|w| w[0] < w[1]);
                valid.then(|| {
                    list.iter()
                        .map(f64::to_string)
                        .collect::<Vec<_>>()
                        .join(":")
                })
            }
            Self::OneOf(words) => words.contains(&value).then(|| value.to_string()),
            Self::Word(_) | Self::History => {
                (!value.is_empty() && value.chars().all(Self::is_plain)).then(|| value.to_string())
            }
            Self::Text(_) => Some(value.trim().to_string()),
            Self::PlacementOrRuns if value == "default" => Some(value.to_string()),
            Self::Placement | Self::PlacementOrRuns => {
                let strategy: Result<Strategy, UnknownStrategy> = value.parse();
                strategy.ok().map(|strategy| strategy.name().to_string())
            }
        }
    }
}

impl ParamKind {
    /// The word that was meant by what is no value, where it takes words and one is alike.
    pub fn meant(self, value: &str) -> Option<&'static str> {
        let placements = || Strategy::ALL.map(Strategy::name).into_iter();
        match self {
            Self::Bool => meant(value, ["true", "false"]),
            Self::OneOf(words) => meant(value, words.iter().copied()),
            Self::Placement => meant(value, placements()),
            Self::PlacementOrRuns => meant(value, placements().chain(["default"])),
            _ => None,
        }
    }
}

impl fmt::Display for ParamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("true or false"),
            Self::Int {
                min: 0,
                max: u64::MAX,
            } => f.write_str("a whole number, 0 or more"),
            Self::Share => f.write_str("a number from 0 to below 1"),
            Self::Int { min, max } => write!(f, "a whole number from {min} to {max}"),
            Self::Float { min, max } => write!(f, "a number from {min} to {max}"),
            Self::Seconds { min, max } => {
                write!(f, "seconds from {min} to {max}, or a time such as 5min")
            }
            Self::Ascending => f.write_str("ascending positive numbers separated by ':'"),
            Self::OneOf(words) => f.write_str(&words.join(" or ")),
            Self::Word(what) | Self::Text(what) => f.write_str(what),
            Self::History => f.write_str("online, oracle or the name of a service history"),
            Self::Placement => {
                let names = Strategy::ALL.map(Strategy::name);
                let (last, others) = names.split_last().ok_or(fmt::Error)?;
                write!(f, "{} or {last}", others.join(", "))
            }
            Self::PlacementOrRuns => write!(f, "default, {}", Self::Placement),
        }
    }
}
