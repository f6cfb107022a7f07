//! What the engine asks, a function in `js/functions.js`: what it is lent, and what it throws.

use super::moment::Moment;
use js_sys::Error;
use switchyard::engine::{Mistake, View};
use switchyard::job::JobId;
use switchyard::policies::job_properties::{Of, PROPERTIES};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

#[wasm_bindgen]
extern "C" {
    /// A function that is ready to be called.
    #[derive(Clone)]
    pub type Decider;

    #[wasm_bindgen(method, getter)]
    pub(super) fn said(this: &Decider) -> JsValue;

    /// The numbers of so many jobs.
    #[wasm_bindgen(method, catch)]
    pub(super) fn keys(
        this: &Decider,
        jobs: u32,
        now: f64,
        column: &dyn Fn(u32) -> Vec<f64>,
        name: &dyn Fn(u32) -> String,
    ) -> Result<Vec<f64>, JsValue>;

    /// Decides the whole, for so many jobs.
    #[wasm_bindgen(method, catch)]
    pub(super) fn plan(
        this: &Decider,
        jobs: u32,
        moment: Moment,
        column: &dyn Fn(u32) -> Vec<f64>,
        name: &dyn Fn(u32) -> String,
    ) -> Result<(), JsValue>;
}

/// A property of these jobs. What nobody may see is not asked for.
pub(super) fn column(view: &View<'_>, jobs: &[JobId], property: u32) -> Vec<f64> {
    let jobs = jobs.iter();
    match PROPERTIES[property as usize].of {
        Of::Int(of) => jobs.map(|&id| of(view, id) as f64).collect(),
        Of::Float(of) => jobs.map(|&id| of(view, id)).collect(),
        Of::Bool(of) => jobs.map(|&id| of(view, id).into()).collect(),
        Of::Truth(of) => jobs.map(|&id| of(view, id).unwrap_or(f64::NAN)).collect(),
    }
}

/// What a function has thrown, in the words that `js/functions.js` has found for it.
pub(super) fn mistake(thrown: &JsValue) -> Mistake {
    let error = thrown.dyn_ref::<Error>();
    let words = error.map(|error| String::from(error.message()));
    Mistake::nowhere(words.unwrap_or_else(|| format!("{thrown:?}")))
}
