//! A scheduler of one's own as a WebAssembly module, for who needs speed or another language than the
//! scripts': three functions over a table (`docs/plugins.md`). In: a module, as text within the spec. Out:
//! a policy like any other. Whatever is wrong with the module ends its run with the reason, in words.
//!
//! The interpreter comes with the feature `plugins`; without it there is the entry, and a run says what is
//! missing.

#[cfg(feature = "plugins")]
mod actions;
#[cfg(feature = "plugins")]
mod code;
#[cfg(feature = "plugins")]
mod deciding;
#[cfg(feature = "plugins")]
mod fault;
#[cfg(feature = "plugins")]
mod guest;
#[cfg(feature = "plugins")]
mod table;
#[cfg(all(test, feature = "plugins"))]
mod tests;

#[cfg(feature = "plugins")]
pub use fault::PluginError;

use super::entry::{BuildContext, PLACEMENT, Registered};
use super::script::Refused;
use super::{ParamInfo, ParamKind, Params, Policy, PolicyEntry, PolicySpec, fifo};
use crate::sim::Mistake;

/// The policy's name.
pub(super) const NAME: &str = "plugin";
/// The parameter with the module.
pub(super) const CODE: &str = "code";
/// The parameter with what people call it.
const TITLE: &str = "name";
/// The parameter by which it is asked between events.
const QUANTUM: &str = "quantum";
/// The parameter by which it may see true durations.
const ORACLE: &str = "oracle";

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: NAME,
        title: "Your own (plug-in)",
        summary: "A WebAssembly module of yours decides, in any language that makes one: three functions over a table of jobs and nodes. Without a module: in order of arrival, as fifo.",
        source: "docs/plugins.md",
        params: &[
            ParamInfo {
                name: CODE,
                aliases: &[],
                kind: ParamKind::Word("a module, deflated, in base64 for addresses"),
                default: "",
                help: "The module, deflated, in base64 for addresses; on the command line --policy plugin:FILE.wasm.",
                expert: false,
            },
            ParamInfo {
                name: TITLE,
                aliases: &[],
                kind: ParamKind::Word("a name"),
                default: "",
                help: "What people call it.",
                expert: false,
            },
            ParamInfo {
                name: QUANTUM,
                aliases: &[],
                kind: ParamKind::Int {
                    min: 0,
                    max: 1_000_000,
                },
                default: "0",
                help: "Seconds after which it is asked again while jobs wait, besides every event; 0: at events alone.",
                expert: false,
            },
            ParamInfo {
                name: ORACLE,
                aliases: &[],
                kind: ParamKind::Bool,
                default: "false",
                help: "It may see true durations, which no real scheduler knows.",
                expert: false,
            },
            PLACEMENT,
        ],
        oracle: |params| params.bool(ORACLE),
        scripted: true,
        ..PolicyEntry::PLAIN
    },
    build,
};

fn build(params: &Params<'_>, context: &BuildContext<'_>) -> Box<dyn Policy> {
    if params.text(CODE).is_empty() {
        return fifo::build(params, context);
    }
    match taken_up(params, context) {
        Ok(policy) => policy,
        Err(mistake) => Box::new(Refused(mistake)),
    }
}

#[cfg(feature = "plugins")]
fn taken_up(params: &Params<'_>, context: &BuildContext<'_>) -> Result<Box<dyn Policy>, Mistake> {
    use crate::sim::Every;

    let guest = of_spec(params.spec())?;
    let strategy = params.placement(PLACEMENT.name, context.placement);
    let quantum = params.int(QUANTUM);
    let every = (quantum > 0).then(|| Every {
        seconds: f64::from(quantum),
        parameter: QUANTUM,
        while_all_run: false,
    });
    Ok(Box::new(deciding::Deciding::new(guest, strategy, every)))
}

#[cfg(not(feature = "plugins"))]
fn taken_up(_: &Params<'_>, _: &BuildContext<'_>) -> Result<Box<dyn Policy>, Mistake> {
    Err(runs_none())
}

/// Says whether a spec's module can be run, if it is one.
///
/// # Errors
///
/// What is wrong with the module, or that this program runs none.
pub(crate) fn check(spec: &PolicySpec) -> Result<(), Mistake> {
    if spec.name() != NAME || spec.param(CODE).is_none() {
        return Ok(());
    }
    #[cfg(feature = "plugins")]
    {
        of_spec(spec)?;
        Ok(())
    }
    #[cfg(not(feature = "plugins"))]
    Err(runs_none())
}

#[cfg(not(feature = "plugins"))]
fn runs_none() -> Mistake {
    nowhere("this program runs no plug-ins: it was built without the feature `plugins`".to_owned())
}

/// A mistake that is in no line.
fn nowhere(what: String) -> Mistake {
    Mistake {
        line: 0,
        column: 0,
        what,
    }
}

#[cfg(feature = "plugins")]
impl From<PluginError> for Mistake {
    fn from(error: PluginError) -> Self {
        nowhere(error.to_string())
    }
}

/// The spec of a module's policy, under a name for people.
///
/// # Errors
///
/// What is wrong with the module.
#[cfg(feature = "plugins")]
pub fn spec(module: &[u8], name: &str) -> Result<PolicySpec, Mistake> {
    guest::Guest::new(module)?;
    let plain = |c: char| match c.is_control() || "[],=".contains(c) {
        true => ' ',
        false => c,
    };
    let name: String = name.chars().map(plain).collect();
    let mut spec = format!("{NAME}[{CODE}={}", code::packed(module)?);
    if !name.trim().is_empty() {
        spec.push_str(&format!(",{TITLE}={}", name.trim()));
    }
    spec.push(']');
    let refused = |error: super::SpecError| nowhere(error.to_string());
    spec.parse().map_err(refused)
}

#[cfg(feature = "plugins")]
fn of_spec(spec: &PolicySpec) -> Result<guest::Guest, PluginError> {
    guest::Guest::new(&code::unpacked(spec.param(CODE).unwrap_or_default())?)
}
