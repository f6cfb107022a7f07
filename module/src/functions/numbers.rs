//! A function that gives jobs numbers, least first.

use super::decider::{Decider, column, mistake};
use switchyard::draw::Rng;
use switchyard::engine::{Mistake, View};
use switchyard::explain::Fact;
use switchyard::job::JobId;
use switchyard::policies::Cadence;
use switchyard::policies::by_key::{Changes, Keys};

/// Numbers by a function.
pub(super) struct Numbers {
    pub(super) decider: Decider,
    pub(super) cadence: Cadence,
    pub(super) changes: Changes,
}

impl Keys for Numbers {
    fn cadence(&self) -> Cadence {
        self.cadence
    }

    fn changes(&self) -> Changes {
        self.changes
    }

    fn keys(
        &mut self,
        view: &View<'_>,
        _rng: &mut Rng,
        jobs: &[JobId],
        keys: &mut Vec<f64>,
    ) -> Result<(), Mistake> {
        keys.clear();
        if jobs.is_empty() {
            return Ok(());
        }
        let given = self.decider.keys(
            jobs.len() as u32,
            view.now().seconds(),
            &|property| column(view, jobs, property),
            &|row| view.name(jobs[row as usize]).to_owned(),
        );
        *keys = given.map_err(|thrown| mistake(&thrown))?;
        Ok(())
    }

    /// Nothing in this crate asks why.
    fn told(&self, _view: &View<'_>, _job: JobId) -> Vec<Fact> {
        Vec::new()
    }
}
