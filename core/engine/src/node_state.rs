//! What a node is to jobs.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a node is to jobs: whether they may come, and whether they may stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum NodeState {
    /// Jobs run on it.
    #[default]
    Up = 0,
    /// It takes nobody new; who runs there may finish.
    Drained = 1,
    /// It has failed: nobody is on it.
    Down = 2,
    /// The policy does not rent it: nobody is on it.
    Unrented = 3,
}

impl fmt::Display for NodeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Up => "up",
            Self::Drained => "being drained",
            Self::Down => "down",
            Self::Unrented => "not rented",
        })
    }
}
