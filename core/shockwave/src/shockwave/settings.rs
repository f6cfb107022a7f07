//! What Shockwave is told.

/// Its settings, as the artifact's files of configurations have them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Seconds of a round.
    pub round: f64,
    /// Rounds that are planned at once.
    pub rounds: usize,
    /// How much a second of the longest remaining run time weighs against utility (`k`).
    pub makespan_weight: f64,
    /// The power of a late job's finish-time fairness in its weight (`lambda`).
    pub power: f64,
}

impl Settings {
    /// Those that the artifact has for so many GPUs.
    pub fn of(gpus: u32) -> Self {
        let (makespan_weight, power) = match gpus {
            0..=32 => (1e-3, 12.0),
            33..=64 => (1e1, 5.0),
            65..=128 => (1e-3, 15.0),
            _ => (1e5, 5.0),
        };
        Self {
            round: 120.0,
            rounds: 20,
            makespan_weight,
            power,
        }
    }
}
