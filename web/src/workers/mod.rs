//! What runs in workers: [`opener`] turns files into jobs, [`runner`] carries one run. They are one
//! program, of which each worker takes up what it is named after: most of their code is the same.

use crate::bridge::protocol::Role;
use crate::bridge::server::scope;

mod opener;
mod runner;

/// Starts to listen. Does nothing outside a worker.
pub fn serve() {
    let Some(scope) = scope() else { return };
    if scope.name() == Role::Opener.name() {
        opener::serve(scope);
    } else {
        runner::serve(scope);
    }
}
