//! What jobs occupy: GPUs, or the cores of clusters whose jobs ask for no GPU. The engine counts units and
//! does not ask which; whoever shows a figure does.

use crate::meant::hint;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// What is counted of jobs and nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// GPUs.
    #[default]
    Gpus,
    /// Cores, which take the place of GPUs everywhere.
    Cores,
}

/// Not the word for a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("'{given}' is nothing that jobs are counted in{}: use gpus or cores", hint(.given, ["gpus", "cores"]))]
pub struct UnknownResource {
    /// What was given.
    given: String,
}

impl Resource {
    /// Its name in flags, files and links.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gpus => "gpus",
            Self::Cores => "cores",
        }
    }

    /// Whether it is what is counted where nothing is said.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// A text that is written of GPUs, of this resource: `16 GPUs`, `GPU·h` and `GPU-hours` are `16 cores`,
    /// `core·h` and `core-hours`. All words for a figure's unit come from here.
    pub fn words(self, text: &str) -> Cow<'_, str> {
        const WORD: &str = "GPU";
        if self == Self::Gpus || !text.contains(WORD) {
            return Cow::Borrowed(text);
        }
        let mut words = String::with_capacity(text.len() + 8);
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(WORD) {
            words.push_str(before);
            // Not within another, such as a name's GPUlab and NODESxGPUS.
            let behind = after.strip_prefix('s').unwrap_or(after);
            let is_word = !words.ends_with(char::is_alphanumeric)
                && !behind.starts_with(char::is_alphanumeric);
            words.push_str(if is_word { "core" } else { WORD });
            rest = after;
        }
        words.push_str(rest);
        Cow::Owned(words)
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Resource {
    type Err = UnknownResource;

    fn from_str(text: &str) -> Result<Self, UnknownResource> {
        let all = [Self::Gpus, Self::Cores];
        let found = all.into_iter().find(|of| of.name() == text);
        found.ok_or_else(|| UnknownResource {
            given: text.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_gpus_are_words_of_cores() {
        for (of_gpus, of_cores) in [
            ("16 GPUs", "16 cores"),
            ("GPU·h", "core·h"),
            ("GPU-hours", "core-hours"),
            ("one GPU", "one core"),
            (
                "GPUs, per GPU; its GPUs' part",
                "cores, per core; its cores' part",
            ),
            ("NODESxGPUS", "NODESxGPUS"),
            ("16 GPUs of GPUlab and aGPU", "16 cores of GPUlab and aGPU"),
            ("nodes", "nodes"),
        ] {
            assert_eq!(Resource::Gpus.words(of_gpus), of_gpus);
            assert_eq!(Resource::Cores.words(of_gpus), of_cores);
        }
    }

    #[test]
    fn read_by_its_name() {
        for of in [Resource::Gpus, Resource::Cores] {
            assert_eq!(of.name().parse(), Ok(of));
        }
        assert_eq!(
            "core".parse::<Resource>().unwrap_err().to_string(),
            "'core' is nothing that jobs are counted in (did you mean 'cores'?): use gpus or cores"
        );
    }
}
