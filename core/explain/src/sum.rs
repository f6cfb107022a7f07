//! How a number behind a decision comes about: a formula and the values put in, so that a reader can check it by hand.

use super::Unit;
use crate::job::JobId;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A formula with its values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sum {
    /// The formula; `{0}` is the first value.
    pub formula: Cow<'static, str>,
    /// What it takes.
    pub operands: Vec<Operand>,
    /// What comes out.
    pub result: f64,
    /// What that is in.
    pub unit: Unit,
}

/// A value that a formula takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operand {
    /// What it is, in words.
    pub name: Cow<'static, str>,
    /// How much.
    pub value: f64,
    /// Of what.
    pub unit: Unit,
    /// The job that it is of, if it is of another one.
    pub job: Option<JobId>,
}

impl Operand {
    /// A value by its name.
    pub fn new(name: impl Into<Cow<'static, str>>, value: f64, unit: Unit) -> Self {
        Self {
            name: name.into(),
            value,
            unit,
            job: None,
        }
    }
}

impl Sum {
    /// The formula with words for its values.
    pub fn in_words(&self, word: impl Fn(&Operand) -> String) -> String {
        let put_in = |text: String, (at, of)| text.replace(&format!("{{{at}}}"), &word(of));
        let operands = self.operands.iter().enumerate();
        operands.fold(self.formula.to_string(), put_in)
    }

    /// Whether all is known that it takes.
    pub(super) fn is_known(&self) -> bool {
        let values = self.operands.iter().map(|of| of.value);
        values.chain([self.result]).all(f64::is_finite)
    }
}
