//! Schedulers of one's own in files: what `script:FILE` and `plugin:FILE` name is read and handed to the engine.

use crate::Failure;
use anyhow::anyhow;
use std::borrow::Cow;
use std::path::Path;
use switchyard::engine::{Mistake, RunError};
use switchyard::policies::{PolicyFile, PolicySpec, SpecError};
use switchyard_sweep::policy_files::{self, PolicyFileRefused};

/// A policy as the engine reads it, where a person may have named a file.
pub(crate) fn spec(text: &str) -> Result<Cow<'_, str>, Failure> {
    policy_files::spec(text, Path::new("")).map_err(refused)
}

/// The same of an argument that takes policies and no bare files.
pub(crate) fn policy(text: &str) -> Result<Cow<'_, str>, Failure> {
    let is_file = || PolicyFile::named(text).is_none() && Path::new(text).is_file();
    match text.parse::<PolicySpec>() {
        Err(SpecError::UnknownPolicy { .. }) if is_file() => Err(Failure::Input(anyhow!(
            "{text} is a file: name it as script:{text}, or, if it is a WebAssembly module, as plugin:{text}"
        ))),
        _ => spec(text),
    }
}

/// The file that a policy's text names, if it names one.
pub(crate) fn file_of(text: &str) -> Option<&Path> {
    Some(Path::new(PolicyFile::named(text)?.path()))
}

/// The policy that a file is, called as the file: a script, or a plug-in where it begins as modules do.
pub(crate) fn of_file(path: &Path) -> Result<PolicySpec, Failure> {
    policy_files::of_file(path).map_err(refused)
}

fn refused(why: PolicyFileRefused) -> Failure {
    Failure::Input(why.into())
}

/// What gives a log more room here.
const MORE_ROOM: &str = "raise --log-budget";

/// Why a run failed; of a script, at its place in the file that was asked for, if one was.
pub(crate) fn ended(asked: &[String], policy: &PolicySpec, error: RunError) -> Failure {
    let program = match error {
        RunError::Program(program) => program,
        error => return Failure::Run(anyhow!(error.with_ways(MORE_ROOM))),
    };
    let code = |spec: &PolicySpec| spec.user_code().map(|of| of.code.to_owned());
    // Two files may be called the same.
    let is_its = |path: &&Path| of_file(path).is_ok_and(|spec| code(&spec) == code(policy));
    let mut files = asked.iter().filter_map(|text| file_of(text));
    let path = files.find(is_its);
    Failure::Run(match path {
        Some(path) => {
            let (policy, time) = (&program.policy, program.time.seconds());
            at(path, &program.mistake).context(format!("{policy} at {time} s"))
        }
        None => program.into(),
    })
}

/// A mistake as compilers write it: FILE:line:column.
pub(crate) fn at(path: &Path, mistake: &Mistake) -> anyhow::Error {
    anyhow!(policy_files::at(path, mistake))
}
