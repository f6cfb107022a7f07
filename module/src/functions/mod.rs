//! Policies that are functions of JavaScript's, on the objects that scripts see (`docs/scripts.md`): `key(job, now)` and
//! `keys(jobs, now)` give jobs numbers ([`numbers`]), `plan(view)` decides the whole ([`whole`]). `js/functions.js` calls
//! them, and makes the objects: of jobs it is lent, for the length of a call, a column for each property.

mod decider;
mod moment;
mod numbers;
mod whole;

pub use moment::Moment;

use crate::to_js::refused;
use decider::Decider;
use js_sys::Array;
use numbers::Numbers;
use serde::Deserialize;
use std::sync::Arc;
use switchyard::placement::Strategy;
use switchyard::policies::by_key::{ByKey, Changes};
use switchyard::policies::job_properties::{Of, PROPERTIES};
use switchyard::policies::{Cadence, Every, Policy};
use switchyard::workload::Workload;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use whole::Whole;

/// What a function may read of jobs: the names, each with whether it is a `number`, a `flag`, or a number that is the `truth`.
#[wasm_bindgen]
pub fn properties() -> Array {
    let kind = |of: &Of| match of {
        Of::Int(_) | Of::Float(_) => "number",
        Of::Bool(_) => "flag",
        Of::Truth(_) => "truth",
    };
    let all = PROPERTIES.iter();
    all.map(|property| Array::of2(&property.name.into(), &kind(&property.of).into()))
        .collect()
}

/// How a function is asked.
#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Form {
    Key,
    Keys,
    Plan,
}

/// What is said of a function.
#[derive(Deserialize)]
struct Said {
    name: String,
    form: Form,
    #[serde(default = "yes")]
    preemptive: bool,
    backfill: Option<bool>,
    #[serde(default)]
    every: f64,
    #[serde(default)]
    changes: Option<String>,
}

const fn yes() -> bool {
    true
}

/// A function as a policy.
pub(crate) struct Function {
    decider: Decider,
    said: Said,
    changes: Changes,
}

impl Function {
    /// Of what decides; nothing of nobody.
    pub(crate) fn of(decider: JsValue) -> Result<Option<Self>, JsValue> {
        if decider.is_undefined() {
            return Ok(None);
        }
        let decider: Decider = decider.unchecked_into();
        let said: Said = serde_wasm_bindgen::from_value(decider.said()).map_err(refused)?;
        let wrong = |what: String| refused(format!("{}: {what}", said.name));
        if !(said.every == 0.0 || (1.0..f64::INFINITY).contains(&said.every)) {
            let every = said.every;
            return Err(wrong(format!(
                "every is {every}: it takes seconds from 1, or 0"
            )));
        }
        let changes = said.changes.as_deref().unwrap_or("always").parse();
        Ok(Some(Self {
            changes: changes.map_err(wrong)?,
            decider,
            said,
        }))
    }

    /// What messages call it.
    pub(crate) fn name(&self) -> &str {
        &self.said.name
    }

    /// The policy that it is, gangs laid so where it does not say where.
    pub(crate) fn policy(&self, jobs: &Arc<Workload>, placement: Strategy) -> Box<dyn Policy> {
        let decider = self.decider.clone();
        let backfill = self.said.backfill.unwrap_or(self.said.preemptive);
        if self.said.form == Form::Plan {
            let cadence = self.cadence();
            return Box::new(Whole::new(
                decider,
                Arc::clone(jobs),
                cadence,
                placement,
                backfill,
            ));
        }
        let numbers = Numbers::new(decider, self.cadence(), self.changes);
        let preemptive = self.said.preemptive;
        Box::new(ByKey::new(
            Box::new(numbers),
            preemptive,
            backfill,
            placement,
        ))
    }

    fn cadence(&self) -> Cadence {
        Cadence {
            on_change: true,
            every: (self.said.every > 0.0).then_some(Every {
                seconds: self.said.every,
                parameter: "every",
                // What decides the whole may have something to change while all run.
                while_all_run: self.said.form == Form::Plan,
            }),
        }
    }
}
