//! How well machines would do for a pod, and what that is measured by.

use switchyard_model::pods::{Fleet, Typical};

/// How well a machine would do for a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scored {
    /// 0 to [`BEST`].
    pub(super) score: i32,
    /// Where the pod asks for a share: which GPU it gets.
    pub(super) gpu: u8,
}

/// Scores are whole numbers up to this; what differs by less counts as equal.
pub(super) const BEST: i32 = 100;

/// What scores are measured by.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    /// Thousandths of a core of the largest machine.
    pub(super) cores: f64,
    /// Thousandths of all GPUs of the largest machine.
    pub(super) gpus: u32,
    /// What pods of this cluster typically ask for.
    pub(super) typical: Typical,
}

impl Scale {
    pub(super) fn of(fleet: &Fleet, typical: Typical) -> Self {
        let machines = &fleet.machines;
        let cores = machines.iter().map(|machine| machine.cores).max();
        let gpus = machines.iter().map(|machine| machine.gpus).max();
        Self {
            cores: f64::from(cores.unwrap_or(0).max(1)),
            gpus: gpus.unwrap_or(0).max(1) * 1000,
            typical,
        }
    }
}
