//! Why a file is not read.

use std::fmt;

/// What is wrong with a file: where, of which object, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The file's name.
    pub file: String,
    /// The line, from 1; none where the whole file is meant.
    pub line: Option<u32>,
    /// The object, such as `ClusterQueue 'a'`.
    pub object: Option<String>,
    /// What is wrong, and what to do.
    pub what: String,
}

impl FileError {
    pub(super) fn new(file: &str, what: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line: None,
            object: None,
            what: what.into(),
        }
    }

    pub(super) fn at(self, line: u32) -> Self {
        Self {
            line: Some(line),
            ..self
        }
    }

    pub(super) fn of(self, object: &str) -> Self {
        Self {
            object: Some(object.to_owned()),
            ..self
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(object) = &self.object {
            write!(f, ", {object}")?;
        }
        write!(f, ": {}", self.what)
    }
}

impl std::error::Error for FileError {}
