//! Scripts as policies: from `script:FILE` to a spec that holds the file's text.

use crate::Failure;
use anyhow::{Context, anyhow};
use std::borrow::Cow;
use std::path::Path;
use switchyard::policy::PolicySpec;
use switchyard::policy::script::Script;
use switchyard::sim::{Mistake, RunError};

/// What marks a script's file in the place of a policy.
const FILE: &str = "script:";

/// A policy as the engine reads it, where a person may have named a script's file: `script:FILE`, with
/// what stands behind a name in any spec, `[placement=spread]` and `if 7:3600..`.
pub(crate) fn spec(text: &str) -> Result<Cow<'_, str>, Failure> {
    let Some(rest) = text.trim().strip_prefix(FILE) else {
        return Ok(Cow::Borrowed(text));
    };
    let (rest, outages) = rest.rsplit_once(" if ").unwrap_or((rest, ""));
    let parted = rest
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['));
    let (path, more) = parted.unwrap_or((rest, ""));
    let of_text = of_file(Path::new(path.trim()))?.to_string();
    let mut spec = of_text;
    if !more.is_empty() {
        spec.pop();
        spec.push_str(&format!(",{more}]"));
    }
    if !outages.is_empty() {
        spec.push_str(&format!(" if {outages}"));
    }
    Ok(Cow::Owned(spec))
}

/// The file, the parameters and the outages of `script:FILE[…] if …`.
fn file_of(text: &str) -> Option<(&str, &str, &str)> {
    let rest = text.trim().strip_prefix(FILE)?;
    let (rest, outages) = rest.rsplit_once(" if ").unwrap_or((rest, ""));
    let parted = rest
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['));
    let (path, more) = parted.unwrap_or((rest, ""));
    Some((path.trim(), more, outages))
}

/// The policy that a script's file describes, called as the file is.
pub(crate) fn of_file(path: &Path) -> Result<PolicySpec, Failure> {
    let text = read(path)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Script::spec(&text, &name).map_err(|mistake| Failure::Input(at(path, &mistake)))
}

pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .with_context(|| format!("cannot read {}", path.display()))
        .map_err(Failure::Input)
}

/// Why a run failed; of a script, at its place in the file that was asked for, if one was.
pub(crate) fn ended(asked: &[String], policy: &PolicySpec, error: RunError) -> Failure {
    let RunError::Program(program) = error else {
        return Failure::Run(error.into());
    };
    let is_its = |path: &&Path| {
        let name = path.file_stem().and_then(|name| name.to_str());
        name == policy.param("name")
    };
    let files = asked.iter().filter_map(|text| file_of(text));
    let path = files.map(|(path, ..)| Path::new(path)).find(is_its);
    Failure::Run(match path {
        Some(path) => {
            at(path, &program.mistake).context(format!("at {} s", program.time.seconds()))
        }
        None => program.into(),
    })
}

/// A mistake as compilers write it: FILE:line:column.
pub(crate) fn at(path: &Path, mistake: &Mistake) -> anyhow::Error {
    let Mistake { line, column, what } = mistake;
    let path = path.display();
    match line {
        0 => anyhow!("{path}: {what}"),
        _ => anyhow!("{path}:{line}:{column}: {what}"),
    }
}
