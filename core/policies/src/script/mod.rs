//! A policy that somebody has written: a script in Rhai, of one of two levels (`docs/scripts.md`).
//!
//! `fn key(job, now)` gives each job a number, least first ([`ByKey`](super::by_key::ByKey)); `fn plan(view)` decides the
//! whole ([`whole`]). The text is a parameter of the spec, so that links and experiment files carry it. A
//! script sees what a policy sees and nothing else: no clock, no I/O, mathematics by `libm` and random
//! numbers from the run's generator, so that it gives the same bits everywhere; and it has
//! limits ([`Limits`]), beyond which its run ends with the line that it was at.
//!
//! Rhai comes with the feature `scripts`; without it there is the entry, and a run says what is missing.

#[cfg(feature = "scripts")]
mod budget;
#[cfg(feature = "scripts")]
mod course;
#[cfg(feature = "scripts")]
mod direct;
#[cfg(feature = "scripts")]
mod examples;
#[cfg(feature = "scripts")]
mod host;
#[cfg(feature = "scripts")]
mod job;
#[cfg(feature = "scripts")]
mod jobs;
#[cfg(feature = "scripts")]
mod language;
#[cfg(feature = "scripts")]
mod places;
#[cfg(feature = "scripts")]
mod program;
#[cfg(feature = "scripts")]
mod readings;
#[cfg(feature = "scripts")]
mod refusal;
#[cfg(feature = "scripts")]
mod seen;
#[cfg(feature = "scripts")]
mod text;
#[cfg(feature = "scripts")]
mod training;
#[cfg(feature = "scripts")]
mod values;
#[cfg(feature = "scripts")]
mod whole;
#[cfg(feature = "scripts")]
mod words;

#[cfg(feature = "scripts")]
pub use budget::Limits;
#[cfg(feature = "scripts")]
pub use course::{COURSE, Condition, Lesson, START};
#[cfg(feature = "scripts")]
pub use examples::{EXAMPLES, Example};
#[cfg(feature = "scripts")]
pub use program::Script;
#[cfg(feature = "scripts")]
pub(super) use program::plain;
#[cfg(feature = "scripts")]
pub use text::{pack, unpack};
#[cfg(feature = "scripts")]
pub use words::{KEYWORDS, WORDS, Word};

#[cfg(feature = "scripts")]
use super::by_key::ByKey;
use super::entry::{BuildContext, Properties, UserCode};
use super::parameters::{PLACEMENT, PlacementChoice, param, parameters};
use super::user_policy::{self, NAME};
use super::{ParamKind, Policy, PolicyEntry};
use switchyard_engine::Mistake;
use switchyard_placement::Strategy;

pub(super) const POLICY: PolicyEntry = PolicyEntry {
    name: "script",
    title: "Your own (script)",
    summary: "A script of yours decides: `fn key(job, now)` gives each job a number, least first, or `fn plan(view)` decides the whole. Without a text: in order of arrival, as fifo.",
    source: "docs/scripts.md",
    params: Parameters::INFOS,
    scripted: true,
    is_written: true,
    ..PolicyEntry::PLAIN
};

parameters! {
    struct Parameters {
        code: String = param(
            ParamKind::Word("the script's text, deflated, in base64 for addresses"),
            "",
            "The script's text, deflated, in base64 for addresses; on the command line --policy script:FILE.",
        ),
        name: String = NAME,
        oracle: bool = user_policy::permission(
            "It may see true durations (job.duration, job.remaining), which no real scheduler knows.",
        ),
        adaptive: bool = user_policy::permission(
            "It gives adaptive jobs other GPUs and batches than they ask for, with train().",
        ),
        placement: PlacementChoice = PLACEMENT,
    }
}

impl Properties for Parameters {
    fn is_oracle(&self) -> bool {
        self.oracle
    }

    fn adapts_jobs(&self) -> bool {
        self.adaptive
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

impl Parameters {
    /// Of a text that is packed, under a name for people.
    #[cfg(feature = "scripts")]
    pub(super) fn of_text(code: String, name: &str, oracle: bool, adaptive: bool) -> Self {
        Self {
            code,
            name: user_policy::plain_name(name),
            oracle,
            adaptive,
            placement: PlacementChoice::Runs,
        }
    }
}

#[cfg(feature = "scripts")]
impl Script {
    /// The policy that it is, gangs laid so where it does not say where.
    pub fn into_policy(self, placement: Strategy) -> Box<dyn Policy> {
        match self.is_plan {
            true => Box::new(whole::Whole::new(self, placement)),
            false => {
                let says = self.says();
                Box::new(ByKey::new(
                    Box::new(self),
                    says.preemptive,
                    says.backfill,
                    placement,
                ))
            }
        }
    }
}

#[cfg(feature = "scripts")]
fn read(params: &Parameters, placement: Strategy) -> Result<Box<dyn Policy>, Mistake> {
    let script = Script::new(&unpack(&params.code)?, params.oracle)?;
    Ok(script.into_policy(placement))
}

#[cfg(not(feature = "scripts"))]
fn read(_: &Parameters, _: Strategy) -> Result<Box<dyn Policy>, Mistake> {
    Err(user_policy::not_built("scripts", "scripts"))
}
