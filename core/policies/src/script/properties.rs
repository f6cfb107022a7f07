//! What keys may hang on: each property of a job with when it changes and how it is looked up, for the
//! interpreter ([`jobs`](super::jobs)) and without it ([`direct`](super::direct)).

use crate::job::JobId;
use rhai::{Dynamic, INT};
use switchyard_engine::{Phase, View};

/// A property of jobs.
pub(super) struct Property {
    pub(super) name: &'static str,
    pub(super) changes: Changes,
    /// `None`: it is the truth, and nobody has asked to see it.
    pub(super) of: fn(&View<'_>, JobId) -> Option<Value>,
}

/// When a property changes while nobody decides anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Changes {
    /// Never.
    #[default]
    Never,
    /// While a job runs.
    Running,
    /// Also while it waits.
    Always,
}

/// What a property is. Seconds, GPUs and GPU·s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Int(INT),
    Float(f64),
    Bool(bool),
    Unit,
}

impl From<Value> for Dynamic {
    fn from(value: Value) -> Self {
        match value {
            Value::Int(number) => number.into(),
            Value::Float(number) => number.into(),
            Value::Bool(is) => is.into(),
            Value::Unit => Self::UNIT,
        }
    }
}

/// All of them but the name, which is copied where it is read, and never changes.
pub(super) static PROPERTIES: [Property; 13] = {
    use Changes::{Always, Never, Running};
    use Value::{Bool, Float, Int};
    [
        property("id", Never, |_, job| Some(Int(job.0.into()))),
        property("gpus", Never, |view, job| Some(Int(view.gpus(job).into()))),
        property("submit", Never, |view, job| {
            Some(Float(view.submit(job).seconds()))
        }),
        property("tenant", Never, |view, job| {
            Some(Int(view.tenant(job).map_or(-1, INT::from)))
        }),
        property("duration", Never, |view, job| view.duration(job).map(Float)),
        property("attained", Running, |view, job| {
            Some(Float(view.attained(job)))
        }),
        property("held", Running, |view, job| {
            Some(Float(view.held_seconds(job)))
        }),
        property("remaining", Running, |view, job| {
            view.remaining(job).map(Float)
        }),
        property("rate", Running, |view, job| Some(Float(view.rate(job)))),
        property("starts", Always, |view, job| {
            Some(Int(view.ledger().starts(job).into()))
        }),
        property("since", Always, |view, job| {
            Some(Float(view.since(job).seconds()))
        }),
        property("running", Always, |view, job| {
            Some(Bool(view.phase(job) == Phase::Running))
        }),
        property("waited", Always, |view, job| {
            let here = view.now().seconds() - view.submit(job).seconds();
            Some(Float(here - view.held_seconds(job)))
        }),
    ]
};

const fn property(
    name: &'static str,
    changes: Changes,
    of: fn(&View<'_>, JobId) -> Option<Value>,
) -> Property {
    Property { name, changes, of }
}
