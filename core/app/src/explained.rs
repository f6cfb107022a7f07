//! Why a job runs or waits at a moment, as files tell it: one policy's answer, all times in seconds.

use serde::Serialize;
use switchyard::explain::{Cause, Explanation, Fact, Placing, Verdict};
use switchyard::job::JobId;

/// One policy's answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// The policy, as results have it.
    pub policy: String,
    /// What it has decided.
    pub verdict: Verdict,
    /// The numbers behind that.
    pub facts: Vec<FactRow>,
    /// Why the job runs at less than full speed.
    pub slow: Vec<Cause>,
    /// How a placement that has learned decided last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placing: Option<Placing>,
}

/// A fact in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FactRow {
    /// What it is called.
    pub term: String,
    /// The value.
    pub value: String,
    /// The jobs that the value names, in its order.
    pub jobs: Vec<JobId>,
}

impl Explained {
    /// Of a policy by this name.
    pub fn new(policy: String, explanation: Explanation) -> Self {
        Self {
            policy,
            verdict: explanation.verdict,
            facts: explanation.facts.iter().map(FactRow::of).collect(),
            slow: explanation.slow,
            placing: explanation.placing,
        }
    }
}

impl FactRow {
    fn of(fact: &Fact) -> Self {
        Self {
            term: fact.term.clone(),
            value: fact.in_seconds(),
            jobs: fact.jobs.clone(),
        }
    }
}
