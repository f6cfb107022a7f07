//! Sia (Jayaram Subramanya et al., SOSP'23): which configuration of which GPU type every job gets in a round.
//!
//! ```text
//! types of nodes ──configurations──▶ columns ─┐
//! fitted models, statistics ──rows──▶ goodput ┴──program──▶ a choice per job ──placing──▶ nodes
//! ```
//!
//! These are decisions alone, pure functions of what they are given. `gavel` is a rival of the paper's
//! comparison, Pollux, in `replay`, the other. `replay` is the authors' simulator, which both are measured in, and `profiles` reads what it
//! measures with. Formulas are the paper's sections 3.3 and 3.4; where its artifact
//! (<https://github.com/siasosp23/artifacts>, `sia-simulator`) does otherwise, the artifact is followed.

#![forbid(unsafe_code)]

pub mod batch;
pub mod configurations;
pub mod gavel;
pub mod placing;
pub mod profiles;
pub mod program;
pub mod replay;
pub mod rows;
