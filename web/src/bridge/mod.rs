//! Messages between the page and its workers.
//!
//! [`protocol`] says what is said, [`jobs`] and [`wire`] how it travels, [`client`] is the page's end
//! and [`server`] the workers'.

pub mod client;
pub mod jobs;
pub mod protocol;
pub mod server;
mod wire;
