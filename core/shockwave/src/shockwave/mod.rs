//! Shockwave itself (NSDI'23, §5 and §6): rounds of a window planned at once, by predicted run times.
//!
//! In: what profiles say of jobs, how far they are and how fast they were. Out: the jobs of the next round.
//! `prediction` says how long jobs still take, `planner` when a fair cluster would have them done, `window` how many
//! rounds each has, and `order` which.

mod order;
mod planner;
mod prediction;
mod settings;
mod window;

pub use planner::{Planner, Standing};
pub use prediction::{Expected, Profile};
pub use settings::Settings;
