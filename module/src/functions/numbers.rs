//! A function that gives jobs numbers, least first.

use super::decider::{Decider, Lent, Purse, mistake};
use rand_xoshiro::rand_core::SeedableRng;
use switchyard::draw::Rng;
use switchyard::engine::{Mistake, View};
use switchyard::explain::Fact;
use switchyard::job::JobId;
use switchyard::policies::Cadence;
use switchyard::policies::by_key::{Changes, Keys, key_fact};
use switchyard::policies::notes::Notes;

/// Numbers by a function.
pub(super) struct Numbers {
    decider: Decider,
    cadence: Cadence,
    changes: Changes,
    /// The run's generator, as it was when numbers were last asked for.
    rng: Rng,
}

impl Numbers {
    pub(super) fn new(decider: Decider, cadence: Cadence, changes: Changes) -> Self {
        Self {
            decider,
            cadence,
            changes,
            rng: Rng::seed_from_u64(0),
        }
    }

    /// The numbers of jobs, and what is in the purse afterwards.
    fn ask(
        &self,
        view: &View<'_>,
        jobs: &[JobId],
        purse: Purse,
    ) -> (Result<Vec<f64>, Mistake>, Purse) {
        let lent = Lent::new(view, jobs, purse);
        let given = self.decider.keys(&lent);
        (given.map_err(|thrown| mistake(&thrown)), lent.purse())
    }
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
        rng: &mut Rng,
        jobs: &[JobId],
        keys: &mut Vec<f64>,
    ) -> Result<(), Mistake> {
        keys.clear();
        if jobs.is_empty() {
            return Ok(());
        }
        let purse = Purse {
            rng: rng.clone(),
            notes: None,
        };
        let (given, purse) = self.ask(view, jobs, purse);
        *rng = purse.rng.clone();
        self.rng = purse.rng;
        *keys = given?;
        Ok(())
    }

    fn told(&self, view: &View<'_>, job: JobId) -> Vec<Fact> {
        // A copy: asking changes nothing.
        let purse = Purse {
            rng: self.rng.clone(),
            notes: Some(Notes::default()),
        };
        let (given, purse) = self.ask(view, &[job], purse);
        let key = given.map(|keys| keys.first().copied()).transpose();
        let key = key.map(key_fact);
        let notes = purse.notes.map(|notes| notes.of(job));
        key.into_iter().chain(notes.into_iter().flatten()).collect()
    }
}
