//! The text of a policy: `tiresias-las[queues=2,threshold=57600]`.
//!
//! A [`PolicySpec`] is what a person wrote, read once into the policy's typed parameters; it
//! prints in canonical form.

use super::{ParamInfo, Parameters, SpecError, user_policy};
use crate::outages::Outages;
use serde::{Deserialize, Serialize};
use std::fmt;

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
        self.written(|info| !(self.parameters.entry().scripted && info.name == user_policy::CODE))
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
