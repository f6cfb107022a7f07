//! Policies that are functions of Python's, on the objects that scripts see (`docs/scripts.md`): `key(job, now)` and
//! `keys(jobs, now)` give jobs numbers ([`keys`]), `plan(view)` decides the whole ([`whole`]). In: a function and what
//! is said of it. Out: a policy like any other. What it raises ends its run, and is told with its line ([`fault`]).
//!
//! The engine works without Python and comes back for each call; what it [lends](lent) is looked up while that lasts.

mod fault;
mod function;
mod job;
mod jobs;
mod keys;
mod lent;
mod notes;
mod view;
mod whole;

pub(crate) use fault::{Fault, ends_all};
pub(crate) use function::Function;
pub(crate) use job::Job;
pub(crate) use jobs::Jobs;
pub(crate) use view::View;

use function::Form;
use keys::Numbers;
use std::sync::Arc;
use switchyard::placement::Strategy;
use switchyard::policies::Policy;
use switchyard::policies::by_key::ByKey;
use switchyard_app::Deciding;
use whole::Whole;

/// What decides in the place of each policy that is asked for, where it is a function.
pub(crate) struct Functions(Vec<Option<Arc<Function>>>);

impl From<Vec<Option<Function>>> for Functions {
    fn from(functions: Vec<Option<Function>>) -> Self {
        Self(functions.into_iter().map(|of| of.map(Arc::new)).collect())
    }
}

impl Functions {
    /// That of a run: with several trees of queues, every policy runs on each.
    pub(crate) fn of_run(&self, at: usize) -> Option<&Arc<Function>> {
        let policy = at.checked_rem(self.0.len())?;
        self.0.get(policy)?.as_ref()
    }
}

impl Function {
    /// What decides in the place of a run's policy, for as many runs as there are; what it raises goes into `fault`.
    pub(crate) fn deciding(self: &Arc<Self>, fault: &Fault) -> Deciding {
        let (of, fault) = (Arc::clone(self), fault.clone());
        Deciding {
            called: self.name.clone(),
            policy: Arc::new(move |placement| of.policy(placement, &fault)),
        }
    }

    /// The policy that it is, gangs laid so where it does not say where; what it raises goes into `fault`.
    pub(crate) fn policy(self: &Arc<Self>, placement: Strategy, fault: &Fault) -> Box<dyn Policy> {
        let (of, fault) = (Arc::clone(self), fault.clone());
        match self.form {
            Form::Plan => Box::new(Whole::new(of, fault, placement)),
            Form::Key | Form::Keys => {
                let numbers = Numbers::new(of, fault);
                Box::new(ByKey::new(
                    Box::new(numbers),
                    self.preemptive,
                    self.backfill,
                    placement,
                ))
            }
        }
    }
}
