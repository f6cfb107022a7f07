//! What the key of somebody's own policy may hang on: each property of a job with when it changes and how it is
//! looked up, by the same names for scripts and for functions of a program that runs the engine.

use crate::by_key::Changes;
use crate::job::JobId;
use switchyard_engine::{Phase, View};

/// A property of jobs.
pub struct Property {
    /// Its name.
    pub name: &'static str,
    /// When it changes.
    pub changes: Changes,
    /// What it is now. `None`: it is the truth, and nobody has asked to see it.
    pub of: fn(&View<'_>, JobId) -> Option<Value>,
}

/// What a property is. Seconds, GPUs and GPU·s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// Any number.
    Float(f64),
    /// Whether something is so.
    Bool(bool),
    /// Nothing.
    Unit,
}

/// All of them but the name, which is copied where it is read, and never changes.
pub static PROPERTIES: [Property; 13] = {
    use Changes::{Always, Never, Running};
    use Value::{Bool, Float, Int};
    [
        property("id", Never, |_, job| Some(Int(job.0.into()))),
        property("gpus", Never, |view, job| Some(Int(view.gpus(job).into()))),
        property("submit", Never, |view, job| {
            Some(Float(view.submit(job).seconds()))
        }),
        property("tenant", Never, |view, job| {
            Some(Int(view.tenant(job).map_or(-1, i64::from)))
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
