//! How jobs that train on the same links slow one another: what a model sends and computes per step
//! ([`Profile`]), which edges of a cluster's tree that crosses ([`Traffic`]), how a link is shared
//! ([`filling`]), what comes of it for the time of a step ([`Step`]), and for jobs that come and go
//! ([`Links`]). Pure maths; the simulation's law brings it to those that run, and a placement's sight of
//! links to those that might.
//!
//! Per step of a job: t = compute · max(1, cores wanted ÷ cores had) + what of the communication is
//! not hidden behind it, where communication takes as long as on its slowest edge: bytes ÷ what
//! max-min fairness leaves it there. After the interference model of Zhao & Wu (TNSM 19(4), 2022), of
//! which no formula is published: this one is ours, fitted to measurements (`switchyard paper
//! contention`).

pub mod filling;
mod links;
mod measured;
mod profile;
mod sending;
mod traffic;

pub use links::{Crowd, Links, Prospect, Slowed, Stay};
pub use measured::{Fit, Measured, MeasuredError, Quality, Report, Shape};
pub use profile::{Profile, ProfilesByJob};
pub use sending::{Network, Sending};
pub use traffic::{Bandwidths, Traffic};

/// What the measurements decide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients {
    /// The part of a step's computing behind which communication hides.
    pub overlap: f64,
    /// The part of a link that one job alone fills.
    pub efficiency: f64,
    /// The part of a job's traffic between GPUs of one socket that its neighbours there feel.
    pub pcie: f64,
}

impl Coefficients {
    /// As fitted to DeepShare's tables by [`Measured::fit`]: nothing is hidden, and one job fills a
    /// link. `pcie` cannot be read off them, since their jobs never share a socket's links alone: the
    /// tenth is ours.
    pub const FITTED: Self = Self {
        overlap: 0.0,
        efficiency: 1.0,
        pcie: 0.1,
    };
}

/// The time of a job's steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Seconds of computing with all the cores it wants.
    pub compute: f64,
    /// Seconds of computing behind which communication hides.
    pub hidden: f64,
}

impl Step {
    /// Of a model, by these coefficients.
    pub fn new(compute: f64, coefficients: &Coefficients) -> Self {
        Self {
            compute,
            hidden: compute * coefficients.overlap,
        }
    }

    /// Seconds where communication takes so many, and there are so many times fewer cores than
    /// wanted.
    pub fn seconds(&self, communication: f64, crowding: f64) -> f64 {
        let exposed = communication - self.hidden;
        self.compute * if crowding > 1.0 { crowding } else { 1.0 }
            + if exposed > 0.0 { exposed } else { 0.0 }
    }
}
