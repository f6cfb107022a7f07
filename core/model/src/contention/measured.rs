//! Measured pairs of distributed jobs on the same nodes, and what of them the law explains.
//!
//! In: DeepShare's tables (ICPADS'23; github.com/gajagajago/deepshare, scheduler/jobs): the
//! throughput of a job beside another ÷ alone, and alone. Jobs are `MODEL,GPUS,NODES` (its launch
//! scripts say so: the third number is nodes), trained by rings over TCP, a few GPUs to a node. Out:
//! [`Fit`], with the error on models that the fit has not seen.
//!
//! Which bytes these models send is not published, so that how much of a step is computing comes from
//! the model's rates alone: (mean rate per GPU over its shapes ÷ the best)^k. The exponent k, the
//! overlap and the efficiency are fitted. Two jobs share the NIC of a node.

use super::{Step, filling};
use crate::order;
use std::collections::BTreeSet;
use switchyard_rows::{Table, number};
use thiserror::Error;

/// A job of the tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// As the tables call it.
    pub name: String,
    /// Its model.
    pub model: String,
    gpus: f64,
    /// Samples per second, alone.
    alone: f64,
}

/// Both tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Rows and columns.
    pub shapes: Vec<Shape>,
    /// By row and column: the rate of the row's job beside the column's ÷ alone.
    pub ratios: Vec<Vec<f64>>,
}

/// What is wrong with a table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MeasuredError {
    /// A job of no known form.
    #[error("{table}, line {line}: '{name}' is no job: write MODEL,GPUS,NODES")]
    Shape {
        /// Which table.
        table: &'static str,
        /// The line, from 1.
        line: u32,
        /// The cell.
        name: String,
    },
    /// A number that cannot be.
    #[error("{table}, line {line}, {column}: '{value}' is {not}")]
    Value {
        /// Which table.
        table: &'static str,
        /// The line, from 1.
        line: u32,
        /// The column.
        column: String,
        /// The cell.
        value: String,
        /// What it is not.
        not: &'static str,
    },
    /// Rows and columns differ.
    #[error("the ratios have rows {rows} and columns {columns}: both are the same jobs in order")]
    NotSquare {
        /// How many rows, or which.
        rows: String,
        /// How many columns, or which.
        columns: String,
    },
    /// No rate alone.
    #[error("the rates alone say nothing of '{0}'")]
    NoRate(String),
    /// Nothing to hold out.
    #[error("the ratios are of {0} models: at least three are needed to hold one out")]
    TooFew(usize),
}

impl Measured {
    /// Reads both tables.
    pub fn read(ratios: &str, alone: &str) -> Result<Self, MeasuredError> {
        const ALONE: &str = "the rates alone";
        const RATIOS: &str = "the ratios";
        let mut rates: Vec<(String, f64)> = Vec::new();
        let mut table = Table::new(alone, b',');
        table.next();
        while let Some(row) = table.next() {
            let rate = value(
                ALONE,
                row.line,
                "rate",
                row.cell(1),
                "no rate above 0",
                |rate| rate > 0.0,
            );
            rates.push((row.cell(0).to_owned(), rate?));
        }
        let mut table = Table::new(ratios, b',');
        let columns: Vec<String> = table.next().map_or_else(Vec::new, |head| {
            (1..head.filled())
                .map(|i| head.cell(i).to_owned())
                .collect()
        });
        let (mut shapes, mut cells) = (Vec::new(), Vec::new());
        while let Some(row) = table.next() {
            let name = row.cell(0);
            let wrong = || MeasuredError::Shape {
                table: RATIOS,
                line: row.line,
                name: name.to_owned(),
            };
            let (model, rest) = name.split_once(',').ok_or_else(wrong)?;
            let gpus = rest.split(',').next().and_then(number);
            let gpus = gpus.filter(|gpus| *gpus >= 1.0).ok_or_else(wrong)?;
            let rate = rates.iter().find(|(of, _)| of == name);
            shapes.push(Shape {
                name: name.to_owned(),
                model: model.to_owned(),
                gpus,
                alone: rate
                    .ok_or_else(|| MeasuredError::NoRate(name.to_owned()))?
                    .1,
            });
            let cell = |(i, column): (usize, &String)| {
                let is_ratio = |ratio: f64| ratio > 0.0 && ratio <= 1.0;
                value(
                    RATIOS,
                    row.line,
                    column,
                    row.cell(i + 1),
                    "no ratio above 0 and at most 1",
                    is_ratio,
                )
            };
            cells.push(
                columns
                    .iter()
                    .enumerate()
                    .map(cell)
                    .collect::<Result<Vec<f64>, _>>()?,
            );
        }
        let rows: Vec<&String> = shapes.iter().map(|shape| &shape.name).collect();
        if rows.len() != columns.len()
            || rows
                .iter()
                .zip(&columns)
                .any(|(row, column)| *row != column)
        {
            return Err(MeasuredError::NotSquare {
                rows: rows.len().to_string(),
                columns: columns.len().to_string(),
            });
        }
        let measured = Self {
            shapes,
            ratios: cells,
        };
        match measured.models().len() {
            few @ ..3 => Err(MeasuredError::TooFew(few)),
            _ => Ok(measured),
        }
    }

    /// The models, in the order of the tables.
    pub fn models(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let names = self.shapes.iter().map(|shape| shape.model.as_str());
        names.filter(|name| seen.insert(*name)).collect()
    }

    /// A model's mean rate per GPU over its shapes ÷ the best.
    fn scaling(&self, model: &str) -> f64 {
        let own = self.shapes.iter().filter(|shape| shape.model == model);
        let rates: Vec<f64> = own.map(|shape| shape.alone / shape.gpus).collect();
        let best = rates.iter().fold(0.0, |best: f64, &rate| best.max(rate));
        rates.iter().sum::<f64>() / rates.len() as f64 / best
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.shapes.len())
            .flat_map(|row| (0..self.shapes.len()).map(move |column| (row, column)))
    }

    /// Fits to all pairs, and to the pairs without each model in turn.
    pub fn fit(&self) -> Report {
        let scaling: Vec<f64> = self
            .shapes
            .iter()
            .map(|shape| self.scaling(&shape.model))
            .collect();
        let all: Vec<(usize, usize)> = self.pairs().collect();
        let fit = self.fitted(&scaling, &all);
        let has = |pair: &(usize, usize), model: &str| {
            [pair.0, pair.1]
                .iter()
                .any(|&at| self.shapes[at].model == model)
        };
        let mut unseen = Vec::new();
        let mut held_out = Vec::new();
        for model in self.models() {
            let (test, seen): (Vec<_>, Vec<_>) = all.iter().partition(|pair| has(pair, model));
            let own = self.fitted(&scaling, &seen);
            let mean =
                seen.iter().map(|&(i, j)| self.ratios[i][j]).sum::<f64>() / seen.len() as f64;
            let of = |&(i, j): &(usize, usize)| {
                (self.ratios[i][j], own.ratio(scaling[i], scaling[j]), mean)
            };
            let own: Vec<(f64, f64, f64)> = test.iter().map(of).collect();
            unseen.extend(&own);
            held_out.push((model.to_owned(), Quality::of(&own)));
        }
        let mean = all.iter().map(|&(i, j)| self.ratios[i][j]).sum::<f64>() / all.len() as f64;
        let seen: Vec<(f64, f64, f64)> = all
            .iter()
            .map(|&(i, j)| (self.ratios[i][j], fit.ratio(scaling[i], scaling[j]), mean))
            .collect();
        Report {
            fit,
            unseen: Quality::of(&unseen),
            seen: Quality::of(&seen),
            held_out,
            fitted: scaling
                .iter()
                .map(|&row| {
                    scaling
                        .iter()
                        .map(|&column| fit.ratio(row, column))
                        .collect()
                })
                .collect(),
        }
    }

    /// The least squares over these pairs, by a search along each coefficient in turn, in steps that
    /// halve.
    fn fitted(&self, scaling: &[f64], pairs: &[(usize, usize)]) -> Fit {
        let squares = |fit: &Fit| -> f64 {
            let error = |&(i, j): &(usize, usize)| {
                let error = self.ratios[i][j] - fit.ratio(scaling[i], scaling[j]);
                error * error
            };
            pairs.iter().map(error).sum()
        };
        const MOST: [f64; 3] = [5.0, 0.9, 1.0];
        const LEAST: [f64; 3] = [0.1, 0.0, 0.2];
        let mut best = [2.0, 0.1, 0.9];
        let mut least = squares(&Fit::of(best));
        let mut step = [1.0, 0.25, 0.25];
        while step[0] > 1e-4 {
            let mut better = false;
            for at in 0..best.len() {
                for sign in [1.0, -1.0] {
                    let mut other = best;
                    other[at] = (best[at] + sign * step[at]).clamp(LEAST[at], MOST[at]);
                    let error = squares(&Fit::of(other));
                    if error < least {
                        (best, least, better) = (other, error, true);
                        break;
                    }
                }
            }
            if !better {
                step = step.map(|step| step / 2.0);
            }
        }
        Fit::of(best)
    }
}

/// The coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// How a model's scaling tells what part of a step is computing.
    pub exponent: f64,
    /// [`Coefficients::overlap`](super::Coefficients::overlap).
    pub overlap: f64,
    /// [`Coefficients::efficiency`](super::Coefficients::efficiency).
    pub efficiency: f64,
}

impl Fit {
    fn of([exponent, overlap, efficiency]: [f64; 3]) -> Self {
        Self {
            exponent,
            overlap,
            efficiency,
        }
    }

    /// What a model of this scaling keeps of its rate beside another.
    fn ratio(&self, scaling: f64, other: f64) -> f64 {
        // A step alone takes 1; what of it is no computing is exposed communication.
        let step = |scaling: f64| {
            let compute = libm::pow(scaling, self.exponent);
            let hidden = compute * self.overlap;
            (Step { compute, hidden }, 1.0 - compute + hidden)
        };
        let (own, communication) = step(scaling);
        let (_, others) = step(other);
        // Links are of capacity 1, of which one job alone fills the efficiency.
        let rates = [communication, others].map(|seconds| (seconds * self.efficiency).min(1.0));
        let uses = [(0, 1.0)];
        let senders = rates.map(|most| filling::Sender { most, uses: &uses });
        let rates = filling::fill(&senders, &[0], |_| 1.0);
        let found = filling::beside(1.0, [rates[1]], 1).min(self.efficiency);
        1.0 / own.seconds(communication * self.efficiency / found, 1.0)
    }
}

/// How good predictions are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// 1 − squared errors ÷ those of the mean of the pairs fitted to.
    pub r2: f64,
    /// Quantiles of the absolute error: half, nine tenths, all.
    pub errors: [f64; 3],
    /// The same of the mean.
    pub constant: [f64; 3],
}

impl Quality {
    /// Of measured, predicted and mean.
    fn of(all: &[(f64, f64, f64)]) -> Self {
        let squares = |of: fn(&(f64, f64, f64)) -> f64| -> f64 {
            all.iter().map(|one| of(one) * of(one)).sum()
        };
        let quantiles = |of: fn(&(f64, f64, f64)) -> f64| {
            let mut errors: Vec<f64> = all.iter().map(|one| of(one).abs()).collect();
            errors.sort_unstable_by(order::by_value);
            [0.5, 0.9, 1.0].map(|part| {
                let at = libm::ceil(part * errors.len() as f64) as usize;
                errors
                    .get(at.saturating_sub(1))
                    .copied()
                    .unwrap_or(f64::NAN)
            })
        };
        Self {
            r2: 1.0 - squares(|one| one.0 - one.1) / squares(|one| one.0 - one.2),
            errors: quantiles(|one| one.0 - one.1),
            constant: quantiles(|one| one.0 - one.2),
        }
    }
}

/// What came of fitting.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// To all pairs.
    pub fit: Fit,
    /// On pairs with a model that the fit has not seen, all such together.
    pub unseen: Quality,
    /// On the pairs fitted to.
    pub seen: Quality,
    /// By the model held out.
    pub held_out: Vec<(String, Quality)>,
    /// The fitted table, by row and column.
    pub fitted: Vec<Vec<f64>>,
}

fn value(
    table: &'static str,
    line: u32,
    column: &str,
    cell: &str,
    not: &'static str,
    is: impl Fn(f64) -> bool,
) -> Result<f64, MeasuredError> {
    let wrong = || MeasuredError::Value {
        table,
        line,
        column: column.to_owned(),
        value: cell.to_owned(),
        not,
    };
    number(cell).filter(|&value| is(value)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three models of two shapes, made by the law itself.
    fn tables() -> (String, String) {
        let alone = [("a", 1.0), ("b", 0.7), ("c", 0.4)];
        let names: Vec<(String, f64, f64)> = alone
            .iter()
            .flat_map(|&(model, worst)| {
                [(2.0, 1.0), (4.0, worst)].map(|(gpus, rate)| {
                    (
                        format!("\"{model},{gpus},2\""),
                        gpus * rate,
                        (1.0 + worst) / 2.0,
                    )
                })
            })
            .collect();
        let fit = Fit::of([1.5, 0.0, 1.0]);
        let mut ratios = String::new();
        let mut rates = ",rate\n".to_owned();
        for (name, rate, _) in &names {
            ratios.push_str(&format!(",{name}"));
            rates.push_str(&format!("{name},{rate}\n"));
        }
        for (name, _, row) in &names {
            ratios.push_str(&format!("\n{name}"));
            for (_, _, column) in &names {
                ratios.push_str(&format!(",{}", fit.ratio(*row, *column)));
            }
        }
        (ratios, rates)
    }

    #[test]
    fn what_the_law_made_is_found_again() {
        let (ratios, rates) = tables();
        let report = Measured::read(&ratios, &rates).expect("tables").fit();
        assert!((report.fit.exponent - 1.5).abs() < 0.01, "{:?}", report.fit);
        assert!(report.seen.r2 > 0.999 && report.unseen.r2 > 0.99);
        assert!(report.unseen.errors[2] < report.unseen.constant[2] / 5.0);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let (ratios, rates) = tables();
        let why =
            |ratios: &str, rates: &str| Measured::read(ratios, rates).unwrap_err().to_string();
        let nan = ratios
            .replacen(",1\n", ",nan\n", 1)
            .replacen(",1,", ",NaN,", 1);
        assert!(
            why(&nan, &rates).contains("is no ratio above 0 and at most 1"),
            "{nan}"
        );
        assert_eq!(
            why(&ratios, ",rate\n"),
            "the rates alone say nothing of 'a,2,2'"
        );
        assert!(why("", &rates).contains("of 0 models"));
        assert!(why(&ratios.replace("\"a,2,2\"", "a"), &rates).contains("'a' is no job"));
    }
}
