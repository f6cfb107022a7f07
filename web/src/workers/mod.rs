//! What runs in workers: [`opener`] turns files into jobs, [`runner`] carries one run. They are one
//! program, of which each worker takes up what it is named after: most of their code is the same. Runs
//! whose policy is a script have the same in another program, which knows the language too, and in which
//! `author` answers whoever writes one. A third one is an opener that reads Parquet and Arrow, too.

use crate::bridge::protocol::Role;
use crate::bridge::server::scope;

#[cfg(feature = "scripts")]
mod author;
mod opener;
mod runner;

/// Starts to listen as the opener alone. Does nothing outside a worker.
#[cfg(feature = "columnar")]
pub fn serve_opener() {
    if let Some(scope) = scope() {
        opener::serve(scope);
    }
}

/// Starts to listen. Does nothing outside a worker.
pub fn serve() {
    let Some(scope) = scope() else { return };
    match scope.name() {
        name if name == Role::Opener.name() => opener::serve(scope),
        #[cfg(feature = "scripts")]
        name if name == author::NAME => author::serve(scope),
        _ => runner::serve(scope),
    }
}
