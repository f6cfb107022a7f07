//! A run's samples in as many stretches of time as there are pixels.

use crate::stage::StageRun;
use switchyard_app::figures::stretches;

/// One run's queue length and allocation from the start to `end`, in columns of equal spans. There
/// are columns as far as the run has come.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// A run, columns and their end.
    made_for: (u32, usize, f64),
    /// The samples that are in them.
    samples: usize,
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
        let made_for = (run.id, columns, end);
        let is_longer = self.made_for == made_for && self.samples <= times.len();
        if is_longer && self.samples == times.len() {
            return;
        }
        // What was there before its last column is whole.
        let whole = match is_longer {
            true => self.waiting.len().saturating_sub(1),
            false => 0,
        };
        (self.made_for, self.samples) = (made_for, times.len());
        let span = end / columns as f64;
        let known = ((run.reached() / span) as usize + 1).min(columns);
        let known = if times.is_empty() { 0 } else { known };
        let (from, until) = (whole as f64 * span, known as f64 * span);
        let more = known.saturating_sub(whole);
        let (waiting, gpus) = (run.log.sample_waiting(), run.log.sample_gpus());
        let waiting = stretches(times, |i| f64::from(waiting[i]), from, span, until).take(more);
        self.waiting.truncate(whole);
        self.waiting
            .extend(waiting.map(|stretch| stretch.most.max(0.0)));
        let gpus = stretches(times, |i| f64::from(gpus[i]), from, span, until).take(more);
        self.gpus.truncate(whole);
        self.gpus.extend(gpus.map(|stretch| stretch.area / span));
        self.most_waiting = self.waiting.iter().copied().fold(0.0, f64::max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Phase;
    use switchyard::workload::Sample;

    #[test]
    fn columns_of_a_log_that_grows_are_those_of_the_whole_log() {
        let sample = Sample::named("lab").expect("it is there");
        let whole = StageRun::finished_of(sample, "tiresias-las");
        let spec = StageRun::spec_of(sample, "tiresias-las");
        let mut simulation = spec.start(sample.workload().into());
        let mut run = StageRun::of("tiresias-las", Phase::Waiting, sample.workload().jobs.len());
        let (mut growing, mut at_once) = (Columns::default(), Columns::default());
        let (columns, end) = (300, 1.1 * whole.reached());
        let mut more = true;
        while more {
            for _ in 0..37 {
                more = more && simulation.step().expect("plans are right");
            }
            run.follow(simulation.log());
            growing.update(&run, columns, end);
        }
        at_once.update(&whole, columns, end);
        assert_eq!(growing.waiting, at_once.waiting);
        assert_eq!(growing.most_waiting, at_once.most_waiting);
        for (grown, gpus) in growing.gpus.iter().zip(&at_once.gpus) {
            assert!((grown - gpus).abs() < 1e-6, "{grown} {gpus}");
        }
        assert!(growing.most_waiting > 0.0);
    }
}
