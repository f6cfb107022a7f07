//! How the names of files end.

use web_sys::File;

/// Whether a file's name ends so, in letters of either case.
pub(super) fn ends_with(file: &File, end: &str) -> bool {
    file.name().to_ascii_lowercase().ends_with(end)
}
