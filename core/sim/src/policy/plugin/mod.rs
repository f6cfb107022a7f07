//! A scheduler of one's own as a WebAssembly module, for who wants another language than the
//! scripts': three functions over a table (`docs/plugins.md`). In: a module, as text within the spec. Out:
//! a policy like any other. Whatever is wrong with the module ends its run with the reason, in words.
//!
//! The interpreter comes with the feature `plugins`; without it there is the entry, and a run says what is
//! missing.

#[cfg(feature = "plugins")]
mod actions;
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

use super::entry::{PLACEMENT, Registered};
use super::own::{self, Kind, NAME, ORACLE};
use super::{ParamInfo, ParamKind, Params, Policy, PolicyEntry};
use crate::placement::Strategy;
use crate::sim::Mistake;

/// The parameter by which it is asked between events.
const QUANTUM: &str = "quantum";

/// The most bytes of a module: deflated some 22,000 characters of a link.
#[cfg(feature = "plugins")]
const BOUNDS: own::code::Bounds = own::code::Bounds {
    plain: 256 << 10,
    packed: 16 << 10,
};

pub(super) const KIND: Kind = Kind {
    policy: "plugin",
    read,
};

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: KIND.policy,
        title: "Your own (plug-in)",
        summary: "A WebAssembly module of yours decides, in any language that makes one: three functions over a table of jobs and nodes. Without a module: in order of arrival, as fifo.",
        source: "docs/plugins.md",
        params: &[
            own::code(
                ParamKind::Word("a module, deflated, in base64 for addresses"),
                "The module, deflated, in base64 for addresses; on the command line --policy plugin:FILE.wasm.",
            ),
            NAME,
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
            own::permission(
                ORACLE,
                "It may see true durations, which no real scheduler knows.",
            ),
            PLACEMENT,
        ],
        oracle: |params| params.bool(ORACLE),
        scripted: true,
        ..PolicyEntry::PLAIN
    },
    build: |params, context| KIND.build(params, context),
};

#[cfg(feature = "plugins")]
fn read(params: &Params<'_>, placement: Strategy) -> Result<Box<dyn Policy>, Mistake> {
    use crate::sim::Every;

    let module = own::code::unpacked(params.text(own::CODE), BOUNDS).map_err(PluginError::from)?;
    let guest = guest::Guest::new(&module)?;
    let quantum = params.int(QUANTUM);
    let every = (quantum > 0).then(|| Every {
        seconds: f64::from(quantum),
        parameter: QUANTUM,
        while_all_run: false,
    });
    Ok(Box::new(deciding::Deciding::new(guest, placement, every)))
}

#[cfg(not(feature = "plugins"))]
fn read(_: &Params<'_>, _: Strategy) -> Result<Box<dyn Policy>, Mistake> {
    Err(own::not_built("plug-ins", "plugins"))
}

/// The spec of a module's policy, under a name for people.
///
/// # Errors
///
/// What is wrong with the module.
#[cfg(feature = "plugins")]
pub fn spec(module: &[u8], name: &str) -> Result<super::PolicySpec, Mistake> {
    guest::Guest::new(module)?;
    let code = own::code::packed(module, BOUNDS).map_err(PluginError::from)?;
    KIND.spec(&code, name, &[])
}
