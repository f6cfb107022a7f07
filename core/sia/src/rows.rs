//! A job's row of a round's program: what each configuration is worth to it (SOSP'23, sections 3.2 and 3.4, as its
//! artifact computes them). In: fitted models, gradient statistics, age and restarts. Out: goodput relative to the
//! job's least, then costs in hundredths.
//!
//! Where a type was never run on, goodput is that of the first type with a model for as many replicas, times the
//! ratio of what one GPU of each does. Where there is no model at all, one GPU of any type is worth 1.

use crate::batch;
use crate::configurations::{Configuration, NodeType};
use switchyard_model::goodput::{GradientStats, Limits, ThroughputParams};

/// What a configuration is worth that a job cannot use, or must not yet.
pub const NOTHING: f32 = 1e-4;

/// The most that a cost is, before it is rounded.
const MOST: f64 = 3000.0;

/// What is known of a job on one type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnType {
    /// The model fitted to what was seen there; `None` before the job ran there.
    pub model: Option<ThroughputParams>,
    /// The batches allowed there.
    pub limits: Limits,
    /// Samples per second of one GPU, which types are compared by.
    pub one_gpu: f64,
}

/// What configurations are worth to a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The goodput of each, relative to the least of those that are worth something.
    pub worth: Vec<f32>,
    /// The goodput of each as models predict it, and the least of it; none before there is a model.
    pub predicted: Option<(Vec<f32>, f32)>,
}

/// The goodput of each configuration, relative to the least of those that are worth something.
pub fn goodputs(
    types: &[NodeType],
    columns: &[Configuration],
    job: &[OnType],
    stats: Option<&GradientStats>,
    most_replicas: u32,
) -> Row {
    let with_model = job.iter().position(|on| on.model.is_some());
    let mut row = vec![NOTHING; columns.len()];
    let (Some(first), Some(stats)) = (with_model, stats) else {
        for (value, _) in row
            .iter_mut()
            .zip(columns)
            .filter(|(_, column)| column.gpus == 1)
        {
            *value = 1.0;
        }
        return Row {
            worth: row,
            predicted: None,
        };
    };
    for (value, column) in row.iter_mut().zip(columns) {
        if column.gpus > most_replicas.max(1) {
            continue;
        }
        let own = job[column.kind].model.is_some();
        let at = if own { column.kind } else { first };
        let Some(model) = &job[at].model else {
            continue;
        };
        let (nodes, ratio) = if own {
            (column.nodes, 1.0)
        } else {
            let nodes = column.gpus.div_ceil(types[at].gpus_per_node.max(1));
            (nodes, job[column.kind].one_gpu / job[at].one_gpu)
        };
        let best = batch::best(model, stats, &job[at].limits, nodes, column.gpus);
        *value = best.goodput as f32 * ratio as f32;
    }
    let valid = row.iter().copied().filter(|value| *value > NOTHING);
    let least = valid.fold(f32::INFINITY, |a, b| if b < a { b } else { a });
    let scale = if least.is_finite() { 1.0 / least } else { 1.0 };
    let relative = |value: &f32| match value * scale {
        value if value <= NOTHING => NOTHING,
        value => value,
    };
    Row {
        worth: row.iter().map(relative).collect(),
        predicted: Some((row, least)),
    }
}

/// What remains of a configuration's worth if the job has to restart for it: ρ. `age` and `restart` in seconds;
/// `restart` is what a restart is believed to take, `restarts` how many there were.
pub fn restart_factor(age: f64, restarts: u32, restart: f64) -> f64 {
    if age < restart {
        return 1.0;
    }
    let useful = age - f64::from(restarts) * restart;
    let useful = if useful > 0.0 { useful } else { 0.0 };
    useful / (age + restart)
}

/// The objective's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// The power p: below 0 fairness, the more the lower; above 0 the sum of goodput counts.
    pub power: f64,
    /// λ_n: what a job without GPUs costs, in units of a cost; below 0 where the power is above.
    pub without: f64,
}

impl Default for Objective {
    /// The paper's.
    fn default() -> Self {
        Self {
            power: -0.5,
            without: 1.1,
        }
    }
}

impl Objective {
    /// The costs of a row less that of going without, in hundredths, rounded as the original rounds.
    pub fn costs(&self, goodputs: &[f32], former: Option<usize>, factor: f64) -> Vec<i64> {
        let without = libm::rint(self.without * 100.0) as i64;
        let cost = |(at, &goodput): (usize, &f32)| {
            let moves = former.is_some_and(|former| former != at);
            let worth = if moves {
                (f64::from(goodput) * factor) as f32
            } else {
                goodput
            };
            let cost = libm::pow(f64::from(worth), self.power);
            let cost = if cost < MOST { cost } else { MOST };
            let cost = libm::rint(cost * 100.0) as i64 - without;
            if self.power < 0.0 { cost } else { -cost }
        };
        goodputs.iter().enumerate().map(cost).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configurations::configurations;

    const LIMITS: Limits = Limits {
        m0: 128,
        max_batch: 4096,
        min_local: 32,
        max_local: 1024,
    };

    const MODEL: ThroughputParams = ThroughputParams {
        alpha_c: 0.02,
        beta_c: 7e-4,
        alpha_n: 0.09,
        beta_n: 0.0025,
        alpha_r: 0.015,
        beta_r: 1e-4,
        gamma: 1.3,
    };

    fn types() -> Vec<NodeType> {
        vec![NodeType::new("slow", 2, 4), NodeType::new("fast", 1, 8)]
    }

    fn job(models: [Option<ThroughputParams>; 2]) -> [OnType; 2] {
        let one_gpu = [100.0, 300.0];
        [0, 1].map(|at| OnType {
            model: models[at],
            limits: LIMITS,
            one_gpu: one_gpu[at],
        })
    }

    #[test]
    fn before_it_ran_one_gpu_is_worth_one() {
        let columns = configurations(&types());
        let row = goodputs(&types(), &columns, &job([None, None]), None, 64).worth;
        let one: Vec<usize> = (0..row.len()).filter(|&at| row[at] == 1.0).collect();
        assert_eq!(one, [0, 4]);
        assert!(row.iter().all(|&value| value == 1.0 || value == NOTHING));
    }

    #[test]
    fn what_never_ran_is_projected() {
        let columns = configurations(&types());
        let stats = GradientStats::of_noise_scale(1e4, 128);
        let row = goodputs(
            &types(),
            &columns,
            &job([Some(MODEL), None]),
            Some(&stats),
            2,
        );
        let (predicted, least) = row.predicted.expect("there is a model");
        let row = row.worth;
        assert!((predicted[4] / least - row[4]).abs() < 1e-6);
        // One and two GPUs of each; three times as fast where one GPU is.
        assert!((row[0] - 1.0).abs() < 1e-6);
        assert!((row[4] - 3.0).abs() < 1e-6 && (row[5] / row[1] - 3.0).abs() < 1e-6);
        assert_eq!((row[2], row[6]), (NOTHING, NOTHING));
    }

    #[test]
    fn restarts_take_from_the_worth() {
        assert_eq!(restart_factor(20.0, 0, 30.0), 1.0);
        assert_eq!(restart_factor(70.0, 1, 30.0), 0.4);
        assert_eq!(restart_factor(70.0, 9, 30.0), 0.0);
    }

    #[test]
    fn costs_by_hand() {
        let paper = Objective::default();
        // 1/√1 − 1.1, 1/√4 − 1.1, and what it cannot use.
        assert_eq!(
            paper.costs(&[1.0, 4.0, NOTHING], None, 0.5),
            [-10, -60, 9890]
        );
        // A move halves the worth: 1/√2 = 0.71, 1/√2.
        assert_eq!(paper.costs(&[1.0, 4.0], Some(1), 0.5), [141 - 110, -60]);
        // Nothing is left of it: clipped.
        assert_eq!(paper.costs(&[1.0, 4.0], Some(1), 0.0)[0], 300_000 - 110);
        let sum = Objective {
            power: 1.0,
            without: -1.0,
        };
        assert_eq!(sum.costs(&[2.0], None, 1.0), [-300]);
    }
}
