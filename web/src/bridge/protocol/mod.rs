//! What page and workers say to one another: one file a [`Role`], with its requests and its replies.
//!
//! A worker first says that it is ready. Cancelling is ending the worker.

mod export;
mod model;
mod open;
mod pack;
mod queues;
mod run;
mod start;
mod summary;
mod weights;

pub use export::{ExportFormat, ExportReply, ExportRequest, Exporter};
pub use model::{GoodputModel, ModelReply, ModelRequest};
pub use open::{
    Among, Choice, Facets, MOST_HELD, OpenReply, OpenRequest, OpenedTrace, Opener, Refusal,
};
pub use pack::{PackReply, PackRequest, Packer};
pub use queues::{QueuesReader, QueuesReply, QueuesRequest};
pub use run::{LogShortage, RunInput, RunReply, RunRequest, Runner, ToldLife};
pub use start::{StartReply, StartRequest, Starter};
pub use summary::{Summarizer, SummaryReply, SummaryRequest};
pub use switchyard_workers::protocol::PROTOCOL;
pub use weights::{WeightsReader, WeightsReply, WeightsRequest};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use switchyard::policies::{PolicySpec, entry};
use switchyard_workers::protocol::WorkerMessage;
use wasm_bindgen::JsValue;

/// What a worker is for.
pub trait Role: 'static {
    /// What its workers are named.
    const NAME: &'static str;

    /// The program that answers instead of [`Program::Worker`] where that one cannot.
    const OTHER_PROGRAM: Option<Program> = None;

    /// What the page asks.
    type Request: Message;

    /// What the worker says.
    type Reply: Message;
}

/// The programs of workers (static/workers.js); each contains several roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// All roles but the author's and the reader's of queues.
    Worker,
    /// All roles, with the language of scripts, plug-ins and solvers.
    Scripts,
    /// The opener alone, which reads tables stored by columns, too.
    Columnar,
}

impl Program {
    /// The one that runs a policy.
    pub fn of(policy: &PolicySpec) -> Self {
        let is_scripted = entry(policy.name()).is_some_and(|entry| entry.scripted);
        match is_scripted || policy.solves() {
            true => Self::Scripts,
            false => Self::Worker,
        }
    }

    /// The name of its file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Worker => "worker",
            Self::Scripts => "scripts",
            Self::Columnar => "columnar",
        }
    }
}

/// A request or a reply.
pub trait Message: Serialize + DeserializeOwned + 'static {
    /// What a relay may know of it.
    fn kind(&self) -> Kind;

    /// What of a reply travels beside its bytes.
    fn attachments(&self) -> Vec<JsValue> {
        Vec::new()
    }

    /// Takes in what has travelled beside a reply's bytes.
    fn attach(&mut self, _attachments: Vec<JsValue>) {}
}

/// What a relay (static/sharing.js) may know of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// Of a request: whether all that is answered follows from it alone, so that equal requests have equal answers.
    /// Of a reply: whether it is a part of such an answer.
    pub is_shared: bool,
    /// Whether a reply is the last one to its request.
    pub is_last: bool,
}

impl Kind {
    /// A kind of this name.
    pub const fn named(name: &'static str) -> Self {
        Self {
            name,
            is_shared: false,
            is_last: false,
        }
    }

    /// The same, shared.
    pub const fn shared(self) -> Self {
        Self {
            is_shared: true,
            ..self
        }
    }

    /// The same, the last one.
    pub const fn last(self) -> Self {
        Self {
            is_last: true,
            ..self
        }
    }
}

impl<Reply: Message> Message for WorkerMessage<Reply> {
    fn kind(&self) -> Kind {
        match self {
            Self::Ready { .. } => READY,
            Self::Crashed(_) => CRASHED,
            Self::NeedsOtherProgram => Kind::named("needs-other-program").shared().last(),
            Self::Reply(reply) => reply.kind(),
        }
    }

    fn attachments(&self) -> Vec<JsValue> {
        match self {
            Self::Ready { .. } | Self::Crashed(_) | Self::NeedsOtherProgram => Vec::new(),
            Self::Reply(reply) => reply.attachments(),
        }
    }

    fn attach(&mut self, attachments: Vec<JsValue>) {
        if let Self::Reply(reply) = self {
            reply.attach(attachments);
        }
    }
}

const READY: Kind = Kind::named("ready");
const CRASHED: Kind = Kind::named("crashed").shared().last();

/// The replies of a role whose workers say nothing but that they are ready or dying.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Nothing {}

impl Message for Nothing {
    fn kind(&self) -> Kind {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a script says a name as a text.
    fn says(script: &str, kind: Kind) -> bool {
        script.contains(&format!("\"{}\"", kind.name))
    }

    #[test]
    fn scripts_that_relay_know_kinds_by_their_names() {
        let sharing = include_str!("../../../../static/sharing.js");
        for (name, kind) in [
            ("LOAD", run::LOAD),
            ("TAKEN", run::TAKEN),
            ("CRASHED", CRASHED),
        ] {
            let line = format!("const {name} = \"{}\";", kind.name);
            assert!(sharing.contains(&line), "{line}");
        }
        let roles = [
            Opener::NAME,
            Runner::NAME,
            Summarizer::NAME,
            GoodputModel::NAME,
            Packer::NAME,
            Starter::NAME,
            Exporter::NAME,
            WeightsReader::NAME,
            QueuesReader::NAME,
        ];
        let line = format!("const ROLES = [\"{}\"];", roles.join("\", \""));
        assert!(sharing.contains(&line), "{line}");
        let rescue = include_str!("../../../../static/rescue.js");
        assert!(says(rescue, READY) && says(rescue, export::EXPORTED));
    }
}
