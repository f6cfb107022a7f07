//! Files of queues, read for a cluster.

use super::{Kind, Message, Role};
use serde::{Deserialize, Serialize};
use switchyard::cluster::ClusterSpec;

/// Reads a file of queues, in the program of scripts.
#[derive(Debug)]
pub enum QueuesReader {}

impl Role for QueuesReader {
    const NAME: &'static str = "queues-reader";
    type Request = QueuesRequest;
    type Reply = QueuesReply;
}

/// Read this.
#[derive(Debug, Serialize, Deserialize)]
pub struct QueuesRequest {
    /// What the file is called.
    pub name: String,
    /// What is in it.
    pub text: String,
    /// Of which its quotas in hundredths are.
    pub cluster: ClusterSpec,
}

impl Message for QueuesRequest {
    fn kind(&self) -> Kind {
        Kind::named("read-queues")
    }
}

/// What the reader says.
#[derive(Debug, Serialize, Deserialize)]
pub enum QueuesReply {
    /// The tree as a line, and a sentence for each thing that it cannot hold.
    Tree(String, Vec<String>),
    /// What is wrong.
    Refused(String),
}

impl Message for QueuesReply {
    fn kind(&self) -> Kind {
        match self {
            Self::Tree(..) => Kind::named("tree").last(),
            Self::Refused(_) => Kind::named("refused").last(),
        }
    }
}
