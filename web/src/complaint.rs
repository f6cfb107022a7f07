//! What is wrong, in words for a person: the error of what a person types, chooses or opens, where whoever hears of it
//! can do nothing with it but show the words.

use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::ops::Deref;
use thiserror::Error;

/// What is wrong, in words.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{0}")]
#[serde(transparent)]
pub struct Complaint(String);

impl Complaint {
    /// In the words of an error.
    pub fn of(error: impl Display) -> Self {
        Self(error.to_string())
    }
}

impl Deref for Complaint {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<String> for Complaint {
    fn from(words: String) -> Self {
        Self(words)
    }
}

impl From<&str> for Complaint {
    fn from(words: &str) -> Self {
        Self(words.to_owned())
    }
}

impl From<Complaint> for String {
    fn from(complaint: Complaint) -> Self {
        complaint.0
    }
}
