//! Why a text is no policy, in words.

use crate::meant::{hint, remark};

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
