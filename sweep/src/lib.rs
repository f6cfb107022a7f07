//! Many runs, and one asked for by name and value: what Python and a sweep's file have in common.
//!
//! Options come as plain values ([`asked`]) and files by their names ([`files`]).

pub mod asked;
pub mod files;
