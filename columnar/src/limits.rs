//! How much is decompressed at once, and what is said of a file that is not what it says.

/// What a page or a buffer may have of bytes once it is decompressed. Writers make pages of one megabyte.
pub(crate) const LARGEST: usize = 256 << 20;

/// It is not what its first bytes say.
pub(crate) fn damaged(why: impl ToString) -> String {
    let why = why.to_string();
    let why = why.trim_end_matches('.');
    format!("it is damaged or ends early ({why}): get it anew, or export it as CSV")
}
