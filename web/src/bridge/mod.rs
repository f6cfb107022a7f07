//! Messages between the page and its workers.
//!
//! [`protocol`] says what is said, one file a role; [`jobs`] and [`parcel`] how it travels, [`client`] is the page's end
//! and [`server`] the workers'.

pub mod client;
pub mod jobs;
pub mod parcel;
pub mod protocol;
pub mod server;
