//! The jobs that are free to choose, as all steps of the solver see them, and plans of theirs.

use crate::configurations::Configuration;

/// What the steps work on: the jobs that are free to choose, with their useful options alone.
pub(super) struct Free<'p> {
    pub(super) columns: &'p [Configuration],
    /// Left by the jobs that keep theirs.
    pub(super) gpus: Vec<u32>,
    /// For each free job its columns of cost < 0 that fit, with their costs.
    pub(super) options: Vec<Vec<(usize, i64)>>,
}

impl Free<'_> {
    pub(super) fn gpus_of(&self, column: usize) -> u32 {
        self.columns[column].gpus
    }

    pub(super) fn kind_of(&self, column: usize) -> usize {
        self.columns[column].kind
    }
}

/// The columns of the free jobs, and what they cost together.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) chosen: Vec<Option<usize>>,
    pub(super) cost: i64,
}

/// The greatest number that divides all costs.
pub(super) fn step(free: &Free<'_>) -> i64 {
    let costs = free.options.iter().flatten().map(|(_, cost)| cost.abs());
    costs.fold(0, divisor).max(1)
}

fn divisor(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The least cost that is at least a bound.
pub(super) fn round_up(bound: f64, step: i64) -> i64 {
    // The slack is that of a sum of some thousand floats.
    let steps = libm::ceil((bound - 1e-6) / step as f64 - 1e-6);
    (steps as i64).saturating_mul(step)
}
