//! Policies in files, as people name them: `script:FILE[placement=spread] if 7:3600..`. In: such a text, and what the file
//! holds. Out: the policy's spec, which carries the code. Nothing here opens a file.

use super::spec::spec as spec_of_module;
use crate::parse::pairs;
use crate::script::Script;
use crate::{PolicySpec, SpecError};
use switchyard_engine::Mistake;

/// What a policy's file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Script,
    Plugin,
}

/// What stands before a file's name.
const MARKS: [(&str, Kind); 2] = [("script:", Kind::Script), ("plugin:", Kind::Plugin)];

/// What every WebAssembly module begins with.
const MODULE: &[u8] = b"\0asm";

impl Kind {
    fn of(code: &[u8]) -> Self {
        match code.starts_with(MODULE) {
            true => Self::Plugin,
            false => Self::Script,
        }
    }
}

/// A text that names a policy's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyFile<'a> {
    kind: Kind,
    path: &'a str,
    parameters: &'a str,
    outages: &'a str,
}

/// Why a file is not the policy that was asked for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PolicyFileError {
    /// A script, named as a plug-in.
    #[error(
        "{0} is no WebAssembly module: a plug-in is one (docs/plugins.md); name a script as script:{0}"
    )]
    NoModule(String),
    /// A plug-in, named as a script.
    #[error("{0} is a WebAssembly module and no script: name it as plugin:{0}")]
    NoScript(String),
    /// Neither.
    #[error("it is no script: it is no text ({0})")]
    NoText(#[from] std::str::Utf8Error),
    /// What is wrong with the code, and where.
    #[error(transparent)]
    Mistake(#[from] Mistake),
    /// What is wrong with the parameters or the outages.
    #[error(transparent)]
    Spec(#[from] SpecError),
}

impl<'a> PolicyFile<'a> {
    /// The file that a policy's text names, if it names one.
    pub fn named(text: &'a str) -> Option<Self> {
        let (rest, kind) = MARKS
            .iter()
            .find_map(|&(mark, kind)| Some((text.trim().strip_prefix(mark)?, kind)))?;
        let (rest, outages) = rest.rsplit_once(" if ").unwrap_or((rest, ""));
        let parted = rest
            .strip_suffix(']')
            .and_then(|rest| rest.rsplit_once('['));
        let (path, parameters) = parted.unwrap_or((rest, ""));
        Some(Self {
            kind,
            path: path.trim(),
            parameters,
            outages,
        })
    }

    /// The file's name.
    pub fn path(&self) -> &'a str {
        self.path
    }

    /// The policy that the file's `code` is, under a name for people, with the parameters and outages of the text.
    ///
    /// # Errors
    ///
    /// The code is not of its kind or has a mistake; or the policy does not take the parameters.
    pub fn spec(&self, code: &[u8], name: &str) -> Result<PolicySpec, PolicyFileError> {
        match (self.kind, Kind::of(code)) {
            (Kind::Plugin, Kind::Script) => {
                return Err(PolicyFileError::NoModule(self.path.to_owned()));
            }
            (Kind::Script, Kind::Plugin) => {
                return Err(PolicyFileError::NoScript(self.path.to_owned()));
            }
            _ => {}
        }
        let spec = spec_of_code(code, name)?;
        let syntax = || SpecError::Syntax(format!("{}[{}]", self.path, self.parameters));
        let given = pairs(self.parameters).ok_or_else(syntax)?;
        let spec = spec.with_all(&given)?;
        if self.outages.is_empty() {
            return Ok(spec);
        }
        match self.outages.parse::<crate::outages::Outages>() {
            Ok(outages) => Ok(spec.and_if(outages)),
            Err(why) => Err(PolicyFileError::Spec(SpecError::Outage {
                policy: self.path.to_owned(),
                why: why.to_string(),
            })),
        }
    }
}

/// The policy that a code is, under a name for people: a plug-in where it begins as modules do, else a script.
///
/// # Errors
///
/// It is neither, or has a mistake.
pub fn spec_of_code(code: &[u8], name: &str) -> Result<PolicySpec, PolicyFileError> {
    Ok(match Kind::of(code) {
        Kind::Plugin => spec_of_module(code, name)?,
        Kind::Script => Script::spec(std::str::from_utf8(code)?, name)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &[u8] = b"fn key(job, now) { job.gpus }";

    fn spec(text: &str) -> Result<PolicySpec, String> {
        let file = PolicyFile::named(text).expect("it names a file");
        file.spec(CODE, "mine").map_err(|error| error.to_string())
    }

    #[test]
    fn a_text_names_a_file_and_says_the_rest_of_its_spec() {
        let file = PolicyFile::named(" script:a [b].rhai[placement=spread] if 7:3600..").unwrap();
        assert_eq!(file.path(), "a [b].rhai");
        assert_eq!(PolicyFile::named("fifo[backfill=true]"), None);
        let label = |text: &str| spec(text).map(|spec| spec.label());
        let expected = "script[name=mine,placement=spread] if 7:3600..";
        let text = "script:a.rhai[placement=spread] if 7:3600..";
        assert_eq!(label(text).as_deref(), Ok(expected));
        // A name that is given counts, not the file's.
        let other = label("script:a.rhai[name=other]");
        assert_eq!(other.as_deref(), Ok("script[name=other]"));
        assert_eq!(
            spec("script:a.rhai"),
            Ok(Script::spec("fn key(job, now) { job.gpus }", "mine").unwrap())
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_what_to_do() {
        for (text, words) in [
            ("plugin:a.rhai", "name a script as script:a.rhai"),
            ("script:a.rhai[quantum=5]", "quantum"),
            ("script:a.rhai[placement]", "a.rhai[placement]"),
            ("script:a.rhai[name=a,name=b]", "name"),
            ("script:a.rhai if 7:9..5", "before it begins"),
        ] {
            let error = spec(text).expect_err(text);
            assert!(error.contains(words), "{text}: {error}");
        }
        let file = PolicyFile::named("script:a.wasm").unwrap();
        let error = file.spec(b"\0asm\x01\0\0\0", "a").unwrap_err().to_string();
        assert!(error.ends_with("name it as plugin:a.wasm"), "{error}");
        let error = file.spec(b"\xff", "a").unwrap_err().to_string();
        assert!(error.contains("it is no text"), "{error}");
    }
}
