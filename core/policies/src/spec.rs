//! The text of a policy: `tiresias-las[queues=2,threshold=57600]`.
//!
//! A [`PolicySpec`] is what a person wrote, read once into the policy's typed parameters; it
//! prints in canonical form.

use super::{Parameters, own};
use crate::meant::{hint, meant, remark};
use crate::outages::Outages;
use crate::seconds_of;
use serde::{Deserialize, Serialize};
use std::fmt;
use switchyard_placement::{Strategy, UnknownStrategy};

/// A policy and its parameters; and the outages that its run has besides those of all runs, as in
/// `fifo if 7:3600..`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct PolicySpec {
    pub(super) parameters: Parameters,
    pub(super) what_if: Outages,
}

/// No parameter is NaN.
impl Eq for PolicySpec {}

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

/// Why a text is no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// Not of the form `name[param=value,…]`.
    #[error("'{0}' is not a policy: write name or name[parameter=value,…]")]
    Syntax(String),
    /// No policy has this name.
    #[error("there is no policy '{name}'{}: use one of {valid}", hint(.name, .valid.split(", ")))]
    UnknownPolicy {
        /// The name given.
        name: String,
        /// The names there are.
        valid: String,
    },
    /// The policy has no such parameter.
    #[error("{policy} has no parameter '{param}'{}: it takes {valid}", hint(.param, .valid.split(", ")))]
    UnknownParam {
        /// The policy.
        policy: String,
        /// The name given.
        param: String,
        /// The names there are.
        valid: String,
    },
    /// A parameter given more than once.
    #[error("{policy} is given '{param}' twice")]
    Twice {
        /// The policy.
        policy: String,
        /// The parameter.
        param: String,
    },
    /// A value outside what the parameter takes.
    #[error(
        "{policy}: '{value}'{} is no value for '{param}', which takes {valid}",
        remark(*.meant)
    )]
    BadValue {
        /// The policy.
        policy: String,
        /// The parameter.
        param: String,
        /// The value given.
        value: String,
        /// What may have been meant.
        meant: Option<&'static str>,
        /// What it takes.
        valid: String,
    },
    /// What stands behind `if` is no list of outages.
    #[error("{policy} if …: {why}")]
    Outage {
        /// The policy.
        policy: String,
        /// What is wrong.
        why: String,
    },
    /// Values that do not go together.
    #[error("{policy}: {what}")]
    Conflict {
        /// The policy.
        policy: String,
        /// What does not fit, and what would.
        what: String,
    },
}

impl PolicySpec {
    /// The outages that its run alone has: "what if this node dies then?"
    pub fn what_if(&self) -> &Outages {
        &self.what_if
    }

    /// The same policy, if this happened too.
    pub fn and_if(&self, outages: impl Into<Outages>) -> Self {
        Self {
            what_if: self.what_if.and(&outages.into()),
            ..self.clone()
        }
    }

    /// The same policy without them.
    pub fn without_outages(&self) -> Self {
        Self {
            what_if: Outages::default(),
            ..self.clone()
        }
    }

    /// The policy's name.
    pub fn name(&self) -> &'static str {
        self.parameters.entry().name
    }

    /// All parameters and their values, as canonical text, in the policy's order.
    pub fn values(&self) -> impl Iterator<Item = (&'static ParamInfo, String)> {
        let infos = self.parameters.entry().params;
        infos.iter().zip(self.parameters.texts())
    }

    /// Those that differ from their defaults.
    pub fn given(&self) -> impl Iterator<Item = (&'static ParamInfo, String)> {
        self.values().filter(|(info, text)| info.default != text)
    }

    /// The value of a parameter that somebody names; `None`: the policy has no such parameter.
    pub fn value(&self, name: &str) -> Option<String> {
        let mut values = self.values();
        let (_, text) = values.find(|(info, _)| info.name == name)?;
        Some(text)
    }

    /// The spec for people: of a script or a plug-in, without its text.
    pub fn label(&self) -> String {
        self.written(|info| !(self.parameters.entry().scripted && info.name == own::CODE))
    }

    /// The canonical text, with these of the parameters.
    fn written(&self, has: impl Fn(&ParamInfo) -> bool) -> String {
        let mut text = self.name().to_owned();
        let given: Vec<String> = (self.given())
            .filter(|(info, _)| has(info))
            .map(|(info, value)| format!("{}={value}", info.name))
            .collect();
        if !given.is_empty() {
            text += &format!("[{}]", given.join(","));
        }
        if !self.what_if.is_empty() {
            text += &format!(" if {}", self.what_if);
        }
        text
    }

    /// The same policy with a parameter at this value, unless the spec gives it one.
    pub fn with_default(&self, param: &str, value: &str) -> Result<Self, SpecError> {
        match self.given().any(|(info, _)| info.name == param) {
            true => Ok(self.clone()),
            false => self.with(param, value),
        }
    }
}

impl fmt::Display for PolicySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written(|_| true))
    }
}

impl From<Parameters> for PolicySpec {
    fn from(parameters: Parameters) -> Self {
        Self {
            parameters,
            what_if: Outages::default(),
        }
    }
}

impl From<PolicySpec> for String {
    fn from(spec: PolicySpec) -> String {
        spec.to_string()
    }
}

impl TryFrom<String> for PolicySpec {
    type Error = SpecError;

    fn try_from(text: String) -> Result<Self, SpecError> {
        text.parse()
    }
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
