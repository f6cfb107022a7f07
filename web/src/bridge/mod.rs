//! Messages between the page and its workers.
//!
//! [`protocol`] says what is said, [`wire`] how it travels, [`client`] is the page's end and
//! [`server`] the worker's.

pub mod client;
pub mod protocol;
pub mod server;
mod wire;
