//! Schedulers of one's own: from `script:FILE` or `plugin:FILE` to a spec that holds what is in the file.

use crate::Failure;
use anyhow::{Context, anyhow};
use std::borrow::Cow;
use std::path::Path;
use switchyard::policy::script::Script;
use switchyard::policy::{PolicySpec, SpecError, plugin};
use switchyard::sim::{Mistake, RunError};
use switchyard_sweep::files;

/// A kind of scheduler in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Script,
    Plugin,
}

/// What marks a file in the place of a policy.
const MARKS: [(&str, Kind); 2] = [("script:", Kind::Script), ("plugin:", Kind::Plugin)];

/// What every WebAssembly module begins with.
const MODULE: &[u8] = b"\0asm";

/// A policy as the engine reads it, where a person may have named a file: `script:FILE` or `plugin:FILE`,
/// with what stands behind a name in any spec, `[placement=spread]` and `if 7:3600..`.
pub(crate) fn spec(text: &str) -> Result<Cow<'_, str>, Failure> {
    let Some(Named {
        kind,
        path,
        more,
        outages,
    }) = named(text)
    else {
        return Ok(Cow::Borrowed(text));
    };
    let file = read(path)?;
    match (kind, kind_of(&file)) {
        (Kind::Plugin, Kind::Script) => {
            let path = path.display();
            return Err(Failure::Input(anyhow!(
                "{path} is no WebAssembly module: a plug-in is one (docs/plugins.md); name a script as script:{path}"
            )));
        }
        (Kind::Script, Kind::Plugin) => {
            let path = path.display();
            return Err(Failure::Input(anyhow!(
                "{path} is a WebAssembly module and no script: name it as plugin:{path}"
            )));
        }
        _ => {}
    }
    let mut spec = policy_in(path, &file)?.to_string();
    if !more.is_empty() {
        spec.pop();
        spec.push_str(&format!(",{more}]"));
    }
    if !outages.is_empty() {
        spec.push_str(&format!(" if {outages}"));
    }
    Ok(Cow::Owned(spec))
}

/// The same of an argument that takes policies and no bare files.
pub(crate) fn policy(text: &str) -> Result<Cow<'_, str>, Failure> {
    let is_file = || named(text).is_none() && Path::new(text).is_file();
    match text.parse::<PolicySpec>() {
        Err(SpecError::UnknownPolicy { .. }) if is_file() => Err(Failure::Input(anyhow!(
            "{text} is a file: name it as script:{text}, or, if it is a WebAssembly module, as plugin:{text}"
        ))),
        _ => spec(text),
    }
}

/// `script:FILE[…] if …` or `plugin:FILE[…] if …` in its pieces.
struct Named<'a> {
    kind: Kind,
    path: &'a Path,
    more: &'a str,
    outages: &'a str,
}

/// The file that a policy's text names, if it names one.
pub(crate) fn file_of(text: &str) -> Option<&Path> {
    Some(named(text)?.path)
}

fn named(text: &str) -> Option<Named<'_>> {
    let (rest, kind) = MARKS
        .iter()
        .find_map(|&(mark, kind)| Some((text.trim().strip_prefix(mark)?, kind)))?;
    let (rest, outages) = rest.rsplit_once(" if ").unwrap_or((rest, ""));
    let parted = rest
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['));
    let (path, more) = parted.unwrap_or((rest, ""));
    Some(Named {
        kind,
        path: Path::new(path.trim()),
        more,
        outages,
    })
}

/// The policy that a file is, called as the file: a script, or a plug-in where it begins as modules do.
pub(crate) fn of_file(path: &Path) -> Result<PolicySpec, Failure> {
    policy_in(path, &read(path)?)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let file = files::read(path).with_context(|| format!("cannot read {}", path.display()));
    file.map_err(Failure::Input)
}

fn kind_of(file: &[u8]) -> Kind {
    match file.starts_with(MODULE) {
        true => Kind::Plugin,
        false => Kind::Script,
    }
}

fn policy_in(path: &Path, file: &[u8]) -> Result<PolicySpec, Failure> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let spec = match kind_of(file) {
        Kind::Plugin => plugin::spec(file, &name),
        Kind::Script => {
            let text = std::str::from_utf8(file).map_err(|why| {
                let path = path.display();
                Failure::Input(anyhow!("{path} is no script: it is no text ({why})"))
            })?;
            Script::spec(text, &name)
        }
    };
    spec.map_err(|mistake| Failure::Input(at(path, &mistake)))
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
    let mut files = asked.iter().filter_map(|text| Some(named(text)?.path));
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
    let Mistake { line, column, what } = mistake;
    let path = path.display();
    match line {
        0 => anyhow!("{path}: {what}"),
        _ => anyhow!("{path}:{line}:{column}: {what}"),
    }
}
