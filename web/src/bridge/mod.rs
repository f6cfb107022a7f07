//! Messages between the page and its workers.
//!
//! [`protocol`] says what is said, one file a role; [`jobs`] and [`parcel`] how it travels, [`client`] is the page's end
//! and [`server`] the workers'.
//!
//! What is copied on the way, each time whole:
//!
//! - A piece of a log: out of the worker's log into a `LogDelta`, into bytes, into a buffer of the browser's (which is
//!   then transferred), into the page's memory, into a `LogDelta`, and at the end of the page's log.
//! - A piece of a run's jobs: out of the shared `Blob` into a buffer, into the worker's memory, and into jobs.

pub mod client;
pub mod jobs;
pub mod parcel;
pub mod protocol;
pub mod server;
