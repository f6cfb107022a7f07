//! A run's samples in as many stretches of time as there are pixels.

use crate::stage::StageRun;
use switchyard_app::figures::stretches;

/// One run's queue length and allocation from the start to `end`, in columns of equal spans. There
/// are columns as far as the run has come.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    made_for: (u32, usize, usize, f64),
    /// Most jobs waiting at once.
    pub(crate) waiting: Vec<f64>,
    /// GPUs allocated on average.
    pub(crate) gpus: Vec<f64>,
    /// The largest of `waiting`.
    pub(crate) most_waiting: f64,
}

impl Columns {
    /// Brings the columns up to date.
    pub(crate) fn update(&mut self, run: &StageRun, columns: usize, end: f64) {
        let times = run.log.sample_times();
        let made_for = (run.id, times.len(), columns, end);
        if self.made_for == made_for {
            return;
        }
        self.made_for = made_for;
        let span = end / columns as f64;
        let known = ((run.reached() / span) as usize + 1).min(columns);
        let known = if times.is_empty() { 0 } else { known };
        let until = known as f64 * span;
        let (waiting, gpus) = (run.log.sample_waiting(), run.log.sample_gpus());
        let waiting = stretches(times, |i| f64::from(waiting[i]), 0.0, span, until).take(known);
        self.waiting.clear();
        self.waiting
            .extend(waiting.map(|stretch| stretch.most.max(0.0)));
        let gpus = stretches(times, |i| f64::from(gpus[i]), 0.0, span, until).take(known);
        self.gpus.clear();
        self.gpus.extend(gpus.map(|stretch| stretch.area / span));
        self.most_waiting = self.waiting.iter().copied().fold(0.0, f64::max);
    }
}
