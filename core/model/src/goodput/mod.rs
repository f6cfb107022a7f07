//! Goodput = throughput × statistical efficiency (Pollux, OSDI'21): the models, how they are
//! fitted and measured, and what is chosen by them.
//!
//! ```text
//! observed step times ──fit──▶ ThroughputParams ─┐
//! per-replica gradients ──noise──▶ GradientStats ─┴──batch──▶ (m, s) and its goodput
//!                                        └──learning_rate──▶ the learning rate's factor
//! ```
//!
//! One job's share of all this is its [`Agent`].
//!
//! Symbols, as in the paper: `K` replicas (one GPU each) on `N` nodes; `m` samples per GPU and
//! pass; `s` accumulation passes before the one that synchronises; total batch
//! `M = K·m·(s + 1)`; `M0` the batch size that the user chose; `φ` the gradient noise scale.

mod agent;
pub mod batch;
mod efficiency;
mod fit;
mod fits;
mod lbfgsb;
mod learning_rate;
mod local_batch;
pub mod noise;
mod throughput;

pub use agent::{Agent, FitChoice, RETUNE_GAIN};
pub use batch::{CandidateTable, Choice, Limits, LimitsError, ThroughputTable};
pub use efficiency::GradientStats;
pub use fit::{Fit, FitError, Observation, fit, fit_from, loss};
pub use fits::Fits;
pub use learning_rate::LearningRateRule;
pub use local_batch::LocalBatch;
pub use throughput::ThroughputParams;
