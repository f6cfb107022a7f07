//! Files of weights, looked at before they are taken.

use super::{Kind, Message, Role};
use serde::{Deserialize, Serialize};
use switchyard::policies::PolicySpec;
use switchyard::weights::WeightsChoice;

/// Reads a file of weights.
#[derive(Debug)]
pub enum WeightsReader {}

impl Role for WeightsReader {
    const NAME: &'static str = "weights-reader";
    type Request = WeightsRequest;
    type Reply = WeightsReply;
}

/// Read the attached bytes.
#[derive(Debug, Serialize, Deserialize)]
pub struct WeightsRequest;

impl Message for WeightsRequest {
    fn kind(&self) -> Kind {
        Kind::named("read-weights")
    }
}

/// What the reader says.
#[derive(Debug, Serialize, Deserialize)]
pub enum WeightsReply {
    /// What the weights are called from now on, and the policy that goes by them.
    Known(WeightsChoice, Option<Box<PolicySpec>>),
    /// Why they are not taken.
    Refused(String),
}

impl Message for WeightsReply {
    fn kind(&self) -> Kind {
        match self {
            Self::Known(..) => Kind::named("known").last(),
            Self::Refused(_) => Kind::named("refused").last(),
        }
    }
}
