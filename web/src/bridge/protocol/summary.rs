//! A run of which only the summary is wanted, as in sweeps.

use super::{Kind, Message, Role, RunInput};
use crate::complaint::Complaint;
use serde::{Deserialize, Serialize};
use switchyard::report::Summary;

/// Carries one run to its end, and says what came of it in numbers.
#[derive(Debug)]
pub enum Summarizer {}

impl Role for Summarizer {
    const NAME: &'static str = "summarizer";
    type Request = SummaryRequest;
    type Reply = SummaryReply;
}

/// What the page asks of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct SummaryRequest {
    /// The run.
    pub input: RunInput,
    /// How many times as fast the jobs come.
    pub load: f64,
}

impl Message for SummaryRequest {
    fn kind(&self) -> Kind {
        Kind::named("summarize").shared()
    }
}

/// The summary, or why there is none.
#[derive(Debug, Serialize, Deserialize)]
pub struct SummaryReply(pub Box<Result<Summary, Complaint>>);

impl Message for SummaryReply {
    fn kind(&self) -> Kind {
        Kind::named("summarized").shared().last()
    }
}
