//! Why a job runs or waits, in the policy's own numbers.

use super::{Placing, Plot};
use crate::job::JobId;
use crate::order;
use serde::{Deserialize, Serialize};

/// What a policy has to say about one job at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The decision.
    pub verdict: Verdict,
    /// The numbers behind it.
    pub facts: Vec<Fact>,
    /// The curves behind it, if the policy decides by one.
    pub plots: Vec<Plot>,
    /// Why it runs at less than full speed.
    pub slow: Vec<Cause>,
    /// How a placement that has learned decided last, if that is being noted.
    pub placing: Option<Placing>,
}

/// One reason why a job runs at less than full speed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// The law that says so.
    pub law: String,
    /// Where: a link, cores, GPUs.
    pub place: String,
    /// By what its speed is multiplied, in (0, 1].
    pub factor: f64,
    /// What is wanted there ÷ what there is, if that is known.
    pub load: Option<f64>,
    /// Other jobs there, each with its share of what is wanted.
    pub by: Vec<(JobId, f64)>,
}

/// The decision about a job, and what it hangs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It runs.
    Runs,
    /// It waits: the queue's head blocks everything behind it.
    BehindHead {
        /// The head of the queue.
        head: JobId,
    },
    /// It waits: too few GPUs are left by the jobs that go before it.
    TooFewGpus {
        /// The gang.
        wants: u32,
        /// GPUs left.
        left: u32,
    },
    /// It waits: enough GPUs are free, but not where the placement wants them.
    PlacementWaits {
        /// The gang.
        wants: u32,
        /// GPUs free, scattered.
        free: u32,
    },
    /// It is not in the queue: not yet submitted, finished or rejected.
    NotActive,
}

/// One number behind a decision, with the literature's term.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is called.
    pub term: String,
    /// The value, with its unit.
    pub value: String,
}

impl Explanation {
    /// A decision and its numbers, without curves.
    pub fn new(verdict: Verdict, facts: Vec<Fact>) -> Self {
        Self {
            verdict,
            facts,
            plots: Vec::new(),
            slow: Vec::new(),
            placing: None,
        }
    }
}

impl Cause {
    /// How many others are named in words.
    const NAMED: usize = 4;

    /// In words: "0.72 of its speed: rack 3's uplink at 140 %, 0.19 of it by job 81".
    pub fn text(&self, name: impl Fn(JobId) -> String) -> String {
        let mut text = format!("{:.2} of its speed: {}", self.factor, self.place);
        if let Some(load) = self.load {
            text.push_str(&format!(" at {:.0} %", load * 100.0));
        }
        let mut by = self.by.clone();
        order::sort_by(&mut by, |a, b| b.1.total_cmp(&a.1));
        for &(job, share) in by.iter().take(Self::NAMED) {
            text.push_str(&format!(", {share:.2} of it by {}", name(job)));
        }
        if let Some(rest) = by.get(Self::NAMED..).filter(|rest| !rest.is_empty()) {
            let share: f64 = rest.iter().map(|(_, share)| share).sum();
            text.push_str(&format!(", {share:.2} by {} more", rest.len()));
        }
        text
    }
}

impl Fact {
    /// A fact from anything printable.
    pub fn new(term: &str, value: impl ToString) -> Self {
        Self {
            term: term.to_string(),
            value: value.to_string(),
        }
    }

    /// How many GPUs.
    pub fn gpus(term: &str, gpus: u32) -> Self {
        let word = if gpus == 1 { "GPU" } else { "GPUs" };
        Self::new(term, format!("{gpus} {word}"))
    }
}
