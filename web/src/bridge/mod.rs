//! Messages between the page and its workers.
//!
//! [`protocol`] says what is said, one file a role (of a run in `switchyard-workers`); [`jobs`], [`log_piece`] and
//! [`parcel`] how it travels, [`client`] is the page's end and [`server`] the workers'. Where the program that serves the
//! page carries runs, static/workers.js speaks to it as to a worker.
//!
//! What is copied on the way, each time whole:
//!
//! - A piece of a log: out of the columns of the worker's log into a buffer of the browser's (which is then transferred),
//!   and into the columns of the page's log. A native program sends such a buffer through a socket.
//! - A piece of a run's jobs: out of the shared `Blob` into a buffer, into the worker's memory, and into jobs.

pub mod client;
pub mod jobs;
pub mod log_piece;
pub mod parcel;
pub mod protocol;
pub mod server;
