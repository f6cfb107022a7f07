//! By whom figures are asked for: by something that jobs are told apart by, or by the queues of the tree.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use switchyard::meant::hint;
use switchyard::report::By;

/// By whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Whom {
    /// By what the trace tells of jobs.
    Jobs(By),
    /// By the queues of the tree, at all levels.
    Queue,
}

/// The word of [`Whom::Queue`].
const QUEUE: &str = "queue";

/// Not a word for a [`Whom`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "jobs are not told apart by '{0}'{meant}: use {words}",
    meant = hint(.0, Whom::words()),
    words = Whom::words().collect::<Vec<_>>().join(", ")
)]
pub struct UnknownWhom(pub String);

impl Whom {
    /// The words of all.
    pub fn words() -> impl Iterator<Item = &'static str> {
        By::WORDS.into_iter().chain([QUEUE])
    }
}

impl fmt::Display for Whom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Jobs(by) => by.fmt(f),
            Self::Queue => f.write_str(QUEUE),
        }
    }
}

impl FromStr for Whom {
    type Err = UnknownWhom;

    fn from_str(text: &str) -> Result<Self, UnknownWhom> {
        if text == QUEUE {
            return Ok(Self::Queue);
        }
        let by = text.parse().map(Self::Jobs);
        by.map_err(|_| UnknownWhom(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        for word in Whom::words() {
            let whom: Whom = word.parse().expect("one of the words");
            assert_eq!(whom.to_string(), word);
        }
        let unknown = "queues".parse::<Whom>().expect_err("no word");
        assert!(
            unknown.to_string().contains("did you mean 'queue'?"),
            "{unknown}"
        );
    }
}
