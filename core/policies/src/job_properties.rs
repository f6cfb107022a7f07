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
    /// How it is looked up.
    pub of: Of,
}

/// How a property is looked up.
pub enum Of {
    /// A whole number.
    Int(fn(&View<'_>, JobId) -> i64),
    /// Any number.
    Float(fn(&View<'_>, JobId) -> f64),
    /// Whether something is so.
    Bool(fn(&View<'_>, JobId) -> bool),
    /// A number that is the truth. `None`: nobody has asked to see it.
    Truth(fn(&View<'_>, JobId) -> Option<f64>),
}

impl Property {
    /// What it is now. `None`: it is the truth, and nobody has asked to see it.
    pub fn value(&self, view: &View<'_>, job: JobId) -> Option<Value> {
        Some(match self.of {
            Of::Int(of) => Value::Int(of(view, job)),
            Of::Float(of) => Value::Float(of(view, job)),
            Of::Bool(of) => Value::Bool(of(view, job)),
            Of::Truth(of) => Value::Float(of(view, job)?),
        })
    }
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
    use Of::{Bool, Float, Int, Truth};
    [
        property("id", Never, Int(|_, job| job.0.into())),
        property("gpus", Never, Int(|view, job| view.gpus(job).into())),
        property(
            "submit",
            Never,
            Float(|view, job| view.submit(job).seconds()),
        ),
        property(
            "tenant",
            Never,
            Int(|view, job| view.tenant(job).map_or(-1, i64::from)),
        ),
        property("duration", Never, Truth(|view, job| view.duration(job))),
        property("attained", Running, Float(|view, job| view.attained(job))),
        property("held", Running, Float(|view, job| view.held_seconds(job))),
        property("remaining", Running, Truth(|view, job| view.remaining(job))),
        property("rate", Running, Float(|view, job| view.rate(job))),
        property(
            "starts",
            Always,
            Int(|view, job| view.ledger().starts(job).into()),
        ),
        property(
            "since",
            Always,
            Float(|view, job| view.since(job).seconds()),
        ),
        property(
            "running",
            Always,
            Bool(|view, job| view.phase(job) == Phase::Running),
        ),
        property(
            "waited",
            Always,
            Float(|view, job| {
                let here = view.now().seconds() - view.submit(job).seconds();
                here - view.held_seconds(job)
            }),
        ),
    ]
};

const fn property(name: &'static str, changes: Changes, of: Of) -> Property {
    Property { name, changes, of }
}
