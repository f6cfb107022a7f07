//! Questions to Pollux' goodput model, without a run.

use super::{Kind, Message, Role};
use crate::complaint::Complaint;
use crate::ui::views::goodput::model::{Answer, Question};
use serde::{Deserialize, Serialize};

/// Answers for the goodput model.
#[derive(Debug)]
pub enum GoodputModel {}

impl Role for GoodputModel {
    const NAME: &'static str = "goodput-model";
    type Request = ModelRequest;
    type Reply = ModelReply;
}

/// What is asked.
#[derive(Debug, Serialize, Deserialize)]
pub struct ModelRequest(pub Question);

impl Message for ModelRequest {
    fn kind(&self) -> Kind {
        Kind::named("model")
    }
}

/// The answer, or why there is none.
#[derive(Debug, Serialize, Deserialize)]
pub struct ModelReply(pub Box<Result<Answer, Complaint>>);

impl Message for ModelReply {
    fn kind(&self) -> Kind {
        Kind::named("modelled").last()
    }
}
