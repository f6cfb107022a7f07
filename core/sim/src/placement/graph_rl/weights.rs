//! Weights at hand, by the placement that they were trained for. They are no part of a program: whoever
//! runs something brings them, as bytes of safetensors.

use super::network::{Network, NetworkError};
use crate::placement::Strategy;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// A file of weights, by a hash of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightsId(u64);

/// The weights of a run: those that are shipped, or one's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum WeightsChoice {
    /// The shipped ones.
    #[default]
    Shipped,
    /// These, under the placement that they were trained for.
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

/// The weights at hand.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    files: Vec<File>,
}

#[derive(Clone, Debug)]
struct File {
    id: WeightsId,
    is_shipped: bool,
    placement: Strategy,
    network: Arc<Network>,
}

impl Weights {
    /// Adds a file of safetensors that is shipped.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn add_shipped(&mut self, file: &[u8]) -> Result<(), NetworkError> {
        self.add(file, true).map(|_| ())
    }

    /// Adds somebody's own; how they are called from now on.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn add_own(&mut self, file: &[u8]) -> Result<WeightsId, NetworkError> {
        self.add(file, false)
    }

    fn add(&mut self, file: &[u8], is_shipped: bool) -> Result<WeightsId, NetworkError> {
        let network = Network::of_safetensors(file)?;
        let placement = network.placement().parse::<Strategy>();
        let placement = placement.ok().filter(|placement| placement.is_learned());
        let of = || NetworkError::Placement(network.placement().to_owned());
        let placement = placement.ok_or_else(of)?;
        let id = WeightsId(xxh3_64(file));
        self.files
            .retain(|file| (file.id, file.is_shipped) != (id, is_shipped));
        self.files.push(File {
            id,
            is_shipped,
            placement,
            network: Arc::new(network),
        });
        Ok(id)
    }

    /// The network of a placement where a run asks for these weights.
    pub fn find(&self, placement: Strategy, asked: WeightsChoice) -> Option<Arc<Network>> {
        let is_shipped = |file: &&File| file.is_shipped && file.placement == placement;
        let shipped = || self.files.iter().find(is_shipped);
        let found = match asked {
            WeightsChoice::Shipped => shipped(),
            WeightsChoice::Own(id) => {
                let own = self.files.iter().find(|file| file.id == id)?;
                if own.placement == placement {
                    Some(own)
                } else {
                    shipped()
                }
            }
        };
        found.map(|file| Arc::clone(&file.network))
    }
}
