//! By what a file of weights is known: a hash of its bytes. In: a file, or the text that names one in links and
//! settings. Out: which weights a run asks for.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use xxhash_rust::xxh3::xxh3_64;

/// A file of weights, by a hash of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightsId(u64);

impl WeightsId {
    /// Of these bytes.
    pub fn of(file: &[u8]) -> Self {
        Self(xxh3_64(file))
    }
}

/// The weights of a run: those that are shipped, or one's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum WeightsChoice {
    /// The shipped ones.
    #[default]
    Shipped,
    /// These, under the placement or the picker that they were trained for.
    Own(WeightsId),
}

/// Not a choice of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it takes 'shipped', or the 16 digits by which a file of weights is known")]
pub struct NoWeightsChoice;

impl fmt::Display for WeightsId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Display for WeightsChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shipped => f.write_str("shipped"),
            Self::Own(id) => id.fmt(f),
        }
    }
}

impl FromStr for WeightsChoice {
    type Err = NoWeightsChoice;

    fn from_str(text: &str) -> Result<Self, NoWeightsChoice> {
        if text == "shipped" {
            return Ok(Self::Shipped);
        }
        let digits = text.len() == 16 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        let id = u64::from_str_radix(text, 16).ok().filter(|_| digits);
        id.map(|id| Self::Own(WeightsId(id))).ok_or(NoWeightsChoice)
    }
}

impl From<WeightsChoice> for String {
    fn from(choice: WeightsChoice) -> Self {
        choice.to_string()
    }
}

impl TryFrom<String> for WeightsChoice {
    type Error = NoWeightsChoice;

    fn try_from(text: String) -> Result<Self, NoWeightsChoice> {
        text.parse()
    }
}
