//! When would a job start? A run is carried to the moment, then it goes on many times: what runs and waits takes as long
//! as such jobs took before, drawn by user, queue and size ([`Inquiry`]), and jobs come as they came before. The answer
//! is when the job starts in each ([`Answer`]); a [`Question`] has it told, with what would help. No policy sees what was
//! drawn, and nothing that happened after the moment is looked at. [`Calibration`] says how often such answers are right.
//!
//! Pure: whoever asks draws on as many threads as it has, and gets the same answer.

mod answer;
mod arrivals;
mod asked;
mod calibration;
mod chance;
mod durations;
mod inquiry;
mod past;
mod refused;
mod survival;
mod told;
mod words;

pub use answer::Answer;
pub use asked::{Asked, Wish, queues, users};
pub use calibration::{Asking, Calibration, HeldOut};
pub use inquiry::{Basis, Draw, Inquiry};
pub use refused::Refused;
pub use told::{AskedJob, Before, Drawing, Help, Plain, Question, Told, When};
pub use words::Words;
