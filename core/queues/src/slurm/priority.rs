//! A job's priority: the sum of weighted factors, as terms.
//!
//! priority = site + Σ weight · factor − nice. Slurm adds up unrounded numbers, cuts the sum to a whole one, and keeps
//! it between 1 (0 is a held job) and 2³² − 1. `sprio` prints each term rounded, so that printed terms may add up to
//! one or two more or less than the printed priority. Its manual has lines of an older version, which cut each term
//! ([`Rounding::Terms`]).
//!
//! A job that asks for several partitions or QOS has a priority in each: that partition's factor and TRES, that QOS's
//! factor, all else the same.
//!
//! Source: `priority_multifactor.c` (`_get_priority_internal`, `_priority_each_qos`), `src/sprio/print.c`.

use serde::{Deserialize, Serialize};

/// What each factor weighs: `PriorityWeight…`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Weights {
    /// `PriorityWeightAge`.
    pub age: u32,
    /// `PriorityWeightAssoc`.
    pub association: u32,
    /// `PriorityWeightFairShare`.
    pub fair_share: u32,
    /// `PriorityWeightJobSize`.
    pub job_size: u32,
    /// `PriorityWeightPartition`.
    pub partition: u32,
    /// `PriorityWeightQOS`.
    pub qos: u32,
    /// `PriorityWeightTRES`: names such as `cpu` or `gres/gpu`, with a weight each.
    pub tres: Vec<(String, f64)>,
}

/// A job's factors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Factors {
    /// How long it has waited.
    pub age: f64,
    /// Its association's priority.
    pub association: f64,
    /// Its association's fair share.
    pub fair_share: f64,
    /// Its size.
    pub job_size: f64,
    /// Its partition's priority (`PriorityJobFactor`).
    pub partition: f64,
    /// Its QOS's priority.
    pub qos: f64,
    /// How much of each resource it asks for, in the order of [`Weights::tres`]; what is missing is 0.
    pub tres: Vec<f64>,
    /// What the site adds.
    pub site: i64,
    /// What its user takes off.
    pub nice: i64,
}

/// What a term is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// How long a job has waited.
    Age,
    /// Its association's priority.
    Association,
    /// Its association's fair share.
    FairShare,
    /// Its size.
    JobSize,
    /// Its partition.
    Partition,
    /// Its QOS.
    Qos,
    /// A trackable resource: its place in [`Weights::tres`].
    Tres(usize),
    /// What the site adds.
    Site,
    /// What its user takes off.
    Nice,
}

/// A term of the sum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// What it is about.
    pub part: Part,
    /// What the factor weighs; 1 for the site, −1 for nice.
    pub weight: f64,
    /// The factor.
    pub factor: f64,
}

impl Term {
    /// Weight times factor.
    pub fn product(&self) -> f64 {
        self.weight * self.factor
    }

    /// As `sprio` prints it.
    pub fn shown(&self) -> i64 {
        libm::rint(self.product()) as i64
    }
}

/// Where fractions are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rounding {
    /// Off the sum, as Slurm does.
    #[default]
    Sum,
    /// Off each term, as versions did that wrote the examples in `sprio`'s manual.
    Terms,
}

impl Weights {
    /// The terms of a job's priority, in the order in which Slurm adds them up.
    pub fn terms<'a>(&'a self, of: &'a Factors) -> impl Iterator<Item = Term> + 'a {
        let term = |part, weight, factor| Term {
            part,
            weight,
            factor,
        };
        let weighted = [
            (Part::Age, self.age, of.age),
            (Part::Association, self.association, of.association),
            (Part::FairShare, self.fair_share, of.fair_share),
            (Part::JobSize, self.job_size, of.job_size),
            (Part::Partition, self.partition, of.partition),
            (Part::Qos, self.qos, of.qos),
        ];
        let weighted = weighted.into_iter();
        let weighted =
            weighted.map(move |(part, weight, factor)| term(part, f64::from(weight), factor));
        let tres = self.tres.iter().enumerate().map(move |(at, (_, weight))| {
            let factor = of.tres.get(at).copied().unwrap_or(0.0);
            term(Part::Tres(at), *weight, factor)
        });
        let given = [
            term(Part::Site, 1.0, of.site as f64),
            term(Part::Nice, -1.0, of.nice as f64),
        ];
        weighted.chain(tres).chain(given)
    }

    /// A job's priority.
    pub fn priority(&self, of: &Factors, rounding: Rounding) -> u32 {
        let products = self.terms(of).map(|term| match rounding {
            Rounding::Sum => term.product(),
            Rounding::Terms => libm::trunc(term.product()),
        });
        let sum = products.fold(0.0, |sum, product| sum + product);
        // The cast keeps it below 2³².
        if sum >= 1.0 { sum as u32 } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights() -> Weights {
        Weights {
            age: 1000,
            fair_share: 100_000,
            tres: vec![("cpu".to_owned(), 10.0), ("gres/gpu".to_owned(), 50.0)],
            ..Weights::default()
        }
    }

    #[test]
    fn the_sum_is_cut_and_the_terms_are_rounded() {
        let factors = Factors {
            age: 0.3456,
            fair_share: 0.346_629,
            tres: vec![0.06],
            ..Factors::default()
        };
        let weights = weights();
        let shown: Vec<i64> = weights.terms(&factors).map(|term| term.shown()).collect();
        assert_eq!(shown, [346, 0, 34_663, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(weights.priority(&factors, Rounding::Sum), 35_009);
        assert_eq!(weights.priority(&factors, Rounding::Terms), 35_007);
    }

    #[test]
    fn the_site_adds_and_nice_takes_off_but_never_holds() {
        let factors = |site, nice| Factors {
            age: 0.5,
            site,
            nice,
            ..Factors::default()
        };
        let priority = |site, nice| weights().priority(&factors(site, nice), Rounding::Sum);
        assert_eq!(priority(0, 0), 500);
        assert_eq!(priority(100, 30), 570);
        assert_eq!(priority(-100, -30), 430);
        assert_eq!(priority(0, 2_147_483_645), 1);
        assert_eq!(priority(10_000_000_000, 0), u32::MAX);
    }
}
