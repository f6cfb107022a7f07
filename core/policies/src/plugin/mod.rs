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
#[cfg(feature = "plugins")]
pub use super::user_policy::spec::{spec, unchecked_spec};
#[cfg(feature = "plugins")]
pub use fault::PluginError;

use super::entry::{BuildContext, Properties, UserCode};
use super::parameters::{PLACEMENT, PlacementChoice, param, parameters};
use super::user_policy::{self, NAME};
use super::{ParamKind, Policy, PolicyEntry};
#[cfg(feature = "plugins")]
use fault::BOUNDS;
use switchyard_engine::Mistake;
use switchyard_placement::Strategy;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "plugin",
    title: "Your own (plug-in)",
    summary: "A WebAssembly module of yours decides, in any language that makes one: three functions over a table of jobs and nodes. Without a module: in order of arrival, as fifo.",
    source: "docs/plugins.md",
    params: Parameters::INFOS,
    scripted: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        code: String = param(
            ParamKind::Word("a module, deflated, in base64 for addresses"),
            "",
            "The module, deflated, in base64 for addresses; on the command line --policy plugin:FILE.wasm.",
        ),
        name: String = NAME,
        quantum: u32 = param(
            ParamKind::Int {
                min: 0,
                max: 1_000_000,
            },
            "0",
            "Seconds after which it is asked again while jobs wait, besides every event; 0: at events alone.",
        ),
        oracle: bool = user_policy::permission(
            "It may see true durations, which no real scheduler knows.",
        ),
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {
    fn is_oracle(&self) -> bool {
        self.oracle
    }

    fn user_code(&self) -> Option<UserCode<'_>> {
        let (code, name) = (&self.code, &self.name);
        Some(UserCode { code, name })
    }

    fn check_code(&self) -> Result<(), Mistake> {
        user_policy::check(&self.code, |strategy| read(self, strategy))
    }
}

pub(super) fn build(params: &Parameters, context: &BuildContext<'_>) -> Box<dyn Policy> {
    let strategy = params.placement.or(context.placement);
    user_policy::build(&params.code, strategy, |strategy| read(params, strategy))
}

#[cfg(feature = "plugins")]
impl Parameters {
    /// Of a module, under a name for people.
    ///
    /// # Errors
    ///
    /// It is too large.
    pub(super) fn of_module(module: &[u8], name: &str) -> Result<Self, Mistake> {
        Ok(Self {
            code: user_policy::code::packed(module, BOUNDS).map_err(PluginError::from)?,
            name: user_policy::plain_name(name),
            quantum: 0,
            oracle: false,
            placement: PlacementChoice::Runs,
        })
    }
}

/// Says whether a module is a plug-in.
#[cfg(feature = "plugins")]
pub(super) fn check(module: &[u8]) -> Result<(), Mistake> {
    guest::Guest::new(module)?;
    Ok(())
}

#[cfg(feature = "plugins")]
fn read(params: &Parameters, placement: Strategy) -> Result<Box<dyn Policy>, Mistake> {
    use switchyard_engine::Every;

    let module = user_policy::code::unpacked(&params.code, BOUNDS).map_err(PluginError::from)?;
    let guest = guest::Guest::new(&module)?;
    let every = (params.quantum > 0).then(|| Every {
        seconds: f64::from(params.quantum),
        parameter: "quantum",
        while_all_run: false,
    });
    Ok(Box::new(deciding::Deciding::new(guest, placement, every)))
}

#[cfg(not(feature = "plugins"))]
fn read(_: &Parameters, _: Strategy) -> Result<Box<dyn Policy>, Mistake> {
    Err(user_policy::not_built("plug-ins", "plugins"))
}
