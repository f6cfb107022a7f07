//! The pickers that learned, with the weights that are shipped.

use super::network::Network;
use crate::parameters::{Value, Words, words};
use std::fmt;

/// A picker that learned, by what it was trained on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picker {
    /// A batch queue.
    Lublin,
    /// A GPU trace.
    Gpu,
}

words! {
    Picker { Lublin = "lublin", Gpu = "gpu" }
}

impl Picker {
    /// As the parameter `weights` has it.
    pub fn name(self) -> &'static str {
        self.word()
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::read(name).ok()
    }

    /// The network that is shipped.
    pub fn shipped(self) -> Network {
        let file = match self {
            Self::Lublin => LUBLIN,
            Self::Gpu => GPU,
        };
        Network::of_safetensors(file).unwrap_or_default()
    }
}

/// As the policy's spec.
impl fmt::Display for Picker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rl-picker[weights={}]", self.name())
    }
}

/// The trained parameters.
pub(crate) const LUBLIN: &[u8] = include_bytes!("rl_picker.safetensors");
pub(crate) const GPU: &[u8] = include_bytes!("rl_picker_gpu.safetensors");
