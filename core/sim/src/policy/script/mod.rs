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
mod budget;
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
mod places;
#[cfg(feature = "scripts")]
mod program;
#[cfg(feature = "scripts")]
mod properties;
#[cfg(feature = "scripts")]
mod text;
#[cfg(feature = "scripts")]
mod trainee;
#[cfg(feature = "scripts")]
mod values;
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

use super::entry::{PLACEMENT, Registered};
use super::own::{self, Kind, NAME, ORACLE};
use super::{ParamKind, Params, Policy, PolicyEntry};
use crate::placement::Strategy;
use crate::sim::Mistake;

/// The parameter by which it trains adaptive jobs.
const ADAPTIVE: &str = "adaptive";

pub(super) const KIND: Kind = Kind {
    policy: "script",
    read,
};

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: KIND.policy,
        title: "Your own (script)",
        summary: "A script of yours decides: `fn key(job, now)` gives each job a number, least first, or `fn plan(view)` decides the whole. Without a text: in order of arrival, as fifo.",
        source: "docs/scripts.md",
        params: &[
            own::code(
                ParamKind::Word("the script's text, deflated, in base64 for addresses"),
                "The script's text, deflated, in base64 for addresses; on the command line --policy script:FILE.",
            ),
            NAME,
            own::permission(
                ORACLE,
                "It may see true durations (job.duration, job.remaining), which no real scheduler knows.",
            ),
            own::permission(
                ADAPTIVE,
                "It gives adaptive jobs other GPUs and batches than they ask for, with train().",
            ),
            PLACEMENT,
        ],
        oracle: |params| params.bool(ORACLE),
        adapts_jobs: |params| params.bool(ADAPTIVE),
        scripted: true,
        is_written: true,
        ..PolicyEntry::PLAIN
    },
    build: |params, context| KIND.build(params, context),
};

#[cfg(feature = "scripts")]
fn read(params: &Params<'_>, placement: Strategy) -> Result<Box<dyn Policy>, Mistake> {
    let script = Script::new(&unpack(params.text(own::CODE))?, params.bool(ORACLE))?;
    Ok(script.into_policy(placement))
}

#[cfg(not(feature = "scripts"))]
fn read(_: &Params<'_>, _: Strategy) -> Result<Box<dyn Policy>, Mistake> {
    Err(own::not_built("scripts", "scripts"))
}
