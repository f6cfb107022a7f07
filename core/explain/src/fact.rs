//! The numbers behind a decision, as data: who decides says what they are, and whoever shows them words them here.

use super::{Operand, Sum, Unit};
use crate::job::JobId;
use crate::{Resource, Time};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One number behind a decision, with the literature's term.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is called.
    pub term: String,
    /// The value, piece by piece.
    pub value: Vec<Said>,
    /// The jobs that the value names, where it names some, in its order.
    pub jobs: Vec<JobId>,
    /// How its first number comes about, if that can be told.
    pub sum: Option<Sum>,
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
    /// A queue of the run's tree, by its name.
    Queue(String),
    /// A queue by attained service: 0 is the highest.
    Level(u32),
    /// So many seconds.
    Span(f64),
    /// A moment of the run.
    Moment(Time),
}

impl Said {
    /// So many of something.
    pub fn count(count: impl TryInto<u64>, unit: Unit) -> Self {
        Self::Count(count.try_into().unwrap_or(u64::MAX), unit)
    }

    /// In words, spans and moments written so.
    pub fn told(&self, span: &dyn Fn(f64) -> String, moment: &dyn Fn(Time) -> String) -> String {
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
            Self::Queue(ref name) => name.clone(),
            Self::Level(level) => (level + 1).to_string(),
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
            sum: None,
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

    /// A queue, and those above it.
    pub fn path<'a>(term: &str, names: impl Iterator<Item = &'a str>) -> Self {
        let mut fact = Self::of(term, Vec::new());
        for name in names {
            let above = if fact.value.is_empty() { "" } else { " < " };
            fact = fact.then(above).and(Said::Queue(name.to_owned()));
        }
        fact
    }

    /// Of so many queues by attained service, which one; 0 is the highest.
    pub fn level(term: &str, level: u32, of: impl TryInto<u64>) -> Self {
        let whole = Said::count(of, Unit::None);
        Self::of(term, vec![Said::Level(level)])
            .then(" of ")
            .and(whole)
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

    /// With how its first number comes about, which is `result`; without, where a value is unknown.
    #[must_use]
    pub fn by(
        mut self,
        formula: impl Into<Cow<'static, str>>,
        operands: impl Into<Vec<Operand>>,
        (result, unit): (f64, Unit),
    ) -> Self {
        let sum = Sum {
            formula: formula.into(),
            operands: operands.into(),
            result,
            unit,
        };
        self.sum = Some(sum).filter(Sum::is_known);
        self
    }

    /// The same of a queue: its name stands before the value.
    #[must_use]
    pub fn of_queue(mut self, name: &str) -> Self {
        let name = Said::Queue(name.to_owned());
        let colon = Said::Words(": ".to_owned());
        self.value.splice(0..0, [name, colon]);
        self
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
        if let Some(sum) = &mut self.sum {
            sum.unit = sum.unit.counted_in(resource);
            for of in &mut sum.operands {
                of.name = resource.words(&of.name).into_owned().into();
                of.unit = of.unit.counted_in(resource);
            }
        }
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
                Said::Percent(..)
                | Said::Node(_)
                | Said::Queue(_)
                | Said::Level(_)
                | Said::Span(_)
                | Said::Moment(_) => {}
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
            (Fact::path("queue", ["a", "b"].into_iter()), "a < b"),
            (Fact::level("queue", 1, 3_u32), "2 of 3"),
            (Fact::gpus("above it", 4).of_queue("lab"), "lab: 4 GPUs"),
        ] {
            assert_eq!(fact.in_seconds(), text);
        }
    }

    #[test]
    fn a_sum_is_told_where_all_of_it_is_known() {
        let of = |share: f64| {
            let operands = [
                Operand::new("left", 6.0, Unit::Seconds),
                Operand::new("share", share, Unit::None),
            ];
            Fact::number("ρ", 6.0 / share, 2, Unit::None).by(
                "{0} ∕ {1}",
                operands,
                (6.0 / share, Unit::None),
            )
        };
        let sum = of(0.5).sum.expect("all is known");
        assert_eq!(sum.in_words(|of| of.name.to_string()), "left ∕ share");
        assert_eq!(sum.in_words(|of| of.value.to_string()), "6 ∕ 0.5");
        assert_eq!(of(0.0).sum, None);
    }

    #[test]
    fn cores_are_cores_and_names_stay() {
        let mut service = Fact::number("GPU·s", 7.0, 0, Unit::GpuSeconds).then(" on a GPU");
        service.count_in(Resource::Cores);
        assert_eq!(
            (service.term.as_str(), service.in_seconds().as_str()),
            ("core·s", "7 core·s on a core")
        );
        let gpus = Operand::new("its GPUs", 2.0, Unit::Gpus);
        let mut of_sum = Fact::gpus("its GPUs", 2).by("{0}", [gpus], (2.0, Unit::Gpus));
        of_sum.count_in(Resource::Cores);
        let sum = of_sum.sum.expect("it has one");
        assert_eq!(sum.operands[0], Operand::new("its cores", 2.0, Unit::Cores));
        let mut jobs = Fact::jobs("went to", vec![JobId(0)], |_| "GPU");
        jobs.count_in(Resource::Cores);
        assert_eq!(jobs.in_seconds(), "GPU");
    }
}
