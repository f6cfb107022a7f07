//! What is within a container: a file that takes what is unpacked.

use crate::error::OpenError;
use crate::place::{Flaws, Place};
use crate::shared::Shared;
use crate::wording::shorten_to;

/// A file whose bytes come in slices. Containers unpack into one, whatever it turns out to be.
pub(crate) trait Within {
    /// A file at this place, of which nothing has come.
    fn at(place: Place) -> Self;

    /// Its name for messages.
    fn name(&self) -> &str;

    /// Takes the next bytes.
    fn push(&mut self, bytes: &[u8], shared: &mut Shared) -> Result<(), OpenError>;

    /// Takes notice that there are no more bytes.
    fn end(self, flaws: Flaws, shared: &mut Shared) -> Result<(), OpenError>;
}

/// That a file is damaged.
pub(super) fn damaged(file: &str, what: &str) -> OpenError {
    OpenError::Damaged {
        file: file.to_owned(),
        what: shorten_to(what, 100),
    }
}

/// That what a file is packed in is not read.
pub(super) fn unsupported(file: &str, what: &str, next: &str) -> OpenError {
    OpenError::UnsupportedContainer {
        file: file.to_owned(),
        what: what.to_owned(),
        next: next.to_owned(),
    }
}
