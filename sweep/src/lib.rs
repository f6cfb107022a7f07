//! Many runs, and one asked for by name and value: what Python and a sweep's file have in common.
//!
//! Options come as plain values ([`asked`]) and files by their names ([`files`]). A sweep is a [`grid`] of
//! runs, which become rows of one [`table`], in a [`folder`] that a sweep goes on from; [`sweep`] runs them on
//! the threads of this machine, or point by point for whoever has others ([`kept`]: how a trace gets there).
//! Tables are Parquet: without the feature `parquet` there are no sweeps, and traces in Parquet and Arrow are refused.

pub mod files;
#[cfg(feature = "parquet")]
pub mod folder;
pub mod grid;
pub mod kept;
pub mod options;
pub mod policy_files;
#[cfg(feature = "parquet")]
pub mod sweep;
#[cfg(feature = "parquet")]
pub mod table;
