//! Schedulers of one's own: from `script:FILE` or `plugin:FILE` to a spec that holds what is in the file.

use crate::Failure;
use anyhow::{Context, anyhow};
use std::borrow::Cow;
use std::path::Path;
use switchyard::policy::script::Script;
use switchyard::policy::{PolicySpec, plugin};
use switchyard::sim::{Mistake, RunError};

/// What marks a file in the place of a policy.
const FILES: [&str; 2] = ["script:", "plugin:"];

/// What every WebAssembly module begins with.
const MODULE: &[u8] = b"\0asm";

/// A policy as the engine reads it, where a person may have named a file: `script:FILE` or `plugin:FILE`,
/// with what stands behind a name in any spec, `[placement=spread]` and `if 7:3600..`.
pub(crate) fn spec(text: &str) -> Result<Cow<'_, str>, Failure> {
    let Some((path, more, outages)) = file_of(text) else {
        return Ok(Cow::Borrowed(text));
    };
    let mut spec = of_file(Path::new(path))?.to_string();
    if !more.is_empty() {
        spec.pop();
        spec.push_str(&format!(",{more}]"));
    }
    if !outages.is_empty() {
        spec.push_str(&format!(" if {outages}"));
    }
    Ok(Cow::Owned(spec))
}

/// The file, the parameters and the outages of `script:FILE[…] if …` or `plugin:FILE[…] if …`.
fn file_of(text: &str) -> Option<(&str, &str, &str)> {
    let rest = FILES
        .iter()
        .find_map(|mark| text.trim().strip_prefix(mark))?;
    let (rest, outages) = rest.rsplit_once(" if ").unwrap_or((rest, ""));
    let parted = rest
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['));
    let (path, more) = parted.unwrap_or((rest, ""));
    Some((path.trim(), more, outages))
}

/// The policy that a file is, called as the file: a script, or a plug-in where it begins as modules do.
pub(crate) fn of_file(path: &Path) -> Result<PolicySpec, Failure> {
    let file = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let file = file.map_err(Failure::Input)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let spec = match String::from_utf8(file) {
        Ok(text) if !text.as_bytes().starts_with(MODULE) => Script::spec(&text, &name),
        Ok(module) => plugin::spec(module.as_bytes(), &name),
        Err(bytes) => plugin::spec(bytes.as_bytes(), &name),
    };
    spec.map_err(|mistake| Failure::Input(at(path, &mistake)))
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
