//! Specs of somebody's own code. They stand above the table of policies, which scripts and plug-ins are in.

#[cfg(feature = "plugins")]
use crate::plugin;
#[cfg(feature = "scripts")]
use crate::script::{self, Script, pack, plain};
use crate::{Parameters, PolicySpec};
use switchyard_engine::Mistake;

#[cfg(feature = "scripts")]
impl Script {
    /// The spec of a text's policy, under a name for people; what it says of itself at its top is in it.
    ///
    /// # Errors
    ///
    /// The first mistake in the text.
    pub fn spec(text: &str, name: &str) -> Result<PolicySpec, Mistake> {
        let text = plain(text);
        let says = Self::new(text, true)?.says();
        let parameters = script::Parameters::of_text(pack(text)?, name, says.oracle, says.adaptive);
        Ok(Parameters::Script(parameters).into())
    }
}

/// The spec of a module's policy, under a name for people.
///
/// # Errors
///
/// What is wrong with the module.
#[cfg(feature = "plugins")]
pub fn spec(module: &[u8], name: &str) -> Result<PolicySpec, Mistake> {
    plugin::check(module)?;
    unchecked_spec(module, name)
}

/// The spec of a module that nobody has looked at: what is wrong with it is said when it is to run.
///
/// # Errors
///
/// It is too large.
#[cfg(feature = "plugins")]
pub fn unchecked_spec(module: &[u8], name: &str) -> Result<PolicySpec, Mistake> {
    let parameters = plugin::Parameters::of_module(module, name)?;
    Ok(Parameters::Plugin(parameters).into())
}
