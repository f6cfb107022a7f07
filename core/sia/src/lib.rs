//! Sia (Jayaram Subramanya et al., SOSP'23): which configuration of which GPU type every job gets in a round.
//!
//! ```text
//! types of nodes ──configurations──▶ columns ─┐
//! fitted models, statistics ──rows──▶ goodput ┴──program──▶ a choice per job ──placing──▶ nodes
//! ```
//!
//! These are decisions alone, pure functions of what they are given. The engine's policy `sia` decides by them, and
//! so does the replay of the authors' simulator, a crate of its own. Formulas are the paper's sections 3.3 and 3.4; where its
//! artifact (<https://github.com/siasosp23/artifacts>, `sia-simulator`) does otherwise, the artifact is followed.

#![forbid(unsafe_code)]

pub mod batch;
pub mod configurations;
pub mod placing;
pub mod program;
pub mod rows;
