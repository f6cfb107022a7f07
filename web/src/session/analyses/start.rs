//! When would a job start: every scheduler that is asked has a worker, as many at once as the machine has to spare.

mod asking;

use crate::bridge::client::WorkerHandle;
use crate::bridge::jobs::Jobs;
use crate::bridge::protocol::Starter;
use crate::state::start::StartOrder;
use std::collections::VecDeque;
use std::sync::Arc;
use switchyard::workload::ApplicationSettings;

/// The question that is under way.
#[derive(Default)]
pub(super) struct StartUnderWay {
    /// Who has not been asked yet, with their places.
    waiting: VecDeque<(usize, StartOrder)>,
    /// Who draws.
    workers: Vec<(usize, WorkerHandle<Starter>)>,
    jobs: Jobs,
    applications: Option<Arc<ApplicationSettings>>,
    moment: f64,
    draws: u32,
}
