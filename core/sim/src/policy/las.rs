//! Continuous 2D-LAS: least attained service (GPUs × time) first, preemptive, without queues.
//! Jobs of about equal service take turns, one quantum each: what Tiresias' queues avoid.

use super::continuous::{self, Continuous, Rule};
use super::entry::Registered;
use super::{Fact, Plot, PolicyEntry};
use crate::job::JobId;
use crate::sim::View;

pub(super) const POLICY: Registered = Registered {
    entry: PolicyEntry {
        name: "las",
        title: "2D-LAS, continuous",
        summary: "Least attained service (GPUs × time) first, compared anew every quantum, without queues. Shows how many preemptions discretizing saves.",
        source: "Gu et al., NSDI'19 §4.2",
        params: continuous::PARAMS,
        ..PolicyEntry::PLAIN
    },
    build: |params, context| Box::new(Continuous::new(params, context, LeastAttained)),
};

struct LeastAttained;

impl Rule for LeastAttained {
    fn key(&self, view: &View<'_>, job: JobId) -> f64 {
        view.attained(job)
    }

    fn learn(&mut self, _view: &View<'_>) -> bool {
        false
    }

    fn facts(&self, view: &View<'_>, job: JobId) -> Vec<Fact> {
        let service = format!("{:.0} GPU·s", view.attained(job));
        vec![Fact::new("attained service", service)]
    }

    fn plots(&self, _view: &View<'_>, _job: JobId) -> Vec<Plot> {
        Vec::new()
    }
}
