//! A scheduler of somebody's own that travels within its spec, as a [script](super::script) or as a
//! [plug-in](super::plugin): what both have in common. In: a spec's parameters. Out: the policy that its code
//! is, or one that ends its run with what is wrong with it.

#[cfg(any(feature = "plugins", feature = "scripts"))]
pub(super) mod code;

use super::entry::{BuildContext, PLACEMENT};
use super::{
    Explanation, ParamInfo, ParamKind, Params, Policy, PolicySpec, Rng, Verdict, entry, fifo,
    plugin, script,
};
use crate::job::JobId;
use crate::placement::Strategy;
use crate::sim::{Mistake, Phase, Plan, View};

/// The parameter with the code.
pub(super) const CODE: &str = "code";
/// The parameter with what people call it.
const TITLE: &str = "name";
/// The parameter by which it may see true durations.
pub(super) const ORACLE: &str = "oracle";

/// Kinds of code.
const KINDS: [Kind; 2] = [script::KIND, plugin::KIND];

/// A kind of code.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    /// The policy's name.
    pub(super) policy: &'static str,
    /// The policy that a spec's code is, gangs laid so, where this program runs any.
    pub(super) read: Read,
}

type Read = fn(&Params<'_>, Strategy) -> Result<Box<dyn Policy>, Mistake>;

/// The parameter with code of a kind.
pub(super) const fn code(kind: ParamKind, help: &'static str) -> ParamInfo {
    ParamInfo {
        name: CODE,
        aliases: &[],
        kind,
        default: "",
        help,
        expert: false,
    }
}

pub(super) const NAME: ParamInfo = ParamInfo {
    name: TITLE,
    aliases: &[],
    kind: ParamKind::Word("a name"),
    default: "",
    help: "What people call it.",
    expert: false,
};

/// A parameter by which it may do something.
pub(super) const fn permission(name: &'static str, help: &'static str) -> ParamInfo {
    ParamInfo {
        name,
        aliases: &[],
        kind: ParamKind::Bool,
        default: "false",
        help,
        expert: false,
    }
}

impl Kind {
    /// The policy that a spec's code is; without a code, fifo.
    pub(super) fn build(self, params: &Params<'_>, context: &BuildContext<'_>) -> Box<dyn Policy> {
        if params.text(CODE).is_empty() {
            return fifo::build(params, context);
        }
        let placement = params.placement(PLACEMENT.name, context.placement);
        (self.read)(params, placement).unwrap_or_else(|mistake| Box::new(Refused(mistake)))
    }

    /// The spec of a code, under a name for people, in which what specs give a meaning to is a space; with
    /// the permissions that it asks for.
    ///
    /// # Errors
    ///
    /// It makes no spec.
    #[cfg(any(feature = "plugins", feature = "scripts"))]
    pub(super) fn spec(
        self,
        code: &str,
        name: &str,
        permissions: &[&str],
    ) -> Result<PolicySpec, Mistake> {
        let plain = |c| if ParamKind::is_plain(c) { c } else { ' ' };
        let name: String = name.chars().map(plain).collect();
        let mut spec = format!("{}[{CODE}={code}", self.policy);
        if !name.trim().is_empty() {
            spec.push_str(&format!(",{TITLE}={}", name.trim()));
        }
        for permission in permissions {
            spec.push_str(&format!(",{permission}=true"));
        }
        spec.push(']');
        let refused = |error: super::SpecError| Mistake::nowhere(error.to_string());
        spec.parse().map_err(refused)
    }
}

/// Says whether the code of a spec can be run, if it has one.
///
/// # Errors
///
/// A mistake in it, or that this program runs none of its kind.
pub(crate) fn check(spec: &PolicySpec) -> Result<(), Mistake> {
    let kind = KINDS.iter().find(|kind| kind.policy == spec.name());
    let found = kind.filter(|_| spec.param(CODE).is_some());
    let Some((kind, entry)) = found.zip(entry(spec.name())) else {
        return Ok(());
    };
    (kind.read)(&Params::new(entry.params, spec), Strategy::default()).map(drop)
}

/// That this program runs none of a kind.
#[cfg(not(all(feature = "plugins", feature = "scripts")))]
pub(super) fn not_built(kind: &str, feature: &str) -> Mistake {
    Mistake::nowhere(format!(
        "this program runs no {kind}: it was built without the feature `{feature}`"
    ))
}

/// Why a job runs or waits, where only the code knows in which order they go.
pub(super) fn verdict(view: &View<'_>, job: JobId) -> Verdict {
    let (wants, free) = (view.gpus(job), view.free().total());
    match view.phase(job) {
        Phase::Running => Verdict::Runs,
        Phase::Waiting if wants <= free => Verdict::PlacementWaits { wants, free },
        Phase::Waiting => Verdict::TooFewGpus { wants, left: free },
        Phase::Future | Phase::Finished | Phase::Rejected => Verdict::NotActive,
    }
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
