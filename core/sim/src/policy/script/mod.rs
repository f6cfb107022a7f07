//! A policy that somebody has written: a script in Rhai, of one of two levels (`docs/scripts.md`).
//!
//! `fn key(job, now)` gives each job a number, least first ([`by_key`]); `fn plan(view)` decides the
//! whole ([`whole`]). The text is a parameter of the spec, so that links and experiment files carry it. A
//! script sees what a policy sees and nothing else: no clock, no I/O, mathematics by `libm` and random
//! numbers from the run's generator, so that it gives the same bits everywhere; and it has
//! limits ([`Limits`]), beyond which its run ends with the line that it was at.
//!
//! Rhai comes with the feature `scripts`; without it there is the entry, and a run says what is missing.

#[cfg(feature = "scripts")]
mod by_key;
#[cfg(feature = "scripts")]
mod desk;
#[cfg(feature = "scripts")]
mod direct;
#[cfg(feature = "scripts")]
mod examples;
#[cfg(feature = "scripts")]
mod jobs;
#[cfg(feature = "scripts")]
mod language;
#[cfg(feature = "scripts")]
mod program;
#[cfg(feature = "scripts")]
mod text;
#[cfg(feature = "scripts")]
mod trainee;
#[cfg(feature = "scripts")]
mod whole;
#[cfg(feature = "scripts")]
mod words;

#[cfg(feature = "scripts")]
pub use examples::{EXAMPLES, Example};
#[cfg(feature = "scripts")]
pub use language::Limits;
#[cfg(feature = "scripts")]
pub use program::Script;
#[cfg(feature = "scripts")]
pub use text::{pack, unpack};
#[cfg(feature = "scripts")]
pub use words::{WORDS, Word};

use super::entry::{BuildContext, PLACEMENT, Registered};
use super::{
    Explanation, ParamInfo, ParamKind, Params, Policy, PolicyEntry, PolicySpec, Rng, Verdict, fifo,
};
use crate::job::JobId;
use crate::sim::{Mistake, Phase, Plan, View};

/// The policy's name.
pub(super) const NAME: &str = "script";
/// The parameter with the text.
pub(super) const CODE: &str = "code";
/// The parameter with what people call it.
#[cfg(feature = "scripts")]
const TITLE: &str = "name";
/// The parameter by which it may see true durations.
const ORACLE: &str = "oracle";
/// The parameter by which it trains adaptive jobs.
const ADAPTIVE: &str = "adaptive";

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: NAME,
        title: "Your own (script)",
        summary: "A script of yours decides: `fn key(job, now)` gives each job a number, least first, or `fn plan(view)` decides the whole. Without a text: in order of arrival, as fifo.",
        source: "docs/scripts.md",
        params: &[
            ParamInfo {
                name: CODE,
                aliases: &[],
                kind: ParamKind::Word("the script's text, deflated, in base64 for addresses"),
                default: "",
                help: "The script's text, deflated, in base64 for addresses; on the command line --policy script:FILE.",
                expert: false,
            },
            ParamInfo {
                name: "name",
                aliases: &[],
                kind: ParamKind::Word("a name"),
                default: "",
                help: "What people call it.",
                expert: false,
            },
            ParamInfo {
                name: ORACLE,
                aliases: &[],
                kind: ParamKind::Bool,
                default: "false",
                help: "It may see true durations (job.duration, job.remaining), which no real scheduler knows.",
                expert: false,
            },
            ParamInfo {
                name: ADAPTIVE,
                aliases: &[],
                kind: ParamKind::Bool,
                default: "false",
                help: "It gives adaptive jobs other GPUs and batches than they ask for, with train().",
                expert: false,
            },
            PLACEMENT,
        ],
        oracle: |params| params.bool(ORACLE),
        adapts_jobs: |params| params.bool(ADAPTIVE),
        scripted: true,
        is_written: true,
        ..PolicyEntry::PLAIN
    },
    build,
};

fn build(params: &Params<'_>, context: &BuildContext<'_>) -> Box<dyn Policy> {
    if params.text(CODE).is_empty() {
        return fifo::build(params, context);
    }
    match written(params, context) {
        Ok(policy) => policy,
        Err(mistake) => Box::new(Refused(mistake)),
    }
}

#[cfg(feature = "scripts")]
fn written(params: &Params<'_>, context: &BuildContext<'_>) -> Result<Box<dyn Policy>, Mistake> {
    let strategy = params.placement(PLACEMENT.name, context.placement);
    Ok(of_spec(params.spec())?.into_policy(strategy))
}

#[cfg(not(feature = "scripts"))]
fn written(_: &Params<'_>, _: &BuildContext<'_>) -> Result<Box<dyn Policy>, Mistake> {
    Err(runs_no_scripts())
}

/// Says whether a spec's script can be run, if it is one.
///
/// # Errors
///
/// A mistake in its text, or that this program runs no scripts.
pub(crate) fn check(spec: &PolicySpec) -> Result<(), Mistake> {
    if spec.name() != NAME || spec.param(CODE).is_none() {
        return Ok(());
    }
    #[cfg(feature = "scripts")]
    return of_spec(spec).map(drop);
    #[cfg(not(feature = "scripts"))]
    Err(runs_no_scripts())
}

#[cfg(not(feature = "scripts"))]
fn runs_no_scripts() -> Mistake {
    Mistake {
        line: 0,
        column: 0,
        what: "this program runs no scripts: it was built without the feature `scripts`".to_owned(),
    }
}

#[cfg(feature = "scripts")]
fn of_spec(spec: &PolicySpec) -> Result<Script, Mistake> {
    let code = spec.param(CODE).unwrap_or_default();
    let oracle = spec.param(ORACLE) == Some("true");
    Script::new(&unpack(code)?, oracle)
}

/// What cannot be run: the run ends when it is first asked.
pub(super) struct Refused(pub(super) Mistake);

impl Policy for Refused {
    fn plan(&mut self, _view: &View<'_>, _rng: &mut Rng, plan: &mut Plan) {
        plan.fail(self.0.clone());
    }

    fn explain(&self, view: &View<'_>, job: JobId) -> Explanation {
        let verdict = match view.phase(job) {
            Phase::Waiting => Verdict::TooFewGpus {
                wants: view.gpus(job),
                left: 0,
            },
            Phase::Running => Verdict::Runs,
            _ => Verdict::NotActive,
        };
        Explanation::new(verdict, Vec::new())
    }
}
