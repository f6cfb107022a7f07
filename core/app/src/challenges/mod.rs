//! Challenges: ten kinds of workloads, each hard by something else ([`CHALLENGES`]), and what a scheduler makes
//! of them beside SRTF, which knows the future, and Tiresias, which does not ([`score`]).
//!
//! Each has a [goal](Goal), in two figures; a [par](Par), which is what the best of the published policies makes of it; a
//! bound, which no scheduler gets below ([`bound`]); hints; and a [picture](Picture) of what goes wrong under FIFO. The
//! [`board`] is who made what of them.

#[cfg(feature = "scripts")]
pub mod board;
mod bound;
mod challenge;
mod estimate;
mod goal;
mod picture;
mod run;
mod score;

pub use bound::bound;
pub use challenge::{CHALLENGES, Challenge, NoChallenge, Par};
pub use estimate::{Estimate, MOST_WORKLOADS};
pub use goal::Goal;
pub use picture::{Picture, picture};
pub use run::{Carry, Contender, ScoreError};
pub use score::{Contest, MOST_DRAW, Score, Scored, Times, WORKLOADS, link, score, score_watched};
