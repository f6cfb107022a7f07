//! Why a job runs or waits, in the policy's own numbers.

use super::{Fact, Placing, Plot};
use crate::job::JobId;
use crate::order;
use crate::{Resource, Time};
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
    /// How it takes turns with others on the same GPUs, if it does.
    pub turns: Option<Turns>,
}

/// A cycle in which jobs take turns at resources, each with one iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turns {
    /// How long it lasts, seconds.
    pub period: f64,
    /// The jobs, in their order.
    pub turns: Vec<Turn>,
}

impl Turns {
    /// What phases are of, in their order.
    pub const RESOURCES: [&str; 3] = ["storage and CPUs", "GPUs", "network"];
}

/// A job's turn in a cycle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Whose.
    pub job: JobId,
    /// Of each resource: when the phase begins, seconds from the beginning of the cycle, and how long it lasts. It may go
    /// on in the next cycle.
    pub phases: [(f64, f64); 3],
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
    /// It waits: its queue may not use so many GPUs more.
    NoQuota {
        /// The gang.
        wants: u32,
        /// GPUs that the queue may still use.
        left: u32,
    },
    /// It waits: enough GPUs are free, but not where the placement wants them.
    PlacementWaits {
        /// The gang.
        wants: u32,
        /// GPUs free, scattered.
        free: u32,
    },
    /// It asks for no GPU and waits: the cores, or the memory, that it wants are on no node.
    TooFewCores {
        /// Thousandths.
        wants: u32,
        /// The most that a node has left, thousandths.
        left: u32,
    },
    /// It waits: as the trace records, it starts only then.
    StartsLater {
        /// When.
        at: Time,
    },
    /// It is not in the queue: not yet submitted, finished or rejected.
    NotActive,
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
            turns: None,
        }
    }

    /// The same in words for what is counted. Names of jobs stay as they are.
    pub fn counted_in(mut self, unit: Resource) -> Self {
        if unit.is_default() {
            return self;
        }
        let words = |text: &mut String| *text = unit.words(text).into_owned();
        for fact in &mut self.facts {
            fact.count_in(unit);
        }
        for plot in &mut self.plots {
            [&mut plot.title, &mut plot.x, &mut plot.y]
                .into_iter()
                .for_each(words);
        }
        self.slow
            .iter_mut()
            .for_each(|cause| words(&mut cause.place));
        self
    }
}

impl Cause {
    /// How many others are named in words.
    const NAMED: usize = 4;

    /// In words: "0.72 of its speed: rack 3's uplink at 140 %, 0.19 of it by job 81".
    pub fn text(&self, name: impl Fn(JobId) -> String) -> String {
        let (by, rest) = self.by_whom();
        let by = by
            .iter()
            .map(|&(job, share)| format!(", {share:.2} of it by {}", name(job)));
        self.at_what() + &by.collect::<String>() + &rest
    }

    /// What people say of a law after "slowed by".
    pub fn of_law(law: &str) -> &str {
        match law {
            "types" => "its type of GPU",
            "spread" => "lying on more nodes",
            "interference" => "its neighbours",
            "beside" => "jobs on the same GPUs",
            "sharing" => "sharing its GPU",
            "interleaving" => "taking turns",
            law => law,
        }
    }

    /// How slow it is and where: "0.72 of its speed: rack 3's uplink at 140 %".
    pub fn at_what(&self) -> String {
        let load = self.load.map(|load| format!(" at {:.0} %", load * 100.0));
        let load = load.unwrap_or_default();
        format!("{:.2} of its speed: {}{load}", self.factor, self.place)
    }

    /// The others there that are named, the largest first, each with its share; and the rest in words.
    pub fn by_whom(&self) -> (Vec<(JobId, f64)>, String) {
        let mut by = self.by.clone();
        order::sort_by(&mut by, |a, b| order::by_value(&b.1, &a.1));
        let rest = by.split_off(by.len().min(Self::NAMED));
        let share: f64 = rest.iter().map(|(_, share)| share).sum();
        let words = match rest.len() {
            0 => String::new(),
            more => format!(", {share:.2} by {more} more"),
        };
        (by, words)
    }
}
