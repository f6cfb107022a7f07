//! What a run is made of, as a worker gets it: jobs bound to what they train, settings that are checked, weights.

use crate::link::Attached;
use crate::protocol::RunInput;
use std::rc::Rc;
use std::sync::Arc;
use switchyard::weights::{NetworkError, Weights};
use switchyard::workload::{SettingsError, Workload};
use switchyard::{RunSpec, RunSpecError};
use switchyard_app::driver::Driver;
use switchyard_app::start::Question;
use switchyard_parcels::PackingError;
use thiserror::Error;

/// A run that can begin.
pub struct Loaded {
    /// The settings.
    pub spec: RunSpec,
    /// The jobs.
    pub workload: Arc<Workload>,
    weights: Weights,
}

/// Why a run cannot begin.
#[derive(Debug, Error)]
pub enum InputError {
    /// The jobs.
    #[error(transparent)]
    Jobs(#[from] PackingError),
    /// The settings.
    #[error(transparent)]
    Spec(#[from] RunSpecError),
    /// What jobs are to train.
    #[error(transparent)]
    Applications(#[from] SettingsError),
    /// What it goes by.
    #[error("The weights cannot be used: {0}.")]
    Weights(#[from] NetworkError),
}

impl Loaded {
    /// Of what has been attached, with jobs that come so many times as fast.
    ///
    /// # Errors
    ///
    /// Something of it is not as it has to be: what.
    pub fn new(
        input: RunInput,
        attached: &mut impl Attached,
        load: f64,
    ) -> Result<Self, InputError> {
        let RunInput {
            spec,
            applications,
            has_user_weights,
        } = input;
        spec.check()?;
        let mut workload = attached.jobs()?;
        if load != 1.0 {
            workload = workload.at_load(load);
        }
        if let Some(settings) = applications {
            workload = settings.bind(workload)?;
        }
        let mut weights = Weights::default();
        let mut is_own = has_user_weights;
        while let Some(file) = attached.next_file() {
            match is_own {
                true => weights.add_own(&file).map(|_| ())?,
                false => weights.add_shipped(&file)?,
            }
            is_own = false;
        }
        Ok(Self {
            spec: Rc::unwrap_or_clone(spec),
            workload: Arc::new(workload),
            weights,
        })
    }

    /// The run from its beginning.
    ///
    /// # Errors
    ///
    /// Something that it asks for is not at hand.
    pub fn driver(&self) -> Result<Driver, RunSpecError> {
        Driver::start(&self.spec, &self.workload, &self.weights)
    }

    /// When a job of it would start, asked at a moment, of so many runs.
    pub fn question(&self, moment: f64, draws: u32) -> Question<'_> {
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
