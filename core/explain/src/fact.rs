//! The numbers behind a decision, as data: who decides says what they are, and whoever shows them words them here.

use crate::job::JobId;
use crate::{Resource, Time};
use serde::{Deserialize, Serialize};

/// One number behind a decision, with the literature's term.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is called.
    pub term: String,
    /// The value, piece by piece.
    pub value: Vec<Said>,
    /// The jobs that the value names, where it names some, in its order.
    pub jobs: Vec<JobId>,
}

/// A piece of a fact's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Said {
    /// Words: a choice, a name, somebody's own text, and what stands between numbers.
    Words(String),
    /// So many of something.
    Count(u64, Unit),
    /// A number of so many decimals.
    Number(f64, u8, Unit),
    /// A number as it is.
    Exact(f64, Unit),
    /// A number of any size, with three decimals and its power of ten.
    Magnitude(f64, Unit),
    /// A part of a whole, 1 being all of it, in percent of so many decimals.
    Percent(f64, u8),
    /// A node, by its number.
    Node(u32),
    /// So many seconds.
    Span(f64),
    /// A moment of the run.
    Moment(Time),
}

/// What a number is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Nothing: a ratio, a score, a place in an order.
    None,
    /// GPUs.
    Gpus,
    /// GPUs × seconds.
    GpuSeconds,
    /// One for each thousand of those.
    PerThousandGpuSeconds,
    /// Cores, where those are counted.
    Cores,
    /// Cores × seconds.
    CoreSeconds,
    /// One for each thousand of those.
    PerThousandCoreSeconds,
    /// Nodes.
    Nodes,
    /// Jobs.
    Jobs,
    /// Places in a round.
    Slots,
    /// Samples to train on.
    Samples,
    /// 2^30 bytes.
    GiB,
}

impl Unit {
    /// Its word behind so many.
    fn word(self, is_one: bool) -> &'static str {
        match (self, is_one) {
            (Self::None, _) => "",
            (Self::Gpus, true) => "GPU",
            (Self::Gpus, false) => "GPUs",
            (Self::GpuSeconds, _) => "GPU·s",
            (Self::PerThousandGpuSeconds, _) => "per 1,000 GPU·s",
            (Self::Cores, true) => "core",
            (Self::Cores, false) => "cores",
            (Self::CoreSeconds, _) => "core·s",
            (Self::PerThousandCoreSeconds, _) => "per 1,000 core·s",
            (Self::Nodes, true) => "node",
            (Self::Nodes, false) => "nodes",
            (Self::Jobs, true) => "job",
            (Self::Jobs, false) => "jobs",
            (Self::Slots, true) => "slot",
            (Self::Slots, false) => "slots",
            (Self::Samples, true) => "sample",
            (Self::Samples, false) => "samples",
            (Self::GiB, _) => "GiB",
        }
    }

    /// The same where another resource is counted.
    fn counted_in(self, resource: Resource) -> Self {
        match (resource, self) {
            (Resource::Cores, Self::Gpus) => Self::Cores,
            (Resource::Cores, Self::GpuSeconds) => Self::CoreSeconds,
            (Resource::Cores, Self::PerThousandGpuSeconds) => Self::PerThousandCoreSeconds,
            _ => self,
        }
    }

    /// A number and its unit.
    fn behind(self, number: String) -> String {
        match self.word(number == "1") {
            "" => number,
            word => format!("{number} {word}"),
        }
    }
}

impl Said {
    /// So many of something.
    pub fn count(count: impl TryInto<u64>, unit: Unit) -> Self {
        Self::Count(count.try_into().unwrap_or(u64::MAX), unit)
    }

    /// In words, spans and moments written so.
    fn told(&self, span: &dyn Fn(f64) -> String, moment: &dyn Fn(Time) -> String) -> String {
        match *self {
            Self::Words(ref words) => words.clone(),
            Self::Count(count, unit) => unit.behind(count.to_string()),
            Self::Number(number, decimals, unit) => {
                unit.behind(format!("{number:.*}", decimals.into()))
            }
            Self::Exact(number, unit) => unit.behind(number.to_string()),
            Self::Magnitude(number, unit) => unit.behind(format!("{number:.3e}")),
            Self::Percent(part, decimals) => {
                format!("{:.*} %", usize::from(decimals), 100.0 * part)
            }
            Self::Node(node) => format!("node {node}"),
            Self::Span(seconds) => span(seconds),
            Self::Moment(at) => moment(at),
        }
    }
}

impl Fact {
    /// Of these pieces.
    pub fn of(term: &str, value: Vec<Said>) -> Self {
        Self {
            term: term.to_owned(),
            value,
            jobs: Vec::new(),
        }
    }

    /// A choice, a name, or somebody's own words.
    pub fn new(term: &str, words: impl ToString) -> Self {
        Self::of(term, vec![Said::Words(words.to_string())])
    }

    /// So many of something.
    pub fn count(term: &str, count: impl TryInto<u64>, unit: Unit) -> Self {
        Self::of(term, vec![Said::count(count, unit)])
    }

    /// So many of so many.
    pub fn part(term: &str, part: impl TryInto<u64>, of: impl TryInto<u64>) -> Self {
        let whole = Said::count(of, Unit::None);
        Self::count(term, part, Unit::None).then(" of ").and(whole)
    }

    /// A number of so many decimals.
    pub fn number(term: &str, number: f64, decimals: u8, unit: Unit) -> Self {
        Self::of(term, vec![Said::Number(number, decimals, unit)])
    }

    /// A part of a whole, in percent of so many decimals.
    pub fn percent(term: &str, part: f64, decimals: u8) -> Self {
        Self::of(term, vec![Said::Percent(part, decimals)])
    }

    /// How many seconds.
    pub fn span(term: &str, seconds: f64) -> Self {
        Self::of(term, vec![Said::Span(seconds)])
    }

    /// How many GPUs.
    pub fn gpus(term: &str, gpus: u32) -> Self {
        Self::count(term, gpus, Unit::Gpus)
    }

    /// Which jobs.
    pub fn jobs<'a>(term: &str, jobs: Vec<JobId>, name: impl Fn(JobId) -> &'a str) -> Self {
        let names: Vec<&str> = jobs.iter().map(|&job| name(job)).collect();
        let named = Self::new(term, names.join(", "));
        Self { jobs, ..named }
    }

    /// With words behind.
    #[must_use]
    pub fn then(self, words: &str) -> Self {
        match words.is_empty() {
            true => self,
            false => self.and(Said::Words(words.to_owned())),
        }
    }

    /// With another piece behind.
    #[must_use]
    pub fn and(mut self, said: Said) -> Self {
        self.value.push(said);
        self
    }

    /// The same where another resource is counted. Names of jobs stay as they are.
    pub(super) fn count_in(&mut self, resource: Resource) {
        let words = |text: &mut String| *text = resource.words(text).into_owned();
        words(&mut self.term);
        if !self.jobs.is_empty() {
            return;
        }
        for said in &mut self.value {
            match said {
                Said::Words(text) => words(text),
                Said::Count(_, unit)
                | Said::Number(_, _, unit)
                | Said::Exact(_, unit)
                | Said::Magnitude(_, unit) => *unit = unit.counted_in(resource),
                Said::Percent(..) | Said::Node(_) | Said::Span(_) | Said::Moment(_) => {}
            }
        }
    }

    /// Its value in words, spans of so many seconds and moments written so.
    pub fn told(&self, span: impl Fn(f64) -> String, moment: impl Fn(Time) -> String) -> String {
        let said = self.value.iter();
        said.map(|said| said.told(&span, &moment)).collect()
    }

    /// The same with all times in seconds.
    pub fn in_seconds(&self) -> String {
        let seconds = |of: f64| format!("{of:.0} s");
        self.told(seconds, |at| seconds(at.seconds()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_worded_with_their_units() {
        for (fact, text) in [
            (Fact::gpus("gang", 1), "1 GPU"),
            (Fact::gpus("gang", 8), "8 GPUs"),
            (Fact::count("nodes", 2_usize, Unit::Nodes), "2 nodes"),
            (
                Fact::number("attained", 7.4, 0, Unit::GpuSeconds),
                "7 GPU·s",
            ),
            (
                Fact::number("index", 0.5, 3, Unit::PerThousandGpuSeconds),
                "0.500 per 1,000 GPU·s",
            ),
            (
                Fact::of("at", vec![Said::Exact(12.5, Unit::GpuSeconds)]),
                "12.5 GPU·s",
            ),
            (Fact::percent("share", 0.256, 1), "25.6 %"),
            (Fact::part("queue", 1_u32, 3_u32), "1 of 3"),
            (
                Fact::new("φ", "φ = ").and(Said::Magnitude(12345.0, Unit::Samples)),
                "φ = 1.234e4 samples",
            ),
            (
                Fact::count("cores", 12_u32, Unit::None)
                    .then(" on ")
                    .and(Said::Node(0)),
                "12 on node 0",
            ),
            (Fact::span("left", 8.0), "8 s"),
        ] {
            assert_eq!(fact.in_seconds(), text);
        }
    }

    #[test]
    fn cores_are_cores_and_names_stay() {
        let mut service = Fact::number("GPU·s", 7.0, 0, Unit::GpuSeconds).then(" on a GPU");
        service.count_in(Resource::Cores);
        assert_eq!(
            (service.term.as_str(), service.in_seconds().as_str()),
            ("core·s", "7 core·s on a core")
        );
        let mut jobs = Fact::jobs("went to", vec![JobId(0)], |_| "GPU");
        jobs.count_in(Resource::Cores);
        assert_eq!(jobs.in_seconds(), "GPU");
    }
}
