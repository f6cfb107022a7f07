//! Who reads tables that are stored by columns.

/// Hands on a table stored by columns as CSV, piece by piece, until no more is wanted; or says why it cannot be
/// read, as the second half of a sentence.
pub type ReadColumns = fn(Vec<u8>, &mut dyn FnMut(&str) -> bool) -> Result<(), String>;
