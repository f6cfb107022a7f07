//! Schedulers of one's own in files: what `script:FILE` and `plugin:FILE` name is read, and becomes the spec that the
//! engine reads. In: a policy's text; out: the spec's text, in which the code travels.

use crate::files;
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use switchyard::engine::Mistake;
use switchyard::policies::{PolicyFile, PolicyFileError, PolicySpec, spec_of_code};

/// Why a file is no policy.
#[derive(Debug, thiserror::Error)]
pub enum PolicyFileRefused {
    /// The disk does not give it.
    #[error("cannot read {}: {why}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// What stands in it is wrong, and where.
    #[error("{}", at(file, mistake))]
    Mistake {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        mistake: Mistake,
    },
    /// It is no text.
    #[error("{}: {why}", file.display())]
    NoText {
        /// The file.
        file: PathBuf,
        /// What the bytes are.
        why: Box<PolicyFileError>,
    },
    /// It is of the other kind, or does not take what stands behind its name.
    #[error(transparent)]
    Other(Box<PolicyFileError>),
}

/// A policy's spec, where a person may have named a file of `base`: `script:FILE` or `plugin:FILE`, with what stands
/// behind a name in any spec, `[placement=spread]` and `if 7:3600..`.
///
/// # Errors
///
/// The file is not there, or is no such policy: which file, where in it, and what.
pub fn spec<'a>(text: &'a str, base: &Path) -> Result<Cow<'a, str>, PolicyFileRefused> {
    let Some(named) = PolicyFile::named(text) else {
        return Ok(Cow::Borrowed(text));
    };
    let path = base.join(named.path());
    let spec = named.spec(&read(&path)?, &name_of(&path));
    Ok(Cow::Owned(
        spec.map_err(|error| refused(&path, error))?.to_string(),
    ))
}

/// The policy that a file is, called as the file: a script, or a plug-in where it begins as modules do.
///
/// # Errors
///
/// As [`spec`].
pub fn of_file(path: &Path) -> Result<PolicySpec, PolicyFileRefused> {
    spec_of_code(&read(path)?, &name_of(path)).map_err(|error| refused(path, error))
}

/// A mistake as compilers write it: FILE:line:column.
pub fn at(path: &Path, mistake: &Mistake) -> String {
    let Mistake { line, column, what } = mistake;
    let path = path.display();
    match line {
        0 => format!("{path}: {what}"),
        _ => format!("{path}:{line}:{column}: {what}"),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, PolicyFileRefused> {
    files::read(path).map_err(|why| PolicyFileRefused::Unreadable {
        file: path.to_owned(),
        why,
    })
}

/// What people call the policy in a file.
fn name_of(path: &Path) -> Cow<'_, str> {
    path.file_stem().unwrap_or_default().to_string_lossy()
}

fn refused(path: &Path, error: PolicyFileError) -> PolicyFileRefused {
    let file = path.to_owned();
    match error {
        PolicyFileError::Mistake(mistake) => PolicyFileRefused::Mistake { file, mistake },
        PolicyFileError::NoText(_) => PolicyFileRefused::NoText {
            file,
            why: error.into(),
        },
        error => PolicyFileRefused::Other(error.into()),
    }
}
