//! What runs in workers: one file a [role](crate::bridge::protocol::Role). They are one program, of which each worker
//! takes up the role that it is named after: most of their code is the same. Runs whose policy is a script have the
//! same in another program, which knows the language too. In that one, besides, `author` answers whoever writes a
//! script, and `queues_reader` reads files of queues: both are seldom asked for. A third one is an opener that reads
//! Parquet and Arrow, too.

#[cfg(feature = "scripts")]
use crate::bridge::protocol::QueuesReader;
use crate::bridge::protocol::{
    Exporter, GoodputModel, Opener, Packer, Role, Runner, Starter, Summarizer, WeightsReader,
};
use crate::bridge::server::{PageLink, refuse, scope};

#[cfg(feature = "scripts")]
mod author;
mod exporter;
mod goodput_model;
mod input;
mod opener;
mod packer;
#[cfg(feature = "scripts")]
mod queues_reader;
mod runner;
mod starter;
mod summarizer;
mod weights_reader;

/// Starts to listen as the opener alone. Does nothing outside a worker.
#[cfg(feature = "columnar")]
pub fn serve_opener() {
    if let Some(scope) = scope() {
        opener::serve(PageLink::of(scope));
    }
}

/// Starts to listen. Does nothing outside a worker.
pub fn serve() {
    let Some(scope) = scope() else { return };
    match scope.name().as_str() {
        Opener::NAME => opener::serve(PageLink::of(scope)),
        Runner::NAME => runner::serve(PageLink::of(scope)),
        Summarizer::NAME => summarizer::serve(PageLink::of(scope)),
        GoodputModel::NAME => goodput_model::serve(PageLink::of(scope)),
        Starter::NAME => starter::serve(PageLink::of(scope)),
        Packer::NAME => packer::serve(PageLink::of(scope)),
        Exporter::NAME => exporter::serve(PageLink::of(scope)),
        WeightsReader::NAME => weights_reader::serve(PageLink::of(scope)),
        #[cfg(feature = "scripts")]
        QueuesReader::NAME => queues_reader::serve(PageLink::of(scope)),
        #[cfg(feature = "scripts")]
        author::NAME => author::serve(scope),
        unknown => refuse(&scope, format!("no worker is for '{unknown}'")),
    }
}
