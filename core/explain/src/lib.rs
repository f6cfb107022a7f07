//! What is told to people of a run, as plain data: why a job runs, waits or is slow ([`Explanation`]), what
//! was decided in a round ([`RoundReport`]), what a job's whole life was spent on ([`Life`]), curves ([`Plot`]), how a
//! placer that learned laid a job ([`Placing`]). In: whatever decides. Out: a page,
//! a worker's message. It knows the vocabulary and nothing of policies or the engine.

#![forbid(unsafe_code)]

mod explanation;
mod fact;
mod life;
mod placing;
mod plot;
mod round;
mod slowness;
mod sum;
mod unit;

pub use explanation::{Cause, Explanation, Turn, Turns, Verdict};
pub use fact::{Fact, Said};
pub use life::{Life, Spent, Stretch};
pub use placing::{ByRule, Choice, Placing, PlacingStep, Prospect, Role};
pub use plot::{Mark, Plot, PlotLine};
pub use round::{ChoiceColumn, ChoiceRow, Choices, RoundReport, RoundRow};
pub use slowness::{Loss, Slowness};
pub use sum::{Operand, Sum};
pub use unit::Unit;

use switchyard_model::{Resource, Time, cluster, job, order};
