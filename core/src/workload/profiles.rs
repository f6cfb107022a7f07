//! Measured profiles of applications as files: loose ones with or without folders in their names, or
//! archives. Other files among them are passed over.

use switchyard_model::application::{Application, ProfileError, ProfileTable};
use switchyard_trace::{OpenError, OpenOptions, Opened, SourceFile, open};
use thiserror::Error;

/// Why files are no profile.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ProfileFilesError {
    /// A file or its container cannot be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// What is read is no profile.
    #[error(transparent)]
    Profile(#[from] ProfileError),
}

/// The applications whose tables are among `files`, in order of their names.
///
/// # Errors
///
/// A [`ProfileFilesError`] that names file, line and column.
pub fn measured(files: &[SourceFile<'_>]) -> Result<Vec<Application>, ProfileFilesError> {
    Ok(Application::of_tables(&tables(files)?)?)
}

/// Their tables, unread.
///
/// # Errors
///
/// A [`ProfileFilesError`] if files cannot be opened, or none is part of a profile.
pub fn tables(files: &[SourceFile<'_>]) -> Result<Vec<ProfileTable>, ProfileFilesError> {
    match open(files, &OpenOptions::default()) {
        Ok(Opened::Profiles(tables)) => Ok(tables),
        Ok(Opened::Trace(trace)) => Ok(trace.profiles),
        Ok(Opened::Cluster(_) | Opened::Outages(_))
        | Err(OpenError::NoFiles | OpenError::NotATrace { .. } | OpenError::UnknownTable { .. }) => {
            Err(ProfileError::NoProfile.into())
        }
        Err(error) => Err(error.into()),
    }
}
