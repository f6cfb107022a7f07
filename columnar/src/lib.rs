//! Tables that are stored by columns, as text: in go the bytes of a Parquet file, an Arrow file (Feather, version 2) or
//! an Arrow stream, out come the header and the rows of a CSV, piece by piece. Whoever opens traces takes that
//! as it takes any table, so that nothing else knows of columns.
//!
//! Batches of some thousand rows are decoded at once, and nothing is decompressed to more than [`LARGEST`]
//! at once, so that a small file cannot ask for much memory.

#![forbid(unsafe_code)]

mod ipc;
mod packing;
mod parquet;
mod text;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a page or a buffer may have of bytes once it is decompressed. Writers make pages of one megabyte.
const LARGEST: usize = 256 << 20;

/// Hands on a table as CSV, piece by piece, until `take` wants no more.
///
/// # Errors
///
/// Why it cannot be read, as the second half of a sentence that begins with what it is.
pub fn read(bytes: Vec<u8>, take: &mut dyn FnMut(&str) -> bool) -> Result<(), String> {
    // Arrow's readers check what they read, but not all of it.
    let read = catch_unwind(AssertUnwindSafe(|| {
        if bytes.starts_with(b"PAR") {
            parquet::read(bytes, take)
        } else {
            ipc::read(bytes, take)
        }
    }));
    read.unwrap_or_else(|_| Err(damaged("its parts do not fit together")))
}

/// It is not what its first bytes say.
fn damaged(why: impl ToString) -> String {
    let why = why.to_string();
    let why = why.trim_end_matches('.');
    format!("it is damaged or ends early ({why}): get it anew, or export it as CSV")
}
