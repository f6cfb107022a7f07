//! Why the program stops, and by that its exit status.

use anyhow::anyhow;
use std::fmt;
use switchyard::RunSpecError;
use switchyard_app::study::StudyError;

/// Why the program stops.
pub(crate) enum Failure {
    /// The input or the arguments are wrong: status 2.
    Input(anyhow::Error),
    /// A run failed, or its results could not be written: status 1.
    Run(anyhow::Error),
    /// Results are written, but jobs of a run never end, or none could run: status 3.
    Unfinished(anyhow::Error),
    /// Whoever reads the output has seen enough: nothing to say, status 0.
    Unread,
}

impl From<StudyError> for Failure {
    fn from(error: StudyError) -> Self {
        Self::Input(match error {
            StudyError::Run(missing @ RunSpecError::MissingWeights { .. }) => {
                anyhow!("{missing}; with --weights FILE")
            }
            error => error.into(),
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) | Self::Run(error) | Self::Unfinished(error) => {
                write!(f, "{error:#}")
            }
            Self::Unread => Ok(()),
        }
    }
}
