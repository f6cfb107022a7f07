//! What the engine asks, a function in `js/functions.js`: what it is [lent](Lent), and what it throws.

use super::moment::Moment;
use js_sys::Error;
use std::cell::RefCell;
use switchyard::draw::{self, Rng};
use switchyard::engine::{Mistake, View};
use switchyard::job::JobId;
use switchyard::policies::job_properties::{Of, PROPERTIES};
use switchyard::policies::notes::Notes;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

#[wasm_bindgen]
extern "C" {
    /// A function that is ready to be called.
    #[derive(Clone)]
    pub type Decider;

    #[wasm_bindgen(method, getter)]
    pub(super) fn said(this: &Decider) -> JsValue;

    /// The queue of a job, as a plan has set it.
    #[wasm_bindgen(method)]
    pub(super) fn queue(this: &Decider, job: u32) -> u32;

    #[wasm_bindgen(method, catch, js_name = keys)]
    fn call_keys(
        this: &Decider,
        jobs: u32,
        now: f64,
        listens: bool,
        column: &dyn Fn(u32) -> Vec<f64>,
        text: &dyn Fn(u32, bool) -> String,
        random: &dyn Fn(u32) -> Vec<f64>,
        note: &dyn Fn(Option<u32>, String, String),
    ) -> Result<Vec<f64>, JsValue>;

    #[wasm_bindgen(method, catch, js_name = plan)]
    fn call_plan(
        this: &Decider,
        jobs: u32,
        moment: Moment,
        column: &dyn Fn(u32) -> Vec<f64>,
        text: &dyn Fn(u32, bool) -> String,
        random: &dyn Fn(u32) -> Vec<f64>,
        note: &dyn Fn(Option<u32>, String, String),
    ) -> Result<(), JsValue>;
}

impl Decider {
    /// The numbers of jobs.
    pub(super) fn keys(&self, lent: &Lent<'_, '_>) -> Result<Vec<f64>, JsValue> {
        let listens = lent.purse.borrow().notes.is_some();
        self.call_keys(
            lent.jobs.len() as u32,
            lent.view.now().seconds(),
            listens,
            &|property| lent.column(property),
            &|row, is_tenants| lent.text(row, is_tenants),
            &|count| lent.random(count),
            &|job, what, value| lent.note(job, &what, &value),
        )
    }

    /// Decides the whole.
    pub(super) fn plan(&self, lent: &Lent<'_, '_>, moment: Moment) -> Result<(), JsValue> {
        self.call_plan(
            lent.jobs.len() as u32,
            moment,
            &|property| lent.column(property),
            &|row, is_tenants| lent.text(row, is_tenants),
            &|count| lent.random(count),
            &|job, what, value| lent.note(job, &what, &value),
        )
    }
}

/// What a function is lent for the length of a call: jobs by their rows at a moment, and a purse.
pub(super) struct Lent<'a, 'v> {
    view: &'a View<'v>,
    jobs: &'a [JobId],
    purse: RefCell<Purse>,
}

/// What is lent besides the jobs, and comes back.
pub(super) struct Purse {
    /// The run's generator.
    pub(super) rng: Rng,
    /// `None`: nobody listens.
    pub(super) notes: Option<Notes>,
}

impl<'a, 'v> Lent<'a, 'v> {
    pub(super) fn new(view: &'a View<'v>, jobs: &'a [JobId], purse: Purse) -> Self {
        Self {
            view,
            jobs,
            purse: RefCell::new(purse),
        }
    }

    /// What is in the purse after the call.
    pub(super) fn purse(self) -> Purse {
        self.purse.into_inner()
    }

    /// A property of all jobs. What nobody may see is not asked for.
    fn column(&self, property: u32) -> Vec<f64> {
        let (view, jobs) = (self.view, self.jobs.iter());
        match PROPERTIES[property as usize].of {
            Of::Int(of) => jobs.map(|&id| of(view, id) as f64).collect(),
            Of::Float(of) => jobs.map(|&id| of(view, id)).collect(),
            Of::Bool(of) => jobs.map(|&id| of(view, id).into()).collect(),
            Of::Truth(of) => jobs.map(|&id| of(view, id).unwrap_or(f64::NAN)).collect(),
        }
    }

    /// The name of a job, or its tenant's.
    fn text(&self, row: u32, is_tenants: bool) -> String {
        let job = self.jobs[row as usize];
        let text = match is_tenants {
            true => self.view.tenant_name(job),
            false => self.view.name(job),
        };
        text.to_owned()
    }

    /// So many numbers of the run's generator, from 0 to below 1.
    fn random(&self, count: u32) -> Vec<f64> {
        let rng = &mut self.purse.borrow_mut().rng;
        (0..count).map(|_| draw::unit(rng)).collect()
    }

    /// Notes something of a job, by its number, or of all.
    fn note(&self, job: Option<u32>, what: &str, value: &str) {
        if let Some(notes) = &mut self.purse.borrow_mut().notes {
            notes.add(job.map(JobId), what, value);
        }
    }
}

/// What a function has thrown, in the words that `js/functions.js` has found for it.
pub(super) fn mistake(thrown: &JsValue) -> Mistake {
    let error = thrown.dyn_ref::<Error>();
    let words = error.map(|error| String::from(error.message()));
    Mistake::nowhere(words.unwrap_or_else(|| format!("{thrown:?}")))
}
