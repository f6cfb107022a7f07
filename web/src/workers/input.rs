//! What a run is made of, as a worker gets it: jobs bound to what they train, settings that are checked, weights.

use crate::bridge::jobs::{Jobs, JobsError};
use crate::bridge::protocol::RunInput;
use js_sys::Uint8Array;
use std::rc::Rc;
use std::sync::Arc;
use switchyard::weights::{NetworkError, Weights};
use switchyard::workload::{SettingsError, Workload};
use switchyard::{RunSpec, RunSpecError};
use switchyard_app::driver::Driver;
use switchyard_app::start::Question;
use thiserror::Error;
use wasm_bindgen::{JsCast, JsValue};

/// A run that can begin.
pub(super) struct Loaded {
    pub(super) spec: RunSpec,
    pub(super) workload: Arc<Workload>,
    weights: Weights,
}

/// Why a run cannot begin.
#[derive(Debug, Error)]
pub(super) enum InputError {
    #[error(transparent)]
    Jobs(#[from] JobsError),
    #[error(transparent)]
    Spec(#[from] RunSpecError),
    #[error(transparent)]
    Applications(#[from] SettingsError),
    #[error("The weights cannot be used: {0}.")]
    Weights(#[from] NetworkError),
}

impl Loaded {
    /// Of what has been attached, with jobs that come so many times as fast.
    pub(super) fn new(
        input: RunInput,
        attachments: Vec<JsValue>,
        load: f64,
    ) -> Result<Self, InputError> {
        let RunInput {
            spec,
            applications,
            has_user_weights,
        } = input;
        let mut attachments = attachments.into_iter();
        let jobs = Jobs::from(attachments.next().unwrap_or_default());
        spec.check()?;
        let mut workload = jobs.read()?;
        if load != 1.0 {
            workload = workload.at_load(load);
        }
        if let Some(settings) = applications {
            workload = settings.bind(workload)?;
        }
        let mut weights = Weights::default();
        for (at, file) in attachments.enumerate() {
            let file = bytes_of(&file);
            match has_user_weights && at == 0 {
                true => weights.add_own(&file).map(|_| ())?,
                false => weights.add_shipped(&file)?,
            }
        }
        Ok(Self {
            spec: Rc::unwrap_or_clone(spec),
            workload: Arc::new(workload),
            weights,
        })
    }

    /// The run from its beginning.
    pub(super) fn driver(&self) -> Result<Driver, RunSpecError> {
        Driver::start(&self.spec, &self.workload, &self.weights)
    }

    /// When a job of it would start, asked at a moment, of so many runs.
    pub(super) fn question(&self, moment: f64, draws: u32) -> Question<'_> {
        Question {
            spec: &self.spec,
            deciding: None,
            workload: &self.workload,
            weights: &self.weights,
            moment,
            draws,
        }
    }
}

/// The bytes of an attached file.
pub(super) fn bytes_of(file: &JsValue) -> Vec<u8> {
    file.dyn_ref().map_or_else(Vec::new, Uint8Array::to_vec)
}
