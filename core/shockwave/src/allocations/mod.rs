//! Shares of time: which part of it each job is to have its gang, by six schedulers, on one kind of GPU.
//!
//! In: jobs and how many GPUs there are. Out: for each job a share from 0 to 1. One scheduler per file. Where equally
//! good shares are many, the original's solver decides: its method is in `interior`. Themis' program is of another form; it
//! ends at the analytic centre of the best shares (`centre`), where such solvers end, too.

pub mod allox;
mod centre;
pub mod gandiva_fair;
pub mod gavel;
mod interior;
pub mod mst;
pub mod ossp;
pub mod themis;

/// A job that wants GPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Job {
    /// Which one it is, from one decision to the next.
    pub id: usize,
    /// GPUs that it takes at once.
    pub gang: u32,
    /// Steps per second on its gang.
    pub throughput: f64,
    /// Steps that are left.
    pub remaining: f64,
    /// Seconds since it came.
    pub age: f64,
}

impl Job {
    fn gang(&self) -> f64 {
        f64::from(self.gang)
    }

    /// Seconds that it would take from now on, had it its gang all the time.
    pub fn left(&self) -> f64 {
        self.remaining / self.throughput
    }
}

/// Whether least shares can be had, of gangs on so many GPUs.
fn fits(gangs: &[f64], least: &[f64], gpus: f64) -> bool {
    let used: f64 = gangs.iter().zip(least).map(|(gang, x)| gang * x).sum();
    used <= gpus && least.iter().all(|&x| x <= 1.0)
}
