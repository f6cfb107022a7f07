//! A scheduler of somebody's own that travels within its spec, as a [script](super::script) or as a
//! [plug-in](super::plugin): what both have in common. In: a spec's parameters. Out: the policy that its code
//! is, or one that ends its run with what is wrong with it.

#[cfg(any(feature = "plugins", feature = "scripts"))]
pub(super) mod code;
#[cfg(all(feature = "plugins", feature = "scripts"))]
pub(super) mod file;
#[cfg(any(feature = "plugins", feature = "scripts"))]
pub(super) mod spec;

#[cfg(not(feature = "solvers"))]
use super::entry::BuildContext;
use super::fifo::Fifo;
use super::moment::verdict;
use super::parameters::param;
use super::{Explanation, ParamInfo, ParamKind, Policy, Rng};
use crate::job::JobId;
use switchyard_engine::{Mistake, Plan, View};
use switchyard_placement::Strategy;

/// The parameter with the code of a script or a plug-in.
pub const CODE: &str = "code";

/// What people call it.
pub(super) const NAME: ParamInfo = param(ParamKind::Word("a name"), "", "What people call it.");

/// A parameter by which it may do something.
pub(super) const fn permission(help: &'static str) -> ParamInfo {
    param(ParamKind::Bool, "false", help)
}

/// A name as specs have it: what they give a meaning to is a space.
#[cfg(any(feature = "plugins", feature = "scripts"))]
pub(super) fn plain_name(name: &str) -> String {
    let plain = |c| if ParamKind::is_plain(c) { c } else { ' ' };
    let name: String = name.chars().map(plain).collect();
    name.trim().to_owned()
}

/// The policy that a code is, as `read` finds; without a code, fifo.
pub(super) fn build(
    code: &str,
    strategy: Strategy,
    read: impl FnOnce(Strategy) -> Result<Box<dyn Policy>, Mistake>,
) -> Box<dyn Policy> {
    match code.is_empty() {
        true => Box::new(Fifo::new(false, strategy)),
        false => read(strategy).unwrap_or_else(|mistake| Box::new(Refused(mistake))),
    }
}

/// What is wrong with a code, as `read` finds; nothing is without a code.
pub(super) fn check(
    code: &str,
    read: impl FnOnce(Strategy) -> Result<Box<dyn Policy>, Mistake>,
) -> Result<(), Mistake> {
    match code.is_empty() {
        true => Ok(()),
        false => read(Strategy::default()).map(drop),
    }
}

/// That this program runs none of a kind.
#[cfg(not(all(feature = "plugins", feature = "scripts", feature = "solvers")))]
pub(super) fn not_built(kind: &str, feature: &str) -> Mistake {
    Mistake::nowhere(format!(
        "this program runs no {kind}: it was built without the feature `{feature}`"
    ))
}

/// Stands for a policy whose solvers this program does not hold.
#[cfg(not(feature = "solvers"))]
pub(super) fn without_solvers<P>(_: &P, _: &BuildContext<'_>) -> Box<dyn Policy> {
    Box::new(Refused(not_built("policies with solvers", "solvers")))
}

/// What cannot be run: the run ends when it is first asked.
struct Refused(Mistake);

impl Policy for Refused {
    fn plan(&mut self, _view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        plan.fail(self.0.clone());
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        Explanation::new(verdict(view, job), Vec::new())
    }
}
